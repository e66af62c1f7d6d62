package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Stack is for history.Stacks.
func (s *Store) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("stack", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot() // to see packs and commits of one moment
	defer snap.Close()
	r := frozen(snap)
	w, err := r.World(name)
	if err == nil && at != (history.ID{}) {
		_, err = r.Logged(w, at)
	}
	if err != nil {
		return nil, fail("stack", name, err)
	}
	stack, err := r.Stack(at)
	return stack, fail("stack", name, err)
}

// Open is for history.Stacks. It reads a small stone whole.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	o, err := s.openStone(frozen(snap), name, id)
	if err != nil {
		err = fmt.Errorf("stone %v: %w", id, err)
	}
	return o, fail("open", name, err)
}

func (s *Store) openStone(r reads, name string, id stone.ID) (*history.Opened, error) {
	if _, err := r.World(name); err != nil {
		return nil, err
	}
	in, ok, err := r.Info(id)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err != nil {
		return nil, err
	}
	b, err := s.openBytes(r, id, in)
	if err != nil {
		return nil, err
	}
	o, err := stone.Open(b, in.Size)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &history.Opened{Reader: o, Closer: b}, nil
}

// Reaches is for history.Reacher.
func (s *Store) Reaches(ctx context.Context, name string, id stone.ID) (bool, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return false, fail("reaches", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := frozen(snap)
	w, err := r.World(name)
	if err != nil {
		return false, fail("reaches", name, err)
	}
	ok, err := r.Reaches(w, id)
	return ok, fail("reaches", name, err)
}

// bytesOf reads the bytes of a stone.
type bytesOf struct {
	io.ReaderAt
	io.Closer
}

// openBytes opens the bytes of an existing stone.
func (s *Store) openBytes(r reads, id stone.ID, in record.Info) (bytesOf, error) {
	if in.File {
		f, err := s.openFile(id, in.Size)
		return bytesOf{f, f}, err
	}
	data, err := r.Get(dataKey(id, in))
	if err == nil && int64(len(data)) != in.Size {
		err = wrongBytes(len(data), in.Size)
	}
	return bytesOf{bytes.NewReader(data), io.NopCloser(nil)}, err
}

// openFile opens the file of a stone.
func (s *Store) openFile(id stone.ID, size int64) (vfs.File, error) {
	f, err := s.FS.Open(s.files.path(id), vfs.RandomReadsOption)
	if errors.Is(err, fs.ErrNotExist) {
		if in, ok, lost := s.live().Info(id); !ok || !in.File {
			return nil, cmp.Or(lost, history.ErrGone) // deleted since the snapshot
		}
		// The file exists as long as the record, unless the stone was deleted and
		// added again since the first try.
		f, err = s.FS.Open(s.files.path(id), vfs.RandomReadsOption)
	}
	part := s.files.rel(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt(part, "it is missing")
	}
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size() != size {
		err = corrupt(part, "%d bytes: want %d", st.Size(), size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// addStones adds stones that are held and locked, unless they exist: large stones
// as files, others to the batch. It returns the Info of the last stone, and whether
// any stone was new, in which case no commit can have named it.
func (s *Store) addStones(b *pebble.Batch, stones []history.Stone) (in record.Info, fresh bool, err error) {
	for _, st := range stones {
		had, ok, err := s.live().Info(st.ID)
		switch {
		case err != nil:
		case ok:
			in, err = had, reprieve(b, st.ID, had)
		default:
			fresh = true
			in, err = s.addStone(b, st)
		}
		if err != nil {
			return in, fresh, err
		}
	}
	return in, fresh, nil
}

func (s *Store) addStone(b *pebble.Batch, st history.Stone) (in record.Info, err error) {
	in.Size = st.Size()
	if in.File = in.Size >= int64(s.FileBytes); in.File {
		err = s.files.put(st)
	} else {
		in.Number = s.lastStone.Add(1)
		var data []byte
		if data, err = st.Bytes(); err == nil {
			err = b.Set(dataKey(st.ID, in), data, nil)
		}
	}
	return in, errors.Join(err, b.Set(record.StoneKey(st.ID), in.Value(), nil))
}

// lockStones keeps other calls from adding the same stones, which would leave bytes
// that no record names. It returns the function to unlock them.
func (s *Store) lockStones(stones []history.Stone) (unlock func()) {
	at := make([]uint64, len(stones))
	for i, st := range stones {
		at[i] = be.Uint64(st.ID[:])
	}
	return s.stones.lock(at)
}

// addReached keeps stones that the world must reach already.
func (s *Store) addReached(b *pebble.Batch, w uint64, refs []history.StoneRef) error {
	if len(refs) == 0 {
		return nil
	}
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := frozen(snap)
	for _, ref := range refs {
		in, ok, err := r.Info(ref.ID)
		if err == nil && ok {
			ok, err = r.Reaches(w, ref.ID)
		}
		if err == nil && (!ok || in.Size != ref.Size) {
			err = fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, history.ErrGone)
		}
		if err == nil {
			err = reprieve(b, ref.ID, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reprieve makes a condemned stone needed again.
func reprieve(b *pebble.Batch, id stone.ID, in record.Info) error {
	if !in.Condemned {
		return nil
	}
	in.Condemned = false
	return b.Set(record.StoneKey(id), in.Value(), nil)
}

// PutPack is for history.Stacks.
func (s *Store) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return fail("pack", name, err)
	}
	defer leave()
	return fail("pack", name, s.putPack(name, p, st))
}

func (s *Store) putPack(name string, p history.Pack, st history.Stone) error {
	if err := p.Admit(st); err != nil {
		return err
	}
	if err := s.room(int(st.Size())); err != nil {
		return err
	}
	r := s.live()
	w, err := r.World(name)
	if err != nil {
		return err
	}
	h := s.guard.hold()
	defer h.release()
	h.add(record.StoneThing(p.Stone.ID), record.PackThing(p.Upto))
	defer s.lockStones([]history.Stone{st})()
	b := s.db.NewBatch()
	in, _, err := s.addStones(b, []history.Stone{st})
	if err != nil {
		return err
	}
	s.worlds.of(w).RLock() // keep its commits from being deleted now
	defer s.worlds.of(w).RUnlock()
	if record.Fits(s.live(), w, p) != nil {
		// The pack may not fit because a pack or a collection changed records
		// during the check. A snapshot decides.
		snap := s.db.NewSnapshot()
		defer snap.Close()
		if err := record.Fits(frozen(snap), w, p); err != nil {
			return err
		}
	}
	if err := b.Set(record.PackKey(p.Upto), record.PackValue(p), nil); err != nil {
		return err
	}
	if err := s.apply(b, pebble.NoSync); err != nil { // a crash may lose it: the stones that it replaces are there
		return err
	}
	s.packed(p, in.Number)
	return nil
}
