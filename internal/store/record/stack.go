package record

import (
	"fmt"

	"github.com/cairnvoxel/cairn/store/history"
)

// maxChain bounds the number of commits in a walk from a commit down its bases.
const maxChain = 1 << 24

// StackOf returns the stack of a commit, bottom first. commit
// returns a commit. pack returns the pack for a commit, and whether there is one.
func StackOf(at history.ID, commit func(history.ID) (history.Commit, error), pack func(history.ID) (history.Pack, bool, error)) ([]history.Layer, error) {
	var down []history.Layer // top first
	for n := 0; at != (history.ID{}); n++ {
		if n == maxChain {
			return nil, fmt.Errorf("commit %v: more than %d commits below", at, maxChain)
		}
		p, ok, err := pack(at)
		if err != nil {
			return nil, err
		}
		if ok {
			down = append(down, history.Layer{Stone: p.Stone, After: p.After, Upto: at})
			at = p.After
			continue
		}
		c, err := commit(at)
		if err != nil {
			return nil, err
		}
		for i := len(c.Stones) - 1; i >= 0; i-- {
			down = append(down, history.Layer{Stone: c.Stones[i], After: c.Base, Upto: at})
		}
		at = c.Base
	}
	for i, j := 0, len(down)-1; i < j; i, j = i+1, j-1 {
		down[i], down[j] = down[j], down[i]
	}
	return down, nil
}
