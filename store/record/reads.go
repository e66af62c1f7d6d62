package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Reader reads records as they are now, or as they were at one moment. Keys and
// values that it calls what with are its own only during the call. What is called
// until it returns false or an error.
type Reader interface {
	// Get returns a copy of a value, nil if there is none.
	Get(key []byte) ([]byte, error)
	// Each calls what for the keys that begin with prefix, in ascending order.
	Each(prefix []byte, what func(key, value []byte) (bool, error)) error
	// Keys is Each without the values.
	Keys(prefix []byte, what func(key []byte) error) error
	// Back calls what for the keys from from on and below to, in descending order.
	Back(from, to []byte, what func(key, value []byte) (bool, error)) error
}

// Reads reads what the records mean.
type Reads struct{ Reader }

// World returns the number of a world.
func (r Reads) World(name string) (uint64, error) {
	b, err := r.Get(NameKey(name))
	if b == nil && err == nil {
		err = history.ErrNoWorld
	}
	if err != nil {
		return 0, err
	}
	return ParseNumber(b)
}

// Head returns the head of a world.
func (r Reads) Head(w uint64) (history.Head, error) {
	b, err := r.Get(HeadKey(w))
	if b == nil && err == nil {
		err = history.ErrNoWorld // taken for good just now
	}
	if err != nil {
		return history.Head{}, err
	}
	return ParseHead(b)
}

// Lease returns the fence of a head with the lease that has this number.
func (r Reads) Lease(w uint64, h history.Head) (history.Lease, error) {
	if h.Fence == 0 {
		return history.Lease{}, nil // there never was one
	}
	b, err := r.Get(LeaseKey(w))
	if b == nil || err != nil {
		return history.Lease{Fence: h.Fence}, err
	}
	return ParseLease(h.Fence, b)
}

// Commit returns a commit, whose bytes are those that its name was made of.
func (r Reads) Commit(id history.ID) (history.Commit, error) {
	b, err := r.Get(CommitKey(id))
	if err != nil {
		return history.Commit{}, err
	}
	return ParseCommit(id, b)
}

// Pack returns the pack for a commit and whether there is any.
func (r Reads) Pack(upto history.ID) (history.Pack, bool, error) {
	b, err := r.Get(PackKey(upto))
	if b == nil || err != nil {
		return history.Pack{}, false, err
	}
	p, err := ParsePack(upto, b)
	return p, err == nil, err
}

// Info returns what is known of a stone and whether it is there.
func (r Reads) Info(id stone.ID) (Info, bool, error) {
	b, err := r.Get(StoneKey(id))
	if b == nil || err != nil {
		return Info{}, false, err
	}
	i, err := ParseInfo(b)
	return i, err == nil, err
}

// Placed returns the place that a commit has in logs.
func (r Reads) Placed(at history.ID) (Entry, error) {
	c, err := r.Commit(at)
	return Entry{c.Number, at, c.Time}, err
}

// Logged returns the entry of the commit at if it is in the world's log;
// ErrNoCommit if not.
func (r Reads) Logged(w uint64, at history.ID) (Entry, error) {
	e, err := r.Placed(at)
	if err == nil {
		err = r.InLog(w, e)
	}
	return e, err
}

// InLog returns ErrNoCommit unless an entry is in the log of a world.
func (r Reads) InLog(w uint64, e Entry) error {
	b, err := r.Get(LogKey(w, e.Number))
	if err == nil && !bytes.HasPrefix(b, e.Commit[:]) {
		err = fmt.Errorf("%v: %w", e.Commit, history.ErrNoCommit)
	}
	return err
}

// Log calls what for the log of a world, newest first from number on, until it
// returns false.
func (r Reads) Log(w, number uint64, what func(Entry) (bool, error)) error {
	to := End(LogOf(w))
	if number < Newest {
		to = LogKey(w, number+1)
	}
	return r.Back(LogOf(w), to, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		if err != nil {
			return false, err
		}
		return what(e)
	})
}

// Newest as a number is that of the newest commit of a log.
const Newest = 1<<64 - 1

// CommitsOf returns up to n commits of a world, newest first from the commit from
// on, or from the head if that is zero.
func (r Reads) CommitsOf(ctx context.Context, w uint64, from history.ID, n int) ([]history.Commit, error) {
	start := uint64(Newest)
	if from != (history.ID{}) {
		e, err := r.Logged(w, from)
		if err != nil {
			return nil, err
		}
		start = e.Number
	}
	if n <= 0 {
		return nil, nil
	}
	var out []history.Commit
	err := r.Log(w, start, func(e Entry) (bool, error) {
		c, err := r.Commit(e.Commit)
		out = append(out, c)
		return len(out) < n, errors.Join(err, ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Stack returns the stack of a commit, bottom first.
func (r Reads) Stack(at history.ID) ([]history.Layer, error) {
	return history.StackOf(at, r.Commit, r.Pack, nil)
}

// LastGrave returns the number of the world that was last deleted under a name
// and the record of it, which is nil if there is none.
func (r Reads) LastGrave(name string) (n uint64, value []byte, err error) {
	err = r.Back(GravesOf(name), End(GravesOf(name)), func(key, v []byte) (bool, error) {
		n, value = Number(key), bytes.Clone(v)
		return false, nil
	})
	return n, value, err
}

// EachLog calls what for the log of every world, oldest first. The log is its own
// only during the call.
func (r Reads) EachLog(what func(w uint64, log []Entry) error) error {
	var (
		w   uint64
		log []Entry
	)
	err := r.Each([]byte{Logs}, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		if err != nil {
			return false, err
		}
		if at := be.Uint64(key[1:]); at != w {
			if len(log) > 0 {
				err = what(w, log)
			}
			w, log = at, log[:0]
		}
		log = append(log, e)
		return true, err
	})
	if err == nil && len(log) > 0 {
		err = what(w, log)
	}
	return err
}

// Forget returns what changes when a world is taken for good, with the key that
// leads to it.
func (r Reads) Forget(key []byte, w uint64) ([]Change, error) {
	out := []Change{{Key: bytes.Clone(key)}, {Key: HeadKey(w)}, {Key: LeaseKey(w)}}
	err := r.Keys(LogOf(w), func(key []byte) error {
		out = append(out, Change{Key: bytes.Clone(key)})
		return nil
	})
	return out, err
}
