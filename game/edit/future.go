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

// Future is an operation in a Queue. Any number of goroutines may use it.
type Future struct {
	q        *Queue
	arena    *Arena
	in       *Arena // arena with its dimension's name, and none without a dimension; set by prepare
	op       Operation
	priority int
	ctx      context.Context
	cancel   context.CancelCauseFunc
	done     chan struct{}
	paused   bool // needs q.mu

	// Those that follow belong to Step.
	begun    bool
	plan     *plan
	started  int  // towers that are being fetched or were
	finished int  // towers that are done
	ahead    int  // chunks fetched and not done
	lit      bool // towers are planned whose light is to be computed
	last     bool // finish was started
	replaced replaced
	names    map[string][]string // of the volumes of the dimension, when the plan was made

	mu       sync.Mutex
	waiting  int // calls beside the game that did not return
	planned  *plan
	fetched  map[*tower]bool
	result   Result
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

// Result is what an operation did.
type Result struct {
	Progress
	// Commit is what a Save wrote.
	Commit history.Commit
}

// Progress returns how far the operation is.
func (f *Future) Progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress
}

// maxFailures is how many failures an operation remembers.
const maxFailures = 64

// Failures returns the ChunkFailed events so far, at most the first 64.
func (f *Future) Failures() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.failures)
}

// Done is closed when the operation has ended. From then on it reads nothing.
func (f *Future) Done() <-chan struct{} { return f.done }

// Ended reports whether the operation has ended.
func (f *Future) Ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Wait returns the result when the operation has ended, or ctx.Err(). The error wraps
// ErrCanceled if the operation was canceled, and the first error of a chunk if any failed; what was
// done by then stays done and is in the result.
func (f *Future) Wait(ctx context.Context) (Result, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.result, f.err
}

// Cancel ends the operation at the next Step, or when what is being read for it has come. What
// was done stays done; see Undo. It does nothing once the operation has ended.
func (f *Future) Cancel() { f.q.cancel(f, ErrCanceled) }

// Pause keeps the operation from going on until Resume; operations of the same arena wait
// behind it.
func (f *Future) Pause() { f.setPaused(true) }

// Resume undoes Pause.
func (f *Future) Resume() { f.setPaused(false) }

func (f *Future) setPaused(paused bool) {
	f.q.mu.Lock()
	defer f.q.mu.Unlock()
	f.paused = paused
}

// Undo returns the operation that takes back what this one did, in the same dimension. It gives
// back cells that are still as this operation left them, and columns likewise. It fails if it
// begins before this operation has ended. A Future keeps the chunks that it replaced.
func (f *Future) Undo() Operation { return undo{f} }

// canGoOn reports whether a Step has something to do.
func (f *Future) canGoOn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan != nil && f.finished < len(f.plan.towers) && f.ctx.Err() == nil {
		return f.finished == f.started || f.fetched[f.plan.towers[f.finished]]
	}
	return f.waiting == 0
}

// idle reports whether nothing runs beside the game for the operation.
func (f *Future) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting == 0
}

// beside runs a function beside the game.
func (f *Future) beside(do func()) {
	f.mu.Lock()
	f.waiting++
	f.mu.Unlock()
	f.q.running.Add(1)
	f.q.o.Go(func() {
		defer f.q.running.Done()
		do()
		f.mu.Lock()
		f.waiting--
		f.mu.Unlock()
	})
}

// fail ends the operation with an error at one of the next Steps.
func (f *Future) fail(err error) {
	if err != nil {
		f.q.cancel(f, err)
	}
}

// advance does one piece of work and reports whether the operation has ended.
func (f *Future) advance(s *step) (ended bool) {
	if f.ctx.Err() != nil {
		return f.idle() // else it is ended when nothing runs for it any more
	}
	switch {
	case !f.begun:
		f.begun = true
		f.event(Event{Kind: Begun})
		f.beside(f.prepare)
	case f.plan == nil:
		f.mu.Lock()
		f.plan = f.planned
		f.mu.Unlock()
	case f.finished < f.started:
		f.work(s, f.plan.towers[f.finished])
		f.start()
	case f.started < len(f.plan.towers):
		f.start()
	case f.plan.more != nil:
		f.beside(f.planMore)
	case !f.lit:
		f.lit = true
		f.beside(f.darken)
	case f.plan.last != nil:
		last := f.plan.last
		f.plan.last = nil
		f.beside(func() { f.planLast(last) })
	case !f.last && f.plan.finish != nil:
		f.last = true
		f.beside(f.finish)
	default:
		return true
	}
	return false
}

func (f *Future) prepare() {
	in := *f.arena
	if d, err := in.dimension(); err == nil {
		in.Dimension = d.Name()
	}
	f.in = &in
	p, err := f.op.prepare(f.ctx, f.in)
	if err != nil {
		f.fail(err)
		return
	}
	f.names = make(map[string][]string)
	if d, err := in.dimension(); err == nil {
		for _, v := range d.Volumes() {
			f.names[v.Volume.Name] = v.Names()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = p
	f.fetched = make(map[*tower]bool)
	f.progress.Chunks += p.chunks
	f.expect(p.towers)
}

// knows reports whether the cells of a volume are those that the plan was made with: after a
// Restore that took the volume away they may be others.
func (f *Future) knows(volume string, names []string) bool {
	had := f.names[volume]
	if len(had) > len(names) {
		return false
	}
	if len(had) > 0 && &had[0] != &names[0] {
		if !slices.Equal(had, names[:len(had)]) {
			return false
		}
		f.names[volume] = names[:len(had)]
	}
	return true
}

// planMore adds the next towers of the plan.
func (f *Future) planMore() {
	towers := f.plan.more()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.towers = append(f.plan.towers, towers...)
	if len(towers) == 0 {
		f.plan.more = nil
	}
}

// expect counts chunks that are still to be done. It needs mu.
func (f *Future) expect(towers []*tower) {
	for _, t := range towers {
		f.progress.Chunks += t.chunks()
	}
}

func (f *Future) finish() {
	r, err := f.plan.finish(f.ctx)
	f.mu.Lock()
	f.result.Commit = r.Commit
	f.mu.Unlock()
	f.fail(err)
}

// start fetches towers as far as there is room for their chunks.
func (f *Future) start() {
	for f.started < len(f.plan.towers) {
		t := f.plan.towers[f.started]
		if f.ahead > 0 && f.ahead+t.chunks() > f.q.o.Chunks {
			return
		}
		f.started++
		f.ahead += t.chunks()
		f.beside(func() { f.fetch(t) })
	}
}

// fetch brings into memory what a tower needs, and holds it there.
func (f *Future) fetch(t *tower) {
	var volumes []string // all for light
	if t.dark == nil {
		volumes = append(volumes, t.volume)
	}
	if t.volume == voxel.Block {
		volumes = append(volumes, world.Columns)
	}
	held, err := f.in.World.Load(f.ctx, f.in.Dimension, t.box, volumes...)
	t.held = held
	for i := range t.parts {
		t.parts[i].cut()
	}
	if err == nil && f.plan.fetch != nil {
		err = f.plan.fetch(f.ctx, t)
	}
	t.err = err
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fetched[t] = true
}

// work changes a tower, or as much of it as fits.
func (f *Future) work(s *step, t *tower) {
	switch {
	case t.err != nil:
		f.failRest(t, t.err)
	case t.dark != nil:
		f.light(s, t)
	case t.volume == world.Columns:
		f.changeColumns(s, t)
	default:
		f.changeChunks(s, t)
	}
	if t.next < t.chunks() {
		return
	}
	f.finished++
	f.ahead -= t.chunks()
	f.release(t)
}

// release lets go of what a tower holds, beside the game.
func (f *Future) release(t *tower) {
	f.mu.Lock()
	delete(f.fetched, t)
	f.mu.Unlock()
	if t.held != nil {
		f.beside(t.held.Release)
	}
	if t.volume == voxel.Block && f.in.Light != nil {
		t.lit = f.replaced.in(t)
	}
	t.parts, t.columns = nil, nil
}

// failRest gives up what is left of a tower.
func (f *Future) failRest(t *tower, err error) {
	for ; t.next < t.chunks(); t.next++ {
		f.count(t, t.next, 0, err)
	}
}

// count notes that a chunk or a column of a tower, or its light, is done.
func (f *Future) count(t *tower, i, cells int, err error) {
	e := Event{Kind: ChunkDone, Volume: t.volume, Err: err}
	switch {
	case t.dark != nil:
		e.Chunk = t.dark[0]
	case t.volume == world.Columns:
		e.Column = t.columns[i].pos
	default:
		e.Chunk = t.parts[i].pos
	}
	f.mu.Lock()
	f.progress.Done++
	f.progress.Cells += cells
	if err != nil {
		e.Kind = ChunkFailed
		f.progress.Failed++
		if len(f.failures) < maxFailures {
			f.failures = append(f.failures, Event{e.Kind, f.arena, f, e.Volume, e.Chunk, e.Column, err})
		}
		if f.err == nil {
			f.err = fmt.Errorf("edit: %s: %s: %w", f.arena.World.Name(), e.Where(), err)
		}
	}
	f.mu.Unlock()
	f.event(e)
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

func (f *Future) event(e Event) {
	e.Arena, e.Future = f.arena, f
	f.q.o.Events(e)
}

// darken adds the towers whose light is to be computed.
func (f *Future) darken() {
	var out []*tower
	for _, t := range f.plan.towers {
		if len(t.lit) > 0 {
			out = append(out, t.shadow(t.lit))
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.towers = append(f.plan.towers, out...)
	f.expect(out)
}

// planLast adds what comes after the light.
func (f *Future) planLast(last func() ([]*tower, error)) {
	towers, err := last()
	f.fail(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.towers = append(f.plan.towers, towers...)
	f.expect(towers)
}

// light has the light of a tower computed if that fits.
func (f *Future) light(s *step, t *tower) {
	if !s.room(s.q.light.likely()) {
		return
	}
	start := f.q.o.Clock()
	err := f.in.Light.Relight(f.ctx, f.in, t.dark)
	s.q.light.add(f.q.o.Clock().Sub(start))
	s.Sections++
	t.next++
	f.count(t, 0, 0, err)
}

// end completes the Future and lets go of what it holds, beside the game. Nothing else may run
// there for it.
func (f *Future) end() {
	cause := context.Cause(f.ctx)
	f.cancel(nil)
	f.mu.Lock()
	if cause != nil {
		f.err = cause
	}
	f.result.Progress = f.progress
	err := f.err
	var held []*world.Held
	for t := range f.fetched {
		held = append(held, t.held)
	}
	planned := f.planned
	f.plan, f.planned, f.fetched = nil, nil, nil
	f.mu.Unlock()
	f.beside(func() {
		for _, h := range held {
			if h != nil {
				h.Release()
			}
		}
		if planned != nil && planned.close != nil {
			planned.close()
		}
	})
	f.event(Event{Kind: Ended, Err: err})
	close(f.done)
}
