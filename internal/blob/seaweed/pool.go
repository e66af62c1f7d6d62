package seaweed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/retry"
)

const (
	// batchFor is how long a process uses a batch.
	batchFor = 30 * time.Minute
	// sweepAfter is how old a batch is when Sweep takes it for left behind.
	sweepAfter = time.Hour
)

// batch is file ids that a master assigned together: all in one volume, with numbers
// one after the other. Its record is written before its first id is used.
type batch struct {
	grant
	first  file
	server string // where to put
	opened time.Time

	// The pool's mutex guards these.
	next  int
	out   int    // ids in use
	dirty []file // ids that may have bytes and have no name
	used  []int  // indexes that have a name
	left  bool   // to Sweep: it is unknown what became of an id
}

// id is one file id of a batch.
type id struct {
	*batch
	index int
}

func (i id) file() file {
	f := i.first
	f.number += uint64(i.index)
	return f
}

// record is the batch's record, which is a condition of each name of its ids.
func (g *batch) record() Name { return Name{batchOf + g.first.String(), g.value()} }

// pool has batches for one number of copies.
type pool struct {
	b    *Volumes
	word string

	mu      sync.Mutex
	open    []*batch
	turn    int
	filling chan struct{} // closed when the fill under way ends; nil if there is none
	err     error         // of the last fill
}

func newPool(b *Volumes, word string) *pool { return &pool{b: b, word: word} }

// take returns an id. It waits for a master only if there is none.
func (p *pool) take(ctx context.Context) (id, error) {
	for {
		p.mu.Lock()
		got, left := p.pick()
		if left <= p.b.o.IDs*(p.b.o.Batches-1) {
			p.fill()
		}
		filling := p.filling
		p.mu.Unlock()
		if got.batch != nil {
			return got, nil
		}
		select {
		case <-filling:
		case <-ctx.Done():
			return id{}, ctx.Err()
		}
		p.mu.Lock()
		err := p.err
		p.mu.Unlock()
		if err != nil {
			return id{}, err
		}
	}
}

// pick takes an id of the next batch, so that writers spread over volumes. It also
// returns how many are left. The caller holds the mutex.
func (p *pool) pick() (got id, left int) {
	now := p.b.o.Now()
	for range len(p.open) {
		p.turn = (p.turn + 1) % len(p.open)
		g := p.open[p.turn]
		if now.Sub(g.opened) > batchFor {
			g.next = g.count
		}
		if g.next < g.count && got.batch == nil {
			got = id{g, g.next}
			g.next++
			g.out++
		}
	}
	for _, g := range p.open {
		left += g.count - g.next
	}
	return got, left
}

// fill starts to assign a batch, if none is being assigned. The caller holds the
// mutex.
func (p *pool) fill() {
	if p.filling != nil {
		return
	}
	done := make(chan struct{})
	p.filling = done
	p.b.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), p.b.o.Within)
		defer cancel()
		g, err := p.b.assign(ctx, p.word)
		if ctx.Err() != nil && err != nil {
			err = fmt.Errorf("%w: %v", errNoMaster, err)
		}
		p.mu.Lock()
		if p.err = err; err == nil {
			p.open = append(p.open, g)
		}
		idle := p.idle()
		p.filling = nil
		p.mu.Unlock()
		close(done)
		for _, g := range idle {
			p.b.give(ctx, g)
		}
	})
}

// idle takes the batches that nobody needs any more out of the pool. The caller holds
// the mutex.
func (p *pool) idle() (out []*batch) {
	keep := p.open[:0]
	for _, g := range p.open {
		if g.next < g.count || g.out > 0 {
			keep = append(keep, g)
		} else {
			out = append(out, g)
		}
	}
	clear(p.open[len(keep):])
	p.open = keep
	return out
}

// done says what became of ids: all of them have a name, or none has. If it is not
// known, Sweep finds out.
func (p *pool) done(ids []id, named, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range ids {
		i.out--
		switch {
		case !known:
			i.left = true
		case named:
			i.used = append(i.used, i.index)
		default:
			i.dirty = append(i.dirty, i.file())
		}
	}
}

// drop stops the use of a batch whose server or volume does not work.
func (p *pool) drop(g *batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g.next = g.count
}

// close gives back all batches. Nobody may use the pool any more.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	for _, g := range open {
		p.mu.Lock()
		idle := g.out == 0
		p.mu.Unlock()
		if idle {
			p.b.give(ctx, g)
		}
	}
}

// give ends a batch: in one Swap its record and those of its used ids go, and what may
// have bytes and has no name becomes garbage. If that fails, Sweep does it later.
func (b *Volumes) give(ctx context.Context, g *batch) {
	if g.left {
		return
	}
	changes := []Name{{Key: g.record().Key}}
	for _, i := range g.used {
		changes = append(changes, Name{Key: usedKey(g.first, i)})
	}
	for _, f := range g.dirty {
		changes = append(changes, garbage(f, g.copies))
	}
	err := b.names.Swap(ctx, []Name{g.record()}, changes)
	if errors.Is(err, ErrChanged) && len(g.dirty) > 0 {
		// Sweep ended it, perhaps before the bytes came.
		err = b.names.Swap(ctx, nil, changes[1+len(g.used):])
	}
	if err != nil || len(g.dirty) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	b.work.Go(func() {
		for _, f := range g.dirty {
			_, _ = b.collect(ctx, f, g.copies) // Sweep does it again
		}
	})
}

func garbage(f file, copies int) Name {
	return Name{garbageOf + f.String(), []byte{version, byte(copies)}}
}

// errNoMaster says that no master answers.
var errNoMaster = fmt.Errorf("no master answers: %w", blob.ErrAway)

// assign asks for a batch and writes its record.
func (b *Volumes) assign(ctx context.Context, word string) (*batch, error) {
	b.mu.Lock()
	mean := int64(b.mean)
	b.mu.Unlock()
	q := url.Values{"count": {fmt.Sprint(b.o.IDs)}, "dataSize": {fmt.Sprint(mean)}, "replication": {word}, "collection": {b.o.Collection}}
	var out struct {
		Fid, URL, Error string
		Count           int
	}
	for n := 1; ; n++ {
		status, err := b.askMaster(ctx, "assign", "/dir/assign?"+q.Encode(), &out)
		switch {
		case err == nil && status == http.StatusOK && out.Error == "":
		case err == nil:
			// There are too few servers, or too little room.
			why := blob.ErrAway
			if t, err := b.topology(ctx); err == nil && t.has(word) && strings.Contains(out.Error, "no free volumes left") {
				why = blob.ErrFull
			}
			return nil, fmt.Errorf("%w: assign with replication %s: status %d: %s", why, word, status, out.Error)
		case n < b.o.Tries && ctx.Err() == nil && pause(ctx, n):
			continue // new volumes are made, or a new leader is
		default:
			return nil, fmt.Errorf("assign with replication %s: %w: %w", word, errNoMaster, err)
		}
		break
	}
	first, err := parseFile(out.Fid)
	if err != nil || out.URL == "" || out.Count < 1 {
		return nil, fmt.Errorf("assign: the master answers with %q, %q, %d: %w", out.Fid, out.URL, out.Count, err)
	}
	now, err := b.now(ctx)
	if err != nil {
		return nil, err
	}
	g := &batch{first: first, server: out.URL, opened: b.o.Now(), grant: grant{count: min(out.Count, b.o.IDs), copies: copies(word), began: now}}
	if err := b.names.Swap(ctx, []Name{{Key: g.record().Key}}, []Name{g.record()}); err != nil {
		return nil, fmt.Errorf("batch %v: %w", first, err)
	}
	return g, nil
}

// pause waits before the next try, and longer each time.
func pause(ctx context.Context, n int) bool {
	return retry.Backoff(ctx, 25*time.Millisecond, n, 5)
}

// collect deletes bytes from all servers that have them, and then the record that says
// so. It reports whether all copies are gone: a server that is down may still have one.
func (b *Volumes) collect(ctx context.Context, f file, copies int) (bool, error) {
	gone, err := b.erase(ctx, f, copies)
	if err != nil || !gone {
		return false, err
	}
	return true, b.names.Swap(ctx, nil, []Name{{Key: garbageOf + f.String()}})
}

// erase deletes bytes from each server of the volume by itself. A server that lacks
// them would not pass a deletion on to the others.
func (b *Volumes) erase(ctx context.Context, f file, copies int) (bool, error) {
	servers, all, err := b.locate(ctx, f.volume, true)
	if err != nil {
		return false, err
	}
	gone := all && len(servers) >= copies
	for _, s := range servers {
		a, askErr := b.ask(ctx, "delete", http.MethodDelete, b.scheme+"://"+s+"/"+f.String()+"?type=replicate", nil, mostJSON)
		if askErr == nil && a.status/100 != 2 && a.status != http.StatusNotFound {
			askErr = fmt.Errorf("delete %v: status %d: %s", f, a.status, text(a.body))
		}
		if askErr != nil {
			gone, err = false, errors.Join(err, askErr)
		}
	}
	return gone, err
}
