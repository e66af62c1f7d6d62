package object

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// MoverOptions of Movers. The zero value is the default.
type MoverOptions struct {
	// Body returns the size of a new mover. Default: Person.
	Body func(list string, o *voxel.Object) Body
	// Object returns the object of a mover as a column is to hold it. It runs while no Tick does, and
	// must call neither the Movers nor the world. Default: SetPosition.
	Object func(m Mover) (voxel.Object, error)
	// Tree are options of the tree.
	Tree octree.Options
	// Beside are Movers of another dimension of the same world. A Write writes both at one moment, and
	// while one has a Tick the other has none, so an object that goes from one to the other is in each
	// commit once: see Tick.Beside.
	Beside *Movers
}

// Mover is an object that moves.
type Mover struct {
	ID   octree.ObjectID
	At   octree.Vec
	Body Body
	List string
	// Object is what the columns hold, or what Spawn was given. Its position is an old one.
	Object voxel.Object
}

// Movers are the objects of one dimension of an open world that move. They are in a tree. The
// columns of the world show them where they were when they were last written; Commit and Capture
// of the world write those that changed since, see Write. An Index shows what the columns show, so a
// game leaves the lists of its movers out of it.
//
// A mover belongs to its Movers, and its object in the column only marks it. If that object is not
// there any more when the mover is written, because an Update, a Restore or a paste replaced it,
// then the world is right: the mover is dropped and Lost names it. After World.Restore a game calls
// Tick.Clear and takes the objects anew, or Check.
//
// A Tick and an Update are two moments, and a Commit or a Capture may come between them: a mob that a Tick removes and
// its loot that an Update sets may both be missing from a commit. World.Moment makes one of both.
//
// Any number of goroutines may use Movers.
type Movers struct {
	*shared
	w     *world.World
	name  string // of the dimension
	o     MoverOptions
	dirty atomic.Bool
	// Of tests: during runs in the update of each Write, and after when that is done.
	during func() error
	after  func()

	// What is below needs mu.
	tree    *octree.Tree
	all     []*mover // by octree.ObjectID.Index; nil: none
	changed []*mover // what the columns do not show yet
	lost    []octree.ObjectID
	homes   map[geom.ColumnPos][]*mover // that columns have, also those that are released or removed
	flight  []*job                      // of a Write under way
	claims  map[claim]*listEdit         // of this Tick, until somebody leaves
	era     int                         // how often Clear was called
}

// shared is what Movers beside each other have in common.
type shared struct {
	writing sync.Mutex // one Write or Check; before mu
	mu      sync.RWMutex
	movers  []*Movers // needs mu
}

// mover is a Mover and what the columns know of it.
type mover struct {
	Mover
	fate    fate
	changed bool // is in Movers.changed
	busy    bool // a Write has it
	stored  bool // the column at home has Object in List, probably at ordinal
	home    geom.ColumnPos
	place   int // in Movers.homes
	ordinal int
}

// store notes whether a column has the object of p, and which.
func (m *Movers) store(p *mover, stored bool, home geom.ColumnPos) {
	if p.stored == stored && p.home == home {
		return
	}
	if p.stored {
		list := m.homes[p.home]
		last := list[len(list)-1]
		list[p.place], last.place = last, p.place
		list[len(list)-1] = nil
		if m.homes[p.home] = list[:len(list)-1]; len(list) == 1 {
			delete(m.homes, p.home)
		}
	}
	if p.stored, p.home = stored, home; stored {
		p.place = len(m.homes[home])
		m.homes[home] = append(m.homes[home], p)
	}
}

// claim names a list of a column at a moment.
type claim struct {
	listKey
	objects *voxel.Object
}

// claimed returns a list of a column with the movers that its objects belong to.
func (m *Movers) claimed(pos geom.ColumnPos, l *voxel.List) *listEdit {
	key := claim{listKey{pos, l.Name}, unsafe.SliceData(l.Objects)}
	if e := m.claims[key]; e != nil && len(e.was) == len(l.Objects) {
		return e
	}
	e := newListEdit(l.Objects)
	homes := m.homes[pos]
	jobs := make([]job, len(homes))
	for i, p := range homes {
		if jobs[i].mover = p; p.List == l.Name {
			e.take(&jobs[i], &p.Object, p.ordinal)
		}
	}
	for _, j := range m.flight { // its update may be done
		if j.fate != removed && j.to == pos && j.List == l.Name {
			e.take(j, &j.object, j.mover.ordinal)
		}
	}
	if m.claims == nil {
		m.claims = make(map[claim]*listEdit)
	}
	m.claims[key] = e
	return e
}

// fate is what becomes of a mover.
type fate uint8

const (
	stays    fate = iota
	released      // it is written a last time
	removed       // its object is removed
)

// NewMovers makes an empty set of movers, which the world writes before each commit. Close ends that.
func NewMovers(w *world.World, dimension string, o MoverOptions) (*Movers, error) {
	if o.Body == nil {
		o.Body = func(string, *voxel.Object) Body { return Person }
	}
	if o.Object == nil {
		o.Object = func(m Mover) (voxel.Object, error) { return SetPosition(m.Object, m.At) }
	}
	if w.View().Dimension(dimension) == nil {
		return nil, fmt.Errorf("object: movers: no dimension %q", dimension)
	}
	tree, err := octree.New(o.Tree)
	if err != nil {
		return nil, err
	}
	m := &Movers{shared: new(shared), w: w, name: dimension, o: o, tree: tree, homes: make(map[geom.ColumnPos][]*mover), during: func() error { return nil }, after: func() {}}
	if b := o.Beside; b != nil {
		if b.w != w {
			return nil, errors.New("object: movers beside those of another world")
		}
		m.shared = b.shared
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.movers = append(m.movers, m)
	w.AddUnwritten(m)
	return m, nil
}

// Close leaves the world alone from now on. What was not written is lost. It must not be called in a Tick.
func (m *Movers) Close() {
	m.w.RemoveUnwritten(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.movers = slices.DeleteFunc(m.movers, func(o *Movers) bool { return o == m })
}

// Dirty reports whether Write has something to write. It implements world.Unwritten.
func (m *Movers) Dirty() bool { return m.dirty.Load() }

// Reading reads movers. It is good until the function returns that got it.
type Reading struct{ m *Movers }

// Tick reads and changes movers. It is good until the function returns that got it.
type Tick struct{ Reading }

// Read calls f, beside other readers. f must not keep what it gets, nor call the Movers, nor change the world.
func (m *Movers) Read(f func(Reading)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	f(Reading{m})
}

// Tick calls f, which may change movers, and returns its error. What f changed stays also after an
// error. A Write sees all changes of f or none, so a game makes one Tick of a step. f must not
// change, commit or capture the world, which could wait for f.
func (m *Movers) Tick(f func(*Tick) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		for _, o := range m.movers {
			o.claims = nil
		}
	}()
	return f(&Tick{Reading{m}})
}

// Beside returns the Tick of other Movers, which share MoverOptions.Beside with these, and nil if they do not.
func (t *Tick) Beside(m *Movers) *Tick {
	if m.shared != t.m.shared {
		return nil
	}
	return &Tick{Reading{m}}
}

// Lost returns the movers that were dropped since it was last called, because their objects were
// no longer in the world.
func (m *Movers) Lost() []octree.ObjectID {
	m.mu.Lock()
	defer m.mu.Unlock()
	lost := m.lost
	m.lost = nil
	return lost
}

// Tree returns the boxes of the movers. It must not be changed.
func (r Reading) Tree() *octree.Tree { return r.m.tree }

// Get returns a mover, and whether it is there.
func (r Reading) Get(id octree.ObjectID) (Mover, bool) {
	if p := r.m.find(id); p != nil {
		return p.Mover, true
	}
	return Mover{}, false
}

func (m *Movers) find(id octree.ObjectID) *mover {
	if i := id.Index(); i < len(m.all) && m.all[i] != nil && m.all[i].ID == id {
		return m.all[i]
	}
	return nil
}

// touch notes that the columns do not show what became of p.
func (m *Movers) touch(p *mover) {
	if !p.changed {
		p.changed = true
		m.changed = append(m.changed, p)
		m.dirty.Store(true)
	}
}

// Take makes a mover of an object that is in a column, where it stays until a Write. If the object
// belongs to a mover, Take returns that.
func (t *Tick) Take(f Found) (octree.ObjectID, error) {
	if f.Object() == nil {
		return 0, fmt.Errorf("object: take object %d of column %v: it is not in memory", f.Ordinal, f.Column)
	}
	j := t.m.claimed(f.Column, f.List).taken[f.Ordinal]
	switch {
	case j == nil:
		return t.take(f)
	case t.m.find(j.ID) != j.mover:
		return 0, fmt.Errorf("object: take %d of %q in column %v: it is on its way out, until the next Write", f.Ordinal, f.List.Name, f.Column)
	}
	return j.ID, nil
}

func (t *Tick) take(f Found) (octree.ObjectID, error) {
	o := f.Object()
	at, ok := Position(o)
	if !ok {
		return 0, fmt.Errorf("object: take %d of %q in column %v: it has no position", f.Ordinal, f.List.Name, f.Column)
	}
	p := &mover{Mover: Mover{At: at, List: f.List.Name, Object: *o}, ordinal: f.Ordinal}
	id, err := t.add(p)
	if err == nil {
		t.m.store(p, true, f.Column)
		t.m.claimed(f.Column, f.List).taken[f.Ordinal] = &job{mover: p}
	}
	return id, err
}

// TakeAll takes the objects of a list that have a position, in the columns that touch box and are in
// memory, and returns how many. Objects that belong to movers stay with them.
func (t *Tick) TakeAll(list string, box geom.Box) (n int, err error) {
	d := t.m.w.View().Dimension(t.m.name)
	if d == nil {
		return 0, fmt.Errorf("object: take all of %q: the dimension %q is gone", list, t.m.name)
	}
	for pos, c := range d.Columns(box) {
		l := &voxel.List{Name: list, Objects: c.Objects(list)}
		if len(l.Objects) == 0 {
			continue
		}
		for i, j := range t.m.claimed(pos, l).taken {
			o := &l.Objects[i]
			if _, ok := Position(o); !ok || j != nil || o.Place == voxel.Nowhere {
				continue
			}
			if _, err := t.take(Found{Column: pos, List: l, Ordinal: i}); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// Spawn makes a mover that no column has yet. The next Write puts it into the column where it is then.
func (t *Tick) Spawn(list string, o voxel.Object, at octree.Vec) (octree.ObjectID, error) {
	o.At = geom.Point{}
	if err := check(list, o); err != nil {
		return 0, fmt.Errorf("object: spawn: %w", err)
	}
	p := &mover{Mover: Mover{At: at, List: list, Object: o}}
	id, err := t.add(p)
	if err == nil {
		t.m.touch(p)
	}
	return id, err
}

func (t *Tick) add(p *mover) (octree.ObjectID, error) {
	if _, err := cellAt(p.At); err != nil {
		return 0, err
	}
	p.Body = t.m.o.Body(p.List, &p.Object)
	id, err := t.m.tree.Insert(p.Body.At(p.At))
	if err != nil {
		return 0, err
	}
	p.ID = id
	if i := id.Index(); i < len(t.m.all) {
		t.m.all[i] = p
	} else {
		t.m.all = append(t.m.all, p)
	}
	return id, nil
}

// Move moves a mover. It copies no column. The error wraps fs.ErrNotExist if there is no such mover,
// and geom.ErrOutOfRange if no column can be at the position.
func (t *Tick) Move(id octree.ObjectID, at octree.Vec) error {
	const far = geom.MaxChunk * geom.ChunkEdge
	p := t.m.find(id)
	inside := -far <= at.X && at.X < far && -far <= at.Y && at.Y < far && -far <= at.Z && at.Z < far
	if p == nil || !inside {
		return t.fault("move", id, p, at)
	}
	if at == p.At {
		return nil
	}
	if err := t.m.tree.Move(id, p.Body.At(at)); err != nil {
		return err
	}
	p.At = at
	t.m.touch(p)
	return nil
}

func (t *Tick) fault(what string, id octree.ObjectID, p *mover, at octree.Vec) error {
	if p == nil {
		return fmt.Errorf("object: %s mover %v: no such mover: %w", what, id, fs.ErrNotExist)
	}
	_, err := cellAt(at)
	return err
}

// Touch says that MoverOptions.Object will return another object, though the mover stayed where it is.
func (t *Tick) Touch(id octree.ObjectID) error {
	p := t.m.find(id)
	if p == nil {
		return t.fault("touch", id, nil, octree.Vec{})
	}
	t.m.touch(p)
	return nil
}

// Remove removes a mover. The next Write removes its object from the world.
func (t *Tick) Remove(id octree.ObjectID) error { return t.leave("remove", id, removed) }

// Release ends a mover. The next Write leaves its object in the column where it is now, or as it was
// stored if MoverOptions.Object cannot make it. Until then it cannot be taken again.
func (t *Tick) Release(id octree.ObjectID) error { return t.leave("release", id, released) }

func (t *Tick) leave(what string, id octree.ObjectID, f fate) error {
	p := t.m.find(id)
	if p == nil {
		return t.fault(what, id, nil, octree.Vec{})
	}
	t.m.forget(p)
	p.fate, t.m.claims = f, nil
	switch {
	case f == removed && (p.stored || p.busy):
		t.m.touch(p)
	case f == released && !p.changed && !p.busy:
		t.m.store(p, false, p.home)
	}
	return nil
}

// forget takes a mover out of the tree.
func (m *Movers) forget(p *mover) {
	m.tree.Remove(p.ID)
	m.all[p.ID.Index()] = nil
}

// Clear ends all movers and writes nothing: the columns keep what they have. What was not
// written is lost.
func (t *Tick) Clear() {
	t.m.tree.Clear()
	clear(t.m.all)
	clear(t.m.homes)
	t.m.claims = nil
	for _, p := range t.m.changed {
		p.changed = false
	}
	t.m.changed, t.m.flight = nil, nil
	t.m.era++
	t.m.dirty.Store(false)
}
