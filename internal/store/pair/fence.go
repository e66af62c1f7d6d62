package pair

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// checkFence returns the head and the lease of a world, or an error if the fence does not
// permit a call.
func checkFence(r record.Reads, now time.Time, w, fence uint64) (history.Head, history.Lease, error) {
	err := r.Ahead(record.HeadKey(w), record.LeaseKey(w))
	var h history.Head
	if err == nil {
		h, err = r.Head(w)
	}
	if err != nil {
		return h, history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err == nil {
		err = l.Admit(fence, now)
	}
	return h, l, err
}

// checkBase is checkFence, and returns an error unless base is the head.
func checkBase(r record.Reads, now time.Time, w uint64, base history.Head) (history.Lease, error) {
	h, l, err := checkFence(r, now, w, base.Fence)
	if err == nil {
		err = h.Follows(base)
	}
	return l, err
}

// raised is Raised. A record that is missing is a dear condition for some catalogues, so it
// makes the one that was missing.
func (d *draft) raised(name string, was uint64, next history.Lease) (history.Lease, error) {
	if was > 0 || next.Fence == 0 {
		return next, nil
	}
	key := record.SpentKey(name)
	if b, err := d.Get(key); b == nil && err == nil {
		d.set(key, record.NumberValue(0))
	}
	return d.Raised(name, was, next)
}

// losesName returns the fence of a world's head and its lease, which the fence of a call
// permits to lose the name. Fences of the next world with this name are above.
func (d *draft) losesName(name string, now time.Time, w, fence uint64) (history.Head, history.Lease, error) {
	h, l, err := checkFence(d.Reads, now, w, fence)
	if err != nil {
		return h, l, err
	}
	spent, err := d.Spend(name, h.Fence)
	d.add(spent...)
	return h, l, err
}

// addDeleted adds the record of a world that is deleted under a name.
func (d *draft) addDeleted(name string, g record.DeletedWorld) error {
	n, _, err := d.LastDeleted(name)
	if err != nil {
		return err
	}
	key := record.DeletedKey(name, n+1)
	_, err = d.Get(key) // make its absence a condition
	d.set(key, g.Value())
	return err
}

// errTaken says that another world has the number of a new world.
var errTaken = errors.New("the number of the new world is taken")

// checkFree returns errTaken if a world has the number.
func (d *draft) checkFree(w uint64) error {
	b, err := d.Get(record.HeadKey(w))
	if b != nil {
		err = errTaken
	}
	return err
}

// keep makes a condemned stone needed again.
func (d *draft) keep(ref history.StoneRef, in record.Info) {
	if in.Condemned {
		in.Condemned = false
		d.set(record.StoneKey(ref.ID), in.Value())
	}
}

// require keeps a stone, or returns ErrGone if there is none of this name and size.
func (d *draft) requireStone(ref history.StoneRef, also func() (bool, error)) error {
	in, ok, err := d.Info(ref.ID)
	if ok && err == nil && also != nil {
		ok, err = also()
	}
	if err != nil {
		return err
	}
	if !ok || in.Size != ref.Size {
		return fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, history.ErrGone)
	}
	d.keep(ref, in)
	return nil
}

// restartSweep makes a Collect or a Purge in progress start again: it may be deleting what
// the change needs.
func (s *Store) restartSweep(d *draft) { d.set([]byte(runKey), record.NumberValue(s.number())) }
