package server

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
)

// checker reads stones before they are stored.
type checker struct {
	queue  *limits.Queue
	proven atomic.Int64 // Grant.Proven of callers without a token
}

// checkedBytes is the size up to which all of a stone is read before it is stored. Of a
// larger one only the directory and the checksums are: its pages may take minutes.
const checkedBytes = 256 << 10

// Reading a stone takes longer than all else in a save. So a caller of whom provenStones in a
// row were read and right is trusted with the next: one of sampledStones is read. A stone that
// lies then hurts its own world alone.
const (
	provenStones  = 256
	sampledStones = 16
)

// check returns an error unless a stone can be stored. With sure it trusts nobody: a pack
// takes the place of stones that are right.
func (h *checker) check(c *call, data []byte, sure bool) error {
	proven := &h.proven
	if c.token != nil {
		proven = &c.token.Proven
	}
	whole := len(data) <= checkedBytes && (sure || proven.Load() < provenStones || rand.IntN(sampledStones) == 0)
	err := h.read(c, bytes.NewReader(data), int64(len(data)), whole)
	switch {
	case errors.As(err, new(*stone.CorruptError)):
		proven.Store(0)
	case err == nil && whole:
		proven.Add(1)
	}
	return wire.OfCaller(err)
}

// read reads a stone, whole or what says where its pages are. What the whole takes is
// reckoned before, as it may need 10,000 times the stone's own bytes.
func (h *checker) read(c *call, from io.ReaderAt, size int64, whole bool) error {
	r, need, err := h.open(c, from, size, whole)
	if err != nil {
		return err
	}
	leave, err := h.queue.Enter(c.ctx, c.who(), need)
	if err != nil {
		return err
	}
	defer leave()
	if whole {
		return r.Check(c.ctx)
	}
	return r.CheckSums(c.ctx)
}

// open opens a stone, and says how much memory it needs to be read whole.
func (h *checker) open(c *call, from io.ReaderAt, size int64, whole bool) (r *stone.Reader, need int64, err error) {
	leave, err := h.queue.Enter(c.ctx, c.who(), 0) // a small stone may have a large directory
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	r, err = stone.Open(from, size)
	most := c.limits.WorldMemory
	if err == nil && (r.Memory() > most/16 || inspect.IndexBytes(r, most) > most) {
		return nil, 0, fault(wire.TooLarge, "the stone has entries for too many chunks")
	}
	if err == nil && whole {
		need, err = r.CheckMemory()
	}
	switch {
	case errors.Is(err, stone.ErrNewer):
		return nil, 0, fault(wire.Unsupported, "the stone has a newer version")
	case err == nil && need > most/2:
		return nil, 0, fault(wire.TooLarge, "a page of the stone needs too much memory")
	}
	return r, need, err
}
