package anvil

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

var errNames = errors.New("it has no volumes of named blocks and biomes")

// encoder turns columns of one dimension into the tags of chunks.
type encoder struct {
	dim            *format.Dimension
	blocks, biomes *format.Names
	states         [2][][]byte // palette entries by cell, nil until needed; those of 1 have an empty Properties where the name has none
	words          [][]byte    // the same of biomes
	ids            []uint64    // id<<16 | data by cell, plus one; 0 until needed
	index          block.Indexer
	cells          []voxel.Cell // scratch
	buf            []byte       // the document
	rest           []byte       // the payload of the part's root, nil if there is none
	written        []string     // names written into the level
	dropped        []string     // names written into a section or the height maps
	old            bool         // of McRegion
	bare           bool         // the column has no part, only its fields
	left           voxel.Has    // arrays of light that sections go without
	must           bool         // sections have both
	empty          bool         // all palette entries have Properties
	shorts         shorts       // of numeric sections
	biomed         bool         // the sections of the column have biomes
}

func newEncoder(d *format.Dimension) (*encoder, error) {
	blocks, biomes := d.Volume(voxel.Block), d.Volume(voxel.Biome)
	if blocks == nil || biomes == nil || blocks.Names == nil || biomes.Names == nil {
		return nil, errNames
	}
	return &encoder{dim: d, blocks: blocks.Names, biomes: biomes.Names}, nil
}

// document returns the document of one kind of a column, valid until the next call. It is nil
// if the column has none. p may be nil.
func (e *encoder) document(c *format.Column, kind int, p *voxel.Part) ([]byte, error) {
	var data []byte
	if p != nil {
		data = p.Data
	}
	doc, err := e.build(c, kind, data)
	if err != nil || len(doc) == 0 {
		return nil, err
	}
	r := nbt.NewReader(doc, nbt.Limits{})
	t, _ := r.Root()
	r.Skip(t)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("its tags do not fit together: %w", err)
	}
	return doc, nil
}

// build is document without the check for data of a part.
func (e *encoder) build(c *format.Column, kind int, data []byte) ([]byte, error) {
	if kind == kindChunk && staleLight(c) != 0 {
		if doc := withoutLight(data); doc != nil {
			data = doc
		}
	}
	switch {
	case kind == kindPOI:
		return data, nil
	case kind == kindEntities && (c.Layout&layoutEntities != 0 || len(data) == 0) && !hasEntities(c):
		return data, nil
	case kind == kindEntities:
		return e.entities(c, data)
	case e.old != (c.Layout&layoutMcRegion != 0):
		return nil, ErrMcRegion
	case (c.Layout&layoutWhole != 0 || len(data) == 0) && !hasChunk(c):
		return data, nil
	}
	return e.chunk(c, data)
}

// hasEntities reports whether a column has entities that belong in a file of entities.
func hasEntities(c *format.Column) bool {
	return c.Version >= versionEntities && len(c.Objects(voxel.Entities)) > 0
}

// hasChunk reports whether a column has, besides its parts, data that belongs in a chunk. A
// column without parts was made by a program; it has a chunk even if it is empty.
func hasChunk(c *format.Column) bool {
	own := func(l voxel.List) bool { return l.Name != voxel.Entities || c.Version < versionEntities }
	return len(c.Parts) == 0 || len(c.Sections) > 0 || len(c.Maps) > 0 || c.Biomes != nil || slices.ContainsFunc(c.Lists, own)
}

// begin begins a document with the header of the part's document. Without a part the root has
// no name.
func (e *encoder) begin(part []byte) error {
	e.buf, e.rest, e.written, e.bare = e.buf[:0], nil, e.written[:0], len(part) == 0
	if e.bare {
		e.buf = nbt.AppendCompound(e.buf, "")
		return nil
	}
	r := nbt.NewReader(part, nbt.Limits{})
	if t, _ := r.Root(); r.Err() == nil && t != nbt.Compound {
		return errRoot
	}
	e.buf = append(e.buf, part[:r.Offset()]...)
	e.rest = r.Raw(nbt.Compound)
	return r.Err()
}

// chunk returns the document of a chunk: fields first, then the tags of the part.
func (e *encoder) chunk(c *format.Column, part []byte) ([]byte, error) {
	if err := e.begin(part); err != nil {
		return nil, fmt.Errorf("part: %w", err)
	}
	if c.Version > 0 {
		e.buf = nbt.AppendInt(e.buf, "DataVersion", c.Version)
		e.written = append(e.written, "DataVersion")
	}
	t, level := lookup(e.rest, "Level")
	if wrap := (t == nbt.Compound || e.bare) && hasLevel(c.Version); !wrap {
		if err := e.fields(c, e.rest, flat); err != nil {
			return nil, err
		}
		e.plugins(c)
		e.buf = nbt.AppendEnd(e.buf)
		return e.buf, nil
	}
	e.buf = appendExcept(e.buf, e.rest, append(e.written, "Level"))
	e.buf = nbt.AppendCompound(e.buf, "Level")
	e.written = e.written[:0]
	names := wrapped
	if c.Layout&layoutSmall != 0 {
		names.sections = flat.sections
	}
	if err := e.fields(c, level, names); err != nil {
		return nil, err
	}
	e.buf = nbt.AppendEnd(e.buf)
	e.plugins(c)
	e.buf = nbt.AppendEnd(e.buf)
	return e.buf, nil
}

// pluginData is the tag in which servers keep data of plugins, in chunks and in other formats.
const pluginData = "ChunkBukkitValues"

// plugins appends the data of plugins that a column of another format has.
func (e *encoder) plugins(c *format.Column) {
	if t, _ := lookup(e.rest, pluginData); t != nbt.End {
		return
	}
	for i := range c.Parts {
		if data, _ := pluginsIn(&c.Parts[i]); data != nil {
			e.buf = append(e.buf, data...)
			return
		}
	}
}

// pluginsIn returns the tag of plugins' data in a part of another format, or nil, and whether
// the part has nothing else.
func pluginsIn(p *voxel.Part) (data []byte, alone bool) {
	if p.Damaged || slices.Contains(kindParts[:], p.Name) {
		return nil, false
	}
	tags, err := rootTags(p.Data)
	for i := range tags {
		if tags[i].t == nbt.Compound && string(tags[i].name) == pluginData && err == nil {
			data = tags[i].entry
		}
	}
	return data, len(tags) == 1
}

// fields appends the tags for the column's fields, the further tags that a bare chunk needs,
// and the tags of rest, the compound in the part.
func (e *encoder) fields(c *format.Column, rest []byte, names levelNames) error {
	if c.Layout&layoutNoPos == 0 {
		e.buf = nbt.AppendInt(e.buf, "xPos", c.Pos.X)
		e.buf = nbt.AppendInt(e.buf, "zPos", c.Pos.Z)
		e.written = append(e.written, "xPos", "zPos")
	}
	if err := e.sections(c, names.sections); err != nil {
		return err
	}
	if err := e.maps(c, rest); err != nil {
		return err
	}
	e.list(c, names.blockEntities, voxel.BlockEntities)
	e.list(c, names.entities, ownEntities(c.Version))
	e.list(c, names.blockTicks, voxel.BlockTicks)
	e.list(c, names.fluidTicks, voxel.FluidTicks)
	switch {
	case e.bare:
		e.fresh(c, names)
	case staleLight(c) != 0:
		e.noLight(c.Version, rest)
	}
	e.buf = appendExcept(e.buf, rest, e.written)
	return nil
}

// list appends a list of objects unless it is empty.
func (e *encoder) list(c *format.Column, name, list string) {
	objects := c.Objects(list)
	if len(objects) == 0 {
		return
	}
	e.buf = nbt.AppendList(e.buf, name, nbt.Compound, len(objects))
	for i := range objects {
		e.buf = document.AppendObject(e.buf, &objects[i])
	}
	e.written = append(e.written, name)
}

// plains appends the biomes of a column that has none, in the versions that have them by column.
func (e *encoder) plains(version int32) {
	const id, versionDeepBiomes = 1, 2203 // 19w36a
	switch {
	case version >= versionStates:
	case version >= versionDeepBiomes:
		e.buf = nbt.AppendIntArray(e.buf, "Biomes", slices.Repeat([]int32{id}, 1024))
	case version >= versionPalette:
		e.buf = nbt.AppendIntArray(e.buf, "Biomes", slices.Repeat([]int32{id}, block.MapCells))
	default:
		e.buf = nbt.AppendByteArray(e.buf, "Biomes", bytes.Repeat([]byte{id}, block.MapCells))
	}
}

// fresh appends the tags that make the game accept a chunk of the column's version as finished.
func (e *encoder) fresh(c *format.Column, names levelNames) {
	e.buf = nbt.AppendLong(e.buf, "LastUpdate", 0)
	e.buf = nbt.AppendLong(e.buf, "InhabitedTime", 0)
	lists := []string{names.blockEntities}
	switch {
	case c.Version < versionPalette:
		e.buf = nbt.AppendByte(e.buf, "V", 1)
		e.buf = nbt.AppendByte(e.buf, "TerrainPopulated", 1)
		e.buf = nbt.AppendByte(e.buf, lightPopulated, isLightOn(c))
		e.heightMap(c)
		lists = append(lists, names.entities)
	case c.Version < versionFlat:
		lists = append(lists, names.blockTicks, names.fluidTicks)
		if c.Version < versionEntities {
			lists = append(lists, names.entities)
		}
		e.finished(c, "Structures", "Starts")
	default:
		lists = append(lists, names.blockTicks, names.fluidTicks)
		e.buf = nbt.AppendInt(e.buf, "yPos", e.lowest(c))
		e.finished(c, "structures", "starts")
	}
	if c.Biomes == nil && !slices.ContainsFunc(c.Maps, func(m voxel.Map) bool { return m.Name == "Biomes" }) {
		e.plains(c.Version)
	}
	if len(c.Sections) == 0 {
		lists = append(lists, names.sections)
	}
	for _, name := range lists {
		if !slices.Contains(e.written, name) {
			e.buf = nbt.AppendList(e.buf, name, nbt.End, 0)
		}
	}
}

// finished appends the tags of a chunk that needs no more generation.
func (e *encoder) finished(c *format.Column, structures, starts string) {
	status := "minecraft:full"
	switch {
	case c.Version < versionStatus:
		status = "postprocessed"
	case c.Version < versionSpaced:
		status = "full"
	}
	e.buf = nbt.AppendString(e.buf, "Status", status)
	if c.Version >= versionStatus {
		e.buf = nbt.AppendByte(e.buf, lightOn, isLightOn(c))
	}
	e.buf = nbt.AppendCompound(e.buf, structures)
	e.buf = nbt.AppendEnd(nbt.AppendCompound(e.buf, starts))
	e.buf = nbt.AppendEnd(nbt.AppendCompound(e.buf, "References"))
	e.buf = nbt.AppendEnd(e.buf)
}

// isLightOn returns 1 if a section has light that is not stale. The game then does not light
// the chunk again.
func isLightOn(c *format.Column) int8 {
	if staleLight(c) != 0 {
		return 0
	}
	for _, s := range c.Sections {
		if s.Has&(voxel.HasSky|voxel.HasLight) != 0 {
			return 1
		}
	}
	return 0
}

// lowest returns the height of the lowest section that the column could have:
// 64 blocks below zero in the overworld of the versions that tell it.
func (e *encoder) lowest(c *format.Column) int32 {
	y := int8(-4)
	if e.dim.Name == "the_nether" || e.dim.Name == "the_end" {
		y = 0
	}
	for _, s := range c.Sections {
		if s.Has&voxel.HasBlock != 0 {
			y = min(y, s.Y)
		}
	}
	return int32(y)
}

// entities returns the document of the column's entities.
func (e *encoder) entities(c *format.Column, part []byte) ([]byte, error) {
	if err := e.begin(part); err != nil {
		return nil, fmt.Errorf("part: %w", err)
	}
	if t, _ := lookup(e.rest, "DataVersion"); t == nbt.End {
		e.buf = nbt.AppendInt(e.buf, "DataVersion", c.Version)
	}
	if t, _ := lookup(e.rest, "Position"); t == nbt.End {
		e.buf = nbt.AppendIntArray(e.buf, "Position", []int32{c.Pos.X, c.Pos.Z})
	}
	if hasEntities(c) {
		e.list(c, "Entities", voxel.Entities)
	}
	e.buf = nbt.AppendEnd(appendExcept(e.buf, e.rest, e.written))
	return e.buf, nil
}
