package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/client"
)

// memory is the bytes of bodies that may be in memory at a time. Who does not get
// any is turned away: waiting with some in hand for more could last for ever.
type memory struct{ free atomic.Int64 }

func (m *memory) take(n int64) bool {
	if m.free.Add(-n) >= 0 {
		return true
	}
	m.free.Add(n)
	return false
}

func (m *memory) give(n int64) { m.free.Add(n) }

// body reads the body of a call: up to limit bytes, and no slower than it must.
// What a header says of its length costs nothing.
type body struct {
	c        *call
	from     io.Reader
	limit    int64
	n        int64 // bytes read
	kept     bool  // what is read stays in memory until the call ends
	taken    int64 // of memory for it
	deadline time.Time
	ended    bool
}

// body returns the body to be read up to limit bytes; more is too_large. What is
// read counts as memory until the call ends if kept says so.
func (c *call) body(limit int64, kept bool) (io.Reader, error) {
	if c.r.ContentLength > limit {
		return nil, fault(client.TooLarge, "a body of %d bytes: at most %d", c.r.ContentLength, limit)
	}
	c.in = body{c: c, from: c.r.Body, limit: limit, kept: kept}
	return &c.in, nil
}

// recordReaders keeps *client.Records with their buffers.
var recordReaders sync.Pool

// records returns a reader of the records of the body, which goes back with
// recycle.
func (c *call) records() (*client.Records, error) {
	from, err := c.body(c.limits.StoneBytes, true)
	if err != nil {
		return nil, err
	}
	r, ok := recordReaders.Get().(*client.Records)
	if !ok {
		return client.NewRecords(from, c.limits.StoneBytes), nil
	}
	r.Reset(from, c.limits.StoneBytes)
	return r, nil
}

func recycle(r *client.Records) {
	r.Reset(nil, 0) // else it holds the call
	recordReaders.Put(r)
}

// chunk is by how much at a time a body takes memory.
const chunk = 32 << 10

func (b *body) Read(p []byte) (int, error) {
	b.pace()
	n, err := b.from.Read(p[:min(len(p), chunk)])
	b.n += int64(n)
	switch {
	case b.n > b.limit:
		return 0, fault(client.TooLarge, "a body of more than %d bytes", b.limit)
	case err == io.EOF:
		b.ended = true
		b.c.readBy(time.Time{}) // else the call ends when the deadline is over
		b.c.restart()
	case err != nil:
		return n, b.cut(err)
	}
	if b.kept && b.n > b.taken {
		if !b.c.hold(chunk) {
			return 0, fault(client.Busy, "too much is being sent at this moment")
		}
		b.taken += chunk
	}
	return n, err
}

// pace moves the deadline of reading on by what has arrived.
func (b *body) pace() {
	due := b.c.began.Add(b.c.patience(b.n))
	if b.ended || due.Sub(b.deadline) < time.Second {
		return
	}
	b.deadline = due
	b.c.readBy(due)
	if b.n > 0 { // the first is within the time that every call has
		b.c.writeBy(due.Add(b.c.limits.Time + b.c.limits.Patience))
	}
}

// patience is how long n bytes may take on their way.
func (c *call) patience(n int64) time.Duration {
	return c.limits.Patience + time.Duration(float64(n)/float64(c.limits.BodyRate)*float64(time.Second))
}

// cut says why a body ended early: in words for the caller, if it can hear them.
func (b *body) cut(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault(client.Timeout, "the body came too slowly")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault(client.BadRequest, "the body was cut after %d bytes", b.n)
	}
	return fault(client.BadRequest, "the body cannot be read")
}

// hold takes memory until the call ends.
func (c *call) hold(n int64) bool {
	if !c.memory.take(n) {
		return false
	}
	c.held += n
	return true
}

// giveBack ends what hold took.
func (c *call) giveBack() {
	c.memory.give(c.held)
	c.held = 0
}

// readBy sets when what the caller sends must have arrived, writeBy when it must
// have taken the answer. A ResponseWriter that knows no deadlines has none to
// keep.
func (c *call) readBy(due time.Time) {
	_ = http.NewResponseController(c.w).SetReadDeadline(due)
}

func (c *call) writeBy(due time.Time) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(due)
}
