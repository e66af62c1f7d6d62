package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"

	localstore "github.com/cairnvoxel/cairn/store/local"
)

// statsAnswer is the answer to GET /v1/stats. What changes from second to second is in the
// metrics.
type statsAnswer struct {
	Time   client.Time       `json:"time"` // of the sample
	Worlds int               `json:"worlds"`
	Sizes  worldSizes        `json:"sizes"`
	Store  *localstore.Stats `json:"store"` // null if the store counts nothing
	Stream streamStats       `json:"stream"`
	Packs  bool              `json:"packs"` // the server packs
}

// worldSizes is how large worlds are: the bytes of the stones that their newest versions
// stand on.
type worldSizes struct {
	Sampled int         `json:"sampled"` // worlds
	Bytes   int64       `json:"bytes"`   // of the sample
	Median  int64       `json:"median"`
	P90     int64       `json:"p90"`
	P99     int64       `json:"p99"`
	Largest int64       `json:"largest"`
	Counts  []sizeCount `json:"counts"` // ascending
}

// sizeCount is how many worlds of the sample have at most Upto bytes, and more than the
// count before; Upto is 0 for the rest.
type sizeCount struct {
	Upto   int64 `json:"upto"`
	Worlds int   `json:"worlds"`
}

type streamStats struct {
	Viewers int   `json:"viewers"`
	Worlds  int   `json:"worlds"`
	Bytes   int64 `json:"bytes"`
	Cubes   int64 `json:"cubes"`
	Edits   int64 `json:"edits"`
	Cut     int64 `json:"cut"`
}

// What a sample of worlds costs at most: names that are listed, worlds that are asked for
// their size, and time. A sample is good for a minute.
const (
	sampleNames  = 200_000
	sampleWorlds = 1000
	sampleTime   = 2 * time.Second
	sampleFor    = time.Minute
)

// sample is the last sample of worlds.
type sample struct {
	mu     sync.Mutex // held while a sample is taken
	at     time.Time
	worlds int
	sizes  worldSizes
}

// stats is GET /v1/stats.
func (c *call) stats() error {
	a := statsAnswer{Packs: c.o.Packs}
	if err := c.sampled(&a); err != nil {
		return err
	}
	if st, ok := c.st.(counted); ok {
		s, err := st.Stats(c.ctx)
		if err != nil {
			return err
		}
		a.Worlds, a.Store = s.Worlds, &s
	}
	all, worlds := c.streams.Stats()
	a.Stream = streamStats{all.Viewers, worlds, all.Bytes, all.Cubes, all.Edits, all.Cut}
	return c.answer(http.StatusOK, a)
}

// sampled fills in the sizes of worlds, from the last sample if it is good.
func (c *call) sampled(a *statsAnswer) error {
	s := &c.sizes
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.at.IsZero() || now.Sub(s.at) >= sampleFor {
		names, all, err := someNames(c.ctx, c.st)
		if err != nil {
			return err
		}
		sizes, err := sizesOf(c.ctx, c.st, names)
		if err != nil {
			return err
		}
		s.at, s.worlds, s.sizes = now, all, sizes
	}
	a.Time, a.Worlds, a.Sizes = client.Time{Time: s.at.UTC()}, s.worlds, s.sizes
	return nil
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

// sizesOf asks for the sizes of worlds, as far as there is time.
func sizesOf(ctx context.Context, st history.Store, names []string) (out worldSizes, err error) {
	began := time.Now()
	var sizes []int64
	for _, name := range names {
		if time.Since(began) > sampleTime {
			break
		}
		f, err := history.Fetch(ctx, st, name, history.ID{}, 0)
		if errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrNoCommit) {
			continue
		}
		if err != nil {
			return out, err
		}
		size := int64(0)
		for _, l := range f.Layers {
			size += l.Stone.Size
		}
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	at := func(part float64) int64 {
		if len(sizes) == 0 {
			return 0
		}
		return sizes[int(part*float64(len(sizes)-1))]
	}
	out = worldSizes{Sampled: len(sizes), Median: at(.5), P90: at(.9), P99: at(.99), Largest: at(1), Counts: []sizeCount{}}
	i := 0
	for _, upto := range append(slices.Clone(byteBounds), 0) {
		n := 0
		for ; i < len(sizes) && (upto == 0 || sizes[i] <= int64(upto)); i++ {
			n++
			out.Bytes += sizes[i]
		}
		out.Counts = append(out.Counts, sizeCount{int64(upto), n})
	}
	return out, nil
}
