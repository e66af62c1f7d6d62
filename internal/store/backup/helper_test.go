package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// clock steps by a minute at each look.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Second)
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bucket is a Bucket in memory that counts calls and that a test can damage.
type bucket struct {
	*inmemory.Bucket
	mu     sync.Mutex
	calls  map[string]int
	before func(op, key string) error // may be nil
	locks  map[string]time.Time
	noLock error  // of each lock
	bad    string // the key whose bytes a checksum of the bucket finds damaged
}

func newBucket() *bucket {
	return &bucket{Bucket: inmemory.NewBucket(), calls: make(map[string]int), locks: make(map[string]time.Time)}
}

func (b *bucket) call(op, key string) error {
	b.mu.Lock()
	b.calls[op]++
	before := b.before
	b.mu.Unlock()
	if before != nil {
		return before(op, key)
	}
	return nil
}

func (b *bucket) total() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.calls {
		n += k
	}
	return n
}

func (b *bucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if err := b.call("put", key); err != nil {
		return err
	}
	return b.Bucket.Put(ctx, key, body)
}

func (b *bucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if err := b.call("get", key); err != nil {
		return nil, err
	}
	b.mu.Lock()
	bad := key == b.bad
	b.mu.Unlock()
	if bad {
		return nil, fmt.Errorf("memory: key %q: %w", key, blob.ErrDamaged)
	}
	return b.Bucket.Get(ctx, key, off, n)
}

func (b *bucket) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := b.call("head", key); err != nil {
		return blob.Object{}, err
	}
	return b.Bucket.Head(ctx, key)
}

func (b *bucket) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	if err := b.call("list", prefix); err != nil {
		return nil, err
	}
	return b.Bucket.List(ctx, prefix, after, n)
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := b.call("delete", key); err != nil {
		return err
	}
	b.mu.Lock()
	if key == b.bad {
		b.bad = ""
	}
	b.mu.Unlock()
	return b.Bucket.Delete(ctx, key)
}

func (b *bucket) Lock(ctx context.Context, key string, until time.Time) error {
	if err := b.call("lock", key); err != nil {
		return err
	}
	if _, err := b.Bucket.Head(ctx, key); err != nil {
		return err
	}
	if b.noLock != nil {
		return b.noLock
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if until.After(b.locks[key]) {
		b.locks[key] = until
	}
	return nil
}

// keys returns all keys of a Bucket.
func keys(t testing.TB, b blob.ReadOnly) (out []string) {
	t.Helper()
	all, err := b.List(t.Context(), "", "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		out = append(out, info.Key)
	}
	return out
}

// replace replaces the bytes of a key.
func (b *bucket) replace(t testing.TB, key string, data []byte) {
	t.Helper()
	if err := b.Bucket.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if data == nil {
		return
	}
	if err := b.Bucket.Put(t.Context(), key, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))); err != nil {
		t.Fatal(err)
	}
}

// copyOf returns a copy of a Bucket.
func copyOf(t testing.TB, b *bucket) *bucket {
	t.Helper()
	out := newBucket()
	for _, key := range keys(t, b.Bucket) {
		data, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		out.replace(t, key, slices.Clone(data))
	}
	return out
}

func newStore(c *clock) *pair.Pair { return memory.New(memory.Options{Now: c.now}).(*pair.Pair) }

// save makes a commit of one stone with these bytes on the head, and returns it.
func save(t testing.TB, st history.Store, name string, data []byte) history.Commit {
	t.Helper()
	return saveOn(t, st, name, true, data)
}

// saveOn makes a commit of one stone on the head, or on nothing.
func saveOn(t testing.TB, st history.Store, name string, onHead bool, data []byte) history.Commit {
	t.Helper()
	h, err := st.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	s := stoneOf(data)
	next := history.Commit{Parent: h.Commit, Author: "test", Stones: []history.StoneRef{s.Ref()}}
	if onHead {
		next.Base = h.Commit
	}
	c, err := st.Commit(t.Context(), name, h, next, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func create(t testing.TB, st history.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := st.Create(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}

// content describes every world of a Store: its history and the bytes of its stones.
func content(t testing.TB, st history.ArchiveReader) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := st.Outlines(t.Context(), func(m history.Outline) error {
		a, err := st.Archive(t.Context(), m)
		if err != nil {
			return err
		}
		a.Head.Fence = 0
		text := fmt.Sprintf("%x", archive.Append(nil, &a))
		for _, ref := range archive.Stones(&a) {
			s, release, err := st.ReadStone(t.Context(), ref.ID)
			if err != nil {
				return err
			}
			if err := s.Check(); err != nil {
				return err
			}
			if err := release(); err != nil {
				return err
			}
		}
		out[m.Name+" "+m.Deleted.String()] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same fails the test unless two Stores have the same worlds.
func same(t testing.TB, got, want history.ArchiveReader) {
	t.Helper()
	a, b := content(t, got), content(t, want)
	for name, text := range b {
		if a[name] != text {
			t.Fatalf("%s: got %.300s, want %.300s", name, a[name], text)
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			t.Fatalf("%s: unexpected", name)
		}
	}
}

func mustRun(t testing.TB, st history.ArchiveReader, b blob.Bucket, o backup.Options) backup.Report {
	t.Helper()
	r, err := backup.Run(t.Context(), st, b, o)
	if err != nil {
		t.Fatalf("backup: %v", err)
	}
	return r
}

func mustOpen(t testing.TB, b blob.Bucket, a backup.Access) *backup.Backups {
	t.Helper()
	all, err := backup.Open(t.Context(), b, a)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mustRestore restores the newest backup into a new Store.
func mustRestore(t testing.TB, b blob.Bucket, a backup.Access) *pair.Pair {
	t.Helper()
	to := newStore(newClock())
	r, err := mustOpen(t, b, a).Restore(t.Context(), to, backup.RestoreOptions{})
	if err != nil {
		t.Fatalf("restore: %v, %+v", err, r)
	}
	return to
}

// filled returns a Store with a few worlds of every sort.
func filled(t testing.TB, c *clock) *pair.Pair {
	st := newStore(c)
	create(t, st, "a", "b/c", "empty", "old", "x/y/z")
	for i := range 6 {
		save(t, st, "a", text("a", i))
	}
	first := save(t, st, "b/c", text("b", 0))
	save(t, st, "b/c", []byte(strings.Repeat("long ", 2000)))
	if err := st.Fork(t.Context(), "b/c", first.ID(), "forked"); err != nil {
		t.Fatal(err)
	}
	save(t, st, "forked", text("forked", 1))
	h, err := st.Head(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	pack := stoneOf(text("pack", 0))
	if err := st.PutPack(t.Context(), "a", history.Pack{Upto: h.Commit, Stone: pack.Ref()}, pack); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		save(t, st, "old", text("old", i))
	}
	if err := st.Delete(t.Context(), "old", 0); err != nil {
		t.Fatal(err)
	}
	create(t, st, "old")
	save(t, st, "old", text("newer", 1))
	save(t, st, "x/y/z", text("x", 1))
	return st
}

func text(what string, n int) []byte { return fmt.Appendf(nil, "%s %d", what, n) }
