package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// body reads the body of a call: at most limit bytes, and not slower than the
// allowed rate. A Content-Length alone reserves no memory.
type body struct {
	c        *call
	from     io.Reader
	limit    int64
	n        int64 // bytes read
	kept     bool  // the bytes stay in memory until the call ends
	taken    int64 // of memory for it
	deadline time.Time
	ended    bool
}

// body returns a reader of the body that reads at most limit bytes; a longer body
// is too_large. If kept is set, the bytes count as memory until the call ends.
func (c *call) body(limit int64, kept bool) (io.Reader, error) {
	if c.r.ContentLength > limit {
		return nil, fault(wire.TooLarge, "a body of %d bytes: at most %d", c.r.ContentLength, limit)
	}
	c.in = body{c: c, from: c.r.Body, limit: limit, kept: kept}
	return &c.in, nil
}

// readAll reads the body into memory.
func (c *call) readAll(most int64) ([]byte, error) {
	from, err := c.body(most, true)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

// recordReaders keeps *wire.Records with their buffers.
var recordReaders sync.Pool

// records returns a reader of the records of the body. The caller returns the
// reader with recycle.
func (c *call) records() (*wire.RecordReader, error) {
	from, err := c.body(c.limits.StoneBytes, true)
	if err != nil {
		return nil, err
	}
	r, ok := recordReaders.Get().(*wire.RecordReader)
	if !ok {
		return wire.NewRecordReader(from, c.limits.StoneBytes), nil
	}
	r.Reset(from, c.limits.StoneBytes)
	return r, nil
}

func recycle(r *wire.RecordReader) {
	r.Reset(nil, 0) // otherwise it would keep the call alive
	recordReaders.Put(r)
}

// reserveStep is the number of bytes of memory that a body takes at a time.
const reserveStep = 32 << 10

func (b *body) Read(p []byte) (int, error) {
	b.pace()
	n, err := b.from.Read(p[:min(len(p), reserveStep)])
	b.n += int64(n)
	switch {
	case b.n > b.limit:
		return 0, fault(wire.TooLarge, "a body of more than %d bytes", b.limit)
	case err == io.EOF:
		b.ended = true
		b.c.readBy(time.Time{}) // otherwise the call would end at the deadline
		b.c.restart()
	case err != nil:
		return n, b.cut(err)
	}
	if b.kept && b.n > b.taken {
		if !b.c.reserve(reserveStep) {
			return 0, errTraffic
		}
		b.taken += reserveStep
	}
	return n, err
}

// pace moves the deadline of reading according to the bytes that have arrived.
func (b *body) pace() {
	due := b.c.began.Add(b.c.patience(b.n))
	if b.ended || due.Sub(b.deadline) < time.Second {
		return
	}
	b.deadline = due
	b.c.readBy(due)
	if b.n > 0 { // the first bytes must arrive within the time of every call
		b.c.writeBy(due.Add(b.c.limits.Time + b.c.limits.Patience))
	}
}

// patience returns how long the transfer of n bytes may take.
func (c *call) patience(n int64) time.Duration {
	return c.limits.Patience + time.Duration(float64(n)/float64(c.limits.BodyRate)*float64(time.Second))
}

// cut returns the error of a body that ended early, with a text for the caller.
func (b *body) cut(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault(wire.Timeout, "the body came too slowly")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault(wire.BadRequest, "the body ended after %d bytes", b.n)
	}
	return fault(wire.BadRequest, "the body cannot be read")
}

var errTraffic = fault(wire.Busy, "the server is sending or receiving too many bytes at this moment")

// reserve reserves memory until the call ends.
func (c *call) reserve(n int64) bool {
	if !c.memory.Reserve(n) {
		return false
	}
	c.held += n
	return true
}

// release releases the memory that reserve took.
func (c *call) release() {
	c.memory.Release(c.held)
	c.held = 0
}

// readBy sets the deadline for reading the body, writeBy the deadline for writing
// the answer. Some ResponseWriters have no deadlines; that error is ignored.
func (c *call) readBy(due time.Time) {
	_ = http.NewResponseController(c.w).SetReadDeadline(due)
}

func (c *call) writeBy(due time.Time) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(due)
}
