package month_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/month"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

const high = 7 // as server/keeper packs

// real is the same island in a Store.
type real struct {
	*testing.T
	*pair.Pair
	catalogue *inmemory.Catalogue
	now       time.Time
	n         uint64
}

func newReal(t *testing.T, template int) *real {
	r := &real{T: t, catalogue: inmemory.NewCatalogue(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.Pair = pair.New(r.catalogue, inmemory.NewBucket(), pair.Options{Now: func() time.Time { return r.now }})
	r.must(r.Create(r.Context(), "template"))
	r.save("template", template)
	h, err := r.Head(r.Context(), "template")
	r.must(err)
	r.must(r.Fork(r.Context(), "template", h.Commit, "island"))
	return r
}

func (r *real) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *real) stone(size int) (history.Stone, history.StoneRef) {
	data := make([]byte, size)
	r.n++
	binary.BigEndian.PutUint64(data, r.n)
	s := history.Stone{ID: sha256.Sum256(data), Data: data}
	return s, s.Ref()
}

func (r *real) save(name string, size int) {
	r.Helper()
	h, err := r.Head(r.Context(), name)
	r.must(err)
	s, ref := r.stone(size)
	_, err = r.Commit(r.Context(), name, h, history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{ref}}, s)
	r.must(err)
}

// pack packs the stack into a stone of some size, as world.PackStack does.
func (r *real) pack(size int) {
	r.Helper()
	h, err := r.Head(r.Context(), "island")
	r.must(err)
	layers, err := r.Stack(r.Context(), "island", h.Commit)
	r.must(err)
	if len(layers) <= high {
		r.Fatalf("a pack of %d layers", len(layers))
	}
	s, ref := r.stone(size)
	made := make([]time.Time, len(layers))
	for i, l := range layers[1:] { // that of the template counts as none
		if log, err := r.Pair.Log(r.Context(), "island", l.Upto, 1); err == nil {
			made[1+i] = log[0].Time
		}
	}
	from, to := history.PackRun(layers, made, high)
	r.must(r.PutPack(r.Context(), "island", history.Pack{After: layers[from].After, Upto: layers[to-1].Upto, Stone: ref}, s))
}

// count returns how many records of each kind there are, without the template's.
func (r *real) count() (n [4]int) {
	for at, kind := range []byte{record.Logs, record.Commits, record.Packs, record.Stones} {
		found, err := r.catalogue.Scan(r.Context(), string(kind), string(kind+1), 1<<20, false)
		r.must(err)
		n[at] = len(found)
	}
	n[0] -= 2 // of the template, and the island's first
	n[1]--
	n[3]--
	return n
}

// The simulation has exactly as many records as a Store after the same saves, packs
// and collections.
func TestAsStore(t *testing.T) {
	const template = 9000
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 2))
		made, real := month.NewIsland(template), newReal(t, template)
		packs := 0
		for day := range 70 {
			minute := day*1440 + rng.IntN(600)
			for range rng.IntN(30) {
				if minute += 1 + rng.IntN(20); minute >= (day+1)*1440 {
					break
				}
				size := 300 + rng.IntN(5000)
				real.now = made.Start().Add(time.Duration(minute) * time.Minute)
				real.save("island", size)
				if pack := made.Save(minute, size); pack > 0 {
					real.pack(pack)
					packs++
				}
			}
			real.now = made.Start().Add(time.Duration(day+1) * 24 * time.Hour)
			made.Collect(real.now)
			if _, err := real.Pair.Collect(context.Background(), history.Policy{Grace: -1}); err != nil {
				t.Fatal(err)
			}
			got := made.Count()
			want := real.count()
			// The log of a Store keeps the commit that the fork began with by the same rules.
			if got[1] != want[1] || got[2] != want[2] || got[3] != want[3] || got[0] < want[0] || got[0] > want[0]+1 {
				t.Fatalf("seed %d, day %d: got %v logs, commits, packs and stones, want %v", seed, day, got, want)
			}
		}
		if packs < 50 {
			t.Errorf("%d packs: too few to compare", packs)
		}
	}
}

func TestBench(t *testing.T) {
	r, err := month.Bench(t.Context(), lab.Options{Worlds: 300, Days: 12, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Days[len(r.Days)-1]
	if len(r.Days) != 12 || last.Records == 0 || last.Backup == 0 || last.Dropped == 0 || last.Deletes == 0 {
		t.Errorf("got %+v", last)
	}
	labtest.Table(t, r.Table, "islands", "condemned", "backup bytes")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := month.Bench(stopped, lab.Options{Worlds: 10, Days: 1}); err == nil {
		t.Error("no error")
	}
}
