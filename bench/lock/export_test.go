package lock

import "time"

// Percentiles returns the summary of times.
func Percentiles(times []time.Duration) Times {
	var even, odd histogram
	for i, d := range times {
		if i%2 == 0 {
			even.add(d)
		} else {
			odd.add(d)
		}
	}
	even.join(&odd)
	return even.summary()
}

// Jain is jain.
func Jain(counts ...int64) float64 { return jain(counts) }

// Doublings is doublings.
func Doublings(n int) []int { return doublings(n) }
