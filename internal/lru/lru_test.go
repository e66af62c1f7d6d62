package lru_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/lru"
)

// twin is a Cache as a list, the most recently used first.
type twin struct {
	most int64
	all  []entry
	gone []entry
}

type entry struct {
	key, value int
	weight     int64
}

func (t *twin) remove(i int) {
	t.gone = append(t.gone, t.all[i])
	t.all = slices.Delete(t.all, i, i+1)
}

func (t *twin) find(key int) int {
	return slices.IndexFunc(t.all, func(e entry) bool { return e.key == key })
}

func (t *twin) trim() {
	for {
		sum := int64(0)
		for _, e := range t.all {
			sum += e.weight
		}
		if sum <= t.most {
			return
		}
		t.remove(len(t.all) - 1)
	}
}

func TestCache(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := twin{most: 100}
		var gone []entry
		c := lru.New(w.most, func(k, v int) { gone = append(gone, entry{key: k, value: v}) })
		for step := range 2000 {
			key := r.IntN(30)
			switch i := w.find(key); r.IntN(12) {
			case 0:
				if i >= 0 {
					w.remove(i)
				}
				c.Remove(key)
			case 1:
				w.most = 50 + r.Int64N(100)
				w.trim()
				c.Bound(w.most)
			case 2:
				if r.IntN(20) == 0 {
					for len(w.all) > 0 {
						w.remove(len(w.all) - 1)
					}
					c.Clear()
				}
			case 3, 4, 5, 6:
				e := entry{key, step, r.Int64N(40)}
				if step%97 == 0 {
					e.weight = 1000 // more than all
				}
				if i >= 0 {
					w.remove(i)
				}
				w.all = slices.Insert(w.all, 0, e)
				w.trim()
				c.Put(e.key, e.value, e.weight)
			default:
				v, ok := c.Get(key)
				if ok != (i >= 0) || ok && v != w.all[i].value {
					t.Fatalf("seed %d, step %d: got %d, %v", seed, step, v, ok)
				}
				if i >= 0 {
					e := w.all[i]
					w.all = slices.Insert(slices.Delete(w.all, i, i+1), 0, e)
				}
			}
			if len(gone) != len(w.gone) {
				t.Fatalf("seed %d, step %d: %d values are gone, want %d", seed, step, len(gone), len(w.gone))
			}
			for i, e := range w.gone {
				if gone[i].key != e.key || gone[i].value != e.value {
					t.Fatalf("seed %d, step %d: %v is gone, want %v", seed, step, gone[i], e)
				}
			}
		}
	}
}
