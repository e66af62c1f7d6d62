package octree

import "sync/atomic"

// Frozen is a tree as it was at one moment. It has the queries of a Tree, and any number of
// goroutines may use it while one changes the tree. Nothing of it is valid after Release.
type Frozen struct {
	index
	holders
	moment Moment
	copied uint64 // the number of the copy
	pool   *pool
}

// holders counts who uses a view: the tree, if it is the newest, and readers.
type holders struct{ held atomic.Int64 }

// hold adds a holder, unless the last has gone: then the view is about to be made anew.
func (h *holders) hold() bool {
	for n := h.held.Load(); n > 0; n = h.held.Load() {
		if h.held.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// drop takes a holder and reports whether it was the last.
func (h *holders) drop() bool { return h.held.Add(-1) == 0 }

// Publish makes a view of the tree as it is now, which Tree.View returns from then on.
// It belongs to the goroutine that changes the tree. The first view copies the tree. Each
// later one takes a view that was released and copies what changed since that one was
// made, so it allocates only when readers hold all views. From the first view on a
// change costs a little more. Publish begins a new moment.
func (t *Tree) Publish() {
	old := t.newest.Load()
	t.newest.Store(t.view(old, t.Moment()))
	if old != nil {
		old.Release()
	}
}

// view returns a view of a moment, or the last view if nothing changed since, for one more
// holder.
func (t *Tree) view(last *Frozen, moment Moment) *Frozen {
	if last != nil && last.epoch == t.epoch && t.nodes[0].changed < last.clock && last.hold() {
		return last
	}
	v := t.copy()
	v.moment = moment
	return v
}

// copy returns a view that the caller holds.
func (t *Tree) copy() *Frozen {
	if t.track == nil {
		t.track = newTracker(t)
	}
	k := t.track
	v := k.pool.take()
	if v == nil {
		v = &Frozen{pool: k.pool}
	}
	old := v.index
	v.index = t.index
	v.slots = renew(old.slots, t.slots, k.slots, v.copied, 1)
	v.nodes = renew(old.nodes, t.nodes, k.nodes, v.copied, 1)
	v.buckets = renew(old.buckets, t.buckets, k.buckets, v.copied, 1)
	v.solid = renew(old.solid, t.solid, k.buckets, v.copied, bucketItems)
	v.rects = renew(old.rects, t.rects, k.buckets, v.copied, bucketItems)
	v.solid32 = renew(old.solid32, t.solid32, k.buckets, v.copied, bucketItems)
	v.rects32 = renew(old.rects32, t.rects32, k.buckets, v.copied, bucketItems)
	v.copied = *k.next
	*k.next++
	v.held.Store(1)
	return v
}

// View returns the view that was published last, or nil if none was. Any goroutine may
// call it, and never waits. The caller gives the view back with Release, or leaves it to
// the garbage collector.
func (t *Tree) View() *Frozen {
	for {
		v := t.newest.Load()
		if v == nil {
			return nil
		}
		if v.hold() {
			if v == t.newest.Load() {
				return v
			}
			v.Release() // it was made anew before hold, and is not yet published
		}
	}
}

// Release gives a view back. Each caller of Tree.View may call it once.
func (v *Frozen) Release() {
	if v.drop() {
		v.pool.put(v)
	}
}

// Moment returns the moment of the view, to ask a later view, or the tree, what changed
// since.
func (v *Frozen) Moment() Moment { return v.moment }
