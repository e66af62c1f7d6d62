package stream

import (
	"context"
)

// move moves the session to the version that the client asked for.
func (v *viewer) move(ctx context.Context) error {
	v.mu.Lock()
	version, want := v.wantVersion, v.wantMove
	v.wantMove = false
	v.mu.Unlock()
	if !want {
		return nil
	}
	if version == "" {
		v.s.mu.Lock()
		defer v.s.mu.Unlock()
		if v.s.closed || !v.active.head.tryRef() {
			return &Failure{"closing", "the server shows the world no longer"}
		}
		return v.moveTo(v.active.head, true)
	}
	to, err := v.s.openVersion(ctx, v.active, version)
	if err != nil {
		if to != nil {
			to.release() // a second copy of it did not close
		}
		return err
	}
	return v.moveTo(to, false)
}

// moveTo moves the session to a scene, of which it gets a use.
func (v *viewer) moveTo(to *scene, follow bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.scene
	v.follow = follow
	v.setScene(to)
	if old == nil {
		v.sendNow()
		return nil
	}
	defer old.release()
	v.synced = 0
	v.sentMoment.ID = " " // always tell
	v.sendNow()
	if v.plan == nil || old == to {
		return nil
	}
	may, all := touchedKeys(old, to)
	v.invalidateWhere(func(k Key) bool { return all || may[k] })
	return nil
}

// touchedKeys returns the cubes of all levels that may differ.
func touchedKeys(from, to *scene) (may map[Key]bool, all bool) {
	where, _, ok := changedBoxes(from, to)
	if !ok {
		return nil, true
	}
	at := make(map[Key]*touched)
	for i := range to.volumes {
		for _, b := range where[i] {
			addTouched(at, i, to.volumes[i].edge(), 0, b)
		}
	}
	may = make(map[Key]bool)
	for k := range at {
		for ; int(k.Level) <= max(from.moment.Top, to.moment.Top) && !may[k]; k = k.Parent() {
			may[k] = true
		}
	}
	return may, false
}
