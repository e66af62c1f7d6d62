package record

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Rows reads records, either the current ones or those of one moment. The keys
// and values that it passes to what are valid only during the call. It stops when
// what returns false or an error.
type Rows interface {
	// Get returns a copy of a value, or nil if there is no record.
	Get(key []byte) ([]byte, error)
	// Each calls what for the keys that begin with prefix, in ascending order.
	Each(prefix []byte, what func(key, value []byte) (bool, error)) error
	// Keys is Each without the values.
	Keys(prefix []byte, what func(key []byte) error) error
	// Back calls what for the keys that are at least from and less than to, in
	// descending order.
	Back(from, to []byte, what func(key, value []byte) (bool, error)) error
}

// Ahead is a reader that can read several records in one call.
type Ahead interface {
	// Ahead reads the records of the keys, so that Get has them at once.
	Ahead(keys [][]byte) error
}

// LogAhead is a reader that can read what a stack of a world is as a rule made of.
type LogAhead interface {
	LogAhead(w uint64) error
}

// Reads reads records and returns them as values of package history.
type Reads struct {
	Rows
	Memory *Memory // of what the reader reads; nil if nothing is remembered
}

// Ahead reads the records of the keys ahead if the reader can do that.
func (r Reads) Ahead(keys ...[]byte) error {
	if a, ok := r.Rows.(Ahead); ok {
		return a.Ahead(keys)
	}
	return nil
}

// LogAhead reads the newest commits of a world's log and their packs ahead if the reader can
// do that.
func (r Reads) LogAhead(w uint64) error {
	if a, ok := r.Rows.(LogAhead); ok {
		return a.LogAhead(w)
	}
	return nil
}

// World returns the number of a world.
func (r Reads) World(name string) (uint64, error) {
	if r.Memory == nil {
		return r.world(name)
	}
	key := hashOf(name)
	w, ok, t := r.Memory.worlds.get(key)
	if ok {
		return w, nil
	}
	w, err := r.world(name)
	if err == nil {
		r.Memory.worlds.put(key, w, t)
	}
	return w, err
}

func (r Reads) world(name string) (uint64, error) {
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
		err = history.ErrNoWorld // it was removed just now
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

// Beyond returns next, the lease of a world that has this name, or gets it. If the
// number is one that a world had which lost the name, or may have had, it is raised beyond.
func (r Reads) Beyond(name string, next history.Lease) (history.Lease, error) {
	b, err := r.Get(SpentKey(name))
	if b == nil || err != nil {
		return next, err
	}
	spent, err := ParseNumber(b)
	next.Fence = max(next.Fence, spent+1)
	return next, err
}

// Raised is Beyond if next is a world's first number.
func (r Reads) Raised(name string, was uint64, next history.Lease) (history.Lease, error) {
	if was > 0 || next.Fence == 0 {
		return next, nil
	}
	return r.Beyond(name, next)
}

// Undeleted returns the changes of a deleted world that gets its name back.
func (r Reads) Undeleted(name string, w uint64) ([]Change, error) {
	h, err := r.Head(w)
	if err != nil {
		return nil, err
	}
	next, err := r.Beyond(name, history.Lease{Fence: h.Fence})
	return Fenced(w, h, history.Lease{}, next), err
}

// Spend returns the change, if any, after which Beyond knows that a world loses its name
// and had this fence.
func (r Reads) Spend(name string, fence uint64) ([]Change, error) {
	l, err := r.Beyond(name, history.Lease{Fence: fence})
	if fence == 0 || l.Fence > fence || err != nil {
		return nil, err
	}
	return []Change{{Key: SpentKey(name), Value: NumberValue(fence)}}, nil
}

// Commit returns a commit. It checks that the ID is the hash of the bytes.
func (r Reads) Commit(id history.ID) (history.Commit, error) {
	b, err := r.Get(CommitKey(id))
	if err != nil {
		return history.Commit{}, err
	}
	return ParseCommit(id, b)
}

// Pack returns the pack for a commit, and whether there is one.
func (r Reads) Pack(upto history.ID) (history.Pack, bool, error) {
	b, err := r.Get(PackKey(upto))
	if b == nil || err != nil {
		return history.Pack{}, false, err
	}
	p, err := ParsePack(upto, b)
	return p, err == nil, err
}

// Info returns the Info of a stone, and whether the stone exists.
func (r Reads) Info(id stone.ID) (Info, bool, error) {
	b, err := r.Get(StoneKey(id))
	if b == nil || err != nil {
		return Info{}, false, err
	}
	i, err := ParseInfo(b)
	return i, err == nil, err
}

// Stone returns the Info of a stone, or ErrGone if there is none of this name and size.
func (r Reads) Stone(ref history.StoneRef) (Info, error) {
	in, ok, err := r.Info(ref.ID)
	if err == nil && (!ok || in.Size != ref.Size) {
		err = history.ErrGone
	}
	if err != nil {
		err = fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, err)
	}
	return in, err
}

// Placed returns the entry that a commit has in logs.
func (r Reads) Placed(at history.ID) (Entry, error) {
	if e, ok := r.Memory.placed(at); ok {
		return e, nil
	}
	c, err := r.Commit(at)
	return Entry{c.Number, at, c.Time}, err
}

// Logged returns the entry of the commit at if it is in the world's log, and
// ErrNoCommit otherwise.
func (r Reads) Logged(w uint64, at history.ID) (Entry, error) {
	e, err := r.Placed(at)
	if err == nil {
		err = r.InLog(w, e)
	}
	return e, err
}

// InLog returns ErrNoCommit unless the entry is in the log of the world.
func (r Reads) InLog(w uint64, e Entry) error {
	b, err := r.Get(LogKey(w, e.Number))
	if err == nil && !bytes.HasPrefix(b, e.Commit[:]) {
		err = fmt.Errorf("%v: %w", e.Commit, history.ErrNoCommit)
	}
	return err
}

// Log calls what for the entries of a world's log, newest first from number on,
// until what returns false.
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

// Newest stands for the number of the newest commit of a log.
const Newest = 1<<64 - 1

// CommitsOf returns up to n commits of a world, newest first. It begins with the
// commit from, or with the head if from is zero.
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
	var ids []history.ID
	var keys [][]byte
	err := r.Log(w, start, func(e Entry) (bool, error) {
		ids, keys = append(ids, e.Commit), append(keys, CommitKey(e.Commit))
		return len(ids) < n, ctx.Err()
	})
	if err == nil {
		err = r.Ahead(keys...)
	}
	out := make([]history.Commit, len(ids))
	for i := 0; i < len(ids) && err == nil; i++ {
		out[i], err = r.Commit(ids[i])
	}
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// Stack returns the stack of a commit, bottom first.
func (r Reads) Stack(at history.ID) ([]history.Layer, error) {
	var c history.Commit // the commit read last
	return StackOf(at,
		func(history.ID) (history.Commit, error) { return c, nil },
		func(at history.ID) (p history.Pack, packed bool, err error) {
			p, packed, c, err = r.step(at)
			return p, packed, err
		})
}

// LastDeleted returns the world that was deleted last under a name: the number in
// its key and its record, which is nil if there is none.
func (r Reads) LastDeleted(name string) (n uint64, value []byte, err error) {
	err = r.Back(DeletedPrefix(name), End(DeletedPrefix(name)), func(key, v []byte) (bool, error) {
		n, value = Number(key), bytes.Clone(v)
		return false, nil
	})
	return n, value, err
}

// EachLog calls what for the log of every world, oldest entry first. The log is
// valid only during the call.
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
		if at := WorldOfLog(key); at != w {
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

// Forget returns the changes that remove a world for good: those of the key that leads
// to it, of its head and of its lease, and from ForgetLog on those of its log, oldest
// entry first.
func (r Reads) Forget(key []byte, w uint64) ([]Change, error) {
	out := []Change{{Key: bytes.Clone(key)}, {Key: HeadKey(w)}, {Key: LeaseKey(w)}}
	err := r.Keys(LogOf(w), func(key []byte) error {
		out = append(out, Change{Key: bytes.Clone(key)})
		return nil
	})
	return out, err
}

// ForgetLog is how many changes of Forget are not those of the log.
const ForgetLog = 3
