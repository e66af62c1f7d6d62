// Package metered counts the calls to the halves of a Store: how many, how long they
// take, and how they end. Begin with New; wrap both halves before store/pair gets them.
// Package internal/server/metrics shows the counts.
package metered

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// Results of calls.
const (
	OK       = iota
	Refused  // a condition did not hold, or the key had bytes already
	Absent   // the key has no bytes
	Away     // the catalogue or bucket does not answer
	Canceled // the caller no longer wanted it
	Failed   // any other error
	results
)

// ResultNames are the names of the results.
var ResultNames = [results]string{"ok", "refused", "absent", "away", "canceled", "failed"}

// Bounds are the upper bounds of the times in Counts.Times, which has one number more.
var Bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
}

// Counts are what was counted of one operation.
type Counts struct {
	Half      string // Catalogue or Bucket
	Operation string
	Results   [results]uint64 // by result
	Times     [len(Bounds) + 1]uint64
	Took      time.Duration // all calls together
	Bytes     uint64        // that were put or got, of a bucket
}

// The halves.
const (
	Catalogue = "catalogue"
	Bucket    = "bucket"
)

// Operations of the halves: the methods of history.Catalogue and Pinger, and those of
// blob.Bucket. The time of a Clock is not one: as a rule it needs no call.
const (
	get = iota
	scan
	snapshot
	swap
	ping
	put
	read
	head
	list
	remove
	pingBucket
	other // of a Request
	operations
)

var names = [operations]struct{ half, operation string }{
	get: {Catalogue, "get"}, scan: {Catalogue, "scan"}, snapshot: {Catalogue, "snapshot"},
	swap: {Catalogue, "swap"}, ping: {Catalogue, "ping"},
	put: {Bucket, "put"}, read: {Bucket, "get"}, head: {Bucket, "head"},
	list: {Bucket, "list"}, remove: {Bucket, "delete"}, pingBucket: {Bucket, "ping"}, other: {Bucket, "other"},
}

// Calls counts calls. All methods are safe for any number of goroutines; a call costs
// some atomic additions.
type Calls struct {
	now func() time.Time
	ops [operations]operation
}

type operation struct {
	results [results]atomic.Uint64
	times   [len(Bounds) + 1]atomic.Uint64
	took    atomic.Int64
	bytes   atomic.Uint64
}

// New returns Calls that are all zero. now is the clock; nil stands for time.Now.
func New(now func() time.Time) *Calls {
	if now == nil {
		now = time.Now
	}
	return &Calls{now: now}
}

// All returns the counts of all operations that the halves can have.
func (c *Calls) All() []Counts {
	out := make([]Counts, operations)
	for i := range c.ops {
		op, to := &c.ops[i], &out[i]
		to.Half, to.Operation = names[i].half, names[i].operation
		for r := range op.results {
			to.Results[r] = op.results[r].Load()
		}
		for b := range op.times {
			to.Times[b] = op.times[b].Load()
		}
		to.Took, to.Bytes = time.Duration(op.took.Load()), op.bytes.Load()
	}
	return out
}

// Request counts a call that a bucket made. It is for the Options of a bucket that nobody
// wraps, such as one for backups.
func (c *Calls) Request(t blob.Request) {
	op := put
	for op < other && names[op].operation != t.Op {
		op++
	}
	c.count(op, t.Took, t.Bytes, t.Err)
}

// observe counts a call that began at began.
func (c *Calls) observe(op int, began time.Time, bytes int, err error) {
	c.count(op, c.now().Sub(began), int64(bytes), err)
}

func (c *Calls) count(op int, took time.Duration, bytes int64, err error) {
	o := &c.ops[op]
	b := 0
	for b < len(Bounds) && took > Bounds[b] {
		b++
	}
	o.results[resultOf(err)].Add(1)
	o.times[b].Add(1)
	o.took.Add(int64(took))
	if err == nil && bytes > 0 {
		o.bytes.Add(uint64(bytes))
	}
}

func resultOf(err error) int {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, history.ErrChanged), errors.Is(err, blob.ErrExists):
		return Refused
	case errors.Is(err, fs.ErrNotExist):
		return Absent
	case errors.Is(err, history.ErrAway), errors.Is(err, blob.ErrAway):
		return Away
	case errors.Is(err, context.Canceled):
		return Canceled
	}
	return Failed
}

// optional returns the Clock and the Pinger of a half, nil if it has none.
func (c *Calls) optional(half any, ping int) (history.Clock, *pinger) {
	t, _ := half.(history.Clock)
	if of, ok := half.(history.Pinger); ok {
		return t, &pinger{of, c, ping}
	}
	return t, nil
}

// pinger is a history.Pinger that is counted.
type pinger struct {
	of history.Pinger
	c  *Calls
	op int
}

func (p *pinger) Ping(ctx context.Context) error {
	began := p.c.now()
	err := p.of.Ping(ctx)
	p.c.observe(p.op, began, 0, err)
	return err
}
