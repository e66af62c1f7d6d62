package stone

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const maxColumnKey = 1<<(2*(geom.MaxDepth+1-3)) - 1

// parseDirectory parses the directory's plain bytes. Pages lie one after another
// from offset start to end of the file.
func parseDirectory(form pages.Spelling, b []byte, hashes []byte, start, end int64) (*directory, error) {
	p := parser{form: form, dir: &directory{}, Cursor: cursor.New(b, "directory")}
	if form == pages.ByWords {
		if v := p.Byte(); v != tags.WordsVersion {
			return nil, corruptf(0, "directory", "words of version %d: %w", v, ErrNewer)
		}
	}
	p.pages(hashes, start, end)
	p.properties()
	p.dir.dims = make([]dimension, p.Count(6, maxDimensions))
	names := map[string]bool{}
	for i := range p.dir.dims {
		d := &p.dir.dims[i]
		p.dimension(d)
		if names[d.name] {
			p.Fail(fmt.Errorf("dimension %q a second time", d.name))
		}
		names[d.name] = true
	}
	for i := range p.dir.dims {
		p.dir.dims[i].footprints = footprints{turn: pages.NewTurn()}
	}
	p.files()
	p.matters()
	p.tallies()
	for n, ok := range p.named {
		if !ok {
			p.Fail(fmt.Errorf("page %d is not used", n))
			break
		}
	}
	return p.dir, p.End()
}

type parser struct {
	cursor.Cursor
	form      pages.Spelling
	dir       *directory
	next      int    // one above the highest page used so far
	named     []bool // by page
	nameBytes int    // of all names so far
	ruleCells int    // of all rules so far
	entry     uint32 // number of the next entry
}

func (p *parser) pages(hashes []byte, start, end int64) {
	p.dir.pages = make([]page, p.Count(1, len(hashes)/4))
	p.named = make([]bool, len(p.dir.pages))
	if len(hashes) != 4*len(p.dir.pages) {
		p.Fail(fmt.Errorf("%d bytes of checksums for %d pages", len(hashes), len(p.dir.pages)))
	}
	for i := range p.dir.pages {
		size := p.Uvarint()
		if size == 0 || size > uint64(min(maxStored, end-start)) {
			p.Fail(fmt.Errorf("page %d of %d bytes", i, size))
			return
		}
		p.dir.pages[i] = page{start, int(size), binary.LittleEndian.Uint32(hashes[4*i:])}
		start += int64(size)
	}
	if start != end {
		p.Fail(errors.New("bytes between pages and directory"))
	}
}

func (p *parser) properties() {
	props := pages.Some[Property](p.Count(2, maxProperties))
	for i := range props {
		props[i] = Property{p.name(), p.string()}
		if i > 0 && props[i].Key <= props[i-1].Key {
			p.Fail(fmt.Errorf("property %q after %q", props[i].Key, props[i-1].Key))
		}
	}
	p.dir.properties = props
}

// page resolves a reference to a page.
func (p *parser) page(ref uint64) int {
	n := uint64(p.next)
	if ref != refNext {
		n = ref - refPage
	}
	if ref < refNext || n >= uint64(len(p.named)) {
		p.Fail(errors.New("a page that does not exist"))
		return nonePage
	}
	p.named[n] = true
	p.next = max(p.next, int(n)+1)
	return int(n)
}

func (p *parser) dimension(d *dimension) {
	d.name, d.folder = p.name(), p.string()
	d.volumes = make([]volume, p.Count(6, maxVolumes))
	for i := range d.volumes {
		v := &d.volumes[i]
		p.volume(v)
		for _, u := range d.volumes[:i] {
			if u.Name == v.Name {
				p.Fail(fmt.Errorf("volume %q a second time", v.Name))
			}
		}
	}
	d.rules = p.rules()
	d.columns = p.entries(0, maxColumnKey, column.MaxColumns)
	d.lists = make([]list, p.Count(2, maxLists))
	for i := range d.lists {
		l := &d.lists[i]
		l.name, l.entries = p.name(), p.entries(0, maxColumnKey, column.MaxColumns)
		if i > 0 && l.name <= d.lists[i-1].name {
			p.Fail(fmt.Errorf("list %q after %q", l.name, d.lists[i-1].name))
		}
		if !possible(l.entries, d.columns) {
			p.Fail(fmt.Errorf("list %q without a page, or of columns that are gone", l.name))
		}
	}
	for _, e := range d.columns {
		if e.page == constPage {
			p.Fail(errors.New("columns of cells"))
		}
	}
}

// possible reports whether all entries of a list have pages and none is for a
// deleted column.
func possible(list, columns []entry) bool {
	for _, e := range list {
		n, _ := slices.BinarySearchFunc(columns, e.key, func(c entry, key uint64) int { return cmp.Compare(c.key, key) })
		columns = columns[n:]
		for i := 0; i < len(columns) && columns[i].key == e.key; i++ {
			if columns[i].page == nonePage && columns[i].mask&e.mask != 0 {
				return false
			}
		}
		if !e.paged() {
			return false
		}
	}
	return true
}

func (p *parser) volume(v *volume) {
	v.Name = p.string()
	v.Schema, v.Scale = voxel.Schema(p.Byte()), int(p.Byte())
	v.Default = voxel.Cell(min(p.Uvarint(), uint64(voxel.MaxCell)+1))
	v.names = p.form.Names(&p.Cursor, v.Schema == voxel.Palette, maxNames, p.room)
	if err := v.check(); err != nil {
		p.Fail(err)
		return
	}
	v.levels = make([]detail, p.Count(2, geom.MaxLevel+1))
	for i := range v.levels {
		l := int(p.Byte())
		if l > geom.MaxLevel || i > 0 && l <= v.levels[i-1].level {
			p.Fail(errors.New("levels out of order"))
			return
		}
		top := uint64(1) << (3 * (geom.MaxLevel - l))
		v.levels[i] = detail{l, p.entries(top, top*2-1, maxCells)}
		for _, e := range v.levels[i].entries {
			if e.page == constPage && !v.valid(e.value) {
				p.Fail(fmt.Errorf("cell %d of volume %q", e.value, v.Name))
			}
		}
	}
}

// name reads a string that is a name.
func (p *parser) name() string {
	s := p.string()
	if err := voxel.CheckName(s); err != nil {
		p.Fail(err)
	}
	return s
}

// string reads a string in the spelling of the directory's form.
func (p *parser) string() string { return p.form.Text(&p.Cursor) }

// room reports whether there may be n more bytes of names.
func (p *parser) room(n int) bool {
	if p.nameBytes += n; p.nameBytes > maxNameBytes {
		p.Fail(fmt.Errorf("names of more than %d bytes", maxNameBytes))
	}
	return p.Err() == nil
}

// entries reads entries with keys in least..most. A page holds at most the given
// number of things.
func (p *parser) entries(least, most uint64, things int) []entry {
	entries := make([]entry, p.Count(10, maxDirectory))
	key, page, first, begun := uint64(0), nonePage, int32(0), uint32(0)
	for i := range entries {
		step, e := p.Uvarint(), &entries[i]
		e.number = p.entry
		p.entry++
		if step > most-key || key+step < least {
			p.Fail(errors.New("an impossible position"))
			return nil
		}
		key += step
		e.key, e.mask = key, p.Uint64()
		if e.mask == 0 || i > 0 && step == 0 && bits.TrailingZeros64(e.mask) < bits.Len64(entries[i-1].mask) {
			p.Fail(errors.New("entries out of order"))
			return nil
		}
		switch ref := p.Uvarint(); {
		case ref == refNone:
			e.page = nonePage
			if v := min(p.Uvarint(), uint64(voxel.MaxCell)+2); v > 0 {
				e.page, e.value = constPage, voxel.Cell(v-1)
			}
			continue
		case ref != refSame:
			page, first, begun = p.page(ref), 0, e.number
		case first == 0:
			p.Fail(errors.New("an entry continues no page"))
		}
		e.page, e.first, e.begun = page, first, begun
		if first += int32(bits.OnesCount64(e.mask)); int(first) > things {
			p.Fail(fmt.Errorf("more than %d things in a page", things))
		}
		if p.Err() != nil {
			return nil
		}
	}
	return entries
}

func (p *parser) files() {
	files := make([]file, p.Count(2, maxFiles))
	for i := range files {
		f := &files[i]
		f.path, f.size = p.string(), int64(min(p.Uvarint(), 1<<62))-1
		f.gone, f.size = f.size < 0, max(f.size, 0)
		if i > 0 && f.path <= files[i-1].path {
			p.Fail(fmt.Errorf("file %q after %q", f.path, files[i-1].path))
		}
		n := (f.size + filePage - 1) / filePage
		if n > int64(p.Left()) {
			p.Fail(fmt.Errorf("file %q is larger than its pages", f.path))
			return
		}
		f.pages = make([]int, n)
		for j := range f.pages {
			f.pages[j] = p.page(p.Uvarint())
		}
		if p.Err() != nil {
			return
		}
	}
	p.dir.files = files
}
