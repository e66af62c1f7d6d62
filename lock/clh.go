package lock

import "sync/atomic"

// CLH is the lock of Craig, Landin and Hagersten: those that wait form a list, and each looks at
// the node before its own. Goroutines hold the lock in the order in which they came. The zero
// value is unlocked.
type CLH[P Pad] struct {
	_     P
	tail  atomic.Pointer[clhNode[P]]
	first clhNode[P]
}

type clhNode[P Pad] struct {
	_      P
	locked atomic.Uint32
}

// CLHLocker is a handle of a CLH lock for one goroutine at a time.
type CLHLocker[P Pad] struct {
	of           *CLH[P]
	mine, before *clhNode[P] // before is that of the last holder; nil if not held
	first        clhNode[P]
}

// Locker returns a new handle. It may be used for any number of locks and unlocks.
func (l *CLH[P]) Locker() *CLHLocker[P] {
	k := &CLHLocker[P]{of: l}
	k.mine = &k.first
	return k
}

// Lock locks the lock that k is a handle of.
func (k *CLHLocker[P]) Lock() { k.lock(usual) }

func (k *CLHLocker[P]) lock(w *Wait) {
	k.mine.locked.Store(1)
	before := k.of.tail.Swap(k.mine)
	if before == nil {
		before = &k.of.first
	}
	for n := 1; before.locked.Load() != 0; n++ {
		w.next(n)
	}
	k.before = before
}

// Unlock unlocks it. The handle that locked it must do so. The next one reads the node of this lock
// a little longer, so the handle goes on with the node before it.
func (k *CLHLocker[P]) Unlock() {
	if k.before == nil {
		notLocked("CLH")
	}
	left := k.mine
	k.mine, k.before = k.before, nil
	left.locked.Store(0)
}
