package keeper_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// watched is a Store whose collections and packs can be seen and held up.
type watched struct {
	history.Store
	collects chan error // answers a Collect
	packs    chan error // answers a PutPack; nil: none waits
	asked    chan struct{}
}

func (w *watched) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	select {
	case err := <-w.collects:
		return history.Collected{Worlds: 1, Commits: 2, Condemned: 3, Stones: 4, Bytes: 5}, err
	case <-ctx.Done():
		return history.Collected{}, ctx.Err()
	}
}

func (w *watched) PutPack(ctx context.Context, name string, p history.Pack, s history.Stone) error {
	if w.packs != nil {
		w.asked <- struct{}{}
		select {
		case err := <-w.packs:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return w.Store.PutPack(ctx, name, p, s)
}

func newWatched(t *testing.T) *watched {
	w := &watched{Store: memory.New(memory.Options{}), collects: make(chan error), asked: make(chan struct{}, 100)}
	t.Cleanup(func() { w.Close() })
	return w
}

// lines is a log whose lines can be waited for.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
	on  chan struct{} // told of each line
}

func newLines() *lines { return &lines{on: make(chan struct{}, 1000)} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on <- struct{}{}
	return l.all.Write(b)
}

func (l *lines) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// wait waits for a line with all of the words, and forgets what was said.
func (l *lines) wait(t *testing.T, words ...string) {
	t.Helper()
	for {
		select {
		case <-l.on:
		case <-time.After(30 * time.Second):
			t.Fatalf("nobody said %q, but %s", words, l.all.String())
		}
		l.mu.Lock()
		for line := range strings.Lines(l.all.String()) {
			found := 0
			for _, w := range words {
				if strings.Contains(line, w) {
					found++
				}
			}
			if found == len(words) {
				l.all.Reset()
				l.mu.Unlock()
				return
			}
		}
		l.mu.Unlock()
	}
}

func mustEnd(t *testing.T, k *keeper.Keeper) {
	t.Helper()
	if err := k.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestKeeperCollects(t *testing.T) {
	st, log := newWatched(t), newLines()
	k := keeper.New(st, start, keeper.Options{Log: log.log()})
	steps := func(at time.Duration, err error) { // where a collection is due, and is answered
		t.Helper()
		k.Step(start.Add(at))
		k.Step(start.Add(at)) // is not begun twice
		select {
		case st.collects <- err:
		case <-time.After(30 * time.Second):
			t.Fatalf("after %v: no collection", at)
		}
	}
	none := func(at time.Duration) {
		t.Helper()
		k.Step(start.Add(at))
		select {
		case st.collects <- nil:
			t.Fatalf("after %v: a collection", at)
		case <-time.After(20 * time.Millisecond):
		}
	}
	none(6*time.Minute - 1)
	steps(6*time.Minute, nil)
	log.wait(t, "collect done", "worlds=1", "bytes=5")
	none(65 * time.Minute)
	steps(66*time.Minute, errors.New("no luck"))
	log.wait(t, "collect failed", "no luck")
	none(71 * time.Minute) // a tenth of an hour later, not at once
	steps(72*time.Minute, nil)
	log.wait(t, "collect done")
	k.Step(start.Add(200 * time.Minute)) // under way until Close ends it
	mustEnd(t, k)
	log.wait(t, "collect was stopped")
	k.Step(start.Add(time.Hour * 1000))
	mustEnd(t, k) // again
}

func TestKeeperNever(t *testing.T) {
	log := newLines()
	k := keeper.New(newWatched(t), start, keeper.Options{CollectEvery: -1, Log: log.log()})
	k.Step(start.Add(time.Hour * 1000))
	mustEnd(t, k)
	if log.all.Len() > 0 { // that a collection was ended
		t.Errorf("logged %s", log.all.String())
	}
}

func TestKeeperBacksUp(t *testing.T) {
	for _, tt := range []struct {
		name string
		last time.Time
		want time.Duration
	}{
		{"none is there", time.Time{}, 0},
		{"one is there", start.Add(-5 * time.Hour), 7 * time.Hour},
		{"an old one", start.Add(-50 * time.Hour), 0},
		{"the clock went back", start.Add(1000 * time.Hour), 12 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log, made := newLines(), make(chan error, 1)
			k := keeper.New(newWatched(t), start, keeper.Options{CollectEvery: -1, Log: log.log(), LastBackup: tt.last,
				Backup: func(context.Context) (keeper.Backed, error) {
					return keeper.Backed{Name: "b", Backed: metrics.Backed{New: 7}}, <-made
				}})
			k.Step(start.Add(tt.want - 1))
			k.Step(start.Add(tt.want))
			made <- nil
			log.wait(t, "backup done", "new_bytes=7")
			k.Step(start.Add(tt.want + 12*time.Hour - 1))
			k.Step(start.Add(tt.want + 12*time.Hour))
			made <- errors.New("no disk")
			log.wait(t, "backup failed", "no disk")
			mustEnd(t, k)
		})
	}
}

// raw is a world that is saved as by a game that packs nothing.
type raw struct {
	t    *testing.T
	st   history.Store
	name string
	head history.ID
	n    int
}

func newRaw(t *testing.T, st history.Store, name string) *raw {
	t.Helper()
	if err := st.Create(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return &raw{t: t, st: st, name: name}
}

func (r *raw) save(n int) {
	r.t.Helper()
	for range n {
		r.n++
		s := mustStone(r.t, r.n)
		c, err := r.st.Commit(r.t.Context(), r.name, history.Head{Commit: r.head}, commitOf(r.head, s), s)
		if err != nil {
			r.t.Fatal(err)
		}
		r.head = c.ID()
	}
}

// saved tells a Keeper of the last save.
func (r *raw) saved(k *keeper.Keeper) { k.Saved(r.name, uint64(r.n)) }

// height returns how many stones the stack of the world has.
func (r *raw) height() int {
	r.t.Helper()
	layers, err := r.st.Stack(r.t.Context(), r.name, r.head)
	if err != nil {
		r.t.Fatal(err)
	}
	return len(layers)
}

// However slow packing is, no save leaves a stack higher than it may be.
func TestKeeperHoldsHeight(t *testing.T) {
	st := newWatched(t)
	k := keeper.New(st, start, keeper.Options{CollectEvery: -1, Queue: 1})
	var wg sync.WaitGroup
	for i := range 4 {
		r := newRaw(t, st, fmt.Sprint("w", i))
		wg.Go(func() {
			for range 60 {
				r.save(1)
				r.saved(k)
				if h := r.height(); h > keeper.MaxHeight {
					t.Errorf("the stack of %s has %d stones", r.name, h)
				}
			}
		})
	}
	wg.Wait()
	mustEnd(t, k)
}

// Who saves a world that packing lags behind waits.
func TestKeeperLags(t *testing.T) {
	st := newWatched(t)
	st.packs = make(chan error)
	k := keeper.New(st, start, keeper.Options{CollectEvery: -1})
	r := newRaw(t, st, "w")
	r.save(keeper.MaxHeight)
	r.saved(k) // not known yet, and packed by the packer, which waits
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range uint64(9) {
			k.Saved("w", uint64(r.n)+1+i)
		}
	}()
	select {
	case <-done:
		t.Error("nobody waited")
	case <-time.After(50 * time.Millisecond):
	}
	st.packs <- nil
	<-done
	mustEnd(t, k)
	if h := r.height(); h > 2 {
		t.Errorf("the stack has %d stones", h)
	}
}

// What was saved before the keeper began is found by the next save.
func TestKeeperFindsHigh(t *testing.T) {
	st := newWatched(t)
	r := newRaw(t, st, "w")
	r.save(20)
	k := keeper.New(st, start, keeper.Options{CollectEvery: -1})
	r.save(1)
	r.saved(k)
	k.Saved("missing", 1)
	for r.height() > keeper.MaxHeight {
		time.Sleep(time.Millisecond)
	}
	mustEnd(t, k)
	r.saved(k) // nothing any more
}

// A world that cannot be packed is not tried again at each save.
func TestKeeperPackFails(t *testing.T) {
	st, log := newWatched(t), newLines()
	st.packs = make(chan error, 1)
	k := keeper.New(st, start, keeper.Options{CollectEvery: -1, Log: log.log()})
	r := newRaw(t, st, "w")
	r.save(keeper.MaxHeight)
	st.packs <- errors.New("no luck")
	r.saved(k)
	log.wait(t, "packing failed", "w", "no luck")
	for range 5 {
		r.save(1)
		r.saved(k) // would wait for a pack for ever
	}
	st.packs <- nil
	for range 5 {
		r.save(1)
		r.saved(k)
	}
	for r.height() > keeper.MaxHeight {
		time.Sleep(time.Millisecond)
	}
	mustEnd(t, k)
}

// A world whose stones make packing panic ends nothing else.
func TestKeeperPackPanics(t *testing.T) {
	st, log := newWatched(t), newLines()
	k := keeper.New(panics{st}, start, keeper.Options{CollectEvery: -1, Log: log.log()})
	for i := range 2 {
		r := newRaw(t, st, fmt.Sprint("w", i))
		r.save(keeper.MaxHeight)
		r.saved(k)
		log.wait(t, "packing failed", r.name, "out of stones")
	}
	mustEnd(t, k)
}

type panics struct{ *watched }

func (panics) PutPack(context.Context, string, history.Pack, history.Stone) error {
	panic("out of stones")
}

// A keeper that is closed in the middle of a pack leaves everything whole.
func TestKeeperCloseEndsPacking(t *testing.T) {
	st := newWatched(t)
	st.packs = make(chan error)
	k := keeper.New(st, start, keeper.Options{CollectEvery: -1})
	for i := range 3 {
		r := newRaw(t, st, fmt.Sprint("w", i))
		r.save(keeper.MaxHeight)
		r.saved(k)
	}
	<-st.asked
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := k.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("close: got %v", err)
	}
	idle := keeper.New(newWatched(t), start, keeper.Options{})
	if err := idle.Close(ctx); err != nil {
		t.Errorf("nothing was packed: got %v", err)
	}
}

// mustStone returns a stone whose bytes depend on n.
func mustStone(t testing.TB, n int) history.Stone {
	t.Helper()
	var cells [voxel.ChunkCells]voxel.Cell
	cells[n%len(cells)] = 1
	var b bytes.Buffer
	id, err := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "a", Volumes: []stonetest.VolumeSpec{{
		Volume: voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1},
		Names:  []string{"air", "stone"},
		Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: geom.ChunkPos{X: int32(n % 100)}, Chunk: voxel.FromFlat(&cells)}}}},
	}}}}}.Write(&b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

func commitOf(parent history.ID, s history.Stone) history.Commit {
	return history.Commit{Parent: parent, Base: parent, Stones: []history.StoneRef{{ID: s.ID, Size: int64(len(s.Data))}}}
}
