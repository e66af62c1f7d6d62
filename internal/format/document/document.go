// Package document reads files of one NBT document as streams, and the entries of compounds.
package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Document is a file of one NBT document, compressed by gzip or not, that is read as a
// stream. It can be read any number of times, so that a leaf needs no memory for an array
// that comes before its size.
type Document struct {
	r     io.ReaderAt
	size  int64
	bytes int64 // when inflated, at most; 0 is no bound
	limit *Limit
	noEnd bool // found by Walk
}

// inflated is how many bytes of a file a byte of memory may stand for.
const inflated = 16

// maxTag bounds a tag that is held in memory, in bytes.
const maxTag = 256 << 20

// NewDocument returns the document in the size bytes of r. maxBytes bounds the memory of what is
// read, and 16 times as many the bytes when inflated; see NewLimit for 0.
func NewDocument(r io.ReaderAt, size, maxBytes int64) *Document {
	return &Document{r: r, size: size, bytes: min(max(maxBytes, 0), math.MaxInt64/inflated) * inflated, limit: NewLimit(maxBytes)}
}

// Most returns maxBytes, or for 0 what a file of size bytes may take: ten times its size, and room for
// what compresses well.
func Most(maxBytes, size int64) int64 {
	if maxBytes > 0 {
		return maxBytes
	}
	return 10*size + 192<<20
}

// Limit bounds the memory of what is read from the document.
func (d *Document) Limit() *Limit { return d.limit }

// Stream returns a stream at the start of the document.
func (d *Document) Stream() (*nbt.Stream, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(d.r, 0, d.size), 64<<10)
	var r io.Reader = in
	if head, _ := in.Peek(2); bytes.Equal(head, gzipMagic) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, Corrupt("gzip", err)
		}
		r = z
	}
	if d.bytes > 0 {
		r = &format.Bounded{R: r, Left: d.bytes, Err: fmt.Errorf("%w when inflated", ErrTooLarge)}
	}
	return nbt.NewStream(r, nbt.Limits{Bytes: int(min(maxTag, d.limit.most))}), nil
}

// Corrupt returns an error that says that a part of the file is wrong. It passes
// ErrTooLarge on.
func Corrupt(part string, err error) error {
	var c *format.CorruptError
	if errors.Is(err, ErrTooLarge) || errors.As(err, &c) {
		return err
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &format.CorruptError{Offset: -1, Part: part, Err: err}
}

// Walk calls f with each entry of the root compound, and of the only entry of a root that has
// just the entry Schematic. f reads or skips the payload. Then Walk reads the file to its end.
// The End of these compounds may be missing in a file that gzip says is whole: some programs
// forget it.
func (d *Document) Walk(f func(s *nbt.Stream, t nbt.Type, name string) error) error {
	s, err := d.Stream()
	if err != nil {
		return err
	}
	if t, _ := s.Root(); t != nbt.Compound && s.Err() == nil {
		return Corrupt("root", fmt.Errorf("a tag of type %v", t))
	}
	err = d.each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
		if t == nbt.Compound && name == "Schematic" {
			return d.each(s, f)
		}
		return f(s, t, name)
	})
	if err == errNoEnd {
		d.noEnd = true
		return nil
	}
	if err != nil {
		return err
	}
	s.Drain()
	return s.Err()
}

// Notes returns what Walk found odd.
func (d *Document) Notes() []string {
	if !d.noEnd {
		return nil
	}
	return []string{"the file ends without its last tag End, as some programs write it: all of it is read"}
}

var errNoEnd = errors.New("the file ends without the last End")

// each is Each. Its error is errNoEnd if nothing but Ends may be missing.
func (d *Document) each(s *nbt.Stream, f func(s *nbt.Stream, t nbt.Type, name string) error) error {
	calls, returned := 0, 0
	err := Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
		calls++
		err := f(s, t, name)
		if err == nil && s.Err() == nil {
			returned++
		}
		return err
	})
	if err != nil && calls == returned && s.Ended() && d.zipped() {
		return errNoEnd
	}
	return err
}

// zipped reports whether the file is compressed.
func (d *Document) zipped() bool {
	var head [2]byte
	_, err := d.r.ReadAt(head[:], 0)
	return err == nil && bytes.Equal(head[:], gzipMagic)
}

var gzipMagic = []byte{0x1F, 0x8B}

// Each calls f with each entry of a compound of the stream. f reads or skips the payload.
func Each(s *nbt.Stream, f func(s *nbt.Stream, t nbt.Type, name string) error) error {
	for t, raw := s.Next(); t != nbt.End; t, raw = s.Next() {
		name, err := nbt.DecodeString(raw)
		if err != nil {
			return Corrupt("name of a tag", err)
		}
		if err := f(s, t, name); err != nil {
			return err
		}
		if s.Err() != nil {
			break
		}
	}
	return s.Err()
}

// Keep reads a payload and returns a copy. It counts its bytes.
func (d *Document) Keep(s *nbt.Stream, t nbt.Type) ([]byte, error) {
	raw := s.Raw(t)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return slices.Clone(raw), d.limit.Take(int64(len(raw)) + 64)
}

// KeepField adds an entry with a copy of its payload to all. It counts its bytes.
func (d *Document) KeepField(s *nbt.Stream, t nbt.Type, name string, all *[]Field) error {
	raw, err := d.Keep(s, t)
	*all = append(*all, Field{t, name, raw})
	return err
}

// Int reads the payload of an Int.
func Int(s *nbt.Stream) int32 {
	if b := s.Raw(nbt.Int); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// Edge reads an edge of a box: an unsigned short, or an int up to most, as some writers store it.
func Edge(s *nbt.Stream, t nbt.Type, name string, most int) (int32, error) {
	b := s.Raw(t)
	switch {
	case s.Err() != nil:
		return 0, s.Err()
	case t == nbt.Short:
		return int32(binary.BigEndian.Uint16(b)), nil
	case t != nbt.Int:
		return 0, Corrupt(name, fmt.Errorf("a tag of type %v", t))
	}
	n := int32(binary.BigEndian.Uint32(b))
	if n < 0 || int(n) > most {
		return 0, Corrupt(name, fmt.Errorf("%d, beyond 0 to %d", n, most))
	}
	return n, nil
}

// KeepList reads a list of compounds and adds copies of their payloads to all. It counts their bytes.
func (d *Document) KeepList(s *nbt.Stream, name string, all *[][]byte) error {
	elem, n := s.List()
	if n > 0 && elem != nbt.Compound {
		return Corrupt(name, fmt.Errorf("a list of type %v", elem))
	}
	for ; n > 0 && s.Err() == nil; n-- {
		raw, err := d.Keep(s, elem)
		if err != nil {
			return err
		}
		*all = append(*all, raw)
	}
	return s.Err()
}

// Output is a document that is written piece by piece, compressed by gzip.
type Output struct {
	Buf []byte // what Emit writes next
	z   *gzip.Writer
}

// Emit writes Buf and empties it.
func (o *Output) Emit() error {
	_, err := o.z.Write(o.Buf)
	o.Buf = o.Buf[:0]
	return err
}

// WriteGzip compresses what write emits and what it leaves in Buf.
func (o *Output) WriteGzip(to io.Writer, write func() error) error {
	o.z = gzip.NewWriter(to)
	if err := write(); err != nil {
		return err
	}
	if err := o.Emit(); err != nil {
		return err
	}
	return o.z.Close()
}

// Axes are the names of the ints of a point.
var Axes = [3]string{"x", "y", "z"}

// AppendPoint appends the three ints of a point.
func AppendPoint(dst []byte, names [3]string, p geom.Point) []byte {
	for i, v := range [...]int{p.X, p.Y, p.Z} {
		dst = nbt.AppendInt(dst, names[i], int32(v))
	}
	return dst
}

// Point returns the point of three ints of a compound, nil if one is missing.
func Point(fields []Field, names [3]string) *geom.Point {
	var p geom.Point
	for i, to := range [...]*int{&p.X, &p.Y, &p.Z} {
		b := Find(fields, names[i], nbt.Int)
		if b == nil {
			return nil
		}
		*to = int(int32(binary.BigEndian.Uint32(b)))
	}
	return &p
}

// Name puts the name of a format before an error that a function returns.
func Name(format string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", format, *err)
	}
}

// Field is an entry of a compound.
type Field struct {
	Type    nbt.Type
	Name    string
	Payload []byte
}

// Fields returns the entries of a compound's payload; nil has none.
func Fields(payload []byte) (out []Field, err error) {
	if payload == nil {
		return nil, nil
	}
	r := nbt.NewPayload(payload, nbt.Limits{Bytes: len(payload) + 1})
	for t, raw := r.Next(); t != nbt.End; t, raw = r.Next() {
		name, err := nbt.DecodeString(raw)
		if err != nil {
			return nil, err
		}
		out = append(out, Field{t, name, r.Raw(t)})
	}
	return out, r.Err()
}

// Append appends the field.
func (f Field) Append(dst []byte) []byte {
	return append(nbt.AppendHeader(dst, f.Type, f.Name), f.Payload...)
}

// Compound returns the payload of a compound of fields.
func Compound(fields []Field) []byte {
	var out []byte
	for _, f := range fields {
		out = f.Append(out)
	}
	return nbt.AppendEnd(out)
}

// Tags is Compound, but nil where there are no fields.
func Tags(fields []Field) []byte {
	if len(fields) == 0 {
		return nil
	}
	return Compound(fields)
}

// Find returns the field of that name and type, or nil.
func Find(fields []Field, name string, t nbt.Type) []byte {
	for _, f := range fields {
		if f.Name == name && f.Type == t {
			return f.Payload
		}
	}
	return nil
}

// Has reports whether there is a field of that name and type.
func Has(fields []Field, name string, t nbt.Type) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name && f.Type == t })
}

// Without returns the fields whose names are not in names.
func Without(fields []Field, names ...string) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return slices.Contains(names, f.Name) })
}

// Ints returns the point of three ints: those of an int array, or of a list of ints.
func Ints(t nbt.Type, payload []byte) (p geom.Point, ok bool) {
	r := nbt.NewPayload(payload, nbt.Limits{})
	n := -1
	switch t {
	case nbt.IntArray:
		n = int(r.Int())
	case nbt.List:
		if elem, k := r.List(); elem == nbt.Int {
			n = k
		}
	}
	if n != 3 {
		return p, false
	}
	p = geom.Point{X: int(r.Int()), Y: int(r.Int()), Z: int(r.Int())}
	return p, r.Err() == nil
}

// Peek returns the names and types of the entries of the root of a document, as far as the
// first bytes of its file tell, and of a Schematic in it. Leaves detect their files by them.
func Peek(head []byte) (names []Field) {
	d := NewDocument(bytes.NewReader(head), int64(len(head)), peekBytes)
	// The error is that of a file that ends early.
	_ = d.Walk(func(s *nbt.Stream, t nbt.Type, name string) error {
		names = append(names, Field{Type: t, Name: name})
		if len(names) == peekNames {
			return errors.New("enough")
		}
		s.Skip(t)
		return nil
	})
	return names
}

const (
	peekBytes = 1 << 20
	peekNames = 64
)

// Doubles returns the three numbers of a list of doubles, nil if it is no such list.
func Doubles(payload []byte) *[3]float64 {
	r := nbt.NewPayload(payload, nbt.Limits{})
	if elem, n := r.List(); elem != nbt.Double || n != 3 {
		return nil
	}
	v := &[3]float64{r.Double(), r.Double(), r.Double()}
	if r.Err() != nil {
		return nil
	}
	return v
}

// ErrTooLarge says that there is more than a limit allows.
var ErrTooLarge = errors.New("the file takes more memory than allowed")

// Limit bounds the memory of what is read.
type Limit struct{ most, left int64 }

// NewLimit returns a limit of that many bytes, or of 4 GiB if there are none.
func NewLimit(maxBytes int64) *Limit {
	if maxBytes <= 0 {
		maxBytes = 4 << 30
	}
	return &Limit{maxBytes, maxBytes}
}

// Take counts n bytes. It fails with ErrTooLarge when there are too many.
func (l *Limit) Take(n int64) error {
	if l.left -= n; l.left < 0 {
		l.left = math.MinInt64 / 2
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, l.most)
	}
	return nil
}
