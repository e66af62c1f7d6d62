package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// replaced is what an operation replaced. It does not change once the operation has ended.
type replaced struct {
	volumes map[string]map[geom.ChunkPos]chunks
	columns map[geom.ColumnPos]columns
	owned   map[geom.ColumnPos]map[string]swapped // by list; with their blocks
}

// chunks is a chunk before and after an operation; nil is the default alone.
type chunks struct{ before, after *voxel.Chunk }

// columns is a column before and after an operation; nil is none.
type columns struct{ before, after *voxel.Column }

// add adds what an update of the operation replaced in a volume with that default. What others
// wrote between two updates of a chunk belongs to neither.
func (r *replaced) add(c *world.Change, def voxel.Cell) {
	for _, v := range c.Volumes {
		in := r.volume(v.Volume)
		for _, p := range v.Chunks {
			both := chunks{p.Old, p.New}
			if had, ok := in[p.Pos]; ok {
				both.before = had.undo(def)(p.Old.Or(def))
			}
			in[p.Pos] = both
		}
	}
}

// volume returns what was replaced of a volume, to be added to.
func (r *replaced) volume(name string) map[geom.ChunkPos]chunks {
	if r.volumes == nil {
		r.volumes = make(map[string]map[geom.ChunkPos]chunks)
	}
	if r.volumes[name] == nil {
		r.volumes[name] = make(map[geom.ChunkPos]chunks)
	}
	return r.volumes[name]
}

// addColumn adds a column that the operation changed, perhaps once more.
func (r *replaced) addColumn(pos geom.ColumnPos, before, after *voxel.Column) {
	if had, ok := r.columns[pos]; ok {
		before = had.before
	}
	if r.columns == nil {
		r.columns = make(map[geom.ColumnPos]columns)
	}
	r.columns[pos] = columns{before, after}
}

// in returns which chunks of a tower were changed.
func (r *replaced) in(t *tower) (out []geom.ChunkPos) {
	for i := range t.parts {
		if c := r.volumes[t.volume][t.parts[i].pos]; c.before != c.after {
			out = append(out, t.parts[i].pos)
		}
	}
	return out
}

// undo is the operation that takes back what another one did, where it still is as that left it.
type undo struct{ op *Operation }

func (u undo) prepare(_ context.Context, a *Arena) (*plan, error) {
	if !u.op.Ended() {
		return nil, errors.New("edit: undo: the operation has not ended")
	}
	i := slices.IndexFunc(u.op.runs, func(r *run) bool { return r.in != nil && r.in.World == a.World && r.in.Dimension == a.Dimension })
	if i < 0 {
		return nil, fmt.Errorf("edit: undo: the operation was not in %q of %s", a.Dimension, a.World.Name())
	}
	of := u.op.runs[i]
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	// Columns come first: their height maps then follow the blocks, and the light of these has not
	// added sections yet.
	r := &of.replaced
	p := &plan{towers: columnTowers(r.undoColumns()), back: true}
	var lit []*tower
	for _, v := range d.Volumes() {
		if !of.knows(v.Volume.Name, v.Names()) {
			return nil, fmt.Errorf("edit: undo: the world went back, and volume %q has other names", v.Volume.Name)
		}
		var parts []part
		for pos, c := range r.volumes[v.Name] {
			p := part{pos: pos, change: c.undo(v.Default())}
			if v.Name == voxel.Block && r.owned != nil {
				p.objects = func(p *part, in *objectsTx, _, is *voxel.Chunk, _ []bool) {
					r.giveBack(in, p.pos, c.before.Or(v.Default()), is)
				}
			}
			parts = append(parts, p)
		}
		slices.SortFunc(parts, func(a, b part) int { return int(a.pos.Y) - int(b.pos.Y) })
		if towers := towersOf(v.Volume, parts); voxel.IsLight(v.Name) {
			lit = append(lit, towers...)
		} else {
			p.towers = append(p.towers, towers...)
		}
	}
	p.last = func() ([]*tower, error) { return lit, nil }
	return p, nil
}

// undo returns what makes of a chunk, as it is now, one without the operation's changes.
func (c chunks) undo(def voxel.Cell) func(*voxel.Chunk) *voxel.Chunk {
	before, after := c.before.Or(def), c.after.Or(def)
	return func(now *voxel.Chunk) *voxel.Chunk {
		if now == after {
			return before
		}
		var was, left, is [voxel.ChunkCells]voxel.Cell
		before.Flat(&was)
		after.Flat(&left)
		now.Flat(&is)
		for i, cell := range is {
			if cell == left[i] {
				is[i] = was[i]
			}
		}
		return voxel.FromFlat(&is)
	}
}
