package lock

import (
	"sync/atomic"
	"unsafe"
)

// Ticket is the ticket lock: goroutines hold it in the order in which they came. The zero value is
// unlocked.
//
// Its counters wrap around, which is right as long as fewer than 2^32 goroutines wait.
type Ticket[P Pad] struct {
	_       P
	next    atomic.Uint32
	_       P
	serving atomic.Uint32
}

// Lock locks l.
func (l *Ticket[P]) Lock() { l.lock(usual) }

func (l *Ticket[P]) lock(w *Wait) {
	mine := l.next.Add(1) - 1
	for n := 1; ; n++ {
		before := mine - l.serving.Load()
		if before == 0 {
			return
		}
		pauses(w.Share * int(before))
		w.next(n)
	}
}

// Unlock unlocks l. Any goroutine may do so.
func (l *Ticket[P]) Unlock() {
	now := l.serving.Load() // only the holder changes it
	if now == l.next.Load() {
		notLocked("Ticket")
	}
	l.serving.Store(now + 1)
}

// SmallTicket is a ticket lock with counters of 8 or 16 bits. Both are in one word, so a bare one
// has 4 bytes. The zero value is unlocked.
//
// In the literature's lock, a goroutine that draws a ticket while 2^bits are out gets the
// number that is served now, and holds the lock beside its holder. Here at most 2^bits-1
// tickets are out. A goroutine that finds so many waits outside the queue, without an order, until
// one comes back.
type SmallTicket[W uint8 | uint16, P Pad] struct {
	_    P
	word atomic.Uint32 // serving; above it next
}

func (l *SmallTicket[W, P]) bits() uint32 { return uint32(unsafe.Sizeof(W(0)) * 8) }

// split returns both counters.
func (l *SmallTicket[W, P]) split(word uint32) (next, serving W) {
	return W(word >> l.bits()), W(word)
}

// Lock locks l.
func (l *SmallTicket[W, P]) Lock() { l.lock(usual) }

func (l *SmallTicket[W, P]) lock(w *Wait) {
	mine := l.draw(w)
	for n := 1; ; n++ {
		_, serving := l.split(l.word.Load())
		if mine == serving {
			return
		}
		pauses(w.Share * int(mine-serving))
		w.next(n)
	}
}

// draw takes a ticket.
func (l *SmallTicket[W, P]) draw(w *Wait) W {
	for n := 1; ; n++ {
		word := l.word.Load()
		next, serving := l.split(word)
		if next+1 == serving { // all tickets are out
			w.next(n)
			continue
		}
		if l.word.CompareAndSwap(word, uint32(next+1)<<l.bits()|uint32(serving)) {
			return next
		}
	}
}

// Unlock unlocks l. Any goroutine may do so.
func (l *SmallTicket[W, P]) Unlock() {
	next, serving := l.split(l.word.Load())
	if next == serving {
		notLocked("SmallTicket")
	}
	// Only the holder changes serving, so it alone knows whether a carry would run into next.
	add := uint32(1)
	if serving+1 == 0 {
		add = -uint32(serving)
	}
	l.word.Add(add)
}
