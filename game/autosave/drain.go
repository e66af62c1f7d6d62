package autosave

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Unsaved is a world that could not be saved.
type Unsaved struct {
	Name  string
	Cells int   // cells that the Fleet was told were changed
	Err   error // never nil
}

// Drain saves every dirty world, the most changed first, at most Options.AtOnce at a time. It
// returns the worlds that it could not save in the same order, or none. It waits for saves that
// are running. It retries failed saves as long as other saves succeed. When ctx ends, it begins
// no more. While Drain runs, Step begins and closes nothing. Drain may miss worlds that are
// opened and changes that are made meanwhile, so a game stops first. Drain closes no world, and
// may be called again.
func (p *policy) Drain(ctx context.Context) []Unsaved {
	left := p.startDrain()
	defer p.endDrain()
	for {
		failed, saved := p.drain(ctx, left)
		if len(failed) == 0 || saved == 0 || ctx.Err() != nil {
			return p.unsaved(failed)
		}
		left = left[:0]
		for _, f := range failed {
			left = append(left, f.k)
		}
	}
}

// unsaved returns how many changed cells no commit holds.
func (k *Kept) unsaved() int {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	return k.cells + k.saving
}

// startDrain stops Step from beginning anything. It returns all worlds, the most changed first.
func (p *policy) startDrain() []*Kept {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draining++
	all := make([]*Kept, 0, len(p.worlds))
	for _, k := range p.worlds {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *Kept) int {
		return cmp.Or(cmp.Compare(b.cells+b.saving, a.cells+a.saving), cmp.Compare(a.order, b.order))
	})
	return all
}

func (p *policy) endDrain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draining--
}

type failure struct {
	k   *Kept
	err error
}

func (p *policy) unsaved(failed []failure) []Unsaved {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Unsaved
	for _, f := range failed {
		out = append(out, Unsaved{Name: f.k.name, Cells: f.k.cells + f.k.saving, Err: f.err})
	}
	return out
}

// drain tries to save each world once. It returns the worlds that could not be saved in the
// same order, and how many were saved.
func (p *policy) drain(ctx context.Context, worlds []*Kept) (failed []failure, saved int) {
	var wg sync.WaitGroup
	var next, good atomic.Int64
	errs := make([]error, len(worlds))
	for range min(p.o.AtOnce, len(worlds)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(worlds)); i = next.Add(1) - 1 {
				s, err := p.claim(ctx, worlds[i])
				if s != nil {
					err = s.Run(ctx)
				}
				if s != nil && err == nil {
					good.Add(1)
				}
				errs[i] = err
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			failed = append(failed, failure{worlds[i], err})
		}
	}
	return failed, int(good.Load())
}

// claim begins a save of a world as soon as none is running. It returns nil if the world needs
// no save.
func (p *policy) claim(ctx context.Context, k *Kept) (*save, error) {
	for {
		s, busy, err := p.tryClaim(ctx, k)
		if busy == nil {
			return s, err
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, fmt.Errorf("autosave: %s: a save is still running: %w", k.name, ctx.Err())
		}
	}
}

// tryClaim is claim without waiting: if a save is running it returns the channel to wait for.
func (p *policy) tryClaim(ctx context.Context, k *Kept) (s *save, busy <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case k.gone:
		return nil, nil, nil
	case k.save != nil:
		return nil, k.save.done, nil
	case !k.w.Dirty():
		return nil, nil, nil
	case ctx.Err() != nil:
		return nil, nil, fmt.Errorf("autosave: %s: save not begun: %w", k.name, ctx.Err())
	}
	return p.begin(k), nil, nil
}
