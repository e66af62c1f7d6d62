package tags

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
)

// Builder splits documents into streams. The zero value is ready. Goroutines must not
// share it.
type Builder struct {
	words   *words
	roots   map[string]*node
	entered []*node // in the order in which a Decoder meets them
	texts   map[string]int
	heads   []byte
	text    []byte
	blobs   []byte
	plain   int
	places  int
	news    int
}

// node is a place in the tree of tags: the values under one path of names.
type node struct {
	t       byte
	name    string
	kids    []*node
	index   map[string]int // of kids, by type and name
	seen    map[string]int // shapes of a compound, strings
	next    int            // the kid after the one last met
	shape   int            // 1 + the shape of the previous compound, which had these members
	members []int
	entered bool
	known   bool // a shape contains it
	notes   []byte
	values  []byte
}

// Payload adds the payload of a compound: its entries and the closing End. Anything
// else is kept raw. Documents with the same root have their values side by side.
func (w *Builder) Payload(root string, doc []byte) {
	n := w.root(root, len(doc))
	if skip(doc, tCompound, 0, maxDepth) != len(doc) {
		w.raw(n, doc)
		return
	}
	w.compound(n, doc, 0)
}

// Document adds a whole document: the type, name and payload of one tag. Anything
// else is kept raw.
func (w *Builder) Document(root string, doc []byte) {
	n, p := w.root(root, len(doc)), nameEnd(doc, 0)
	if len(doc) == 0 {
		w.shape(n, nil)
		return
	}
	if skip(doc, doc[0], p, maxDepth) != len(doc) {
		w.raw(n, doc)
		return
	}
	n.next = 0
	i := w.kid(n, doc[0], doc[3:p])
	w.shape(n, []int{i})
	w.value(n.kids[i], doc, p)
}

func (w *Builder) root(name string, size int) *node {
	if w.words == nil {
		w.words, w.roots, w.texts = known(), map[string]*node{}, map[string]int{}
	}
	n := w.roots[name]
	if n == nil {
		n = &node{t: tCompound}
		w.places++
		w.roots[name] = n
	}
	w.plain += size
	w.enter(n)
	return n
}

func (w *Builder) enter(n *node) {
	if !n.entered {
		n.entered = true
		w.entered = append(w.entered, n)
	}
}

func (w *Builder) head(v int) { w.heads = binary.AppendUvarint(w.heads, uint64(v)) }

func (n *node) note(v uint64) { n.notes = binary.AppendUvarint(n.notes, v) }

// raw keeps bytes that are not NBT. They have a shape of their own without a number.
func (w *Builder) raw(n *node, doc []byte) {
	n.note(0)
	w.head(0)
	w.head(len(doc))
	w.text = append(w.text, doc...)
}

// kid returns the index of n's kid with that type and name.
func (w *Builder) kid(n *node, t byte, name []byte) int {
	if n.next < len(n.kids) {
		if k := n.kids[n.next]; k.t == t && k.name == string(name) {
			n.next++
			return n.next - 1
		}
	}
	var buf [64]byte
	key := append(append(buf[:0], t), name...)
	i, ok := n.index[string(key)]
	if !ok {
		if n.index == nil {
			n.index = map[string]int{}
		}
		i = len(n.kids)
		n.index[string(key)] = i
		n.kids = append(n.kids, &node{t: t, name: string(name)})
		w.places++
	}
	n.next = i + 1
	return i
}

// old writes the number of what n has seen before, or that it is new. It reports
// which.
func (w *Builder) old(n *node, key []byte) bool {
	if i, ok := n.seen[string(key)]; ok {
		n.note(uint64(i) + 1)
		return true
	}
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	n.seen[string(key)] = len(n.seen)
	n.note(0)
	w.news++
	return false
}

// shape writes the shape of a compound with those kids.
func (w *Builder) shape(n *node, kids []int) {
	if n.shape > 0 && slices.Equal(kids, n.members) {
		n.note(uint64(n.shape))
		return
	}
	var buf [64]byte
	key := buf[:0]
	for _, k := range kids {
		key = binary.AppendUvarint(key, uint64(k))
	}
	n.members = append(n.members[:0], kids...)
	old := w.old(n, key)
	n.shape = n.seen[string(key)] + 1
	if old {
		return
	}
	w.news += len(kids)
	w.head(len(kids) + 1)
	for _, i := range kids {
		k := n.kids[i]
		if k.known {
			w.head(i + 1)
			continue
		}
		k.known = true
		w.head(0)
		w.heads = append(w.heads, k.t)
		w.string(k.name)
	}
}

// string writes a string: the number of a word, the number of an earlier string, or
// a new string.
func (w *Builder) string(s string) {
	if i, ok := w.words.word(s); ok {
		w.head(i)
		return
	}
	i, ok := w.texts[s]
	if !ok {
		i = len(w.texts)
		w.texts[s] = i
		w.news++
	}
	w.head(w.words.strings() + i)
	if !ok {
		w.text, w.blobs = w.literal(s)
	}
}

// The forms of a new string.
const (
	asText = 0
	asJSON = 1 // the base64 of a text
	asBlob = 2 // the base64 of bytes
)

// literal writes a new string and returns texts and blobs. Signed skins are text and
// random bytes in base64, which is a third larger than the bytes.
func (w *Builder) literal(s string) (text, blobs []byte) {
	const least = 16
	if len(s) >= least && len(s)%4 == 0 {
		b, err := base64.StdEncoding.DecodeString(s)
		switch {
		case err != nil || base64.StdEncoding.EncodeToString(b) != s:
		case b[0] == '{':
			w.head(len(b)<<2 | asJSON)
			return append(w.text, b...), w.blobs
		default:
			w.head(len(b)<<2 | asBlob)
			return w.text, append(w.blobs, b...)
		}
	}
	w.head(len(s)<<2 | asText)
	return append(w.text, s...), w.blobs
}

// compound adds the payload at p, which is well-formed, and returns its end. So do
// value and list.
func (w *Builder) compound(n *node, doc []byte, p int) int {
	var kidBuf, atBuf [24]int
	kids, at := kidBuf[:0], atBuf[:0]
	n.next = 0
	for doc[p] != tEnd {
		end := nameEnd(doc, p)
		kids, at = append(kids, w.kid(n, doc[p], doc[p+3:end])), append(at, end)
		p = skip(doc, doc[p], end, maxDepth)
	}
	w.shape(n, kids)
	for i, k := range kids {
		w.value(n.kids[k], doc, at[i])
	}
	return p + 1
}

func (w *Builder) value(n *node, doc []byte, p int) int {
	w.enter(n)
	switch {
	case n.t == tCompound:
		return w.compound(n, doc, p)
	case n.t == tList:
		return w.list(n, doc, p)
	}
	end := skip(doc, n.t, p, 0)
	switch {
	case n.t == tString:
		if s := doc[p+2 : end]; !w.old(n, s) {
			w.string(string(s))
		}
	case isArray(n.t):
		n.note(uint64(end-p-4) / uint64(width[n.t]))
		n.values = append(n.values, doc[p+4:end]...)
	default:
		n.values = append(n.values, doc[p:end]...)
	}
	return end
}

func (w *Builder) list(n *node, doc []byte, p int) int {
	elem, count := listHead(doc, p)
	n.notes = append(n.notes, elem)
	n.note(uint64(uint32(count)))
	p += 5
	if count <= 0 {
		return p
	}
	n.next = 0
	k := n.kids[w.kid(n, elem, nil)]
	if isNumber(elem) {
		w.enter(k)
		end := p + count*int(width[elem])
		k.values = append(k.values, doc[p:end]...)
		return end
	}
	for range count {
		p = w.value(k, doc, p)
	}
	return p
}

// Bytes returns the number of bytes added.
func (w *Builder) Bytes() int { return w.plain }

// Streams returns the streams and empties the Writer. ok is false if a Decoder would
// refuse the streams.
func (w *Builder) Streams() (streams [][]byte, ok bool) {
	var s [numSections][]byte
	s[heads] = w.heads
	size := func(v int) { s[sizes] = binary.AppendUvarint(s[sizes], uint64(v)) }
	for _, n := range w.entered {
		if !isNumber(n.t) {
			to := shapes
			if n.t == tString {
				to = picks
			}
			size(len(n.notes))
			s[to] = append(s[to], n.notes...)
		}
		if isNumber(n.t) || isArray(n.t) {
			s[numbers] = appendNumbers(s[numbers], n.t, n.values)
			size(len(n.values) / int(width[n.t]))
		}
	}
	tags := binary.AppendUvarint([]byte{WordsVersion}, uint64(w.plain))
	for _, b := range s[:numbers] {
		tags = binary.AppendUvarint(tags, uint64(len(b)))
	}
	for _, b := range s {
		tags = append(tags, b...)
	}
	all := len(tags) + len(w.text) + len(w.blobs)
	ok = w.places <= maxPlaces && w.news <= maxNew && w.plain/maxGrowth <= all
	streams = [][]byte{streamTags: tags, streamTexts: w.text, streamBlobs: w.blobs}
	*w = Builder{}
	return streams, ok
}
