package edit

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Task is work for a Queue: a Restore, a Fill, a Paste, a Relight, or the Undo of one.
type Task interface {
	// prepare finds what is to be done. It runs beside the game.
	prepare(ctx context.Context, a *Arena) (*plan, error)
}

// plan is what a Task is going to do.
type plan struct {
	towers []*tower
	// more plans towers that come after these, a few at a time, and returns none at the end;
	// all of them have that many chunks. It runs beside the game; nil: nothing comes.
	more   func() []*tower
	chunks int
	// last plans what comes after the light of what the towers change, which adds sections to
	// columns. It runs beside the game; nil: nothing comes.
	last func() ([]*tower, error)
	// fetch brings what a tower is to be. It runs beside the game; nil: nothing is needed.
	fetch func(ctx context.Context, t *tower) error
	close func() // nil: nothing is open
	// back says that the operation brings back what was there, at whatever heights.
	back bool
}

// tower is the chunks of a volume over one another that are to be changed, or a column, or a
// tower whose light is to be computed.
type tower struct {
	volume  string   // world.Columns: a column; "": light
	box     geom.Box // in cells of the dimension
	parts   []part
	columns []columnPart
	dark    []geom.ChunkPos // whose blocks were changed, for light

	next int // parts that are done
	held *world.Held
	err  error // of fetching
}

// part is a chunk that is to be changed.
type part struct {
	pos geom.ChunkPos
	// want is what the chunk is to be, nil: the default alone. If change is set, it says
	// what is to become of the chunk that is there.
	want   *voxel.Chunk
	change func(now *voxel.Chunk) *voxel.Chunk
	// mask says which cells may change by what is there now; nil: all may.
	mask *cellMask
	in   region.Region // where cells may change; nil: everywhere
	// only has for each row, y*32+z, a bit for each cell that may change; nil: all may. It is
	// made from in with what else the chunk needs, so that a plan stays small.
	only *[voxel.ChunkEdge * voxel.ChunkEdge]uint32
	// objects changes the objects that the blocks of the chunk own, in the update that changed some of
	// these. It is told what the chunk was before and is, and which cells a mask allowed. nil: they stay.
	objects func(p *part, in *objectsTx, was, is *voxel.Chunk, allowed []bool)
	err     error // of the Sink
}

// dimension returns the dimension of an arena as it is now.
func (a *Arena) dimension() (*world.Dimension, error) {
	v := a.World.View()
	if a.Dimension == "" && len(v.Dimensions()) > 0 {
		return v.Dimensions()[0], nil
	}
	if d := v.Dimension(a.Dimension); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("edit: %s: no dimension %q", a.World.Name(), a.Dimension)
}

// volume returns a volume of an arena as it is now.
func (a *Arena) volume(name string) (*world.Volume, error) {
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = voxel.Block
	}
	v := d.Volume(name)
	if v == nil {
		return nil, fmt.Errorf("edit: %s: no volume %q in %q", a.World.Name(), name, d.Name())
	}
	return v, nil
}

// towersOf sorts the chunks of a volume into towers, nearby ones after one another.
func towersOf(v voxel.Volume, parts []part) (out []*tower) {
	type at struct{ x, z int32 }
	found := make(map[at]*tower)
	for _, p := range parts {
		k := at{p.pos.X, p.pos.Z}
		t := found[k]
		if t == nil {
			t = &tower{volume: v.Name}
			found[k] = t
			out = append(out, t)
		}
		t.parts = append(t.parts, p)
		t.box = t.box.Union(p.pos.Box().Scale(v.Scale))
	}
	slices.SortFunc(out, func(a, b *tower) int { return a.footprint().Compare(b.footprint()) })
	return out
}

// footprint is the code of the tower's lowest place, so that neighbours are close.
func (t *tower) footprint() geom.Code {
	pos := t.parts[0].pos
	return geom.CodeOf(geom.ChunkPos{X: pos.X, Z: pos.Z}, 0)
}

// chunks is how many chunks the tower brings into memory.
func (t *tower) chunks() int { return len(t.parts) + len(t.columns) + min(1, len(t.dark)) }

// shadow returns a tower whose light is to be computed, with what is around it: light falls
// through all of its height.
func (t *tower) shadow(changed []geom.ChunkPos) *tower {
	edge := geom.Point{X: geom.ChunkEdge, Z: geom.ChunkEdge}
	b := geom.Box{Min: t.box.Min.Sub(edge), Max: t.box.Max.Add(edge)}
	b.Min.Y, b.Max.Y = world.Everywhere.Min.Y, world.Everywhere.Max.Y
	return &tower{dark: changed, box: b}
}

// lightTowers returns the towers whose light is to be computed after blocks of some chunks changed.
func lightTowers(blocks voxel.Volume, changed []part) (out []*tower) {
	for _, t := range towersOf(blocks, changed) {
		var at []geom.ChunkPos
		for i := range t.parts {
			at = append(at, t.parts[i].pos)
		}
		out = append(out, t.shadow(at))
	}
	return out
}

// cellMask is the name terms of a region.Mask. Names of a volume only grow.
type cellMask struct {
	of      region.Mask
	allowed []bool // by cell
	names   int    // how many names there were
}

// mask returns nil for a mask that allows all cells. One that can match nothing is an error.
func (a *Arena) mask(m region.Mask) (*cellMask, error) {
	mask, err := maskOf(m)
	if err == nil && mask != nil {
		err = masks.Check(m, masks.Volumes(a.World.View()))
	}
	if err != nil {
		return nil, fmt.Errorf("edit: %s: %w", a.World.Name(), err)
	}
	return mask, nil
}

func maskOf(m region.Mask) (*cellMask, error) {
	if len(m.Changes()) > 0 {
		return nil, fmt.Errorf("mask %v: what a history changed must be in Region", m)
	}
	if m.Cells(nil) == nil {
		return nil, nil
	}
	return &cellMask{of: m}, nil
}

// cells returns by cell what the mask allows of a volume with those names; nil: all.
func (m *cellMask) cells(schema voxel.Schema, names []string) []bool {
	switch {
	case m == nil:
		return nil
	case m.names == len(names):
		return m.allowed
	}
	m.allowed, m.names = masks.Admitted(m.of, schema, names), len(names)
	return m.allowed
}

// within limits a part to a region that covers as much of it.
func (p part) within(r region.Region, c region.Cover) part {
	if c != region.Whole {
		p.in = r
	}
	return p
}

// cut makes only from in.
func (p *part) cut() {
	if p.in != nil {
		p.only = masks.Rows(p.pos, p.in)
	}
}
