package limits

import (
	"context"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// Queue limits how many calls do something that takes much time or memory at a time. A
// bounded number of calls waits; the rest is refused. Callers take turns, so that who has
// many calls waiting holds up its own alone. A caller with a token neither has all slots or
// all memory, nor all places to wait, so that others need not wait for what takes long.
type Queue struct {
	slots  int
	memory int64 // bytes
	most   int   // largest number that waits

	mu    sync.Mutex // guards what follows
	used  share
	by    map[Caller]share
	waits int
	turns map[Caller][]*turn // who waits, each in the order in which they came
	order []Caller           // of those who wait; the first is next
}

var errQueue = busy("too many calls read or write worlds at this moment")

func busy(why string) error { return &wire.Error{Code: wire.Busy, Message: why} }

// share is what calls under way take of a queue.
type share struct {
	slots  int
	memory int64
}

// turn is a call that waits.
type turn struct {
	need  int64
	ready chan struct{} // closed when it has its slot
}

// NewQueue returns a Queue of so many calls at a time, which take so much memory together.
func NewQueue(slots, most int, memory int64) *Queue {
	return &Queue{slots: slots, most: most, memory: memory, by: make(map[Caller]share), turns: make(map[Caller][]*turn)}
}

// Enter waits for a slot and for bytes of memory; the caller calls leave to give them back.
// who is zero for callers without tokens, who share all of it.
func (q *Queue) Enter(ctx context.Context, who Caller, need int64) (leave func(), err error) {
	leave = func() { q.leave(who, need) }
	q.mu.Lock()
	mine := len(q.turns[who])
	if mine == 0 && q.fits(who, need) {
		q.take(who, need)
		q.mu.Unlock()
		return leave, nil
	}
	if q.waits >= q.most || who != (Caller{}) && mine >= max(1, q.most/2) {
		q.mu.Unlock()
		return nil, errQueue
	}
	t := &turn{need, make(chan struct{})}
	if q.waits++; mine == 0 {
		q.order = append(q.order, who)
	}
	q.turns[who] = append(q.turns[who], t)
	q.mu.Unlock()
	select {
	case <-t.ready:
		return leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.turns[who], t)
	if i >= 0 {
		q.remove(who, i)
		q.next() // what it needed was more than the next one needs, perhaps
	}
	q.mu.Unlock()
	if i < 0 { // it had its slot at the same moment
		leave()
	}
	return nil, ctx.Err()
}

// remove takes one out of those who wait. If others of its caller wait, they come after
// those of all other callers.
func (q *Queue) remove(who Caller, i int) {
	q.waits--
	q.order = slices.DeleteFunc(q.order, func(h Caller) bool { return h == who })
	if q.turns[who] = slices.Delete(q.turns[who], i, i+1); len(q.turns[who]) > 0 {
		q.order = append(q.order, who)
	} else {
		delete(q.turns, who)
	}
}

// fits reports whether a call may begin now.
func (q *Queue) fits(who Caller, need int64) bool {
	slots, memory := q.slots, q.memory
	if who != (Caller{}) {
		slots, memory = max(1, slots-max(1, slots/4)), memory/2
	}
	mine := q.by[who]
	return q.used.slots < q.slots && q.used.memory+need <= q.memory && mine.slots < slots && mine.memory+need <= memory
}

func (q *Queue) take(who Caller, need int64) {
	mine := q.by[who]
	q.by[who] = share{mine.slots + 1, mine.memory + need}
	q.used = share{q.used.slots + 1, q.used.memory + need}
}

// leave gives back what a call took.
func (q *Queue) leave(who Caller, need int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	mine := q.by[who]
	if mine.slots == 1 {
		delete(q.by, who)
	} else {
		q.by[who] = share{mine.slots - 1, mine.memory - need}
	}
	q.used = share{q.used.slots - 1, q.used.memory - need}
	q.next()
}

// next gives slots to those who wait.
func (q *Queue) next() {
	for {
		i := slices.IndexFunc(q.order, func(who Caller) bool { return q.fits(who, q.turns[who][0].need) })
		if i < 0 {
			return
		}
		who := q.order[i]
		t := q.turns[who][0]
		q.remove(who, 0)
		q.take(who, t.need)
		close(t.ready)
	}
}
