package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
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
// worlds without such a version, and all leases. It verifies the new Store before it gives
// it its final name. It uses only FS, Now and CacheBytes of o.
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
	o.Damaged, o.lossy = false, true // verify syncs it
	into, err := Open(temp, o)
	if err != nil {
		return done, errors.Join(err, old.Close())
	}
	v := rules.Salvage{To: into}
	v.Report.Faults = append(v.Report.Faults, old.damage...)
	err = errors.Join(old.salvage(ctx, &v, into), into.Close(), old.Close())
	v.Report.End()
	done.Lost, done.Unread = v.Report.Hurt, v.Report.Faults
	if err == nil {
		if done.Report, err = verify(ctx, temp, o); err == nil && len(done.Faults) > 0 {
			err = fmt.Errorf("the copy has faults: %s", done.Faults[0])
		}
	}
	if err != nil {
		return done, errors.Join(err, o.FS.RemoveAll(temp))
	}
	if err := ignoreMissing(o.FS.Remove(to)); err != nil {
		return done, err
	}
	return done, errors.Join(o.FS.Rename(temp, to), syncDir(o.FS, o.FS.PathDir(to)))
}

// partial ends the name of a Store that is being made.
const partial = ".partial"

// salvage copies what can be read, and which numbers of leases must not come again.
func (s *Store) salvage(ctx context.Context, v *rules.Salvage, into *Store) error {
	skip := skipReader{s.db, s.db, func(kind string, err error) { v.Report.Fault("some %s: %v", kind, err) }}
	v.Ctx, v.Reads, v.Each, v.Read = ctx, s.live(), skip.each, func(ref history.StoneRef) (history.Stone, error) { return s.verified(ctx, ref) }
	err := v.Run()
	if err != nil {
		return err
	}
	var spent []record.Change
	err = skip.each(record.Spent, func(key, value []byte) error {
		spent = append(spent, record.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		return nil
	})
	return errors.Join(err, into.applyAll(spent))
}

// verified returns a stone whose bytes have the hash that names it and can be read.
func (s *Store) verified(ctx context.Context, ref history.StoneRef) (history.Stone, error) {
	in, err := s.live().Stone(ref)
	if err != nil {
		return history.Stone{}, err
	}
	b, err := s.openBytes(s.live(), ref.ID, in)
	if err != nil {
		return history.Stone{}, err
	}
	data, err := io.ReadAll(io.NewSectionReader(b, 0, in.Size))
	if err == nil && stone.ID(sha256.Sum256(data)) != ref.ID {
		err = corrupt("stone", "its bytes have the hash %v", stone.ID(sha256.Sum256(data)))
	}
	if err == nil {
		err = checkContent(ctx, bytes.NewReader(data), in.Size)
	}
	return history.Stone{ID: ref.ID, Data: data}, errors.Join(err, b.Close())
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
