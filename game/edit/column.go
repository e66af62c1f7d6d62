package edit

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// columnPart is a column that is to be changed.
type columnPart struct {
	pos geom.ColumnPos
	// change returns what is to become of the column that is there, which it does not
	// change; nil is none.
	change func(now *voxel.Column) *voxel.Column
}

// columnTowers makes towers of columns, in their order.
func columnTowers(parts []columnPart) (out []*tower) {
	slices.SortFunc(parts, func(a, b columnPart) int { return a.pos.Compare(b.pos) })
	for _, p := range parts {
		b := geom.Box{Min: p.pos.Min(world.Everywhere.Min.Y)}
		b.Max = b.Min.Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})
		b.Max.Y = world.Everywhere.Max.Y
		out = append(out, &tower{volume: world.Columns, box: b, columns: []columnPart{p}})
	}
	return out
}

// changeColumns changes the column of a tower if it fits.
func (r *run) changeColumns(s *step, t *tower) {
	if !s.look() || !s.room(0) {
		return
	}
	p := &t.columns[0]
	start := r.q.o.Clock()
	var refused error
	var before, after *voxel.Column
	change, err := r.in.World.Update(func(tx *world.Tx) error {
		in := tx.Dimension(r.in.Dimension)
		if in == nil {
			return fmt.Errorf("no dimension %q any more", r.in.Dimension)
		}
		before = in.Column(p.pos)
		if after = p.change(before); sameColumn(before, after) {
			after = before
			return nil
		}
		if r.in.Sink != nil {
			if refused = r.in.Sink.Column(p.pos, after); refused != nil {
				return nil
			}
		}
		s.Sections++
		writeColumn(in, before, after)
		return nil
	})
	t.next++
	if err == nil {
		err = refused
	}
	if err == nil && before != after {
		r.replaced.add(r.in, change, true)
	}
	s.q.section.add(r.q.o.Clock().Sub(start))
	r.count(t, 0, 0, err)
}

// writeColumn writes what differs of a column: lists by themselves, so that a commit holds no more.
func writeColumn(d *world.DimensionTx, before, after *voxel.Column) {
	switch {
	case after == nil:
		d.RemoveColumn(before.Pos)
	case before == nil || !sameBody(before, after):
		d.SetColumn(*after)
	default:
		for _, name := range takeback.Lists(before, after) {
			if now := after.Objects(name); !takeback.Same(before.Objects(name), now) {
				d.SetObjects(name, after.Pos, now)
			}
		}
	}
}

// withList returns a list with other objects in a column's lists, which stay sorted.
func withList(lists []voxel.List, name string, objects []voxel.Object) []voxel.List {
	lists = slices.DeleteFunc(slices.Clone(lists), func(l voxel.List) bool { return l.Name == name })
	if len(objects) > 0 {
		lists = append(lists, voxel.List{Name: name, Objects: objects})
	}
	slices.SortFunc(lists, func(a, b voxel.List) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return lists
}

// sameColumn compares two columns, either of which may be nil.
func sameColumn(a, b *voxel.Column) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return sameBody(a, b) && slices.EqualFunc(a.Lists, b.Lists, func(a, b voxel.List) bool {
		return a.Name == b.Name && takeback.Same(a.Objects, b.Objects)
	})
}

// sameBody compares what two columns have besides lists.
func sameBody(a, b *voxel.Column) bool {
	return sameBeside(a, b) && a.Stale == b.Stale && slices.Equal(a.Maps, b.Maps)
}

// sameBeside compares what two columns have besides lists and what follows from blocks.
func sameBeside(a, b *voxel.Column) bool {
	return a.Version == b.Version && a.Layout == b.Layout && a.Whole == b.Whole &&
		slices.EqualFunc(a.Sections, b.Sections, func(a, b voxel.Section) bool {
			return a.Y == b.Y && a.Has == b.Has && bytes.Equal(a.Tags, b.Tags)
		}) &&
		slices.EqualFunc(a.Parts, b.Parts, func(a, b voxel.Part) bool {
			return a.Name == b.Name && a.Stamp == b.Stamp && a.Damaged == b.Damaged && bytes.Equal(a.Data, b.Data)
		})
}

// columnsApart returns the columns of a region that may differ, with what a Restore makes of
// them.
func (o *Restore) columnsApart(z *frozen, in region.Region) (out []columnPart, err error) {
	apart, err := z.apart()
	if err != nil {
		return nil, err
	}
	bounds := in.Bounds()
	for _, pos := range apart.Columns(z.name) {
		foot := geom.Box{Min: pos.Min(bounds.Min.Y)}
		foot.Max = foot.Min.Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})
		foot.Max.Y = bounds.Max.Y
		cover := region.CoverOf(in, foot)
		if cover == 0 {
			continue
		}
		c := &restoredColumn{of: o, from: z, in: in, pos: pos, whole: cover == region.Whole}
		out = append(out, columnPart{pos, c.change})
		z.columns[pos] = c
	}
	return out, nil
}

// restoredColumn is a column that a Restore brings back.
type restoredColumn struct {
	of    *Restore
	from  *frozen
	in    region.Region
	pos   geom.ColumnPos
	whole bool // the column lies in the region completely
	was   *voxel.Column
	may   func(geom.Point) bool // whether the mask lets the objects of a cell change; nil: of all
}

// read reads the column as it was.
func (r *restoredColumn) read(ctx context.Context) (err error) {
	if r.of.Objects && r.of.Mask.Cells(nil) != nil {
		if err := r.mask(ctx); err != nil {
			return err
		}
	}
	if r.was, err = r.from.column(ctx, r.pos); err == nil && r.of.Objects && r.of.Region != nil {
		r.was, err = r.from.here(ctx, r.was, r.in)
	}
	return err
}

// column returns a column as it was.
func (z *frozen) column(ctx context.Context, pos geom.ColumnPos) (*voxel.Column, error) {
	if z.view != nil {
		if c, ok := z.view.Column(pos); ok {
			return c, nil
		}
	}
	return z.snap.ReadColumn(ctx, z.name, pos)
}

// here returns a column as it was without the objects of a region that are elsewhere now.
func (z *frozen) here(ctx context.Context, c *voxel.Column, in region.Region) (*voxel.Column, error) {
	if c == nil || !slices.ContainsFunc(c.Lists, func(l voxel.List) bool { return voxel.Owner(l.Name) == "" }) {
		return c, nil
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.left == nil {
		apart, err := z.apart()
		if err != nil {
			return nil, err
		}
		left := make(map[string]int)
		for _, pos := range apart.Columns(z.name) {
			held, err := z.w.Load(ctx, z.name, geom.Box{Min: pos.Min(0), Max: pos.Min(1).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}, world.Columns)
			if err != nil {
				return nil, err
			}
			now, _ := z.w.View().Dimension(z.name).Column(pos)
			held.Release()
			was, err := z.column(ctx, pos)
			if err != nil {
				return nil, err
			}
			count(left, now, in, 1)
			count(left, was, in, -1)
		}
		z.left = left
	}
	out := *c
	for _, l := range c.Lists {
		stay := slices.DeleteFunc(slices.Clone(l.Objects), func(o voxel.Object) bool {
			id := identity(l.Name, &o)
			if !in.Contains(o.At) || z.left[id] <= 0 {
				return false
			}
			z.left[id]--
			return true
		})
		if len(stay) < len(l.Objects) {
			out.Lists = withList(out.Lists, l.Name, stay)
		}
	}
	return &out, nil
}

// count adds n for each object of a column outside of a region, by its identity.
func count(to map[string]int, c *voxel.Column, in region.Region, n int) {
	if c == nil {
		return
	}
	for _, l := range c.Lists {
		for i := range l.Objects {
			if id := identity(l.Name, &l.Objects[i]); id != "" && !in.Contains(l.Objects[i].At) {
				to[id] += n
			}
		}
	}
}

// identity returns what an object keeps where it goes: an entity's UUID, and all of an object that is
// no NBT; "" if it has none.
func identity(list string, o *voxel.Object) string {
	if voxel.Owner(list) != "" {
		return ""
	}
	if id, ok := clip.UUIDOf(o); ok {
		return string(id[:])
	}
	if _, err := document.Fields(o.Payload); err != nil {
		return list + string(o.Payload)
	}
	return ""
}

// mask finds out which objects may change: those of blocks that the mask admits, as they were before
// the operation.
func (r *restoredColumn) mask(ctx context.Context) error {
	foot := geom.Box{Min: r.pos.Min(world.Everywhere.Min.Y), Max: r.pos.Min(world.Everywhere.Max.Y).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
	held, err := r.from.w.Load(ctx, r.from.name, foot, voxel.Block)
	if err != nil {
		return err
	}
	defer held.Release()
	v := r.from.w.View().Dimension(r.from.name).Volume(voxel.Block)
	if v == nil {
		return nil
	}
	admits := (&cellMask{of: r.of.Mask}).cells(v.Schema, v.Names())
	r.may = func(p geom.Point) bool {
		cell, ok := v.Cell(p)
		if c := r.from.before[p.Chunk()]; c != nil {
			cell, ok = cellAt(c, p), true
		}
		return ok && int(cell) < len(admits) && admits[cell]
	}
	return nil
}

// change returns what is to become of the column as it is now.
func (r *restoredColumn) change(now *voxel.Column) *voxel.Column {
	if now == r.was {
		return now
	}
	body := now
	if r.of.Columns && r.whole {
		body = r.was
	}
	if body == nil {
		if !r.of.Objects || r.was == nil {
			return nil
		}
		body = &voxel.Column{Pos: r.pos, Version: r.was.Version, Layout: r.was.Layout}
	}
	out := *body
	if now != nil {
		out.Lists = now.Lists
		if !r.of.Light || r.of.Region != nil || body != r.was { // they follow from the blocks that are there now
			out.Stale, out.Maps = now.Stale, now.Maps
		}
	} else if body != r.was || !r.of.Objects {
		out.Lists = nil
	}
	if r.of.Objects {
		for _, name := range takeback.Lists(now, r.was) {
			out.Lists = withList(out.Lists, name, r.merged(now.Objects(name), r.was.Objects(name)))
		}
	}
	if now == nil && body != r.was && len(out.Lists) == 0 {
		return nil // no objects come back, so no column has to
	}
	return &out
}

// merged returns the objects that are there now outside of the region, and those that were there
// within it, each in the place of one that they come back for.
func (r *restoredColumn) merged(now, was []voxel.Object) (out []voxel.Object) {
	within := func(o voxel.Object) bool {
		if o.Place == voxel.Nowhere {
			return r.whole && r.may == nil
		}
		return r.in.Contains(o.At) && (r.may == nil || r.may(o.At))
	}
	back := slices.DeleteFunc(slices.Clone(was), func(o voxel.Object) bool { return !within(o) })
	for _, o := range now {
		switch {
		case !within(o):
			out = append(out, o)
		case len(back) > 0:
			out = append(out, back[0])
			back = back[1:]
		}
	}
	return append(out, back...)
}
