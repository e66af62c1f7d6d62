package tags

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// Decoder returns the documents of a Writer in order, by the calls that wrote them.
// Its first error sticks. Goroutines must not share it.
type Decoder struct {
	words       *words
	sections    [numSections]cursor // each place takes its part of them
	text, blobs cursor
	roots       map[string]*place
	texts       [][]byte
	plain       int    // bytes of all documents
	out         []byte // bytes of the documents so far
	places      int
	news        int
	steps       int
	ctx         context.Context // nil: never ends
	err         error
}

// stepsAtOnce is how many values are read before the context is asked again, and bytesAtOnce how
// many bytes of numbers.
const (
	stepsAtOnce = 1 << 12
	bytesAtOnce = 1 << 20
)

// place is a node of the tree of tags.
type place struct {
	t       byte
	head    []byte // the bytes before a value in a compound
	kids    []*place
	shapes  [][]*place // of a compound
	strings [][]byte   // each with its length before it
	entered bool
	notes   cursor
	values  cursor
}

// NewDecoder returns a Decoder of streams whose documents have at most most bytes
// together. If the streams cannot be read, documents are empty and Err returns the
// error.
func NewDecoder(streams [][]byte, most int) *Decoder {
	r := &Decoder{roots: map[string]*place{}, out: []byte{}}
	if len(streams) != NumStreams {
		r.fail(corruptf(0, "tags", "%d streams", len(streams)))
		return r
	}
	c := cursor{r: r, b: streams[streamTags], part: "tags"}
	r.text = cursor{r: r, b: streams[streamTexts], part: "tags texts"}
	r.blobs = cursor{r: r, b: streams[streamBlobs], part: "tags blobs"}
	if v := c.byte(); v != WordsVersion {
		r.fail(corruptf(0, "tags", "words of version %d", v))
	}
	all := len(c.b) + len(r.text.b) + len(r.blobs.b)
	r.plain = c.atMost(min(most, all*maxGrowth+maxGrowth-1))
	var n [numSections]int
	for i := range numbers {
		n[i] = c.atMost(len(c.b))
	}
	for i, name := range []string{"tags sizes", "tags heads", "tags shapes", "tags picks"} {
		r.sections[i] = cursor{r: r, b: c.take(n[i]), part: name}
	}
	r.sections[numbers] = cursor{r: r, b: c.take(len(c.b) - c.at), part: "tags numbers"}
	if r.err == nil {
		r.words = known()
		r.out = make([]byte, 0, min(r.plain, 64*all))
	}
	return r
}

// Until makes the Decoder end soon after ctx ends, with its error.
func (r *Decoder) Until(ctx context.Context) { r.ctx = ctx }

// Err returns the first error, a *codec.CorruptError but for that of Until.
func (r *Decoder) Err() error { return r.err }

// End returns the first error, or an error if something was not read.
func (r *Decoder) End() error {
	if r.err == nil && len(r.out) != r.plain {
		r.fail(corruptf(0, "tags", "documents of %d bytes, want %d", len(r.out), r.plain))
	}
	for i := range r.sections {
		r.sections[i].end()
	}
	r.text.end()
	r.blobs.end()
	for _, p := range r.roots {
		p.end()
	}
	return r.err
}

// end fails if something of p was not read.
func (p *place) end() {
	p.notes.end()
	p.values.end()
	for _, k := range p.kids {
		k.end()
	}
}

func (r *Decoder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Payload returns the next document, which Writer.Payload wrote.
func (r *Decoder) Payload(root string) []byte {
	return r.document(root, func(out []byte, kids []*place) []byte {
		return append(r.members(out, kids, maxDepth-1), tEnd)
	})
}

// Document returns the next document, which Writer.Document wrote.
func (r *Decoder) Document(root string) []byte {
	return r.document(root, func(out []byte, kids []*place) []byte {
		if len(kids) > 1 {
			r.fail(corruptf(0, "tags shapes", "a document of %d tags", len(kids)))
			return out
		}
		return r.members(out, kids, maxDepth)
	})
}

func (r *Decoder) document(root string, whole func([]byte, []*place) []byte) []byte {
	if r.err != nil {
		return []byte{}
	}
	n := r.roots[root]
	if n == nil {
		n = r.newPlace(tCompound)
		r.roots[root] = n
	}
	r.enter(n)
	at := len(r.out)
	if kids, raw := r.shape(n); raw {
		h := &r.sections[heads]
		r.out = append(r.out, r.text.take(h.atMost(len(r.text.b)-r.text.at))...)
	} else {
		r.out = whole(r.out, kids)
	}
	if r.over(r.out) {
		return []byte{}
	}
	return r.out[at:len(r.out):len(r.out)]
}

func (r *Decoder) newPlace(t byte) *place {
	if r.places++; r.places > maxPlaces {
		r.fail(corruptf(0, "tags heads", "more than %d places", maxPlaces))
	}
	return &place{t: t}
}

// grown counts bytes of memory that are not part of documents.
func (r *Decoder) grown(n int) {
	if r.news += n; r.news > maxNew {
		r.fail(corruptf(0, "tags heads", "more than %d strings and members", maxNew))
	}
}

// enter gives a place its part of the sections when it is first met.
func (r *Decoder) enter(p *place) {
	if p.entered {
		return
	}
	p.entered = true
	size := &r.sections[sizes]
	if !isNumber(p.t) {
		from := &r.sections[shapes]
		if p.t == tString {
			from = &r.sections[picks]
		}
		p.notes = cursor{r: r, b: from.take(size.atMost(len(from.b) - from.at)), part: from.part}
	}
	if isNumber(p.t) || isArray(p.t) {
		from, wide := &r.sections[numbers], int(width[p.t])
		n := size.uvarint()
		if n > uint64(len(from.b)-from.at)/uint64(wide) {
			size.fail(fmt.Errorf("%d numbers of %d bytes", n, wide))
			n = 0
		}
		p.values = cursor{r: r, b: r.decodeNumbers(p.t, from.take(int(n)*wide)), part: from.part}
	}
}

// shape returns the members of a compound. raw says that a document is not NBT.
func (r *Decoder) shape(p *place) (kids []*place, raw bool) {
	i := p.notes.uvarint()
	if i > 0 {
		if i > uint64(len(p.shapes)) {
			p.notes.fail(fmt.Errorf("shape %d of %d", i-1, len(p.shapes)))
			return nil, false
		}
		return p.shapes[i-1], false
	}
	h := &r.sections[heads]
	n := h.atMost(len(h.b) - h.at + 1)
	if n == 0 {
		return nil, true
	}
	r.grown(n)
	for range n - 1 {
		kids = append(kids, r.member(p))
		if r.err != nil {
			return nil, false
		}
	}
	p.shapes = append(p.shapes, kids)
	return kids, false
}

// member reads a member of a new shape.
func (r *Decoder) member(p *place) *place {
	h := &r.sections[heads]
	if i := h.atMost(len(p.kids)); i > 0 {
		return p.kids[i-1]
	}
	k := r.newPlace(h.byte())
	if k.t == tEnd || k.t >= numTypes {
		h.fail(fmt.Errorf("a tag of type %d", k.t))
	}
	name := r.string()
	k.head = append(append(make([]byte, 0, 1+len(name)), k.t), name...)
	p.kids = append(p.kids, k)
	return k
}

// string reads a string in the form of NBT: two bytes of length, then the bytes.
func (r *Decoder) string() []byte {
	h := &r.sections[heads]
	words := r.words.strings()
	i := h.atMost(words + len(r.texts))
	if i < words {
		s := r.words.string(i)
		return append(binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(s)), uint16(len(s))), s...)
	}
	if i -= words; i == len(r.texts) {
		r.grown(1)
		r.texts = append(r.texts, r.literal())
	}
	return r.texts[i]
}

func (r *Decoder) literal() []byte {
	h := &r.sections[heads]
	v := h.atMost(maxString<<2 | 3)
	n, from := v>>2, &r.text
	switch v & 3 {
	case asText:
		s := from.take(n)
		return append(binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(s)), uint16(len(s))), s...)
	case asJSON:
	case asBlob:
		from = &r.blobs
	default:
		h.fail(errors.New("a string of unknown kind"))
	}
	size := base64.StdEncoding.EncodedLen(n)
	if size > maxString {
		h.fail(fmt.Errorf("a string of %d bytes", size))
		return []byte{0, 0}
	}
	return base64.StdEncoding.AppendEncode(binary.BigEndian.AppendUint16(make([]byte, 0, 2+size), uint16(size)), from.take(n))
}

// The following functions append to out and return it. If they used r.out, every
// number would cost a write barrier of the garbage collector.

// members appends the entries of a compound. depth is how many more levels are
// allowed below it.
func (r *Decoder) members(out []byte, kids []*place, depth int) []byte {
	for _, k := range kids {
		out = r.value(append(out, k.head...), k, depth)
		if r.over(out) {
			break
		}
	}
	return out
}

// over reports whether reading must stop early.
func (r *Decoder) over(out []byte) bool {
	if len(out) > r.plain {
		r.fail(corruptf(0, "tags", "documents of more than %d bytes", r.plain))
	}
	if r.steps++; r.steps%stepsAtOnce == 0 {
		r.ended()
	}
	return r.err != nil
}

// ended reports whether the context has ended, and fails if it has.
func (r *Decoder) ended() bool {
	if r.ctx == nil || r.ctx.Err() == nil {
		return false
	}
	r.fail(r.ctx.Err())
	return true
}

// value appends the next payload of a place. Each value takes at least one byte of
// the place, so the input bounds their number.
func (r *Decoder) value(out []byte, p *place, depth int) []byte {
	if !p.entered {
		r.enter(p)
	}
	wide := int(width[p.t])
	switch p.t {
	case tString:
		return r.pick(out, p)
	case tCompound, tList:
		if depth == 0 {
			p.notes.fail(fmt.Errorf("tags more than %d deep", maxDepth))
			return out
		}
		if p.t == tList {
			return r.list(out, p, depth-1)
		}
		kids, raw := r.shape(p)
		if raw {
			p.notes.fail(errors.New("a compound that is no NBT"))
		}
		return append(r.members(out, kids, depth-1), tEnd)
	case tBytes, tInts, tLongs:
		n := p.notes.atMost((len(p.values.b) - p.values.at) / wide)
		return append(binary.BigEndian.AppendUint32(out, uint32(n)), p.values.take(n*wide)...)
	}
	return append(out, p.values.take(wide)...)
}

// pick appends a string of the place.
func (r *Decoder) pick(out []byte, p *place) []byte {
	i := p.notes.uvarint()
	switch {
	case i == 0:
		r.grown(1)
		p.strings = append(p.strings, r.string())
		i = uint64(len(p.strings))
	case i > uint64(len(p.strings)):
		p.notes.fail(fmt.Errorf("string %d of %d", i-1, len(p.strings)))
		return out
	}
	return append(out, p.strings[i-1]...)
}

func (r *Decoder) list(out []byte, p *place, depth int) []byte {
	elem, v := p.notes.byte(), p.notes.uvarint()
	n := int(int32(uint32(v)))
	if elem >= numTypes || v>>32 != 0 || elem == tEnd && n > 0 {
		p.notes.fail(fmt.Errorf("a list of %d of type %d", n, elem))
		return out
	}
	out = binary.BigEndian.AppendUint32(append(out, elem), uint32(v))
	if n <= 0 {
		return out
	}
	k := r.element(p, elem)
	r.enter(k)
	if isNumber(elem) {
		return append(out, k.values.take(min(n*int(width[elem]), len(k.values.b)+1))...)
	}
	for ; n > 0 && !r.over(out); n-- {
		out = r.value(out, k, depth)
	}
	return out
}

// element returns the place of a list's elements of type t.
func (r *Decoder) element(p *place, t byte) *place {
	for _, k := range p.kids {
		if k.t == t {
			return k
		}
	}
	k := r.newPlace(t)
	p.kids = append(p.kids, k)
	return k
}
