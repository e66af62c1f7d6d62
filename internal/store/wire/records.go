package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
)

// Body is a body of records in several parts, so that stones are sent without a
// copy. The zero Body has no record.
type Body struct {
	parts [][]byte
	tail  []byte // the last part, as far as it is written
	size  int64
}

// JSONBody returns a body that is no records but v in JSON.
func JSONBody(v any) *Body {
	b := toJSON(v)
	return &Body{tail: b, size: int64(len(b))}
}

// toJSON returns one of this package's types in JSON.
func toJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("wire: a value that is no JSON: " + err.Error())
	}
	return b
}

// copied is the largest size of a record that is copied into the part before it.
const copied = 16 << 10

// Add appends a record. A large record is not copied: it must not change while the
// Body is in use.
func (b *Body) Add(record []byte) {
	was := len(b.tail)
	b.tail = binary.AppendUvarint(b.tail, uint64(len(record)))
	b.size += int64(len(b.tail)-was) + int64(len(record))
	if len(record) <= copied {
		b.tail = append(b.tail, record...)
		return
	}
	b.parts = append(b.parts, b.tail, record)
	b.tail = nil
}

// Size returns the number of bytes of the body.
func (b *Body) Size() int64 { return b.size }

// WriteTo writes the body. It may be called repeatedly.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, p := range b.all() {
		n, err := w.Write(p)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Reader returns a reader of the whole body, for one goroutine.
func (b *Body) Reader() io.Reader {
	return &bodyReader{b.all()}
}

func (b *Body) all() [][]byte { return append(b.parts[:len(b.parts):len(b.parts)], b.tail) }

// bodyReader reads the parts of a body one after the other.
type bodyReader struct{ parts [][]byte }

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for len(r.parts) > 0 {
		k := copy(p[n:], r.parts[0])
		n += k
		if r.parts[0] = r.parts[0][k:]; len(r.parts[0]) > 0 {
			return n, nil
		}
		r.parts = r.parts[1:]
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// RecordReader reads records one by one. Its memory grows with the bytes that arrive,
// not with announced lengths. Errors about bytes are a *stone.CorruptError; errors
// about bounds are an *Error with TooLarge; errors of the underlying reader are
// wrapped. It is not safe for concurrent use.
type RecordReader struct {
	r    *bufio.Reader
	at   int64 // offset of the next byte
	left int64 // bytes that may still come
}

// NewRecordReader returns a reader of records that have at most total bytes, including
// their lengths. It reads ahead.
func NewRecordReader(r io.Reader, total int64) *RecordReader {
	return &RecordReader{r: bufio.NewReaderSize(r, 2<<10), left: total}
}

// Reset makes r read another body, with the same buffer.
func (r *RecordReader) Reset(from io.Reader, total int64) {
	r.r.Reset(from)
	r.at, r.left = 0, total
}

// Next returns the next record, which belongs to the caller, or io.EOF after the
// last record. It refuses a record of more than limit bytes before it reads the
// record.
func (r *RecordReader) Next(limit int64) ([]byte, error) {
	n, err := r.length()
	if err != nil {
		return nil, err
	}
	if n > uint64(max(limit, 0)) || n > uint64(max(r.left, 0)) {
		return nil, &Error{TooLarge, fmt.Sprintf("a record of %d bytes: at most %d", n, max(min(limit, r.left), 0))}
	}
	r.left -= int64(n)
	record, err := r.grow(int(n))
	if err != nil {
		return nil, err
	}
	r.at += int64(n)
	return record, nil
}

// End returns an error unless all records were read.
func (r *RecordReader) End() error {
	if _, err := r.r.ReadByte(); err == nil {
		return r.corrupt(errors.New("unexpected bytes after the last record"))
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("wire: records: %w", err)
	}
	return nil
}

// length reads the length of a record. It returns io.EOF at the end.
func (r *RecordReader) length() (uint64, error) {
	var n uint64
	for i := 0; i < binary.MaxVarintLen64; i++ {
		c, err := r.r.ReadByte()
		if err == io.EOF && i == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, r.wrap(err)
		}
		r.at++
		r.left--
		if n |= uint64(c&0x7F) << (7 * i); c < 0x80 {
			if i == binary.MaxVarintLen64-1 && c > 1 || i > 0 && c == 0 {
				break
			}
			return n, nil
		}
	}
	return 0, r.corrupt(errors.New("not a length in its shortest form"))
}

// firstRead is the number of bytes that are allocated before any byte has arrived.
const firstRead = 64 << 10

func (r *RecordReader) grow(n int) ([]byte, error) {
	buf := make([]byte, min(n, firstRead))
	for done := 0; ; {
		k, err := io.ReadFull(r.r, buf[done:])
		if err != nil {
			r.at += int64(done + k)
			return nil, r.wrap(err)
		}
		if done = len(buf); done == n {
			return buf, nil
		}
		more := make([]byte, min(n, 4*done))
		copy(more, buf)
		buf = more
	}
}

func (r *RecordReader) wrap(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return r.corrupt(io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("wire: records: %w", err)
}

func (r *RecordReader) corrupt(err error) error {
	return &stone.CorruptError{Offset: r.at, Part: "records", Err: err}
}
