package world

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// meter measures the steps of a load. A nil meter measures nothing.
type meter struct {
	to   history.Steps
	last time.Time // end of the last step
	took history.LoadSteps
}

// measure begins a load. It returns nil if nobody wants to know.
func measure(to history.Steps) *meter {
	if to == nil {
		return nil
	}
	return &meter{to: to, last: to.Now()}
}

// answered returns a context for the call that fetches the stack.
func (m *meter) answered(ctx context.Context) context.Context {
	if m == nil {
		return ctx
	}
	return history.WithAnswered(ctx, func() { m.took.Call = m.to.Now().Sub(m.last) })
}

func (m *meter) fetched() {
	if m != nil {
		m.took.Fetch = m.lap() - m.took.Call
	}
}

func (m *meter) opened() {
	if m != nil {
		m.took.Open = m.lap()
	}
}

// now returns the time at which decoded blocks begin to be shown to readers.
func (m *meter) now() (t time.Time) {
	if m != nil {
		t = m.to.Now()
	}
	return t
}

// shown says that readers see blocks. The caller has World.mu, so the times of
// several goroutines do not overlap.
func (m *meter) shown(since time.Time) {
	if m != nil {
		m.took.Ready += m.to.Now().Sub(since)
	}
}

// loaded ends the decoding of a load.
func (m *meter) loaded() {
	if m != nil {
		m.took.Decode = m.lap() - m.took.Ready
	}
}

// tell ends a load that succeeded.
func (m *meter) tell(world string) {
	if m != nil {
		m.to.Loaded(world, m.took)
	}
}

func (m *meter) lap() time.Duration {
	now := m.to.Now()
	d := now.Sub(m.last)
	m.last = now
	return d
}
