// Package calls counts the calls of a store that are in progress, so that its Close can wait
// for them.
package calls

import (
	"sync"

	"github.com/cairnvoxel/cairn/store/history"
)

// Calls are the calls of a Store that are in progress. Its Close waits for them and
// refuses the calls that come later. The zero value is open. Any number of goroutines
// may use it.
type Calls struct {
	mu     sync.RWMutex // guards closed, and active against additions after it
	closed bool
	active sync.WaitGroup
}

// Enter begins a call, or returns ErrClosed. The caller calls leave when the call has
// ended. A call may begin others.
func (c *Calls) Enter() (leave func(), err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, history.ErrClosed
	}
	c.active.Add(1)
	return c.active.Done, nil
}

// Close refuses all further calls and waits for those in progress. It reports whether
// it was the first to be called.
func (c *Calls) Close() (first bool) {
	c.mu.Lock()
	first, c.closed = !c.closed, true
	c.mu.Unlock()
	c.active.Wait()
	return first
}
