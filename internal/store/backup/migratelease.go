package backup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
)

// hold takes the lease of a world at the target that has a head, and makes the world if
// there is none.
func (m *migration) hold(name string, head history.ID) (history.Head, error) {
	for {
		now := m.o.Now()
		l, err := m.to.Lease(m.ctx, name, m.o.Holder, m.o.Lease)
		switch {
		case errors.Is(err, history.ErrNoWorld) && head == (history.ID{}):
			if err = m.to.Create(m.ctx, name); err == nil || errors.Is(err, history.ErrExists) {
				continue
			}
		case errors.Is(err, history.ErrLeased):
			return history.Head{}, fmt.Errorf("%w, and someone uses it", errStays)
		}
		if err != nil {
			return history.Head{}, fmt.Errorf("at the target: %w", err)
		}
		m.mu.Lock()
		m.copied[name] = copied{head, l.Fence, now}
		m.mu.Unlock()
		return history.Head{Commit: head, Fence: l.Fence}, nil
	}
}

// renew renews the leases at the target that are old, of worlds that were copied and
// not moved yet. It is called between calls that may take long.
func (m *migration) renew() error {
	now := m.o.Now()
	var old []string
	m.mu.Lock()
	if now.Sub(m.renewed) >= m.o.Lease/lookEvery {
		m.renewed = now
		for name, c := range m.copied {
			if now.Sub(c.at) >= m.o.Lease/oldLease {
				old = append(old, name)
			}
		}
	}
	m.mu.Unlock()
	slices.Sort(old)
	return inOrder(m.ctx, m.o.Workers, old, func(name string) (struct{}, error) {
		now := m.o.Now()
		l, ours, err := m.leased(name)
		if err == nil && ours { // one that has ended may be another's world by now, and move looks
			_, err = m.to.Renew(m.ctx, name, l.Fence, m.o.Lease)
		}
		if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrNoWorld) {
			return struct{}{}, nil // it is copied again just now, or someone used force
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if c, is := m.copied[name]; is && err == nil && c.at.Before(now) {
			c.at = now
			m.copied[name] = c
		}
		return struct{}{}, err
	}, func(i int, _ struct{}, err error) error {
		if err != nil {
			err = fmt.Errorf("the lease of %q at the target: %w", old[i], err)
		}
		return err
	})
}

// leased returns the lease of a world at the target, and whether it is ours.
func (m *migration) leased(name string) (l history.Lease, ours bool, err error) {
	l, err = m.to.Leased(m.ctx, name)
	if errors.Is(err, history.ErrNoWorld) {
		err = nil
	}
	return l, err == nil && l.Fence != 0 && l.Holder == m.o.Holder, err
}

// release gives our lease of a world at the target back.
func (m *migration) release(name string) error {
	l, ours, err := m.leased(name)
	if err == nil && ours { // else it ended, and another lease is not ours to end
		err = m.to.Release(m.ctx, name, l.Fence)
	}
	m.mu.Lock()
	delete(m.copied, name)
	m.mu.Unlock()
	if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrNoWorld) {
		return nil // it ended, and someone else uses the world
	}
	return err
}

// drop deletes a copy at the target, if it is still as we made it.
func (m *migration) drop(name string, c copied) error {
	l, ours, err := m.leased(name)
	if err != nil || !ours || l.Fence != c.fence {
		return err // someone else may use it by now, so it stays
	}
	_, err = m.to.Renew(m.ctx, name, l.Fence, m.o.Lease) // so that nobody saves into it from here on
	var h history.Head
	if err == nil {
		h, err = m.to.Head(m.ctx, name)
	}
	if err == nil && h.Commit != c.head {
		return m.release(name)
	}
	if err == nil {
		err = m.to.Delete(m.ctx, name, l.Fence)
	}
	if errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrFenced) {
		return nil
	}
	return err
}

// seize takes the lease of a world at the source from whoever has it.
func (m *migration) seize(name string) (history.Lease, error) {
	for try := 1; ; try++ {
		l, err := m.from.Lease(m.ctx, name, m.o.Holder, m.o.Lease)
		if !errors.Is(err, history.ErrLeased) || try == moveTries {
			return l, err
		}
		if err := m.from.Release(m.ctx, name, history.Force); err != nil {
			return l, err
		}
	}
}
