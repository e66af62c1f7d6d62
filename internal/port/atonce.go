package port

import (
	"runtime"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
)

// mostAtOnce bounds the pages that are encoded at a time, and so their memory.
const mostAtOnce = 4

// AtOnce returns o with pages encoded on all processors, at most four at a time.
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
