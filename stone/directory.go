package stone

import (
	"encoding/binary"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// directory is the parsed directory of a stone (FORMAT.md section 2).
type directory struct {
	properties []Property
	dims       []dimension
	files      []file
	pages      []page
}

type dimension struct {
	name, folder string
	volumes      []volume
	rules        []light.Rule  // of height maps, over the volume voxel.Block
	matters      light.Matters // of that volume's cells; nil if no page of light follows from blocks
	columns      []entry       // by columnKey
	lists        []list
	tally        *Tally // nil if the directory has none
	footprints   footprints
}

type volume struct {
	voxel.Volume
	names  []string
	levels []detail
}

// detail is the entries of one level.
type detail struct {
	level   int
	entries []entry // by geom.Code of cubes of 4x4x4 chunks
}

type list struct {
	name    string
	entries []entry // by columnKey
}

// entry says which of 64 neighbours the stone has data on, and which page holds it.
// Neighbours are the chunks of a cube of 4x4x4 in Morton order, or the columns of a
// square of 8x8 in the order of geom.ColumnPos.Compare. Entries with one key have
// disjoint masks.
type entry struct {
	key   uint64
	mask  uint64
	page  int        // index into directory.pages, or one of the constants below
	first int32      // the number of neighbours of earlier entries in the page
	value voxel.Cell // of every chunk, if page is constPage
	// number is the entry's position in the directory of a Reader, in a fixed order.
	// begun is that of the first entry of its group; see group.
	number, begun uint32
}

// The content of an entry without a page.
const (
	constPage = -1 // all cells of the chunks are of one value
	nonePage  = -2 // the chunks have no cells, or the columns are deleted
)

func (e *entry) paged() bool { return e.page >= 0 }

// finest reports whether the entry of a volume is for chunks of level 0. Their codes
// are the longest.
func (e *entry) finest() bool { return e.key>>(3*geom.MaxLevel) != 0 }

type page struct {
	off  int64
	size int
	hash uint32 // low half of XXH3-64 of the page's bytes
}

type file struct {
	path  string
	size  int64
	pages []int
	gone  bool // the file is deleted
}

// plain returns the directory's plain bytes in the shorter form, the lower one of
// equals.
func (d *directory) plain() (form pages.Spelling, plain []byte) {
	plain = d.append(nil, pages.ByBytes)
	if b := d.append([]byte{tags.WordsVersion}, pages.ByWords); len(b) < len(plain) {
		return pages.ByWords, b
	}
	return pages.ByBytes, plain
}

// append appends the directory's plain bytes.
func (d *directory) append(dst []byte, s pages.Spelling) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(d.pages)))
	for _, p := range d.pages {
		dst = binary.AppendUvarint(dst, uint64(p.size))
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.properties)))
	for _, p := range d.properties {
		dst = s.Append(s.Append(dst, p.Key), p.Value)
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.dims)))
	next := 0
	for i := range d.dims {
		dst = d.dims[i].append(dst, s, &next)
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.files)))
	for _, f := range d.files {
		dst = s.Append(dst, f.path)
		if f.gone {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(f.size)+1)
		for _, p := range f.pages {
			dst = appendPageRef(dst, p, &next)
		}
	}
	return d.appendTallies(d.appendMatters(dst))
}

func (d *dimension) append(dst []byte, s pages.Spelling, next *int) []byte {
	dst = s.Append(s.Append(dst, d.name), d.folder)
	dst = binary.AppendUvarint(dst, uint64(len(d.volumes)))
	for i := range d.volumes {
		dst = d.volumes[i].append(dst, s, next)
	}
	dst = appendRules(dst, s, d.rules)
	dst = appendEntries(dst, d.columns, next)
	dst = binary.AppendUvarint(dst, uint64(len(d.lists)))
	for _, l := range d.lists {
		dst = s.Append(dst, l.name)
		dst = appendEntries(dst, l.entries, next)
	}
	return dst
}

func (v *volume) append(dst []byte, s pages.Spelling, next *int) []byte {
	dst = s.Append(dst, v.Name)
	dst = append(dst, byte(v.Schema), byte(v.Scale))
	dst = binary.AppendUvarint(dst, uint64(v.Default))
	dst = s.AppendNames(dst, v.Schema == voxel.Palette, v.names)
	dst = binary.AppendUvarint(dst, uint64(len(v.levels)))
	for _, l := range v.levels {
		dst = append(dst, byte(l.level))
		dst = appendEntries(dst, l.entries, next)
	}
	return dst
}

// Page references of entries: continue in the page of the entry before, no page (0
// for nothing or 1 + a value), the page after the highest used so far, or refPage +
// any page.
const (
	refSame = iota
	refNone
	refNext
	refPage
)

func appendEntries(dst []byte, entries []entry, next *int) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	key, page := uint64(0), nonePage
	for _, e := range entries {
		dst = binary.AppendUvarint(dst, e.key-key)
		key = e.key
		dst = binary.LittleEndian.AppendUint64(dst, e.mask)
		switch {
		case e.page == nonePage:
			dst = append(dst, refNone, 0)
			continue
		case e.page == constPage:
			dst = append(dst, refNone)
			dst = binary.AppendUvarint(dst, uint64(e.value)+1)
			continue
		case e.page == page && e.first > 0:
			dst = append(dst, refSame)
		default:
			dst = appendPageRef(dst, e.page, next)
		}
		page = e.page
	}
	return dst
}

func appendPageRef(dst []byte, page int, next *int) []byte {
	if page == *next {
		*next++
		return append(dst, refNext)
	}
	*next = max(*next, page+1)
	return binary.AppendUvarint(dst, uint64(refPage+page))
}

// cubeKey returns the key of the cube of 4x4x4 chunks that holds the chunk, and
// the chunk's bit in it.
func cubeKey(pos geom.ChunkPos, level int) (key uint64, bit int) {
	code := uint64(geom.CodeOf(pos, level))
	return code >> 6, int(code & 63)
}

// cubeChunk undoes cubeKey.
func cubeChunk(key uint64, bit int) geom.ChunkPos {
	return geom.Code(key<<6 | uint64(bit)).Pos()
}

// columnKey returns the key of the square of 8x8 columns and the column's bit.
func columnKey(pos geom.ColumnPos) (key uint64, bit int) {
	const off = 2 * geom.MaxChunk
	m := geom.Morton(uint32(pos.X+off)>>3, 0, uint32(pos.Z+off)>>3)
	low := geom.Morton(uint32(pos.X&7), 0, uint32(pos.Z&7))
	return squeeze(m), int(squeeze(low))
}

// squeeze closes the gaps that y leaves in a Morton code.
func squeeze(m uint64) (k uint64) {
	for i := 0; m>>(3*i) != 0; i++ {
		k |= m >> (3 * i) & 3 << (2 * i)
	}
	return k
}

// columnAt undoes columnKey.
func columnAt(key uint64, bit int) geom.ColumnPos {
	const off = 2 * geom.MaxChunk
	k := key<<6 | uint64(bit)
	var x, z uint32
	for i := 0; k>>(2*i) != 0; i++ {
		x |= uint32(k>>(2*i)&1) << i
		z |= uint32(k>>(2*i)>>1&1) << i
	}
	return geom.ColumnPos{X: int32(x) - off, Z: int32(z) - off}
}
