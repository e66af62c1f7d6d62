package anvil

import (
	"errors"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var (
	errRoot    = errors.New("its root is not a compound")
	errNoLevel = errors.New("it has no compound Level")
)

// decoder turns the tags of chunks into columns of one dimension. The column and its slices are
// valid until the next reset. The documents that the decoder reads must be valid as long.
type decoder struct {
	col format.Column

	blocks     *block.Palette
	numeric    *block.Numeric
	biomes     *block.Palette
	stateNames *format.Names         // of blocks
	names      *format.Names         // of biomes
	ids        map[int32]voxel.Cell  // of biomes with numbers
	shortCells map[uint32]voxel.Cell // of blocks with numbers of 16 bits
	kept       int                   // sections that stayed tags, in all columns
	beyond     int                   // cells with an index beyond their palette, in all columns
	longNames  int                   // bytes of long palette entries, in all columns

	form   form              // of the column's sections so far
	long   longs             // of the column's packed longs so far
	shorts shorts            // of the column's sections so far
	extra  bool              // the container being read has tags of other programs
	seen   [maxSections]bool // heights of the column's sections so far, plus 128
	bare   bool              // a palette of the column so far has an entry without Properties
	odd    []odd             // entries of the column's palettes so far with an empty one

	root, level, deep []tag           // of the documents, and of compounds in them
	lists             [numLists]items // of sections
	table             []voxel.Cell    // the palette being read
	has               []block.Properties
	bytes             []byte // memory of the column's fields
	cells             block.Arena
	objects           []voxel.Object
}

// The lists that may hold a chunk's sections.
const (
	rootSections  = iota
	levelSections // Sections of Level
	smallSections // sections of Level: snapshots of 1.18
	numLists
)

// longs is the layout of packed longs.
type longs uint8

const (
	longsUnknown longs = iota
	longsPadded
	longsStraddling
)

func newDecoder(dim *format.Dimension) *decoder {
	blocks, biomes := dim.Volume(voxel.Block).Names, dim.Volume(voxel.Biome).Names
	return &decoder{
		blocks: block.NewPalette(blocks), numeric: block.NewNumeric(blocks), biomes: block.NewPalette(biomes),
		stateNames: blocks, names: biomes, ids: map[int32]voxel.Cell{}, shortCells: map[uint32]voxel.Cell{},
	}
}

// reset begins a column.
func (d *decoder) reset(pos geom.ColumnPos) {
	c := &d.col
	*c = format.Column{
		Column: voxel.Column{Pos: pos, Sections: c.Sections[:0], Maps: c.Maps[:0], Lists: c.Lists[:0], Parts: c.Parts[:0]},
		Cells:  c.Cells[:0],
	}
	d.bytes, d.objects = d.bytes[:0], d.objects[:0]
	d.cells.Reset()
	d.form, d.long, d.shorts, d.seen = formNone, longsUnknown, shortsNone, [maxSections]bool{}
	d.bare, d.odd = false, d.odd[:0]
}

// readRoot reads the root of a document into d.root. It returns the header of the root, and the
// document without what follows the root. It also reads the entries of a chunk's Level and of
// its sections.
func (d *decoder) readRoot(doc []byte) (head, whole []byte, err error) {
	r := nbt.NewReader(doc, nbt.Limits{})
	t, _ := r.Root()
	if r.Err() == nil && t != nbt.Compound {
		return nil, nil, errRoot
	}
	body := r.Offset()
	d.level = d.level[:0]
	for i := range d.lists {
		d.lists[i].reset()
	}
	d.root = d.readLevel(d.root[:0], &r, doc, true)
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	return doc[:body], doc[:r.Offset()], nil
}

// readLevel is readTags for the root of a chunk and for the Level in it. It reads the lists of
// sections too.
func (d *decoder) readLevel(dst []tag, r *nbt.Reader, doc []byte, root bool) []tag {
	return readTags(dst, r, doc, func(t nbt.Type, name []byte) bool {
		switch {
		case root && t == nbt.Compound && string(name) == "Level":
			d.level = d.readLevel(d.level[:0], r, doc, false)
		case root && t == nbt.List && string(name) == flat.sections:
			d.readSections(&d.lists[rootSections], r, doc)
		case !root && t == nbt.List && string(name) == wrapped.sections:
			d.readSections(&d.lists[levelSections], r, doc)
		case !root && t == nbt.List && string(name) == flat.sections:
			d.readSections(&d.lists[smallSections], r, doc)
		default:
			return false
		}
		return true
	})
}

// readSections reads a list. If its elements are compounds, and few enough to have different
// heights, it also reads their entries.
func (d *decoder) readSections(dst *items, r *nbt.Reader, doc []byte) {
	elem, n := r.List()
	if elem == nbt.Compound && n <= maxSections {
		dst.reset()
		dst.read(n, r, doc)
		n = 0
	}
	for range n {
		r.Skip(elem)
	}
}

// chunk reads a chunk, which is old in McRegion, into the column. It returns how many bytes follow its root. After an
// error the column is unchanged.
func (d *decoder) chunk(doc []byte, stamp uint32, old bool) (trailing int, err error) {
	head, whole, err := d.readRoot(doc)
	if err != nil {
		return 0, err
	}
	wrap := find(d.root, "Level")
	if wrap != nil && wrap.t != nbt.Compound {
		wrap = nil
	}
	version := find(d.root, "DataVersion")
	if v, ok := version.int(); ok && v > 0 && !old {
		d.col.Version, version.taken = v, true
	}
	switch {
	case old && wrap == nil:
		return 0, errNoLevel
	case old:
		d.col.Layout |= layoutMcRegion
	case !hasLevel(d.col.Version):
		wrap = nil
	}
	level, names, list := d.root, flat, rootSections
	if wrap != nil {
		level, names, list = d.level, wrapped, levelSections
		if !old && find(level, names.sections) == nil && find(level, flat.sections) != nil {
			names.sections, list = flat.sections, smallSections
			d.col.Layout |= layoutSmall
		}
	}
	part := voxel.Part{Name: voxel.PartChunk, Stamp: stamp, Data: whole}
	if unique(d.root) && unique(level) {
		d.fields(level, names, &d.lists[list])
		if old {
			d.oldSections()
		}
		part.Data = d.rest(head, wrap)
	} else {
		d.col.Layout |= layoutWhole
	}
	d.noteUnread()
	d.col.Parts = append(d.col.Parts, part)
	return len(doc) - len(whole), nil
}

// noteUnread marks a chunk that has sections of which none was read.
func (d *decoder) noteUnread() {
	if len(d.col.Sections) > 0 {
		return
	}
	for _, tags := range [...][]tag{d.root, d.level} {
		for _, name := range [...]string{flat.sections, wrapped.sections, "Blocks"} {
			if g := find(tags, name); g != nil && !g.taken && !nbt.Empty(g.t, g.payload()) {
				d.keepAll()
				return
			}
		}
	}
}

// keepAll marks the column as one whose sections are in its part alone.
func (d *decoder) keepAll() {
	d.col.Whole |= voxel.KeptBlock | voxel.KeptBiome
	d.kept++
}

// rest returns the document of the tags that no field of the column holds.
func (d *decoder) rest(head []byte, wrap *tag) []byte {
	at := len(d.bytes)
	d.bytes = append(d.bytes, head...)
	for i := range d.root {
		g := &d.root[i]
		switch {
		case g == wrap:
			d.bytes = append(d.bytes, g.entry[:3+len(g.name)]...)
			d.bytes = nbt.AppendEnd(appendRest(d.bytes, d.level))
		case !g.taken:
			d.bytes = append(d.bytes, g.entry...)
		}
	}
	d.bytes = nbt.AppendEnd(d.bytes)
	return d.bytes[at:]
}

// fields fills the column's fields from the tags of a level.
func (d *decoder) fields(level []tag, names levelNames, list *items) {
	d.position(find(level, "xPos"), find(level, "zPos"))
	d.sections(find(level, names.sections), list)
	d.biomeMap(find(level, "Biomes"))
	d.plainMap(find(level, "HeightMap"), "HeightMap")
	d.heightMaps(find(level, "Heightmaps"))
	d.list(find(level, names.blockEntities), voxel.BlockEntities, d.moved)
	d.list(find(level, names.entities), ownEntities(d.col.Version), document.Indexed)
	d.list(find(level, names.blockTicks), voxel.BlockTicks, d.moved)
	d.list(find(level, names.fluidTicks), voxel.FluidTicks, d.moved)
}

// ownEntities returns the name of the list of a chunk's own entities.
func ownEntities(version int32) string {
	if version < versionEntities {
		return voxel.Entities
	}
	return voxel.ProtoEntities
}

func (d *decoder) position(x, z *tag) {
	vx, ok := x.int()
	vz, ok2 := z.int()
	if !ok || !ok2 || vx != d.col.Pos.X || vz != d.col.Pos.Z {
		d.col.Layout |= layoutNoPos
		return
	}
	x.taken, z.taken = true, true
}

// entities reads the document of an entities file into the column. chunk says that the column
// has a chunk; then the data version of the chunk counts.
func (d *decoder) entities(doc []byte, stamp uint32, chunk bool) (trailing int, err error) {
	head, whole, err := d.readRoot(doc)
	if err != nil {
		return 0, err
	}
	part := voxel.Part{Name: voxel.PartEntities, Stamp: stamp, Data: whole}
	version, place := find(d.root, "DataVersion"), find(d.root, "Position")
	v, ok := version.int()
	if ok && !chunk && v > 0 {
		d.col.Version = v
	}
	if version != nil && place != nil && d.col.Version >= versionEntities && unique(d.root) {
		version.taken = ok && v == d.col.Version
		place.taken = string(place.array(nbt.IntArray)) == string(appendPos(nil, d.col.Pos))
		d.list(find(d.root, "Entities"), voxel.Entities, document.Indexed)
		part.Data = d.rest(head, nil)
	} else {
		d.col.Layout |= layoutEntities
	}
	d.col.Parts = append(d.col.Parts, part)
	return len(doc) - len(whole), nil
}

// points reads the document of a poi file into the column.
func (d *decoder) points(doc []byte, stamp uint32) (trailing int, err error) {
	_, whole, err := d.readRoot(doc)
	if err != nil {
		return 0, err
	}
	d.col.Parts = append(d.col.Parts, voxel.Part{Name: voxel.PartPOI, Stamp: stamp, Data: whole})
	return len(doc) - len(whole), nil
}
