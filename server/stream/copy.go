package stream

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// clientNames are the names of a volume by the client's own numbers, which stay when a session ends.
type clientNames struct {
	volume ShownVolume
	list   []Name
	number map[string]voxel.Cell
}

// cube is a cube of the copy: cells by volume in the client's numbers, of length 1 if all are equal.
type cube struct {
	version uint64
	old     bool // not sent in this session
	cells   [][]voxel.Cell
}

func (c *cube) bytes() int {
	n := emptyBytes
	for _, cells := range c.cells {
		if len(cells) > 1 {
			n += 2 * len(cells)
		}
	}
	return n
}

// applyWelcome begins a session. If its volumes are others than those of the session before, what the copy has is of no use.
func (c *Client) applyWelcome(f *Welcome) (changed []Key, err error) {
	if c.welcome != nil {
		return nil, &CorruptError{Part: "Welcome", Err: errors.New("a second one")}
	}
	c.welcome, c.moment = f, f.Moment
	same := len(c.names) == len(f.Volumes)
	for i := 0; same && i < len(f.Volumes); i++ {
		v, w := c.names[i].volume, f.Volumes[i]
		v.Default, w.Default = 0, 0
		same = v == w
	}
	if !same {
		for k := range c.cubes {
			changed = append(changed, k)
		}
		clear(c.cubes)
		c.names, c.bytes = nil, 0
		for _, v := range f.Volumes {
			c.names = append(c.names, clientNames{v, []Name{{}}, make(map[string]voxel.Cell)})
		}
	}
	c.number = make([][]voxel.Cell, len(f.Volumes))
	for i := range c.number {
		c.number[i] = []voxel.Cell{0}
	}
	return changed, nil
}

// applyNames gives the session's numbers their names. It returns the cubes that the copy lost for that.
func (c *Client) applyNames(f *NumberNames) (lost []Key) {
	n, to := &c.names[f.Volume], c.number[f.Volume]
	for _, x := range f.Names {
		for len(to) <= int(x.Number) {
			to = append(to, noCell)
		}
		c.number[f.Volume] = to
		own, ok := n.number[x.Name]
		switch {
		case x.Number == 0:
			own = 0
			n.list[0] = x
		case !ok:
			to[x.Number] = noCell
			if len(n.list) == mostNames(n.volume.Schema) {
				lost = append(lost, c.renumber()...)
			}
			own = voxel.Cell(len(n.list))
			n.number[x.Name] = own
			n.list = append(n.list, Name{uint64(own), x.Name, x.Look})
		default:
			n.list[own].Look = x.Look
		}
		to[x.Number] = own
	}
	return lost
}

// renumber lets go of the names that the session has no number for, and so of all cubes. The server is told that they are dropped.
func (c *Client) renumber() (lost []Key) {
	for k := range c.cubes {
		lost = append(lost, k)
	}
	clear(c.cubes)
	c.bytes = 0
	c.lost = append(c.lost, lost...)
	for i := range c.names {
		n, old := &c.names[i], c.names[i].list
		n.list, n.number = old[:1:1], make(map[string]voxel.Cell)
		for s, own := range c.number[i] {
			if s == 0 || own == noCell {
				continue
			}
			name := old[own]
			if again, ok := n.number[name.Name]; ok {
				c.number[i][s] = again
				continue
			}
			name.Number = uint64(len(n.list))
			c.number[i][s] = voxel.Cell(len(n.list))
			n.number[name.Name] = voxel.Cell(len(n.list))
			n.list = append(n.list, name)
		}
	}
	return lost
}

// noCell stands for a number without a name.
const noCell = voxel.MaxCell + 1

// toOwn replaces the session's numbers by the client's.
func (c *Client) toOwn(i int, cells []voxel.Cell) error {
	v, to := &c.welcome.Volumes[i], c.number[i]
	if v.Schema == voxel.Level {
		return nil
	}
	for j, x := range cells {
		n, rest := int(x), voxel.Cell(0)
		if v.Schema == voxel.Terrain {
			n, rest = int(x>>8), x&0xFF
		}
		if n >= len(to) || to[n] == noCell {
			return &CorruptError{Part: "cells", Err: fmt.Errorf("number %d of volume %q has no name", n, v.Name)}
		}
		if cells[j] = to[n]; v.Schema == voxel.Terrain {
			cells[j] = to[n]<<8 | rest
		}
	}
	return nil
}

// applyCube puts a cube into the copy.
func (c *Client) applyCube(f *Cube) error {
	x := &cube{version: f.Version, cells: f.Cells}
	for i, cells := range x.cells {
		if err := c.toOwn(i, cells); err != nil {
			return err
		}
		x.cells[i] = compacted(cells)
	}
	c.put(f.Key, x)
	return nil
}

func (c *Client) put(k Key, x *cube) {
	c.remove(k)
	c.cubes[k] = x
	c.bytes += x.bytes()
}

func (c *Client) remove(k Key) {
	if x := c.cubes[k]; x != nil {
		c.bytes -= x.bytes()
		delete(c.cubes, k)
	}
}

// compacted returns one cell if all are equal.
func compacted(cells []voxel.Cell) []voxel.Cell {
	for _, x := range cells {
		if x != cells[0] {
			return cells
		}
	}
	return []voxel.Cell{cells[0]}
}

// applyEdit changes a cube of the copy.
func (c *Client) applyEdit(f *Edit) error {
	x := c.cubes[f.Key]
	if x == nil {
		return nil
	}
	if f.Version == 0 {
		c.put(f.Key, &cube{})
		return nil
	}
	whole := &cube{version: f.Version}
	for i := range c.names {
		whole.cells = append(whole.cells, c.expanded(x, i))
	}
	for j := range f.Parts {
		p := &f.Parts[j]
		if err := c.toOwn(int(p.Volume), p.Cells[:]); err != nil {
			return err
		}
		e := c.names[p.Volume].volume.edge()
		m := e / PartEdge
		at := (int(p.Part)/(m*m)*PartEdge*e+int(p.Part)/m%m*PartEdge)*e + int(p.Part)%m*PartEdge
		for r := range PartEdge * PartEdge {
			copy(whole.cells[p.Volume][at+(r/PartEdge*e+r%PartEdge)*e:], p.Cells[r*PartEdge:(r+1)*PartEdge])
		}
	}
	for i := range whole.cells {
		whole.cells[i] = compacted(whole.cells[i])
	}
	c.put(f.Key, whole)
	return nil
}

// expanded returns a copy of the cells of a volume of a cube.
func (c *Client) expanded(x *cube, i int) []voxel.Cell {
	e := c.names[i].volume.edge()
	out := make([]voxel.Cell, e*e*e)
	one := c.ownDefault(i)
	if x.cells != nil {
		if len(x.cells[i]) > 1 {
			copy(out, x.cells[i])
			return out
		}
		one = x.cells[i][0]
	}
	for j := range out {
		out[j] = one
	}
	return out
}

// ownDefault returns the default of a volume in the client's numbers.
func (c *Client) ownDefault(i int) voxel.Cell {
	if c.welcome == nil {
		return c.names[i].volume.Default
	}
	one := []voxel.Cell{c.welcome.Volumes[i].Default}
	if c.toOwn(i, one) != nil {
		return 0
	}
	return one[0]
}

// endSession ends what the copy has of a session: it then counts in the client's numbers alone.
func (c *Client) endSession() {
	for i := range c.names {
		c.names[i].volume.Default = c.ownDefault(i)
	}
	c.welcome = nil
}

// Moment returns what the session shows.
func (c *Client) Moment() Moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moment
}

// Volumes returns the volumes of the session, nil before Welcome.
func (c *Client) Volumes() []ShownVolume {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.welcome == nil {
		return nil
	}
	return c.welcome.Volumes
}

// Synced returns the stage of the last Synced, 0 if something is missing since.
func (c *Client) Synced() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.synced)
}

// Len returns how many cubes the copy has, and the bytes that they take as Viewpoint.Memory counts them.
func (c *Client) Len() (cubes, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.cubes), c.bytes
}

// Keys returns the cubes of the copy, those of higher levels first.
func (c *Client) Keys() []Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.cubes), Key.Compare)
}

// Cube returns the cells of a cube of a volume of the session, index (y*e+z)*e+x, and its version. ok is false if the
// copy lacks it.
func (c *Client) Cube(k Key, volume int) (cells []voxel.Cell, version uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.cubes[k]
	if x == nil || volume >= len(c.names) {
		return nil, 0, false
	}
	return c.expanded(x, volume), x.version, true
}

// Name returns the name and the look of a cell.
func (c *Client) Name(volume int, cell voxel.Cell) (Name, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if volume >= len(c.names) {
		return Name{}, false
	}
	if c.names[volume].volume.Schema == voxel.Terrain {
		cell >>= 8
	}
	if int(cell) >= len(c.names[volume].list) {
		return Name{}, false
	}
	return c.names[volume].list[cell], true
}

// Cell returns the cell of a volume at a block, and the level that it is of: the finest that the copy has there. A part of a
// cube that is empty in a coarser one is empty. ok is false if the copy has nothing there.
func (c *Client) Cell(volume int, p geom.Point) (cell voxel.Cell, level int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if volume >= len(c.names) || p.Check() != nil {
		return 0, 0, false
	}
	k := lod.KeyOf(p, 0)
	x := c.finest(&k)
	if x == nil {
		return 0, 0, false
	}
	level = int(k.Level)
	switch {
	case x.cells == nil:
		return c.ownDefault(volume), level, true
	case len(x.cells[volume]) == 1:
		return x.cells[volume][0], level, true
	}
	e, wide := c.names[volume].volume.edge(), c.names[volume].volume.Scale<<level
	q := p.Over(wide).Sub(geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e})
	return x.cells[volume][(q.Y*e+q.Z)*e+q.X], level, true
}
