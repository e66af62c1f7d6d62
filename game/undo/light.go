package undo

import (
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// light is the arrays of a section that are derived from blocks.
const light = voxel.HasSky | voxel.HasLight

// exact reports whether taking back the step restores an earlier version exactly: the step is
// the commit head, and nothing came after it. Only then does the old light fit the old blocks.
// Stale light is never restored.
func (s *step) exact(w *world.World, head history.ID) bool {
	return head != history.ID{} && !s.relit && w.Head() == head && !w.Dirty()
}

// derivesFromBlocks reports whether a volume is light that is derived from blocks.
func derivesFromBlocks(tx *world.Tx, v *volume) bool {
	d := tx.Dimension(v.dimension)
	return voxel.IsLight(v.volume) && d != nil && d.Volume(voxel.Block) != nil
}

// light restores light if the step is taken back exactly. Otherwise the light stays. If
// the step has blocks, the light is computed anew; if not, it is reported.
func (t *taking) light(v *volume) {
	derived := slices.ContainsFunc(t.updates, func(u update) bool {
		return slices.ContainsFunc(u.volumes, func(b volume) bool { return b.volumeName == volumeName{v.dimension, voxel.Block} })
	})
	switch {
	case t.exact:
		t.tx.Dimension(v.dimension).Lit()
		t.volume(v, nil)
		t.counted[v.volumeName] = !derived
	case !derived:
		t.leave(v)
	}
}

// keepLight gives a restored column the light that the World now holds there. Light that was
// computed since stays listed. Light that only the old column lists is marked stale, because
// the blocks that it fits are unknown.
func keepLight(back, now *voxel.Column) {
	back.Sections = slices.Clone(back.Sections)
	if now == nil {
		now = &voxel.Column{}
	}
	for _, s := range back.Sections {
		back.Stale |= s.Has & light &^ lightAt(now.Sections, s.Y)
	}
	for _, s := range now.Sections {
		if s.Has&light == 0 {
			continue
		}
		i := slices.IndexFunc(back.Sections, func(b voxel.Section) bool { return b.Y == s.Y })
		if i < 0 {
			i = len(back.Sections)
			back.Sections = append(back.Sections, voxel.Section{Y: s.Y})
		}
		back.Sections[i].Has |= s.Has & light
	}
}

// lightAt returns which light the sections at a height have.
func lightAt(sections []voxel.Section, y int8) (has voxel.Has) {
	for _, s := range sections {
		if s.Y == y {
			has |= s.Has & light
		}
	}
	return has
}

// onlyLight returns what is left of a column without everything that a step made, and false if
// nothing is left. The column stays so that the light of its blocks is removed.
func onlyLight(pos geom.ColumnPos, now *voxel.Column) (voxel.Column, bool) {
	back := voxel.Column{Pos: pos, Version: now.Version, Layout: now.Layout, Stale: now.Stale}
	keepLight(&back, now)
	return back, len(back.Sections) > 0
}
