package lock

import "sync/atomic"

// MCS is the lock of Mellor-Crummey and Scott: those that wait form a list, and each looks at its
// own node, which the one before it writes. Goroutines hold the lock in the order in which they
// came. The zero value is unlocked.
type MCS[P Pad] struct {
	_    P
	tail atomic.Pointer[MCSLocker[P]]
}

// MCSLocker is a handle of an MCS lock for one goroutine at a time. It is also the
// goroutine's node.
type MCSLocker[P Pad] struct {
	_       P
	waiting atomic.Uint32
	held    bool
	behind  atomic.Pointer[MCSLocker[P]]
	of      *MCS[P]
}

// Locker returns a new handle. It may be used for any number of locks and unlocks.
func (l *MCS[P]) Locker() *MCSLocker[P] { return &MCSLocker[P]{of: l} }

// Lock locks the lock that k is a handle of.
func (k *MCSLocker[P]) Lock() { k.lock(usual) }

func (k *MCSLocker[P]) lock(w *Wait) {
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

// Unlock unlocks it. The handle that locked it must do so.
func (k *MCSLocker[P]) Unlock() {
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
