package level

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// aim is a ray.
type aim struct {
	from, dir [3]float64
	reach     float64
}

// rays is what is cast. Beside a Raycast stand walks from cell to cell. All cells are whole, as they
// are for the walks, which know no occupancy.
func (s *gridSet) rays() (out []gridWork) {
	v := s.view(voxel.Palette)
	for _, k := range []struct {
		name string
		aims []aim
		hits int // of each ray
	}{
		{"ray from near the ground, 256 long, first hit", s.aims(256, s.nearGround), 1},
		{"ray through matter, 64 long, every hit", s.aims(64, s.anywhere), math.MaxInt},
		{"ray over the land, 512 long, first hit", s.aims(512, s.above), 1},
	} {
		flat := task{len(k.aims), func() int { return walkBox(s.flat, k.aims, k.hits) }}
		tree := task{len(k.aims), func() int { return walkMap(s.chunks, s.box, k.aims, k.hits) }}
		out = append(out,
			gridWork{k.name, task{len(k.aims), func() int { return castView(v, k.aims, k.hits) }}, flat, tree},
			gridWork{k.name + ", cell by cell", task{len(k.aims), func() int { return walkView(v, s.box, k.aims, k.hits) }}, flat, tree})
	}
	return out
}

// aims returns rays that begin and go where pick says.
func (s *gridSet) aims(reach float64, pick func() (geom.Point, [3]float64)) []aim {
	out := make([]aim, s.reads/64)
	for i := range out {
		p, dir := pick()
		out[i] = aim{[3]float64{float64(p.X) + 0.4, float64(p.Y) + 0.5, float64(p.Z) + 0.6}, dir, reach}
	}
	return out
}

func (s *gridSet) direction() [3]float64 {
	return [3]float64{s.random.Float64() - 0.5, s.random.Float64() - 0.5, s.random.Float64() - 0.5}
}

func (s *gridSet) anywhere() (geom.Point, [3]float64) { return s.point(), s.direction() }

// nearGround begins in an empty cell of a chunk that is not, if it finds one.
func (s *gridSet) nearGround() (p geom.Point, dir [3]float64) {
	for range 100 {
		p = s.point()
		if c, _ := s.grid.View().Cell(p); c == voxel.Empty {
			break
		}
	}
	return p, s.direction()
}

// above begins at the upper end of the box and goes along.
func (s *gridSet) above() (geom.Point, [3]float64) {
	p, dir := s.point(), s.direction()
	p.Y, dir[1] = s.box.Max.Y-1, 0
	return p, dir
}

// hit is what is added for a hit.
func hit(p geom.Point, c voxel.Cell) int { return p.X + 3*p.Y + 7*p.Z + int(c) }

func castView(v *grid.View, aims []aim, hits int) (sum int) {
	left := 0
	yield := func(h grid.Hit) bool {
		sum += hit(h.At, h.Cell)
		left--
		return left > 0
	}
	for i := range aims {
		left = hits
		if err := v.Raycast(aims[i].from, aims[i].dir, aims[i].reach, yield); err != nil {
			panic("level: a ray that is aimed by us is refused: " + err.Error())
		}
	}
	return sum
}

// The walks end where they leave the box: nothing is beyond.

func walkView(v *grid.View, box geom.Box, aims []aim, hits int) (sum int) {
	for i := range aims {
		k, w, left := v.Cursor(), newWalk(&aims[i]), hits
		for ; w.t <= aims[i].reach && left > 0 && box.Contains(w.at); w.step() {
			if c, _ := k.Cell(w.at); c != voxel.Empty {
				sum += hit(w.at, c)
				left--
			}
		}
	}
	return sum
}

func walkMap(m flatChunks, box geom.Box, aims []aim, hits int) (sum int) {
	for i := range aims {
		w, left := newWalk(&aims[i]), hits
		last := w.at.Chunk()
		chunk := m[last]
		for ; w.t <= aims[i].reach && left > 0 && box.Contains(w.at); w.step() {
			if pos := w.at.Chunk(); pos != last {
				chunk, last = m[pos], pos
			}
			if chunk == nil {
				continue
			}
			if c := chunk[chunkPlace(w.at)]; c != voxel.Empty {
				sum += hit(w.at, c)
				left--
			}
		}
	}
	return sum
}

func walkBox(b *flatBox, aims []aim, hits int) (sum int) {
	for i := range aims {
		w, left := newWalk(&aims[i]), hits
		for ; w.t <= aims[i].reach && left > 0 && b.Contains(w.at); w.step() {
			if c := b.cells[b.place(w.at)]; c != voxel.Empty {
				sum += hit(w.at, c)
				left--
			}
		}
	}
	return sum
}

// walk goes along a ray from cell to cell, by Amanatides and Woo.
type walk struct {
	at                  geom.Point
	t                   float64 // where it entered the cell
	nextX, nextY, nextZ float64 // where it leaves the cell, by axis
	from, dir           [3]float64
	ahead               [3]float64 // 1 where the plane to cross is that of the next cell
	stepX, stepY, stepZ int
}

func newWalk(a *aim) *walk {
	longest := max(math.Abs(a.dir[0]), math.Abs(a.dir[1]), math.Abs(a.dir[2]))
	w, length, steps := walk{from: a.from}, 0.0, [3]int{}
	for i, d := range a.dir {
		w.dir[i] = d / longest
		length += w.dir[i] * w.dir[i]
	}
	for i := range w.dir {
		w.dir[i] /= math.Sqrt(length)
		steps[i] = -1
		if w.dir[i] > 0 {
			steps[i], w.ahead[i] = 1, 1
		}
	}
	w.stepX, w.stepY, w.stepZ = steps[0], steps[1], steps[2]
	w.at = geom.Point{X: int(math.Floor(a.from[0])), Y: int(math.Floor(a.from[1])), Z: int(math.Floor(a.from[2]))}
	w.nextX, w.nextY, w.nextZ = w.exit(0, w.at.X), w.exit(1, w.at.Y), w.exit(2, w.at.Z)
	return &w
}

// exit returns where the ray leaves the cells with that coordinate.
func (w *walk) exit(axis, cell int) float64 {
	if w.dir[axis] == 0 {
		return math.Inf(1)
	}
	return (float64(cell) + w.ahead[axis] - w.from[axis]) / w.dir[axis]
}

// step goes to the next cell.
func (w *walk) step() {
	switch {
	case w.nextX <= w.nextY && w.nextX <= w.nextZ:
		w.t = w.nextX
		w.at.X += w.stepX
		w.nextX = w.exit(0, w.at.X)
	case w.nextY <= w.nextZ:
		w.t = w.nextY
		w.at.Y += w.stepY
		w.nextY = w.exit(1, w.at.Y)
	default:
		w.t = w.nextZ
		w.at.Z += w.stepZ
		w.nextZ = w.exit(2, w.at.Z)
	}
}
