package tile

import "context"

// Pages is a Cache of Go values, such as decoded pages. Values are not pinned: who has one
// keeps it from the collector. Any number of goroutines may use it.
type Pages[K Key] struct{ *Cache[K] }

// NewPages returns a cache of values of up to o.Budget bytes.
func NewPages[K Key](o Options) Pages[K] { return Pages[K]{New[K](o)} }

// valueBytes is about what the cache takes for a value besides the value.
const valueBytes = 256

// Page returns the value under key. If it is not here, Page calls fill and keeps the
// result, which takes about bytes of memory; one that is larger than the budget it does
// not keep. Of concurrent calls for one key one fills; the others wait, or return
// ctx.Err() when ctx ends. If fill fails, its caller gets the error, and the next that
// waits fills. Values must not be changed.
func (p Pages[K]) Page(ctx context.Context, key K, fill func() (value any, bytes int64, err error)) (any, error) {
	h, err := p.get(ctx, key, request[K]{value: func() (any, int64, error) {
		v, bytes, err := fill()
		return v, bytes + valueBytes, err
	}})
	if err != nil {
		return nil, err
	}
	v := h.p.value
	h.Release()
	return v, nil
}
