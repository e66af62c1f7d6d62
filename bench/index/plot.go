package index

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// plotted are the scenes that plots show.
func plotted() []string { return []string{"movers", "uniform", "static"} }

// plot writes the plots of the rows into dir.
func (r *Report) plot(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, p *lab.Plot) error { return p.Write(filepath.Join(dir, "octrees-"+name+".svg")) }
	var errs []error
	changes := lab.Plot{Title: "Time of a change, for each object", Series: []string{"build", "insert", "remove", "move"}, Units: lab.Times()}
	for _, scene := range plotted() {
		names, of := r.lines(scene)
		if len(names) == 0 {
			continue
		}
		errs = append(errs, write("queries-"+scene, r.queryPlot(scene, names, of)))
		if scene == "static" { // where nothing moves
			continue
		}
		changes.Rows = names
		changes.Add(r.title(scene), func(name string) (at []float64) {
			for _, c := range changes.Series {
				at = append(at, of(name, c))
			}
			return at
		})
	}
	if len(changes.Rows) > 0 {
		errs = append(errs, write("changes", &changes))
	}
	for _, y := range r.Studies {
		switch y.Name {
		case "depth":
			errs = append(errs, write("depth", y.plot("Who decides the depth: occupancy (octree) or the size of objects", []string{"ball 16", "ball 64", "ball 256", "move"})))
		case "layouts, movers":
			p := y.plot("Layouts, 40,000 movers", []string{"down", "walk", "move", "ball 64", "nearest 8"})
			errs = append(errs, write("layouts", p))
		}
	}
	return errors.Join(errs...)
}

// queryPlot has a panel for each kind of query, with three sizes.
func (r *Report) queryPlot(scene string, names []string, of func(name, class string) float64) *lab.Plot {
	p := &lab.Plot{Title: "Time of a query, " + r.title(scene), Rows: names, Series: []string{"small", "middle", "large"}, Units: lab.Times()}
	for _, kind := range []string{"box", "nearest", "first"} {
		classes := unique(r.Rows, func(x Row) string {
			if x.Scene != scene || !strings.HasPrefix(x.Class, kind+" ") {
				return ""
			}
			return x.Class
		})
		if len(classes) == 0 {
			continue
		}
		title := classes[0]
		for _, c := range classes[1:] {
			title += "," + strings.TrimPrefix(c, kind)
		}
		p.Add(title, func(name string) (at []float64) {
			for _, c := range classes {
				at = append(at, of(name, c))
			}
			return at
		})
	}
	return p
}

// plot shows some work of all indexes of a study.
func (y *Study) plot(title string, series []string) *lab.Plot {
	p := &lab.Plot{Title: title, Rows: unique(y.Rows, func(x Row) string { return x.Index }), Series: series, Units: lab.Times()}
	p.Add("processor time", func(name string) (at []float64) {
		for _, c := range series {
			at = append(at, y.of(name, c))
		}
		return at
	})
	return p
}

// lines returns the names of what is compared on a scene, and a function that returns their time for some work, or 0.
func (r *Report) lines(scene string) (names []string, of func(name, class string) float64) {
	const static = "OrthoTree, static"
	names = unique(r.Rows, func(x Row) string {
		if x.Scene != scene {
			return ""
		}
		return x.Index
	})
	if i := slices.Index(names, "OrthoTree"); i >= 0 {
		names = slices.Insert(names, i+1, static)
	}
	return names, func(name, class string) float64 {
		index, want := name, func(string) bool { return true }
		switch name {
		case static:
			index, want = "OrthoTree", func(v string) bool { return !moves(v) }
		case "OrthoTree":
			want = moves
		}
		x, ok := r.best(scene, class, index, want)
		if !ok || x.Differs {
			return 0
		}
		return x.Each
	}
}
