package measure

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// doWeek is the process that weighs islands and plays on some of them for a week,
// by a clock of its own.
func doWeek(ctx context.Context, j *job, o Options) (any, error) {
	p, err := readPool(j.Pool)
	if err != nil {
		return nil, err
	}
	before, err := sizeOf(j.Dir)
	if err != nil {
		return nil, err
	}
	var now atomic.Pointer[time.Time]
	begin := time.Now()
	now.Store(&begin)
	l := &library{dir: j.Dir, crowd: newCrowd(p, j.Worlds, j.Seed)}
	if err := l.openAt(func() time.Time { return *now.Load() }); err != nil {
		return nil, err
	}
	w := &islandsWeek{library: l, now: &now, drawn: rand.New(rand.NewPCG(j.Seed, 1)).Perm(j.Worlds)}
	r, err := w.play(ctx, o)
	highest, wrong := l.close(ctx, l.crowd)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	after, err := sizeOf(j.Dir)
	r.Stones = highest
	r.Week = float64(after-before) / float64(r.Played)
	r.WeekSeconds = time.Since(begin).Seconds()
	return r, err
}

// islandsWeek is a week on islands.
type islandsWeek struct {
	*library
	now   *atomic.Pointer[time.Time]
	drawn []int // all islands, those that are played on first
}

func (w *islandsWeek) step(d time.Duration) {
	t := w.now.Load().Add(d)
	w.now.Store(&t)
}

func (w *islandsWeek) play(ctx context.Context, o Options) (*IslandsBytes, error) {
	r := &IslandsBytes{Played: min(playedIslands, max(len(w.drawn)/10, 1)), Saves: weekOfSaves}
	var err error
	if r.Alone, err = w.alone(ctx, w.drawn[:min(aloneIslands, len(w.drawn))]); err != nil {
		return r, err
	}
	err = inParallel(ctx, len(w.drawn), storeWorkers, func(i int) error {
		head, err := w.Head(ctx, nameOf(i))
		w.crowd.accounts[i].head = head.Commit
		w.crowd.saved(i) // by the fill
		return err
	})
	for day := 0; day < 7 && err == nil; day++ {
		err = w.day(ctx, w.drawn[:r.Played], day, o)
		start := time.Now()
		if err == nil {
			_, err = w.Collect(ctx, world.Policy{})
		}
		r.Collect = max(r.Collect, time.Since(start).Seconds())
	}
	return r, err
}

// alone returns the mean size of islands as files of their own.
func (w *islandsWeek) alone(ctx context.Context, islands []int) (float64, error) {
	var n count
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
func (w *islandsWeek) day(ctx context.Context, islands []int, day int, o Options) error {
	for n := range weekSaves {
		o.progress(day*weekSaves+n, weekOfSaves, "playing a week")
		w.step(saveEvery)
		err := inParallel(ctx, len(islands), storeWorkers, func(at int) error { return w.save(ctx, w.crowd, islands[at]) })
		if err != nil {
			return err
		}
	}
	w.step(24*time.Hour - weekSaves*saveEvery)
	return nil
}
