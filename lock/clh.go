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

type clhLocker[P Pad] struct {
	of           *CLH[P]
	mine, before *clhNode[P] // before is that of the last holder; nil if not held
	first        clhNode[P]
}

// Locker returns a new handle for one goroutine at a time. It may be used for any number of locks and
// unlocks; the handle that locked must unlock.
func (l *CLH[P]) Locker() Locker {
	k := &clhLocker[P]{of: l}
	k.mine = &k.first
	return k
}

func (k *clhLocker[P]) Lock() { k.lock(usual) }

func (k *clhLocker[P]) lock(w *Wait) {
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

// Unlock unlocks the lock. The next one reads the node of this lock
// a little longer, so the handle goes on with the node before it.
func (k *clhLocker[P]) Unlock() {
	if k.before == nil {
		notLocked("CLH")
	}
	left := k.mine
	k.mine, k.before = k.before, nil
	left.locked.Store(0)
}
