package tiles

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestExp(t *testing.T) {
	reads := 1_500_000
	seed := uint64(1)
	bytes := 0
	mbs := []int64{32, 128}
	if s := os.Getenv("SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	if s := os.Getenv("BYTES"); s != "" {
		fmt.Sscan(s, &bytes)
	}
	if s := os.Getenv("MB"); s != "" {
		fmt.Sscan(s, &mbs[0], &mbs[1])
	}
	only := os.Getenv("ONLY")
	traces := TraceNames()
	if s := os.Getenv("TRACES"); s != "" {
		traces = strings.Split(s, ",")
	}
	fmt.Printf("%-22s", "")
	var all []*Trace
	for _, n := range traces {
		tr := NewTrace(n, seed, reads, int32(bytes))
		all = append(all, tr)
		var sum int64
		for _, s := range tr.Sizes {
			sum += int64(s)
		}
		fmt.Printf("%8s:%4d/%4dM", n, len(tr.Keys)/1000, sum>>20)
	}
	fmt.Println()
	row := func(name string, f func(tr *Trace, budget int64) Outcome) {
		if only != "" && !strings.Contains(","+only+",", ","+name+",") && !strings.HasPrefix(name, only) {
			return
		}
		start := time.Now()
		fmt.Printf("%-22s", name)
		for _, tr := range all {
			for _, mb := range mbs {
				o := f(tr, mb<<20)
				if o.Peak > mb<<20 {
					t.Errorf("over")
				}
				fmt.Printf("%9.2f", o.HitRatio)
			}
		}
		fmt.Printf("   %v\n", time.Since(start).Round(time.Millisecond))
	}
	for _, r := range rivals {
		row(r.name, func(tr *Trace, b int64) Outcome { o, _ := drive(tr, r.name, b); return o })
	}
	for _, c := range candidates {
		row(c.name, func(tr *Trace, b int64) Outcome { return Simulate(tr, c.new(b), b) })
	}
}

var candidates = []struct {
	name string
	new  func(b int64) Policy
}{
	{"lru", func(b int64) Policy { return &lru{newLists()} }},
	{"clockmarked", func(b int64) Policy { return &clockPolicy{lists: newLists(), marked: true} }},
	{"clock", func(b int64) Policy { return &clockPolicy{lists: newLists()} }},
	{"sieve", func(b int64) Policy { return &sieve{clockPolicy{lists: newLists()}, none} }},
	{"s3fifo", func(b int64) Policy { return &s3fifo{lists: newLists(), budget: b} }},
	{"wtinylfu", func(b int64) Policy { return newTinyLFU(b, 16<<10, false) }},
	{"wtinylfu-a", func(b int64) Policy { return newTinyLFU(b, 16<<10, true) }},
}
