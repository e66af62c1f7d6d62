package stream

import (
	"context"

	"github.com/cairnvoxel/cairn/voxel"
)

// change sends an edit of a cube if the viewer has the cube.
func (v *viewer) change(c *change, full bool) {
	if _, ok := v.reading[c.Key]; ok {
		v.reading[c.Key] = true // the client may have an older one
		return
	}
	if _, ok := v.plan.Get(c.Key); !ok || v.stale[c.Key] {
		return
	}
	if full || !inside(c.Key, v.box) {
		v.invalidate(c.Key)
		return
	}
	if c.prepare(v.scene) != nil {
		v.invalidate(c.Key)
		return
	}
	v.queueCube(c.rec, c.edit, c.used)
}

// invalidate marks a cube of which the client's copy is old.
func (v *viewer) invalidate(k Key) {
	if !v.stale[k] {
		v.stale[k] = true
		v.recheck = append(v.recheck, k)
	}
}

// queueCube puts a cube into the batch: as an edit of what the client has if there is one, else whole. It returns false if
// the viewer does not need it.
func (v *viewer) queueCube(r *record, edit []byte, used [][]voxel.Cell) bool {
	if !v.plan.Have(r.Key, r.cube) {
		return false
	}
	for i, used := range used {
		v.queueNames(i, used)
	}
	if len(edit) > 0 {
		v.batch.edits = append(v.batch.edits, edit...)
		v.s.edits.Add(1)
	} else {
		v.batch.cubes = append(v.batch.cubes, r.bytes...)
		v.batch.keys = append(v.batch.keys, r.Key)
		v.s.cubes.Add(1)
	}
	if len(v.batch.cubes) > frameBytes || len(v.batch.edits) > frameBytes || len(v.batch.keys) == maxCubes {
		v.flush()
	}
	return true
}

// queueNames sends the names of numbers that the client does not know.
func (v *viewer) queueNames(i int, used []voxel.Cell) {
	for _, c := range used {
		at, bit := int(c)/64, uint64(1)<<(c%64)
		for at >= len(v.named[i]) {
			v.named[i] = append(v.named[i], 0)
		}
		if v.named[i][at]&bit != 0 {
			continue
		}
		v.named[i][at] |= bit
		if v.volumes[i].Schema == voxel.Terrain && c == 0 {
			continue
		}
		name, l := v.scene.nameOf(i, c)
		w := writer{b: v.batch.names[i]}
		if len(w.b) == 0 {
			w.u8(uint8(i))
		}
		w.uint(uint64(c))
		w.str(name[:min(len(name), maxName)])
		w.b = append(w.b, l.R, l.G, l.B, l.A, l.Kind)
		v.batch.names[i] = w.b
		if len(w.b) > frameBytes {
			v.out = appendFrame(v.out, (*NumberNames)(nil).kind(), w.b)
			v.batch.names[i] = w.b[:0]
		}
	}
}

// flush makes frames of the batch.
func (v *viewer) flush() {
	b := &v.batch
	if len(b.forget) > 0 {
		for rest := b.forget; len(rest) > 0; {
			n := cutKeys(rest, maxServerFrame/2)
			v.appendNumbered(&Forget{}, rest[:n], nil)
			rest = rest[n:]
		}
		b.forget = b.forget[:0]
	}
	for i := range b.names {
		if len(b.names[i]) > 0 {
			v.out = appendFrame(v.out, (*NumberNames)(nil).kind(), b.names[i])
			b.names[i] = b.names[i][:0]
		}
	}
	if len(b.cubes) > 0 {
		v.appendNumbered(&Cubes{}, b.cubes, b.keys)
		b.cubes, b.keys = b.cubes[:0], nil
	}
	if len(b.edits) > 0 {
		v.appendNumbered(&Edits{}, b.edits, nil)
		b.edits = b.edits[:0]
	}
}

// cutKeys returns how many bytes of a list of keys make a frame.
func cutKeys(b []byte, most int) int {
	if len(b) <= most {
		return len(b)
	}
	r := reader{b: b}
	for r.at < most {
		r.key()
	}
	return r.at
}

// appendNumbered appends a frame with a sequence.
func (v *viewer) appendNumbered(f Frame, list []byte, keys []Key) {
	v.sequence++
	w := writer{}
	w.uint(v.sequence)
	before := len(v.out)
	v.out = appendFrame(v.out, f.kind(), w.b, list)
	n := len(v.out) - before
	v.inFlight += n
	if len(v.flight) == 0 {
		v.waited = 0
	}
	v.flight = append(v.flight, flight{v.sequence, n, v.s.now(), keys})
	v.tokens -= float64(n)
}

// write writes frames until the session ends.
func (v *viewer) write(ctx context.Context) error {
	var spare []byte
	for {
		more, err := v.fillBatch(ctx)
		if err != nil {
			v.end(asFailure(err))
		}
		v.mu.Lock()
		b := v.out
		v.out = spare[:0]
		last := v.failure
		if last != nil {
			b = Append(b, last, nil)
			v.over = true
		}
		v.writing = len(b) > 0
		v.mu.Unlock()
		if len(b) > 0 && ctx.Err() == nil {
			v.s.sent.Add(int64(len(b)))
			if _, err := v.conn.Write(b); err != nil {
				return nil // it left, or was cut off
			}
		}
		v.mu.Lock()
		v.writing = false
		v.mu.Unlock()
		if last != nil {
			return nil
		}
		if spare = b; cap(spare) > 1<<20 {
			spare = nil
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-v.wake:
		}
	}
}

// fillBatch puts what the viewer needs next into the batch. It returns whether there may be more at once.
func (v *viewer) fillBatch(ctx context.Context) (more bool, err error) {
	if err := v.move(ctx); err != nil {
		return false, err
	}
	v.mu.Lock()
	if v.failure != nil || v.scene == nil || v.plan == nil {
		if v.scene != nil && v.view != nil && v.failure == nil {
			v.replan()
			v.mu.Unlock()
			return true, nil
		}
		v.mu.Unlock()
		return false, nil
	}
	if !v.planUpdated {
		v.updatePlan()
		v.planUpdated = true
	}
	keys, idle := v.nextCubes()
	if len(keys) == 0 {
		for k := range v.claims { // what the client has of another place would become old
			if idle {
				v.forget(k)
				delete(v.claims, k)
			}
		}
		v.flush()
		v.sendSynced()
		v.mu.Unlock()
		return false, nil
	}
	scene := v.scene.ref()
	for _, k := range keys {
		v.reading[k] = false
	}
	v.mu.Unlock()
	defer scene.release()

	recs := make([]*record, len(keys))
	for i, k := range keys {
		if recs[i], err = scene.record(ctx, k, v.box); err != nil {
			break
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, k := range keys {
		changed := v.reading[k]
		delete(v.reading, k)
		switch {
		case recs[i] == nil || v.plan == nil:
		case v.scene.feed != scene.feed: // its numbers are of another feed
			v.plan.Again(k)
			v.invalidate(k)
		default:
			v.deliver(recs[i], changed)
		}
	}
	v.flush()
	if v.plan != nil {
		v.sendSynced()
	}
	return err == nil, err
}

// nextCubes returns which cubes to read next. idle says that there is nothing to be read now, and not that it has to wait.
func (v *viewer) nextCubes() (keys []Key, idle bool) {
	room := min(v.window-v.inFlight, v.s.o.Window-len(v.out))
	if v.rate > 0 {
		room = min(room, int(v.tokens))
	}
	most := min(batchCubes, int(v.quota))
	if room <= 0 || most <= 0 {
		return nil, false
	}
	for len(v.recheck) > 0 && len(keys) < most {
		k := v.recheck[len(v.recheck)-1]
		v.recheck = v.recheck[:len(v.recheck)-1]
		if v.stale[k] {
			delete(v.stale, k)
			if _, ok := v.plan.Get(k); ok {
				keys = append(keys, k)
			}
		}
	}
	keys = v.plan.AppendNext(keys, min(most-len(keys), max(1, (v.memory-v.plan.Bytes())/v.cubeBytes)))
	v.quota -= float64(len(keys))
	return keys, len(keys) == 0 && len(v.reading) == 0
}

// deliver sends what the client lacks of a cube that was read. changed says that it changed since.
func (v *viewer) deliver(r *record, changed bool) {
	k := r.Key
	has, ok := v.plan.Get(k)
	claimed := false
	if !ok {
		has, claimed = v.claims[k]
		ok = claimed
		delete(v.claims, k)
	}
	needed := false
	if ok && has == r.version {
		needed = v.plan.Have(k, r.cube)
	} else {
		var edit []byte
		if ok {
			if base := v.scene.get(recordID{k, has}); has == 0 || base != nil {
				if base == nil {
					base = &record{recordID: recordID{k, 0}, bytes: Append(nil, &Cubes{Cubes: []Cube{{Key: k}}}, nil)[3:]}
				}
				if e, err := v.scene.editBetween(base, r); err == nil {
					edit = e
				}
			}
		}
		needed = v.queueCube(r, edit, r.used)
	}
	if !needed {
		if claimed {
			v.forget(k) // no edits would come for what the client still has
		}
		return
	}
	for _, k := range v.plan.AppendForget(nil) {
		v.forget(k)
	}
	if changed {
		v.invalidate(k)
	}
}

// sendSynced says whether the client has what it needs.
func (v *viewer) sendSynced() {
	stage := uint8(0)
	if len(v.stale) == 0 && len(v.reading) == 0 && len(v.claims) == 0 && v.plan.Complete(0) {
		stage = 2
	} else if v.plan.Complete(v.planMoment.Top) && !v.staleAt(v.planMoment.Top) {
		stage = 1
	}
	for v.synced < stage {
		v.synced++
		v.out = Append(v.out, &Synced{v.synced}, nil)
	}
	v.synced = stage
}

func (v *viewer) staleAt(level int) bool {
	for k := range v.stale {
		if int(k.Level) == level {
			return true
		}
	}
	return false
}
