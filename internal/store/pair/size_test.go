package pair_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

var sizeWorlds = flag.Int("worlds", 2000, "worlds of TestSize")

// fill writes worlds with three versions each, every tenth with a pack and every
// tenth deleted. Of its stones one is small and the others are in the bucket.
func fill(t testing.TB, c history.Catalogue, b blob.Bucket, worlds int, at time.Time) {
	ctx := context.Background()
	var changes []history.Record
	set := func(key, value []byte) {
		changes = append(changes, history.Record{Key: string(key), Value: value})
	}
	for w := range worlds {
		number := uint64(w+1) * 0x9e3779b97f4a7c15
		var head history.Commit
		var id history.ID
		for n := range 3 {
			data := fmt.Appendf(nil, "%d of %d", n, w)
			ref := history.StoneRef{ID: sha256.Sum256(data), Size: int64(len(data))}
			in := record.Info{Size: ref.Size, Number: uint64(n)}
			if n == 0 {
				set(append([]byte{'s'}, ref.ID[:]...), data)
			} else if err := b.Put(ctx, fmt.Sprintf("%v.%016x", ref.ID, n), io.NewSectionReader(bytes.NewReader(data), 0, ref.Size)); err != nil {
				t.Fatal(err)
			}
			set(record.StoneKey(ref.ID), in.Value())
			head = history.Commit{Parent: id, Base: id, Stones: []history.StoneRef{ref}}.Complete(head, at)
			id = head.ID()
			set(record.CommitKey(id), head.Append(nil))
			set(record.LogKey(number, head.Number), record.Entry{Commit: id, Time: head.Time}.Value())
			if n == 1 && w%10 == 0 {
				set(record.PackKey(id), record.PackValue(history.Pack{Stone: ref}))
			}
		}
		set(record.HeadKey(number), record.HeadValue(history.Head{Commit: id}))
		name := fmt.Sprintf("worlds/%08d", w)
		if w%10 == 9 {
			set(record.DeletedKey(name, 1), record.DeletedWorld{World: number, Deleted: at}.Value())
		} else {
			set(record.NameKey(name), record.NumberValue(number))
		}
		if len(changes) > 10000 || w == worlds-1 {
			if err := c.Swap(ctx, nil, changes); err != nil {
				t.Fatal(err)
			}
			changes = nil
		}
	}
}

// TestSize collects, purges and checks a Store with many worlds, and bounds the calls
// for each world. With -worlds 1000000 -v it shows time and memory.
func TestSize(t *testing.T) {
	n := &counts{n: make(map[string]int)}
	m, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fill(t, m, b, *sizeWorlds, at)
	s := pair.New(countedCatalogue{m, n}, countedBucket{b, n}, pair.Options{Now: func() time.Time { return at }})
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	did := func(what string, most float64, call func() (any, error)) {
		t.Helper()
		_ = n.String()
		from := time.Now()
		done, err := call()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		took := time.Since(from)
		runtime.ReadMemStats(&after)
		calls := 0
		for call, k := range n.n {
			if call != "Delete" {
				calls += k
			}
		}
		t.Logf("%s: %v, %d MB more from the system, %v: %+v", what, took, int64(after.Sys-before.Sys)>>20, n, done)
		if float64(calls) > most*float64(*sizeWorlds)+100 {
			t.Errorf("%s: %d calls for %d worlds", what, calls, *sizeWorlds)
		}
	}
	keep := history.Retention{All: true}
	did("check", 0.1, func() (any, error) { return s.CheckRecords(t.Context()) })
	did("collect nothing", 0.1, func() (any, error) { return s.Collect(t.Context(), history.Policy{Keep: keep}) })
	did("trim to one version", 0.1, func() (any, error) {
		return s.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}})
	})
	at = at.Add(2 * time.Hour)
	did("purge", 0.1, func() (any, error) { return s.Purge(t.Context(), "worlds/00000001", 0) })
	at = at.Add(9 * 24 * time.Hour)
	did("collect deleted worlds", 0.2, func() (any, error) { return s.Collect(t.Context(), history.Policy{Keep: keep}) })
	at = at.Add(2 * time.Hour)
	did("collect what was condemned", 0.1, func() (any, error) { return s.Collect(t.Context(), history.Policy{Keep: keep}) })
	if r, err := s.CheckRecords(t.Context()); err != nil || len(r.Faults) > 0 || r.Worlds != *sizeWorlds-(*sizeWorlds+9-9)/10-1 {
		t.Errorf("check: got %+v, %v", r, err)
	}
}

// TestOrphans leaves bytes whose save never was made, and counts when all bytes are
// listed.
func TestOrphans(t *testing.T) {
	n := &counts{n: make(map[string]int)}
	m, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	s := pair.New(countedCatalogue{m, n}, countedBucket{b, n}, pair.Options{Now: now, Inline: -1})
	dies := pair.New(&deadly{Catalogue: m}, b, pair.Options{Now: now, Inline: -1})
	ctx := t.Context()
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	one := save(t, s, "a", history.Head{}, "one")
	two := stoneOf(t, "two")
	c := history.Commit{Parent: one, Base: one, Stones: []history.StoneRef{two.Ref()}}
	if _, err := dies.Commit(ctx, "a", history.Head{Commit: one}, c, two); err == nil {
		t.Fatal("the save was made")
	}
	for _, tt := range []struct {
		after       time.Duration
		grace       time.Duration
		lists, left int
	}{
		{0, 0, 2, 2},                // the first time; the epoch goes on
		{time.Hour, 0, 0, 2},        // not yet
		{20 * time.Minute, 0, 2, 1}, // the epoch is over
		{time.Hour, 0, 0, 1},
		{time.Minute, -1, 2, 1},
		{21 * time.Hour, 0, 2, 1},
		{time.Hour, 0, 0, 1},
	} {
		at = at.Add(tt.after)
		_ = n.String()
		_, err := s.Collect(ctx, history.Policy{Grace: tt.grace})
		keys, _ := b.List(ctx, "", "", 99)
		if err != nil || n.n["List"] != tt.lists || len(keys) != tt.left {
			t.Errorf("%+v: got %d lists, %d left, %v", tt, n.n["List"], len(keys), err)
		}
	}
}

// deadly is a catalogue whose process dies before it saves.
type deadly struct{ *inmemory.Catalogue }

func (d *deadly) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if len(changes) > 1 {
		return history.ErrAway
	}
	return d.Catalogue.Swap(ctx, conditions, changes)
}
