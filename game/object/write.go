package object

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Write brings what changed since the last Write into the columns, in one update: an object leaves the
// column where it was and comes to the end of its list where it is now. Objects that stay in their
// column keep their order. Columns that are not loaded are brought into memory for that. After an
// error the columns are as before, and the next Write has it all.
//
// A commit calls Write, so a commit has all movers at one moment or fails.
func (m *Movers) Write(ctx context.Context) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	flights, err := m.start()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(flights, func(f flight) bool { return len(f.jobs) > 0 }) {
		err = m.update(ctx, flights)
	}
	if err == nil {
		m.after()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range flights {
		f.m.finish(f.jobs, f.era, err)
	}
	return err
}

// flight is what a Write does for Movers.
type flight struct {
	m    *Movers
	jobs []*job
	era  int
}

// start takes what changed of Movers and those beside them.
func (m *Movers) start() ([]flight, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.movers
	if !slices.Contains(all, m) { // closed
		all = []*Movers{m}
	}
	var out []flight
	for _, o := range all {
		jobs, err := o.jobs()
		if err != nil {
			for _, f := range out {
				f.m.finish(f.jobs, f.era, err)
			}
			return nil, err
		}
		out = append(out, flight{o, jobs, o.era})
	}
	return out, nil
}

func (m *Movers) update(ctx context.Context, flights []flight) error {
	_, err := m.w.UpdateContext(ctx, func(tx *world.Tx) error {
		for _, f := range flights {
			if d := tx.Dimension(f.m.name); d != nil {
				write(d, f.jobs)
				continue
			}
			for _, j := range f.jobs { // the world went back to before the dimension was made
				j.lost = true
			}
		}
		return m.during()
	})
	return err
}

// job is what a Write does with a mover.
type job struct {
	*mover
	fate    fate
	object  voxel.Object // as it is to be stored
	to      geom.ColumnPos
	ordinal int
	lost    bool // the object is not where the mover was stored
}

// jobs takes what changed. It needs mu.
func (m *Movers) jobs() (jobs []*job, err error) {
	var left []*mover // released, and their objects stay as they are
	for _, p := range m.changed {
		j := &job{mover: p, fate: p.fate}
		if p.fate == removed {
			if p.stored {
				jobs = append(jobs, j)
			}
			continue
		}
		cell, err := cellAt(p.At)
		if err == nil {
			j.to = cell.Column()
			j.object, err = m.o.Object(p.Mover)
		}
		if err == nil {
			err = check(p.List, j.object)
		}
		if err != nil && p.fate == released {
			left = append(left, p)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("object: movers of %q: mover %v at %v: %w", m.name, p.ID, p.At, err)
		}
		jobs = append(jobs, j)
	}
	for _, p := range m.changed {
		p.changed = false
	}
	for _, p := range left {
		if !p.stored {
			m.lost = append(m.lost, p.ID)
		}
		m.store(p, false, p.home)
	}
	for _, j := range jobs {
		j.busy = true
	}
	m.changed, m.flight = nil, jobs
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs, nil
}

// check returns an error if no column can hold an object.
func check(list string, o voxel.Object) error {
	return column.Check(&voxel.Column{Lists: []voxel.List{{Name: list, Objects: []voxel.Object{o}}}})
}

// finish notes what the columns have now. It needs mu.
func (m *Movers) finish(jobs []*job, era int, err error) {
	if era != m.era { // Clear forgot them
		if err == nil {
			m.follow(jobs)
		}
		return
	}
	m.flight = nil
	for _, j := range jobs {
		p := j.mover
		p.busy = false
		switch {
		case err != nil:
			m.touch(p)
		case j.lost:
			m.store(p, false, p.home)
			if m.find(p.ID) == p {
				m.forget(p)
				m.lost = append(m.lost, p.ID)
			}
			p.fate = removed // also if it moved meanwhile
		case j.fate == removed:
			m.store(p, false, p.home)
		default:
			p.Object, p.ordinal = j.object, j.ordinal
			m.store(p, p.fate != released || p.changed, j.to)
		}
	}
	m.dirty.Store(len(m.changed) > 0)
}

// follow brings movers that were taken before a Write was done, and after a Clear, to what it made of their objects.
func (m *Movers) follow(jobs []*job) {
	for _, j := range jobs {
		if !j.stored || j.lost {
			continue
		}
		i := slices.IndexFunc(m.homes[j.home], func(p *mover) bool {
			return p.List == j.List && p.ordinal == j.mover.ordinal && same(&p.Object, &j.Object)
		})
		if i < 0 {
			continue
		}
		p := m.homes[j.home][i]
		p.Object, p.ordinal = j.object, j.ordinal
		m.store(p, j.fate != removed, j.to)
		m.touch(p)
		if j.fate == removed {
			m.forget(p)
			p.fate = removed
			m.lost = append(m.lost, p.ID)
		}
	}
}

// listKey names a list of a column.
type listKey struct {
	pos  geom.ColumnPos
	list string
}

func (a listKey) compare(b listKey) int {
	return cmp.Or(a.pos.Compare(b.pos), strings.Compare(a.list, b.list))
}

// listEdit is a list that is being changed.
type listEdit struct {
	was   []voxel.Object
	taken []*job // by ordinal: whose the object is
	more  []*job // what comes to the end
}

// write does the jobs. If a column is not loaded then tx fails, and what write did does not count.
func write(d *world.DimensionTx, jobs []*job) {
	edits := make(map[listKey]*listEdit)
	list := func(pos geom.ColumnPos, name string) *listEdit {
		key := listKey{pos, name}
		e := edits[key]
		if e == nil {
			e = newListEdit(d.Objects(name, pos))
			edits[key] = e
		}
		return e
	}
	for _, j := range jobs {
		j.lost = false
		if j.stored {
			e := list(j.home, j.List)
			if j.lost = !e.take(j, &j.Object, j.mover.ordinal); j.lost {
				continue
			}
		}
		if j.fate != removed && (!j.stored || j.to != j.home) {
			e := list(j.to, j.List)
			e.more = append(e.more, j)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(edits), listKey.compare) {
		objects, changed := edits[key].result(key.pos)
		switch {
		case !changed:
		case len(objects) > 0 && d.Column(key.pos) == nil:
			c := voxel.Column{Pos: key.pos, Lists: []voxel.List{{Name: key.list, Objects: objects}}}
			for _, j := range edits[key].more {
				if from := d.Column(j.home); j.stored && from != nil {
					c.Version, c.Layout = from.Version, from.Layout
				}
			}
			d.SetColumn(c)
		default:
			d.SetObjects(key.list, key.pos, objects)
		}
	}
}

func newListEdit(was []voxel.Object) *listEdit {
	return &listEdit{was: was, taken: make([]*job, len(was))}
}

// take finds an object for a job, as near as possible to a place where it may be, and reports whether it is there.
func (e *listEdit) take(j *job, o *voxel.Object, place int) bool {
	is := func(i int) bool {
		return 0 <= i && i < len(e.was) && e.taken[i] == nil && same(&e.was[i], o)
	}
	place = min(place, len(e.was))
	for far := 0; place-far >= 0 || place+far < len(e.was); far++ {
		for _, i := range [...]int{place + far, place - far} {
			if is(i) {
				e.taken[i] = j
				return true
			}
		}
	}
	return false
}

// result returns the list at pos as it is to be, and whether it is another.
func (e *listEdit) result(pos geom.ColumnPos) (out []voxel.Object, changed bool) {
	out = make([]voxel.Object, 0, len(e.was)+len(e.more))
	for i, o := range e.was {
		if j := e.taken[i]; j != nil {
			if j.fate == removed || j.to != pos {
				changed = true
				continue
			}
			changed = changed || !same(&o, &j.object)
			j.ordinal, o = len(out), j.object
		}
		out = append(out, o)
	}
	for _, j := range e.more {
		j.ordinal = len(out)
		out = append(out, j.object)
	}
	return out, changed || len(e.more) > 0
}

// same reports whether two objects are equal.
func same(a, b *voxel.Object) bool {
	return a.At == b.At && a.Place == b.Place && len(a.Payload) == len(b.Payload) &&
		(unsafe.SliceData(a.Payload) == unsafe.SliceData(b.Payload) || bytes.Equal(a.Payload, b.Payload))
}

// Check drops the movers whose objects are no longer in the columns where they were stored, and
// returns them. It passes over columns that are not loaded. Lost does not return them again.
func (m *Movers) Check() []octree.ObjectID {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	var lost []octree.ObjectID
	d := m.w.View().Dimension(m.name)
	edits := make(map[listKey]*listEdit)
	for _, p := range m.all {
		if p == nil || !p.stored {
			continue
		}
		key := listKey{p.home, p.List}
		e := edits[key]
		if e == nil {
			var c *voxel.Column
			loaded := true
			if d != nil {
				c, loaded = d.Column(key.pos)
			}
			if !loaded {
				continue
			}
			e = newListEdit(c.Objects(key.list))
			edits[key] = e
		}
		if !e.take(&job{mover: p}, &p.Object, p.ordinal) {
			m.forget(p)
			m.store(p, false, p.home)
			p.fate = removed
			lost = append(lost, p.ID)
		}
	}
	return lost
}
