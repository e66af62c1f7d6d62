package port

import (
	"runtime"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
)

// mostAtOnce bounds the memory that pages take which are packed at once.
const mostAtOnce = 4

// AtOnce returns o with pages packed on all processors, at most four.
func AtOnce(o stone.Options) stone.Options {
	o.AtOnce = min(runtime.GOMAXPROCS(0), mostAtOnce)
	o.Run = func(n int, f func(i int)) {
		var wait sync.WaitGroup
		for i := range n {
			wait.Go(func() { f(i) })
		}
		wait.Wait()
	}
	return o
}
