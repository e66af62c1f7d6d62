package autosave

import (
	"container/heap"
	"time"

	"github.com/cairnvoxel/cairn/world"
)

// Kept is an open world of a Fleet. Any goroutine may call its methods. They do not wait.
type Kept struct {
	p     *policy
	w     target
	name  string
	order int // of opening

	// The fields below are guarded by the policy's lock.
	place   int       // in the queue
	due     time.Time // its place in the queue is by this time
	last    time.Time // when it was opened, found clean, saved, or not saved
	leave   time.Time // when it is to be closed; zero: not
	closing bool      // Close was called
	again   bool      // it changed after the save before its close
	gone    bool      // the policy no longer has it
	cells   int       // changed since the last save began, or failed
	saving  int       // cells that the running save holds
	fails   int       // failed saves since the last good one
	save    *save     // the running save, or nil
}

// World returns the world. Only the Fleet may close it.
func (k *Kept) World() *world.World { return k.w.(*world.World) }

// Players sets how many players the world has now. The Fleet saves and closes the world when it
// had no players for Options.Idle. Until the first call the world stays open. Players returns
// false if the world no longer belongs to the Fleet: it was closed, is about to be closed, or
// was lost. Fleet.Open opens it again.
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

// Changed adds to the number of changed cells. Other changes may be counted as cells. Changed
// returns false when Players does.
func (k *Kept) Changed(cells int) bool {
	return k.event(func() { k.cells += max(cells, 0) })
}

// Close asks the Fleet to save and close the world now, whatever players come. A WorldEvent says
// when that is done. Close returns false when Players does.
func (k *Kept) Close() bool {
	return k.event(func() {
		if !k.closing {
			k.closing, k.leave, k.again = true, k.p.now, false
		}
	})
}

// drop removes the world from the policy without saving it. It is for worlds that cannot be
// saved, for example after history.ErrConflict and history.ErrFenced. A running save goes on,
// and the name can be opened again when it is done.
func (k *Kept) drop() {
	k.event(func() {
		k.gone = true
		if k.save == nil {
			delete(k.p.worlds, k.name)
			heap.Remove(&k.p.queue, k.place)
		}
	})
}

// adopt takes back a world that was to be closed and has changed again.
func (p *policy) adopt(k *Kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.gone, k.again = false, true
	p.worlds[k.name] = k
	p.schedule(k)
}

// busy returns a channel that is closed when the running save is done, or nil if none is
// running.
func (k *Kept) busy() <-chan struct{} {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	if k.save == nil {
		return nil
	}
	return k.save.done
}

// event calls f under the lock and then moves the world to its place in the queue. It reports
// whether the policy has the world.
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

// restless reports whether a due world would be saved again too soon, only because it is to be
// closed and keeps changing.
func (k *Kept) restless() bool {
	return k.fails == 0 && !k.leave.IsZero() && k.leave.Before(k.last) &&
		k.last.Add(k.p.o.Soonest).After(k.p.now)
}

// clean notes that a world in the queue has nothing to save. It reports whether the world is to
// be closed and now gone.
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

// schedule puts a world without a running save into the queue.
func (p *policy) schedule(k *Kept) {
	k.due = k.next()
	heap.Push(&p.queue, k)
}

// reschedule moves a world to its place in the queue.
func (p *policy) reschedule(k *Kept) {
	k.due = k.next()
	heap.Fix(&p.queue, k.place)
}

// queue is a heap of worlds. The world that is due first is on top.
type queue []*Kept

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if c := q[i].due.Compare(q[j].due); c != 0 {
		return c < 0
	}
	return q[i].order < q[j].order
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(x any) {
	k := x.(*Kept)
	k.place = len(*q)
	*q = append(*q, k)
}

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
