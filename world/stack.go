package world

import "fmt"

// maxChain bounds a walk down the bases of a commit.
const maxChain = 1 << 24

// StackOf returns the stack of a commit, bottom first, for Stores. commit
// returns a commit, pack the pack for one and whether there is any. visit, if
// not nil, is called for every commit that the walk needs the record of.
func StackOf(at ID, commit func(ID) (Commit, error), pack func(ID) (Pack, bool, error), visit func(ID)) ([]Layer, error) {
	var down []Layer // top first
	for n := 0; at != (ID{}); n++ {
		if n == maxChain {
			return nil, fmt.Errorf("world: commit %v: more than %d commits below", at, maxChain)
		}
		p, ok, err := pack(at)
		if err != nil {
			return nil, err
		}
		if ok {
			down = append(down, Layer{Stone: p.Stone, After: p.After, Upto: at})
			at = p.After
			continue
		}
		c, err := commit(at)
		if err != nil {
			return nil, err
		}
		if visit != nil {
			visit(at)
		}
		for i := len(c.Stones) - 1; i >= 0; i-- {
			down = append(down, Layer{Stone: c.Stones[i], After: c.Base, Upto: at})
		}
		at = c.Base
	}
	for i, j := 0, len(down)-1; i < j; i, j = i+1, j-1 {
		down[i], down[j] = down[j], down[i]
	}
	return down, nil
}
