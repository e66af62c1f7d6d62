package backup

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/store/archive"
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
	p := newParser(n.manifest(), b)
	m := &manifest{name: n, objects: newObjects()}
	p.Magic(manifestMagic)
	m.time = time.UnixMilli(p.Varint()).UTC()
	if p.Err() == nil && !m.time.Equal(n.time) {
		p.failf("%v: the key says %v", m.time, n.time)
	}
	m.store, m.recipients, m.previous = p.text(maxText), p.text(maxText), p.text(maxText)
	m.claim = p.Uvarint()
	m.locked = fromMillis(p.Varint())
	for _, to := range []*uint64{&m.worlds, &m.changed, &m.bytes, &m.added} {
		*to = p.Uvarint()
	}
	for n := p.count(minObject); n > 0 && p.Err() == nil; n-- {
		o := object{kind: kind(p.Byte())}
		if o.kind > meta {
			p.failf("kind %d", o.kind)
		}
		copy(o.hash[:], p.Bytes(len(o.hash)))
		o.size, o.plain, o.live = p.int(), p.int(), p.int()
		if _, had := m.of[o.hash]; had {
			p.Fail(errors.New("twice"))
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
	b := archive.Append(nil, a)
	dst := binary.AppendUvarint(nil, world)
	dst = append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	return l.append(dst, body)
}

// parseArchive is the inverse.
func parseArchive(key string, b []byte, from *objects, self int32) (world uint64, a history.Archive, places []place, err error) {
	p := newParser(key, b)
	world = p.Uvarint()
	raw := p.Bytes(p.count(1))
	if p.Err() == nil {
		if a, err = archive.Parse(raw); err != nil {
			p.Fail(err)
		}
	}
	local := p.locals(from, self)
	for _, ref := range archive.Stones(&a) {
		if p.Err() != nil {
			break
		}
		places = append(places, place{object: p.local(local), off: p.int(), size: ref.Size})
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
	p := newParser(key, b)
	local := p.locals(from, self)
	var rows []*row
	before := ""
	for n := p.count(minRow); n > 0 && p.Err() == nil; n-- {
		r := new(row)
		shared := p.Uvarint()
		if shared > uint64(len(before)) {
			p.Fail(errors.New("shares more than there is"))
			break
		}
		r.name = before[:shared] + p.text(maxText)
		before = r.name
		r.deleted = fromMillis(p.Varint())
		r.fence, r.world = p.Uvarint(), p.Uvarint()
		copy(r.sum[:], p.Bytes(len(r.sum)))
		r.archive = p.item(local)
		for u := p.count(2); u > 0 && p.Err() == nil; u-- {
			r.uses = append(r.uses, use{p.local(local), p.int()})
		}
		if len(rows) > 0 && p.Err() == nil && !r.key().follows(rows[len(rows)-1].key()) {
			p.failf("%q is out of order", r.name)
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
	p := newParser(key, b)
	local := p.locals(from, self)
	var leaves []*leaf
	for n := p.count(minLeaf); n > 0 && p.Err() == nil; n-- {
		f := &leaf{first: rowKey{name: p.text(maxText)}}
		f.first.deleted = p.Varint()
		f.rows = int(p.int())
		f.at = p.item(local)
		if len(leaves) > 0 && p.Err() == nil && !f.first.follows(leaves[len(leaves)-1].first) {
			p.failf("%q is out of order", f.first.name)
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
	cursor.Cursor
	object string
}

func newParser(object string, b []byte) *parser { return &parser{cursor.New(b, "fields"), object} }

func (p *parser) failf(format string, args ...any) { p.Fail(fmt.Errorf(format, args...)) }

// int reads a number that is not too large for sums.
func (p *parser) int() int64 {
	v := p.Uvarint()
	if v > uint64(maxInt) {
		p.failf("%d: too large", v)
		return 0
	}
	return int64(v)
}

// count reads the number of things that have each bytes at least.
func (p *parser) count(each int) int { return p.Count(each, math.MaxInt) }

func (p *parser) text(limit int) string { return string(p.Bytes(p.Count(1, limit))) }

// locals reads a list of objects of from. An object whose size is not known yet gets
// the one in the list.
func (p *parser) locals(from *objects, self int32) (out []int32) {
	for n := p.count(len(hash{}) + 1); n > 0 && p.Err() == nil; n-- {
		var h hash
		copy(h[:], p.Bytes(len(h)))
		plain := p.int()
		n, known := from.of[h]
		switch {
		case h == hash{}:
			n = self
		case !known:
			p.failf("%v is not an object of the backup", h)
			continue
		case from.all[n].plain < 0:
			from.all[n].plain = plain
		case from.all[n].plain != plain:
			p.failf("%v has %d bytes: want %d", h, from.all[n].plain, plain)
		}
		out = append(out, n)
	}
	return out
}

func (p *parser) local(list []int32) int32 {
	n := p.Uvarint()
	if n >= uint64(len(list)) {
		p.failf("object %d of %d", n, len(list))
		return 0
	}
	return list[n]
}

func (p *parser) item(local []int32) (i item) {
	i.object = p.local(local)
	i.off, i.size = p.int(), p.int()
	copy(i.sum[:], p.Bytes(len(i.sum)))
	return i
}

func (p *parser) end() error {
	err := p.End()
	if c := (*cursor.CorruptError)(nil); errors.As(err, &c) {
		return &CorruptError{Object: p.object, Offset: c.Offset, Part: c.Part, Err: c.Err}
	}
	return err
}
