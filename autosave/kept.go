package autosave

import (
	"container/heap"
	"time"

	"github.com/cairnvoxel/cairn/world"
)

// Kept is an open world of a Fleet. Its methods may be called from any goroutine and
// wait for nothing.
type Kept struct {
	p     *policy
	w     target
	name  string
	order int // of opening

	// All below is guarded by the policy's lock.
	place   int       // in the queue
	due     time.Time // as of which it is in the queue
	last    time.Time // when it was opened, found clean, saved, or not saved
	leave   time.Time // when it is to be closed; zero: not
	closing bool      // Close was called
	again   bool      // it was changed since the save after which it was to be closed
	gone    bool      // it is not the policy's any more
	cells   int       // changed since the last save began, or failed
	saving  int       // cells that the save under way holds
	fails   int       // saves that failed since one did not
	save    *save     // under way, or nil
}

// World returns the world. It must be closed by the Fleet alone.
func (k *Kept) World() *world.World { return k.w.(*world.World) }

// Players says how many players the world has now. Options.Idle after there are
// none it is saved and closed, unless one comes before. Until the first call it
// stays open. False says that the world is not the Fleet's any more: it was closed,
// is about to be, or was lost; Fleet.Open opens it again.
func (k *Kept) Players(n int) bool {
	return k.event(func() {
		switch {
		case k.closing:
		case n > 0:
			k.leave, k.again = time.Time{}, false
		case k.leave.IsZero():
			k.leave = k.p.now.Add(k.p.o.Idle)
		}
	})
}

// Changed says that so many more cells were changed; what else was changed may be
// counted as cells. False is as for Players.
func (k *Kept) Changed(cells int) bool {
	return k.event(func() { k.cells += max(cells, 0) })
}

// Close asks for the world to be saved and closed without delay, whatever players
// come: an Event says when that is done. False is as for Players.
func (k *Kept) Close() bool {
	return k.event(func() {
		if !k.closing {
			k.closing, k.leave, k.again = true, k.p.now, false
		}
	})
}

// drop takes the world from the policy unsaved. It is for worlds that cannot be
// saved, as after history.ErrConflict and history.ErrFenced. A save under way goes on,
// and its name can be opened again when that is done.
func (k *Kept) drop() {
	k.event(func() {
		k.gone = true
		if k.save == nil {
			delete(k.p.worlds, k.name)
			heap.Remove(&k.p.queue, k.place)
		}
	})
}

// adopt takes back a world that was to be closed and was changed once more.
func (p *policy) adopt(k *Kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.gone, k.again = false, true
	p.worlds[k.name] = k
	p.schedule(k)
}

// busy returns what is closed when the save under way is done, nil if there is
// none.
func (k *Kept) busy() <-chan struct{} {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	if k.save == nil {
		return nil
	}
	return k.save.done
}

// event runs f under the lock and puts the world where it belongs then. It
// reports whether the world was the policy's.
func (k *Kept) event(f func()) bool {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	if k.gone {
		return false
	}
	f()
	if !k.gone && k.save == nil {
		k.p.reschedule(k)
	}
	return true
}

// next returns when the world is due.
func (k *Kept) next() time.Time {
	if k.fails > 0 {
		return k.last.Add(k.p.o.retry(k.fails))
	}
	at := k.last.Add(k.p.o.wait(k.cells))
	leave := k.leave
	if k.again {
		leave = k.last.Add(k.p.o.Soonest)
	}
	if !k.leave.IsZero() && leave.Before(at) {
		return leave
	}
	return at
}

// restless reports whether a world that is due would be saved again so soon only
// because it is to be closed and changes on and on.
func (k *Kept) restless() bool {
	return k.fails == 0 && !k.leave.IsZero() && k.leave.Before(k.last) &&
		k.last.Add(k.p.o.Soonest).After(k.p.now)
}

// clean notes that a world of the queue has nothing to be saved, and reports
// whether it is to be closed, and gone.
func (k *Kept) clean() bool {
	k.cells, k.fails, k.last, k.again = 0, 0, k.p.now, false
	if !k.leave.IsZero() && !k.leave.After(k.p.now) {
		k.gone = true
		delete(k.p.worlds, k.name)
		heap.Remove(&k.p.queue, k.place)
		return true
	}
	k.p.reschedule(k)
	return false
}

// schedule puts a world without a save under way into the queue.
func (p *policy) schedule(k *Kept) {
	k.due = k.next()
	heap.Push(&p.queue, k)
}

// reschedule puts a world of the queue where it belongs now.
func (p *policy) reschedule(k *Kept) {
	k.due = k.next()
	heap.Fix(&p.queue, k.place)
}

// queue is a heap of worlds, the one that is due first on top.
type queue []*Kept

// Len is for heap.Interface.
func (q queue) Len() int { return len(q) }

// Less is for heap.Interface.
func (q queue) Less(i, j int) bool {
	if c := q[i].due.Compare(q[j].due); c != 0 {
		return c < 0
	}
	return q[i].order < q[j].order
}

// Swap is for heap.Interface.
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	k := x.(*Kept)
	k.place = len(*q)
	*q = append(*q, k)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	k := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return k
}

// due returns how many worlds from i downwards in the heap are due.
func (q queue) due(i int, now time.Time) int {
	if i >= len(q) || q[i].due.After(now) {
		return 0
	}
	return 1 + q.due(2*i+1, now) + q.due(2*i+2, now)
}
