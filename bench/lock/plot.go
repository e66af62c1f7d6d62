package lock

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// plot writes the plots of the rows into dir.
func (r *Report) plot(dir string) error {
	processors := r.processors()
	most := processors[len(processors)-1]
	byGoroutines := func(from int) (names []string) {
		for _, g := range r.goroutines()[from:] {
			names = append(names, fmt.Sprintf("%d goroutines", g))
		}
		names[0] = strings.Replace(names[0], "1 goroutines", "1 goroutine", 1)
		return names
	}
	cost := lab.Plot{Title: "Time from one acquisition to the next", Rows: r.locks(), Series: byGoroutines(0), Units: lab.Times()}
	for _, p := range processors {
		if p == 1 || p == most {
			cost.Add(fmt.Sprintf("GOMAXPROCS %d", p), func(name string) (at []float64) {
				for _, g := range r.goroutines() {
					at = append(at, r.row(name, p, g).Each)
				}
				return at
			})
		}
	}
	wait := lab.Plot{Title: fmt.Sprintf("How long Lock takes, GOMAXPROCS %d", most), Rows: r.locks(), Series: []string{"p50", "p99", "p99.9", "max"}, Units: lab.Times()}
	for _, g := range r.goroutines() {
		if g != 2 && g != 8 && g != 64 {
			continue
		}
		wait.Add(fmt.Sprintf("%d goroutines", g), func(name string) []float64 {
			t := r.row(name, most, g).Wait
			return []float64{t.P50, t.P99, t.P999, t.Max}
		})
	}
	fair := lab.Plot{Title: fmt.Sprintf("Fairness, GOMAXPROCS %d: 1 is the same number of acquisitions for all goroutines", most), Rows: r.locks(), Series: byGoroutines(1)}
	for _, f := range []struct {
		name string
		of   func(Row) float64
	}{{"Jain's index", func(x Row) float64 { return x.Jain }}, {"least to most", func(x Row) float64 { return x.Least }}} {
		fair.Add(f.name, func(name string) (at []float64) {
			for _, g := range r.goroutines()[1:] {
				at = append(at, f.of(r.row(name, most, g)))
			}
			return at
		})
	}
	for name, p := range map[string]*lab.Plot{"cost": &cost, "wait": &wait, "fairness": &fair} {
		if err := p.Write(filepath.Join(dir, "locks-"+name+".svg")); err != nil {
			return err
		}
	}
	return nil
}
