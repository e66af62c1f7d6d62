package trace

import (
	"context"

	"github.com/cairnvoxel/cairn/voxel"
)

var (
	Fresnel = fresnel
	Linear  = linear
	Second  = second
)

// Finder returns what finds the first hit of a ray.
func Finder(ctx context.Context, l Scene) func(from, dir [3]float64) (distance float64, normal [3]float64, ok bool) {
	p := &path{cells: newCells(ctx, newLand(l, 1<<26, 1))}
	return func(from, dir [3]float64) (float64, [3]float64, bool) {
		h, ok := p.find(&ray{from: from, dir: dir}, 0)
		return h.t, h.normal, ok
	}
}

// RenderWith draws a land under an even sky, in which blocks have the given albedo, and those of one number shed
// light.
func RenderWith(ctx context.Context, l Scene, o Options, sky, albedo float64, lamp voxel.Cell, shed float64) (*Picture, error) {
	r, err := newRenderer(ctx, l, o)
	if err != nil {
		return nil, err
	}
	defer r.land.nodes.Close()
	r.sky = even(vec{sky, sky, sky})
	for i := range r.land.looks {
		k := &r.land.looks[i]
		k.albedo = vec{albedo, albedo, albedo}
		if i == int(lamp) {
			k.albedo, k.emission = vec{}, vec{shed, shed, shed}
		}
	}
	return r.draw(ctx)
}

// Points returns the first n points of a dimension of a pixel.
func Points(pixel, dimension uint32, n int) (all [][2]float64) {
	for i := range n {
		u, v := points{pixel, uint32(i)}.at(dimension)
		all = append(all, [2]float64{u, v})
	}
	return all
}
