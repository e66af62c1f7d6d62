package litematic

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// versionComponents is the data version from which on Litematica writes version 7: 1.20.5.
const versionComponents = 3837

// regionName is the name of the region of a clip that was not read from a schematic of Litematica.
const regionName = "Unnamed"

// writer writes a schematic.
type writer struct {
	document.Output
	c       *clip.Clip
	version int
	regions []*region
	lost    map[string]int
	entries int // of the last palette
	blocks  int // that are not air
}

// Write writes a clip. The version is that of o, else the one that the clip was read from, else the
// one that Litematica has for the data version. A clip that was read from a schematic of Litematica
// has its regions again, unless it has blocks outside of them. It returns by name and count what the
// format cannot hold. Errors wrap format.ErrHolds if it cannot hold the clip at all.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	w := &writer{c: c, version: maxVersion, lost: map[string]int{}}
	if c.Version < versionComponents {
		w.version--
	}
	if c.Format == formatName {
		w.version = cmp.Or(c.FormatVersion, w.version)
	}
	w.version = cmp.Or(o.Version, w.version)
	if w.version < minVersion || w.version > maxVersion {
		return nil, fmt.Errorf("version %d cannot be written, only %d to %d", w.version, minVersion, maxVersion)
	}
	return w.lost, w.WriteGzip(to, w.write)
}

func (w *writer) write() error {
	c := w.c
	if c.Biome != nil {
		w.lost["biomes"]++
	}
	if c.Min != (geom.Point{}) {
		w.lost["place in the world"]++
	}
	tags, err := c.TagsOf(formatName, w.lost)
	if err != nil {
		return err
	}
	if err := w.plan(document.Find(tags, tagRegions, nbt.Compound)); err != nil {
		return err
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.Compound, "")
	w.Buf = nbt.AppendInt(w.Buf, tagVersion, int32(w.version))
	if n := subVersion(w.version); n != 0 && document.Find(tags, tagSubVersion, nbt.Int) == nil {
		w.Buf = nbt.AppendInt(w.Buf, tagSubVersion, n)
	}
	if c.Version != 0 {
		w.Buf = nbt.AppendInt(w.Buf, tagDataVersion, c.Version)
	}
	for _, f := range document.Without(tags, tagRegions, tagMetadata) {
		w.Buf = f.Append(w.Buf)
	}
	w.Buf = nbt.AppendCompound(w.Buf, tagRegions)
	objects := w.share()
	for i := range w.regions {
		if err := w.region(i, objects[i]); err != nil {
			return err
		}
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	if err := w.metadata(document.Find(tags, tagMetadata, nbt.Compound)); err != nil {
		return err
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return nil
}

// plan finds the regions to write: those that were read if they hold all blocks, or one.
func (w *writer) plan(kept []byte) error {
	fields, err := document.Fields(kept)
	if err != nil {
		return err
	}
	if w.c.Area()*w.c.Size.Y == 0 {
		return nil
	}
	for _, f := range fields {
		g := &region{name: f.Name}
		if g.fields, err = document.Fields(f.Payload); err != nil {
			return err
		}
		for _, f := range g.fields {
			if err := g.field(f.Type, f.Name, f.Payload, nil); err != nil {
				return err
			}
		}
		if raw := document.Find(g.fields, tagStates, nbt.LongArray); raw != nil {
			g.raw = raw[4:]
		}
		w.regions = append(w.regions, g)
	}
	if len(w.regions) > 0 && w.holds() {
		return nil
	}
	one := &region{name: regionName, pos: w.c.Offset, size: w.c.Size}
	if len(w.regions) > 0 {
		one.name = w.regions[0].name
	}
	if n := len(w.regions); n > 1 {
		w.lost["regions, since blocks lie outside of them"] += n
	}
	for _, g := range w.regions {
		for _, f := range document.Without(g.fields, tagPosition, tagSize, tagPalette, tagStates) {
			if !nbt.Empty(f.Type, f.Payload) {
				w.lost["tag "+f.Name+" of regions"]++
			}
		}
	}
	w.regions = []*region{one}
	return nil
}

// holds reports whether all blocks lie in the regions.
func (w *writer) holds() bool {
	void := slices.Index(w.c.Block.Names, clip.Void)
	if void < 0 && len(w.regions) > 1 {
		void = len(w.c.Block.Names) // no block has it, so that what is left is outside
	}
	all, box := *w.c, geom.Box{Max: w.c.Size}
	d := all.Block.View.Edit()
	for _, g := range w.regions {
		in := w.inside(g)
		switch {
		case in.Union(box) != box:
			return false
		case len(w.regions) == 1:
			return in == box
		}
		d.Fill(in.Add(w.c.Block.At), voxel.Cell(void))
	}
	all.Block.View, _ = d.Publish()
	all.Block.Names = append(slices.Clone(all.Block.Names), clip.Void)
	return d.Err() == nil && all.Counts(&all.Block)[void] == box.Cells()
}

// inside returns the box of a region within the clip.
func (w *writer) inside(g *region) geom.Box { return g.box().Add(geom.Point{}.Sub(w.c.Offset)) }

// region writes a region.
func (w *writer) region(i int, objects [2][]voxel.Object) error {
	g := w.regions[i]
	in := w.inside(g)
	w.Buf = nbt.AppendCompound(w.Buf, g.name)
	if g.fields == nil {
		w.Buf = appendPoint(appendPoint(w.Buf, tagPosition, g.pos), tagSize, g.size)
		w.Buf = nbt.AppendList(w.Buf, tagBlockTicks, nbt.End, 0)
		w.Buf = nbt.AppendList(w.Buf, tagFluidTicks, nbt.End, 0)
	}
	for _, f := range document.Without(g.fields, tagPalette, tagStates) {
		w.Buf = f.Append(w.Buf)
	}
	for k, l := range lists {
		elem := nbt.Compound
		if len(objects[k]) == 0 {
			elem = nbt.End // as the game writes it
		}
		w.Buf = nbt.AppendList(w.Buf, l.tag, elem, len(objects[k]))
		for _, o := range objects[k] {
			from := geom.Point{}.Sub(in.Min)
			if o.Place == voxel.Indexed {
				from = w.c.Offset.Sub(g.pos)
			}
			o = clip.Move(o, from)
			w.Buf = document.AppendObject(w.Buf, &o)
		}
	}
	if s := in.Size(); s.X*s.Y*s.Z > math.MaxInt32 || max(s.X, s.Y, s.Z) > clip.MaxEdge {
		return fmt.Errorf("%w: a box of %v", format.ErrHolds, s)
	}
	if err := w.states(i); err != nil {
		return err
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return w.Emit()
}

// share gives each object to the last region that holds it and has no block entity there, or else
// to the first.
func (w *writer) share() [][2][]voxel.Object {
	out := make([][2][]voxel.Object, len(w.regions))
	type place struct {
		at     geom.Point
		region int
	}
	taken := map[place]bool{}
	for k, l := range lists {
		for _, o := range w.c.List(l.list) {
			if len(w.regions) == 0 {
				w.lost[l.list]++
				continue
			}
			to := 0
			for i := len(w.regions) - 1; i > 0 && o.Place != voxel.Nowhere; i-- {
				if w.inside(w.regions[i]).Contains(o.At) && !(k == 0 && taken[place{o.At, i}]) {
					to = i
					break
				}
			}
			if k == 0 {
				taken[place{o.At, to}] = true
			}
			out[to][k] = append(out[to][k], o)
		}
	}
	return out
}

// contents returns the cells of region i: those of the clip, and the kept ones that later regions
// cover.
func (w *writer) contents(i int) (*clip.Clip, error) {
	g, part := w.regions[i], *w.c
	in := w.inside(g)
	part.Size, part.Block.At = in.Size(), w.c.Block.At.Add(in.Min)
	hidden := covered(w.regions, i)
	if len(hidden) == 0 || g.raw == nil {
		return &part, nil
	}
	names, err := format.NamesOf(part.Block.Names)
	if err != nil {
		return nil, err
	}
	table := make([]voxel.Cell, len(g.palette))
	for i, name := range g.palette {
		if table[i], err = names.Cell(name); err != nil {
			return nil, err
		}
	}
	bits, least := block.Bits(len(table), 2), g.box().Min
	d, raw, cells := part.Block.View.Edit(), g.raw, make([]voxel.Cell, groupCells)
	for at := 0; at < in.Cells(); at += len(cells) {
		cells = cells[:min(in.Cells()-at, groupCells)]
		n := 8 * block.Longs(len(cells), bits, true)
		if n > len(raw) {
			return nil, fmt.Errorf("%d bytes of kept %s are missing", n-len(raw), tagStates)
		}
		if err := block.UnpackLongs(raw[:n], bits, true, table, cells); err != nil {
			return nil, err
		}
		raw = raw[n:]
		for j, cell := range cells {
			k := at + j
			p := geom.Point{X: k % part.Size.X, Z: k / part.Size.X % part.Size.Z, Y: k / part.Area()}
			if slices.ContainsFunc(hidden, func(b geom.Box) bool { return b.Contains(p.Add(least)) }) {
				d.Set(p.Add(part.Block.At), cell)
			}
		}
	}
	part.Block.View, _ = d.Publish()
	part.Block.Names = names.List()
	return &part, d.Err()
}

// states writes the palette and the cells of region i.
func (w *writer) states(i int) error {
	part, err := w.contents(i)
	if err != nil {
		return err
	}
	index, err := w.palette(w.regions[i], part)
	if err != nil {
		return err
	}
	for cell, n := range part.Counts(&part.Block) {
		if name := part.Block.Names[cell]; name != format.Air && name != "minecraft:cave_air" && name != "minecraft:void_air" {
			w.blocks += n
		}
	}
	bits := block.Bits(w.entries, 2)
	n := block.Longs(part.Area()*part.Size.Y, bits, true)
	if n > math.MaxInt32 {
		return fmt.Errorf("%w: %d longs", format.ErrHolds, n)
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.LongArray, tagStates)
	w.Buf = binary.BigEndian.AppendUint32(w.Buf, uint32(n))
	group := make([]int32, 0, groupCells)
	err = part.Cells(&part.Block, func(cells []voxel.Cell) error {
		for _, cell := range cells {
			if group = append(group, index[cell]); len(group) == groupCells {
				w.Buf = block.AppendLongs(w.Buf, group, bits, true)
				group = group[:0]
			}
		}
		return w.Emit()
	})
	w.Buf = block.AppendLongs(w.Buf, group, bits, true)
	return err
}

// palette appends the palette of a region: the one that was read and what is new, or air and what
// there is. It returns the indices of cells; entries is their number.
func (w *writer) palette(g *region, part *clip.Clip) (index []int32, err error) {
	known, entries := map[string]int32{}, []byte(nil)
	w.entries = len(g.palette)
	if w.entries > 0 {
		entries = slices.Clone(document.Find(g.fields, tagPalette, nbt.List)[5:]) // behind type and length
	}
	for i, name := range slices.Backward(g.palette) {
		known[name] = int32(i)
	}
	index = make([]int32, len(part.Block.Names))
	for cell, n := range part.Counts(&part.Block) {
		name := part.Block.Names[cell]
		i, ok := known[name]
		switch {
		case ok:
		case n == 0 && (cell > 0 || w.entries > 0):
			i = -1
		default:
			if entries, err = block.AppendNamed(entries, name); err != nil {
				return nil, err
			}
			i = int32(w.entries)
			w.entries++
		}
		index[cell] = i
	}
	w.Buf = append(nbt.AppendList(w.Buf, tagPalette, nbt.Compound, w.entries), entries...)
	return index, nil
}

// metadata writes the metadata that were read, and what there is in the regions.
func (w *writer) metadata(kept []byte) error {
	fields, err := document.Fields(kept)
	if err != nil {
		return err
	}
	if w.c.Format != formatName {
		for _, name := range []string{"Name", "Author", "Description"} {
			fields = append(fields, document.Field{Type: nbt.String, Name: name, Payload: []byte{0, 0}})
		}
		for _, name := range []string{"TimeCreated", "TimeModified"} {
			fields = append(fields, document.Field{Type: nbt.Long, Name: name, Payload: make([]byte, 8)})
		}
	}
	volume, box := 0, geom.Box{}
	for _, g := range w.regions {
		volume += g.box().Cells()
		box = box.Union(g.box())
	}
	w.Buf = nbt.AppendCompound(w.Buf, tagMetadata)
	for _, f := range fields {
		w.Buf = f.Append(w.Buf)
	}
	w.Buf = nbt.AppendInt(w.Buf, tagRegionCount, int32(len(w.regions)))
	w.Buf = nbt.AppendInt(w.Buf, tagTotalBlocks, int32(w.blocks))
	w.Buf = nbt.AppendInt(w.Buf, tagTotalVolume, int32(volume))
	w.Buf = nbt.AppendEnd(appendPoint(w.Buf, tagEnclosing, box.Size()))
	return nil
}
