package pages

import "context"

// Turn lets one goroutine at a time go on. Unlike with a mutex, waiting for it ends with
// a context. Make it with NewTurn.
type Turn chan struct{}

// NewTurn returns a Turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits until nobody has the Turn, and takes it. It returns the error of ctx if
// that ends first.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Give gives the Turn back.
func (t Turn) Give() { <-t }
