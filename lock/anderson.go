package lock

import "sync/atomic"

// Anderson is Anderson's lock: those that wait form a ring, and each looks at its own slot.
// Goroutines hold it in the order in which they came. NewAnderson makes one.
//
// A slot has the number of the turn that may enter and not, as in the literature, a flag. So more
// goroutines than slots are safe; they then look at the same slots.
type Anderson[P Pad] struct {
	slots []slot[P]
	_     P
	next  atomic.Uint32
	_     P
	turn  uint32 // the holder's; belongs to the holder
}

type slot[P Pad] struct {
	_    P
	turn atomic.Uint32
}

// NewAnderson returns an unlocked lock with that many slots or a few more: the number is a power of
// two.
func NewAnderson[P Pad](slots int) *Anderson[P] {
	n := 1
	for n < slots {
		n *= 2
	}
	return &Anderson[P]{slots: make([]slot[P], n)}
}

func (l *Anderson[P]) slot(turn uint32) *atomic.Uint32 {
	return &l.slots[turn&uint32(len(l.slots)-1)].turn
}

// Lock locks l.
func (l *Anderson[P]) Lock() { l.lock(usual) }

func (l *Anderson[P]) lock(w *Wait) {
	mine := l.next.Add(1) - 1
	s := l.slot(mine)
	for n := 1; s.Load() != mine; n++ {
		w.next(n)
	}
}

// Unlock unlocks l. Any goroutine may do so.
func (l *Anderson[P]) Unlock() {
	if l.next.Load() == l.turn {
		notLocked("Anderson")
	}
	l.turn++
	turn := l.turn // which belongs to the next holder from here on
	l.slot(turn).Store(turn)
}
