package tiles

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
)

// source makes the tiles of a trace and counts what it made. Its tiles are told apart by
// every word. Goroutines share it.
type source struct {
	*Trace
	made  []atomic.Bool
	loads atomic.Int64
	bytes atomic.Int64
	again atomic.Int64 // of these bytes, those of tiles that were made before
	held  atomic.Int64 // bytes of tiles that were made and are not dropped
	most  atomic.Int64 // bytes held
}

func newSource(t *Trace) *source { return &source{Trace: t, made: make([]atomic.Bool, len(t.Keys))} }

// fill writes tile i to b, which has its size.
func (s *source) fill(i uint64, b []byte) {
	word := mix(i + 1)
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, word)
		word++
	}
	s.loads.Add(1)
	n := int64(s.Sizes[i])
	s.bytes.Add(n)
	if s.made[i].Swap(true) {
		s.again.Add(n)
	}
}

// load makes tile i in a new buffer and counts it as held.
func (s *source) load(i uint64) []byte {
	b := make([]byte, s.Sizes[i])
	s.fill(i, b)
	held := s.held.Add(int64(len(b)))
	for most := s.most.Load(); held > most && !s.most.CompareAndSwap(most, held); most = s.most.Load() {
	}
	return b
}

// drop counts a tile as not held.
func (s *source) drop(b []byte) { s.held.Add(-int64(len(b))) }

// check compares the first, the last and another word of tile i with what fill wrote.
func (s *source) check(i uint64, b []byte, random uint64) error {
	if len(b) != int(s.Sizes[i]) {
		return fmt.Errorf("tiles: tile %d: %d bytes, want %d", i, len(b), s.Sizes[i])
	}
	words := uint64(len(b) / 8)
	for _, w := range [3]uint64{0, words - 1, random % words} {
		if got, want := binary.LittleEndian.Uint64(b[8*w:]), mix(i+1)+w; got != want {
			return fmt.Errorf("tiles: tile %d: word %d is %x, want %x", i, w, got, want)
		}
	}
	return nil
}

func (s *source) ReadTile(_ context.Context, key tileKey, room func(size int) ([]byte, error)) error {
	b, err := room(int(s.Sizes[key]))
	if err != nil {
		return err
	}
	s.fill(uint64(key), b)
	return nil
}

// tileKey is the number of a tile in a trace.
type tileKey uint64

func (k tileKey) Hash() uint64 { return mix(uint64(k) + 1) }
