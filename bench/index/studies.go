package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

// Study compares ways to keep one kind of tree. The first index is octree.Tree, or the way that a program should take.
type Study struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// study is what is measured: only the kept work of a scene.
type study struct {
	name     string
	scene    *scene
	builders []builder
	keep     []string
}

func defaultTree() builder {
	return byInsert(ours, "", func() (*octree.Tree, error) { return octree.New(octree.Options{}) })
}

// studies returns what is compared beside the scenes. A share is of all objects.
func studies(seed uint64, share float64) (out []study) {
	movers := makeScene("movers", seed, share)
	uniform := makeScene("uniform", seed, share)

	depths := study{"depth", movers, []builder{defaultTree()}, []string{"ball 16", "ball 64", "ball 256", "move"}}
	for _, blind := range []bool{true, false} {
		for _, least := range []float64{16, 32, 64, 128} {
			name := fmt.Sprintf("by size, to %g", least)
			if blind {
				name += ", no mask"
			}
			depths.builders = append(depths.builders, byInsert(name, "", func() (*sized, error) { return newSized(least, blind), nil }))
		}
	}
	out = append(out, depths)

	for _, s := range []*scene{movers, uniform} {
		x := study{"layouts, " + s.name, s, []builder{defaultTree()}, nil}
		middle := s.classes[slices.IndexFunc(s.classes, func(c class) bool { return c.kind == ball })+3]
		x.keep = []string{middle.name, "nearest 8", firstClass(s, first), firstClass(s, frustum), "build", "insert", "remove", "move", "down", "walk", "neighbours", "bytes", "node", "grow"}
		for _, k := range layout.All() {
			name := k.Name
			if k.Options.Boxes != layout.Computed {
				name = strings.Replace(name, " parent", "", 1)
			}
			x.builders = append(x.builders, byLayout(name, loose(k.Options)))
		}
		virtual := layout.Options{Storage: layout.Hashed, Mask: true, Virtual: true}
		x.builders = append(x.builders, byLayout("hashed 64 mask virtual", loose(virtual)))
		out = append(out, x)
	}

	borders := study{"borders", uniform, []builder{defaultTree()}, []string{"point", "box 32", "first 256", "frustum 128", "build", "move", "bytes"}}
	for _, l := range []float64{1, 1.5, 2} {
		o := loose(layout.Options{})
		o.Loose = l
		borders.builders = append(borders.builders, byLayout(fmt.Sprintf("smallest that encloses, loose %g", l), o))
	}
	for _, s := range []layout.Strategy{layout.Leaves, layout.Split} {
		o := loose(layout.Options{Objects: s})
		o.Loose = 0
		borders.builders = append(borders.builders, byLayout(s.String(), o))
	}
	out = append(out, borders)

	// One tree for all against one for what stands and one for what moves.
	mixed := makeScene("uniform", seed, share)
	mixed.churn = nil
	for i := range mixed.steps {
		copy(mixed.steps[i][len(mixed.boxes)/10:], mixed.boxes[len(mixed.boxes)/10:])
	}
	n := len(mixed.boxes) / 10
	trees := study{"two trees, a tenth moves", mixed, nil, []string{"ball 32", "box 128", "nearest 8", "move some", "rebuild"}}
	trees.builders = []builder{
		{"one tree", "", func(all []octree.Box) (any, []octree.ObjectID, error) {
			t, err := octree.New(octree.Options{})
			if err != nil {
				return nil, nil, err
			}
			ids, err := t.InsertAll(nil, all)
			return oneTree{t, n}, ids, err
		}},
		{"two trees", "", func(all []octree.Box) (any, []octree.ObjectID, error) {
			t := twoTrees{still: mustTree(), moving: mustTree(), n: n}
			ids, err := t.moving.InsertAll(nil, all[:n])
			if err == nil {
				ids, err = t.still.InsertAll(ids, all[n:])
			}
			if err != nil {
				return nil, nil, err
			}
			for i := range ids[n:] {
				ids[n+i] = t.shifted(ids[n+i])
			}
			return t, ids, nil
		}},
	}
	return append(out, trees)
}

// oneTree and twoTrees say how many objects move.
type (
	oneTree struct {
		*octree.Tree
		moving int
	}
	// twoTrees has the first n objects in the tree that moves.
	twoTrees struct {
		still, moving *octree.Tree
		n             int
	}
)

func mustTree() *octree.Tree {
	t, err := octree.New(octree.Options{})
	if err != nil {
		panic(err)
	}
	return t
}

// shifted returns the ID for an object that stands still, so that the trees share none.
func (t twoTrees) shifted(id octree.ObjectID) octree.ObjectID { return id + octree.ObjectID(t.n) }

func (t twoTrees) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.moving.Overlapping(q, yield)
	t.still.Overlapping(q, func(id octree.ObjectID, b octree.Box) bool { return yield(t.shifted(id), b) })
}

func (t twoTrees) Ball(center octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	t.moving.Ball(center, radius, yield)
	t.still.Ball(center, radius, func(id octree.ObjectID, b octree.Box) bool { return yield(t.shifted(id), b) })
}

func (t twoTrees) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	var other [64]octree.Near
	near := t.moving.Nearest(p, buf)
	all := append(other[:0], near...)
	for _, n := range t.still.Nearest(p, make([]octree.Near, len(buf))) {
		all = append(all, octree.Near{ID: t.shifted(n.ID), Distance: n.Distance})
	}
	slices.SortFunc(all, func(a, b octree.Near) int { return cmp.Compare(a.Distance, b.Distance) })
	return buf[:copy(buf, all)]
}

func firstClass(s *scene, k kind) string {
	i := slices.IndexFunc(s.classes, func(c class) bool { return c.kind == k })
	return s.classes[i].name
}

// loose fills in what all layouts have alike.
func loose(o layout.Options) layout.Options {
	o.Root = octree.Box{Min: octree.Vec{X: -1024, Y: -1024, Z: -1024}, Max: octree.Vec{X: 7168, Y: 7168, Z: 7168}}
	o.Loose = 2
	o.MaxDepth, o.SplitAbove = 8, 16
	if o.Storage == layout.Full {
		o.MaxDepth, o.SplitAbove = 6, 0
	}
	return o
}

func byLayout(name string, o layout.Options) builder {
	return builder{name, "", func(boxes []octree.Box) (any, []octree.ObjectID, error) {
		t, err := layout.New(o)
		if err != nil {
			return nil, nil, err
		}
		ids, err := t.Build(boxes)
		return t, ids, err
	}}
}

// run measures a study.
func (y *study) run(ctx context.Context, rounds int, each time.Duration) (*Study, error) {
	s := *y.scene
	s.classes = slices.DeleteFunc(slices.Clone(s.classes), func(c class) bool { return !slices.Contains(y.keep, c.name) })
	s.extra = true
	rows, err := s.run(ctx, y.builders, rounds, each)
	if err != nil {
		return nil, fmt.Errorf("index: %s: %w", y.name, err)
	}
	return &Study{y.name, judge(slices.DeleteFunc(rows, func(x Row) bool { return !slices.Contains(y.keep, x.Class) }))}, nil
}

// extras returns what only studies measure: steps in a tree, its growth, and trees of which a part moves.
func (s *scene) extras(b builder, x *subject) (trials []*trial, rows []Row) {
	add := func(class string, pieces, each int, do func(i int)) {
		trials = append(trials, &trial{class: class, of: b, pieces: pieces, each: max(1, each), do: do})
	}
	some := func(n int, move func(octree.ObjectID, octree.Box) error) {
		k := len(s.steps)
		add("move some", 2*k, n, func(i int) {
			to := s.boxes
			if i = min(i+1, 2*k-i-1); i > 0 {
				to = s.steps[i-1]
			}
			for o, id := range x.ids[:n] {
				if move(id, to[o]) != nil {
					panic("index: an object is lost")
				}
			}
		})
	}
	switch t := x.tree.(type) {
	case oneTree:
		some(t.moving, t.Move)
		add("rebuild", 1, len(s.boxes), func(int) { t.Rebuild() })
	case twoTrees:
		some(t.n, t.moving.Move)
		add("rebuild", 1, len(s.boxes), func(int) { t.moving.Rebuild() }) // a game rebuilds what moves only
	case *layout.Tree:
		st := t.Stats()
		rows = append(rows, Row{Scene: s.name, Class: "node", Index: b.name, Each: float64(st.NodeBytes) / float64(st.Nodes), Found: uint64(st.Nodes)})
		paths, steps := paths(t, s)
		add("down", len(paths), 1, func(i int) { descend(t, paths[i]) })
		trials[len(trials)-1].each = max(1, steps/len(paths))
		add("walk", 1, st.Nodes, func(int) { t.Walk(func(layout.Node) octree.Step { return octree.Enter }) })
		leaves := leaves(t)
		add("neighbours", len(leaves), 1, func(i int) {
			leaves[i].Neighbours(func(layout.Node, layout.Direction) bool { return true })
		})
		if t.Options().Fixed || t.Options().Storage == layout.Full {
			break
		}
		// The root grows by some levels toward an object far away, and shrinks again.
		far := octree.At(octree.Vec{X: 20_000, Y: 20_000, Z: 20_000})
		add("grow", 1, 1, func(int) {
			id, err := t.Insert(far)
			if err != nil || !t.Remove(id) {
				panic(errors.Join(errors.New("index: an object is lost"), err))
			}
		})
	}
	for _, t := range trials {
		if t.class != "neighbours" {
			t.count()
		}
	}
	return trials, rows
}

// paths returns the octants on the ways to some objects, and how many steps they have.
func paths(t *layout.Tree, s *scene) (out [][]int, steps int) {
	for i := 0; i < len(s.boxes); i += max(1, len(s.boxes)/1000) {
		c, n := middle(&s.boxes[i]), t.Root()
		var path []int
		for {
			cell := n.Cell()
			m, o := middle(&cell), 0
			for axis, above := range []bool{c.X >= m.X, c.Y >= m.Y, c.Z >= m.Z} {
				if above {
					o |= 1 << axis
				}
			}
			child, ok := n.Child(o)
			if !ok {
				break
			}
			path, n = append(path, o), child
		}
		out, steps = append(out, path), steps+len(path)
	}
	return out, steps
}

func descend(t *layout.Tree, path []int) {
	n := t.Root()
	for _, o := range path {
		n, _ = n.Child(o)
	}
}

// leaves returns some hundred leaves.
func leaves(t *layout.Tree) (out []layout.Node) {
	n := 0
	t.Walk(func(x layout.Node) octree.Step {
		if x.Leaf() {
			if n++; n%17 == 0 {
				out = append(out, x)
			}
		}
		if len(out) == 256 {
			return octree.Stop
		}
		return octree.Enter
	})
	return out
}

// table prints a study: a line for each index, a column for each work.
func (y *Study) table(w io.Writer) {
	classes := unique(y.Rows, func(x Row) string { return x.Class })
	t := table.New(w, append([]string{y.Name}, classes...)...)
	for _, name := range unique(y.Rows, func(x Row) string { return x.Index }) {
		cells := []string{name}
		for _, c := range classes {
			i := slices.IndexFunc(y.Rows, func(x Row) bool { return x.Index == name && x.Class == c })
			switch {
			case i < 0:
				cells = append(cells, "")
			case y.Rows[i].Differs:
				cells = append(cells, "differs")
			default:
				cells = append(cells, figure(y.Rows[i].Each))
			}
		}
		t.Row(cells...)
	}
	t.Flush()
	fmt.Fprintln(w)
}

// of returns what some work takes with an index, or 0.
func (y *Study) of(index, class string) float64 {
	i := slices.IndexFunc(y.Rows, func(x Row) bool { return x.Index == index && x.Class == class })
	if i < 0 || y.Rows[i].Differs {
		return 0
	}
	return y.Rows[i].Each
}
