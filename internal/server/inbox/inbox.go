// Package inbox keeps what programs saved under a world's name until a commit is made of it: first
// the bytes are durable, then the program has its answer, and later the world has a version.
//
// The bytes are in the same Store, as files of the stones of a hidden world, NAME/.inbox: each Put is
// a commit of it. When the world has its version, one more commit without stones empties the inbox,
// unless something came meanwhile. So a crash at any moment leaves the bytes, or the version, or both,
// and a version that is made twice is made once: the second time nothing differs. Collections drop
// all versions of an inbox but the newest.
package inbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Item is bytes under a key, or says that there are none under it any more.
type Item struct {
	Key  string
	Data []byte
	Gone bool
}

// Make makes the newest version of a world of what waits for it.
type Make func(ctx context.Context, w *Waiting) (history.Commit, error)

// Options of an Inbox. Make is needed.
type Options struct {
	Make Make
	// Delay is how long something waits before a version is made of it, unless somebody asks for the
	// world. Default 8 seconds: a version is made within 10.
	Delay time.Duration
	// At is how many versions are made at a time. Default 1: it is work that can wait.
	At int
	// Log receives what no version can be made of. Default none.
	Log *slog.Logger
}

// Inbox is that of all worlds of a Store. All methods are safe for any number of goroutines.
type Inbox struct {
	st     history.Store
	o      Options
	shared bool // other processes save too
	seed   maphash.Seed
	// locks are held by a Put, and while an inbox is emptied: one for the worlds of some hashes.
	locks [256]sync.Mutex

	mu      sync.Mutex // guards what follows
	worlds  map[string]*state
	scanned bool // worlds has all in which something waited when the process began
	saved   []func(name string, number uint64)
	stats   Stats
}

// state is what is known of a world for which something waits, or may.
type state struct {
	came   time.Time     // of the first of what a version is due; zero if none is
	since  time.Time     // came, or the last try
	at     history.ID    // the version of the inbox that the last Put here made; zero if that is not known
	making chan struct{} // closed when the call that makes a version has ended
	kept   history.ID    // the version of the inbox of which none could be made
}

// Stats count what an Inbox did.
type Stats struct {
	Waiting int           // worlds for which something waits
	Kept    int           // of these, those of which no version can be made
	Oldest  time.Duration // how long the oldest of the others waits
	Saves   int64
	Made    int64 // versions
	Failed  int64 // tries to make one
}

// New returns the Inbox of a Store. Run makes it work.
func New(st history.Store, o Options) *Inbox {
	o.Delay, o.At = cmp.Or(o.Delay, 8*time.Second), cmp.Or(o.At, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	_, shared := st.(history.Shared)
	return &Inbox{st: st, o: o, shared: shared, seed: maphash.MakeSeed(), worlds: map[string]*state{}}
}

// OnSave calls f after each version that is made, with the world and the number.
func (b *Inbox) OnSave(f func(name string, number uint64)) { b.saved = append(b.saved, f) }

// Stats returns the counts.
func (b *Inbox) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	for _, w := range b.worlds {
		if s.Waiting++; w.kept != (history.ID{}) {
			s.Kept++
		}
		if !w.came.IsZero() {
			s.Oldest = max(s.Oldest, time.Since(w.came))
		}
	}
	return s
}

func (b *Inbox) lock(world string) *sync.Mutex {
	return &b.locks[maphash.String(b.seed, world)%uint64(len(b.locks))]
}

// Save is what Put stores.
type Save struct {
	World  string
	Author string
	Whole  bool   // nothing that waits counts any more
	Items  []Item // they are kept as they are: what programs save is compressed already
	// Mine reports whether the caller saves under a lease. Without it nobody does.
	Mine func(history.Lease) bool
}

// Put stores what is saved through st, which may be that of a token. It is durable when Put returns. The error is
// history.ErrLeased while another has the world.
func (b *Inbox) Put(ctx context.Context, st history.Store, s Save) (history.ID, error) {
	made, err := stoneOf(s.World, s.Items)
	if err != nil {
		return history.ID{}, err
	}
	lock := b.lock(s.World)
	lock.Lock()
	defer lock.Unlock()
	switch l, err := b.st.Leased(ctx, s.World); {
	case errors.Is(err, history.ErrNoWorld):
	case err != nil:
		return history.ID{}, err
	case !l.Until.IsZero() && (s.Mine == nil || !s.Mine(l)):
		return history.ID{}, fmt.Errorf("inbox: %q: %w", s.World, history.ErrLeased)
	}
	name := record.InboxName(s.World)
	for {
		head, err := st.Head(ctx, name)
		if errors.Is(err, history.ErrNoWorld) {
			// The inbox counts for no limit of worlds, so it is made through the Store itself.
			if err = b.st.Create(ctx, name); errors.Is(err, history.ErrExists) {
				err = nil
			}
			head = history.Head{}
		}
		if err != nil {
			return history.ID{}, err
		}
		c := history.Commit{Parent: head.Commit, Author: s.Author, Stones: []history.StoneRef{made.Ref()}}
		if !s.Whole {
			c.Base = head.Commit
		}
		c, err = st.Commit(ctx, name, history.Head{Commit: head.Commit}, c, made)
		if errors.Is(err, history.ErrConflict) && ctx.Err() == nil {
			continue // another server
		}
		if err != nil {
			return history.ID{}, err
		}
		b.came(s.World, c.ID())
		return c.ID(), nil
	}
}

// came notes that something waits for a world.
func (b *Inbox) came(world string, at history.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Saves++
	w := b.worlds[world]
	if w == nil {
		w = new(state)
		b.worlds[world] = w
	}
	w.at = at
	if w.kept = (history.ID{}); w.came.IsZero() {
		w.came = time.Now()
		w.since = w.came
	}
}

const aroundFiles = 1 << 10 // more than a stone has mostly besides its files

// stoneOf returns the stone that has items as its files. It names the world: a store has equal stones wait for one another.
func stoneOf(world string, items []Item) (history.Stone, error) {
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
	var out bytes.Buffer
	size := aroundFiles
	for _, it := range items {
		size += len(it.Data)
	}
	out.Grow(size)
	w := stone.NewWriter(&out, stone.Options{Effort: stone.Quick, Plain: true})
	if err := w.Property("world", world); err != nil {
		return history.Stone{}, fmt.Errorf("inbox: %w", err)
	}
	for i, it := range items {
		var err error
		switch {
		case i+1 < len(items) && items[i+1].Key == it.Key: // the last one counts
		case it.Gone:
			err = w.NoFile(it.Key)
		default:
			err = w.File(it.Key, int64(len(it.Data)), bytes.NewReader(it.Data))
		}
		if err != nil {
			return history.Stone{}, fmt.Errorf("inbox: %w", err)
		}
	}
	id, _, err := w.Close()
	return history.Stone{ID: id, Data: out.Bytes()}, err
}

// Waiting is what waits for a world at one moment. The caller closes it.
type Waiting struct {
	World  string
	At     history.ID // the version of the inbox
	Author string
	layers []*stone.Reader
	opened []io.Closer
}

// Open returns what waits for a world, nil if nothing does.
func (b *Inbox) Open(ctx context.Context, world string) (*Waiting, error) {
	for {
		w, err := b.open(ctx, world)
		if !errors.Is(err, history.ErrGone) { // it was collected, so there is a newer one
			return w, err
		}
	}
}

func (b *Inbox) open(ctx context.Context, world string) (*Waiting, error) {
	name := record.InboxName(world)
	head, err := b.st.Head(ctx, name)
	if errors.Is(err, history.ErrNoWorld) || err == nil && head.Commit == (history.ID{}) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := &Waiting{World: world, At: head.Commit}
	layers, err := b.st.Stack(ctx, name, head.Commit)
	if err != nil || len(layers) == 0 {
		return nil, err
	}
	log, err := b.st.Log(ctx, name, head.Commit, 1)
	if err == nil && len(log) > 0 {
		w.Author = log[0].Author
	}
	for _, l := range layers {
		var o *history.Opened
		if err == nil {
			o, err = b.st.Open(ctx, name, l.Stone.ID)
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.layers, w.opened = append(w.layers, o.Reader), append(w.opened, o)
	}
	return w, nil
}

// Close gives the stones back.
func (w *Waiting) Close() error {
	if w == nil {
		return nil
	}
	var err error
	for _, o := range w.opened {
		err = errors.Join(err, o.Close())
	}
	return err
}

// Keys returns the keys of what waits, and those of which nothing is there any more, in ascending order.
func (w *Waiting) Keys() []string {
	var all []string
	for _, l := range w.layers {
		for path := range l.FileEntries() {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Read returns the bytes under a key. ok is false if nothing is there.
func (w *Waiting) Read(ctx context.Context, key string) (data []byte, ok bool, err error) {
	r, err := stone.OpenStackFile(ctx, w.layers, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	data, err = io.ReadAll(r)
	return data, true, errors.Join(err, r.Close())
}

// At returns the version of the inbox of a world, zero if nothing waits.
func (b *Inbox) At(ctx context.Context, world string) (history.ID, error) {
	if at, known := b.known(world); known {
		return at, nil
	}
	log, err := b.st.Log(ctx, record.InboxName(world), history.ID{}, 1)
	if errors.Is(err, history.ErrNoWorld) || err == nil && (len(log) == 0 || len(log[0].Stones) == 0) {
		return history.ID{}, nil
	}
	if err != nil {
		return history.ID{}, err
	}
	return log[0].ID(), nil
}

// known returns At from memory. ok is false if the store must be asked.
func (b *Inbox) known(world string) (at history.ID, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.worlds[world]
	switch {
	case b.shared || !b.scanned:
		return at, false
	case s == nil:
		return at, true
	}
	return s.at, s.at != (history.ID{})
}

// Discard deletes what waits for a world. It can be brought back as any deleted world.
func (b *Inbox) Discard(ctx context.Context, world string) error {
	lock := b.lock(world)
	lock.Lock()
	defer lock.Unlock()
	at, err := b.At(ctx, world)
	if err != nil || at == (history.ID{}) {
		return err
	}
	if err = b.st.Delete(ctx, record.InboxName(world), 0); errors.Is(err, history.ErrNoWorld) {
		err = nil
	}
	if err == nil {
		b.drop(world)
	}
	return err
}
