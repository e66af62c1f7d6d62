package scene

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A picture leaves out stacks of chunks beyond a gap that is as wide as the rest, at
// most one in ten, or two of a small world.
const (
	minGap   = 1024 / geom.ChunkEdge
	tenth    = 10
	fewStray = 2
)

// stack is the place of the chunks above each other.
type stack struct{ x, z int32 }

// Frame leaves out chunks that lie alone far away, so that the rest is not too small to draw. It
// returns how many stacks of chunks it left out, and a box around one of them.
func (s *Scene) Frame() (left int, at geom.Box) {
	stacks := map[stack]bool{}
	for pos, holds := range s.c.Entries(s.Dimension, s.matter, 0) {
		if holds {
			stacks[stack{pos.X, pos.Z}] = true
		}
	}
	kept := slices.Collect(maps.Keys(stacks))
	for range 2 { // chunks that are far along x may have hidden a gap along z
		kept = crowd(kept, func(s stack) int32 { return s.x })
		kept = crowd(kept, func(s stack) int32 { return s.z })
	}
	left = len(stacks) - len(kept)
	if left == 0 || left > max(fewStray, len(stacks)/tenth) {
		return 0, at
	}
	for _, s := range kept {
		delete(stacks, s)
	}
	apart := slices.MinFunc(slices.Collect(maps.Keys(stacks)), func(s, t stack) int { return cmp.Or(cmp.Compare(s.z, t.z), cmp.Compare(s.x, t.x)) })
	s.bounds = geom.Box{}
	for pos, holds := range s.c.Entries(s.Dimension, s.matter, 0) {
		switch {
		case !holds:
		case !stacks[stack{pos.X, pos.Z}]:
			s.bounds = s.bounds.Union(pos.Box())
		case apart == stack{pos.X, pos.Z}:
			at = at.Union(pos.Box())
		}
	}
	return left, at
}

// Cut leaves out everything outside of a box.
func (s *Scene) Cut(b geom.Box) { s.bounds = s.bounds.Intersect(b) }

// crowd returns the largest group of stacks along an axis, with the groups that are no farther from it
// than it is wide. Of groups of one size it is the one nearest to 0.
func crowd(all []stack, along func(stack) int32) []stack {
	slices.SortFunc(all, func(s, t stack) int { return cmp.Compare(along(s), along(t)) })
	var groups [][]stack
	for i, s := range all {
		if i == 0 || int64(along(s))-int64(along(all[i-1])) > minGap {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], s)
	}
	if len(groups) < 2 {
		return all
	}
	low := 0
	for i, g := range groups {
		best := groups[low]
		if len(g) > len(best) || len(g) == len(best) && max(along(g[0]), -along(g[0])) < max(along(best[0]), -along(best[0])) {
			low = i
		}
	}
	first := func(i int) int64 { return int64(along(groups[i][0])) }
	last := func(i int) int64 { return int64(along(groups[i][len(groups[i])-1])) }
	high := low
	for {
		wide := max(last(high)-first(low), minGap)
		switch {
		case low > 0 && first(low)-last(low-1) <= wide:
			low--
		case high < len(groups)-1 && first(high+1)-last(high) <= wide:
			high++
		default:
			return slices.Concat(groups[low : high+1]...)
		}
	}
}
