package metrics

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/prometheus/client_golang/prometheus"
)

// worlds estimates how many worlds of which size a Store has. It walks around all names,
// a page at a time, and asks for the sizes of some worlds of each page. Each of these stands for
// its part of the page. A store that fits one page is seen as a whole each time.
//
// A collection would know the same, but only one server of a cluster collects; the
// sizes of what is loaded and saved would tell of active worlds alone, which are larger.
type worlds struct {
	st   history.Store
	page int
	now  func() time.Time

	mu    sync.Mutex // guards what follows; held during a step
	at    time.Time  // of the last step
	after string     // name at which the next page begins
	walk  sized      // since the walk began
	last  *sized     // of the last whole walk, nil before
}

// sized is worlds by their sizes.
type sized struct {
	names  int
	counts []float64 // by byteBounds, and one for the rest
	bytes  float64
}

// What a step costs at most: names that are listed, worlds that are asked for their
// size, and time. Until the first walk has ended a step takes several pages.
const (
	stepNames = 5000
	stepSizes = 100
	stepEvery = time.Minute
	fewEvery  = 10 * time.Second // if a step asks for all worlds
	stepTime  = 500 * time.Millisecond
)

// step goes on with the walk, unless a step is under way or was a moment ago.
func (w *worlds) step(now time.Time) {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	every := stepEvery
	if w.last != nil && w.last.names <= stepSizes {
		every = fewEvery
	}
	if !w.at.IsZero() && now.Sub(w.at) < every {
		return
	}
	w.at = now
	ctx, cancel := context.WithTimeout(context.Background(), 2*stepTime)
	defer cancel()
	for began := now; ; {
		whole, err := w.onePage(ctx)
		if err != nil || whole || w.last != nil || w.now().Sub(began) > stepTime {
			return // after an error the page is asked for again in a minute
		}
	}
}

// onePage goes on by a page and reports whether the walk is whole.
func (w *worlds) onePage(ctx context.Context) (whole bool, err error) {
	names, err := w.st.List(ctx, "", w.after, w.page)
	if err != nil {
		return false, err
	}
	next := ""
	if whole = len(names) < w.page; !whole {
		next = names[len(names)-1]
	}
	all := len(names)
	rand.Shuffle(all, func(i, j int) { names[i], names[j] = names[j], names[i] })
	sizes, err := sizesOf(ctx, w.st, names[:min(all, stepSizes)], time.Hour)
	if err != nil {
		return false, err
	}
	if w.walk.counts == nil {
		w.walk.counts = make([]float64, len(byteBounds)+1)
	}
	w.walk.names += all
	for _, size := range sizes {
		share := float64(all) / float64(len(sizes))
		b := 0
		for b < len(byteBounds) && float64(size) > byteBounds[b] {
			b++
		}
		w.walk.counts[b] += share
		w.walk.bytes += share * float64(size)
	}
	w.after = next
	if whole {
		last := w.walk
		w.last, w.walk = &last, sized{}
	}
	return whole, nil
}

// sizesOf returns for each world the bytes of the stones that its newest version stands on, as
// far as there is time. It leaves out worlds that are gone.
func sizesOf(ctx context.Context, st history.Store, names []string, within time.Duration) (sizes []int64, err error) {
	began := time.Now()
	for _, name := range names {
		if time.Since(began) > within {
			break
		}
		f, err := history.Fetch(ctx, st, name, history.ID{}, 0)
		if errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrNoCommit) {
			continue
		}
		if err != nil {
			return nil, err
		}
		size := int64(0)
		for _, l := range f.Layers {
			size += l.Stone.Size
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

var (
	worldBytes = describe("world_bytes", "Worlds by the bytes of their newest versions, estimated from samples.")
	worldNames = describe("worlds", "Worlds in the store.")
)

// worldMetrics shows worlds. A Store that counts its worlds itself has no need of the
// number of names.
type worldMetrics struct {
	*worlds
	names bool
}

func (m worldMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- worldBytes
	if m.names {
		to <- worldNames
	}
}

// Collect is for prometheus.Collector. Before the first walk has ended it shows what was
// walked so far, but not the number of names.
func (m worldMetrics) Collect(to chan<- prometheus.Metric) {
	m.step(m.now())
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.last
	if seen != nil && m.names {
		to <- prometheus.MustNewConstMetric(worldNames, prometheus.GaugeValue, float64(seen.names))
	}
	if seen == nil {
		seen = &m.walk
	}
	if seen.counts == nil {
		return
	}
	counts, sum := make(map[float64]uint64, len(byteBounds)), 0.0
	for i, n := range seen.counts {
		if sum += n; i < len(byteBounds) {
			counts[byteBounds[i]] = uint64(math.Round(sum))
		}
	}
	to <- prometheus.MustNewConstHistogram(worldBytes, uint64(math.Round(sum)), seen.bytes, counts)
}
