package disk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Salvaged is the result of Salvage.
type Salvaged struct {
	Report          // of the new Store
	Lost   []Hurt   `json:"lost"`   // worlds that are missing or lost versions
	Unread []string `json:"unread"` // what could not be read, at most 100 lines
}

// Salvage copies what can be read of the Store in from to a new Store in to, which
// must be missing or empty. It does not change from. It copies each version of a
// world that can be read whole; the newest of them becomes the head. It leaves out
// worlds without such a version, all leases, and deleted worlds with losses. It
// verifies the new Store before it gives it its final name. It uses only FS, Now
// and CacheBytes of o.
func Salvage(ctx context.Context, from, to string, o Options) (Salvaged, error) {
	o = o.withDefaults()
	done, err := salvageTo(ctx, from, to, Options{FS: o.FS, Now: o.Now, CacheBytes: o.CacheBytes, ReserveBytes: -1})
	if err != nil {
		return done, fmt.Errorf("local: salvage %s to %s: %w", from, to, err)
	}
	return done, nil
}

func salvageTo(ctx context.Context, from, to string, o Options) (done Salvaged, err error) {
	if list, err := o.FS.List(to); err == nil && len(list) > 0 {
		return done, fmt.Errorf("not empty: there is %s", list[0])
	}
	if within(to, from) {
		return done, errors.New("the target is inside the store itself")
	}
	temp := to + partial
	if err := o.FS.RemoveAll(temp); err != nil {
		return done, err
	}
	o.Damaged = true
	old, err := Open(from, o)
	if err != nil {
		return done, err
	}
	o.Damaged = false
	into, err := Open(temp, o)
	if err != nil {
		return done, errors.Join(err, old.Close())
	}
	v := &salvage{Store: old, into: into, ctx: ctx, batch: into.db.NewBatch()}
	v.old.Faults = append(v.old.Faults, old.damage...)
	err = errors.Join(v.run(), into.Close(), old.Close())
	if err == nil {
		if v.Report, err = verify(ctx, temp, o); err == nil && len(v.Faults) > 0 {
			err = fmt.Errorf("the copy has faults: %s", v.Faults[0])
		}
	}
	if err != nil {
		return v.Salvaged, errors.Join(err, o.FS.RemoveAll(temp))
	}
	if err := ignoreMissing(o.FS.Remove(to)); err != nil {
		return v.Salvaged, err
	}
	return v.Salvaged, errors.Join(o.FS.Rename(temp, to), syncDir(o.FS, o.FS.PathDir(to)))
}

// partial ends the name of a Store that is being made.
const partial = ".partial"

// salvage is one Salvage.
type salvage struct {
	*Store
	Salvaged
	into   *Store
	ctx    context.Context
	batch  *pebble.Batch
	stacks record.Stacks
	stones map[stone.ID]bool // the stones seen so far, and whether they could be read
	seen   map[uint64]bool   // worlds
	old    Report            // of the Store that is copied
	failed error             // of a write
}

// salvageBatch is the size of a batch in bytes.
const salvageBatch = 1 << 20

func (v *salvage) run() error {
	r := v.live()
	v.seen, v.stones = make(map[uint64]bool), make(map[stone.ID]bool)
	v.stacks = record.Stacks{Reads: r, Has: v.stone, Keep: v.keep}
	p := skipReader{r, v.db, func(kind string, err error) { v.old.Fault("some %s: %v", kind, err) }}
	err := errors.Join(p.each(v.deletedWorld, 't'), p.each(v.world, 'n'), p.each(v.orphan, 'l'), p.each(v.spent, record.Spent))
	v.old.End()
	v.Unread = v.old.Faults
	if err != nil {
		return err
	}
	return v.write()
}

// keep writes a record to the new Store.
func (v *salvage) keep(key, value []byte) {
	v.failed = cmp.Or(v.failed, v.batch.Set(key, value, nil))
	if v.batch.Len() > salvageBatch {
		v.failed = cmp.Or(v.failed, v.write())
	}
}

// spent copies which numbers of leases must not come again.
func (v *salvage) spent(key, value []byte) error {
	v.keep(bytes.Clone(key), bytes.Clone(value))
	return v.failed
}

// stopped returns why the salvage cannot continue, or nil.
func (v *salvage) stopped() error { return cmp.Or(v.failed, v.ctx.Err()) }

func (v *salvage) write() error {
	b := v.batch
	v.batch = v.into.db.NewBatch()
	return v.into.apply(b, pebble.NoSync)
}

// stone copies a stone if its bytes have the hash that names it and can be read, and
// reports whether that is so.
func (v *salvage) stone(ref history.StoneRef) bool {
	ok, known := v.stones[ref.ID]
	if known {
		return ok
	}
	in, ok, err := v.live().Info(ref.ID)
	if err == nil && (!ok || in.Size != ref.Size) {
		err = history.ErrGone
	}
	var data []byte
	if err == nil {
		data, err = v.stoneBytes(ref.ID, in)
	}
	if v.stones[ref.ID] = err == nil; err != nil {
		v.old.Fault("stone %v: %v", ref.ID, err)
		return false
	}
	if in.Condemned = false; in.File {
		v.failed = cmp.Or(v.failed, v.into.files.put(history.Stone{ID: ref.ID, Data: data}))
	} else {
		v.keep(dataKey(ref.ID, in), data)
	}
	v.keep(record.StoneKey(ref.ID), in.Value())
	return true
}

func (v *salvage) stoneBytes(id stone.ID, in record.Info) ([]byte, error) {
	b, err := v.openBytes(v.live(), id, in)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.NewSectionReader(b, 0, in.Size))
	if err == nil && stone.ID(sha256.Sum256(data)) != id {
		err = corrupt("stone", "its bytes have the hash %v", stone.ID(sha256.Sum256(data)))
	}
	if err == nil {
		err = checkContent(v.ctx, bytes.NewReader(data), in.Size)
	}
	return data, errors.Join(err, b.Close())
}

// world copies what can be read of a world.
func (v *salvage) world(key, value []byte) error {
	name := string(key[1:])
	w, err := record.ParseNumber(value)
	if err != nil {
		v.old.Fault("world %q: %v", name, err)
		v.Lost = append(v.Lost, Hurt{World: name, Newest: true})
		return nil
	}
	return v.copyLog(name, w)
}

// orphan gives a name to a world whose own name cannot be read.
func (v *salvage) orphan(key, _ []byte) error {
	w := be.Uint64(key[1:])
	if v.seen[w] {
		return nil
	}
	name := fmt.Sprintf("salvaged/%d", w)
	v.old.Fault("the name of a world; the world is now %q, if anything of it can be read", name)
	return v.copyLog(name, w)
}

// copyLog copies the log entries of a world whose versions can be read. The newest
// of them becomes the head.
func (v *salvage) copyLog(name string, w uint64) error {
	v.seen[w] = true
	h := Hurt{World: name}
	was, err := v.live().Head(w)
	if err != nil {
		v.old.Fault("world %q: %v", name, err)
		h.Newest = true
	}
	head := history.Head{Fence: was.Fence}
	err = v.live().Log(w, record.Newest, func(e record.Entry) (bool, error) {
		h.Versions++
		if !v.stacks.Entry(e.Commit) {
			h.Lost++
			return true, v.stopped()
		}
		if head.Commit == (history.ID{}) {
			head.Commit = e.Commit
		}
		v.keep(record.LogKey(w, e.Number), e.Value())
		return true, v.stopped()
	})
	if v.stopped() != nil {
		return v.stopped()
	}
	if err != nil {
		v.old.Fault("world %q: %v", name, err)
	}
	if h.Newest = h.Newest || head.Commit != was.Commit; h.Newest || h.Lost > 0 || err != nil {
		v.Lost = append(v.Lost, h)
	}
	if h.Newest && head.Commit == (history.ID{}) {
		return nil // nothing is left
	}
	v.keep(record.NameKey(name), record.NumberValue(w))
	v.keep(record.HeadKey(w), record.HeadValue(head))
	return v.failed
}

// deletedWorld copies a deleted world if nothing of it is lost.
func (v *salvage) deletedWorld(key, value []byte) error {
	g, err := record.ParseDeleted(value)
	var head history.Head
	if err == nil {
		v.seen[g.World] = true
		head, err = v.live().Head(g.World)
	}
	var entries []record.Entry
	if err == nil {
		err = v.live().Log(g.World, record.Newest, func(e record.Entry) (bool, error) {
			if !v.stacks.Entry(e.Commit) {
				return false, fmt.Errorf("version %v cannot be read", e.Commit)
			}
			entries = append(entries, e)
			return true, v.stopped()
		})
	}
	if v.stopped() != nil {
		return v.stopped()
	}
	if err != nil {
		v.old.Fault("a deleted world, %q: %v", record.NameOfDeleted(key), err)
		return nil
	}
	for _, e := range entries {
		v.keep(record.LogKey(g.World, e.Number), e.Value())
	}
	v.keep(key, value)
	v.keep(record.HeadKey(g.World), record.HeadValue(head))
	return v.failed
}

// within reports whether a path is dir or below dir.
func within(path, dir string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// verify opens a copy of a Store, checks it, and syncs its directories.
func verify(ctx context.Context, dir string, o Options) (Report, error) {
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		return Report{}, err
	}
	r, err := s.Check(ctx, nil)
	if err = errors.Join(err, s.Close()); err != nil {
		return r, err
	}
	for _, lock := range []string{dir, o.FS.PathJoin(dir, "db")} { // left by the reader
		err = errors.Join(err, ignoreMissing(o.FS.Remove(o.FS.PathJoin(lock, lockFile))))
	}
	return r, errors.Join(err, syncTree(o.FS, dir))
}
