package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
)

// Commit makes what changed since the last commit durable, as one stone and the
// new head, and returns the commit; the head's if nothing changed, which is the zero Commit in a
// world without any. Updates and
// reads go on beside it; commits of a world wait for each other. When it fails
// what it held is in the next one, also if it was made and the Store could not say
// so; after ErrConflict or ErrFenced the world belongs to someone else: open it
// again.
//
// First it has every Unwritten write, see also Moment. It fails with the error of one that cannot, and leaves
// everything to the next commit.
//
// With Options.Relight it computes the light of what changed first, but for what an Unwritten then
// changes. Where it cannot, that light stays marked stale; but where Options.Part is too little for
// it, the error is ErrPart, and there is no commit.
//
// Unless Options.Manual is set it packs the stack when it has become too high. A pack that takes more than some
// milliseconds is made beside what the world does next. Of a
// Store that packs its worlds itself it takes over that Store's packs. Errors of light
// and of packs leave the commit as it is: Upkeep counts them, and the next commit tries
// again.
func (w *World) Commit(ctx context.Context, message string) (history.Commit, error) {
	if err := w.enter(&w.saving); err != nil {
		return history.Commit{}, err
	}
	defer w.leave(&w.saving)
	lit := w.relight(ctx)
	if errors.Is(lit, ErrPart) { // who opens more of the world has the light as well
		return history.Commit{}, lit
	}
	w.count(&w.upkeep.Relights, lit)
	c, err := w.commit(ctx, message)
	if err == nil && !w.o.Manual {
		if beside, err := w.packHigh(ctx); !beside || err != nil {
			w.count(&w.upkeep.Packs, err)
		}
	}
	return c, err
}

// Upkeep counts the light and the packs of Commit that failed.
type Upkeep struct {
	Relights, Packs Failures
}

// Failures are how often something failed since it last worked, and how.
type Failures struct {
	Count int
	Last  error // nil if Count is 0
}

// Upkeep returns which work of Commit failed that a commit does not need.
func (w *World) Upkeep() Upkeep {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.upkeep
}

// count counts how work of a commit ended.
func (w *World) count(f *Failures, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.note(err)
}

func (f *Failures) note(err error) {
	if f.Last = err; err == nil {
		f.Count = 0
	} else {
		f.Count++
	}
}

func (w *World) commit(ctx context.Context, message string) (history.Commit, error) {
	if w.readOnly {
		return history.Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrReadOnly)
	}
	var s *state
	err := w.still(ctx, func() error {
		s = w.now.Load()
		if w.closed {
			return fmt.Errorf("world: %s: %w", w.name, ErrClosed)
		}
		if !w.dirty.empty() {
			w.saved, w.dirty = w.dirty, new(dirty)
		}
		return nil
	})
	switch {
	case err != nil:
		return history.Commit{}, err
	case w.saved == nil:
		return w.lastCommit(ctx)
	}

	packed := s.packed(w.saved) // first, because what is packed is written faster
	c, o, err := w.save(ctx, s.with(packed), message)
	w.mu.Lock()
	defer w.mu.Unlock()
	saved := w.saved
	w.saved = nil
	if err != nil {
		saved.add(w.dirty)
		w.dirty = saved
		return history.Commit{}, err
	}
	w.accept(c, o, saved)
	w.now.Store(w.now.Load().with(packed))
	return c, nil
}

// lastCommit returns the head's commit, the zero one if there is none.
func (w *World) lastCommit(ctx context.Context) (history.Commit, error) {
	w.mu.Lock()
	last, head := w.last, w.head.Commit
	w.mu.Unlock()
	if last.Number > 0 || head == (history.ID{}) {
		return last, nil
	}
	log, err := w.store.Log(ctx, w.name, head, 1)
	switch {
	case err != nil:
		return history.Commit{}, err
	case len(log) == 0:
		return history.Commit{}, fmt.Errorf("world: %s: head %v: %w", w.name, head, history.ErrNoCommit)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = log[0]
	return w.last, nil
}

// largeStone is from how many bytes on a commit's stone is read from the Store
// and not kept in memory.
const largeStone = 1 << 20

// save commits what is dirty of s as a stone on what the world stands on, if it
// can be read back, and returns it open.
func (w *World) save(ctx context.Context, s *state, message string) (history.Commit, *history.Opened, error) {
	content := s.content(w.saved)
	w.mu.Lock()
	height := len(w.stack)
	w.mu.Unlock()
	if height == 0 || height > stone.MaxLinks { // the lowest stone is read alone; a chain may be as long as the stack
		content.whole()
	}
	written, err := content.write(ctx)
	if err != nil {
		return history.Commit{}, nil, err
	}
	r, err := stone.Open(written.Open(), written.Size())
	if err != nil {
		return history.Commit{}, nil, fmt.Errorf("world: %s: what was written cannot be read: %w", w.name, err)
	}
	c := history.Commit{Base: w.base, Message: message, Stones: []history.StoneRef{written.Ref()}}
	if c, err = w.put(ctx, c, written); err != nil {
		return history.Commit{}, nil, err
	}
	r = r.Through(w.o.Cache, written.ID)
	if r.Size() >= largeStone {
		if o, err := w.store.Open(ctx, w.name, written.ID); err == nil {
			o.Reader = o.Through(w.o.Cache, written.ID)
			return c, o, nil
		}
	}
	return c, &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, nil
}

// put makes c the commit after the head. If the head is one that an earlier call
// made, though the Store could not say so, c comes after that: it has its own
// base. The caller holds w.saving.
func (w *World) put(ctx context.Context, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	for {
		w.mu.Lock()
		head := w.head
		w.mu.Unlock()
		c.Parent, c.Author, c.Time = head.Commit, w.o.Author, w.o.Time
		done, err := w.store.Commit(ctx, w.name, head, c, stones...)
		switch {
		case err == nil:
			w.tried = nil
			w.bumpFence(done)
			return done, nil
		case (errors.Is(err, history.ErrConflict) || errors.Is(err, history.ErrFenced)) && w.adoptUncertain(ctx):
			continue
		case !errors.Is(err, history.ErrConflict) && !errors.Is(err, history.ErrFenced) && !errors.Is(err, history.ErrLeased):
			w.tried = append(w.tried[max(0, len(w.tried)-maxTried):], c)
		}
		return history.Commit{}, err
	}
}

// maxTried is how many commits are kept of which it is not known whether they
// were made.
const maxTried = 16

// adoptUncertain reports whether the head is a commit of this world whose outcome was unknown. If so
// it becomes the world's head. The caller holds w.saving.
func (w *World) adoptUncertain(ctx context.Context) bool {
	if len(w.tried) == 0 {
		return false
	}
	log, err := w.store.Log(ctx, w.name, history.ID{}, 1)
	if err != nil || len(log) == 0 || !slices.ContainsFunc(w.tried, func(c history.Commit) bool { return isStored(log[0], c) }) {
		return false
	}
	w.tried = nil
	w.bumpFence(log[0])
	w.mu.Lock()
	defer w.mu.Unlock()
	w.head.Commit, w.last = log[0].ID(), log[0]
	return true
}

// bumpFence raises the fence after a commit that went back, as the Store does.
func (w *World) bumpFence(c history.Commit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.head.Fence; c.Base != c.Parent && f != 0 && f != history.Force {
		w.head.Fence++
	}
}

// isStored reports whether c is the stored form of the proposed commit.
func isStored(c, proposed history.Commit) bool {
	return c.Parent == proposed.Parent && c.Base == proposed.Base && c.Author == proposed.Author &&
		c.Message == proposed.Message && slices.Equal(c.Stones, proposed.Stones)
}

// accept makes c the head that the world knows, its stone the top of the stack.
// What it wrote is dropped where nothing keeps it in memory. The caller holds w.mu.
func (w *World) accept(c history.Commit, o *history.Opened, saved *dirty) {
	id, ref := c.ID(), c.Stones[0]
	b := w.stack.stone(ref.ID)
	if b == nil {
		b = newOpenStone(o)
		b.learn(w.now.Load())
	} else {
		o.Close() // it was only read
	}
	b.users.Add(1)
	w.stack = append(slices.Clip(w.stack), layer{history.Layer{Stone: ref, After: c.Base, Upto: id}, b})
	w.head.Commit, w.last, w.base = id, c, id
	w.dropSaved(saved)
}

// learn makes the tables of a stone whose names s has.
func (b *openStone) learn(s *state) {
	for _, d := range b.Dimensions() {
		for i := range d.Volumes {
			v := &d.Volumes[i]
			if v.Schema != voxel.Palette {
				continue
			}
			if _, table, _ := namesIn([]*state{s}, d.Name, v).translation(v.Names); table != nil {
				b.tables[volumeName{d.Name, v.Volume.Name}] = table
			}
		}
	}
	b.known = true
}
