package keeper

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// A world whose stack is higher than queueHeight waits for a packer. If it is
// higher than MaxHeight, the save that makes it so packs it and waits for that.
const (
	queueHeight = MaxHeight - 1
	// MaxHeight is the largest number of stones in a world's stack after a save
	// that the Keeper knows of, not counting saves made at the same time. Packs that other servers make
	// at the same time may hide each other until the next one.
	MaxHeight = 8
)

// packs holds which worlds are to be packed.
type packs struct {
	queue chan string

	mu      sync.Mutex // guards what follows
	closed  bool
	cut     bool // the Keeper stopped the packing of a world
	heights heights
	waiting map[string]struct{}
	packing map[string]chan struct{} // closed when it is done
}

func (k *Keeper) startPacking() {
	k.packs.queue = make(chan string, k.o.Queue)
	k.packs.heights.all = lru.New[string, stack](maxHeights, nil)
	k.packs.waiting = make(map[string]struct{})
	k.packs.packing = make(map[string]chan struct{})
	for range k.o.Packers {
		k.work.Go(func() {
			for name := range k.packs.queue {
				k.pack(name, true)
				k.o.Metrics.Waiting(len(k.packs.queue))
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
		for len(p.queue) > 0 { // the worlds are packed after their next save
			<-p.queue
		}
	}
}

// Saved tells the Keeper that a world was saved, and the number of the commit. It
// returns at once, unless packing is so late that the world's stack is higher than
// MaxHeight: then it packs the world, or waits for the goroutine that does. This slows
// those who save. The numbers also show what other servers saved.
func (k *Keeper) Saved(name string, number uint64) {
	if now := k.packs.saved(name, number); now {
		k.pack(name, false)
	}
	k.o.Metrics.Waiting(len(k.packs.queue))
}

// saved counts a save and reports whether the world must be packed at once.
func (p *packs) saved(name string, number uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	height := p.heights.saved(name, number)
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
	default: // a later save queues it, or packs it
	}
	return false
}

// pack packs a world if its stack is high. If another goroutine packs the world
// already, a packer returns and a saver waits.
func (k *Keeper) pack(name string, queued bool) {
	p := &k.packs
	p.mu.Lock()
	if queued {
		delete(p.waiting, name)
	}
	for busy := p.packing[name]; busy != nil; busy = p.packing[name] {
		p.mu.Unlock()
		if queued {
			return
		}
		select {
		case <-busy:
		case <-k.ctx.Done():
			return
		}
		p.mu.Lock()
		if p.heights.get(name).height() <= MaxHeight { // else it looked at the stack before it was so high
			p.mu.Unlock()
			return
		}
	}
	done := make(chan struct{})
	p.packing[name] = done
	number := p.heights.get(name).number
	p.mu.Unlock()

	by := metrics.BySave
	if queued {
		by = metrics.ByQueue
	}
	height, err := k.packStack(k.ctx, name, by)

	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.packing, name)
	close(done)
	p.cut = p.cut || err != nil && k.ctx.Err() != nil
	if err != nil { // so that not every save tries again
		height = 0
	}
	at := p.heights.get(name) // with the saves in the meantime
	at.empty = int64(number) - int64(height)
	p.heights.set(name, at)
}

// packStack packs the stack of a world's head if it is high, and returns the height
// that the stack has then.
func (k *Keeper) packStack(ctx context.Context, name, by string) (height int, err error) {
	start := time.Now()
	packed := false
	_, err = k.claimed(ctx, "pack/"+name, 0, false, func(ctx context.Context) (err error) {
		height, packed, err = safely(ctx, k.st, name)
		return err
	})
	switch {
	case errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrGone) || ctx.Err() != nil:
	case err != nil:
		k.o.Metrics.PackFailed()
		k.o.Log.Error("packing failed", "world", name, "err", err)
	case packed:
		k.o.Metrics.Packed(by, time.Since(start))
	}
	return height, err
}

// safely is world.PackStack, but it turns a panic into an error, so that the stones of one
// world cannot end the server.
func safely(ctx context.Context, st history.Store, name string) (height int, packed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("keeper: pack: panic: %v\n%s", r, debug.Stack())
		}
	}()
	return world.PackStack(ctx, st, name, world.PackStackOptions{High: queueHeight})
}

// heights remembers the heights of the stacks that were saved last.
type heights struct{ all *lru.Cache[string, stack] }

// stack is what is known of a world's stack. Each commit adds a stone to it.
type stack struct {
	number uint64 // of the newest commit
	empty  int64  // the number at which the stack would be empty
}

func (s stack) height() int { return int(int64(s.number) - s.empty) }

const maxHeights = 1 << 18

// get returns what is known of a world. An unknown stack may be as high as a stack
// gets without a packer.
func (h *heights) get(name string) stack {
	if s, ok := h.all.Get(name); ok {
		return s
	}
	return stack{empty: -queueHeight}
}

func (h *heights) set(name string, s stack) { h.all.Put(name, s, 1) }

// saved notes a commit and returns the height of the stack.
func (h *heights) saved(name string, number uint64) int {
	s := h.get(name)
	if s.number == 0 { // unknown
		s = stack{number: number, empty: int64(number) - MaxHeight}
	}
	s.number = max(s.number, number)
	h.set(name, s)
	return s.height()
}
