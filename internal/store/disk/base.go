package disk

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// base is a Store below the rules. A change locks the world and the names that it is about,
// so what it reads stays until it is made.
type base struct{ s *Store }

var _ rules.Base = base{}

func (b base) Enter() (leave func(), err error) {
	if err := b.s.failure.get(); err != nil {
		return nil, err
	}
	return b.s.running.Enter()
}

func (b base) Now(context.Context) (time.Time, error) { return b.s.Now(), nil }

func (b base) Number() uint64 { return b.s.last.Add(1) }

func (b base) Ask(_ context.Context, what func(record.Reads) error) error {
	snap := b.s.db.NewSnapshot()
	defer snap.Close()
	return what(frozen(snap))
}

func (b base) Walk(ctx context.Context, what func(record.Reads) error) error {
	return b.Ask(ctx, what)
}

func (b base) AskAny(ctx context.Context, what func(record.Reads) error) error {
	err := what(b.s.live())
	if missed(err) {
		err = b.Ask(ctx, what)
	}
	return err
}

// missed reports whether a call that read the current records one after the other may have
// missed something, because a pack or a collection changed them meanwhile. A snapshot decides.
func missed(err error) bool {
	return errors.Is(err, history.ErrNoCommit) || errors.Is(err, history.ErrGone)
}

func (b base) Change(_ context.Context, about rules.Subject, what func(*rules.Proposal) error) error {
	s := b.s
	if about.Room > 0 {
		if err := s.room(about.Room); err != nil {
			return err
		}
	}
	c := change{s: s, hold: s.guard.hold(about.Uses...)}
	defer c.hold.release()
	if slices.ContainsFunc(about.Stones, func(st history.Stone) bool { return st.Size() >= int64(s.FileBytes) }) {
		if _, err := c.decide(what); err != nil { // so that large stones are not written in vain
			return err
		}
	}
	defer s.lockStones(about.Uses)()
	c.batch = s.db.NewBatch()
	if err := c.addStones(about.Stones); err != nil {
		return err
	}
	unlock, err := s.lockAbout(about)
	if err != nil {
		return err
	}
	defer unlock()
	d, err := c.decide(what)
	if err != nil {
		return err
	}
	return c.make(d, about.Lossy || s.lossy)
}

// change is a change that is being made.
type change struct {
	s     *Store
	hold  *hold
	batch *pebble.Batch
	added []added
}

// added is a stone that comes with a change.
type added struct {
	id    stone.ID
	in    record.Info
	fresh bool // the Store did not have it, so no commit can have named it
}

// decide calls what with the current records.
func (c *change) decide(what func(*rules.Proposal) error) (*rules.Proposal, error) {
	d, err := c.decideBy(c.s.live(), what)
	if missed(err) {
		snap := c.s.db.NewSnapshot()
		defer snap.Close()
		d, err = c.decideBy(frozen(snap), what)
	}
	return d, err
}

func (c *change) decideBy(r record.Reads, what func(*rules.Proposal) error) (*rules.Proposal, error) {
	d := &rules.Proposal{Now: c.s.Now(), Reads: r, Unconditional: r, Helper: c, Changes: make([]record.Change, 0, 8)}
	return d, what(d)
}

// make makes the change.
func (c *change) make(d *rules.Proposal, lossy bool) error {
	if len(d.Changes) == 0 {
		return nil
	}
	if err := add(c.batch, d.Changes...); err != nil {
		return err
	}
	o := durable()
	if lossy {
		o = pebble.NoSync
	}
	before := c.s.memory.Before(d.ID)
	if err := c.s.apply(c.batch, o); err != nil {
		c.s.memory.Changed(d.Changes, nil)
		return err
	}
	c.s.memory.Changed(d.Changes, func(ref history.StoneRef) uint64 { return c.find(ref.ID).in.Number })
	if d.ID == (history.ID{}) {
		return nil
	}
	for _, ref := range d.Commit.Stones {
		if a := c.find(ref.ID); a.fresh {
			c.s.memory.Saved(d.ID, d.Commit, a.in.Number, before)
		}
	}
	return nil
}

// find returns a stone that comes with the change, zero if it does not.
func (c *change) find(id stone.ID) added {
	for _, a := range c.added {
		if a.id == id {
			return a
		}
	}
	return added{}
}

func (c *change) Make(d *rules.Proposal, key, value []byte) error {
	c.hold.add(record.Thing(key)) // no look whether it is there
	d.Set(key, value)
	return nil
}

// Name returns what addStones knows; before that it knows only the size.
func (c *change) Name(_ *rules.Proposal, st history.Stone) (record.Info, error) {
	if a := c.find(st.ID); a.id == st.ID {
		return a.in, nil
	}
	return record.Info{Size: st.Size()}, nil
}

func (c *change) Reuse(*rules.Proposal, uint64, history.Archive, []record.Entry) (func(record.Thing), error) {
	return func(t record.Thing) { c.hold.add(t) }, nil
}

// lockAbout locks the world that a change is about, and the names. It returns the function to
// unlock them.
func (s *Store) lockAbout(about rules.Subject) (unlock func(), err error) {
	for {
		w, err := s.numberOf(about.World)
		if err != nil {
			return nil, err
		}
		unlock := func() {}
		if w > 0 {
			unlock = lockOne(s.worlds.of(w), about.Stays)
		}
		if len(about.Names) > 0 {
			world, names := unlock, s.lockNames(about.Names...)
			unlock = func() { names(); world() }
		}
		now, err := s.numberOf(about.World)
		if err == nil && now == w {
			return unlock, nil
		}
		unlock()
		if err != nil {
			return nil, err
		}
	}
}

func lockOne(l *sync.RWMutex, shared bool) (unlock func()) {
	if shared {
		l.RLock()
		return l.RUnlock
	}
	l.Lock()
	return l.Unlock
}

// numberOf returns the number of the world with a name, 0 if there is none.
func (s *Store) numberOf(name string) (uint64, error) {
	if name == "" {
		return 0, nil
	}
	w, err := s.live().World(name)
	if errors.Is(err, history.ErrNoWorld) {
		return 0, nil
	}
	return w, err
}

// lockNames locks names, and the records of the numbers that worlds had which lost them. It
// returns the function to unlock them.
func (s *Store) lockNames(names ...string) (unlock func()) {
	at := make([]uint64, 0, 2*len(names))
	for _, name := range names {
		at = append(at, maphash.String(s.seed, name), maphash.Bytes(s.seed, record.SpentKey(name)))
	}
	return s.names.lock(at)
}

// lockStones keeps other calls from adding the stones among things, which would leave bytes
// that no record names. It returns the function to unlock them.
func (s *Store) lockStones(things []record.Thing) (unlock func()) {
	at := make([]uint64, 0, len(things))
	for _, t := range things {
		if t.Kind() == record.Stones {
			at = append(at, be.Uint64(t[1:]))
		}
	}
	return s.stones.lock(at)
}

// addStones adds stones that are held and locked, unless they exist: large stones
// as files, others to the batch.
func (c *change) addStones(stones []history.Stone) error {
	for _, st := range stones {
		in, there, err := c.s.live().Info(st.ID)
		switch {
		case err != nil:
		case !there:
			in, err = c.s.addStone(c.batch, st)
		case in.Condemned:
			in.Condemned = false
			err = c.batch.Set(record.StoneKey(st.ID), in.Value(), nil)
		}
		if err != nil {
			return err
		}
		c.added = append(c.added, added{st.ID, in, !there})
	}
	return nil
}

func (s *Store) addStone(b *pebble.Batch, st history.Stone) (in record.Info, err error) {
	in.Size = st.Size()
	if in.File = in.Size >= int64(s.FileBytes); in.File {
		err = s.files.put(st)
	} else {
		in.Number = s.lastStone.Add(1)
		var data []byte
		if data, err = st.Bytes(); err == nil {
			err = b.Set(dataKey(st.ID, in), data, nil)
		}
	}
	return in, errors.Join(err, b.Set(record.StoneKey(st.ID), in.Value(), nil))
}
