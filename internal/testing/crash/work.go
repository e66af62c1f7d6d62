package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// journal is a model that several workers update, and a receiver of their events.
type journal struct {
	mu    sync.Mutex
	m     *model
	tell  func(event) error // may be nil
	large int               // least size in bytes of a stone that is a file
}

// event is news for the model of another process.
type event struct {
	Settled *model
	Begun   *op
	Ended   *outcome
}

// begin returns after the call is recorded.
func (j *journal) begin(o op) (op, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o.Seq = j.m.Seq + 1
	j.m.begin(o)
	if j.tell == nil {
		return o, nil
	}
	return o, j.tell(event{Begun: &o})
}

func (j *journal) end(out outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.m.end(out)
	if j.tell == nil {
		return nil
	}
	return j.tell(event{Ended: &out})
}

// worker changes worlds whose names start with its number, one call at a time.
type worker struct {
	number int
	st     history.Store
	j      *journal
	rng    *rand.Rand
	open   map[string]*world.World
}

const (
	maxWorlds = 3 // of a worker, roughly
	leaseTime = 24 * time.Hour
)

// work makes the calls of several workers at the same time. Each makes steps calls.
func work(ctx context.Context, st history.Store, j *journal, seed uint64, workers, steps int) error {
	var all sync.WaitGroup
	errs := make([]error, workers)
	for i := range workers {
		w := &worker{i, st, j, rand.New(rand.NewPCG(seed, uint64(i))), make(map[string]*world.World)}
		all.Go(func() { errs[i] = errors.Join(w.run(ctx, steps), w.close()) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (w *worker) run(ctx context.Context, steps int) error {
	for range steps {
		o, err := w.j.begin(w.choose())
		if err != nil {
			return err
		}
		out, err := w.do(ctx, o)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.World, err)
		}
		if err := w.j.end(out); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) close() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(w.open)) {
		errs = append(errs, w.forget(name))
	}
	return errors.Join(errs...)
}

// forget closes a world.
func (w *worker) forget(name string) error {
	opened := w.open[name]
	delete(w.open, name)
	if opened == nil {
		return nil
	}
	return opened.Close()
}

// own returns the names that belong to the worker.
func own[V any](w *worker, all map[string]V) (out []string) {
	for name := range all {
		if strings.HasPrefix(name, fmt.Sprintf("%d-", w.number)) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (w *worker) pick(names []string) string { return names[w.rng.IntN(len(names))] }

// choose returns a possible call.
func (w *worker) choose() op {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	worlds, graves := own(w, w.j.m.Worlds), own(w, w.j.m.Graves)
	o := op{Worker: w.number}
	fresh := fmt.Sprintf("%d-%d", w.number, w.j.m.Seq+1)
	if len(worlds) == 0 {
		o.Kind, o.World = create, fresh
		return o
	}
	o.World = w.pick(worlds)
	log := w.j.m.Worlds[o.World]
	dice := w.rng.IntN(100)
	switch {
	case dice < 5 && len(worlds) < maxWorlds:
		o.Kind, o.World = create, fresh
	case dice < 10 && len(worlds) < maxWorlds && w.j.m.Crowd > 0:
		o.Kind, o.World, o.To = fork, crowdName(w.rng.IntN(w.j.m.Crowd)), fresh
		log = []version{w.j.m.Template}
	case dice < 10 && len(worlds) < maxWorlds && len(log) > 0:
		o.Kind, o.To = fork, fresh
	case dice < 20 && len(log) > 0:
		o.Kind = restore
	case dice < 25:
		o.Kind = pack
	case dice < 33 && (w.j.m.Crowd == 0 || w.number == 0): // it looks at the crowd too
		o.Kind, o.World, o.Keep, o.Bury = collect, "", 1+w.rng.IntN(6), w.rng.IntN(2) == 0
	case dice < 35:
		o.Kind = remove
	case dice < 36 && (w.j.m.Crowd == 0 || w.number == 0):
		o.Kind = purge
	case dice < 40 && len(graves) > 0:
		o.Kind, o.World = undelete, w.pick(graves)
	case dice < 43:
		o.Kind, o.To = rename, fresh
	case dice < 47 && w.j.m.Holds[o.World].Leased:
		o.Kind = release
	case dice < 47:
		o.Kind = lease
	case dice < 52 && len(log) > 0:
		o.Kind = load
	default:
		w.chooseSave(&o, log)
	}
	if o.Kind == fork || o.Kind == restore || o.Kind == load {
		v := log[w.rng.IntN(len(log))]
		o.At, o.Content = v.ID, v.Content
	}
	return o
}

func (w *worker) chooseSave(o *op, log []version) {
	o.Kind = save
	if len(log) > 0 {
		o.Content = log[len(log)-1].Content
	}
	old := o.Content
	o.Content = old.next(w.rng, w.j.large)
	if last := len(old.Files) - 1; o.Content.Files[last] != old.Files[last] && o.Content.Files[last].Size > 0 {
		o.Kind = saveFile
	}
}

// do makes a call.
func (w *worker) do(ctx context.Context, o op) (outcome, error) {
	out := outcome{Worker: w.number}
	fence := w.hold(o.World).under()
	var err error
	switch o.Kind {
	case create:
		err = w.st.Create(ctx, o.World)
	case remove:
		err = errors.Join(w.forget(o.World), w.st.Delete(ctx, o.World, fence))
	case purge:
		err = w.forget(o.World)
		if err == nil {
			_, err = w.st.Purge(ctx, o.World, fence)
		}
	case undelete:
		err = w.st.Undelete(ctx, o.World)
		out.Refused = errors.Is(err, history.ErrNoWorld) && w.loose(o)
	case rename:
		err = errors.Join(w.forget(o.World), w.st.Rename(ctx, o.World, o.To, fence))
	case fork:
		err = w.st.Fork(ctx, o.World, o.At, o.To)
		out.Refused = errors.Is(err, history.ErrNoCommit) && w.loose(o)
	case collect:
		_, err = w.st.Collect(ctx, o.policy())
	case lease:
		err = w.forget(o.World)
		if err == nil {
			_, err = w.st.Lease(ctx, o.World, "crash", leaseTime)
		}
	case release:
		err = errors.Join(w.forget(o.World), w.st.Release(ctx, o.World, fence))
	case load:
		err = checkVersion(ctx, w.st, o.World, version{ID: o.At, Content: o.Content})
		out.Refused = errors.Is(err, history.ErrNoCommit) && w.loose(o)
	default:
		var opened *world.World
		if opened, err = w.at(ctx, o.World); err == nil {
			out, err = w.change(ctx, opened, o)
		}
	}
	if out.Refused {
		err = nil
	} else if err == nil {
		err = out.look(ctx, w.st, o)
	}
	return out, err
}

func (o op) policy() history.Policy {
	p := history.Policy{Grace: -1, Keep: history.Retention{Newest: o.Keep, Hourly: -1, Daily: -1, Monthly: -1}}
	if o.Bury {
		p.Deleted = -1
	}
	return p
}

// change makes a call on an open world.
func (w *worker) change(ctx context.Context, opened *world.World, o op) (outcome, error) {
	out := outcome{Worker: w.number}
	var (
		c   history.Commit
		err error
	)
	switch o.Kind {
	case pack:
		err = opened.Pack(ctx)
	case restore:
		c, err = opened.Restore(ctx, o.At, o.message())
		out.Refused = errors.Is(err, history.ErrNoCommit) && w.loose(o)
	default:
		var old content
		w.j.mu.Lock()
		if log := w.j.m.Worlds[o.World]; len(log) > 0 {
			old = log[len(log)-1].Content
		}
		w.j.mu.Unlock()
		if _, err = opened.Update(func(tx *world.Tx) error { return o.Content.write(tx, old) }); err == nil {
			c, err = opened.Commit(ctx, o.message())
		}
	}
	if err == nil && o.Kind != pack {
		out.ID = c.ID()
	}
	return out, err
}

// at returns an open world. Sometimes it opens it anew.
func (w *worker) at(ctx context.Context, name string) (*world.World, error) {
	if w.rng.IntN(8) == 0 {
		if err := w.forget(name); err != nil {
			return nil, err
		}
	}
	if w.open[name] == nil {
		opened, err := world.Open(ctx, w.st, name, world.Options{Whole: true, Parallel: 1, Author: "crash", Fence: w.hold(name).under()})
		if err != nil {
			return nil, err
		}
		w.open[name] = opened
	}
	return w.open[name], nil
}

func (w *worker) hold(name string) hold {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	return w.j.m.Holds[name]
}

// loose reports whether a collect may have removed what a call needs.
func (w *worker) loose(o op) bool {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	if o.Kind == undelete {
		return w.j.m.Graves[o.World].Loose
	}
	return slices.ContainsFunc(w.j.m.Worlds[o.World], func(v version) bool { return v.ID == o.At && v.Loose })
}
