package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Salvage copies what can be read of a store into another one, which has none of its
// worlds. Each world, and each deleted one, keeps the versions that can be read as a whole;
// the newest of them becomes the head. A world whose name is lost gets one. Leases are left
// out. The Report says which worlds are hurt and what could not be read.
type Salvage struct {
	Walk
	Read func(history.StoneRef) (history.Stone, error) // its bytes have the hash that names it
	To   history.ArchiveWriter

	stacks record.Stacks
	given  map[stone.ID]bool   // the stones seen so far, and whether To has them or gets them
	give   []history.Stone     // that To gets next
	size   int64               // of give
	named  map[uint64]struct{} // worlds that a name led to
	taken  map[string]struct{} // names that begin as those that orphans get
	failed error               // of To, or of a bucket that is away
}

// Run copies everything. Only an error of To, of a bucket that is away or of the context
// ends it.
func (v *Salvage) Run() error {
	v.given, v.named, v.taken = make(map[stone.ID]bool), make(map[uint64]struct{}), make(map[string]struct{})
	v.stacks = record.Stacks{Reads: v.Reads, Has: v.has, NoPacks: true}
	err := v.Each(record.Names, v.name)
	if err == nil {
		err = v.Each(record.DeletedWorlds, v.deleted)
	}
	if err == nil {
		err = v.Each(record.Logs, v.orphan)
	}
	return err
}

// stopped returns why the salvage cannot go on, or nil.
func (v *Salvage) stopped() error {
	if v.failed != nil {
		return v.failed
	}
	return v.Ctx.Err()
}

func (v *Salvage) name(key, value []byte) error {
	o := history.Outline{Name: string(key[1:])}
	if strings.HasPrefix(o.Name, orphans) {
		v.taken[o.Name] = struct{}{}
	}
	w, err := record.ParseNumber(value)
	if err != nil {
		v.Report.Fault("world %q: %v", o.Name, err)
		v.Report.Hurt = append(v.Report.Hurt, record.Hurt{World: o.Name, Newest: true})
		return v.stopped()
	}
	o.World = w
	return v.world(o)
}

func (v *Salvage) deleted(key, value []byte) error {
	g, err := record.ParseDeleted(value)
	if err != nil || record.Nameless(key) {
		if err != nil {
			v.Report.Fault("a deleted world, %q: %v", record.NameOfDeleted(key), err)
		}
		v.named[g.World] = struct{}{}
		return v.stopped()
	}
	return v.world(history.Outline{World: g.World, Name: record.NameOfDeleted(key), Deleted: g.Deleted})
}

// orphans begins the names of worlds whose own name is lost.
const orphans = "salvaged/"

// orphan gives a name to the world of an entry of a log if its own name cannot be read.
func (v *Salvage) orphan(key, _ []byte) error {
	if len(key) < len(record.LogOf(0)) {
		return v.stopped()
	}
	w := record.WorldOfLog(key)
	if _, ok := v.named[w]; ok {
		return v.stopped()
	}
	o := history.Outline{World: w, Name: fmt.Sprint(orphans, w)}
	for { // a store that was salvaged before has such names
		if _, taken := v.taken[o.Name]; !taken {
			break
		}
		o.Name += "-again"
	}
	v.Report.Fault("the name of a world; the world is now %q, if anything of it can be read", o.Name)
	return v.world(o)
}

// world copies the versions of a world that can be read.
func (v *Salvage) world(o history.Outline) error {
	v.named[o.World] = struct{}{}
	h := record.Hurt{World: o.Name, Deleted: !o.Deleted.IsZero()}
	was, err := v.Head(o.World)
	if err != nil {
		v.Report.Fault("world %q: %v", o.Name, err)
		h.Newest = true
	}
	var good []history.ID
	err = v.Log(o.World, record.Newest, func(e record.Entry) (bool, error) {
		h.Versions++
		if v.stacks.Entry(e.Commit) {
			good = append(good, e.Commit)
		} else {
			h.Lost++
		}
		return true, v.stopped()
	})
	if v.stopped() != nil {
		return v.stopped()
	}
	o.Head = history.Head{Fence: was.Fence}
	if len(good) > 0 {
		o.Head.Commit = good[0]
	}
	a, wrong := archive.New(o, good, v.commit, v.pack)
	if err = errors.Join(err, wrong); err != nil {
		v.Report.Fault("world %q: %v", o.Name, err)
		h.Newest = true
	}
	if wrong != nil {
		h.Lost = h.Versions
	}
	if h.Newest = h.Newest || o.Head.Commit != was.Commit; h.Newest || h.Lost > 0 {
		v.Report.Hurt = append(v.Report.Hurt, h)
	}
	if wrong != nil || h.Newest && len(good) == 0 {
		return v.stopped() // nothing is left
	}
	if v.flush() == nil {
		if err := v.To.Adopt(v.Ctx, a, history.Head{}); err != nil {
			v.failed = fmt.Errorf("world %q: %w", o.Name, err)
		}
	}
	return v.stopped()
}

// commit returns a commit. One that cannot be read is as one that was collected, because
// its stack has a pack then.
func (v *Salvage) commit(id history.ID) (history.Commit, error) {
	c, err := v.Commit(id)
	if err != nil {
		err = history.ErrNoCommit
	}
	return c, err
}

// pack returns a pack whose stone can be read. Where there is none its commits are there.
func (v *Salvage) pack(at history.ID) (history.Pack, bool, error) {
	p, ok, err := v.Pack(at)
	return p, ok && err == nil && v.has(p.Stone), nil
}

// giveBytes is how many bytes of stones the other store gets at a time.
const giveBytes = 1 << 20

// has reports whether the other store has a stone, or gets it.
func (v *Salvage) has(ref history.StoneRef) bool {
	if ok, known := v.given[ref.ID]; known {
		return ok
	}
	st, err := v.Read(ref)
	switch {
	case err == nil:
		v.give = append(v.give, st)
		if v.size += ref.Size; v.size >= giveBytes {
			err = v.flush()
		}
	case errors.Is(err, history.ErrAway):
		v.failed = err
	default:
		v.Report.Fault("stone %v: %v", ref.ID, err)
	}
	v.given[ref.ID] = err == nil
	return err == nil
}

// flush gives the other store the stones that it does not have yet.
func (v *Salvage) flush() error {
	if len(v.give) > 0 && v.failed == nil {
		v.failed = v.To.Give(v.Ctx, v.give...)
		v.give, v.size = v.give[:0], 0
	}
	return v.failed
}
