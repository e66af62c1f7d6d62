package backup

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
)

// releaseMoved ends what a killed Migrate began. A world at the target that is held
// by our lease and is no longer at the source was moved, or someone deleted or renamed
// it there after it was copied. In the latter case the copy is dropped, but only if the
// source shows that it is not the moved world: the moved one may be all that is left.
// If someone made another world of that name at the source since, that one stays there.
func (m *migration) releaseMoved() error {
	live, gone := make(map[string]history.ID), make(map[string][]history.Outline)
	err := m.from.Outlines(m.ctx, func(o history.Outline) error {
		name := o.Name
		if isMoved(name) {
			name = name[len(MovedPrefix):]
		} else if o.Deleted.IsZero() {
			live[name] = o.Head.Commit
			return nil
		}
		gone[name] = append(gone[name], o)
		return nil
	})
	if err != nil {
		return err
	}
	var left []history.Outline
	err = m.to.Outlines(m.ctx, func(o history.Outline) error {
		if head, is := live[o.Name]; o.Deleted.IsZero() && !(is && head == o.Head.Commit) {
			left = append(left, o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.each("release", left, len(left), func(o history.Outline) error {
		l, ours, err := m.leased(o.Name)
		if err != nil || !ours {
			return err
		}
		if _, is := live[o.Name]; is {
			a, err := m.from.Archive(m.ctx, history.Outline{Name: o.Name})
			if err == nil && follows(&a, o.Head.Commit) {
				return nil // its copy
			}
			if err != nil && !errors.Is(err, history.ErrNoWorld) {
				return err
			}
		}
		old, err := m.outdated(gone[o.Name], o.Head.Commit)
		if err != nil {
			return err
		}
		if old {
			return m.drop(o.Name, copied{head: o.Head.Commit, fence: l.Fence})
		}
		return m.release(o.Name)
	})
}

// outdated reports whether a copy with this head is older than a world that was
// deleted at the source, or has nothing.
func (m *migration) outdated(gone []history.Outline, head history.ID) (bool, error) {
	if slices.ContainsFunc(gone, func(o history.Outline) bool { return o.Head.Commit == head }) {
		return false, nil
	}
	for _, o := range gone {
		if isMoved(o.Name) { // it was moved, whatever happened to it since
			continue
		}
		a, err := m.from.Archive(m.ctx, o)
		if errors.Is(err, history.ErrNoWorld) {
			continue
		}
		if err != nil || follows(&a, head) {
			return err == nil, err
		}
	}
	return head == (history.ID{}), nil
}

// dropCopies deletes the copies of worlds that someone deleted or renamed at the
// source before they were moved.
func (m *migration) dropCopies() error {
	for _, name := range slices.Sorted(maps.Keys(m.copied)) {
		if err := m.drop(name, m.copied[name]); err != nil {
			return fmt.Errorf("backup: migrate %q: %w", name, err)
		}
	}
	return nil
}

// copyDeleted copies the deleted worlds that can be restored. Those whose histories a
// world at the target goes on with were moved.
func (m *migration) copyDeleted() error {
	there, err := outlines(m.ctx, m.to)
	if err != nil {
		return err
	}
	var names []history.Outline // the first world of each name
	some := make(map[string][]history.Outline)
	err = m.from.Outlines(m.ctx, func(o history.Outline) error {
		if o.Deleted.IsZero() || m.moved[o.Name] == o.Head.Commit {
			return nil
		}
		if there.take(o.Name, o.Deleted, func(had history.Outline) bool { return had.Sum == o.Sum }) ||
			there.take(o.Name, o.Deleted, func(had history.Outline) bool { return had.Head.Commit == o.Head.Commit }) {
			return nil
		}
		if some[o.Name] == nil {
			names = append(names, o)
		}
		some[o.Name] = append(some[o.Name], o)
		return nil
	})
	if err != nil {
		return err
	}
	return m.each("deleted", names, len(names), func(first history.Outline) error {
		for _, o := range some[first.Name] { // in their order, because Undelete takes the last
			if err := m.copyOneDeleted(o); err != nil && !errors.Is(err, history.ErrNoWorld) {
				return err
			}
		}
		return nil
	})
}

func (m *migration) copyOneDeleted(o history.Outline) error {
	if now, err := m.to.Archive(m.ctx, history.Outline{Name: o.Name}); err == nil {
		if slices.Contains(now.Log, o.Head.Commit) || o.Head.Commit == (history.ID{}) {
			return nil
		}
	} else if !errors.Is(err, history.ErrNoWorld) {
		return err
	}
	for try := 1; ; try++ {
		a, err := m.from.Archive(m.ctx, o)
		if err == nil {
			err = m.give(&a)
		}
		if err == nil {
			err = m.to.Adopt(m.ctx, a, history.Head{})
		}
		if !errors.Is(err, history.ErrGone) || try == maxTries {
			if err == nil {
				m.mu.Lock()
				m.done.Deleted++
				m.mu.Unlock()
			}
			return err
		}
	}
}
