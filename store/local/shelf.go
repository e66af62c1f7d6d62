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

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// Stack is for world.Shelf.
func (s *Store) Stack(ctx context.Context, name string, at world.ID) ([]world.Layer, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("stack", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot() // packs and commits of one moment
	defer snap.Close()
	r := reads{snap}
	w, err := r.world(name)
	if err == nil && at != (world.ID{}) {
		_, err = r.logged(w, at)
	}
	if err != nil {
		return nil, fail("stack", name, err)
	}
	stack, err := world.StackOf(at, r.commit, r.pack, nil)
	return stack, fail("stack", name, err)
}

// Open is for world.Shelf. A small stone is read whole.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*world.Opened, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := reads{snap}
	o, err := s.openReached(r, name, id)
	if err != nil {
		err = fmt.Errorf("stone %v: %w", id, err)
	}
	return o, fail("open", name, err)
}

func (s *Store) openReached(r reads, name string, id stone.ID) (*world.Opened, error) {
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
		err = world.ErrGone
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
	return &world.Opened{Reader: o, Closer: b}, nil
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
			err = world.ErrGone // taken since the snapshot
		}
		return bytesOf{f, f}, err
	}
	data, err := r.get(dataKey(id))
	if err == nil && int64(len(data)) != in.size {
		err = wrongBytes(len(data), in.size)
	}
	return bytesOf{bytes.NewReader(data), io.NopCloser(nil)}, err
}

// blindBytes is up to which size a stone is written without a look whether it is
// there, which costs more.
const blindBytes = 4 << 10

// addStones adds stones that are held, unless they are there: the large ones as
// files, the others to the batch.
func (s *Store) addStones(b *pebble.Batch, stones []world.Stone) error {
	for _, st := range stones {
		in := info{size: int64(len(st.Data)), file: len(st.Data) >= s.FileBytes}
		if in.file || len(st.Data) > blindBytes {
			had, ok, err := reads{s.db}.info(st.ID)
			if err != nil {
				return err
			}
			if ok {
				if err := reprieve(b, st.ID, had); err != nil {
					return err
				}
				continue
			}
		}
		var err error
		if in.file {
			err = s.files.put(st)
		} else {
			err = b.Set(dataKey(st.ID), st.Data, nil)
		}
		if err = errors.Join(err, b.Set(infoKey(st.ID), in.value(), nil)); err != nil {
			return err
		}
	}
	return nil
}

// addReached adds stones that the world must reach already.
func (s *Store) addReached(b *pebble.Batch, w uint64, refs []world.StoneRef) error {
	if len(refs) == 0 {
		return nil
	}
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := reads{snap}
	for _, ref := range refs {
		in, ok, err := r.info(ref.ID)
		if err == nil && ok {
			ok, err = r.reaches(w, ref.ID)
		}
		if err == nil && (!ok || in.size != ref.Size) {
			err = fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, world.ErrGone)
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

// PutPack is for world.Shelf.
func (s *Store) PutPack(ctx context.Context, name string, p world.Pack, st world.Stone) error {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return fail("pack", name, err)
	}
	defer leave()
	return fail("pack", name, s.putPack(name, p, st))
}

func (s *Store) putPack(name string, p world.Pack, st world.Stone) error {
	if err := p.Admit(st); err != nil {
		return err
	}
	if err := s.room(len(st.Data)); err != nil {
		return err
	}
	r := reads{s.db}
	w, err := r.world(name)
	if err != nil {
		return err
	}
	h := s.guard.hold()
	defer h.release()
	h.add(stoneThing(p.Stone.ID), packThing(p.Upto))
	b := s.db.NewBatch()
	if err := s.addStones(b, []world.Stone{st}); err != nil {
		return err
	}
	s.worlds.of(w).RLock() // its commits must not be dropped now
	defer s.worlds.of(w).RUnlock()
	if err := s.fits(w, p); err != nil {
		return err
	}
	if err := b.Set(packKey(p.Upto), packValue(p), nil); err != nil {
		return err
	}
	return s.apply(b, durable())
}

// fits returns an error unless both ends of the pack are the world's, and the
// upper one stands on the lower.
func (s *Store) fits(w uint64, p world.Pack) error {
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := reads{snap}
	if _, err := r.logged(w, p.Upto); errors.Is(err, world.ErrNoCommit) {
		h, err := r.head(w)
		if err != nil {
			return err
		}
		if ok, err := r.stands(h.Commit, p.Upto, r.below); !ok || err != nil {
			return errors.Join(err, fmt.Errorf("upto %v: %w", p.Upto, world.ErrNoCommit))
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
		return errors.Join(err, fmt.Errorf("after %v: not below %v: %w", p.After, p.Upto, world.ErrNoCommit))
	}
	return nil
}
