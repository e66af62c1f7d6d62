// Package lock has the spinlocks of the literature, made safe for goroutines: test-and-set,
// ticket, Anderson's, Graunke and Thakkar's, MCS and CLH. Begin with TTAS, the only one
// with a use beside sync.Mutex: it has 4 bytes. docs/lab/LOCKS.md has measurements of all, and
// says when which lock is right.
//
// A waiting goroutine looks at the lock some times and then yields its processor, so every
// lock makes progress on one processor and past a holder that was preempted. No lock is
// copied after its first use.
//
// The package starts no goroutine, reads no clock and draws no random numbers. What a
// waiting goroutine does can be chosen by With.
package lock

import (
	"runtime"
	"sync"
)

// Locker is a lock of this package, or one goroutine's handle of it. Unlock panics if the lock
// is not locked.
type Locker interface {
	sync.Locker
	lock(w *Wait)
}

// Pad says whether what different goroutines write has lines of the cache of its own.
type Pad interface{ Bare | Padded }

// Bare leaves no gaps: locks take the fewest bytes and may share a line with others.
type Bare = [0]byte

// Padded keeps 128 bytes apart: that is a line of Apple's processors, and Intel's fetch lines of
// 64 bytes in pairs.
type Padded = [124]byte

// Wait says what a goroutine does while it waits. The zero value is the default.
type Wait struct {
	// Looks is how often a goroutine looks at the lock before it calls Yield. Default 64, which
	// is long enough for a holder on another processor to leave a short critical section.
	Looks int
	// Yield lets others run. Default runtime.Gosched. A function that does nothing
	// makes the pure spin of the literature: a waiting goroutine then keeps its processor
	// until the runtime takes it away after 10 ms, also when the holder needs it.
	Yield func()
	// Pauses is how many PAUSE instructions stand between two looks. Default none.
	Pauses int

	// Least and Most bound the exponential back-off of TTAS: one that saw the lock free and
	// was late waits Least rounds, then twice as many each time, up to Most. Default no
	// back-off.
	Least, Most int
	// Random chooses from 0 to n rounds of back-off, so that goroutines get out of step.
	// Default n.
	Random func(n int) int
	// BackOff waits rounds of back-off. Default that many PAUSE instructions.
	BackOff func(rounds int)

	// Share makes the back-off of a ticket lock proportional: a goroutine lets this many PAUSE
	// instructions pass for each goroutine before it. Default no back-off.
	Share int
}

const usualLooks = 64

// usual is the default, complete.
var usual = Wait{}.complete()

// complete returns w with its defaults filled in.
func (w Wait) complete() *Wait {
	if w.Looks <= 0 {
		w.Looks = usualLooks
	}
	if w.Yield == nil {
		w.Yield = runtime.Gosched
	}
	if w.BackOff == nil {
		w.BackOff = pauses
	}
	w.Most = max(w.Least, w.Most)
	return &w
}

// next is called after the nth look, counted from 1, that was in vain.
func (w *Wait) next(n int) {
	pauses(w.Pauses)
	if n%w.Looks == 0 {
		w.Yield()
	}
}

// backOff waits at most rounds and returns how many the next back-off waits at most.
func (w *Wait) backOff(rounds int) int {
	if w.Least <= 0 {
		return rounds
	}
	n := max(rounds, w.Least)
	if w.Random == nil {
		w.BackOff(n)
	} else {
		w.BackOff(w.Random(n))
	}
	return min(2*n, w.Most)
}

// mostPauses bounds a stay in assembly, where the runtime cannot preempt. It is about 50 us.
const mostPauses = 1 << 10

// pauses executes n PAUSE instructions.
func pauses(n int) {
	for ; n > 0; n -= mostPauses {
		pause(min(n, mostPauses))
	}
}

// With returns l with another way of waiting. All goroutines may share it if they may share l.
// What w refers to must allow that too.
func With(l Locker, w Wait) sync.Locker { return &waiting{l, w.complete()} }

type waiting struct {
	Locker
	w *Wait
}

// Lock waits as the Wait says.
func (l *waiting) Lock() { l.lock(l.w) }

// notLocked is the panic of an Unlock.
func notLocked(name string) { panic("lock: Unlock of a " + name + " that is not locked") }
