package grid

import (
	"sync"
	"sync/atomic"
)

// Grid holds the newest View of a volume. Goroutines may share it.
type Grid struct {
	view   atomic.Pointer[View]
	writer sync.Mutex
}

// Hold returns a Grid whose newest View is v.
func Hold(v *View) *Grid {
	g := new(Grid)
	g.view.Store(v)
	return g
}

// View returns the newest View. It never blocks.
func (g *Grid) View() *View { return g.view.Load() }

// Update calls f with a draft of the newest View and publishes the draft. It returns
// the replaced chunks, as Edit.Publish does. If f returns an error, or the draft
// has one, nothing changes and Update returns the error. Updates run one at a time.
// f must not call Update or keep the draft.
func (g *Grid) Update(f func(*Draft) error) ([]Replaced, error) {
	g.writer.Lock()
	defer g.writer.Unlock()
	d := g.View().Edit()
	if err := f(&d.Draft); err != nil {
		return nil, err
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	next, replaced := d.Publish()
	g.view.Store(next)
	return replaced, nil
}
