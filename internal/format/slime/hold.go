package slime

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// ContainerOptions say which version of the format to write. Choose picks values for zero fields,
// from the data version of the first column.
type ContainerOptions struct {
	// Version of the format: 1 to 13.
	Version int
	// WorldVersion of a file of versions 6 to 9: 1 (1.8) to 8 (1.18 and up), which version 9 alone has.
	WorldVersion int
	// DataVersion of all columns of a file of version 10 and up. It also applies to columns that a
	// program made, which have none, and to a file without columns.
	DataVersion int32
	// Level of zstd, 1 to 22. Default 3, zstd's own.
	Level int
	// Facts replace the same properties in the extra tags.
	Facts format.Level
	// HypixelBlocks3 has versions 1 to 3 keep the blocks of each section once more, in the form of 1.9, where a section has no
	// such cache yet.
	HypixelBlocks3 bool
	// Whole has Hold keep sections of every height and columns without blocks, for formats that are else as version 13.
	Whole bool
}

// holder reduces columns to what one version holds.
type holder struct {
	layout
	biome voxel.Cell // fills a section without biomes
	dark  []byte     // fills a section without light that must have light
	day   []byte
	lost  Losses

	whole   bool // see ContainerOptions
	carried bool // the data of plugins of the column is in the extra tags
}

// Hold returns a function that reduces a column of d, in place, to exactly what a Slime file of
// these options holds. The names of d may grow. Reading the written file gives the same column,
// with two exceptions: objects outside of their column's cells before version 11, and Stale in
// version 3, which must have light. Later versions go without stale light. The function returns
// false for a column that the format does not hold: one that the game has not finished
// generating, or one without blocks (in version 13: without blocks and objects). lost counts
// what is dropped, and may be nil. The function replaces the column's slices and never writes
// to them. It adds sections and arrays that the format requires. It also reduces columns of a
// data version that the options exclude; the Writer refuses those.
func Hold(o ContainerOptions, d *format.Dimension, lost Losses) func(c *format.Column) (kept bool) {
	var h *holder
	return func(c *format.Column) bool {
		if isBare(c) {
			lost.add(bareName(c), 1)
			return false
		}
		if h == nil {
			h = newHolder(o.resolve(c.Version), d, lost)
			h.whole = o.Whole
		}
		return h.hold(c)
	}
}

// isBare reports whether a column has no sections and no objects. Some worlds keep only the
// time of a chunk. The version of such a column decides nothing.
func isBare(c *format.Column) bool {
	return len(c.Sections) == 0 && !slices.ContainsFunc(c.Lists, func(l voxel.List) bool { return len(l.Objects) > 0 })
}

func newHolder(l layout, d *format.Dimension, lost Losses) *holder {
	h := &holder{layout: l, lost: lost,
		dark: make([]byte, block.LightBytes), day: bytes.Repeat([]byte{0xFF}, block.LightBytes)}
	h.env = environmentOf(d)
	if v := d.Volume(voxel.Biome); v != nil && v.Names != nil && l.world >= worldContainers {
		// A name too many leaves cell 0, at which the writer fails.
		h.biome, _ = v.Names.Cell(h.env.biome)
	}
	return h
}

// resolve returns the layout of a file whose first column has that version.
func (o ContainerOptions) resolve(version int32) layout {
	slime, world := Choose(version)
	l := layout{version: o.Version, world: world, data: version}
	if l.version == 0 {
		l.version = slime
	}
	if o.WorldVersion != 0 {
		l.world = o.WorldVersion
	}
	switch {
	case l.version >= 10:
		l.world = worldContainers
		if o.DataVersion != 0 {
			l.data = o.DataVersion
		}
	case l.version < 4, l.version < 6 && l.world < worldNames: // they do not store a version
		l.world, l.data = world, 0
	default:
		l.data = dataVersions[l.world]
	}
	return l
}

// bareName is the name for a lost column without anything that Slime holds.
func bareName(c *format.Column) string {
	if c.Whole&voxel.KeptBlock != 0 {
		return "columns whose blocks are kept as tags"
	}
	for _, p := range c.Parts {
		if p.Damaged {
			return "damaged columns"
		}
	}
	return "columns without blocks"
}

func (h *holder) hold(c *format.Column) bool {
	done := isFull(c)
	if c.Whole&voxel.KeptBlock != 0 && len(c.Sections) == 0 {
		h.lost.add(bareName(c), 1)
	}
	c.Whole &^= marks
	h.holdSections(c)
	h.holdLists(c)
	switch {
	case !done:
		h.lost.add("columns not generated", 1)
	case len(c.Sections) == 0:
		h.lost.add("columns without blocks", 1)
	default:
		h.holdMaps(c)
		h.holdParts(c)
		c.Version = h.columnVersion(c.Biomes != nil)
		if c.Layout &= voxel.LayoutProperties; h.world < worldNames {
			c.Layout = 0
		}
		if h.hasLightFlags() {
			c.Stale = 0
		}
		return true
	}
	for _, l := range c.Lists {
		h.lost.add(l.Name, len(l.Objects))
	}
	return false
}

// isFull reports whether the game has finished the column, or the column does not say.
func isFull(c *format.Column) bool {
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Name == voxel.PartChunk {
			return !p.Damaged && isFullStatus(statusOf(p.Data))
		}
	}
	return true
}

// isFullStatus reports whether a chunk with that status is complete. Source: the importer of
// Slime World Manager.
func isFullStatus(status string) bool {
	status = strings.TrimPrefix(status, "minecraft:")
	return status == "" || status == "postprocessed" || strings.HasPrefix(status, "full")
}

// statusOf returns the text of Status in a chunk's tags. A Level beside it may be left from an
// older version.
func statusOf(doc []byte) string {
	status := map[string]string{}
	eachTag(doc, func(in string, r *nbt.Reader, t nbt.Type, name []byte) {
		if t == nbt.String && string(name) == "Status" {
			status[in] = string(r.String())
		} else {
			r.Skip(t)
		}
	})
	return cmp.Or(status[""], status[inLevel])
}

const inLevel = "Level."

// eachTag calls f for the tags of a chunk, and for those in its Level. What is read before an error counts; the
// error itself is counted where the whole chunk is read.
func eachTag(doc []byte, f func(in string, r *nbt.Reader, t nbt.Type, name []byte)) {
	_ = eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		if t != nbt.Compound || string(name) != "Level" {
			f("", r, t, name)
			return nil
		}
		for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
			f(inLevel, r, t, name)
		}
		return nil
	})
}

// holdLists keeps the lists that the file holds, in its order.
func (h *holder) holdLists(c *format.Column) {
	lists := c.Lists
	c.Lists = nil
	n := 2
	switch {
	case h.version >= 13:
		n = len(kinds)
	case h.version < 3:
		n = 1
	}
	for _, k := range kinds[:n] {
		out := voxel.List{Name: k.list}
		for _, l := range lists {
			if l.Name == k.list {
				out.Objects = slices.Concat(out.Objects, l.Objects)
			}
		}
		if h.version < 11 { // one list for all columns: position is all there is
			all := len(out.Objects)
			out.Objects = slices.DeleteFunc(out.Objects, func(o voxel.Object) bool { return o.Place == voxel.Nowhere })
			h.lost.add(k.list+" without position", all-len(out.Objects))
		}
		if len(out.Objects) > 0 {
			c.Lists = append(c.Lists, out)
		}
	}
	for _, l := range lists {
		if !slices.ContainsFunc(kinds[:n], func(k kind) bool { return k.list == l.Name }) {
			h.lost.add(l.Name, len(l.Objects))
		}
	}
}

// holdsPart reports whether the file has a place for a part of a column.
func (h *holder) holdsPart(name string) bool {
	return h.version >= 13 || h.version == 12 && name == PartExtra
}

func (h *holder) holdParts(c *format.Column) {
	parts := h.carryPlugins(c.Parts)
	c.Parts = nil
	for _, name := range [...]string{voxel.PartPOI, PartExtra} {
		i := slices.IndexFunc(parts, func(p voxel.Part) bool { return p.Name == name })
		if i < 0 || !h.holdsPart(name) || parts[i].Damaged {
			continue
		}
		doc := parts[i].Data
		if name == voxel.PartPOI {
			sections, err := poiSections(doc)
			if doc = nil; err == nil && sections != nil {
				doc, err = poiDocument(sections, h.data)
			}
			if err != nil {
				h.lost.add("part "+name, 1)
			}
		} else if checkDocument(doc) != nil {
			h.lost.add("part "+name, 1)
			continue
		}
		if len(doc) > 0 {
			c.Parts = append(c.Parts, voxel.Part{Name: name, Data: doc})
		}
	}
	for _, p := range parts {
		h.countPart(p)
	}
}

// pluginData is the tag in which servers keep data of plugins: in chunks, and in the extra tags
// of a column.
const pluginData = "ChunkBukkitValues"

// carryPlugins returns the parts with the data of plugins in the extra tags, where the file
// holds these.
func (h *holder) carryPlugins(parts []voxel.Part) []voxel.Part {
	h.carried = false
	if !h.holdsPart(PartExtra) {
		return parts
	}
	entry := func(p voxel.Part) (out []byte) {
		if !p.Damaged {
			_ = eachEntry(p.Data, func(r *nbt.Reader, t nbt.Type, name []byte) error { // what is unreadable is counted elsewhere
				if raw := r.Raw(t); t == nbt.Compound && string(name) == pluginData {
					out = append(nbt.AppendCompound(nil, pluginData), raw...)
				}
				return nil
			})
		}
		return out
	}
	chunk := slices.IndexFunc(parts, func(p voxel.Part) bool { return p.Name == voxel.PartChunk })
	if chunk < 0 {
		return parts
	}
	data := entry(parts[chunk])
	if data == nil {
		return parts
	}
	parts = slices.Clone(parts)
	extra := slices.IndexFunc(parts, func(p voxel.Part) bool { return p.Name == PartExtra })
	switch {
	case extra < 0:
		parts = append(parts, voxel.Part{Name: PartExtra, Data: nbt.AppendEnd(append(nbt.AppendCompound(nil, ""), data...))})
	case len(parts[extra].Data) == 0:
		parts[extra].Data = nbt.AppendEnd(append(nbt.AppendCompound(nil, ""), data...))
	case entry(parts[extra]) != nil || checkDocument(parts[extra].Data) != nil:
		return parts
	default:
		doc := parts[extra].Data
		parts[extra].Data = nbt.AppendEnd(append(slices.Clip(doc[:len(doc)-1]), data...))
	}
	h.carried = true
	return parts
}

// elsewhere are tags of chunks that a file tells in another way: a position by its
// place, finished chunks by being there, good light by its arrays. Others that are
// empty, or zero where zero is what a reader takes without them, say nothing.
var elsewhere = []string{"DataVersion", "Position", "Status", "xPos", "yPos", "zPos", "isLightOn", "LightPopulated", "TerrainPopulated", "V"}

// countPart counts what is lost with a part: its tags by name.
func (h *holder) countPart(p voxel.Part) {
	count := func(in string, r *nbt.Reader, t nbt.Type, name []byte) {
		raw := r.Raw(t)
		timeless := t == nbt.Long && !slices.ContainsFunc(raw, func(b byte) bool { return b != 0 })
		if string(name) == pluginData && in == "" && h.carried {
			return
		}
		if !slices.Contains(elsewhere, string(name)) && !nbt.Empty(t, raw) && !timeless {
			h.lost.add("tag "+in+string(name), 1)
		}
	}
	switch {
	case p.Damaged:
		h.lost.add("part "+p.Name, 1)
	case p.Name == voxel.PartChunk, p.Name == voxel.PartEntities:
		eachTag(p.Data, count)
	case p.Name == voxel.PartPOI && !h.holdsPart(p.Name):
		if sections, err := poiSections(p.Data); sections != nil || err != nil {
			h.lost.add("part "+p.Name, 1)
		}
	case p.Name == PartExtra && h.holdsPart(p.Name), p.Name == voxel.PartPOI:
	default:
		if !emptyDocument(p.Data) {
			h.lost.add("part "+p.Name, 1)
		}
	}
}

// emptyDocument reports whether a document has no entries.
func emptyDocument(doc []byte) bool {
	r := nbt.NewReader(doc, nbt.Limits{})
	t, _ := r.Root()
	return len(doc) == 0 || r.Err() == nil && nbt.Empty(t, doc[r.Offset():])
}

// holdTags returns the tags of a section that version 3 holds. It counts the others.
func (h *holder) holdTags(s voxel.Section) []byte {
	if len(s.Tags) == 0 {
		return nil
	}
	var out []byte
	r := nbt.NewPayload(s.Tags, nbt.Limits{})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		raw := r.Raw(t)
		switch {
		case h.version < 4 && t == nbt.ByteArray && string(name) == TagHypixelBlocks3 && out == nil && len(raw) > 4 && len(raw) < 4+1<<16:
			out = nbt.AppendEnd(nbt.AppendByteArray(nil, TagHypixelBlocks3, raw[4:]))
		case isSpare(s.Has, name, raw), string(name) == "Y", nbt.Empty(t, raw):
		default:
			h.lost.add("section tag "+string(name), 1)
		}
	}
	return out
}

// isSpare reports whether a tag of that name has only what a palette held beside the
// entries in use, which no cell is.
func isSpare(has voxel.Has, name, payload []byte) bool {
	if !(has&voxel.HasBlock != 0 && string(name) == "block_states" || has&voxel.HasBiome != 0 && string(name) == "biomes") {
		return false
	}
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if r.Skip(t); string(name) != "palette" {
			return false
		}
	}
	return true
}

// dropTags counts the tags of a dropped section.
func (h *holder) dropTags(s voxel.Section) {
	if h.holdTags(s) != nil {
		h.lost.add("section tag "+TagHypixelBlocks3, 1)
	}
}

// hypixelBlocks returns what holdTags kept.
func hypixelBlocks(tags []byte) []byte {
	if len(tags) == 0 {
		return nil
	}
	r := nbt.NewPayload(tags, nbt.Limits{})
	r.Next()
	return r.ByteArray()
}

// isAir reports whether a section has no block but air.
func isAir(cells []voxel.Cell) bool {
	return !slices.ContainsFunc(cells, func(c voxel.Cell) bool { return c != voxel.Empty })
}
