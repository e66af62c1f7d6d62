package lock_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/lock"
)

// queue is a lock that goroutines hold in the order in which they came.
type queue interface{ Tail() any }

// made is a lock: handle returns a goroutine's own way to it.
type made struct {
	handle func() lock.Locker
	queue  queue // nil if it is not fair
}

func one[L lock.Locker](l L) made {
	m := made{handle: func() lock.Locker { return l }}
	m.queue, _ = any(l).(queue)
	return m
}

func handles(l interface {
	queue
	Locker() lock.Locker
}) made {
	return made{l.Locker, l}
}

type kind struct {
	name string
	make func() made
}

func kindsOf[P lock.Pad](name string) []kind {
	kinds := []kind{
		{"TAS", func() made { return one(new(lock.TAS[P])) }},
		{"TTAS", func() made { return one(new(lock.TTAS[P])) }},
		{"Ticket", func() made { return one(new(lock.Ticket[P])) }},
		{"SmallTicket of 8 bits", func() made { return one(new(lock.SmallTicket[uint8, P])) }},
		{"SmallTicket of 16 bits", func() made { return one(new(lock.SmallTicket[uint16, P])) }},
		{"Anderson of 64", func() made { return one(lock.NewAnderson[P](64)) }},
		{"Anderson of 3", func() made { return one(lock.NewAnderson[P](3)) }},
		{"Anderson of 1", func() made { return one(lock.NewAnderson[P](0)) }},
		{"GraunkeThakkar", func() made { return handles(new(lock.GraunkeThakkar[P])) }},
		{"MCS", func() made { return handles(new(lock.MCS[P])) }},
		{"CLH", func() made { return handles(new(lock.CLH[P])) }},
	}
	for i := range kinds {
		kinds[i].name += " " + name
	}
	return kinds
}

func kinds() []kind {
	return slices.Concat(kindsOf[lock.Bare]("bare"), kindsOf[lock.Padded]("padded"))
}

// waits are ways of waiting. The pure spin is for few goroutines.
func waits() map[string]lock.Wait {
	return map[string]lock.Wait{
		"default":      {},
		"one look":     {Looks: 1},
		"pause":        {Looks: 100, Pauses: 2},
		"back-off":     {Least: 4, Most: 64, Random: func(n int) int { return n / 2 }},
		"yield back":   {Least: 1, Most: 4, BackOff: func(rounds int) { runtime.Gosched() }},
		"proportional": {Share: 10},
	}
}

func setProcessors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// exclude lets goroutines write to plain memory under the lock. Some holders yield.
func exclude(t *testing.T, goroutines, rounds int, handle func() sync.Locker) {
	t.Helper()
	var sum, inside, most int
	var all sync.WaitGroup
	for g := range goroutines {
		k := handle()
		all.Go(func() {
			for i := range rounds {
				k.Lock()
				inside++
				if i%8 == g%8 {
					runtime.Gosched()
				}
				most = max(most, inside)
				sum++
				inside--
				k.Unlock()
			}
		})
	}
	all.Wait()
	if sum != goroutines*rounds || most != 1 {
		t.Errorf("%d goroutines: counted %d of %d, with up to %d inside", goroutines, sum, goroutines*rounds, most)
	}
}

// On any number of processors one goroutine at a time holds the lock, and all come to their end.
func TestExclusion(t *testing.T) {
	times := long.By(320, 1600, 1600)
	if testing.Short() {
		times /= 5
	}
	for _, processors := range slices.Compact([]int{1, 2, max(2, runtime.NumCPU())}) {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			setProcessors(t, processors)
			for _, k := range kinds() {
				for _, goroutines := range []int{1, 2, 8, 64} {
					m := k.make()
					t.Run(k.name, func(t *testing.T) {
						exclude(t, goroutines, times/goroutines, func() sync.Locker { return m.handle() })
					})
				}
			}
		})
	}
}

func TestWaits(t *testing.T) {
	setProcessors(t, 2)
	for name, w := range waits() {
		for _, k := range kindsOf[lock.Bare](name) {
			m := k.make()
			t.Run(k.name, func(t *testing.T) {
				exclude(t, 16, 50, func() sync.Locker { return lock.With(m.handle(), w) })
			})
		}
	}
}

// A waiting goroutine that never yields is preempted, so that even then others go on.
func TestPure(t *testing.T) {
	setProcessors(t, 1)
	for _, k := range kindsOf[lock.Bare]("bare") {
		m := k.make()
		t.Run(k.name, func(t *testing.T) {
			exclude(t, 2, 3, func() sync.Locker { return lock.With(m.handle(), lock.Wait{Yield: func() {}}) })
		})
	}
}

// queueUp lets n goroutines come one after another, each when the one before it is in the queue, to a
// lock that is held. What it returns lets them go on and says in which order they did.
func queueUp(m made, n int) (release func() []int) {
	holder := m.handle()
	holder.Lock()
	var order []int
	var all sync.WaitGroup
	for i := range n {
		k, tail := m.handle(), m.queue.Tail()
		all.Go(func() {
			k.Lock()
			order = append(order, i)
			k.Unlock()
		})
		for m.queue.Tail() == tail {
			runtime.Gosched()
		}
	}
	return func() []int {
		holder.Unlock()
		all.Wait()
		return order
	}
}

func TestOrder(t *testing.T) {
	for _, k := range kinds() {
		m := k.make()
		if m.queue == nil {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			for range 30 { // counters of 8 bits wrap around
				if order := queueUp(m, 20)(); !slices.IsSorted(order) || len(order) != 20 {
					t.Fatalf("goroutines came in order and went in %v", order)
				}
			}
		})
	}
}

// Counters of 32 bits wrap around too.
func TestWrap(t *testing.T) {
	type starter interface {
		lock.Locker
		Start(number uint32)
	}
	for _, l := range []starter{new(lock.Ticket[lock.Bare]), lock.NewAnderson[lock.Bare](8), lock.NewAnderson[lock.Bare](64)} {
		l.Start(math.MaxUint32 - 9)
		if order := queueUp(one[lock.Locker](l), 20)(); !slices.IsSorted(order) || len(order) != 20 {
			t.Errorf("%T: goroutines came in order and went in %v", l, order)
		}
	}
}

func TestSlots(t *testing.T) {
	for slots, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 4, 64: 64, 65: 128} {
		if got := lock.NewAnderson[lock.Bare](slots).Slots(); got != want {
			t.Errorf("of %d slots there are %d, want %d", slots, got, want)
		}
	}
}

// A holder of MCS that leaves while another one is in the queue, but not linked to it yet, waits for the
// link.
func TestLateLink(t *testing.T) {
	var l lock.MCS[lock.Bare]
	holder, late := l.Locker(), l.Locker()
	holder.Lock()
	waiter := late.(interface {
		Come() (link func())
		Waiting() bool
	})
	link := waiter.Come()
	left := make(chan struct{})
	go func() {
		holder.Unlock()
		close(left)
	}()
	for range 1000 {
		runtime.Gosched()
	}
	select {
	case <-left:
		t.Fatal("the holder left nobody behind")
	default:
	}
	link()
	<-left
	if waiter.Waiting() {
		t.Error("the one behind still waits")
	}
}

// More goroutines than an 8-bit ticket has numbers are right, and the first 255 in order.
func TestFewTickets(t *testing.T) {
	l := new(lock.SmallTicket[uint8, lock.Bare])
	release := queueUp(one(l), 254)
	full := l.Tail()
	var late int
	var all sync.WaitGroup
	for range 300 {
		all.Go(func() {
			l.Lock()
			late++
			l.Unlock()
		})
	}
	for range 1000 {
		runtime.Gosched()
	}
	if l.Tail() != full || late != 0 {
		t.Errorf("with all tickets out, the next went from %v to %v and %d held the lock", full, l.Tail(), late)
	}
	order := release()
	all.Wait()
	if !slices.IsSorted(order) || len(order) != 254 || late != 300 {
		t.Errorf("%d in order %v, then %d late ones; want 254, 300", len(order), order, late)
	}
}

// The literature's lock draws without looking: 256 goroutines exclude one another, and the next
// enters beside the holder.
func TestOverflowOfTheLiterature(t *testing.T) {
	var next, serving uint8
	draw := func() uint8 { next++; return next - 1 }
	if mine := draw(); mine != serving {
		t.Fatal("the first does not enter")
	}
	for i := 2; i <= 256; i++ {
		if draw() == serving {
			t.Fatalf("goroutine %d enters", i)
		}
	}
	if draw() != serving {
		t.Error("goroutine 257 does not enter")
	}
}

// What a goroutine does while it waits lets the holder go: all happens in one goroutine.
func TestYield(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			m := k.make()
			holder := m.handle()
			holder.Lock()
			yields := 0
			l := lock.With(m.handle(), lock.Wait{Looks: 5, Yield: func() {
				if yields++; yields == 3 {
					holder.Unlock()
				}
			}})
			l.Lock()
			if yields != 3 {
				t.Errorf("the lock was held after %d yields, and let go after 3", yields)
			}
			l.Unlock()
			pass(l)
			if yields != 3 {
				t.Error("a free lock makes a goroutine yield")
			}
		})
	}
}

func TestBackOff(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    lock.Wait
		want []int
	}{
		{"none", lock.Wait{}, nil},
		{"none below Least", lock.Wait{Most: 100}, nil},
		{"doubles", lock.Wait{Least: 3, Most: 20}, []int{3, 6, 12, 20, 20}},
		{"constant", lock.Wait{Least: 7}, []int{7, 7, 7, 7, 7}},
		{"random", lock.Wait{Least: 8, Most: 64, Random: func(n int) int { return n - 1 }}, []int{7, 15, 31, 63, 63}},
	} {
		if got := lock.BackOffs(tt.w, 5); !slices.Equal(got, tt.want) {
			t.Errorf("%s: waits %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLooks(t *testing.T) {
	for looks, want := range map[int][]int{-1: {64, 128}, 0: {64, 128}, 1: {1, 2, 3}, 50: {50, 100, 150}, 99: {99}} {
		got := lock.YieldsAt(lock.Wait{Looks: looks, Pauses: 1}, 150)
		if looks == 1 {
			got = got[:3]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d looks: yields after %v, want %v", looks, got, want)
		}
	}
}

// PAUSE ends, for any number of times.
func TestPauses(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 2, 1023, 1024, 1025, 5000} {
		lock.Pauses(n)
	}
}

func TestUnlocked(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			m := k.make()
			for range 3 {
				mustPanic(t, m.handle().Unlock)
				l := m.handle()
				pass(l)
				mustPanic(t, l.Unlock)
			}
		})
	}
}

// pass locks and unlocks l.
func pass(l sync.Locker) {
	l.Lock()
	defer l.Unlock()
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestNothingAllocated(t *testing.T) {
	for _, k := range kinds() {
		m := k.make()
		l, w := m.handle(), lock.With(m.handle(), lock.Wait{Looks: 1})
		if n := testing.AllocsPerRun(100, func() { pass(l); pass(w) }); n != 0 {
			t.Errorf("%s allocates %v times", k.name, n)
		}
	}
}

type sizes struct {
	name         string
	bare, padded uintptr
}

func sizeOf[bare, padded any](name string) sizes {
	return sizes{name, unsafe.Sizeof(*new(bare)), unsafe.Sizeof(*new(padded))}
}

func handleSizes(bare, padded interface{ Locker() lock.Locker }) sizes {
	size := func(k lock.Locker) uintptr { return reflect.TypeOf(k).Elem().Size() }
	b, p := bare.Locker(), padded.Locker()
	return sizes{fmt.Sprintf("%T", b), size(b), size(p)}
}

func TestSizes(t *testing.T) {
	type (
		bare   = lock.Bare
		padded = lock.Padded
	)
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the sizes are those with pointers of 8 bytes")
	}
	for _, tt := range []struct {
		got          sizes
		bare, padded uintptr
	}{
		{sizeOf[sync.Mutex, sync.Mutex]("sync.Mutex"), 8, 8},
		{sizeOf[lock.TAS[bare], lock.TAS[padded]]("TAS"), 4, 128},
		{sizeOf[lock.TTAS[bare], lock.TTAS[padded]]("TTAS"), 4, 128},
		{sizeOf[lock.SmallTicket[uint8, bare], lock.SmallTicket[uint8, padded]]("SmallTicket of 8 bits"), 4, 128},
		{sizeOf[lock.SmallTicket[uint16, bare], lock.SmallTicket[uint16, padded]]("SmallTicket of 16 bits"), 4, 128},
		{sizeOf[lock.Ticket[bare], lock.Ticket[padded]]("Ticket"), 8, 256},
		{sizeOf[lock.Anderson[bare], lock.Anderson[padded]]("Anderson, without its slots"), 32, 280},
		{sizeOf[lock.GraunkeThakkar[bare], lock.GraunkeThakkar[padded]]("GraunkeThakkar"), 8, 136},
		{handleSizes(new(lock.GraunkeThakkar[bare]), new(lock.GraunkeThakkar[padded])), 56, 176},
		{sizeOf[lock.MCS[bare], lock.MCS[padded]]("MCS"), 8, 136},
		{handleSizes(new(lock.MCS[bare]), new(lock.MCS[padded])), 24, 152},
		{sizeOf[lock.CLH[bare], lock.CLH[padded]]("CLH"), 16, 264},
		{handleSizes(new(lock.CLH[bare]), new(lock.CLH[padded])), 32, 152},
	} {
		if tt.got.bare != tt.bare || tt.got.padded != tt.padded {
			t.Errorf("%s: %d bytes bare and %d padded, want %d and %d", tt.got.name, tt.got.bare, tt.got.padded, tt.bare, tt.padded)
		}
	}
}

// TestVetSeesCopies checks by type what `go vet` looks for, in itself or in a field: Lock and Unlock of
// the pointer alone. A copy of a lock or of a handle is then an error of vet.
func TestVetSeesCopies(t *testing.T) {
	type bare = lock.Bare
	type padded = lock.Padded
	for _, v := range []any{
		new(lock.TAS[bare]), new(lock.TAS[padded]), new(lock.TTAS[bare]), new(lock.TTAS[padded]), new(lock.Ticket[bare]), new(lock.Ticket[padded]),
		new(lock.SmallTicket[uint8, bare]), new(lock.SmallTicket[uint16, padded]), new(lock.Anderson[bare]), new(lock.Anderson[padded]),
		new(lock.GraunkeThakkar[bare]), new(lock.GraunkeThakkar[padded]), new(lock.GraunkeThakkar[bare]).Locker(), new(lock.GraunkeThakkar[padded]).Locker(),
		new(lock.MCS[bare]), new(lock.MCS[padded]), new(lock.MCS[bare]).Locker(), new(lock.MCS[padded]).Locker(), new(lock.CLH[bare]), new(lock.CLH[padded]),
		new(lock.CLH[bare]).Locker(), new(lock.CLH[padded]).Locker(),
	} {
		if typ := reflect.TypeOf(v).Elem(); !seen(typ) {
			t.Errorf("a copy of a %v is no error", typ)
		}
	}
	if seen(reflect.TypeOf(struct{ a *lock.TAS[bare] }{})) {
		t.Error("a pointer may be copied")
	}
}

// seen reports whether vet takes a type for a lock.
func seen(typ reflect.Type) bool {
	methods := func(t reflect.Type) bool {
		_, locks := t.MethodByName("Lock")
		_, unlocks := t.MethodByName("Unlock")
		return locks && unlocks
	}
	if methods(reflect.PointerTo(typ)) && !methods(typ) || typ.PkgPath() == "sync/atomic" && typ.Name() == "noCopy" {
		return true
	}
	for i := 0; typ.Kind() == reflect.Struct && i < typ.NumField(); i++ {
		if seen(typ.Field(i).Type) {
			return true
		}
	}
	return typ.Kind() == reflect.Array && seen(typ.Elem())
}
