package crowd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/store/local"
)

// doFill is the process that makes the islands: each is forked and saved once. It
// returns how many seconds that took.
func doFill(ctx context.Context, j *job, o lab.Options) (any, error) {
	p, err := readPool(j.Pool)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	err = fillStore(ctx, j.Dir, newCrowd(p, j.Worlds, j.Seed), o, 1)
	return time.Since(start).Seconds(), err
}

// doOpen is the process that opens a store of many islands.
func doOpen(ctx context.Context, j *job, o lab.Options) (any, error) {
	r := &IslandsOpen{Pages: min(openPages, j.Worlds), Loads: min(openLoads, j.Worlds)}
	start := time.Now()
	st, err := local.Open(j.Dir, local.Options{})
	if err != nil {
		return nil, err
	}
	r.Open = time.Since(start).Seconds() * 1000
	err = r.look(ctx, stored{st}, j, o)
	return r, errors.Join(err, st.Close())
}

const pageNames = 100

// look reads pages of names and islands, and then looks at this process.
func (r *IslandsOpen) look(ctx context.Context, s stored, j *job, o lab.Options) error {
	random := rand.New(rand.NewPCG(j.Seed, 0))
	o.Step(0, 2, "listing names")
	var times []float64
	for range r.Pages {
		start := time.Now()
		if _, err := s.List(ctx, "", fmt.Sprintf(islandFormat, random.Uint64()), pageNames); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds()*1000)
	}
	r.PageP50, r.PageP99 = lab.Percentile(times, 50), lab.Percentile(times, 99)
	o.Step(1, 2, "loading islands")
	times = times[:0]
	for range r.Loads {
		start := time.Now()
		if _, _, err := s.loadHead(ctx, nameOf(random.IntN(j.Worlds))); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds()*1000)
	}
	r.LoadP50, r.LoadP99 = lab.Percentile(times, 50), lab.Percentile(times, 99)
	r.Memory, r.Highest = lab.MemoryOf(os.Getpid())
	return nil
}
