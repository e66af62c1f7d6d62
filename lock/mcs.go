package lock

import "sync/atomic"

// MCS is the lock of Mellor-Crummey and Scott: those that wait form a list, and each looks at its
// own node, which the one before it writes. Goroutines hold the lock in the order in which they
// came. The zero value is unlocked.
type MCS[P Pad] struct {
	_    P
	tail atomic.Pointer[mcsLocker[P]]
}

// mcsLocker is a handle and the node of its goroutine.
type mcsLocker[P Pad] struct {
	_       P
	waiting atomic.Uint32
	held    bool
	behind  atomic.Pointer[mcsLocker[P]]
	of      *MCS[P]
}

// Locker returns a new handle for one goroutine at a time. It may be used for any number of locks and
// unlocks; the handle that locked must unlock.
func (l *MCS[P]) Locker() Locker { return &mcsLocker[P]{of: l} }

func (k *mcsLocker[P]) Lock() { k.lock(usual) }

func (k *mcsLocker[P]) lock(w *Wait) {
	k.behind.Store(nil)
	k.waiting.Store(1)
	if before := k.of.tail.Swap(k); before != nil {
		before.behind.Store(k)
		for n := 1; k.waiting.Load() != 0; n++ {
			w.next(n)
		}
	}
	k.held = true
}

func (k *mcsLocker[P]) Unlock() {
	if !k.held {
		notLocked("MCS")
	}
	k.held = false
	behind := k.behind.Load()
	if behind == nil {
		if k.of.tail.CompareAndSwap(k, nil) {
			return
		}
		// Somebody is the tail and about to say so.
		for n := 1; behind == nil; n++ {
			usual.next(n)
			behind = k.behind.Load()
		}
	}
	behind.waiting.Store(0)
}
