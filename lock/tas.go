package lock

import "sync/atomic"

// TAS is the test-and-set lock: every look at it writes. The zero value is unlocked. It is not
// fair.
type TAS[P Pad] struct {
	_     P
	state atomic.Uint32
}

// Lock locks l.
func (l *TAS[P]) Lock() {
	if l.state.Swap(1) != 0 {
		tas(&l.state, usual)
	}
}

func (l *TAS[P]) lock(w *Wait) { tas(&l.state, w) }

// tas and ttas are no methods, so that Lock can be inlined.
func tas(state *atomic.Uint32, w *Wait) {
	for n := 1; state.Swap(1) != 0; n++ {
		w.next(n)
	}
}

// Unlock unlocks l. Any goroutine may do so.
func (l *TAS[P]) Unlock() {
	if l.state.Swap(0) == 0 {
		notLocked("TAS")
	}
}

// TTAS is the test-and-test-and-set lock: it writes only when it saw the lock free, so those that
// wait read their own caches. The zero value is unlocked. It is not fair.
//
// Bare, it has 4 bytes. That is as small as a lock gets: Go has no atomic operations on less.
type TTAS[P Pad] struct {
	_     P
	state atomic.Uint32
}

// Lock locks l.
func (l *TTAS[P]) Lock() {
	if !l.state.CompareAndSwap(0, 1) {
		ttas(&l.state, usual)
	}
}

func (l *TTAS[P]) lock(w *Wait) { ttas(&l.state, w) }

func ttas(state *atomic.Uint32, w *Wait) {
	for n, rounds := 1, 0; ; n++ {
		if state.Load() == 0 {
			if state.CompareAndSwap(0, 1) {
				return
			}
			rounds = w.backOff(rounds)
		}
		w.next(n)
	}
}

// Unlock unlocks l. Any goroutine may do so.
func (l *TTAS[P]) Unlock() {
	if l.state.Swap(0) == 0 {
		notLocked("TTAS")
	}
}
