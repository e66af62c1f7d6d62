package vox

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// node is a node of the scene: a transform of one child, a group, or a shape of a model.
type node struct {
	children []int32
	models   []int32 // of a shape
	hidden   bool
	layer    int32
	move     transform
}

// transform turns by quarters and mirrors, then moves. Axis i of the result is axis[i] of the
// argument, with a sign.
type transform struct {
	axis [3]int
	sign [3]int
	at   [3]int
}

var still = transform{axis: [3]int{0, 1, 2}, sign: [3]int{1, 1, 1}}

// then returns the transform that does u, then t.
func (t transform) then(u transform) (out transform) {
	for i := range out.axis {
		out.axis[i] = u.axis[t.axis[i]]
		out.sign[i] = t.sign[i] * u.sign[t.axis[i]]
		out.at[i] = t.sign[i]*u.at[t.axis[i]] + t.at[i]
	}
	return out
}

// read reads a node of a kind behind its id.
func (n *node) read(kind string, r *fields) {
	about := r.dict()
	n.hidden, n.layer, n.move = about["_hidden"] == "1", -1, still
	switch kind {
	case "nTRN":
		n.children = []int32{r.int()}
		r.int()
		n.layer = r.int()
		r.Within(int64(r.int()), 1, math.MaxInt32) // frames, of which all but the first are kept and not seen
		first := r.dict()
		var err error
		if n.move, err = parseTransform(first["_t"], first["_r"]); err != nil {
			r.Fail(err)
		}
	case "nGRP":
		for k := r.Uint32(); k > 0 && r.Err() == nil; k-- {
			n.children = append(n.children, r.int())
		}
	case "nSHP":
		for k := r.Uint32(); k > 0 && r.Err() == nil; k-- {
			n.models = append(n.models, r.int())
			r.dict()
		}
	}
}

// parseTransform reads a place and a rotation, each of which may be "".
func parseTransform(at, turn string) (t transform, err error) {
	t = still
	if at != "" {
		words := strings.Fields(at)
		if len(words) != 3 {
			return t, fmt.Errorf("_t is %q", at)
		}
		for i, w := range words {
			v, err := strconv.ParseInt(w, 10, 32)
			if err != nil {
				return t, fmt.Errorf("_t is %q", at)
			}
			t.at[i] = int(v)
		}
	}
	if turn == "" {
		return t, nil
	}
	v, err := strconv.ParseUint(turn, 10, 7)
	a, b := int(v&3), int(v>>2&3)
	if err != nil || a == b || a > 2 || b > 2 {
		return t, fmt.Errorf("_r is %q", turn)
	}
	t.axis = [3]int{a, b, 3 - a - b}
	for i := range t.sign {
		t.sign[i] = 1 - 2*int(v>>(4+i)&1)
	}
	return t, nil
}

// instance is a model at a place of the scene.
type instance struct {
	model int
	size  [3]int
	move  transform
	box   geom.Box
}

// Bounds of the scene, so that a small file makes no large one.
const (
	maxInstances = 1 << 16
	maxVisits    = 1 << 18
	maxDepth     = 64
	maxApart     = 1 << 11 // instances whose boxes are compared
)

// find returns the instances that are seen: of a file without nodes the first model.
func (s *scene) find() (all []instance, hidden int, err error) {
	if len(s.models) == 0 {
		return nil, 0, errors.New("no model")
	}
	if len(s.nodes) == 0 {
		t := still
		for i, n := range s.models[0].size {
			t.at[i] = n / 2
		}
		return []instance{s.instance(0, t)}, 0, nil
	}
	visits := 0
	var walk func(id int32, t transform, depth int) error
	walk = func(id int32, t transform, depth int) error {
		n := s.nodes[id]
		visits++
		switch {
		case n == nil:
			return fmt.Errorf("node %d is missing", id)
		case depth > maxDepth || visits > maxVisits || len(all) > maxInstances:
			return fmt.Errorf("more than %d levels, %d nodes or %d models", maxDepth, maxVisits, maxInstances)
		case n.hidden || s.hidden[n.layer]:
			hidden++
			return nil
		}
		t = t.then(n.move)
		if len(n.models) > 0 {
			if m := n.models[0]; m < 0 || int(m) >= len(s.models) {
				return fmt.Errorf("model %d of %d", m, len(s.models))
			}
			all = append(all, s.instance(int(n.models[0]), t))
		}
		for _, child := range n.children {
			if err := walk(child, t, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return all, hidden, walk(0, still, 0)
}

// instance returns a model at a place.
func (s *scene) instance(m int, t transform) instance {
	size := s.models[m].size
	in := instance{model: m, size: size, move: t}
	if size[0]*size[1]*size[2] == 0 {
		return in
	}
	a, b := in.point(0, 0, 0), in.point(size[0]-1, size[1]-1, size[2]-1)
	one := geom.Point{X: 1, Y: 1, Z: 1}
	in.box = geom.Box{Min: a, Max: a.Add(one)}.Union(geom.Box{Min: b, Max: b.Add(one)})
	return in
}

// point returns where a voxel of a model is. In a scene z is up; here y is, and z is turned.
func (in *instance) point(x, y, z int) geom.Point {
	at := [3]int{x, y, z}
	var p [3]int
	for i, axis := range in.move.axis { // twice the middle of the voxel, so that halves are whole
		p[i] = (in.move.sign[i]*(2*(at[axis]-in.size[axis]/2)+1) + 2*in.move.at[i]) >> 1
	}
	return geom.Point{X: p[0], Y: p[2], Z: -1 - p[1]}
}

// voxel undoes point.
func (in *instance) voxel(p geom.Point) (at [3]int) {
	for i, v := range [3]int{p.X, -1 - p.Z, p.Y} {
		axis := in.move.axis[i]
		at[axis] = (in.move.sign[i]*(2*(v-in.move.at[i])+1)-1)>>1 + in.size[axis]/2
	}
	return at
}

// apart returns which instances are of a model of their own and touch the box of no other.
func apart(all []instance, models int) []bool {
	out, uses := make([]bool, len(all)), make([]int, models)
	for _, in := range all {
		uses[in.model]++
	}
	for i, a := range all {
		if len(all) > maxApart {
			break
		}
		out[i] = uses[a.model] == 1
		for j, b := range all {
			out[i] = out[i] && (i == j || a.box.Intersect(b.box).Empty())
		}
	}
	return out
}
