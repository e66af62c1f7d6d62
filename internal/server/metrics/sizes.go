package metrics

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// WorldSizes is how large worlds are: the bytes of the stones that their newest versions
// stand on.
type WorldSizes struct {
	Sampled int         `json:"sampled"` // worlds
	Bytes   int64       `json:"bytes"`   // of the sample
	Median  int64       `json:"median"`
	P90     int64       `json:"p90"`
	P99     int64       `json:"p99"`
	Largest int64       `json:"largest"`
	Counts  []SizeCount `json:"counts"` // ascending
}

// SizeCount is how many worlds of the sample have at most Upto bytes, and more than the
// count before; Upto is 0 for the rest.
type SizeCount struct {
	Upto   int64 `json:"upto"`
	Worlds int   `json:"worlds"`
}

// What a sample of worlds costs at most: names that are listed, worlds that are asked for
// their size, and time. A sample is good for a minute.
const (
	sampleNames  = 200_000
	sampleWorlds = 1000
	sampleTime   = 2 * time.Second
	sampleFor    = time.Minute
)

// Sizes samples how large the worlds of a Store are. The zero value is ready; any number of
// goroutines may use it.
type Sizes struct {
	mu     sync.Mutex // held while a sample is taken
	at     time.Time
	worlds int
	sizes  WorldSizes
}

// Of returns the sizes of the worlds of a Store, how many worlds there are, and when they
// were counted: at most a minute ago.
func (s *Sizes) Of(ctx context.Context, st history.Store) (WorldSizes, int, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.at.IsZero() || now.Sub(s.at) >= sampleFor {
		names, all, err := someNames(ctx, st)
		if err != nil {
			return WorldSizes{}, 0, now, err
		}
		sizes, err := sizesOf(ctx, st, names, sampleTime)
		if err != nil {
			return WorldSizes{}, 0, now, err
		}
		s.at, s.worlds, s.sizes = now, all, sizesAre(sizes)
	}
	return s.sizes, s.worlds, s.at, nil
}

// someNames returns some names, each with the same chance, and how many there are.
func someNames(ctx context.Context, st history.Store) (names []string, all int, err error) {
	const page = 5000
	for after := ""; all < sampleNames; {
		list, err := st.List(ctx, "", after, page)
		if err != nil {
			return nil, 0, err
		}
		for _, name := range list {
			if all++; len(names) < sampleWorlds {
				names = append(names, name)
			} else if at := rand.IntN(all); at < sampleWorlds {
				names[at] = name
			}
		}
		if len(list) < page {
			break
		}
		after = list[len(list)-1]
	}
	return names, all, nil
}

// sizesAre sums up the sizes of a sample.
func sizesAre(sizes []int64) WorldSizes {
	slices.Sort(sizes)
	at := func(part float64) int64 {
		if len(sizes) == 0 {
			return 0
		}
		return sizes[int(part*float64(len(sizes)-1))]
	}
	out := WorldSizes{Sampled: len(sizes), Median: at(.5), P90: at(.9), P99: at(.99), Largest: at(1), Counts: []SizeCount{}}
	i := 0
	for _, upto := range append(slices.Clone(byteBounds), 0) {
		n := 0
		for ; i < len(sizes) && (upto == 0 || sizes[i] <= int64(upto)); i++ {
			n++
			out.Bytes += sizes[i]
		}
		out.Counts = append(out.Counts, SizeCount{int64(upto), n})
	}
	return out
}
