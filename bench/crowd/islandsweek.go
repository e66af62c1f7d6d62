package crowd

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// doWeek is the process that weighs islands and plays on some of them for a week,
// by a clock of its own.
func doWeek(ctx context.Context, j *job, o lab.Options) (any, error) {
	p, err := readPool(j.Pool)
	if err != nil {
		return nil, err
	}
	before, err := lab.SizeOf(j.Dir)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	w := &islandsWeek{library: &library{dir: j.Dir, crowd: newCrowd(p, j.Worlds, j.Seed)}, drawn: rand.New(rand.NewPCG(j.Seed, 1)).Perm(j.Worlds)}
	w.now.Store(&begin)
	if err := w.openAt(func() time.Time { return *w.now.Load() }); err != nil {
		return nil, err
	}
	r, err := w.week(ctx, o)
	highest, wrong := w.close(ctx, w.crowd)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	after, err := lab.SizeOf(j.Dir)
	r.Stones = highest
	r.WeekDisk = float64(after-before) / float64(r.Played)
	r.WeekSeconds = time.Since(begin).Seconds()
	return r, err
}

// islandsWeek is a week on islands.
type islandsWeek struct {
	*library
	now     atomic.Pointer[time.Time]
	drawn   []int   // all islands, those that are played on first
	collect float64 // seconds of the longest collection
}

func (w *islandsWeek) step(d time.Duration) {
	t := w.now.Load().Add(d)
	w.now.Store(&t)
}

func (w *islandsWeek) week(ctx context.Context, o lab.Options) (*IslandsBytes, error) {
	r := &IslandsBytes{Played: min(playedIslands, max(len(w.drawn)/10, 1)), Saves: weekOfSaves}
	var err error
	o.Step(0, weekOfSaves, "weighing islands")
	if r.Alone, err = w.alone(ctx, w.drawn[:min(aloneIslands, len(w.drawn))]); err != nil {
		return r, err
	}
	played := w.drawn[:r.Played]
	for _, i := range played {
		head, err := w.Head(ctx, nameOf(i))
		if err != nil {
			return r, err
		}
		w.crowd.accounts[i].head = head.Commit
		w.crowd.saved(i) // by the fill
	}
	before, err := w.kept(ctx)
	for day := 0; day < 7 && err == nil; day++ {
		if err = w.day(ctx, played, day, o); err == nil {
			_, err = w.kept(ctx)
		}
	}
	if err != nil {
		return r, err
	}
	after, err := w.kept(ctx)
	r.Week, r.Collect = float64(after-before)/float64(r.Played), w.collect
	return r, err
}

// kept collects and returns how many bytes the stones have that are needed.
func (w *islandsWeek) kept(ctx context.Context) (int64, error) {
	start := time.Now()
	if _, err := w.Collect(ctx, history.Policy{}); err != nil {
		return 0, err
	}
	w.collect = max(w.collect, time.Since(start).Seconds())
	stats, err := w.Store.(*local.Store).Stats(ctx)
	return stats.StoneBytes, err
}

// alone returns the mean size of islands as files of their own.
func (w *islandsWeek) alone(ctx context.Context, islands []int) (float64, error) {
	var n savings.Count
	for _, i := range islands {
		open, err := world.Open(ctx, w, nameOf(i), world.Options{})
		if err != nil {
			return 0, err
		}
		_, err = open.WriteStone(ctx, &n, stone.Options{})
		if err = errors.Join(err, open.Close()); err != nil {
			return 0, err
		}
	}
	return float64(n) / float64(len(islands)), nil
}

// day plays on islands for four hours, and lets the night come.
func (w *islandsWeek) day(ctx context.Context, islands []int, day int, o lab.Options) error {
	for n := range island.WeekSaves {
		o.Step(day*island.WeekSaves+n, weekOfSaves, "playing a week")
		w.step(island.SaveEvery)
		err := inParallel(ctx, len(islands), storeWorkers, func(at int) error { return w.save(ctx, w.crowd, islands[at]) })
		if err != nil {
			return err
		}
	}
	w.step(24*time.Hour - island.WeekSaves*island.SaveEvery) // the night
	return nil
}
