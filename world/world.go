package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// What callers branch on besides the errors of a Store.
var (
	// ErrNotLoaded says that something had to be in memory and was not: Load it.
	ErrNotLoaded = errors.New("not loaded (Load brings a part of a world, Options.Whole all of it)")
	// ErrReadOnly says that an old version of a world cannot be changed.
	ErrReadOnly = errors.New("an old version is read-only: fork or restore it")
	// ErrClosed says that the world was closed.
	ErrClosed = errors.New("the world is closed")
	// ErrNested says that the function of an update called what waits for that update to end.
	ErrNested = errors.New("called in an update of the same world, for whose end it would wait")
)

// Everywhere is the box of all cells within range, for Load.
var Everywhere = geom.Root.Box()

// Options of a world. The zero value is the default.
type Options struct {
	Author string // of commits
	// Whole keeps everything in memory from opening to closing, also dimensions that come later.
	// Without it, what an update wrote is in memory until the next commit and no longer, unless
	// somebody holds it: an update that needs it fails with ErrNotLoaded after the commit, though it
	// worked before. Who is to change a part of a world holds it by Load, or takes UpdateContext.
	Whole bool
	// Empty names the cells of palettes that count as empty besides cell 0, for rays
	// and far levels. Default: the two other airs of Minecraft. A name that is new in
	// a world counts from the next opening on.
	Empty []string
	// Parallel is how many goroutines Load may decode with. Default 2.
	Parallel int
	// Relight has Commit compute the light of what updates changed, as far as a
	// dimension keeps light: see World.Relight.
	Relight bool
	// Manual leaves packing to the caller: Commit then never packs.
	Manual bool
	// Memory bounds the bytes of decoded pages that the world keeps for what is loaded next, if
	// there is no Cache. Default stone.CacheBytes. What is
	// held, or changed and not committed, comes on top.
	Memory int64
	// Cache keeps decoded pages. Worlds, forks and Snapshots that share one share pages of
	// the stones that they have in common. Default: one of Memory for each.
	Cache stone.PageCache
	// Time is the time of commits, for a program that makes versions of old states. See history.Commits.
	// Default: the store's clock.
	Time time.Time
	// Fence is the fence that commits are made under: 0 without a lease.
	Fence uint64
	// Part is how many chunks and columns the world may know of, for a world that is opened for one
	// change: it knows of those that lie where Load was asked for something, which costs what lies
	// there. Elsewhere its View says that nothing is. Load beyond that is ErrPart. Default: it knows of all.
	Part int
	// From is an open version of the world, whose stones Open need not open again. It stays the
	// caller's, who closes it after Open has returned.
	From *Snapshot
	// Steps is told how long opening and Load take. Default none.
	Steps history.Steps
}

func (o Options) withDefaults() Options {
	o.Empty = emptyNames(o.Empty)
	if o.Parallel <= 0 {
		o.Parallel = 2
	}
	if o.Cache == nil {
		o.Cache = stone.NewCache(cmp.Or(o.Memory, stone.CacheBytes))
	}
	return o
}

// emptyNames returns Options.Empty, or its default.
func emptyNames(names []string) []string {
	if names == nil {
		return []string{"minecraft:cave_air", "minecraft:void_air"}
	}
	return names
}

// World is an open world. Any number of goroutines may use it. View and what it returns,
// Update, Head, Fence, Name, Dirty and Held.Release touch memory only; all other methods may
// do I/O.
type World struct {
	store    history.Store
	name     string
	o        Options
	readOnly bool

	now     atomic.Pointer[state]
	saving  turn         // one Commit, Pack, Restore or Relight
	writer  turn         // one Update or Restore; after saving
	moments sync.RWMutex // Moment reads, who takes the world as it is writes; after saving, before writer
	moving  sync.RWMutex // Restore writes, the end of a Load reads; after writer

	lightModel relight.Model // under w.saving

	tried []history.Commit // that may have been made, the Store could not say; under w.saving

	mu             sync.Mutex     // guards what is below, and every change of now; after all others, and never kept over I/O
	head           history.Head   // its Fence is the one that commits are made under
	last           history.Commit // the head's, if its number is not 0
	era            int            // how often the world went back
	base           history.ID     // the commit that stack makes up: the head's, unless put found that it moved
	stack          openStack
	dirty          *dirty                      // what no commit holds
	saved          *dirty                      // what a commit under way holds
	pending        map[string]*relight.Pending // blocks without their light, by dimension
	pendingChanges uint64                      // how often that changed
	later          map[string]*relight.Pending // those of them since light is being computed; nil: it is not
	held           map[*Held]bool
	part           *part // nil: the world knows of all that there is
	unwritten      []Unwritten
	watchers       []*func(*Change)
	upkeep         Upkeep
	height         int         // of the stack when it was last asked for again; under w.saving
	beside         *besidePack // nil: none is under way
	closed         bool
}

// Create makes a world without anything in it and opens it.
func Create(ctx context.Context, st history.Store, name string, o Options) (*World, error) {
	if err := o.check(name); err != nil {
		return nil, err
	}
	if err := st.Create(ctx, name); err != nil {
		return nil, err
	}
	return Open(ctx, st, name, o)
}

// Open opens a world at its head. It reads the directories of stones only; Load brings
// parts into memory. The caller closes the world. The error is history.ErrFenced if
// Options.Fence is not the fence of the world.
func Open(ctx context.Context, st history.Store, name string, o Options) (*World, error) {
	if err := o.check(name); err != nil {
		return nil, err
	}
	m := measure(o.Steps)
	f, err := fetchStack(m.answered(ctx), st, name, history.ID{}, fetchRoom)
	if err != nil {
		return nil, err
	}
	m.fetched()
	if o.Fence != 0 && o.Fence != history.Force && o.Fence != f.Head.Fence {
		return nil, fmt.Errorf("world: %s: fence %d: %w", name, o.Fence, history.ErrFenced)
	}
	f.Head.Fence = o.Fence
	return open(ctx, st, name, f, o, m, false)
}

// check returns an error if no commit could be made with the options.
func (o Options) check(name string) error {
	if err := (history.Commit{Author: o.Author}).Check(); err != nil {
		return fmt.Errorf("world: %s: %w", name, err)
	}
	return nil
}

// OpenAt opens a world as a commit left it, for reading. The caller closes it.
func OpenAt(ctx context.Context, st history.Store, name string, at history.ID, o Options) (*World, error) {
	var f history.Fetched
	m := measure(o.Steps)
	if at != (history.ID{}) {
		var err error
		if f, err = fetchStack(m.answered(ctx), st, name, at, fetchRoom); err != nil {
			return nil, err
		}
		m.fetched()
	}
	return open(ctx, st, name, f, o, m, true)
}

func open(ctx context.Context, st history.Store, name string, f history.Fetched, o Options, m *meter, readOnly bool) (*World, error) {
	w := &World{store: st, name: name, o: o.withDefaults(), readOnly: readOnly, head: f.Head, base: f.Head.Commit,
		dirty: new(dirty), held: make(map[*Held]bool)}
	if err := w.read(ctx, f); err != nil {
		return nil, err
	}
	m.opened()
	if w.o.Whole {
		if err := w.loadAll(ctx, m); err != nil {
			return nil, errors.Join(err, w.Close())
		}
		m.loaded()
	}
	m.tell(name)
	return w, nil
}

// read opens a stack and makes the state that it says.
func (w *World) read(ctx context.Context, f history.Fetched) error {
	var have openStack
	var olds []*state
	if from := w.o.From; from != nil {
		have, olds, w.o.From = from.stack, []*state{from.about}, nil
	}
	p, err := openFetched(ctx, w.store, w.name, f, have, w.o.Cache)
	if err != nil {
		return err
	}
	index := p.index
	if w.o.Part > 0 {
		w.part = &part{left: w.o.Part, boxes: make(map[volumeName][]geom.Box)}
		index = p.describe
	}
	s, err := index(w.o.Empty, olds...)
	if err != nil {
		p.release()
		return err
	}
	w.stack = p
	w.now.Store(s)
	return nil
}

// maxReopen is how often a stack is asked for again when stones of it were
// collected in between.
const maxReopen = 5

// fetchRoom is up to how many bytes a stack's stones are asked for in one call.
const fetchRoom = 1 << 20

// openStack opens the stack of a commit, with the stones that are open.
func (w *World) openStack(ctx context.Context, at history.ID) (openStack, error) {
	have, err := w.moment()
	if err != nil || at == (history.ID{}) {
		have.release()
		return nil, err
	}
	defer have.release()
	room := int64(fetchRoom)
	if len(have.openStack) > 0 {
		room = 0
	}
	f, err := fetchStack(ctx, w.store, w.name, at, room)
	if err != nil {
		return nil, err
	}
	return openFetched(ctx, w.store, w.name, f, have.openStack, w.o.Cache)
}

// openFetched opens a stack, and if stones of it were collected meanwhile what it
// is now.
func openFetched(ctx context.Context, st history.Store, name string, f history.Fetched, have openStack, cache stone.PageCache) (openStack, error) {
	for try := 1; ; try++ {
		p, err := openLayers(ctx, st, name, f, have, cache)
		if err == nil || !errors.Is(err, history.ErrGone) || try == maxReopen {
			return p, err
		}
		if f, err = fetchStack(ctx, st, name, f.Head.Commit, fetchRoom); err != nil {
			return nil, err
		}
	}
}

// loadAll holds everything that is there now, and what will be.
func (w *World) loadAll(ctx context.Context, m *meter) error {
	for _, d := range w.View().Dimensions() {
		if _, err := w.load(ctx, m, d.Name(), Everywhere); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the world, after a pack that a commit left to be made; when the context of that commit has ended
// it ends the pack. Views can still be read. What was not committed is lost. A second
// Close does nothing; all other methods that do I/O or change the world return ErrClosed.
func (w *World) Close() error {
	_, err := w.close(false)
	return err
}

// CloseSaved is Close, but reports false and leaves the world open if something was
// changed that no commit holds. It reports true for a world that is closed.
func (w *World) CloseSaved() (closed bool, err error) { return w.close(true) }

func (w *World) close(saved bool) (closed bool, err error) {
	defer func() {
		if closed {
			w.endBeside()
		}
	}()
	if err := w.enter(&w.saving, &w.writer); err != nil {
		return false, err
	}
	defer w.leave(&w.saving, &w.writer)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return true, nil
	case saved && (!w.dirty.empty() || w.unwrittenDirty()):
		return false, nil
	}
	w.closed = true
	w.stack.release()
	w.stack = nil
	w.lightModel = relight.Model{}
	return true, nil
}

// Closed reports whether the world was closed.
func (w *World) Closed() bool { return w.live() != nil }

// Name returns the world's name.
func (w *World) Name() string { return w.name }

// View returns the world as it is now, with every update up to now.
func (w *World) View() *View { return &View{w.now.Load()} }

// Head returns the commit that the world was opened at, or the last one that it made.
func (w *World) Head() history.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head.Commit
}

// Fence returns the fence that the next commit is made under: Options.Fence, and
// one more for each commit under a number that went back.
func (w *World) Fence() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head.Fence
}

// Dirty reports whether something was changed that no commit holds.
func (w *World) Dirty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.dirty.empty() || w.saved != nil || w.unwrittenDirty()
}

// moment is a world as it is read from: the stack is held, and released by whoever
// asked for it.
type moment struct {
	openStack
	now *state
	era int
}

func (w *World) moment() (moment, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.locked()
}

// live returns an error if the world is closed.
func (w *World) live() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("world: %s: %w", w.name, ErrClosed)
	}
	return nil
}

// locked is moment for who has mu.
func (w *World) locked() (moment, error) {
	if w.closed {
		return moment{}, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
	}
	return moment{w.stack.hold(), w.now.Load(), w.era}, nil
}
