package stream

import (
	"context"
)

// travel moves the session to the version that the client asked for.
func (v *viewer) travel(ctx context.Context) error {
	v.mu.Lock()
	version, want := v.wantAt, v.traveling
	v.traveling = false
	v.mu.Unlock()
	if !want {
		return nil
	}
	if version == "" {
		v.s.mu.Lock()
		defer v.s.mu.Unlock()
		if v.s.closed || !v.stage.head.join() {
			return &Failure{"closing", "the server shows the world no longer"}
		}
		return v.moveTo(v.stage.head, true)
	}
	to, err := v.s.at(ctx, v.stage, version)
	if err != nil {
		if to != nil {
			to.release() // a second copy of it did not close
		}
		return err
	}
	return v.moveTo(to, false)
}

// moveTo moves the session to a shot, of which it gets a use.
func (v *viewer) moveTo(to *shot, follow bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.shot
	v.follow = follow
	v.show(to)
	if old == nil {
		v.tellNow()
		return nil
	}
	defer old.release()
	v.synced = 0
	v.told.ID = " " // always tell
	v.tellNow()
	if v.plan == nil || old == to {
		return nil
	}
	may, all := touchedKeys(old, to)
	v.doubt(func(k Key) bool { return all || may[k] })
	return nil
}

// touchedKeys returns the cubes of all levels that may differ.
func touchedKeys(from, to *shot) (may map[Key]bool, all bool) {
	where, _, ok := boxes(from, to)
	if !ok {
		return nil, true
	}
	at := make(map[Key]*touched)
	for i := range to.volumes {
		for _, b := range where[i] {
			spread(at, i, to.volumes[i].edge(), 0, b)
		}
	}
	may = make(map[Key]bool)
	for k := range at {
		for ; int(k.Level) <= max(from.facts.Top, to.facts.Top) && !may[k]; k = k.Parent() {
			may[k] = true
		}
	}
	return may, false
}
