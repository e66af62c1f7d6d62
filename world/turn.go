package world

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// turn is a mutex that knows which goroutine has it.
type turn struct {
	sync.Mutex
	by atomic.Uintptr
}

// enter waits for turns, in their order. The error is ErrNested if one of them, or an update, is this
// goroutine's already: it would wait for itself.
func (w *World) enter(turns ...*turn) error {
	me := self()
	nested := me != 0 && w.writer.by.Load() == me
	for _, t := range turns {
		nested = nested || me != 0 && t.by.Load() == me
	}
	if nested {
		return fmt.Errorf("world: %s: %w", w.name, ErrNested)
	}
	for _, t := range turns {
		t.Lock()
		t.by.Store(me)
	}
	return nil
}

// Nested returns ErrNested in the function of an update, or of Watch, which runs in one: for who takes a lock
// of its own before it waits for updates.
func (w *World) Nested() error { return w.enter() }

// leave ends turns.
func (w *World) leave(turns ...*turn) {
	for _, t := range turns {
		t.by.Store(0)
		t.Unlock()
	}
}
