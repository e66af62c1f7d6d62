package world

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

const (
	// packChunk is what a chunk of the lowest stone adds to the price of a pack of all, in bytes: a chunk
	// of one value is read, counted and put into far levels, but has no bytes.
	packChunk = 24
	// packInPlace is up to which price a commit packs and waits for it: some milliseconds.
	packInPlace = 128 << 10
)

// workOf returns the price of packing a stone as the lowest of a stack, besides its bytes.
func workOf(r *stone.Reader) (price int64) {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			for _, there := range stone.Cubes([]*stone.Reader{r}, d.Name, v.Volume.Name) {
				price += packChunk * int64(bits.OnesCount64(there))
			}
		}
	}
	return price
}

// besidePack is a pack that is made beside commits.
type besidePack struct {
	upto   history.ID
	done   chan struct{}      // closed when it is there or has failed
	call   context.Context    // of the commit that began it
	cancel context.CancelFunc // ends it
}

// above returns how many layers of a stack a pack under way stands for, and whether there is one. Commits
// pack only what lies above it.
func (w *World) above(p openStack) (n int, busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.beside == nil {
		return 0, false
	}
	return 1 + slices.IndexFunc(p, func(l layer) bool { return l.Upto == w.beside.upto }), true
}

// packBeside makes a pack of a run of the stack in a goroutine of its own, for which Close waits. The
// caller holds w.saving.
func (w *World) packBeside(ctx context.Context, from, to int) error {
	m, err := w.moment()
	if err != nil {
		return err
	}
	b := &besidePack{upto: m.openStack[to-1].Upto, done: make(chan struct{}), call: ctx}
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx)) // the call returns before
	w.mu.Lock()
	w.beside = b
	w.mu.Unlock()
	go func() {
		defer close(b.done)
		defer b.cancel()
		err := w.merge(ctx, m, from, to, stone.Good)
		m.release()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.beside = nil
		if ctx.Err() == nil && !errors.Is(err, ErrClosed) { // nobody needs it here any more
			w.upkeep.Packs.note(err)
		}
	}()
	return nil
}

// endBeside waits for a pack that is made beside. It ends one of which the commit's context has ended: a Store
// that does not answer may hold up nobody who said how long to wait.
func (w *World) endBeside() {
	w.mu.Lock()
	b := w.beside
	w.mu.Unlock()
	if b == nil {
		return
	}
	select {
	case <-b.done:
	case <-b.call.Done():
		b.cancel()
		<-b.done
	}
}
