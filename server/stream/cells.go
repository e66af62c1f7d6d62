package stream

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// ClientCells are the cells of a volume of a Client's copy, for rays, sweeps and boxes, and for meshes: it is a mesh.BoxReader. Positions
// count cells of the volume. A cell is known where the copy has its cube of level 0, and where a coarser cube
// is empty, for no mip hides matter. Where the copy has coarse cubes alone it is not known what can be met: rays, sweeps
// and boxes then end with grid.ErrNotLoaded, and ReadBox returns false. Beyond Moment.Bounds is nothing. What cannot be
// seen (Look.Kind 0) is no matter. Cells follow the copy as it changes. One goroutine at a time may use them.
type ClientCells struct {
	grid.Space
	c      *Client
	volume int

	rule    voxel.Rule
	changes uint64 // of the copy, when the following was found
	edge    int    // of a cube
	def     voxel.Cell
	bounds  geom.Box // the cells that are not wholly beyond Moment.Bounds
	inner   geom.Box // those that are wholly within

	near  Key    // the cube of level 0 that was looked at last
	found piece  // what is there
	when  uint64 // it was found: changes at that time
}

// piece is the finest cube that the copy has at a place. Its cells do not change.
type piece struct {
	key   Key
	cells []voxel.Cell // one if all are equal; nil: there is none
	void  bool         // all of it is the default, also what lies below
}

// Cells returns the cells of a volume of the session. Nothing is known of a volume that there is not.
func (c *Client) Cells(volume int) *ClientCells {
	x := &ClientCells{c: c, volume: volume}
	x.Space = grid.Space{Source: x, Rule: &x.rule}
	return x
}

// find looks for the finest cube of a level or a coarser one that holds the cell q of the level. It takes over what
// else changed in the copy. The edge is 0 if there is no such volume.
func (x *ClientCells) find(q geom.Point, level int) (p piece) {
	c := x.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.volume < 0 || x.volume >= len(c.names) {
		x.edge = 0
		return p
	}
	if at := c.changes.Load(); x.edge == 0 || at != x.changes {
		n, b := &c.names[x.volume], c.moment.Bounds
		s := n.volume.Scale
		x.changes, x.edge, x.def = at, n.volume.edge(), c.ownDefault(x.volume)
		up := geom.Point{X: s - 1, Y: s - 1, Z: s - 1}
		x.bounds = b.Over(s)
		x.inner = geom.Box{Min: b.Min.Add(up).Over(s), Max: b.Max.Over(s)}
		x.rule = voxel.Rule{Schema: n.volume.Schema}
		for own := 1; own < len(n.list) && n.volume.Schema == voxel.Palette; own++ {
			if n.list[own].Look.Kind == 0 {
				x.rule.Empties = append(x.rule.Empties, voxel.Cell(own))
			}
		}
	}
	p.key = cubeOf(q, x.edge, level)
	switch u := c.finest(&p.key); {
	case u == nil:
	case u.cells == nil:
		p.cells, p.void = []voxel.Cell{x.def}, true
	default:
		p.cells = u.cells[x.volume]
	}
	return p
}

// finest returns the finest cube of the copy that holds the cube k, and makes k its key.
func (c *Client) finest(k *Key) *cube {
	for ; int(k.Level) <= c.moment.Top; *k = k.Parent() {
		if u := c.cubes[*k]; u != nil {
			return u
		}
	}
	return nil
}

// in returns the cell of a level at q, which a piece holds, as Look does. Of a coarser piece only what is empty is known.
func (x *ClientCells) in(p *piece, level int, q geom.Point) (cell voxel.Cell, clear int, known bool) {
	up, all := int(p.key.Level)-level, bits.Len(uint(x.edge))-1 // all is the clear of a whole cube
	low := geom.Point{X: q.X >> up, Y: q.Y >> up, Z: q.Z >> up}
	cube := geom.Point{X: int(p.key.X) * x.edge, Y: int(p.key.Y) * x.edge, Z: int(p.key.Z) * x.edge}
	switch at := low.Sub(cube); len(p.cells) {
	case 0:
		return 0, all, false
	case 1:
		cell = p.cells[0]
	default:
		cell = p.cells[(at.Y*x.edge+at.Z)*x.edge+at.X]
	}
	if up == 0 && !(len(p.cells) == 1 && x.rule.Empty(cell)) {
		return cell, 0, true
	}
	if up > 0 && cell != 0 {
		return 0, min(up, all), false
	}
	if len(p.cells) == 1 && (up == 0 || p.void || x.inside(cube, x.edge, p.key.Level)) {
		return cell, up + all, true
	}
	return 0, up, x.inside(low, 1, p.key.Level)
}

// inside reports whether cells of a level lie in the bounds. Of a box that cuts the world the server sends no more of a coarse cell
// than lies wholly in it.
func (x *ClientCells) inside(low geom.Point, edge int, level uint8) bool {
	b := geom.Box{Min: low, Max: low.Add(geom.Point{X: edge, Y: edge, Z: edge})}.Scale(1 << level)
	return b.Intersect(x.inner) == b
}

// Look implements grid.Finder.
func (x *ClientCells) Look(q geom.Point) (cell voxel.Cell, clear int, known bool) {
	if x.edge == 0 || x.when != x.c.changes.Load() || cubeOf(q, x.edge, 0) != x.near {
		if x.found = x.find(q, 0); x.edge == 0 {
			return 0, geom.MaxLevel, false
		}
		x.near, x.when = cubeOf(q, x.edge, 0), x.changes
	}
	if !x.bounds.Contains(q) {
		return x.beyond(q)
	}
	return x.in(&x.found, 0, q)
}

// beyond returns the cell at q, which is not within the bounds, as Look does.
func (x *ClientCells) beyond(q geom.Point) (cell voxel.Cell, clear int, known bool) {
	for x.rule.Empty(x.def) && clear < geom.MaxLevel {
		m := -1 << (clear + 1)
		low, e := geom.Point{X: q.X & m, Y: q.Y & m, Z: q.Z & m}, -m
		if !x.bounds.Intersect(geom.Box{Min: low, Max: low.Add(geom.Point{X: e, Y: e, Z: e})}).Empty() {
			break
		}
		clear++
	}
	return x.def, clear, true
}

// ReadBox writes the cells of b to dst, x fastest, then z, then y. b counts cells of the level. It returns false if a part of b
// is not known at that level; dst is then partly written. What a coarser cube shows as empty is 0.
func (x *ClientCells) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	if level < 0 || level > geom.MaxLevel || b.Scale(1<<level).Intersect(geom.Root.Box()) != b.Scale(1<<level) {
		return false
	}
	near, found, i := Key{Level: MaxLevel + 1}, piece{}, 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for q := (geom.Point{X: b.Min.X, Y: y, Z: z}); q.X < b.Max.X; q.X++ {
				if x.edge == 0 || cubeOf(q, x.edge, level) != near {
					if found = x.find(q, level); x.edge == 0 {
						return false
					}
					near = cubeOf(q, x.edge, level)
				}
				known := true
				if (geom.Box{Min: q, Max: q.Add(geom.Point{X: 1, Y: 1, Z: 1})}).Scale(1 << level).Intersect(x.bounds).Empty() {
					dst[i] = x.def
				} else if dst[i], _, known = x.in(&found, level, q); !known {
					return false
				}
				i++
			}
		}
	}
	return true
}

// cubeOf returns the cube of a level that holds the cell q of the level.
func cubeOf(q geom.Point, edge, level int) Key {
	p := q.Over(edge)
	return Key{X: int32(p.X), Y: int32(p.Y), Z: int32(p.Z), Level: uint8(level)}
}
