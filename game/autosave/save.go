package autosave

import (
	"container/heap"
	"context"
)

// save is one save of a world. It is running until Run or Done was called.
type save struct {
	World target

	k    *Kept
	done chan struct{}
}

// Run commits the world and calls Done. It returns the error of the commit.
func (s *save) Run(ctx context.Context) error {
	c, err := s.World.Commit(ctx, s.k.p.o.Message)
	if err == nil {
		s.k.p.o.Saved(s.k, c)
	}
	s.Done(err)
	return err
}

// Done says how the save ended. Later calls do nothing. The next save contains what a failed
// save held. A save without Done keeps its world from being saved again, and keeps its place in
// Options.AtOnce.
func (s *save) Done(err error) {
	k, p := s.k, s.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.save != s {
		return
	}
	k.save, k.last, k.again = nil, p.now, false
	p.running--
	close(s.done)
	if err != nil {
		k.fails++
		k.cells += k.saving
	} else {
		k.fails = 0
	}
	k.saving = 0
	if k.gone {
		delete(p.worlds, k.name)
		return
	}
	p.schedule(k)
}

// begin takes a world out of the queue to be saved.
func (p *policy) begin(k *Kept) *save {
	heap.Remove(&p.queue, k.place)
	k.save = &save{World: k.w, k: k, done: make(chan struct{})}
	k.saving, k.cells = k.cells, 0
	p.running++
	return k.save
}
