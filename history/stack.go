package history

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

// packPrice is what a pack costs besides the bytes that it is made from, in bytes.
const packPrice = 8 << 10

// PackFrom returns from which layer on a stack, bottom first, is best packed into
// one stone so that at most high are left: where the price is least for each layer
// that goes, the lowest such layer of equals.
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
