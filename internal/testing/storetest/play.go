package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// hook is called before every call of a half. If it returns an error, that is the
// result; done says that the call is made first.
type hook func() (done bool, err error)

func (h hook) call(what func() error) error {
	done, err := h()
	if err == nil || done {
		if made := what(); err == nil {
			err = made
		}
	}
	return err
}

type hookedCatalogue struct {
	history.Catalogue
	hook
}

func (c hookedCatalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	return c.call(func() error { return c.Catalogue.Swap(ctx, conditions, changes) })
}

func (c hookedCatalogue) Snapshot(ctx context.Context) (r history.Records, release func(), err error) {
	err = c.call(func() error {
		r, release, err = c.Catalogue.Snapshot(ctx)
		return err
	})
	return r, release, err
}

type hookedBucket struct {
	blob.Bucket
	hook
}

func (b hookedBucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	return b.call(func() error { return b.Bucket.Put(ctx, key, body) })
}

func (b hookedBucket) Delete(ctx context.Context, key string) error {
	return b.call(func() error { return b.Bucket.Delete(ctx, key) })
}

func (b hookedBucket) List(ctx context.Context, prefix, after string, n int) (keys []blob.Object, err error) {
	err = b.call(func() error {
		keys, err = b.Bucket.List(ctx, prefix, after, n)
		return err
	})
	return keys, err
}

type halves struct {
	*testing.T
	open    func(t *testing.T) (history.Catalogue, blob.Bucket)
	options pair.Options
	every   int // of how many places one is taken
}

func (h halves) with(t *testing.T) halves {
	h.T = t
	return h
}

// play is a Store whose calls of its halves run hooks, and another Store on the
// same halves.
type play struct {
	*env
	catalogue history.Catalogue
	bucket    blob.Bucket
	beside    *env
}

func (h halves) play(on hook) *play {
	c, b := h.open(h.T)
	var mu sync.Mutex // a Store makes some calls side by side
	once := on
	on = func() (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		return once()
	}
	at := &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	env := func(s history.Store) *env { return &env{T: h.T, ctx: h.Context(), clock: at, s: s} }
	return &play{
		env:       env(h.store(hookedCatalogue{c, on}, hookedBucket{b, on}, at.now)),
		catalogue: c, bucket: b,
		beside: env(h.store(c, b, at.now)),
	}
}

// store returns the Store of two halves.
func (h halves) store(c history.Catalogue, b blob.Bucket, now func() time.Time) history.Store {
	o := h.options
	o.Now = now
	return pair.New(c, b, o)
}

// step is a call of a Store. It says whether the call may stop half way and then
// begin again.
type step struct {
	name string
	call func(*play) error
	many bool
}

func (p *play) save(name, on string, texts ...string) error {
	h, err := p.s.Head(p.ctx, name)
	if err != nil {
		return err
	}
	base := h.Commit
	if on != "" {
		base = history.ID{}
	}
	var stones []history.Stone
	for _, text := range texts {
		stones = append(stones, stoneOf(p, text))
	}
	c := history.Commit{Parent: h.Commit, Base: base, Message: strings.Join(texts, "+"), Stones: refsOf(stones)}
	_, err = p.s.Commit(p.ctx, name, history.Head{Commit: h.Commit, Fence: history.Force}, c, stones...)
	return err
}

func (p *play) packAll(name, text string) error {
	h, err := p.s.Head(p.ctx, name)
	if err != nil {
		return err
	}
	s := stoneOf(p, text)
	return p.s.PutPack(p.ctx, name, history.Pack{Upto: h.Commit, Stone: refOf(s)}, s)
}

func (p *play) forkHead(from, name string) error {
	h, err := p.s.Head(p.ctx, from)
	if err != nil {
		return err
	}
	return p.s.Fork(p.ctx, from, h.Commit, name)
}

// claim claims a job and finishes it.
func (p *play) claim() error {
	s := p.s.(history.Shared)
	for {
		if _, err := s.Claim(p.ctx, "job", "ann", 0, term); err != nil {
			return err
		}
		if err := s.Finish(p.ctx, "job", "ann", true); !errors.Is(err, history.ErrFenced) {
			return err
		} // the claim was over
	}
}

var noGrace = history.Policy{Grace: -1, Keep: history.Retention{All: true}}

// script has a call of each kind.
var script = []step{
	{"create a", func(p *play) error { return p.s.Create(p.ctx, "a") }, false},
	{"commit a", func(p *play) error { return p.save("a", "", "one", "two") }, false},
	{"fork", func(p *play) error { return p.forkHead("a", "b") }, false},
	{"commit b", func(p *play) error { return p.save("b", "", "three") }, false},
	{"commit a again", func(p *play) error { return p.save("a", "", "three", "one") }, false},
	{"pack", func(p *play) error { return p.packAll("a", "packed") }, false},
	{"lease", func(p *play) error { return second(p.s.Lease(p.ctx, "b", "ann", term)) }, false},
	{"go back", func(p *play) error { return p.save("b", "nothing", "four") }, false},
	{"rename", func(p *play) error { return p.s.Rename(p.ctx, "b", "c", history.Force) }, false},
	{"delete", func(p *play) error { return p.s.Delete(p.ctx, "a", history.Force) }, false},
	{"claim", (*play).claim, false},
	{"undelete", func(p *play) error { return p.s.Undelete(p.ctx, "a") }, false},
	{"trim", func(p *play) error {
		return second(p.s.Collect(p.ctx, history.Policy{Grace: -1, Keep: newest(1)}))
	}, true},
	{"commit what was collected", func(p *play) error { return p.save("c", "nothing", "two") }, false},
	{"condemn", func(p *play) error { return second(p.s.Collect(p.ctx, history.Policy{Keep: newest(1)})) }, true},
	{"reprieve", func(p *play) error { return p.save("a", "", "four") }, false},
	{"purge", func(p *play) error { return second(p.s.Purge(p.ctx, "c", history.Force)) }, true},
	{"commit what was purged", func(p *play) error { return p.save("a", "", "two") }, false},
}

// state describes all worlds: for each a line with its fence and the texts of its
// stack and, if logs is set, of its commits.
func (e *env) state(logs bool) (out []string) {
	e.Helper()
	names, err := e.s.List(e.ctx, "", "", 99)
	e.want("list", err, nil)
	for _, name := range names {
		h := e.head(name)
		stack, err := e.s.Stack(e.ctx, name, h.Commit)
		e.want("stack of "+name, err, nil)
		var texts, messages []string
		for _, l := range stack {
			text, err := textOf(e.ctx, e.s, name, l.Stone)
			e.want("open", err, nil)
			texts = append(texts, text)
		}
		log, err := e.s.Log(e.ctx, name, history.ID{}, 99)
		e.want("log of "+name, err, nil)
		for _, c := range log {
			messages = append(messages, c.Message)
			stack, err := e.s.Stack(e.ctx, name, c.ID())
			e.want("stack of "+c.Message, err, nil)
			for _, l := range stack {
				_, err := textOf(e.ctx, e.s, name, l.Stone)
				e.want("open a stone of "+c.Message, err, nil)
			}
		}
		if !logs {
			messages = nil
		}
		out = append(out, fmt.Sprint(name, h.Fence, texts, messages))
	}
	return out
}

// clean fails the test if there are bytes without a record, records that nothing
// needs, or attempts.
func (p *play) clean() {
	p.Helper()
	p.clock.add(2 * time.Hour)
	p.beside.collect(noGrace)
	keys, err := p.bucket.List(p.ctx, "", "", 999)
	p.want("list of bytes", err, nil)
	records := func(kind byte) []history.Record {
		found, err := p.catalogue.Scan(p.ctx, string(kind), string(kind+1), 999, false)
		p.want("scan", err, nil)
		return found
	}
	small, large := 0, 0
	for _, r := range records(record.Stones) {
		in, err := record.ParseInfo(r.Value)
		if err != nil || in.Condemned {
			p.Errorf("stone %x: %+v, %v", r.Key[1:], in, err)
		}
		if in.Number == 0 {
			small++
		} else {
			large++
		}
	}
	if len(keys) != large {
		p.Errorf("bytes of %d stones, records of %d", len(keys), large)
	}
	if got := len(records('s')); got != small {
		p.Errorf("bytes of %d small stones, records of %d", got, small)
	}
	if left := records('x'); len(left) > 0 {
		p.Errorf("%d epochs are left", len(left))
	}
}
