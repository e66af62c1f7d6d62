// Package storetest is the contract of history.Store as a test. Every
// implementation runs it.
//
// It uses only the interface of the Store. It does not test speed, nor the state
// after a crash.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Kind is a kind of Store.
type Kind struct {
	// Open returns an empty Store that stamps the times that now returns. The
	// tests close it.
	Open func(t *testing.T, now func() time.Time) history.Store
	// Reopen closes a Store and opens the same once more. Nil if nothing of a
	// Store outlives Close.
	Reopen func(t *testing.T, s history.Store, now func() time.Time) history.Store
}

// Run runs the contract against k.
func Run(t *testing.T, k Kind) {
	for _, tt := range []struct {
		name string
		run  func(*env)
	}{
		{"Names", names},
		{"NamesRefused", namesRefused},
		{"Deleted", deleted},
		{"List", list},
		{"Empty", empty},
		{"Commit", commit},
		{"CommitRefused", commitRefused},
		{"Conflict", conflict},
		{"Race", race},
		{"ClockGoesBack", clockGoesBack},
		{"Times", times},
		{"Log", log},
		{"Fork", fork},
		{"ForkOfAFork", forkOfAFork},
		{"GoBack", goBack},
		{"Pack", pack},
		{"PackRefused", packRefused},
		{"PackOfAFork", packOfAFork},
		{"StonesInFiles", stonesInFiles},
		{"Opens", opens},
		{"Cancelled", cancelled},
		{"Trim", trim},
		{"Grace", grace},
		{"Reprieve", reprieve},
		{"MayBeGone", buried},
		{"OpenedStays", openedStays},
		{"SharedStays", sharedStays},
		{"Fences", fences},
		{"LeaseCalls", leaseCalls},
		{"Leasing", leasing},
		{"LeaseStays", leaseStays},
		{"NamesAgain", namesAgain},
		{"Sleepers", sleepers},
		{"Linear", linear},
		{"LinearFinds", linearFinds},
		{"Purge", purge},
		{"PurgeForks", purgeForks},
		{"PurgePacked", purgePacked},
		{"PurgeDeleted", purgeDeleted},
		{"PurgeOpened", purgeOpened},
		{"PurgeCondemned", purgeCondemned},
		{"Archives", archives},
		{"Adopt", adopt},
		{"Given", given},
		{"SideBySide", sideBySide},
		{"Claims", claims},
		{"Reopened", reopened},
		{"Closed", closed},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(newEnv(t, k)) })
	}
	t.Run("Random", func(t *testing.T) { random(t, k) })
}

// clock is a clock that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// env is a Store under test.
type env struct {
	*testing.T
	kind  Kind
	ctx   context.Context
	clock *clock
	s     history.Store
}

func newEnv(t *testing.T, k Kind) *env {
	e := &env{T: t, kind: k, ctx: t.Context(), clock: &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	e.s = k.Open(t, e.clock.now)
	t.Cleanup(func() {
		if err := e.s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// stoneOf returns a stone that contains a text.
func stoneOf(t fataler, text string) history.Stone {
	t.Helper()
	var b bytes.Buffer
	spec := stonetest.Spec{Properties: []stone.Property{{Key: "text", Value: text}}}
	id, err := spec.Write(&b, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatalf("stone %q: %v", text, err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

func refOf(s history.Stone) history.StoneRef {
	return history.StoneRef{ID: s.ID, Size: int64(len(s.Data))}
}

func refsOf(stones []history.Stone) []history.StoneRef {
	var refs []history.StoneRef
	for _, s := range stones {
		refs = append(refs, refOf(s))
	}
	return refs
}

// want fails the test unless err is target, which may be nil.
func (e *env) want(what string, err, target error) {
	e.Helper()
	if !errors.Is(err, target) {
		e.Fatalf("%s: got %v, want %v", what, err, target)
	}
}

// wantErr fails the test unless there is an error.
func (e *env) wantErr(what string, err error) {
	e.Helper()
	if err == nil {
		e.Fatalf("%s: got no error", what)
	}
}

func (e *env) create(names ...string) {
	e.Helper()
	for _, name := range names {
		e.want("create "+name, e.s.Create(e.ctx, name), nil)
	}
}

func (e *env) head(name string) history.Head {
	e.Helper()
	h, err := e.s.Head(e.ctx, name)
	e.want("head of "+name, err, nil)
	return h
}

// commit makes a commit on the head with one stone for each text.
func (e *env) commit(name string, texts ...string) history.ID {
	e.Helper()
	return e.commitOn(name, e.head(name).Commit, texts...)
}

// commitOn makes a commit whose stones are above the stack of on.
func (e *env) commitOn(name string, on history.ID, texts ...string) history.ID {
	e.Helper()
	h := e.head(name)
	var stones []history.Stone
	for _, text := range texts {
		stones = append(stones, stoneOf(e, text))
	}
	c, err := e.s.Commit(e.ctx, name, h, history.Commit{Parent: h.Commit, Base: on, Message: name, Stones: refsOf(stones)}, stones...)
	e.want("commit "+name, err, nil)
	if got := e.head(name).Commit; got != c.ID() {
		e.Fatalf("head after commit: got %v, want %v", got, c.ID())
	}
	return c.ID()
}

// pack puts a pack whose stone contains the text.
func (e *env) pack(name string, after, upto history.ID, text string) {
	e.Helper()
	s := stoneOf(e, text)
	e.want("pack", e.s.PutPack(e.ctx, name, history.Pack{After: after, Upto: upto, Stone: refOf(s)}, s), nil)
}

func (e *env) fork(from string, at history.ID, name string) {
	e.Helper()
	e.want("fork", e.s.Fork(e.ctx, from, at, name), nil)
}

func (e *env) collect(p history.Policy) history.Collected {
	e.Helper()
	c, err := e.s.Collect(e.ctx, p)
	e.want("collect", err, nil)
	return c
}

// wantTexts opens every stone of a stack and compares the texts.
func (e *env) wantTexts(name string, at history.ID, want ...string) {
	e.Helper()
	stack, err := e.s.Stack(e.ctx, name, at)
	e.want("stack of "+name, err, nil)
	if at != (history.ID{}) {
		e.want("fetch of "+name, fetched(e.ctx, e.s, name, at, stack), nil)
	}
	var got []string
	for _, l := range stack {
		text, err := textOf(e.ctx, e.s, name, l.Stone)
		e.want("open", err, nil)
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		e.Fatalf("stack of %s: got %q, want %q", name, got, want)
	}
}

// textOf opens a stone, checks it and returns its text.
func textOf(ctx context.Context, s history.Store, name string, ref history.StoneRef) (string, error) {
	o, err := s.Open(ctx, name, ref.ID)
	if err != nil {
		return "", err
	}
	text, err := readText(ctx, o, ref.Size)
	return text, errors.Join(err, o.Close())
}

func readText(ctx context.Context, o *history.Opened, size int64) (string, error) {
	if o.Size() != size {
		return "", errors.New("the stone has another size")
	}
	if err := o.Check(ctx); err != nil {
		return "", err
	}
	return o.Properties()[0].Value, nil
}

// wantLog compares the log of a world, newest first.
func (e *env) wantLog(name string, from history.ID, n int, want ...history.ID) {
	e.Helper()
	log, err := e.s.Log(e.ctx, name, from, n)
	e.want("log of "+name, err, nil)
	var got []history.ID
	for _, c := range log {
		got = append(got, c.ID())
	}
	if !slices.Equal(got, want) {
		e.Fatalf("log of %s: got %v, want %v", name, got, want)
	}
}

func (e *env) reopen() {
	e.Helper()
	if e.kind.Reopen != nil {
		e.s = e.kind.Reopen(e.T, e.s, e.clock.now)
	}
}
