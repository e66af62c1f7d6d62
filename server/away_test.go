package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// How a half of a Store answers.
const (
	well  = iota
	gone  // with ErrAway
	mute  // not at all
	blind // what it changes takes place, but the answer is ErrAway
	full  // reads well, and takes no changes
)

// half says how a half answers.
type half struct{ atomic.Int64 }

func (h *half) fail(ctx context.Context, away error) error {
	switch h.Load() {
	case gone:
		return away
	case mute:
		<-ctx.Done()
		return ctx.Err()
	}
	return ctx.Err()
}

// catalogue and bucket are halves in memory that can be switched off.
type catalogue struct {
	*inmemory.Catalogue
	is half
}

func (c *catalogue) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	if err := c.is.fail(ctx, history.ErrAway); err != nil {
		return nil, err
	}
	return c.Catalogue.Get(ctx, keys...)
}

func (c *catalogue) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	if err := c.is.fail(ctx, history.ErrAway); err != nil {
		return nil, err
	}
	return c.Catalogue.Scan(ctx, from, to, n, back)
}

func (c *catalogue) Snapshot(ctx context.Context) (history.Records, func(), error) {
	if err := c.is.fail(ctx, history.ErrAway); err != nil {
		return nil, nil, err
	}
	return c.Catalogue.Snapshot(ctx)
}

func (c *catalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if err := c.is.fail(ctx, history.ErrAway); err != nil {
		return err
	}
	if c.is.Load() == full {
		return history.ErrFull
	}
	err := c.Catalogue.Swap(ctx, conditions, changes)
	if err == nil && c.is.Load() == blind {
		return history.ErrAway
	}
	return err
}

type bucket struct {
	*inmemory.Bucket
	is half
}

func (b *bucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if err := b.is.fail(ctx, blob.ErrAway); err != nil {
		return err
	}
	if b.is.Load() == full {
		return blob.ErrFull
	}
	return b.Bucket.Put(ctx, key, body)
}

func (b *bucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if err := b.is.fail(ctx, blob.ErrAway); err != nil {
		return nil, err
	}
	return b.Bucket.Get(ctx, key, off, n)
}

func (b *bucket) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := b.is.fail(ctx, blob.ErrAway); err != nil {
		return blob.Object{}, err
	}
	return b.Bucket.Head(ctx, key)
}

// halves are the halves of a cluster.
type halves struct {
	catalogue catalogue
	bucket    bucket
}

func newHalves() *halves {
	return &halves{catalogue{Catalogue: inmemory.NewCatalogue()}, bucket{Bucket: inmemory.NewBucket()}}
}

// site returns a new server of the cluster, with a Store of its own.
func (h *halves) site(t testing.TB, o server.Options) *site {
	return newSiteOf(t, pair.New(&h.catalogue, &h.bucket, pair.Options{}), o)
}

// Worlds that a server has read can be loaded while the catalogue is away; the answers
// say that they are old, and a caller may refuse them. Changes fail.
func TestStale(t *testing.T) {
	h := newHalves()
	s := h.site(t, server.Options{})
	head := s.mustCommit("a", 2)
	s.mustCommit("unread", 1)
	reads := []string{"/v1/head/a", "/v1/stack/a", "/v1/stack/a?at=" + head.String(), "/v1/chunks/a?dimension=a&volume=block&x=1", "/v1/properties/a", "/v1/chunks/a?dimension=a&volume=block&x=1&at=" + head.String()}
	var before []reply
	for _, path := range reads {
		r := s.want(200, request{"GET", path, nil, nil}, nil)
		if r.header.Get(wire.StaleHeader) != "" {
			t.Errorf("%s is stale", path)
		}
		before = append(before, r)
	}
	for _, how := range []int64{gone, blind} {
		h.catalogue.is.Store(how)
		for i, path := range reads {
			r := s.want(200, request{"GET", path, nil, nil}, nil)
			if !bytes.Equal(r.body, before[i].body) || r.header.Get("Etag") != before[i].header.Get("Etag") || (r.header.Get(wire.StaleHeader) != "") != (how == gone) {
				t.Errorf("%d: %s: got %q and %q, want %q", how, path, r.header, r.body, before[i].body)
			}
		}
	}
	h.catalogue.is.Store(gone)
	for _, r := range []reply{
		s.get("/v1/head/a", wire.StaleHeader, "0"),
		s.get("/v1/stack/a", wire.StaleHeader, "0"),
		s.get("/v1/head/unread"),
		s.get("/v1/stack/a?at=" + strings.Repeat("1", 64)),
		s.get("/v1/leases/a"),
		s.do(commitRequest("a", commitOf(head, ""))),
		s.do(request{"PUT", "/v1/worlds/b", nil, nil}),
		s.get("/readyz"),
	} {
		r.wantCode(t, wire.Away)
		if r.header.Get("Retry-After") != "1" || !bytes.Contains(r.body, []byte("catalogue")) || r.header.Get(wire.StaleHeader) != "" {
			t.Errorf("got %v %s", r.header, r.body)
		}
	}
	s.get("/v1/head/a", wire.StaleHeader, "x").wantCode(t, wire.BadRequest)
	s.want(200, request{"GET", "/healthz", nil, nil}, nil)
	none := h.site(t, server.Options{Limits: server.Limits{Stale: -1}})
	h.catalogue.is.Store(well)
	none.want(200, request{"GET", "/v1/stack/a", nil, nil}, nil)
	h.catalogue.is.Store(gone)
	none.get("/v1/stack/a").wantCode(t, wire.Away)
}

// A server is not ready while a half is away, also while one does not answer at all.
func TestReady(t *testing.T) {
	for _, tt := range []struct {
		name              string
		catalogue, bucket int64
		says              string
	}{
		{"well", well, well, ""},
		{"the catalogue is away", gone, well, "the catalogue"},
		{"the bucket is away", well, gone, "the bucket"},
		{"the catalogue is mute", mute, well, "the catalogue"},
		{"the bucket is mute", well, mute, "the bucket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHalves()
			s := h.site(t, server.Options{})
			h.catalogue.is.Store(tt.catalogue)
			h.bucket.is.Store(tt.bucket)
			s.want(200, request{"GET", "/healthz", nil, nil}, nil)
			if tt.says == "" {
				s.want(200, request{"GET", "/readyz", nil, nil}, nil)
				return
			}
			r := s.get("/readyz")
			r.wantCode(t, wire.Away)
			if !bytes.Contains(r.body, []byte(tt.says)) {
				t.Errorf("got %s", r.body)
			}
		})
	}
}

// A save into a catalogue that does not answer fails soon, and long before the limit of
// the call.
func TestSaveFailsSoon(t *testing.T) {
	t.Parallel()
	h := newHalves()
	s := h.site(t, server.Options{Limits: server.Limits{Time: time.Hour}})
	head := s.mustCommit("a", 1)
	h.catalogue.is.Store(mute)
	s.do(commitRequest("a", commitOf(head, ""))).wantCode(t, wire.Away)
}

// An answer that was lost between server and catalogue is an answer that was lost: the
// client repeats the save, at another server too, and it is made once.
func TestSaveInDoubt(t *testing.T) {
	h := newHalves()
	one, two := h.site(t, server.Options{}), h.site(t, server.Options{})
	c, err := client.Open(t.Context(), one.url+","+two.url, client.Options{
		Rand: func() float64 { return 0 },
		Wait: func(context.Context, time.Duration) error { h.catalogue.is.Store(well); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	var head history.Head
	for i, how := range []int64{well, blind, gone, blind} {
		h.catalogue.is.Store(how)
		st := mustStone(t, i)
		made, err := c.Commit(t.Context(), "a", head, commitOf(head.Commit, "", st), st)
		if err != nil || made.Number != uint64(i+1) {
			t.Fatalf("%d: %+v, %v", i, made, err)
		}
		head.Commit = made.ID()
	}
	h.catalogue.is.Store(well)
	log, err := c.Log(t.Context(), "a", history.ID{}, 9)
	if err != nil || len(log) != 4 || log[0].ID() != head.Commit {
		t.Errorf("got %+v, %v", log, err)
	}
	h.catalogue.is.Store(gone)
	if _, err := c.Commit(t.Context(), "a", head, commitOf(head.Commit, "")); err != nil { // Wait switches it on
		t.Error(err)
	}
}

// While a database has lost its standby, what it was told is there to be read, and not safe.
// A save whose answer was lost is acknowledged only after a write behind it was.
func TestSaveOnOneMachine(t *testing.T) {
	h := newHalves()
	s := h.site(t, server.Options{})
	c, err := client.Open(t.Context(), s.url, client.Options{
		Rand: func() float64 { return 0 },
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	st := mustStone(t, 1)
	commit := commitOf(history.ID{}, "", st)
	commit.IdempotencyKey = 7
	h.catalogue.is.Store(blind)
	if made, err := c.Commit(t.Context(), "a", history.Head{}, commit, st); !errors.Is(err, history.ErrAway) {
		t.Errorf("without the standby: got %+v, %v", made, err)
	}
	h.catalogue.is.Store(well)
	if _, err := c.Commit(t.Context(), "a", history.Head{}, commitOf(history.ID{}, "", st), st); !errors.Is(err, history.ErrConflict) {
		t.Errorf("another save: got %v", err)
	}
	log, err := c.Log(t.Context(), "a", history.ID{}, 9)
	if err != nil || len(log) != 1 || log[0].IdempotencyKey != 7 {
		t.Errorf("got %+v, %v", log, err)
	}
}

// TestFullHalf fills a half. Saves are refused at once and say which half has no room, as
// /readyz does; loads go on, and so do saves when there is room again.
func TestFullHalf(t *testing.T) {
	for _, tt := range []struct {
		name              string
		catalogue, bucket int64
		says              string
	}{
		{"the catalogue", full, well, "the catalogue of the worlds is full"},
		{"the bucket", well, full, "the bucket with the worlds' bytes is full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHalves()
			s := newSiteOf(t, pair.New(&h.catalogue, &h.bucket, pair.Options{Inline: -1}), server.Options{})
			head := s.mustCommit("a", 1)
			st := mustStone(t, 2)
			c := commitOf(head, "", st)
			wait := 0
			remote, err := client.Open(t.Context(), s.url, client.Options{Wait: func(context.Context, time.Duration) error { wait++; return nil }})
			if err != nil {
				t.Fatal(err)
			}
			defer remote.Close()
			save := func() error {
				_, err := remote.Commit(t.Context(), "a", history.Head{Commit: head}, c, st)
				return err
			}
			h.catalogue.is.Store(tt.catalogue)
			h.bucket.is.Store(tt.bucket)
			if err := save(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), tt.says) || wait > 0 {
				t.Errorf("got %v after %d waits", err, wait)
			}
			r := s.get("/readyz")
			r.wantCode(t, wire.Away)
			if !bytes.Contains(r.body, []byte(tt.says)) {
				t.Errorf("readyz: got %s", r.body)
			}
			s.want(200, request{"GET", "/v1/stack/a", nil, nil}, nil)
			h.catalogue.is.Store(well)
			h.bucket.is.Store(well)
			if err := save(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A world that was taken in, whose answer was lost, counts once it is on stable storage.
func TestAdoptInDoubt(t *testing.T) {
	h := newHalves()
	s := h.site(t, server.Options{})
	from := memory.New(memory.Options{}).(*pair.Pair)
	if err := from.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Commit(t.Context(), "a", history.Head{}, history.Commit{}); err != nil {
		t.Fatal(err)
	}
	a, err := from.Archive(t.Context(), history.Outline{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	waits := 0
	c, err := client.Open(t.Context(), s.url, client.Options{
		Rand: func() float64 { return 0 },
		Wait: func(context.Context, time.Duration) error {
			if waits++; waits > 20 {
				h.catalogue.is.Store(well)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h.catalogue.is.Store(blind)
	if err := c.(history.ArchiveWriter).Adopt(t.Context(), a, history.Head{}); !errors.Is(err, history.ErrAway) {
		t.Errorf("without the standby: got %v", err)
	}
	a.Name, waits = "b", 20 // from the second try on it is well
	if err := c.(history.ArchiveWriter).Adopt(t.Context(), a, history.Head{}); err != nil {
		t.Error(err)
	}
	if err := c.(history.ArchiveWriter).Adopt(t.Context(), a, history.Head{}); !errors.Is(err, history.ErrConflict) {
		t.Errorf("another call: got %v", err)
	}
}
