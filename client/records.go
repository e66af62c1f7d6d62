package client

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
)

// RecordsType is the media type of bodies of records.
const RecordsType = "application/vnd.cairn"

// Body is a body of records in parts, so that a stone need not be copied to be
// sent. The zero Body has none.
type Body struct {
	parts [][]byte
	tail  []byte // what is written so far of the last part
	size  int64
}

// copied is up to which size a record is copied into the part before it.
const copied = 16 << 10

// Add appends a record. A large one is kept: it must not change while the Body
// is used.
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

// Size returns how many bytes the body has.
func (b *Body) Size() int64 { return b.size }

// WriteTo writes the body. It may be called again.
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

// Reader returns a reader of the body from its beginning, for one goroutine.
func (b *Body) Reader() io.Reader {
	return &bodyReader{b.all()}
}

func (b *Body) all() [][]byte { return append(b.parts[:len(b.parts):len(b.parts)], b.tail) }

// bodyReader reads the parts of a body one after the other.
type bodyReader struct{ parts [][]byte }

// Read is for io.Reader.
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

// Records reads records one by one. What it holds grows with the bytes that
// arrive, not with those that are announced. Errors about bytes are a
// *stone.CorruptError, those about bounds an *Error with TooLarge; those of the
// underlying reader are wrapped. Not safe for concurrent use.
type Records struct {
	r    *bufio.Reader
	at   int64 // offset of what is read next
	left int64 // bytes that may still come
}

// NewRecords returns a reader of records of at most total bytes, lengths
// included. It reads ahead.
func NewRecords(r io.Reader, total int64) *Records {
	return &Records{r: bufio.NewReaderSize(r, 2<<10), left: total}
}

// Reset makes r read another body, with the same buffer.
func (r *Records) Reset(from io.Reader, total int64) {
	r.r.Reset(from)
	r.at, r.left = 0, total
}

// Next returns the next record, which is the caller's, or io.EOF after the last.
// One of more than limit bytes is refused before it is read.
func (r *Records) Next(limit int64) ([]byte, error) {
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

// End returns an error unless the last record was read.
func (r *Records) End() error {
	if _, err := r.r.ReadByte(); err == nil {
		return r.corrupt(errors.New("more than is expected"))
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("client: records: %w", err)
	}
	return nil
}

// length reads the length of a record; io.EOF where there is none.
func (r *Records) length() (uint64, error) {
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

// firstRead is how many bytes are made room for before any arrived.
const firstRead = 64 << 10

func (r *Records) grow(n int) ([]byte, error) {
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

func (r *Records) wrap(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return r.corrupt(io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("client: records: %w", err)
}

func (r *Records) corrupt(err error) error {
	return &stone.CorruptError{Offset: r.at, Part: "records", Err: err}
}
