package record

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/store/history"
)

// seen is what Outlines remembers of a world, in 80 bytes, until it knows the name.
type seen struct {
	world uint64
	head  history.Head
	sum   history.Sum
}

// Outlines calls what for all worlds in ascending order of names, and then for those
// that were deleted. It reads all heads, logs and packs in order, so what it takes
// does not depend on how the records of a world lie.
func (r Reads) Outlines(ctx context.Context, what func(history.Outline) error) error {
	worlds, err := r.worlds(ctx)
	if err != nil {
		return err
	}
	tell := func(m history.Outline) error {
		i, ok := slices.BinarySearchFunc(worlds, m.World, func(k seen, w uint64) int {
			switch {
			case k.world < w:
				return -1
			case k.world > w:
				return 1
			}
			return 0
		})
		if !ok {
			return nil // no head: the name leads nowhere
		}
		m.Head, m.Sum = worlds[i].head, worlds[i].sum
		return errors.Join(what(m), ctx.Err())
	}
	err = r.Each([]byte{Names}, func(key, value []byte) (bool, error) {
		w, err := ParseNumber(value)
		if err == nil {
			err = tell(history.Outline{World: w, Name: string(key[1:])})
		}
		return true, err
	})
	if err != nil {
		return err
	}
	return r.Each([]byte{DeletedWorlds}, func(key, value []byte) (bool, error) {
		g, err := ParseDeleted(value)
		if err == nil && !Nameless(key) {
			err = tell(history.Outline{World: g.World, Name: NameOfDeleted(key), Deleted: g.Deleted})
		}
		return true, err
	})
}

// worlds returns the heads and sums of all worlds in ascending order of numbers.
func (r Reads) worlds(ctx context.Context) ([]seen, error) {
	packs, err := r.packList(ctx)
	if err != nil {
		return nil, err
	}
	var out []seen
	empty := new(archive.Summer).Sum()
	err = r.Each([]byte{Heads}, func(key, value []byte) (bool, error) {
		h, err := ParseHead(value)
		out = append(out, seen{world: Number(key), head: h, sum: empty})
		return true, errors.Join(err, ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	i := 0
	return out, r.EachLog(func(w uint64, log []Entry) error {
		var h archive.Summer
		for _, e := range log {
			p, ok, err := packs.get(e.Commit)
			if err != nil {
				return err
			}
			if ok {
				h.Add(e.Commit, &p)
			} else {
				h.Add(e.Commit, nil)
			}
		}
		for i < len(out) && out[i].world < w {
			i++
		}
		if i < len(out) && out[i].world == w {
			out[i].sum = h.Sum()
		}
		return ctx.Err()
	})
}

// packList is a list of packs in ascending order of Upto: 104 bytes each.
type packList []byte

const packListBytes = 32 + packBytes

func (r Reads) packList(ctx context.Context) (out packList, err error) {
	err = r.Each([]byte{Packs}, func(key, value []byte) (bool, error) {
		if len(key) != 33 || len(value) != packBytes {
			return false, wrongSize("pack", value)
		}
		out = append(append(out, key[1:]...), value...)
		return true, ctx.Err()
	})
	return out, err
}

func (l packList) get(upto history.ID) (history.Pack, bool, error) {
	low, high := 0, len(l)/packListBytes
	for low < high {
		mid := (low + high) / 2
		at := l[mid*packListBytes:][:packListBytes]
		switch c := bytes.Compare(at[:32], upto[:]); {
		case c == 0:
			p, err := ParsePack(upto, at[32:])
			return p, err == nil, err
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return history.Pack{}, false, nil
}

// Archive returns the world with an Outline as it is now.
func (r Reads) Archive(ctx context.Context, m history.Outline) (a history.Archive, err error) {
	if m.World == 0 {
		if m.World, err = r.World(m.Name); err != nil {
			return a, err
		}
	}
	if m.Head, err = r.Head(m.World); err != nil {
		return a, err
	}
	var log []history.ID
	err = r.Log(m.World, Newest, func(e Entry) (bool, error) {
		log = append(log, e.Commit)
		return true, ctx.Err()
	})
	if err != nil {
		return a, err
	}
	return archive.New(m, log, r.Commit, r.Pack)
}

// Adopt returns the changes that make a world equal to an archive, besides those of
// its name and its stones: its head, log, commits and packs. In had are the entries
// of its log until now. reused is called for each commit and pack that exists
// already, so that a collection in progress does not delete it. lease is what is left
// of the world's lease; its fence is the new one.
func (r Reads) Adopt(w uint64, lease history.Lease, a history.Archive, had []Entry, reused func(Thing)) ([]Change, error) {
	out := []Change{{Key: HeadKey(w), Value: HeadValue(history.Head{Commit: a.Head.Commit, Fence: lease.Fence})}}
	if lease.Until.IsZero() {
		out = append(out, Change{Key: LeaseKey(w)})
	}
	commits := make(map[history.ID]*history.Commit, len(a.Commits))
	set := func(key, value []byte) error {
		have, err := r.Get(key)
		if have != nil {
			reused(Thing(key))
		}
		if !bytes.Equal(have, value) {
			out = append(out, Change{Key: key, Value: value})
		}
		return err
	}
	for i := range a.Commits {
		c := &a.Commits[i]
		id := c.ID()
		commits[id] = c
		if err := set(CommitKey(id), c.Append(nil)); err != nil {
			return nil, err
		}
	}
	packed := make(map[history.ID]bool, len(a.Packs))
	for _, p := range a.Packs {
		packed[p.Upto] = true
		if err := set(PackKey(p.Upto), PackValue(p)); err != nil {
			return nil, err
		}
	}
	for id := range commits {
		if packed[id] {
			continue
		}
		have, err := r.Get(PackKey(id))
		if err != nil {
			return nil, err
		}
		if have != nil {
			reused(PackThing(id))
			out = append(out, Change{Key: PackKey(id)})
		}
	}
	log := make(map[uint64]history.ID, len(a.Log))
	for _, at := range a.Log {
		c := commits[at]
		log[c.Number] = at
		out = append(out, Change{Key: LogKey(w, c.Number), Value: Entry{c.Number, at, c.Time}.Value()})
	}
	for _, e := range had {
		if _, stays := log[e.Number]; !stays {
			out = append(out, Change{Key: LogKey(w, e.Number)})
		}
	}
	return out, nil
}

// AdoptKeys returns the keys of records that Adopt reads.
func AdoptKeys(a history.Archive) (keys [][]byte) {
	for i := range a.Commits {
		id := a.Commits[i].ID()
		keys = append(keys, CommitKey(id), PackKey(id))
	}
	for _, p := range a.Packs {
		keys = append(keys, PackKey(p.Upto))
	}
	return keys
}

// Entries returns the log of a world, newest first.
func (r Reads) Entries(w uint64) (out []Entry, err error) {
	err = r.Log(w, Newest, func(e Entry) (bool, error) {
		out = append(out, e)
		return true, nil
	})
	return out, err
}
