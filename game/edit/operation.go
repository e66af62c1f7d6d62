package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// ErrCanceled is why a canceled operation ended.
var ErrCanceled = errors.New("edit: canceled")

// Operation is a Task in a Queue, or several that belong together. Any number of goroutines may use it.
type Operation struct {
	q      *Queue
	runs   []*run
	then   func(Progress, error) (history.Commit, error) // nil: nothing
	done   chan struct{}
	paused bool // needs q.mu

	mu     sync.Mutex
	left   int // runs that have not ended
	commit history.Commit
	err    error // of then
}

// run is a Task on its arena.
type run struct {
	*Operation
	arena    *Arena
	in       *Arena // arena with its dimension's name, and none without a dimension; set by prepare
	task     Task
	priority int
	ctx      context.Context
	cancel   context.CancelCauseFunc

	// Those that follow belong to Step.
	begun    bool
	plan     *plan
	started  int  // towers that are being fetched or were
	finished int  // towers that are done
	ahead    int  // chunks fetched and not done
	lit      bool // towers are planned whose light is to be computed
	replaced replaced
	names    map[string][]string // of the volumes of the dimension, when the plan was made

	mu       sync.Mutex
	waiting  int // calls beside the game that did not return
	planned  *plan
	fetched  map[*tower]bool
	progress Progress
	failures []Event
	err      error
}

// Progress is how far an operation is. Chunks are chunks of any volume, columns, and towers whose
// light is computed: these are known when the blocks are done.
type Progress struct {
	Chunks int // that the operation looks at; 0 until they are known
	Done   int // chunks that are done, failed ones included
	Failed int
	Cells  int // that were changed, without light
}

// State says how an operation is.
type State string

// The states of an operation.
const (
	Running  State = "running"
	Paused   State = "paused"
	Done     State = "done"
	Failed   State = "failed" // also if some chunks failed and the others were changed
	Canceled State = "canceled"
)

// Ended reports whether the operation has ended.
func (s State) Ended() bool { return s != Running && s != Paused }

// Status is how an operation is at a moment, or what it did.
type Status struct {
	State
	Progress
	Failures []Event        // the ChunkFailed events so far, at most the first 64 of each Task
	Commit   history.Commit // what was made when the operation ended
	Err      error          // why it failed
}

// Status returns how the operation is now.
func (o *Operation) Status() Status {
	s, err := o.status()
	if s.State == Failed {
		s.Err = err
	}
	return s
}

// status is Status without Err, and the error of an operation that was canceled or failed.
func (o *Operation) status() (s Status, err error) {
	o.q.mu.Lock()
	if s.State = Running; o.paused {
		s.State = Paused
	}
	o.q.mu.Unlock()
	ended := o.Ended()
	for _, r := range o.runs {
		r.mu.Lock()
		s.Progress.Chunks += r.progress.Chunks
		s.Progress.Done += r.progress.Done
		s.Progress.Failed += r.progress.Failed
		s.Cells += r.progress.Cells
		s.Failures = append(s.Failures, r.failures...)
		if ended && err == nil {
			err = r.err
		}
		r.mu.Unlock()
	}
	if !ended {
		return s, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s.Commit = o.commit
	switch {
	case err == nil && o.err == nil:
		s.State = Done
	case o.err == nil && (errors.Is(err, ErrCanceled) || errors.Is(err, context.Canceled)):
		s.State = Canceled
	default:
		s.State = Failed
	}
	return s, errors.Join(err, o.err)
}

// Done is closed when the operation has ended. From then on it reads nothing.
func (o *Operation) Done() <-chan struct{} { return o.done }

// Ended reports whether the operation has ended.
func (o *Operation) Ended() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// Wait returns what was done when the operation has ended, or ctx.Err(). The error wraps
// ErrCanceled if the operation was canceled, and the first error of a chunk if any failed; what was
// done by then stays done.
func (o *Operation) Wait(ctx context.Context) (Status, error) {
	select {
	case <-o.done:
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
	return o.status()
}

// Cancel ends the operation at the next Step, or when what is being read for it has come. What
// was done stays done; see Undo. It does nothing once the operation has ended.
func (o *Operation) Cancel() {
	for _, r := range o.runs {
		o.q.cancel(r, ErrCanceled)
	}
}

// Pause keeps the operation from going on until Resume; operations of the same arenas wait
// behind it.
func (o *Operation) Pause() { o.setPaused(true) }

// Resume undoes Pause.
func (o *Operation) Resume() { o.setPaused(false) }

func (o *Operation) setPaused(paused bool) {
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	o.paused = paused
}

// Undo returns the Task that takes back what this operation did in the dimension of its arena. It gives
// back cells that are still as the operation left them, and columns likewise. It fails if it
// begins before the operation has ended. An Operation keeps the chunks that it replaced.
func (o *Operation) Undo() Task { return undo{o} }

// maxFailures is how many failures of a Task are remembered.
const maxFailures = 64

// canGoOn reports whether a Step has something to do.
func (r *run) canGoOn() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.plan != nil && r.finished < len(r.plan.towers) && r.ctx.Err() == nil {
		return r.finished == r.started || r.fetched[r.plan.towers[r.finished]]
	}
	return r.waiting == 0
}

// idle reports whether nothing runs beside the game for the operation.
func (r *run) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting == 0
}

// beside runs a function beside the game.
func (r *run) beside(do func()) {
	r.mu.Lock()
	r.waiting++
	r.mu.Unlock()
	r.q.running.Add(1)
	r.q.o.Go(func() {
		defer r.q.running.Done()
		do()
		r.mu.Lock()
		r.waiting--
		r.mu.Unlock()
	})
}

// fail ends the operation with an error at one of the next Steps.
func (r *run) fail(err error) {
	if err != nil {
		r.q.cancel(r, err)
	}
}

// advance does one piece of work: it changes a tower or as much of it as fits, or plans what comes next. It reports whether the operation has ended.
func (r *run) advance(s *step) (ended bool) {
	if r.ctx.Err() != nil {
		return r.idle() // else it is ended when nothing runs for it any more
	}
	switch {
	case !r.begun:
		r.begun = true
		r.event(Event{Kind: Begun})
		r.beside(r.prepare)
	case r.plan == nil:
		r.mu.Lock()
		r.plan = r.planned
		r.mu.Unlock()
	case r.finished < r.started:
		switch t := r.plan.towers[r.finished]; {
		case t.err != nil:
			r.failRest(t, t.err)
		case t.dark != nil:
			r.light(s, t)
		case t.volume == world.Columns:
			r.changeColumns(s, t)
		default:
			r.changeChunks(s, t)
		}
		r.release()
		r.start()
	case r.started < len(r.plan.towers):
		r.start()
	case r.plan.more != nil:
		r.beside(r.planMore)
	case !r.lit:
		r.lit = true
		r.beside(r.planLight)
	case r.plan.last != nil:
		last := r.plan.last
		r.plan.last = nil
		r.beside(func() { r.planLast(last) })
	default:
		return true
	}
	return false
}

func (r *run) prepare() {
	in := *r.arena
	if d, err := in.dimension(); err == nil {
		in.Dimension = d.Name()
	}
	r.in = &in
	p, err := r.task.prepare(r.ctx, r.in)
	if err != nil {
		r.fail(err)
		return
	}
	r.names = make(map[string][]string)
	if d, err := in.dimension(); err == nil {
		for _, v := range d.Volumes() {
			r.names[v.Volume.Name] = v.Names()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = p
	r.fetched = make(map[*tower]bool)
	r.progress.Chunks += p.chunks
	r.expect(p.towers)
}

// knows reports whether the cells of a volume are those that the plan was made with: after a
// Restore that took the volume away they may be others.
func (r *run) knows(volume string, names []string) bool {
	had := r.names[volume]
	if len(had) > len(names) {
		return false
	}
	if len(had) > 0 && &had[0] != &names[0] {
		if !slices.Equal(had, names[:len(had)]) {
			return false
		}
		r.names[volume] = names[:len(had)]
	}
	return true
}

// planMore adds the next towers of the plan.
func (r *run) planMore() {
	towers := r.plan.more()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.towers = append(r.plan.towers, towers...)
	if len(towers) == 0 {
		r.plan.more = nil
	}
}

// expect counts chunks that are still to be done. It needs mu.
func (r *run) expect(towers []*tower) {
	for _, t := range towers {
		r.progress.Chunks += t.chunks()
	}
}

// start fetches towers as far as there is room for their chunks.
func (r *run) start() {
	for r.started < len(r.plan.towers) {
		t := r.plan.towers[r.started]
		if r.ahead > 0 && r.ahead+t.chunks() > r.q.o.Chunks {
			return
		}
		r.started++
		r.ahead += t.chunks()
		r.beside(func() { r.fetch(t) })
	}
}

// fetch brings into memory what a tower needs, and holds it there.
func (r *run) fetch(t *tower) {
	var volumes []string // all for light
	if t.dark == nil {
		volumes = append(volumes, t.volume)
	}
	if t.volume == voxel.Block {
		volumes = append(volumes, world.Columns)
	}
	held, err := r.in.World.Load(r.ctx, r.in.Dimension, t.box, volumes...)
	t.held = held
	for i := range t.parts {
		t.parts[i].cut()
	}
	if err == nil && r.plan.fetch != nil {
		err = r.plan.fetch(r.ctx, t)
	}
	t.err = err
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fetched[t] = true
}

// release lets go of what a tower holds that is done, beside the game.
func (r *run) release() {
	t := r.plan.towers[r.finished]
	if t.next < t.chunks() {
		return
	}
	r.finished++
	r.ahead -= t.chunks()
	r.mu.Lock()
	delete(r.fetched, t)
	r.mu.Unlock()
	if t.held != nil {
		r.beside(t.held.Release)
	}
	t.parts, t.columns = nil, nil
}

// failRest gives up what is left of a tower.
func (r *run) failRest(t *tower, err error) {
	for ; t.next < t.chunks(); t.next++ {
		r.count(t, t.next, 0, err)
	}
}

// count notes that a chunk or a column of a tower, or its light, is done.
func (r *run) count(t *tower, i, cells int, err error) {
	e := Event{Kind: ChunkDone, Volume: t.volume, Err: err}
	switch {
	case t.dark != nil:
		e.Chunk = t.dark[0]
	case t.volume == world.Columns:
		e.Column = t.columns[i].pos
	default:
		e.Chunk = t.parts[i].pos
	}
	r.mu.Lock()
	r.progress.Done++
	r.progress.Cells += cells
	if err != nil {
		e.Kind = ChunkFailed
		r.progress.Failed++
		if len(r.failures) < maxFailures {
			r.failures = append(r.failures, Event{e.Kind, r.arena, r.Operation, e.Volume, e.Chunk, e.Column, err})
		}
		if r.err == nil {
			r.err = fmt.Errorf("edit: %s: %s: %w", r.arena.World.Name(), e.Where(), err)
		}
	}
	r.mu.Unlock()
	r.event(e)
}

// Where names the chunk, column or tower of a ChunkDone or ChunkFailed.
func (e Event) Where() string {
	switch e.Volume {
	case world.Columns:
		return fmt.Sprintf("column %v", e.Column)
	case "":
		return fmt.Sprintf("light of the tower of chunk %v", e.Chunk)
	}
	return fmt.Sprintf("chunk %v of %s", e.Chunk, e.Volume)
}

func (r *run) event(e Event) {
	e.Arena, e.Operation = r.arena, r.Operation
	r.q.o.Events(e)
}

// planLight adds the towers whose light is to be computed.
func (r *run) planLight() {
	blocks, err := r.in.volume(voxel.Block)
	if err != nil || r.in.Light == nil {
		return // or the volume is gone, and with it its light
	}
	var parts []part
	for pos, all := range r.replaced.chunks[voxel.Block] {
		if slices.ContainsFunc(all, func(p pair) bool { return p.before != p.after }) {
			parts = append(parts, part{pos: pos})
		}
	}
	out := lightTowers(blocks.Volume, parts)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.towers = append(r.plan.towers, out...)
	r.expect(out)
}

// planLast adds what comes after the light.
func (r *run) planLast(last func() ([]*tower, error)) {
	towers, err := last()
	r.fail(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.towers = append(r.plan.towers, towers...)
	r.expect(towers)
}

// light has the light of a tower computed if that fits.
func (r *run) light(s *step, t *tower) {
	if !s.room(s.q.light.likely()) {
		return
	}
	start := r.q.o.Clock()
	err := r.in.Light.Relight(r.ctx, r.in, t.dark)
	s.q.light.add(r.q.o.Clock().Sub(start))
	s.Sections++
	t.next++
	r.count(t, 0, 0, err)
}

// end completes the run and lets go of what it holds, beside the game. Nothing else may run
// there for it.
func (r *run) end() {
	cause := context.Cause(r.ctx)
	r.cancel(nil)
	r.mu.Lock()
	if cause != nil {
		r.err = cause
	}
	err := r.err
	var held []*world.Held
	for t := range r.fetched {
		held = append(held, t.held)
	}
	planned := r.planned
	r.plan, r.planned, r.fetched = nil, nil, nil
	r.mu.Unlock()
	r.beside(func() {
		for _, h := range held {
			if h != nil {
				h.Release()
			}
		}
		if planned != nil && planned.close != nil {
			planned.close()
		}
	})
	r.event(Event{Kind: Ended, Err: err})
	o := r.Operation
	o.mu.Lock()
	o.left--
	last := o.left == 0
	o.mu.Unlock()
	switch {
	case last && o.then != nil:
		r.beside(o.finishAll)
	case last:
		close(o.done)
	}
}

// finishAll does what is to be done when all Tasks have ended.
func (o *Operation) finishAll() {
	var first error
	for _, r := range o.runs {
		if r.err != nil && first == nil {
			first = r.err
		}
	}
	c, err := o.then(o.Status().Progress, first)
	o.mu.Lock()
	o.commit, o.err = c, err
	o.mu.Unlock()
	close(o.done)
}
