package lab

import (
	"runtime"
	"slices"
	"time"
)

// ReadRounds is how many rounds of reads are timed; the fastest counts.
const ReadRounds = 5

// HeapGrowth returns how many bytes of heap are in use after f that were not
// before.
func HeapGrowth(f func()) int64 {
	before := HeapInUse()
	f()
	return HeapInUse() - before
}

// HeapInUse returns how many bytes of heap are in use.
func HeapInUse() int64 {
	for range 2 { // a sync.Pool lets go at the second
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Least returns the lesser of two times; 0 is none yet.
func Least(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// Nanoseconds returns the time of each of n pieces of work, and what f returned.
func Nanoseconds(f func() int, n int) (each float64, sum int) {
	start := time.Now()
	sum = f()
	return float64(time.Since(start).Nanoseconds()) / float64(n), sum
}

// Percentile sorts times and returns the least that p percent are not above.
func Percentile(times []float64, p int) float64 {
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*p/100)]
}
