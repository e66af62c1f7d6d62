package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/world"
)

// How high stacks get. Above queueHeight a world waits for a packer; above
// MaxHeight whoever saves it packs it, and waits for that.
const (
	queueHeight = MaxHeight - 1
	// MaxHeight is how many stones a world stands on after a save that the Keeper
	// was told of, but for those made beside it.
	MaxHeight = 8
)

// packs says which worlds are to be packed.
type packs struct {
	queue chan string

	mu      sync.Mutex // guards what follows
	closed  bool
	cut     bool // a world was being packed when the Keeper ended that
	heights heights
	waiting map[string]struct{}
	packing map[string]chan struct{} // closed when it is done
}

func (k *Keeper) startPacking() {
	k.packs.queue = make(chan string, k.o.Queue)
	k.packs.waiting = make(map[string]struct{})
	k.packs.packing = make(map[string]chan struct{})
	for range k.o.Packers {
		k.work.Go(func() {
			for name := range k.packs.queue {
				k.pack(name, true)
				k.o.Metrics.packQueue.Set(float64(len(k.packs.queue)))
			}
		})
	}
}

func (p *packs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		close(p.queue)
		for len(p.queue) > 0 { // they are packed after their next save
			<-p.queue
		}
	}
}

// Saved tells of a save of a world. It returns at once, unless packing lags so
// far behind that the world's stack is higher than MaxHeight: then it packs the
// world, or waits for who does, and so slows those who save.
func (k *Keeper) Saved(name string) {
	if now := k.packs.saved(name); now {
		k.pack(name, false)
	}
	k.o.Metrics.packQueue.Set(float64(len(k.packs.queue)))
}

// saved counts a save, and reports whether the world is to be packed at once.
func (p *packs) saved(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	height := p.heights.add(name)
	if height > MaxHeight {
		return true
	}
	_, waits := p.waiting[name]
	if waits || p.packing[name] != nil || height <= queueHeight {
		return false
	}
	select {
	case p.queue <- name:
		p.waiting[name] = struct{}{}
	default: // a later save finds room, or does it
	}
	return false
}

// pack packs a world if its stack is high. For one that another goroutine packs
// the packers do nothing, and those who save wait.
func (k *Keeper) pack(name string, queued bool) {
	p := &k.packs
	p.mu.Lock()
	if queued {
		delete(p.waiting, name)
	}
	if busy := p.packing[name]; busy != nil {
		p.mu.Unlock()
		if queued {
			return
		}
		select {
		case <-busy:
		case <-k.ctx.Done():
		}
		return
	}
	done := make(chan struct{})
	p.packing[name] = done
	before := p.heights.of(name)
	p.mu.Unlock()

	by := bySave
	if queued {
		by = byQueue
	}
	height, err := k.packStack(k.ctx, name, by)

	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.packing, name)
	close(done)
	p.cut = p.cut || err != nil && k.ctx.Err() != nil
	if err != nil { // the next of its saves are not to try again each
		height = 0
	}
	p.heights.set(name, height+max(p.heights.of(name)-before, 0)) // with what was saved meanwhile
}

// packStack packs the stack of a world's head if it is high, and returns how high it
// is then.
func (k *Keeper) packStack(ctx context.Context, name, by string) (height int, err error) {
	start := time.Now()
	height, packed, err := safely(ctx, k.st, name)
	switch {
	case errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrGone) || ctx.Err() != nil:
	case err != nil:
		k.o.Metrics.packFailures.Inc()
		k.o.Log.Error("packing failed", "world", name, "err", err)
	case packed:
		k.o.Metrics.packed(by, time.Since(start))
	}
	return height, err
}

// safely is world.Tidy, but where that panics an error: one world's stones are not
// to end the others' server.
func safely(ctx context.Context, st history.Store, name string) (height int, packed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("server: pack: panic: %v\n%s", r, debug.Stack())
		}
	}()
	return world.Tidy(ctx, st, name, world.TidyOptions{High: queueHeight})
}

// heights are how high the stacks of worlds are that were saved lately. Of those
// that were not it forgets about half at a time.
type heights struct{ young, old map[string]int }

const maxHeights = 1 << 17 // in each half

// of returns the height of a stack. One that is not known may be as high as they
// get without a packer.
func (h *heights) of(name string) int {
	if n, ok := h.young[name]; ok {
		return n
	}
	if n, ok := h.old[name]; ok {
		return n
	}
	return queueHeight
}

func (h *heights) set(name string, n int) {
	if _, ok := h.young[name]; !ok && len(h.young) >= maxHeights || h.young == nil {
		h.young, h.old = make(map[string]int), h.young
	}
	h.young[name] = n
}

// add counts one stone more on a stack, and returns its height.
func (h *heights) add(name string) int {
	n := h.of(name) + 1
	h.set(name, n)
	return n
}
