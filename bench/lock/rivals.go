package lock

import (
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/cairnvoxel/cairn/lock"
)

// increments are what a holder does.
const increments = 16

// work is not inlined, so that it is the same machine code under every lock.
//
//go:noinline
func work(counter *uint64) {
	for range increments {
		*counter++
	}
}

// rival is a lock in one way of waiting.
type rival struct {
	name string
	make func(s *stop, goroutines int) instance
}

// instance is a lock with the counter that it guards.
type instance struct {
	handle  func() sync.Locker // one for each goroutine
	counter *uint64
	bytes   int
}

func (in instance) loop() loop {
	l, counter := in.handle(), in.counter
	return func(s *stop, times *histogram) (n int64) {
		for ; ; n++ {
			if times == nil {
				l.Lock()
			} else {
				start := time.Now()
				l.Lock()
				times.add(time.Since(start))
			}
			if s.over.Load() {
				l.Unlock()
				return n
			}
			work(counter)
			l.Unlock()
		}
	}
}

// way is how goroutines wait for a lock; nil is the default.
type way func(s *stop) lock.Wait

func (w way) of(l lock.Locker, s *stop) sync.Locker {
	if w == nil {
		return l
	}
	return lock.With(l, w(s))
}

// beside is a lock and its counter: side by side if bare, on lines of their own if padded.
type beside[L any, P lock.Pad] struct {
	lock    L
	_       P
	counter uint64
}

// one is a lock that all goroutines share.
func one[L any, P lock.Pad, Q interface {
	*L
	lock.Locker
}](name string, w way) rival {
	return rival{name, func(s *stop, _ int) instance {
		b := new(beside[L, P])
		l := w.of(Q(&b.lock), s)
		return instance{func() sync.Locker { return l }, &b.counter, int(unsafe.Sizeof(b.lock))}
	}}
}

// handles is a lock of which each goroutine has a handle.
func handles[L any, P lock.Pad, Q interface {
	*L
	Locker() lock.Locker
}](name string, w way) rival {
	return rival{name, func(s *stop, goroutines int) instance {
		b := new(beside[L, P])
		l := Q(&b.lock)
		return instance{func() sync.Locker { return w.of(l.Locker(), s) }, &b.counter,
			int(unsafe.Sizeof(b.lock)) + goroutines*int(reflect.TypeOf(l.Locker()).Elem().Size())}
	}}
}

func anderson[P lock.Pad](name string) rival {
	return rival{name, func(_ *stop, goroutines int) instance {
		l, counter := lock.NewAnderson[P](goroutines), new(beside[[0]byte, P])
		slots := 1 << bits.Len(uint(goroutines-1))
		return instance{func() sync.Locker { return l }, &counter.counter,
			int(unsafe.Sizeof(*l)) + slots*int(unsafe.Sizeof(lock.TAS[P]{}))} // a slot is laid out so
	}}
}

func mutex(*stop, int) instance {
	b := new(beside[sync.Mutex, bare])
	return instance{func() sync.Locker { return &b.lock }, &b.counter, int(unsafe.Sizeof(b.lock))}
}

type (
	bare   = lock.Bare
	padded = lock.Padded
)

const (
	leastRounds, mostRounds = 32, 1024
	// A goroutine that sleeps does so after a thousand looks.
	sleepLooks, asleep = 1000, 500 * time.Microsecond
	share              = 1
)

func pure(s *stop) lock.Wait     { return lock.Wait{Yield: s.pure} }
func pausing(*stop) lock.Wait    { return lock.Wait{Pauses: 1} }
func proportion(*stop) lock.Wait { return lock.Wait{Share: share} }
func sleeping(*stop) lock.Wait {
	return lock.Wait{Looks: sleepLooks, Yield: func() { time.Sleep(asleep) }}
}

// backingOff draws from the generator of the runtime, which goroutines share without a lock.
func backingOff(wait func(rounds int)) way {
	return func(*stop) lock.Wait {
		return lock.Wait{Least: leastRounds, Most: mostRounds, BackOff: wait, Random: func(n int) int { return rand.IntN(n + 1) }}
	}
}

// busy passes rounds without PAUSE.
//
//go:noinline
func busy(rounds int) {
	for range rounds {
	}
}

func yield(rounds int) {
	for range rounds/leastRounds + 1 {
		runtime.Gosched()
	}
}

// rivals returns the locks in the order of the tables.
func rivals() []rival {
	return []rival{
		{"sync.Mutex", mutex},
		one[lock.TAS[bare], bare]("TAS", nil),
		one[lock.TTAS[bare], bare]("TTAS", nil),
		one[lock.TTAS[padded], padded]("TTAS padded", nil),
		one[lock.TTAS[bare], bare]("TTAS, PAUSE", pausing),
		one[lock.TTAS[bare], bare]("TTAS, back-off busy", backingOff(busy)),
		one[lock.TTAS[bare], bare]("TTAS, back-off PAUSE", backingOff(nil)),
		one[lock.TTAS[bare], bare]("TTAS, back-off yields", backingOff(yield)),
		one[lock.TTAS[bare], bare]("TTAS, sleep", sleeping),
		one[lock.TAS[bare], bare]("TAS, pure spin", pure),
		one[lock.TTAS[bare], bare]("TTAS, pure spin", pure),
		one[lock.SmallTicket[uint8, bare], bare]("ticket, 8 bits", nil),
		one[lock.SmallTicket[uint16, bare], bare]("ticket, 16 bits", nil),
		one[lock.Ticket[bare], bare]("ticket, 32 bits", nil),
		one[lock.Ticket[padded], padded]("ticket padded", nil),
		one[lock.Ticket[padded], padded]("ticket padded, proportional", proportion),
		one[lock.Ticket[padded], padded]("ticket padded, pure spin", pure),
		anderson[bare]("Anderson"),
		anderson[padded]("Anderson padded"),
		handles[lock.GraunkeThakkar[bare], bare]("Graunke-Thakkar", nil),
		handles[lock.GraunkeThakkar[padded], padded]("Graunke-Thakkar padded", nil),
		handles[lock.MCS[bare], bare]("MCS", nil),
		handles[lock.MCS[padded], padded]("MCS padded", nil),
		handles[lock.MCS[padded], padded]("MCS padded, pure spin", pure),
		handles[lock.CLH[bare], bare]("CLH", nil),
		handles[lock.CLH[padded], padded]("CLH padded", nil),
	}
}
