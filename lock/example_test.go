package lock_test

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/cairnvoxel/cairn/lock"
)

// count has goroutines count under a lock, each with its own handle of it.
func count(handle func() lock.Locker) (n int) {
	var all sync.WaitGroup
	for range 4 {
		k := handle()
		all.Go(func() {
			for range 100 {
				k.Lock()
				n++
				k.Unlock()
			}
		})
	}
	all.Wait()
	return n
}

// A small lock beside each of many small things.
func Example() {
	type cell struct {
		lock.TTAS[lock.Bare]
		value uint32
	}
	var c cell
	c.Lock()
	c.value++
	c.Unlock()
	fmt.Println(c.value, unsafe.Sizeof(c))
	// Output: 1 8
}

// All locks: some are locked as they are, the others through a handle of each goroutine.
func ExampleLocker() {
	var (
		tas     lock.TAS[lock.Padded]
		ttas    lock.TTAS[lock.Padded]
		ticket  lock.Ticket[lock.Padded]
		small   lock.SmallTicket[uint8, lock.Bare]
		ring    = lock.NewAnderson[lock.Padded](4)
		flags   lock.GraunkeThakkar[lock.Padded]
		mcs     lock.MCS[lock.Padded]
		clh     lock.CLH[lock.Padded]
		handles = []func() lock.Locker{
			func() lock.Locker { return &tas },
			func() lock.Locker { return &ttas },
			func() lock.Locker { return &ticket },
			func() lock.Locker { return &small },
			func() lock.Locker { return ring },
			func() lock.Locker { return flags.Locker() },
			func() lock.Locker { return mcs.Locker() },
			func() lock.Locker { return clh.Locker() },
		}
	)
	for _, h := range handles {
		fmt.Print(count(h), " ")
	}
	// Output: 400 400 400 400 400 400 400 400
}
