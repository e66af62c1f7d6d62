// Package index measures the project's octrees beside other indexes of boxes: what it takes to build one, to insert,
// remove and move objects, and to ask each query, and how many bytes an object takes.
package index

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/octree"
)

// Row is what one piece of work takes with one index.
type Row struct {
	Scene string `json:"scene"`
	Class string `json:"work"`
	Index string `json:"index"`
	// Variant is the fastest kind of tree that OrthoTree has for it.
	Variant string  `json:"variant,omitempty"`
	Each    float64 `json:"each"` // nanoseconds of processor time, or bytes
	Allocs  float64 `json:"allocations"`
	Found   uint64  `json:"found"`
	Sum     string  `json:"checksum"`
	// Differs says that the answers are others than those of the first index.
	Differs bool `json:"differs,omitempty"`
}

// Report is what a measurement of indexes found.
type Report struct {
	Objects []Objects              `json:"objects"`
	Rows    []Row                  `json:"rows"`
	Studies []*Study               `json:"studies"`
	Skipped []savings.SkippedWorld `json:"skipped"`
	Failed  []string               `json:"failed"` // rivals that do not run to their end
}

// Objects is how many a scene has.
type Objects struct {
	Scene string `json:"scene"`
	Count int    `json:"objects"`
}

// share is of the objects of a scene, unless all are wanted.
func share(scene string) float64 {
	switch scene {
	case "movers", "uniform":
		return 1
	case "static":
		return 0.1
	}
	return 0.25
}

// builders returns what is measured on a scene.
func builders(s *scene) []builder {
	out := []builder{
		byInsert(ours, "", func() (*octree.Tree, error) { return octree.New(octree.Options{}) }),
		byInsert("brute force", "", func() (*brute, error) { return new(brute), nil }),
		byInsert("columns", "", func() (*columns, error) { return newColumns(s.flat), nil }),
	}
	for _, edge := range []float64{16, 64} {
		out = append(out, byInsert("hash grid", fmt.Sprint(edge), func() (*grid, error) { return newGrid(edge, s.flat), nil }))
	}
	form := func(name string, o octree.Options) {
		out = append(out, byInsert(name, "", func() (*octree.Tree, error) { return octree.New(o) }))
	}
	if s.flat {
		form("octree flat", octree.Options{Flat: true})
		return append(out, byInsert("tidwall/rtree", "", func() (*tidwall, error) { return new(tidwall), nil }))
	}
	if s.whole {
		form("octree integer", octree.Options{Integer: true})
	}
	return append(out, builder{"rtreego", "", connellyOf})
}

// Studies is the name that Options.Scenes has for all studies.
const Studies = "studies"

// Bench measures all indexes on Options.Scenes, by default all. Folders are for the scene of real maps.
func Bench(ctx context.Context, dirs []string, o lab.Options) (*Report, error) {
	if err := Check(o); err != nil {
		return nil, err
	}
	o = o.WithLoad(0, 0, 0.004)
	rounds := 3
	if o.Full {
		rounds = 5
	}
	each := time.Duration(o.Seconds * float64(time.Second))
	r := &Report{Objects: []Objects{}, Rows: []Row{}, Studies: []*Study{}, Skipped: []savings.SkippedWorld{}, Failed: []string{}}
	var rival *orthotree
	if o.OrthoTree != "" {
		o.Step(0, 1, "compile the driver of OrthoTree")
		var err error
		if rival, err = compile(ctx, o.OrthoTree); err != nil {
			return nil, err
		}
		defer rival.remove()
	}
	names := o.Scenes
	if names == nil {
		names = append(SceneNames(), Studies)
	}
	for i, name := range names {
		o.Step(i, len(names), name)
		if name == Studies {
			for _, y := range studies(o.Seed, 1) {
				study, err := y.run(ctx, rounds, each)
				if err != nil {
					return nil, err
				}
				r.Studies = append(r.Studies, study)
			}
			continue
		}
		s, err := r.scene(ctx, name, dirs, o)
		if err != nil {
			return nil, err
		} else if s == nil {
			continue
		}
		rows, err := s.run(ctx, builders(s), rounds, each)
		if err != nil {
			return nil, err
		}
		if rival != nil && !s.flat {
			theirs, err := rival.run(ctx, s, rounds, each)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err != nil {
				r.Failed = append(r.Failed, err.Error())
			}
			rows = append(rows, theirs...)
		}
		r.Rows = append(r.Rows, judge(rows)...)
		r.Objects = append(r.Objects, Objects{name, len(s.boxes)})
	}
	if o.Plots != "" {
		return r, r.plot(o.Plots)
	}
	return r, nil
}

// Check returns what is wrong with the options.
func Check(o lab.Options) error {
	names := append(SceneNames(), Studies)
	for _, name := range o.Scenes {
		if !slices.Contains(names, name) {
			return fmt.Errorf("index: no scene %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// title says what a scene has.
func (r *Report) title(scene string) string {
	return fmt.Sprintf("%s: %d objects", scene, r.objects(scene))
}

// scene returns a scene, or nil if there are no worlds for it.
func (r *Report) scene(ctx context.Context, name string, dirs []string, o lab.Options) (*scene, error) {
	if name == worlds {
		if len(dirs) == 0 {
			return nil, nil
		}
		s, skipped, err := worldsScene(ctx, dirs, o.Seed)
		r.Skipped = append(r.Skipped, skipped...)
		return s, err
	}
	if o.Full {
		return makeScene(name, o.Seed, 1), nil
	}
	return makeScene(name, o.Seed, share(name)), nil
}

// judge says which answers differ from those of the first index.
func judge(rows []Row) []Row {
	for i := range rows {
		x := &rows[i]
		j := slices.IndexFunc(rows, func(y Row) bool { return y.Class == x.Class })
		x.Differs = x.Sum != rows[j].Sum && x.Class != "build" && x.Class != "bytes" && x.Class != "remove"
	}
	return rows
}

// ours is the index that all others are compared with.
const ours = "octree"

// moves reports whether a variant of OrthoTree is one that objects can move in.
func moves(variant string) bool { return strings.HasPrefix(variant, "dynamic") }

// best returns the least row of some work with an index, of the variants that are wanted.
func (r *Report) best(scene, class, index string, want func(variant string) bool) (out Row, ok bool) {
	for _, x := range r.Rows {
		if x.Scene == scene && x.Class == class && x.Index == index && want(x.Variant) && (!ok || x.Each < out.Each) {
			out, ok = x, true
		}
	}
	return out, ok
}

// Table prints what each piece of work takes with our index, then with each other index how often as long. Of
// OrthoTree it prints the fastest tree in which objects can move, and the fastest of all.
func (r *Report) Table(w io.Writer) {
	anything := func(string) bool { return true }
	for _, scene := range unique(r.Rows, func(x Row) string { return x.Scene }) {
		indexes := unique(r.Rows, func(x Row) string {
			if x.Scene != scene || x.Index == ours {
				return ""
			}
			return x.Index
		})
		head := []string{r.title(scene), ours, "allocs", "found"}
		for _, name := range indexes {
			head = append(head, name)
			if name == "OrthoTree" {
				head = append(head, "best static", "")
			}
		}
		t := table.New(w, head...)
		for _, class := range unique(r.Rows, func(x Row) string { return x.Class }) {
			mine, ok := r.best(scene, class, ours, anything)
			if !ok {
				continue
			}
			cells := []string{class, figure(mine.Each), fmt.Sprintf("%.2g", mine.Allocs), fmt.Sprint(mine.Found)}
			cell := func(x Row, ok bool) string {
				switch {
				case !ok:
					return ""
				case x.Differs:
					return "differs"
				}
				return fmt.Sprintf("%s x%.2f", figure(x.Each), x.Each/mine.Each)
			}
			for _, name := range indexes {
				if name != "OrthoTree" {
					cells = append(cells, cell(r.best(scene, class, name, anything)))
					continue
				}
				cells = append(cells, cell(r.best(scene, class, name, moves)))
				x, ok := r.best(scene, class, name, func(v string) bool { return !moves(v) })
				cells = append(cells, cell(x, ok), x.Variant)
			}
			t.Row(cells...)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	for _, y := range r.Studies {
		y.table(w)
	}
	for _, why := range r.Failed {
		fmt.Fprintln(w, why)
	}
	for _, x := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", x.Path, x.Why)
	}
}

func (r *Report) objects(scene string) int {
	for _, x := range r.Objects {
		if x.Scene == scene {
			return x.Count
		}
	}
	return 0
}

// unique returns what of says of the rows, each once, without the empty.
func unique(rows []Row, of func(Row) string) (out []string) {
	for _, x := range rows {
		if s := of(x); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func figure(f float64) string {
	switch {
	case f < 100:
		return fmt.Sprintf("%.1f", f)
	case f < 10_000:
		return fmt.Sprintf("%.0f", f)
	case f < 10_000_000:
		return fmt.Sprintf("%.1f k", f/1000)
	}
	return fmt.Sprintf("%.1f M", f/1e6)
}
