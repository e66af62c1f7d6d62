package convert

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// column compares all of a column but its cells.
func (d *differ) column(dim string, a, b *voxel.Column) {
	if what := d.columnDiffers(a, b); what != "" {
		d.Columns++
		d.notes.add("column", "%s: column %v: %s", dim, a.Pos, what)
	}
	for _, pair := range pairs(a.Lists, b.Lists, func(l voxel.List) string { return l.Name }) {
		d.list(dim, a, pair[0], pair[1])
	}
}

// columnDiffers returns the first thing that differs, "" if nothing does.
func (d *differ) columnDiffers(a, b *voxel.Column) string {
	switch {
	case a.Version != b.Version:
		return fmt.Sprintf("version %d, %d", a.Version, b.Version)
	case a.Layout&^voxel.LayoutProperties != b.Layout&^voxel.LayoutProperties || a.Whole != b.Whole:
		return fmt.Sprintf("layout %d.%d, %d.%d", a.Layout, a.Whole, b.Layout, b.Whole)
	case !slices.EqualFunc(a.Sections, b.Sections, d.sameSection):
		return "sections"
	}
	for _, p := range pairs(a.Maps, b.Maps, func(m voxel.Map) string { return m.Name }) {
		if p[0] != p[1] {
			return fmt.Sprintf("map %q", max(p[0].Name, p[1].Name))
		}
	}
	for _, p := range pairs(a.Parts, b.Parts, func(p voxel.Part) string { return p.Name }) {
		if x, y := p[0], p[1]; x.Name != y.Name || x.Stamp != y.Stamp || x.Damaged != y.Damaged || !d.equal("part", x.Data, y.Data) {
			return fmt.Sprintf("part %q", max(x.Name, y.Name))
		}
	}
	return ""
}

func (d *differ) sameSection(a, b voxel.Section) bool {
	return a.Y == b.Y && a.Has == b.Has && (a.Tags == nil) == (b.Tags == nil) && d.equal("tags", a.Tags, b.Tags)
}

func (d *differ) list(dim string, c *voxel.Column, a, b voxel.List) {
	for i := range max(len(a.Objects), len(b.Objects)) {
		if i < len(a.Objects) && i < len(b.Objects) && d.sameObject(a.Objects[i], b.Objects[i]) {
			continue
		}
		d.Objects++
		d.notes.add("object", "%s: column %v: %s %d", dim, c.Pos, max(a.Name, b.Name), i)
	}
}

func (d *differ) sameObject(a, b voxel.Object) bool {
	return a.Place == b.Place && a.At == b.At && d.equal("tags", a.Payload, b.Payload)
}
