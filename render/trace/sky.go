package trace

import "math"

// sky is the light from outside: the sun, and what is around it.
type sky struct {
	sun     vec     // where it is
	across  [2]vec  // across that
	light   vec     // of the sun on a side that looks to it
	radius  float64 // of its disc at distance 1
	zenith  vec
	horizon vec
	below   vec
	rest    vec // what light that was scattered more often adds
}

// sunRadius is a little more than that of the real one, half a degree across, so that shadows have soft rims.
const sunRadius = 0.008

// day returns the sky of a clear day with the sun in a direction.
func day(sun vec) sky {
	s := sky{sun: sun.unit(), radius: sunRadius}
	s.across[0], s.across[1] = basis(s.sun)
	high := max(0, s.sun[1])
	warm := math.Exp(-4 * high) // 1 at the horizon
	up := min(1, max(0, 4*s.sun[1]+0.2))
	s.light = vec{3.1, 3 - 1.2*warm, 2.75 - 2*warm}.scale(min(1, max(0, 8*s.sun[1])))
	s.zenith = vec{0.20 + 0.02*warm, 0.38 - 0.06*warm, 0.86 - 0.2*warm}.scale(up)
	s.horizon = vec{0.72 + 0.3*warm, 0.84 - 0.1*warm, 0.98 - 0.35*warm}.scale(up)
	s.below = s.horizon.scale(0.72)
	s.rest = s.zenith.add(s.horizon).scale(restPart / 2)
	return s
}

// restPart is what light that was scattered more often is of the mean light of a sky.
const restPart = 0.12

// restOf returns that of a sky that is painted.
func restOf(p Painter) (rest vec) {
	const draws = 64
	for i := range uint32(draws) {
		u, v := points{0, i}.at(0)
		if _, light, chance := p.Draw(u, v); chance > 0 {
			rest = rest.add(vec(light).scale(restPart / (4 * math.Pi * chance * draws)))
		}
	}
	return rest
}

// even returns a sky that is one colour all around and has no sun.
func even(light vec) sky {
	return sky{sun: vec{0, 1, 0}, zenith: light, horizon: light, below: light}
}

// seen returns the light that comes from a direction, without the sun.
func (s *sky) seen(dir vec) vec {
	if dir[1] < 0 {
		return mix(s.horizon, s.below, min(1, -6*dir[1]))
	}
	return mix(s.horizon, s.zenith, math.Sqrt(dir[1]))
}

func mix(a, b vec, part float64) vec {
	return vec{a[0] + (b[0]-a[0])*part, a[1] + (b[1]-a[1])*part, a[2] + (b[2]-a[2])*part}
}

// toSun returns a direction to a point of the sun's disc. Its length is 1 but for some hundred thousandths.
func (s *sky) toSun(u, v float64) vec {
	sin, cos := math.Sincos(2 * math.Pi * v)
	radius := s.radius * math.Sqrt(u)
	return s.sun.along(s.across[0], radius*cos).along(s.across[1], radius*sin)
}
