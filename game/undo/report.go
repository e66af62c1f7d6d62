package undo

import (
	"context"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Report is the result of taking back a step.
type Report struct {
	Name    string // of the step, or the message of the commit
	Cells   int    // restored cells; derived light does not count
	Columns int    // restored columns; each list of objects counts by itself
	// Skipped and SkippedColumns count what was left alone. There the World no longer held
	// what the step wrote, or it is derived light whose blocks the step did not change.
	Skipped, SkippedColumns int
	Places                  []Place // where cells were left alone, sorted
	// Unknown counts the chunks and columns that the step replaced while they were not loaded.
	// Their old content is not known, and they were left alone.
	Unknown int
	Change  *world.Change // what the update replaced
}

// Place says where cells of a volume were left alone.
type Place struct {
	Dimension, Volume string
	Box               geom.Box // the least box around them, in cells of the volume
	Cells             int
}

// takeBack restores in one update what w still holds of the step. commit is the commit that
// made the step, or zero.
func (s *step) takeBack(ctx context.Context, w *world.World, commit history.ID) (Report, error) {
	held, err := s.load(ctx, w)
	defer held.release()
	if err != nil {
		return Report{}, err
	}
	var r Report
	change, err := w.Update(func(tx *world.Tx) error {
		r = Report{Name: s.name, Unknown: s.unknown}
		exact := s.exact(w, commit)
		kept := s.owned()
		for i := range s.volumes {
			if d := tx.Dimension(s.volumes[i].dimension); d != nil {
				d.AnyHeight() // it was there
			}
		}
		for i := range s.volumes {
			if v := &s.volumes[i]; derivesFromBlocks(tx, v) {
				s.takeBackLight(tx, v, exact, &r)
			} else {
				v.takeBack(tx, &r, kept)
			}
		}
		for i := range s.columns {
			r.column(tx, &s.columns[i], exact, kept)
		}
		return nil
	})
	r.Change = change
	return r, err
}

// owned returns the cells that the step's objects belong to: none was left alone so far.
func (s *step) owned() map[owned]bool {
	cells := make(map[owned]bool)
	for i := range s.columns {
		for _, l := range s.columns[i].lists {
			volume := voxel.Owner(l.name)
			for _, o := range l.old {
				if volume != "" && o.Place != voxel.Nowhere {
					cells[owned{s.columns[i].dimension, volume, o.At}] = false
				}
			}
		}
	}
	return cells
}

func (r *Report) column(tx *world.Tx, c *column, exact bool, kept map[owned]bool) {
	done, left := 0, 1
	if d := tx.Dimension(c.dimension); d != nil {
		done, left = c.takeBack(d, !exact && d.Volume(voxel.Block) != nil, kept)
	}
	r.Columns += done
	r.SkippedColumns += left
}

// takeBack restores cells, and notes in kept which of these were left alone.
func (v *volume) takeBack(tx *world.Tx, r *Report, kept map[owned]bool) {
	keep := func(at geom.Point) {
		if _, is := kept[owned{v.dimension, v.volume, at}]; is {
			kept[owned{v.dimension, v.volume, at}] = true
		}
	}
	place := Place{Dimension: v.dimension, Volume: v.volume}
	in := volumeOf(tx, v)
	var table *table
	if in != nil && v.schema == voxel.Palette && (len(v.names) > len(in.Names()) || !alike(v.names, in.Names())) {
		table = newTable(v.names, in)
	}
	for i := range v.chunks {
		c := &v.chunks[i]
		if in == nil {
			place.add(c.box(), c.n)
			continue
		}
		r.Cells += c.n - c.takeBack(in, table, v.schema, &place, keep)
	}
	r.left(place)
}

func (r *Report) left(place Place) {
	if place.Cells > 0 {
		r.Skipped += place.Cells
		r.Places = append(r.Places, place)
	}
}

// volumeOf returns the volume if it exists and its cells mean the same, but for the names of a
// palette.
func volumeOf(tx *world.Tx, v *volume) *world.VolumeTx {
	if d := tx.Dimension(v.dimension); d != nil {
		if in := d.Volume(v.volume); in != nil && in.Schema == v.schema && in.Scale == v.scale && (v.schema == voxel.Palette || alike(v.names, in.Names())) {
			return in
		}
	}
	return nil
}

func (p *Place) add(b geom.Box, n int) {
	p.Box = p.Box.Union(b)
	p.Cells += n
}

// takeBack restores the cells that v still holds, and returns how many it leaves, for each of which
// it calls keep. The table says what the cells are in v; nil leaves them as they are.
func (c *cells) takeBack(v *world.VolumeTx, t *table, s voxel.Schema, left *Place, keep func(geom.Point)) (n int) {
	p := c.decode(s)
	now := make([]voxel.Cell, len(p.old))
	if !v.ReadBox(c.box(), now) {
		return 0 // and the update fails
	}
	for i, was := range p.old {
		switch wrote := p.new[i]; {
		case was == wrote:
		case now[i] == t.found(wrote):
			now[i] = t.made(was)
		default:
			at := c.box().Min.Add(geom.Point{X: i % c.edge, Y: i / c.edge / c.edge, Z: i / c.edge % c.edge})
			left.add(cubeAt(at, 1), 1)
			keep(at)
			n++
		}
	}
	v.WriteBox(c.box(), now)
	return n
}

// table says what the cells of a step are in a volume whose names are in another order: the
// World has gone back to a version without them. A nil table leaves cells as they are.
type table struct {
	names []string
	in    *world.VolumeTx
	cells []voxel.Cell // nowhere: the volume has no such name
}

// nowhere is no cell of any volume.
const nowhere = voxel.MaxCell + 1

func newTable(names []string, in *world.VolumeTx) *table {
	has := make(map[string]voxel.Cell)
	for c, name := range in.Names() {
		has[name] = voxel.Cell(c)
	}
	t := &table{names, in, make([]voxel.Cell, len(names))}
	for i, name := range names {
		c, ok := has[name]
		if !ok {
			c = nowhere
		}
		t.cells[i] = c
	}
	return t
}

// found returns the cell in the volume, or nowhere.
func (t *table) found(c voxel.Cell) voxel.Cell {
	if t == nil {
		return c
	}
	return t.cells[c]
}

// made returns the cell in the volume. It makes one for a name that the volume does not have.
func (t *table) made(c voxel.Cell) voxel.Cell {
	if t == nil {
		return c
	}
	if t.cells[c] == nowhere {
		t.cells[c] = t.in.Named(t.names[c])
	}
	return t.cells[c]
}

func translate(cells []voxel.Cell, table []voxel.Cell) {
	for i, v := range cells {
		cells[i] = table[v]
	}
}
