package local

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// reads are the records as they stand in the database or in a snapshot of it.
type reads struct {
	pebble.Reader
	steps   *steps // of the database; nil of a snapshot
	worldOf *names
}

// live are the records as they are now.
func (s *Store) live() reads { return reads{s.db, s.steps, s.worldOf} }

// get returns a copy of a value, nil if there is none.
func (r reads) get(key []byte) ([]byte, error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, damaged(err)
	}
	value := append(make([]byte, 0, len(v)), v...)
	return value, damaged(closer.Close()) // which says what was wrong with the value
}

// damaged says in which file the database found damage. Of a value in a blob file
// the database names the table that refers to it, and the number of the file in the
// text alone.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*stone.CorruptError)) {
		return err
	}
	part := ""
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		part = "db/" + filepath.Base(info.Path)
	}
	if _, text, ok := strings.Cut(err.Error(), "pebble: file "); ok {
		if number, _, _ := strings.Cut(text, ":"); !strings.Contains(part, number) {
			part = "db/" + number + ".blob"
		}
	}
	if part == "" && !pebble.IsCorruptionError(err) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n") // what follows is said twice, or of use to the database alone
	return &stone.CorruptError{Part: cmp.Or(part, "the database"), Offset: -1, Err: errors.New(text)}
}

// world returns the number of a world.
func (r reads) world(name string) (uint64, error) {
	key := keyOf(name)
	w, ok, t := r.worldOf.get(key)
	if ok {
		return w, nil
	}
	b, err := r.get(nameKey(name))
	switch {
	case err != nil:
		return 0, err
	case b == nil:
		return 0, history.ErrNoWorld
	case len(b) != 8:
		return 0, wrongSize("name", b)
	}
	w = be.Uint64(b)
	r.worldOf.put(key, w, t)
	return w, nil
}

// nameHash stands for a name: two that differ have another one, but for chance that
// nobody can help along.
type nameHash [2]uint64

var namedSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func keyOf(name string) nameHash {
	return nameHash{maphash.String(namedSeeds[0], name), maphash.String(namedSeeds[1], name)}
}

// names are the worlds that names stand for.
type names = memo[nameHash, uint64]

const nameBytes = 16 + 8 + 8

func (r reads) head(w uint64) (history.Head, error) {
	b, err := r.get(headKey(w))
	if err != nil {
		return history.Head{}, err
	}
	if b == nil {
		return history.Head{}, history.ErrNoWorld // taken for good just now
	}
	return parseHead(b)
}

// named returns the number and the head of a world.
func (r reads) named(name string) (w uint64, h history.Head, err error) {
	if w, err = r.world(name); err == nil {
		h, err = r.head(w)
	}
	return w, h, err
}

// lease returns the fence of a head with the lease that has this number.
func (r reads) lease(w uint64, h history.Head) (history.Lease, error) {
	if h.Fence == 0 {
		return history.Lease{}, nil // there never was one
	}
	b, err := r.get(leaseKey(w))
	if b == nil || err != nil {
		return history.Lease{Fence: h.Fence}, err
	}
	return parseLease(h.Fence, b)
}

// commit returns a commit, whose bytes are those that its name was made of.
func (r reads) commit(id history.ID) (history.Commit, error) {
	b, err := r.get(commitKey(id))
	if err != nil {
		return history.Commit{}, err
	}
	return parseCommit(id, b)
}

// pack returns the pack for a commit and whether there is any.
func (r reads) pack(upto history.ID) (history.Pack, bool, error) {
	b, err := r.get(packKey(upto))
	if b == nil || err != nil {
		return history.Pack{}, false, err
	}
	p, err := parsePack(upto, b)
	return p, err == nil, err
}

// info returns what is known of a stone and whether it is there.
func (r reads) info(id stone.ID) (info, bool, error) {
	b, err := r.get(infoKey(id))
	if b == nil || err != nil {
		return info{}, false, err
	}
	i, err := parseInfo(b)
	return i, err == nil, err
}

// logged returns the entry of the commit at if it is in the world's log;
// ErrNoCommit if not.
func (r reads) logged(w uint64, at history.ID) (entry, error) {
	e, err := r.placed(at)
	if err != nil {
		return e, err
	}
	b, err := r.get(logKey(w, e.number))
	if err == nil && !bytes.HasPrefix(b, at[:]) {
		err = fmt.Errorf("%v: %w", at, history.ErrNoCommit)
	}
	return e, err
}

// ended closes an iterator that stopped for err, which Close returns again if it is
// the iterator's own.
func ended(it *pebble.Iterator, err error) error {
	if closed := it.Close(); err == nil {
		err = closed
	}
	return damaged(err)
}

// each calls what for every pair under a prefix in ascending order, until it
// returns false. Key and value are its own only during the call.
func (r reads) each(what func(key, value []byte) (bool, error), prefix ...byte) error {
	it, err := r.NewIter(span(prefix...))
	if err != nil {
		return err
	}
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			more, err = what(it.Key(), value)
		}
		if err != nil {
			return ended(it, err)
		}
		if !more {
			break
		}
	}
	return ended(it, nil)
}

// keys calls what for every key under a prefix and reads no value.
func (r reads) keys(what func(key []byte) error, prefix ...byte) error {
	it, err := r.NewIter(span(prefix...))
	if err != nil {
		return err
	}
	for more := it.First(); more; more = it.Next() {
		if err := what(it.Key()); err != nil {
			return ended(it, err)
		}
	}
	return ended(it, nil)
}

// back calls what for the log of a world, newest first from number on, until
// it returns false.
func (r reads) back(w, number uint64, what func(entry) (bool, error)) error {
	o := span(logOf(w)...)
	if number < 1<<64-1 {
		o.UpperBound = logKey(w, number+1)
	}
	it, err := r.NewIter(o)
	if err != nil {
		return err
	}
	for more := it.Last(); more; more = it.Prev() {
		e, err := parseEntry(it.Key(), it.Value())
		if err == nil {
			more, err = what(e)
		}
		if err != nil {
			return ended(it, err)
		}
		if !more {
			break
		}
	}
	return ended(it, nil)
}

// below returns what the stack of at goes on with below it: zero if nothing.
func (r reads) below(at history.ID) (history.ID, error) {
	p, ok, c, err := r.step(at)
	if ok || err != nil {
		return p.After, err
	}
	return c.Base, nil
}

func (r reads) base(at history.ID) (history.ID, error) {
	c, err := r.commit(at)
	return c.Base, err
}

// stands reports whether going down from at by next comes to on.
func (r reads) stands(at, on history.ID, next func(history.ID) (history.ID, error)) (bool, error) {
	var err error
	for at != (history.ID{}) && at != on && err == nil {
		at, err = next(at)
	}
	return at == on, err
}

// reaches reports whether a commit of the world's log, or one that its stack
// lies on, names the stone or has a pack of it. The head comes first.
func (r reads) reaches(w uint64, id stone.ID) (found bool, err error) {
	seen := make(map[history.ID]bool)
	err = r.back(w, 1<<64-1, func(e entry) (bool, error) {
		for at := e.commit; at != (history.ID{}) && !seen[at]; {
			seen[at] = true
			next, names, err := r.names(at, id)
			if err != nil || names {
				found = names
				return false, err
			}
			at = next
		}
		return true, nil
	})
	return found, err
}

// names reports whether the commit at names the stone or has a pack of it, and
// what is below. A record may be missing where a pack is.
func (r reads) names(at history.ID, id stone.ID) (below history.ID, ok bool, err error) {
	p, packed, err := r.pack(at)
	if err != nil || packed && p.Stone.ID == id {
		return p.After, packed, err
	}
	c, err := r.commit(at)
	if packed && errors.Is(err, history.ErrNoCommit) {
		return p.After, false, nil
	}
	below = c.Base
	if packed {
		below = p.After
	}
	for _, ref := range c.Stones {
		ok = ok || ref.ID == id
	}
	return below, ok, err
}

// number returns what a big-endian key ends with.
func number(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }
