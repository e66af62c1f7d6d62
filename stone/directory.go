package stone

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// directory is what a reader holds of a stone (FORMAT.md section 2).
type directory struct {
	properties []Property
	dims       []dimension
	files      []file
	pages      []page
}

type dimension struct {
	name, folder string
	volumes      []volume
	columns      []entry // by columnKey
	lists        []list
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

// entry says which of 64 neighbours the stone speaks of and which page holds
// them. Neighbours are the chunks of a cube of 4x4x4 in Morton order, or the
// columns of a square of 8x8 in the order of geom.ColumnPos.Compare. Entries of
// one key have masks that do not meet.
type entry struct {
	key   uint64
	mask  uint64
	page  int        // constPage, or index into directory.pages
	first int        // how many neighbours of earlier entries the page begins with
	value voxel.Cell // of every chunk, if page is constPage
}

const constPage = -1

type page struct {
	off  int64
	size int
	hash uint32 // low half of XXH3-64 of the page's bytes
}

type file struct {
	path  string
	size  int64
	pages []int
}

// append appends the directory's plain bytes.
func (d *directory) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(d.pages)))
	for _, p := range d.pages {
		dst = binary.AppendUvarint(dst, uint64(p.size))
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.properties)))
	for _, p := range d.properties {
		dst = appendString(appendString(dst, p.Key), p.Value)
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.dims)))
	next := 0
	for i := range d.dims {
		dst = d.dims[i].append(dst, &next)
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.files)))
	for _, f := range d.files {
		dst = appendString(dst, f.path)
		dst = binary.AppendUvarint(dst, uint64(f.size))
		for _, p := range f.pages {
			dst = appendPageRef(dst, p, &next)
		}
	}
	return dst
}

func (d *dimension) append(dst []byte, next *int) []byte {
	dst = appendString(appendString(dst, d.name), d.folder)
	dst = binary.AppendUvarint(dst, uint64(len(d.volumes)))
	for i := range d.volumes {
		dst = d.volumes[i].append(dst, next)
	}
	dst = appendEntries(dst, d.columns, next)
	dst = binary.AppendUvarint(dst, uint64(len(d.lists)))
	for _, l := range d.lists {
		dst = appendString(dst, l.name)
		dst = appendEntries(dst, l.entries, next)
	}
	return dst
}

func (v *volume) append(dst []byte, next *int) []byte {
	dst = appendString(dst, v.Name)
	dst = append(dst, byte(v.Schema), byte(v.Scale))
	dst = binary.AppendUvarint(dst, uint64(v.Default))
	dst = appendNames(dst, v.names)
	dst = binary.AppendUvarint(dst, uint64(len(v.levels)))
	for _, l := range v.levels {
		dst = append(dst, byte(l.level))
		dst = appendEntries(dst, l.entries, next)
	}
	return dst
}

// appendNames appends names, of which each shares a beginning with the last.
func appendNames(dst []byte, names []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	prev := ""
	for _, n := range names {
		same := 0
		for same < len(n) && same < len(prev) && n[same] == prev[same] {
			same++
		}
		dst = binary.AppendUvarint(dst, uint64(same))
		dst = appendString(dst, n[same:])
		prev = n
	}
	return dst
}

// Page references of entries: go on in the page of the entry before, no page
// but a value, the page after the highest named so far, or refPage + any page.
const (
	refSame = iota
	refConst
	refNext
	refPage
)

func appendEntries(dst []byte, entries []entry, next *int) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	key, page := uint64(0), constPage
	for _, e := range entries {
		dst = binary.AppendUvarint(dst, e.key-key)
		key = e.key
		dst = binary.LittleEndian.AppendUint64(dst, e.mask)
		switch {
		case e.page == constPage:
			dst = append(dst, refConst)
			dst = binary.AppendUvarint(dst, uint64(e.value))
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

const maxColumnKey = 1<<(2*(geom.MaxDepth+1-3)) - 1

// parseDirectory parses the directory's plain bytes; pages lie from offset
// start to end of the file, one behind the other.
func parseDirectory(b []byte, hashes []byte, start, end int64) (*directory, error) {
	c := &cursor{b: b, part: "directory"}
	d := &directory{pages: make([]page, c.count(1))}
	if len(hashes) != 4*len(d.pages) {
		c.fail(errors.New("one hash for each page is wanted"))
		return nil, c.err
	}
	for i := range d.pages {
		size := c.uvarint()
		if size > uint64(end-start) {
			c.fail(errors.New("pages reach beyond the directory"))
			return nil, c.err
		}
		d.pages[i] = page{start, int(size), binary.LittleEndian.Uint32(hashes[4*i:])}
		start += int64(size)
	}
	if start != end {
		c.fail(errors.New("bytes between pages and directory"))
	}
	d.properties = make([]Property, c.count(2))
	for i := range d.properties {
		d.properties[i] = Property{c.string(), c.string()}
	}
	p := parser{cursor: c, dir: d, named: make([]bool, len(d.pages))}
	d.dims = make([]dimension, c.count(5))
	for i := range d.dims {
		d.dims[i] = p.dimension()
	}
	p.files()
	if c.err == nil && slices.Contains(p.named, false) {
		c.fail(errors.New("a page that nothing names"))
	}
	return d, c.end()
}

type parser struct {
	*cursor
	dir   *directory
	next  int    // one above the highest page named so far
	named []bool // by page
}

// page resolves a reference to a page.
func (p *parser) page(ref uint64) int {
	n := uint64(p.next)
	if ref != refNext {
		n = ref - refPage
	}
	if ref < refNext || n >= uint64(len(p.named)) {
		p.fail(errors.New("a page that is not there"))
		return constPage
	}
	p.named[n] = true
	p.next = max(p.next, int(n)+1)
	return int(n)
}

func (p *parser) dimension() (d dimension) {
	d.name, d.folder = p.string(), p.string()
	d.volumes = make([]volume, p.count(6))
	for i := range d.volumes {
		d.volumes[i] = p.volume()
	}
	d.columns = p.entries(maxColumnKey)
	d.lists = make([]list, p.count(2))
	for i := range d.lists {
		d.lists[i] = list{p.string(), p.entries(maxColumnKey)}
	}
	return d
}

func (p *parser) volume() (v volume) {
	v.Name = p.string()
	v.Schema, v.Scale = voxel.Schema(p.byte()), int(p.byte())
	v.Default = voxel.Cell(p.uvarint())
	v.names = p.names()
	if v.Scale < 1 || !v.Schema.Valid(v.Default, max(1, len(v.names))) {
		p.fail(errors.New("a volume with a scale or default that cannot be"))
	}
	v.levels = make([]detail, p.count(2))
	for i := range v.levels {
		l := int(p.byte())
		if l > geom.MaxDepth-2 || i > 0 && l <= v.levels[i-1].level {
			p.fail(errors.New("levels out of order"))
			return v
		}
		top := uint64(1) << (3 * (geom.MaxDepth - 2 - l))
		v.levels[i] = detail{l, p.entries(top*2 - 1)}
		for _, e := range v.levels[i].entries {
			if e.key < top || e.page == constPage && !v.Schema.Valid(e.value, len(v.names)) {
				p.fail(errors.New("a cube that cannot be"))
			}
		}
	}
	return v
}

func (p *parser) names() []string {
	names := make([]string, p.count(2))
	prev := ""
	for i := range names {
		same := p.uvarint()
		if same > uint64(len(prev)) {
			p.fail(errors.New("a name shares more than there is"))
			return nil
		}
		prev = prev[:same] + p.string()
		names[i] = prev
	}
	if len(names) > int(voxel.MaxCell)+1 {
		p.fail(errors.New("too many names"))
	}
	return names
}

func (p *parser) entries(maxKey uint64) []entry {
	entries := make([]entry, p.count(10))
	key, page, first := uint64(0), constPage, 0
	for i := range entries {
		step := p.uvarint()
		e := entry{key: key + step, mask: p.u64()}
		if step > maxKey-key || e.mask == 0 || i > 0 && step == 0 && !after(entries[:i], e) {
			p.fail(errors.New("entries out of order"))
			return nil
		}
		key = e.key
		switch ref := p.uvarint(); ref {
		case refConst:
			e.page, e.value = constPage, voxel.Cell(min(p.uvarint(), uint64(voxel.MaxCell)+1))
			entries[i] = e
			continue
		case refSame:
			if first == 0 {
				p.fail(errors.New("an entry goes on in no page"))
			}
			e.page, e.first = page, first
		default:
			e.page, first = p.page(ref), 0
		}
		if p.err != nil {
			return nil
		}
		page, first = e.page, first+bits.OnesCount64(e.mask)
		entries[i] = e
	}
	return entries
}

// after reports whether e meets none of the entries before it that have its key.
func after(entries []entry, e entry) bool {
	for i := len(entries) - 1; i >= 0 && entries[i].key == e.key; i-- {
		if entries[i].mask&e.mask != 0 {
			return false
		}
	}
	return true
}

func (p *parser) files() {
	p.dir.files = make([]file, p.count(2))
	prev := ""
	for i := range p.dir.files {
		f := file{path: p.string(), size: int64(min(p.uvarint(), 1<<62))}
		if i > 0 && f.path <= prev {
			p.fail(errors.New("files out of order"))
		}
		prev = f.path
		n := (f.size + filePage - 1) / filePage
		if n > int64(len(p.b)-p.at) {
			p.fail(errors.New("a file larger than its pages"))
			return
		}
		for range n {
			f.pages = append(f.pages, p.page(p.uvarint()))
			if p.err != nil {
				return
			}
		}
		p.dir.files[i] = f
	}
}
