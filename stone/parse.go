package stone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/tags"
	"github.com/cairnvoxel/cairn/voxel"
)

const maxColumnKey = 1<<(2*(geom.MaxDepth+1-3)) - 1

// parseDirectory parses the directory's plain bytes. Pages lie one after another
// from offset start to end of the file.
func parseDirectory(form spelling, b []byte, hashes []byte, start, end int64) (*directory, error) {
	p := parser{cursor: &cursor{b: b, part: "directory"}, form: form, dir: &directory{}}
	if form == byWords {
		if v := p.byte(); v != tags.WordsVersion {
			return nil, corruptf(0, "directory", "words of version %d: %w", v, ErrNewer)
		}
	}
	p.pages(hashes, start, end)
	p.properties()
	p.dir.dims = make([]dimension, p.count(6, maxDimensions))
	names := map[string]bool{}
	for i := range p.dir.dims {
		d := &p.dir.dims[i]
		p.dimension(d)
		if names[d.name] {
			p.fail(fmt.Errorf("dimension %q a second time", d.name))
		}
		names[d.name] = true
	}
	for i := range p.dir.dims {
		p.dir.dims[i].footprints = sync.OnceValue(p.dir.dims[i].footprintsOf)
	}
	p.files()
	p.matters()
	p.tallies()
	for n, ok := range p.named {
		if !ok {
			p.fail(fmt.Errorf("page %d is not used", n))
			break
		}
	}
	return p.dir, p.end()
}

type parser struct {
	*cursor
	form      spelling
	dir       *directory
	next      int    // one above the highest page used so far
	named     []bool // by page
	nameBytes int    // of all names so far
	ruleCells int    // of all rules so far
	entry     uint32 // number of the next entry
}

func (p *parser) pages(hashes []byte, start, end int64) {
	p.dir.pages = make([]page, p.count(1, len(hashes)/4))
	p.named = make([]bool, len(p.dir.pages))
	if len(hashes) != 4*len(p.dir.pages) {
		p.fail(fmt.Errorf("%d bytes of checksums for %d pages", len(hashes), len(p.dir.pages)))
	}
	for i := range p.dir.pages {
		size := p.uvarint()
		if size == 0 || size > uint64(min(maxStored, end-start)) {
			p.fail(fmt.Errorf("page %d of %d bytes", i, size))
			return
		}
		p.dir.pages[i] = page{start, int(size), binary.LittleEndian.Uint32(hashes[4*i:])}
		start += int64(size)
	}
	if start != end {
		p.fail(errors.New("bytes between pages and directory"))
	}
}

func (p *parser) properties() {
	props := some[Property](p.count(2, maxProperties))
	for i := range props {
		props[i] = Property{p.string(), p.string()}
		if i > 0 && props[i].Key <= props[i-1].Key {
			p.fail(fmt.Errorf("property %q after %q", props[i].Key, props[i-1].Key))
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
		p.fail(errors.New("a page that does not exist"))
		return nonePage
	}
	p.named[n] = true
	p.next = max(p.next, int(n)+1)
	return int(n)
}

func (p *parser) dimension(d *dimension) {
	d.name, d.folder = p.string(), p.string()
	d.volumes = make([]volume, p.count(6, maxVolumes))
	for i := range d.volumes {
		v := &d.volumes[i]
		p.volume(v)
		for _, u := range d.volumes[:i] {
			if u.Name == v.Name {
				p.fail(fmt.Errorf("volume %q a second time", v.Name))
			}
		}
	}
	d.rules = p.rules()
	d.columns = p.entries(0, maxColumnKey, maxPageColumns)
	d.lists = make([]list, p.count(2, maxLists))
	for i := range d.lists {
		l := &d.lists[i]
		l.name, l.entries = p.string(), p.entries(0, maxColumnKey, maxPageColumns)
		if i > 0 && l.name <= d.lists[i-1].name {
			p.fail(fmt.Errorf("list %q after %q", l.name, d.lists[i-1].name))
		}
		if !possible(l.entries, d.columns) {
			p.fail(fmt.Errorf("list %q without a page, or of columns that are gone", l.name))
		}
	}
	for _, e := range d.columns {
		if e.page == constPage {
			p.fail(errors.New("columns of cells"))
		}
	}
}

// possible reports whether all entries of a list have pages and none is for a
// deleted column.
func possible(list, columns []entry) bool {
	for _, e := range list {
		for len(columns) > 0 && columns[0].key < e.key {
			columns = columns[1:]
		}
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
	v.Schema, v.Scale = voxel.Schema(p.byte()), int(p.byte())
	v.Default = voxel.Cell(min(p.uvarint(), uint64(voxel.MaxCell)+1))
	v.names = p.names(v.Schema)
	if err := v.check(); err != nil {
		p.fail(err)
		return
	}
	v.levels = make([]detail, p.count(2, geom.MaxDepth))
	for i := range v.levels {
		l := int(p.byte())
		if l > geom.MaxDepth-2 || i > 0 && l <= v.levels[i-1].level {
			p.fail(errors.New("levels out of order"))
			return
		}
		top := uint64(1) << (3 * (geom.MaxDepth - 2 - l))
		v.levels[i] = detail{l, p.entries(top, top*2-1, maxCells)}
		for _, e := range v.levels[i].entries {
			if e.page == constPage && !v.valid(e.value) {
				p.fail(fmt.Errorf("cell %d of volume %q", e.value, v.Name))
			}
		}
	}
}

// string reads a string in the spelling of the directory's form.
func (p *parser) string() string { return p.form.string(p.cursor) }

// names reads the names of a volume.
func (p *parser) names(schema voxel.Schema) []string {
	if p.form == byBytes || schema != voxel.Palette {
		return p.shared(p.count(2, maxNames))
	}
	n := p.count(1, maxNames)
	if n == 0 {
		return nil
	}
	names := []string{p.string()}
	names = append(names, p.numbered(n-1)...)
	rest := p.shared(n - len(names))
	if !ascending(rest) {
		p.fail(errors.New("spelled names not in strictly ascending order"))
	}
	names = append(names, rest...)
	if p.err != nil {
		return nil
	}
	slices.Sort(names[1:])
	return names
}

// shared reads n names.
func (p *parser) shared(n int) []string {
	names := some[string](n)
	prev := ""
	for i := range names {
		same, tail := p.size(), p.cursor.string()
		if same > len(prev) {
			p.fail(errors.New("a name shares more than the name before it has"))
			return nil
		}
		if !p.room(same + len(tail)) {
			return nil
		}
		prev = prev[:same] + tail
		names[i] = prev
	}
	return names
}

// room reports whether there may be n more bytes of names.
func (p *parser) room(n int) bool {
	if p.nameBytes += n; p.nameBytes > maxNameBytes {
		p.fail(fmt.Errorf("names of more than %d bytes", maxNameBytes))
	}
	return p.err == nil
}

// entries reads entries with keys in least..most. A page holds at most the given
// number of things.
func (p *parser) entries(least, most uint64, things int) []entry {
	entries := make([]entry, p.count(10, maxDirectory))
	key, page, first := uint64(0), nonePage, 0
	for i := range entries {
		step, e := p.uvarint(), &entries[i]
		e.number = p.entry
		p.entry++
		if step > most-key || key+step < least {
			p.fail(errors.New("an impossible position"))
			return nil
		}
		key += step
		e.key, e.mask = key, p.u64()
		if e.mask == 0 || i > 0 && step == 0 && bits.TrailingZeros64(e.mask) < bits.Len64(entries[i-1].mask) {
			p.fail(errors.New("entries out of order"))
			return nil
		}
		switch ref := p.uvarint(); {
		case ref == refNone:
			e.page = nonePage
			if v := min(p.uvarint(), uint64(voxel.MaxCell)+2); v > 0 {
				e.page, e.value = constPage, voxel.Cell(v-1)
			}
			continue
		case ref != refSame:
			page, first = p.page(ref), 0
		case first == 0:
			p.fail(errors.New("an entry continues no page"))
		}
		e.page, e.first = page, first
		if first += bits.OnesCount64(e.mask); first > things {
			p.fail(fmt.Errorf("more than %d things in a page", things))
		}
		if p.err != nil {
			return nil
		}
	}
	return entries
}

func (p *parser) files() {
	files := make([]file, p.count(2, maxFiles))
	for i := range files {
		f := &files[i]
		f.path, f.size = p.string(), int64(min(p.uvarint(), 1<<62))-1
		f.gone, f.size = f.size < 0, max(f.size, 0)
		if i > 0 && f.path <= files[i-1].path {
			p.fail(fmt.Errorf("file %q after %q", f.path, files[i-1].path))
		}
		n := (f.size + filePage - 1) / filePage
		if n > int64(len(p.b)-p.at) {
			p.fail(fmt.Errorf("file %q is larger than its pages", f.path))
			return
		}
		f.pages = make([]int, n)
		for j := range f.pages {
			f.pages[j] = p.page(p.uvarint())
		}
		if p.err != nil {
			return
		}
	}
	p.dir.files = files
}
