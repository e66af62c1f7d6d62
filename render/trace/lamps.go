package trace

import (
	"math"

	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// lampLight is the light of lamps beside a lamp, red, green and blue, of a white side, and lampGlow that of the
// lamp itself.
var (
	lampLight = vec{1.25, 0.98, 0.68}
	lampGlow  = 2.2
)

// mostLampLevel is the greatest level at which lamps shine: farther away their light is not worth reading.
const mostLampLevel = 2

// lampFall is what is left of the light of lamps a block farther away.
const lampFall = 0.8

// lampStrength has the light of lamps by the light of a cell, 0 to 15.
var lampStrength = func() (t [16]float64) {
	for i := 1; i < len(t); i++ {
		t[i] = math.Pow(lampFall, float64(15-i))
	}
	return t
}()

// lit returns the light of the blocks' lamps that a side scatters and, if the block is a lamp, what it sheds. The
// volume of light has both: its cell beside the side, and that of the block, if no cell around it is
// brighter.
func (p *path) lit(h *hit, start vec) (scattered, shed vec) {
	if !p.lamps || h.level > mostLampLevel {
		return
	}
	beside := cellAt(start)
	n := p.lamp(beside)
	if n > 0 {
		scattered = lampLight.scale(lampStrength[n])
	}
	in := cellAt(h.at.along(h.normal, -lift*4))
	own := p.lamp(in)
	if own == 0 || own < n {
		return
	}
	for _, d := range [...]geom.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}} {
		if p.lamp(in.Add(d)) > own {
			return
		}
	}
	return scattered, h.albedo.scale(lampGlow * lampStrength[own])
}

func cellAt(p vec) geom.Point {
	return geom.Point{X: int(math.Floor(p[0])), Y: int(math.Floor(p[1])), Z: int(math.Floor(p[2]))}
}

// lamp returns the light that lamps shed into a cell, 0 to 15.
func (p *path) lamp(at geom.Point) int {
	pos := at.Chunk()
	if pos.Check() != nil {
		return 0
	}
	if p.lampKnown && p.lampPos == pos {
		return lightOf(p.lampChunk, at)
	}
	v, err := p.nodes.Page(p.ctx, tile.Deep{Item: lampItem, Code: geom.CodeOf(pos, 0)}, func() (any, int64, error) {
		var c *voxel.Chunk
		if err := p.read(voxel.Light, 0, pos, &c); err != nil {
			return nil, 0, err
		}
		n := int64(64)
		if c != nil {
			n += int64(c.Bytes())
		}
		return c, n, nil
	})
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return 0
	}
	p.lampKnown, p.lampPos, p.lampChunk = true, pos, v.(*voxel.Chunk)
	return lightOf(p.lampChunk, at)
}

// lampItem tells chunks of light from nodes in the cache.
const lampItem = 1

func lightOf(c *voxel.Chunk, at geom.Point) int {
	if c == nil {
		return 0
	}
	in := at.InChunk()
	return int(min(c.Cell(in.X, in.Y, in.Z), 15))
}
