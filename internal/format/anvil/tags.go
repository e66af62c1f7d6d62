package anvil

import (
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// tag is an entry of a compound, in slices of its document.
type tag struct {
	t     nbt.Type
	taken bool   // a field of the column holds it
	name  []byte // raw modified UTF-8
	entry []byte // header and payload
}

// payload returns the entry's bytes behind its header.
func (g *tag) payload() []byte { return g.entry[3+len(g.name):] }

// int returns the value of an int; g may be nil.
func (g *tag) int() (int32, bool) {
	if g == nil || g.t != nbt.Int {
		return 0, false
	}
	return int32(binary.BigEndian.Uint32(g.payload())), true
}

// array returns the bytes of an array of type t, or nil; g may be nil.
func (g *tag) array(t nbt.Type) []byte {
	if g == nil || g.t != t {
		return nil
	}
	return g.payload()[4:]
}

// bytes returns a byte array of n bytes, or nil; g may be nil.
func (g *tag) bytes(n int) []byte {
	if b := g.array(nbt.ByteArray); len(b) == n {
		return b
	}
	return nil
}

// list returns a reader at the first of the n elements of a list of type elem;
// g may be nil.
func (g *tag) list(elem nbt.Type) (r nbt.Reader, n int) {
	if g == nil || g.t != nbt.List || nbt.Type(g.payload()[0]) != elem {
		return r, 0
	}
	r = nbt.NewPayload(g.payload(), nbt.Limits{})
	_, n = r.List()
	return r, n
}

// maxTags bounds the entries of a compound that are looked at one by one.
const maxTags = 512

// readTags appends the entries of the compound that r is in, a reader of doc,
// and leaves r behind it. Of more than maxTags it appends one more than that,
// which unique fails for. into, which may be nil, reports which payloads it reads itself.
func readTags(dst []tag, r *nbt.Reader, doc []byte, into func(t nbt.Type, name []byte) bool) []tag {
	start := len(dst)
	for {
		at := r.Offset()
		t, name := r.Next()
		if t == nbt.End {
			return dst
		}
		if into == nil || !into(t, name) {
			r.Skip(t)
		}
		if r.Err() != nil {
			return dst
		}
		if len(dst)-start <= maxTags {
			dst = append(dst, tag{t: t, name: name, entry: doc[at:r.Offset()]})
		}
	}
}

// item is an element of a list of compounds: its payload, and its entries as a
// range of other tags.
type item struct {
	payload  []byte
	from, to int
}

// items are the elements of a list of compounds, and their tags.
type items struct {
	list []item
	tags []tag
}

func (s *items) reset() { s.list, s.tags = s.list[:0], s.tags[:0] }

// read reads the n compounds that r, a reader of doc, is at.
func (s *items) read(n int, r *nbt.Reader, doc []byte) {
	for range n {
		at, from := r.Offset(), len(s.tags)
		s.tags = readTags(s.tags, r, doc, nil)
		if r.Err() != nil {
			break
		}
		s.list = append(s.list, item{doc[at:r.Offset()], from, len(s.tags)})
	}
}

// payloadTags appends the entries of a compound's payload, which has been
// checked before.
func payloadTags(dst []tag, payload []byte) []tag {
	r := nbt.NewPayload(payload, nbt.Limits{})
	return readTags(dst, &r, payload, nil)
}

// rootTags returns the entries of a document's root.
func rootTags(doc []byte) ([]tag, error) {
	r := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := r.Root(); t != nbt.Compound {
		return nil, errRoot
	}
	return readTags(nil, &r, doc, nil), r.Err()
}

func find(tags []tag, name string) *tag {
	for i := range tags {
		if string(tags[i].name) == name {
			return &tags[i]
		}
	}
	return nil
}

// unique reports whether tags are all entries of a compound and have different names.
// Of two entries with one name the game reads the last.
func unique(tags []tag) bool {
	if len(tags) > maxTags {
		return false
	}
	for i := range tags {
		for j := range i {
			if string(tags[i].name) == string(tags[j].name) {
				return false
			}
		}
	}
	return true
}

// appendRest appends the entries that no field holds.
func appendRest(dst []byte, tags []tag) []byte {
	for i := range tags {
		if !tags[i].taken {
			dst = append(dst, tags[i].entry...)
		}
	}
	return dst
}

// lookup returns the type and the payload of the first entry of a name in the
// payload of a compound, which may be nil.
func lookup(compound []byte, name string) (nbt.Type, []byte) {
	if compound == nil {
		return nbt.End, nil
	}
	r := nbt.NewPayload(compound, nbt.Limits{})
	for {
		t, raw := r.Next()
		if t == nbt.End || string(raw) == name {
			return t, r.Raw(t)
		}
		r.Skip(t)
	}
}

// appendExcept appends the entries of a compound's payload, which may be nil,
// but those of the given names.
func appendExcept(dst, compound []byte, names []string) []byte {
	if compound == nil {
		return dst
	}
	r := nbt.NewPayload(compound, nbt.Limits{})
	for {
		at := r.Offset()
		t, raw := r.Next()
		if t == nbt.End {
			return dst
		}
		if r.Skip(t); r.Err() == nil && !slices.Contains(names, string(raw)) {
			dst = append(dst, compound[at:r.Offset()]...)
		}
	}
}
