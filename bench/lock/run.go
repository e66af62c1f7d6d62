package lock

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// stop says that a round is over. Holders look at it, and so do goroutines that wait by a pure
// spin, so a lock that collapses does not hold up the others.
type stop struct{ over atomic.Bool }

// pure is the Yield of a pure spin.
func (s *stop) pure() {
	if s.over.Load() {
		runtime.Gosched()
	}
}

// A loop works until the stop and returns how often it did. If times is not nil, it
// takes the time of each.
type loop func(s *stop, times *histogram) int64

// result is what loops did in a round.
type result struct {
	counts []int64
	took   time.Duration
	times  histogram
}

func (r *result) sum() (n int64) {
	for _, c := range r.counts {
		n += c
	}
	return n
}

// each returns the nanoseconds from one piece of work to the next; with none, it is the whole
// round.
func (r *result) each() float64 { return float64(r.took.Nanoseconds()) / float64(max(1, r.sum())) }

// run starts all loops at once and stops them after d. If release is not nil, something holds the
// loops up until then: they get time to come there, and the round begins with release.
func (s *stop) run(loops []loop, d time.Duration, timed bool, release func()) *result {
	r := &result{counts: make([]int64, len(loops))}
	times := make([]*histogram, len(loops))
	gate := make(chan struct{})
	var all sync.WaitGroup
	for g, f := range loops {
		if timed {
			times[g] = new(histogram)
		}
		all.Go(func() {
			<-gate
			r.counts[g] = f(s, times[g])
		})
	}
	start := time.Now()
	close(gate)
	if release != nil {
		time.Sleep(coming)
		start = time.Now()
		release()
	}
	time.Sleep(d)
	s.over.Store(true)
	r.took = time.Since(start)
	all.Wait()
	for _, h := range times {
		r.times.join(h)
	}
	return r
}

// coming is how long goroutines have to come to a lock that is held.
const coming = 200 * time.Microsecond

// fineBits are the bits below the highest that a histogram tells apart.
const fineBits = 5

// histogram counts times by their highest bits.
type histogram struct {
	counts [64 << fineBits]int64
	max    time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.max = max(h.max, d)
	h.counts[bucket(uint64(max(0, d)))]++
}

// bucket returns the number of the bucket of n: exact below 2^fineBits.
func bucket(n uint64) int {
	drop := max(0, bits.Len64(n)-fineBits-1)
	return drop<<fineBits + int(n>>drop)
}

// top returns the largest number of a bucket.
func top(bucket int) uint64 {
	drop := max(0, bucket>>fineBits-1)
	return (uint64(bucket-drop<<fineBits)+1)<<drop - 1
}

func (h *histogram) join(other *histogram) {
	if other == nil {
		return
	}
	h.max = max(h.max, other.max)
	for i, n := range other.counts {
		h.counts[i] += n
	}
}

// percentile returns a time that the share p of all is not above.
func (h *histogram) percentile(p float64) float64 {
	var all, sum int64
	for _, n := range h.counts {
		all += n
	}
	for i, n := range h.counts {
		if sum += n; sum > 0 && float64(sum) >= p*float64(all) {
			return min(float64(top(i)), float64(h.max))
		}
	}
	return 0
}

func (h *histogram) summary() Times {
	return Times{h.percentile(0.5), h.percentile(0.99), h.percentile(0.999), float64(h.max)}
}
