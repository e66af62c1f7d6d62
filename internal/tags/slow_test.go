package tags_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/tags"
)

// slow reads streams that are sound, as stone/FORMAT.md says it (section 7.1).
type slow struct {
	sizes, heads, shapes, picks, numbers, texts, blobs stream
	literals                                           []string
	roots                                              map[string]*spot
}

type stream struct{ b []byte }

func (s *stream) n() int {
	v, n := binary.Uvarint(s.b)
	s.b = s.b[n:]
	return int(v)
}

func (s *stream) take(n int) (b []byte) {
	b, s.b = s.b[:n], s.b[n:]
	return b
}

// spot is a place.
type spot struct {
	t       nbt.Type
	name    string
	met     bool
	notes   stream
	values  [][]byte
	below   []*spot
	shapes  [][]*spot
	strings []string
}

func slowRead(streams [][]byte, entries []entry) (docs [][]byte) {
	all := stream{streams[0][1:]}
	all.n()
	a, b, c, d := all.n(), all.n(), all.n(), all.n()
	s := slow{roots: map[string]*spot{}, texts: stream{streams[1]}, blobs: stream{streams[2]}}
	s.sizes.b, s.heads.b, s.shapes.b, s.picks.b, s.numbers.b = all.take(a), all.take(b), all.take(c), all.take(d), all.b
	for _, e := range entries {
		root := s.roots[e.root]
		if root == nil {
			root = &spot{t: nbt.Compound}
			s.roots[e.root] = root
		}
		members, raw := s.compound(root)
		var doc []byte
		if raw {
			doc = s.texts.take(s.heads.n())
		}
		for _, m := range members {
			doc = s.tag(doc, m)
		}
		if !raw && !e.whole {
			doc = append(doc, 0)
		}
		docs = append(docs, doc)
	}
	return docs
}

func (s *slow) meet(p *spot) {
	if p.met {
		return
	}
	p.met = true
	switch p.t {
	case nbt.Compound, nbt.List:
		p.notes.b = s.shapes.take(s.sizes.n())
		return
	case nbt.String:
		p.notes.b = s.picks.take(s.sizes.n())
		return
	case nbt.ByteArray, nbt.IntArray, nbt.LongArray:
		p.notes.b = s.shapes.take(s.sizes.n())
	}
	wide := map[nbt.Type]int{nbt.Byte: 1, nbt.Short: 2, nbt.Int: 4, nbt.Float: 4, nbt.Long: 8, nbt.Double: 8, nbt.ByteArray: 1, nbt.IntArray: 4, nbt.LongArray: 8}[p.t]
	b := slowNumbers(p.t, s.numbers.take(s.sizes.n()*wide))
	for ; len(b) > 0; b = b[wide:] {
		p.values = append(p.values, b[:wide])
	}
}

// next returns the next n numbers of a place.
func (p *spot) next(n int) (b []byte) {
	for _, v := range p.values[:n] {
		b = append(b, v...)
	}
	p.values = p.values[n:]
	return b
}

func (s *slow) compound(p *spot) (members []*spot, raw bool) {
	s.meet(p)
	if i := p.notes.n(); i > 0 {
		return p.shapes[i-1], false
	}
	n := s.heads.n()
	if n == 0 {
		return nil, true
	}
	for range n - 1 {
		i := s.heads.n()
		if i == 0 {
			k := &spot{t: nbt.Type(s.heads.take(1)[0])}
			k.name = s.string()
			p.below = append(p.below, k)
			i = len(p.below)
		}
		members = append(members, p.below[i-1])
	}
	p.shapes = append(p.shapes, members)
	return members, false
}

func (s *slow) string() string {
	i := s.heads.n()
	if word, ok := tags.Word(i); ok {
		return word
	}
	if i -= 2 * len(tags.Words()); i < len(s.literals) {
		return s.literals[i]
	}
	v, text := s.heads.n(), ""
	switch v & 3 {
	case 0:
		text = string(s.texts.take(v >> 2))
	case 1:
		text = base64.StdEncoding.EncodeToString(s.texts.take(v >> 2))
	case 2:
		text = base64.StdEncoding.EncodeToString(s.blobs.take(v >> 2))
	}
	s.literals = append(s.literals, text)
	return text
}

func (s *slow) tag(dst []byte, p *spot) []byte {
	return s.value(nbt.AppendRawHeader(dst, p.t, []byte(p.name)), p)
}

func (s *slow) value(dst []byte, p *spot) []byte {
	s.meet(p)
	switch p.t {
	case nbt.Compound:
		members, raw := s.compound(p)
		if raw {
			panic(fmt.Sprint("no NBT below ", p.name))
		}
		for _, m := range members {
			dst = s.tag(dst, m)
		}
		return nbt.AppendEnd(dst)
	case nbt.List:
		elem, n := nbt.Type(p.notes.take(1)[0]), int(int32(p.notes.n()))
		dst = nbt.AppendListPayload(dst, elem, n)
		for range n {
			dst = s.value(dst, p.element(elem))
		}
		return dst
	case nbt.String:
		i := p.notes.n()
		if i == 0 {
			p.strings = append(p.strings, s.string())
			i = len(p.strings)
		}
		text := p.strings[i-1]
		return append(binary.BigEndian.AppendUint16(dst, uint16(len(text))), text...)
	case nbt.ByteArray, nbt.IntArray, nbt.LongArray:
		n := p.notes.n()
		return append(binary.BigEndian.AppendUint32(dst, uint32(n)), p.next(n)...)
	}
	return append(dst, p.next(1)...)
}

func (p *spot) element(t nbt.Type) *spot {
	for _, k := range p.below {
		if k.t == t {
			return k
		}
	}
	p.below = append(p.below, &spot{t: t})
	return p.below[len(p.below)-1]
}
