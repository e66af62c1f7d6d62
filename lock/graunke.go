package lock

import "sync/atomic"

// GraunkeThakkar is the lock of Graunke and Thakkar: each goroutine flips a flag of its own when it
// leaves, and the next one looks at that flag. Goroutines hold the lock in the order in which they
// came. The zero value is unlocked.
//
// The flags belong to the Lockers, so there is no upper bound of goroutines as in the literature.
type GraunkeThakkar[P Pad] struct {
	_    P
	tail atomic.Pointer[place[P]]
}

type graunkeThakkarLocker[P Pad] struct {
	_      P
	flag   atomic.Uint32
	places [2]place[P] // by the flag's value
	of     *GraunkeThakkar[P]
	held   bool
}

// place is a place in the queue: the one behind it enters when the flag is no longer old. It stands for
// the pointer with the old value in its lowest bit, which Go does not have.
type place[P Pad] struct {
	flag *atomic.Uint32
	old  uint32
}

// Locker returns a new handle for one goroutine at a time. It may be used for any number of locks and
// unlocks; the handle that locked must unlock.
func (l *GraunkeThakkar[P]) Locker() Locker {
	k := &graunkeThakkarLocker[P]{of: l}
	k.places = [2]place[P]{{&k.flag, 0}, {&k.flag, 1}}
	return k
}

func (k *graunkeThakkarLocker[P]) Lock() { k.lock(usual) }

func (k *graunkeThakkarLocker[P]) lock(w *Wait) {
	if before := k.of.tail.Swap(&k.places[k.flag.Load()]); before != nil {
		for n := 1; before.flag.Load() == before.old; n++ {
			w.next(n)
		}
	}
	k.held = true
}

func (k *graunkeThakkarLocker[P]) Unlock() {
	if !k.held {
		notLocked("GraunkeThakkar")
	}
	k.held = false
	k.flag.Store(1 - k.flag.Load())
}
