package stone

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

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
	d.rules = p.rules()
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
