package pair_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// clocked is a catalogue with a clock of its own.
type clocked struct {
	*inmemory.Catalogue
	at   time.Time
	away error
}

func (c *clocked) Time(context.Context) (time.Time, error) { return c.at, c.away }
func (c *clocked) Ping(context.Context) error              { return c.away }

// TestClock shows that every time is the catalogue's.
func TestClock(t *testing.T) {
	c := &clocked{Catalogue: inmemory.NewCatalogue(), at: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)}
	s := pair.New(c, inmemory.NewBucket(), pair.Options{})
	ctx := t.Context()
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	l, err := s.Lease(ctx, "a", "ann", time.Minute)
	if want := c.at.Add(time.Minute); err != nil || !l.Until.Equal(want) {
		t.Errorf("lease: got %v, %v, want %v", l, err, want)
	}
	saved, err := s.Commit(ctx, "a", history.Head{Fence: l.Fence}, history.Commit{})
	if err != nil || !saved.Time.Equal(c.at) {
		t.Errorf("commit: got %v, %v, want %v", saved.Time, err, c.at)
	}
	if _, err := s.Lease(ctx, "a", "bob", time.Minute); !errors.Is(err, history.ErrLeased) {
		t.Errorf("lease of another: got %v", err)
	}
	c.at = c.at.Add(2 * time.Minute)
	if l, err := s.Leased(ctx, "a"); err != nil || l.Fence != 0 {
		t.Errorf("the lease lives on: %v, %v", l, err)
	}
	if err := s.Delete(ctx, "a", 0); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(8 * 24 * time.Hour)
	if done, err := s.Collect(ctx, history.Policy{}); err != nil || done.Worlds != 1 {
		t.Errorf("collect: got %+v, %v", done, err)
	}
	c.away = fmt.Errorf("no answer: %w", history.ErrAway)
	for what, err := range map[string]error{
		"lease":   second(s.Lease(ctx, "b", "ann", time.Minute)),
		"leased":  second(s.Leased(ctx, "b")),
		"collect": second(s.Collect(ctx, history.Policy{})),
		"purge":   second(s.Purge(ctx, "b", 0)),
		"ping":    s.Ping(ctx),
	} {
		if !errors.Is(err, history.ErrAway) {
			t.Errorf("%s without a time: got %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// awayBucket is a bucket that does not answer if away is set.
type awayBucket struct {
	blob.Bucket
	away error
}

func (b *awayBucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if b.away != nil {
		return b.away
	}
	return b.Bucket.Put(ctx, key, body)
}

func (b *awayBucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if b.away != nil {
		return nil, b.away
	}
	return b.Bucket.Get(ctx, key, off, n)
}

func (b *awayBucket) Head(ctx context.Context, key string) (blob.Object, error) {
	if b.away != nil {
		return blob.Object{}, b.away
	}
	return b.Bucket.Head(ctx, key)
}

// TestAway shows that a Store says that it is away if its bucket says so.
func TestAway(t *testing.T) {
	b := &awayBucket{Bucket: inmemory.NewBucket()}
	s := pair.New(inmemory.NewCatalogue(), b, pair.Options{CacheBytes: -1, Inline: -1})
	ctx := t.Context()
	if err := errors.Join(s.Ping(ctx), s.Create(ctx, "a")); err != nil {
		t.Fatal(err)
	}
	one := save(t, s, "a", history.Head{}, "one")
	b.away = fmt.Errorf("refused: %w", blob.ErrAway)
	two := stoneOf(t, "two")
	for what, err := range map[string]error{
		"ping":   s.Ping(ctx),
		"fetch":  second(s.Fetch(ctx, "a", history.ID{}, 1<<20)),
		"open":   second(s.Open(ctx, "a", stoneOf(t, "one").ID)),
		"commit": second(s.Commit(ctx, "a", history.Head{Commit: one}, history.Commit{Parent: one, Base: one, Stones: []history.StoneRef{two.Ref()}}, two)),
	} {
		if !errors.Is(err, history.ErrAway) || !errors.Is(err, blob.ErrAway) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	b.away = nil
	save(t, s, "a", history.Head{Commit: one}, "two")
}

// TestWrongClock does things while the clock is years ahead. When it is right again, leases
// and jobs can be had, graces pass, and bytes of the epoch of then go.
func TestWrongClock(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	b := inmemory.NewBucket()
	s := pair.New(inmemory.NewCatalogue(), b, pair.Options{Now: func() time.Time { return now }, Inline: -1})
	ctx := t.Context()
	if err := errors.Join(s.Create(ctx, "a"), s.Create(ctx, "b")); err != nil {
		t.Fatal(err)
	}
	save(t, s, "b", history.Head{}, "b")
	all := history.Policy{Keep: history.Retention{All: true}}
	for _, err := range []error{
		second(s.Purge(ctx, "b", 0)),
		second(s.Lease(ctx, "a", "a game that dies", time.Hour)),
		second(s.Claim(ctx, "backup", "a server that dies", 0, time.Hour)),
		second(s.Claim(ctx, "pack", "ann", 0, time.Hour)),
		s.Finish(ctx, "pack", "ann", true),
		s.Give(ctx, stoneOf(t, "given")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	now = now.AddDate(-4, 0, 0)
	if _, err := s.Lease(ctx, "a", "another game", time.Minute); err != nil {
		t.Error(err)
	}
	for _, job := range []string{"backup", "pack"} {
		if got, err := s.Claim(ctx, job, "another server", time.Hour, time.Minute); !got || err != nil {
			t.Errorf("%s: got %v, %v", job, got, err)
		}
	}
	for range 2 {
		if _, err := s.Collect(ctx, all); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Hour)
	}
	if left, err := b.List(ctx, "", "", 9); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
