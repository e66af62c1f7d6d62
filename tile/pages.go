package tile

import (
	"context"
	"errors"
	"sync"
)

// Pages is a Cache of Go values, such as decoded pages. Values are not pinned: who has one
// keeps it from the collector. Any number of goroutines may use it.
type Pages[K Key] struct {
	*Cache[K]
	spill *spill[K] // nil: there is none
}

// NewPages returns a cache of values of up to o.Budget bytes.
func NewPages[K Key](o Options) Pages[K] { return Pages[K]{Cache: New[K](o)} }

// valueBytes is about what the cache takes for a value besides the value.
const valueBytes = 256

// Page returns the value under key. If it is not here, Page calls fill and keeps the
// result, which takes about bytes of memory; one that is larger than the budget it does
// not keep. Of concurrent calls for one key one fills; the others wait, or return
// ctx.Err() when ctx ends. If fill fails, its caller gets the error, and the next that
// waits fills. fill must not ask for key. Values must not be changed.
func (p Pages[K]) Page(ctx context.Context, key K, fill func() (value any, bytes int64, err error)) (any, error) {
	h, err := p.get(ctx, key, request[K]{value: func() (v any, bytes int64, unpacked bool, err error) {
		if v, bytes = p.spill.read(key); v != nil {
			return v, bytes + valueBytes, true, nil
		}
		if v, bytes, err = fill(); err == nil {
			p.spill.add(key, v, bytes)
		}
		return v, bytes + valueBytes, false, err
	}})
	if err != nil {
		return nil, err
	}
	v := h.p.value
	h.Release()
	return v, nil
}

// A Spiller is a value that can lie in a file.
type Spiller interface {
	// Spill appends the value's bytes to dst and returns what makes the value of them
	// again. It returns a nil function if the value must not lie in a file.
	Spill(dst []byte) (b []byte, restore func(b []byte) any)
}

// Spill returns p with a file of values that are Spillers. temp makes its file when the
// values that p filled take more than the budget; values filled after that lie there too,
// and are read from there when they have left. If the file fails, they are filled again.
// Close closes it.
func (p Pages[K]) Spill(temp func() (TempFile, error)) Pages[K] {
	p.spill = &spill[K]{temp: temp, left: p.o.Budget, at: make(map[K]spilt)}
	return p
}

// Close closes the cache and its file.
func (p Pages[K]) Close() error {
	err := p.Cache.Close()
	if p.spill != nil && p.spill.file != nil {
		err = errors.Join(err, p.spill.file.Close())
	}
	return err
}

// spill is the file of a Pages. A nil one keeps nothing.
type spill[K Key] struct {
	temp   func() (TempFile, error)
	mu     sync.Mutex
	left   int64   // bytes of values until there is a file
	file   *Pieces // nil: not yet, or temp failed
	at     map[K]spilt
	buffer []byte
}

// spilt is a value in the file.
type spilt struct {
	piece   int
	bytes   int64 // of memory
	restore func([]byte) any
}

// add adds a value that was filled.
func (s *spill[K]) add(key K, v any, bytes int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := v.(Spiller)
	if s.left -= bytes; s.left >= 0 || !ok || s.temp == nil {
		return
	}
	b, restore := value.Spill(s.buffer[:0])
	if s.buffer = b; restore == nil {
		return
	}
	if s.file == nil {
		temp, err := s.temp()
		if err != nil {
			s.temp = nil
			return
		}
		s.file = NewPieces(temp)
	}
	if n, err := s.file.Add(b); err == nil {
		s.at[key] = spilt{n, bytes, restore}
	}
}

// read returns a value from the file, or nil.
func (s *spill[K]) read(key K) (v any, bytes int64) {
	if s == nil {
		return nil, 0
	}
	s.mu.Lock()
	at, ok := s.at[key]
	s.mu.Unlock()
	if !ok {
		return nil, 0
	}
	b, err := s.file.Read(at.piece)
	if err != nil {
		return nil, 0
	}
	return at.restore(b), at.bytes
}
