package history

import "fmt"

// maxChain bounds the number of commits in a walk from a commit down its bases.
const maxChain = 1 << 24

// StackOf returns the stack of a commit, bottom first. Stores call it. commit
// returns a commit. pack returns the pack for a commit, and whether there is one.
func StackOf(at ID, commit func(ID) (Commit, error), pack func(ID) (Pack, bool, error)) ([]Layer, error) {
	var down []Layer // top first
	for n := 0; at != (ID{}); n++ {
		if n == maxChain {
			return nil, fmt.Errorf("history: commit %v: more than %d commits below", at, maxChain)
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

// packPrice is the cost of a pack in bytes, besides the bytes that it is made from.
const packPrice = 8 << 10

// PackFrom returns the layer from which on a stack, bottom first, is best packed
// into one stone, so that at most high layers are left. It chooses the lowest price
// for each layer that goes away, and of equal prices the lowest layer.
func PackFrom(layers []Layer, high int) int {
	best, from := 0.0, 0
	bytes := int64(packPrice)
	for i := len(layers) - 1; i >= 0; i-- {
		bytes += layers[i].Stone.Size
		gone := len(layers) - 1 - i
		if gone == 0 || i >= max(1, high) || i > 0 && layers[i-1].Upto == layers[i].Upto {
			continue
		}
		if price := float64(bytes) / float64(gone); best == 0 || price <= best {
			best, from = price, i
		}
	}
	return from
}
