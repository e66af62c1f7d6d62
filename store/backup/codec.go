package backup

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// kind says what an object holds: data the bytes of stones, meta archives and tables.
type kind byte

const (
	data kind = iota
	meta
)

// object is a bundle in the Bucket.
type object struct {
	kind  kind
	hash  hash
	size  int64 // as it lies in the Bucket
	plain int64 // without encryption
	live  int64 // bytes of it that the backup needs; more is counted for what worlds share
}

func (o *object) key() string {
	if o.kind == meta {
		return metaPrefix + o.hash.String()
	}
	return dataPrefix + o.hash.String()
}

// objects is a list of objects, each once. Places name an object by its number in
// the list.
type objects struct {
	all []object
	of  map[hash]int32
}

func newObjects() *objects { return &objects{of: make(map[hash]int32)} }

// add returns the number of an object.
func (l *objects) add(o object) int32 {
	if n, had := l.of[o.hash]; had {
		return n
	}
	n := int32(len(l.all))
	l.all, l.of[o.hash] = append(l.all, o), n
	return n
}

// place is where bytes lie in an object, before encryption.
type place struct {
	object int32
	off    int64
	size   int64
}

// item is an archive or a table in an object.
type item struct {
	place
	sum hash
}

// use says how many bytes of stones a world needs of an object.
type use struct {
	object int32
	bytes  int64
}

// row is a world in a table.
type row struct {
	world   uint64
	name    string
	deleted time.Time
	fence   uint64
	sum     history.Sum
	archive item
	uses    []use
	leaf    *leaf // the stored table that it was read from; nil if it is new
}

// compare is the order of rows: worlds by name, then deleted worlds by name and time.
// Several may have been deleted under one name at one time.
func (r *row) compare(s *row) int {
	switch k, l := r.key(), s.key(); {
	case k.before(l):
		return -1
	case l.before(k):
		return 1
	}
	return cmp.Compare(r.world, s.world)
}

// as returns a row of the same history with the name and the fence of an outline.
func (r *row) as(m history.Outline) *row {
	out := *r
	out.name, out.deleted, out.fence = m.Name, m.Deleted, m.Head.Fence
	if out.key() != r.key() || out.fence != r.fence {
		out.leaf = nil
	}
	return &out
}

func (r *row) key() rowKey { return rowKey{r.name, millis(r.deleted)} }

type rowKey struct {
	name    string
	deleted int64 // 0 for a world that was not deleted
}

func (k rowKey) before(l rowKey) bool {
	switch {
	case (k.deleted != 0) != (l.deleted != 0):
		return l.deleted != 0
	case k.name != l.name:
		return k.name < l.name
	}
	return k.deleted < l.deleted
}

// follows reports whether a row with the key may come right after one with the key l.
// Only deleted worlds may have the same key.
func (k rowKey) follows(l rowKey) bool { return l.before(k) || k == l && k.deleted != 0 }

// leaf is a table of some hundred rows.
type leaf struct {
	first rowKey
	rows  int
	at    item
}

// manifest is the root of a backup. Nobody needs a key to read it.
type manifest struct {
	name
	store      string // tag of the Store
	recipients string // tag of the recipients, "" if nothing is encrypted
	previous   string // name of the backup before, "" if there is none
	claim      uint64 // number of the claim
	locked     time.Time
	worlds     uint64
	changed    uint64
	bytes      uint64 // of stones that the worlds need
	added      uint64 // bytes that were put
	*objects
	top item
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

const (
	manifestMagic = "cairnbk1"
	metaMagic     = "cairnbm1"
)

// Kinds of items of meta objects.
const (
	archiveItem = 1
	leafItem    = 2
	topItem     = 3
	tagItem     = 4 // for whom the object is encrypted, by the lockbox's tag; before the others
)

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendItem(dst []byte, object uint64, i item) []byte {
	dst = binary.AppendUvarint(dst, object)
	dst = binary.AppendUvarint(dst, uint64(i.off))
	dst = binary.AppendUvarint(dst, uint64(i.size))
	return append(dst, i.sum[:]...)
}

func (m *manifest) append(dst []byte) []byte {
	dst = append(dst, manifestMagic...)
	dst = binary.AppendVarint(dst, m.time.UnixMilli())
	dst = appendText(appendText(appendText(dst, m.store), m.recipients), m.previous)
	dst = binary.AppendUvarint(dst, m.claim)
	dst = binary.AppendVarint(dst, millis(m.locked))
	for _, n := range []uint64{m.worlds, m.changed, m.bytes, m.added, uint64(len(m.all))} {
		dst = binary.AppendUvarint(dst, n)
	}
	for i := range m.all {
		o := &m.all[i]
		dst = append(append(dst, byte(o.kind)), o.hash[:]...)
		for _, n := range []int64{o.size, o.plain, o.live} {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return appendItem(dst, uint64(m.top.object), m.top)
}

func parseManifest(n name, b []byte) (*manifest, error) {
	p := &parser{object: n.manifest(), rest: b, size: len(b)}
	m := &manifest{name: n, objects: newObjects()}
	p.magic(manifestMagic)
	m.time = time.UnixMilli(p.varint("time")).UTC()
	if p.err == nil && !m.time.Equal(n.time) {
		p.fail("time", fmt.Errorf("%v: the key says %v", m.time, n.time))
	}
	m.store, m.recipients, m.previous = p.text(maxText, "store"), p.text(maxText, "recipients"), p.text(maxText, "previous")
	m.claim = p.uvarint("claim")
	m.locked = fromMillis(p.varint("lock"))
	for _, to := range []*uint64{&m.worlds, &m.changed, &m.bytes, &m.added} {
		*to = p.uvarint("count")
	}
	for n := p.count(minObject, "objects"); n > 0 && p.err == nil; n-- {
		o := object{kind: kind(p.byte("object"))}
		if o.kind > meta {
			p.fail("object", fmt.Errorf("kind %d", o.kind))
		}
		copy(o.hash[:], p.bytes(len(o.hash), "object"))
		o.size, o.plain, o.live = p.int("object"), p.int("object"), p.int("object")
		if _, had := m.of[o.hash]; had {
			p.fail("object", errors.New("twice"))
		}
		m.add(o)
	}
	m.top = p.item(m.numbers())
	return m, p.end()
}

// numbers returns the numbers of the objects as a local list.
func (l *objects) numbers() []int32 {
	out := make([]int32, len(l.all))
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// locals collects the objects that an item names. The zero hash is the object that
// the item lies in.
type locals struct {
	from   *objects
	self   int32
	hashes []byte
	of     map[int32]uint64
}

func newLocals(from *objects, self int32) *locals {
	return &locals{from: from, self: self, of: make(map[int32]uint64)}
}

func (l *locals) number(which int32) uint64 {
	n, had := l.of[which]
	if !had {
		n = uint64(len(l.of))
		l.of[which] = n
		var o object
		if which != l.self {
			o = l.from.all[which]
		}
		l.hashes = append(l.hashes, o.hash[:]...)
		l.hashes = binary.AppendUvarint(l.hashes, uint64(o.plain))
	}
	return n
}

func (l *locals) append(dst, body []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(l.of)))
	return append(append(dst, l.hashes...), body...)
}

// appendArchive returns the item of a world: its number, its archive, and where the
// stones of the archive lie. self is the object that the item will lie in.
func appendArchive(world uint64, a *history.Archive, places []place, from *objects, self int32) []byte {
	l := newLocals(from, self)
	var body []byte
	for _, p := range places {
		body = binary.AppendUvarint(body, l.number(p.object))
		body = binary.AppendUvarint(body, uint64(p.off))
	}
	b := a.Append(nil)
	dst := binary.AppendUvarint(nil, world)
	dst = append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	return l.append(dst, body)
}

// parseArchive is the inverse.
func parseArchive(key string, b []byte, from *objects, self int32) (world uint64, a history.Archive, places []place, err error) {
	p := &parser{object: key, rest: b, size: len(b)}
	world = p.uvarint("world")
	raw := p.bytes(p.count(1, "archive"), "archive")
	if p.err == nil {
		if a, err = history.ParseArchive(raw); err != nil {
			p.fail("archive", err)
		}
	}
	local := p.locals(from, self)
	for _, ref := range a.Stones() {
		if p.err != nil {
			break
		}
		places = append(places, place{object: p.local(local, "place"), off: p.int("place"), size: ref.Size})
	}
	return world, a, places, p.end()
}

// appendLeaf returns the item of a table.
func appendLeaf(rows []*row, from *objects, self int32) []byte {
	l := newLocals(from, self)
	body := binary.AppendUvarint(nil, uint64(len(rows)))
	before := ""
	for _, r := range rows {
		shared := 0
		for shared < min(len(before), len(r.name)) && before[shared] == r.name[shared] {
			shared++
		}
		before = r.name
		body = binary.AppendUvarint(body, uint64(shared))
		body = appendText(body, r.name[shared:])
		body = binary.AppendVarint(body, millis(r.deleted))
		body = binary.AppendUvarint(body, r.fence)
		body = binary.AppendUvarint(body, r.world)
		body = append(body, r.sum[:]...)
		body = appendItem(body, l.number(r.archive.object), r.archive)
		body = binary.AppendUvarint(body, uint64(len(r.uses)))
		for _, u := range r.uses {
			body = binary.AppendUvarint(body, l.number(u.object))
			body = binary.AppendUvarint(body, uint64(u.bytes))
		}
	}
	return l.append(nil, body)
}

func parseLeaf(key string, b []byte, from *objects, self int32) ([]*row, error) {
	p := &parser{object: key, rest: b, size: len(b)}
	local := p.locals(from, self)
	var rows []*row
	before := ""
	for n := p.count(minRow, "rows"); n > 0 && p.err == nil; n-- {
		r := new(row)
		shared := p.uvarint("name")
		if shared > uint64(len(before)) {
			p.fail("name", errors.New("shares more than there is"))
			break
		}
		r.name = before[:shared] + p.text(maxText, "name")
		before = r.name
		r.deleted = fromMillis(p.varint("deleted"))
		r.fence, r.world = p.uvarint("fence"), p.uvarint("world")
		copy(r.sum[:], p.bytes(len(r.sum), "sum"))
		r.archive = p.item(local)
		for u := p.count(2, "uses"); u > 0 && p.err == nil; u-- {
			r.uses = append(r.uses, use{p.local(local, "use"), p.int("use")})
		}
		if len(rows) > 0 && p.err == nil && !r.key().follows(rows[len(rows)-1].key()) {
			p.fail("row", fmt.Errorf("%q is out of order", r.name))
		}
		rows = append(rows, r)
	}
	return rows, p.end()
}

// appendTop returns the item of the table of tables.
func appendTop(leaves []*leaf, from *objects, self int32) []byte {
	l := newLocals(from, self)
	body := binary.AppendUvarint(nil, uint64(len(leaves)))
	for _, f := range leaves {
		body = appendText(body, f.first.name)
		body = binary.AppendVarint(body, f.first.deleted)
		body = binary.AppendUvarint(body, uint64(f.rows))
		body = appendItem(body, l.number(f.at.object), f.at)
	}
	return l.append(nil, body)
}

func parseTop(key string, b []byte, from *objects, self int32) ([]*leaf, error) {
	p := &parser{object: key, rest: b, size: len(b)}
	local := p.locals(from, self)
	var leaves []*leaf
	for n := p.count(minLeaf, "tables"); n > 0 && p.err == nil; n-- {
		f := &leaf{first: rowKey{name: p.text(maxText, "name")}}
		f.first.deleted = p.varint("deleted")
		f.rows = int(p.int("rows"))
		f.at = p.item(local)
		if len(leaves) > 0 && p.err == nil && !f.first.follows(leaves[len(leaves)-1].first) {
			p.fail("table", fmt.Errorf("%q is out of order", f.first.name))
		}
		leaves = append(leaves, f)
	}
	return leaves, p.end()
}

// Bounds of what is parsed.
const (
	maxText   = 1024
	minObject = 1 + 32 + 3          // bytes of an object in a manifest, at least
	minRow    = 5 + 16 + 3 + 32 + 1 // of a row
	minLeaf   = 3 + 3 + 32          // of a table in the table of tables
	maxInt    = int64(1) << 56      // a sum of several does not overflow
)

// parser reads fields. After an error it returns zeros.
type parser struct {
	object string
	rest   []byte
	size   int
	err    error
}

func (p *parser) fail(part string, err error) {
	if p.err == nil {
		p.err = &CorruptError{Object: p.object, Offset: int64(p.size - len(p.rest)), Part: part, Err: err}
		p.rest = nil
	}
}

var errShort = errors.New("cut short")

func (p *parser) bytes(n int, part string) []byte {
	if n > len(p.rest) {
		p.fail(part, errShort)
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *parser) byte(part string) byte {
	if b := p.bytes(1, part); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (p *parser) magic(want string) {
	if got := p.bytes(len(want), "magic"); p.err == nil && string(got) != want {
		p.fail("magic", fmt.Errorf("%q: want %q", got, want))
	}
}

func (p *parser) uvarint(part string) uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.fail(part, errShort)
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) varint(part string) int64 {
	v := p.uvarint(part)
	return int64(v>>1) ^ -int64(v&1)
}

// int reads a number that is not too large for sums.
func (p *parser) int(part string) int64 {
	v := p.uvarint(part)
	if v > uint64(maxInt) {
		p.fail(part, fmt.Errorf("%d: too large", v))
		return 0
	}
	return int64(v)
}

// count reads the number of things that have each bytes at least.
func (p *parser) count(each int, part string) int {
	n := p.uvarint(part)
	if n > uint64(len(p.rest)/each) {
		p.fail(part, fmt.Errorf("%d: %d bytes are left", n, len(p.rest)))
		return 0
	}
	return int(n)
}

func (p *parser) text(limit int, part string) string {
	n := p.count(1, part)
	if n > limit {
		p.fail(part, fmt.Errorf("%d bytes: at most %d", n, limit))
		return ""
	}
	return string(p.bytes(n, part))
}

// locals reads a list of objects of from. An object whose size is not known yet gets
// the one in the list.
func (p *parser) locals(from *objects, self int32) (out []int32) {
	for n := p.count(len(hash{})+1, "objects"); n > 0 && p.err == nil; n-- {
		var h hash
		copy(h[:], p.bytes(len(h), "objects"))
		plain := p.int("objects")
		n, known := from.of[h]
		switch {
		case h == hash{}:
			n = self
		case !known:
			p.fail("objects", fmt.Errorf("%v is not an object of the backup", h))
			continue
		case from.all[n].plain < 0:
			from.all[n].plain = plain
		case from.all[n].plain != plain:
			p.fail("objects", fmt.Errorf("%v has %d bytes: want %d", h, from.all[n].plain, plain))
		}
		out = append(out, n)
	}
	return out
}

func (p *parser) local(list []int32, part string) int32 {
	n := p.uvarint(part)
	if n >= uint64(len(list)) {
		p.fail(part, fmt.Errorf("object %d of %d", n, len(list)))
		return 0
	}
	return list[n]
}

func (p *parser) item(local []int32) (i item) {
	i.object = p.local(local, "item")
	i.off, i.size = p.int("item"), p.int("item")
	copy(i.sum[:], p.bytes(len(i.sum), "item"))
	return i
}

func (p *parser) end() error {
	if len(p.rest) > 0 {
		p.fail("end", fmt.Errorf("%d bytes too many", len(p.rest)))
	}
	return p.err
}
