package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// island is what a client knows of a world of its own. The world may also hold one of
// the versions in maybe, whose saves had no answer: a save may take effect later, but
// not after another on the same parent.
type island struct {
	last  version
	older []history.ID // before last, newest first
	maybe []version    // their ID is not known; Content.Note tells them apart
}

const (
	maxOlder = 14 // a collection keeps so many
	maxOpen  = 20 // worlds of a client at a time
	hopeless = 2 * time.Minute
)

// advance makes v the newest version.
func (is *island) advance(v version) {
	is.older = append([]history.ID{is.last.ID}, is.older[:min(len(is.older), maxOlder-1)]...)
	is.last, is.maybe = v, nil
}

// settle compares the head of a world with what is known, and makes it the newest.
func (is *island) settle(head history.Commit) error {
	if head.ID() == is.last.ID {
		return nil
	}
	if head.Parent == is.last.ID {
		for _, v := range is.maybe {
			if head.Message == message(v) {
				v.ID = head.ID()
				is.advance(v)
				return nil
			}
		}
	}
	if i := slices.Index(is.older, head.ID()); i >= 0 {
		return fmt.Errorf("lost: %d acknowledged saves, the head is %v: want %v", i+1, head.ID(), is.last.ID)
	}
	return fmt.Errorf("lost: the head is %v on %v with %q: want %v or one of %d on it", head.ID(), head.Parent, head.Message, is.last.ID, len(is.maybe))
}

func message(v version) string { return fmt.Sprintf("%x", v.Content.Note) }

// compare compares everything that is known with a world.
func (is *island) compare(ctx context.Context, st history.Store, name string) error {
	log, err := st.Log(ctx, name, history.ID{}, 2+len(is.older)) // settle may add one
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(log) == 0 {
		return fmt.Errorf("lost: %s: no commits", name)
	}
	if err := is.settle(log[0]); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, c := range log[1:] {
		if i >= len(is.older) {
			break
		}
		if c.ID() != is.older[i] {
			return fmt.Errorf("lost: %s: commit %v is %d below the head: want %v", name, c.ID(), i+1, is.older[i])
		}
	}
	if len(log)-1 < min(len(is.older), maxOlder) {
		return fmt.Errorf("lost: %s: the log has %d commits: want %d", name, len(log), 1+len(is.older))
	}
	if err := checkVersion(ctx, st, name, is.last); err != nil {
		return fmt.Errorf("lost: %s: %w", name, err)
	}
	return nil
}

// player is a client.
type player struct {
	*fleet
	number, step int // its worlds are number, number+step, ...
	st           history.Store
	rng          *rand.Rand
	islands      map[int]*island // those that it saved
	open         map[int]*world.World
}

func (f *fleet) player(ctx context.Context, number, step int) (*player, error) {
	st, err := client.Open(ctx, f.cluster.URL(), client.Options{Token: f.cluster.Token})
	return &player{fleet: f, number: number, step: step, st: st, rng: rand.New(rand.NewPCG(f.seed, uint64(number+1))),
		islands: make(map[int]*island), open: make(map[int]*world.World)}, err
}

// run saves and loads until all is over. Then it waits for the result of its last
// call.
func (p *player) run(ctx context.Context, over *atomic.Bool) error {
	next := time.Now()
	for !over.Load() && ctx.Err() == nil {
		if p.rate > 0 {
			next = next.Add(time.Duration(float64(p.step) / p.rate * float64(time.Second)))
			if early := time.Until(next); early > 0 {
				time.Sleep(early)
			} else {
				next = time.Now() // it does not make up for a wait
			}
		}
		i := p.number + p.rng.IntN((p.worlds-p.number+p.step-1)/p.step)*p.step
		save := len(p.open) > 0 && p.rng.IntN(sourceSaves+sourceLoads) < sourceSaves
		if save {
			i = p.anyOpen()
		}
		var err error
		if save {
			err = p.save(ctx, i)
		} else {
			err = p.load(ctx, i)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("client %d: %s: %w", p.number, p.name(i), err)
		}
	}
	return nil
}

func (p *player) anyOpen() int {
	keys := make([]int, 0, len(p.open))
	for i := range p.open {
		keys = append(keys, i)
	}
	slices.Sort(keys)
	return keys[p.rng.IntN(len(keys))]
}

func (p *player) island(i int) *island {
	if is := p.islands[i]; is != nil {
		return is
	}
	return &island{last: p.proto}
}

// load opens a world and compares it. It closes another if many are open.
func (p *player) load(ctx context.Context, i int) error {
	if len(p.open) >= maxOpen {
		if err := p.forget(p.anyOpen()); err != nil {
			return err
		}
	}
	if err := p.forget(i); err != nil {
		return err
	}
	began := time.Now()
	w, err := p.reopen(ctx, i)
	if err != nil {
		return err
	}
	if took := time.Since(began); p.stats.loads.add(took, p.since()) && took > time.Second {
		p.say("a load took %.1f s, the longest so far", took.Seconds())
	}
	p.open[i] = w
	return p.settle(ctx, i, w)
}

// reopen opens a world, as often as it takes.
func (p *player) reopen(ctx context.Context, i int) (w *world.World, err error) {
	err = p.insist(ctx, "load", func(ctx context.Context) error {
		w, err = world.Open(ctx, p.st, p.name(i), world.Options{Whole: true, Parallel: 1, Author: "crash"})
		return err
	})
	return w, err
}

// settle compares an open world with what is known.
func (p *player) settle(ctx context.Context, i int, w *world.World) error {
	is := p.island(i)
	if w.Head() != is.last.ID {
		var log []history.Commit
		err := p.insist(ctx, "log", func(ctx context.Context) (err error) {
			log, err = w.Log(ctx, 1)
			return err
		})
		if err != nil {
			return err
		}
		if err := is.settle(log[0]); err != nil {
			return err
		}
	}
	if err := is.last.Content.check(w); err != nil {
		return fmt.Errorf("lost: %w", err)
	}
	return nil
}

// save changes an open world and commits it. It looks what became of a commit that
// failed.
func (p *player) save(ctx context.Context, i int) error {
	w, is := p.open[i], p.island(i)
	p.islands[i] = is
	v := version{Content: is.last.Content.next(p.rng, 24<<10)}
	if p.rng.IntN(2) == 0 {
		v.Content.Files[1] = file{p.rng.Uint64(), 4<<10 + p.rng.IntN(24<<10)}
	}
	if _, err := w.Update(func(tx *world.Tx) error { return v.Content.write(tx, is.last.Content) }); err != nil {
		return err
	}
	began := time.Now()
	c, err := w.Commit(ctx, message(v))
	p.stats.saves.add(time.Since(began), p.since())
	if err == nil {
		v.ID = c.ID()
		is.advance(v)
		return nil
	}
	if err := p.bear("save", err); err != nil && !errors.Is(err, history.ErrConflict) {
		return err
	}
	alone := len(is.maybe) == 0
	is.maybe = append(is.maybe, v)
	if again := p.load(ctx, i); again != nil || !alone || !errors.Is(err, history.ErrConflict) {
		return again
	}
	return fmt.Errorf("a conflict without another save: %w", err)
}

// insist repeats a call that fails because something is away.
func (p *player) insist(ctx context.Context, what string, call func(context.Context) error) error {
	for began := time.Now(); ; {
		err := call(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if err := p.bear(what, err); err != nil {
			return err
		}
		if time.Since(began) > hopeless {
			return fmt.Errorf("nothing for %v: %w", hopeless, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(10+p.rng.IntN(90)) * time.Millisecond):
		}
	}
}

// bear counts an error that says that something is away. It returns others.
func (p *player) bear(what string, err error) error {
	var corrupt *stone.CorruptError
	for _, bad := range []error{history.ErrNoWorld, history.ErrNoCommit, history.ErrExists, history.ErrConflict, history.ErrFenced,
		history.ErrLeased, history.ErrGone} {
		if errors.Is(err, bad) {
			return err
		}
	}
	if errors.As(err, &corrupt) {
		return err
	}
	code, ok := wire.CodeOf(err)
	if !ok {
		code = "no answer"
	}
	p.stats.fault(what + ": " + string(code))
	return nil
}

func (p *player) forget(i int) error {
	w := p.open[i]
	delete(p.open, i)
	if w == nil {
		return nil
	}
	return w.Close()
}

func (p *player) close() error {
	var errs []error
	for i := range p.open {
		errs = append(errs, p.open[i].Close())
	}
	return errors.Join(errors.Join(errs...), p.st.Close())
}

func (f *fleet) since() time.Duration { return time.Since(f.began) }
