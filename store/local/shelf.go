package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Stack is for history.Shelf.
func (s *Store) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("stack", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot() // packs and commits of one moment
	defer snap.Close()
	r := reads{Reader: snap}
	w, err := r.world(name)
	if err == nil && at != (history.ID{}) {
		_, err = r.logged(w, at)
	}
	if err != nil {
		return nil, fail("stack", name, err)
	}
	stack, err := r.stack(at)
	return stack, fail("stack", name, err)
}

// Open is for history.Shelf. A small stone is read whole.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := reads{Reader: snap}
	o, err := s.openReached(r, name, id)
	if err != nil {
		err = fmt.Errorf("stone %v: %w", id, err)
	}
	return o, fail("open", name, err)
}

func (s *Store) openReached(r reads, name string, id stone.ID) (*history.Opened, error) {
	w, err := r.world(name)
	if err != nil {
		return nil, err
	}
	in, ok, err := r.info(id)
	if err != nil {
		return nil, err
	}
	if ok {
		ok, err = r.reaches(w, id)
	}
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
	o, err := stone.Open(b, in.size)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &history.Opened{Reader: o, Closer: b}, nil
}

// bytesOf are the bytes of a stone.
type bytesOf struct {
	io.ReaderAt
	io.Closer
}

// openBytes opens the bytes of a stone that is there.
func (s *Store) openBytes(r reads, id stone.ID, in info) (bytesOf, error) {
	if in.file {
		f, err := s.FS.Open(s.files.path(id), vfs.RandomReadsOption)
		if errors.Is(err, fs.ErrNotExist) {
			err = history.ErrGone // taken since the snapshot
		}
		return bytesOf{f, f}, err
	}
	data, err := r.get(in.dataKey(id))
	if err == nil && int64(len(data)) != in.size {
		err = wrongBytes(len(data), in.size)
	}
	return bytesOf{bytes.NewReader(data), io.NopCloser(nil)}, err
}

// addStones adds stones that are held and locked, unless they are there: the
// large ones as files, the others to the batch. It returns what is known of the
// last, and whether any was not there, so that no commit can have named it.
func (s *Store) addStones(b *pebble.Batch, stones []history.Stone) (in info, fresh bool, err error) {
	for _, st := range stones {
		had, ok, err := s.live().info(st.ID)
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

func (s *Store) addStone(b *pebble.Batch, st history.Stone) (in info, err error) {
	in.size = int64(len(st.Data))
	if in.file = len(st.Data) >= s.FileBytes; in.file {
		err = s.files.put(st)
	} else {
		in.number = s.lastStone.Add(1)
		err = b.Set(in.dataKey(st.ID), st.Data, nil)
	}
	return in, errors.Join(err, b.Set(infoKey(st.ID), in.value(), nil))
}

// lockStones keeps others from adding the same stones, which would leave bytes
// that no record knows; call the result to let go.
func (s *Store) lockStones(stones []history.Stone) (unlock func()) {
	at := make([]uint64, len(stones))
	for i, st := range stones {
		at[i] = be.Uint64(st.ID[:])
	}
	return s.stones.lock(at)
}

// addReached adds stones that the world must reach already.
func (s *Store) addReached(b *pebble.Batch, w uint64, refs []history.StoneRef) error {
	if len(refs) == 0 {
		return nil
	}
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := reads{Reader: snap}
	for _, ref := range refs {
		in, ok, err := r.info(ref.ID)
		if err == nil && ok {
			ok, err = r.reaches(w, ref.ID)
		}
		if err == nil && (!ok || in.size != ref.Size) {
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

// reprieve keeps a stone that is there.
func reprieve(b *pebble.Batch, id stone.ID, in info) error {
	if !in.doomed {
		return nil
	}
	in.doomed = false
	return b.Set(infoKey(id), in.value(), nil)
}

// PutPack is for history.Shelf.
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
	if err := s.room(len(st.Data)); err != nil {
		return err
	}
	r := s.live()
	w, err := r.world(name)
	if err != nil {
		return err
	}
	h := s.guard.hold()
	defer h.release()
	h.add(stoneThing(p.Stone.ID), packThing(p.Upto))
	defer s.lockStones([]history.Stone{st})()
	b := s.db.NewBatch()
	in, _, err := s.addStones(b, []history.Stone{st})
	if err != nil {
		return err
	}
	s.worlds.of(w).RLock() // its commits must not be dropped now
	defer s.worlds.of(w).RUnlock()
	if s.live().fits(w, p) != nil {
		// Where it does not, that may be for what was packed and collected beside.
		snap := s.db.NewSnapshot()
		defer snap.Close()
		if err := (reads{Reader: snap}).fits(w, p); err != nil {
			return err
		}
	}
	if err := b.Set(packKey(p.Upto), packValue(p), nil); err != nil {
		return err
	}
	if err := s.apply(b, pebble.NoSync); err != nil { // a crash may take it: what it stands for is there
		return err
	}
	s.packed(p, in.number)
	return nil
}

// fits returns an error unless both ends of the pack are the world's, and the
// upper one stands on the lower.
func (r reads) fits(w uint64, p history.Pack) error {
	if _, err := r.logged(w, p.Upto); errors.Is(err, history.ErrNoCommit) {
		h, err := r.head(w)
		if err != nil {
			return err
		}
		if ok, err := r.stands(h.Commit, p.Upto, r.below); !ok || err != nil {
			return errors.Join(err, fmt.Errorf("upto %v: %w", p.Upto, history.ErrNoCommit))
		}
	} else if err != nil {
		return err
	}
	ok, err := r.stands(p.Upto, p.After, r.below)
	if ok || err != nil {
		return err
	}
	if _, err := r.logged(w, p.After); err != nil {
		return fmt.Errorf("after %w", err)
	}
	if ok, err := r.stands(p.Upto, p.After, r.base); !ok || err != nil {
		return errors.Join(err, fmt.Errorf("after %v: not below %v: %w", p.After, p.Upto, history.ErrNoCommit))
	}
	return nil
}
