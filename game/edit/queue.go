package edit

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// Tick is the length of a tick of a Minecraft server. The default budget of a Step is 60
// percent of it.
const Tick = 50 * time.Millisecond

// Options of a Queue. The zero value is the default.
type Options struct {
	// Budget is the time that a Step may take if its caller gives none. Default 30 ms.
	Budget time.Duration
	// Sections bounds how many sections one Step changes. Default: no bound.
	Sections int
	// Chunks bounds how many chunks an operation has in memory ahead of its work: at least
	// one tower. Default 64.
	Chunks int
	// Clock returns the time. Default: time.Now.
	Clock func() time.Time
	// Go runs a function beside the game. Default: on a goroutine of its own.
	Go func(func())
	// Events is told what happens, on the goroutine that calls Step or Close, and as part of its
	// time. It must not call Step or Close. Default: nobody is told.
	Events func(Event)
}

// Queue holds operations and does them a little at a time. Any number of goroutines may use
// it.
type Queue struct {
	o       Options
	ctx     context.Context // ends with Close
	stop    context.CancelCauseFunc
	running sync.WaitGroup // calls beside the game
	work    work           // needs stepping

	stepping sync.Mutex // one Step
	section  mean       // of what a section takes; needs stepping
	publish  mean       // of what publishing a tower takes; needs stepping
	light    mean       // of what the light of a tower takes; needs stepping

	mu    sync.Mutex
	lines []*line // those of arenas with operations
	over  []*run  // canceled or failed, to be ended
	turn  uint64
}

// line is the operations of an arena: by falling priority, then by time of Add.
type line struct {
	arena   *Arena
	waiting []*run
	turn    uint64 // when the arena last had its turn
}

// New returns an empty Queue. The caller closes it.
func New(o Options) *Queue {
	if o.Budget <= 0 {
		o.Budget = Tick * 60 / 100
	}
	if o.Chunks <= 0 {
		o.Chunks = 64
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	q := &Queue{o: o}
	q.ctx, q.stop = context.WithCancelCause(context.Background())
	return q
}

// On is a Task on an arena.
type On struct {
	Arena *Arena
	Task  Task
}

// Add adds a Task. It runs after the operations of the same Arena that were added
// before it and have the same priority; those with a higher priority come first. In a Queue that
// is closed it is canceled at once.
func (q *Queue) Add(a *Arena, t Task, priority int) *Operation {
	return q.AddAll(priority, nil, On{a, t})
}

// AddAll adds Tasks that are one operation. then, which may be nil, is called beside the game when all of them
// have ended, with what they did and their first error; the operation ends when it has returned.
func (q *Queue) AddAll(priority int, then func(Progress, error) (history.Commit, error), all ...On) *Operation {
	o := &Operation{q: q, then: then, done: make(chan struct{}), left: len(all)}
	q.mu.Lock()
	closed := q.ctx.Err() != nil
	for _, on := range all {
		r := &run{Operation: o, arena: on.Arena, task: on.Task, priority: priority}
		r.ctx, r.cancel = context.WithCancelCause(q.ctx)
		o.runs = append(o.runs, r)
		if closed {
			r.err = ErrCanceled
		} else {
			q.insert(r)
		}
	}
	q.mu.Unlock()
	switch {
	case !closed && len(all) > 0:
	case then != nil:
		o.finishAll()
	default:
		close(o.done)
	}
	return o
}

// insert puts a run into the line of its arena. It needs mu.
func (q *Queue) insert(r *run) {
	i := slices.IndexFunc(q.lines, func(l *line) bool { return l.arena == r.arena })
	if i < 0 {
		i = len(q.lines)
		q.lines = append(q.lines, &line{arena: r.arena})
	}
	l := q.lines[i]
	at := sort.Search(len(l.waiting), func(i int) bool { return l.waiting[i].priority < r.priority })
	l.waiting = slices.Insert(l.waiting, at, r)
}

// Len returns how many Tasks have not ended.
func (q *Queue) Len() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		n += len(l.waiting)
	}
	return n
}

// Close cancels all operations, ends them, and waits until everything that they hold is
// released. It may be called again.
func (q *Queue) Close() {
	q.stop(ErrCanceled)
	q.stepping.Lock()
	defer q.stepping.Unlock()
	q.running.Wait() // what is read for operations
	q.mu.Lock()
	var left []*run
	for _, l := range q.lines {
		left = append(left, l.waiting...)
	}
	q.mu.Unlock()
	for _, f := range left {
		q.end(f)
	}
	q.running.Wait() // what they held
}

// Step works on operations until budget has passed since now, which is when the caller's
// tick began; a budget of 0 or less is Options.Budget. It ends between two sections, before one that
// would probably not fit. Also without any time left it does one piece of work, such as one section,
// so that operations always come to their end. It returns what it did.
func (q *Queue) Step(now time.Time, budget time.Duration) Work {
	q.stepping.Lock()
	defer q.stepping.Unlock()
	if budget <= 0 {
		budget = q.o.Budget
	}
	s := &step{q: q, deadline: now.Add(budget)}
	for first := true; ; first = false {
		if !first && !q.o.Clock().Before(s.deadline) {
			return s.Work // also beginnings and ends take time
		}
		f := q.next()
		if f == nil {
			return s.Work
		}
		if f.advance(s) {
			q.end(f)
		} else if s.full {
			return s.Work
		}
	}
}

// next returns the operation whose turn it is: of those that are first in their line and can go
// on, one of the highest priority, of the arena that had its turn least recently. Canceled
// operations come before all others, as soon as nothing is read for them any more.
func (q *Queue) next() *run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.IndexFunc(q.over, (*run).idle); i >= 0 {
		f := q.over[i]
		q.over = slices.Delete(q.over, i, i+1)
		return f
	}
	var best *run
	var from *line
	for _, l := range q.lines {
		f := l.waiting[0]
		better := best == nil || f.priority > best.priority || f.priority == best.priority && l.turn < from.turn
		if better && !f.paused && f.canGoOn() {
			best, from = f, l
		}
	}
	if best != nil {
		q.turn++
		from.turn = q.turn
	}
	return best
}

// end takes a run out of its line and completes it.
func (q *Queue) end(f *run) {
	q.mu.Lock()
	there := false
	if i := slices.IndexFunc(q.lines, func(l *line) bool { return l.arena == f.arena }); i >= 0 {
		l := q.lines[i]
		if at := slices.Index(l.waiting, f); at >= 0 {
			l.waiting, there = dropped(l.waiting, at), true
		}
		if len(l.waiting) == 0 {
			q.lines = slices.Delete(q.lines, i, i+1)
		}
	}
	q.mu.Unlock()
	if there {
		f.end()
	}
}

// dropped removes one operation: the first one, which is the usual one, without moving others.
func dropped(waiting []*run, at int) []*run {
	if at == 0 {
		waiting[0] = nil
		return waiting[1:]
	}
	return slices.Delete(waiting, at, at+1)
}

// cancel has an operation ended at one of the next Steps, for that reason, if it has not ended.
func (q *Queue) cancel(f *run, why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.ctx.Err() == nil {
		f.cancel(why)
		q.over = append(q.over, f)
	}
}

// Work is what a Step did.
type Work struct {
	Sections int // that were changed
	Chunks   int // that were completed
	Cells    int // that were changed
}

// step is a Step under way.
type step struct {
	Work
	q        *Queue
	deadline time.Time
	looked   bool // at a chunk or a column
	full     bool // nothing more fits
}

// look reports whether there is time to look at one more chunk or column. The first always
// fits.
func (s *step) look() bool {
	if s.looked && !s.q.o.Clock().Before(s.deadline) {
		s.full = true
	}
	s.looked = true
	return !s.full
}

// room reports whether a section, and what else is to come, fits into the rest of the
// budget. The first section always does.
func (s *step) room(more time.Duration) bool {
	switch o := &s.q.o; {
	case s.full:
	case o.Sections > 0 && s.Sections >= o.Sections:
		s.full = true
	case s.Sections == 0:
	case o.Clock().Add(s.q.section.likely() + more).After(s.deadline):
		s.full = true
	}
	return !s.full
}

// mean is a mean of times in which the last ones count most.
type mean time.Duration

func (m *mean) add(d time.Duration) { *m += (mean(d) - *m) / 8 }

// likely is a bound that most times stay below.
func (m mean) likely() time.Duration { return 2 * time.Duration(m) }
