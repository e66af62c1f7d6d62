package index

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// plot writes the plots of the rows into dir.
func (r *Report) plot(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, p *lab.Plot) error { return p.Write(filepath.Join(dir, "octrees-"+name+".svg")) }
	var errs []error
	for _, scene := range unique(r.Rows, func(x Row) string { return x.Scene }) {
		names, of := r.lines(scene)
		queries := lab.Plot{Title: "Time of a query, " + r.title(scene), Rows: names, Series: []string{"small", "middle", "large"}, Units: lab.Times()}
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
			queries.Add(title, func(name string) (at []float64) {
				for _, c := range classes {
					at = append(at, of(name, c))
				}
				return at
			})
		}
		changes := lab.Plot{Title: "Time of a change, each object, " + r.title(scene), Rows: names, Series: []string{"build", "insert", "remove", "move"}, Units: lab.Times()}
		changes.Add("processor time", func(name string) (at []float64) {
			for _, c := range changes.Series {
				at = append(at, of(name, c))
			}
			return at
		})
		errs = append(errs, write(scene+"-queries", &queries), write(scene+"-changes", &changes))
	}
	return errors.Join(errs...)
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
