package port

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/store/spool"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// WriteOptions say how a world is written as a stone.
type WriteOptions = whole.Options

// ImportOptions say how Import commits a world.
type ImportOptions struct {
	Note
	Write WriteOptions
	// Sparse says that a region file of blocks tells nothing of the columns that it lacks, so they stay. Only what is
	// in the others is read of the version that is there. Other sources than region files of blocks are refused.
	Sparse bool
	// Check, if not nil, may refuse the stone of the world. made says that Import wrote it;
	// otherwise it is the source itself. By default the checksums of a source are checked.
	Check func(s history.Stone, made bool) error
}

// Imported is the result of Import.
type Imported struct {
	Stone  history.StoneRef // with the whole world; after Since with what changed
	Commit history.Commit
	Same   bool // nothing differs, so Commit is the head's
}

// ErrSparse is returned if a source is to be sparse that is more than region files of blocks.
var ErrSparse = errors.New("port: sparse: the source is not region files of blocks alone")

// SourceError is an error of the world that is imported, not of the store.
type SourceError struct{ Err error }

func (e *SourceError) Error() string { return e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// Import makes c, which came from Parts, the newest version of a world in a store: the first
// version of a new world, or a commit of the differences. A source of region files alone is put
// over the version that is there. A source that is a stone is stored as it is. All else is
// written to a file first, and open is called after that, so that others may use the store
// meanwhile. If someone changes the world meanwhile, Import tries again, unless Note.On says what
// the head must be.
func (s *Opened) Import(ctx context.Context, open func(context.Context) (history.Store, error), name string, c stone.Content, o ImportOptions) (done Imported, err error) {
	if _, ok := s.Unchanged(); ok {
		st, err := open(ctx)
		if err == nil {
			done, err = s.importChanges(ctx, st, name, c, o.Note)
		}
		return done, err
	}
	if len(s.torn().Why) > 0 {
		done, ok, err := s.importTorn(ctx, open, name, c, o.Note)
		if ok || err != nil {
			return done, err
		}
	}
	var made history.Stone
	regions := s.regions()
	if o.Sparse && (len(regions) == 0 || slices.ContainsFunc(regions, func(r anvil.Region) bool { return r.Part != voxel.PartChunk })) {
		return done, ErrSparse
	}
	if len(regions) == 0 {
		var free func() error
		if made, free, err = s.wholeStone(ctx, c, o); err != nil {
			return done, err
		}
		defer func() { err = errors.Join(err, free()) }()
	}
	st, err := open(ctx)
	if err != nil {
		return done, err
	}
	for {
		if len(regions) > 0 {
			done, err = s.importOver(ctx, st, name, c, regions, o)
		} else {
			done.Stone = made.Ref()
			done.Commit, done.Same, err = CommitStone(ctx, st, name, made, o.Note)
		}
		if o.On != nil || !errors.Is(err, history.ErrConflict) || ctx.Err() != nil {
			return done, err
		}
	}
}

// importTorn takes what is torn from the newest version of a world. ok is false if there is none.
func (s *Opened) importTorn(ctx context.Context, open func(context.Context) (history.Store, error), name string, c stone.Content, n Note) (done Imported, ok bool, err error) {
	st, err := open(ctx)
	for err == nil {
		var head history.Head
		if head, err = st.Head(ctx, name); err != nil {
			break
		}
		s.seen = head.Commit
		if done, err = s.importChanges(ctx, st, name, c, n); n.On != nil || !errors.Is(err, ErrStale) || ctx.Err() != nil {
			return done, true, err
		}
		err = nil
	}
	if errors.Is(err, history.ErrNoWorld) {
		err = nil
	}
	return done, false, err
}

// importOver puts regions over the newest version of a world, and commits that.
func (s *Opened) importOver(ctx context.Context, st history.Store, name string, c stone.Content, regions []anvil.Region, o ImportOptions) (done Imported, err error) {
	head, err := st.Head(ctx, name)
	if err != nil && !errors.Is(err, history.ErrNoWorld) {
		return done, err
	}
	if err := o.check(name, head.Commit); err != nil {
		return done, err
	}
	if o.On = &head.Commit; head.Commit != (history.ID{}) {
		base, err := world.OpenSnapshot(ctx, st, name, head.Commit, world.Options{Cache: o.Cache})
		if err != nil {
			return done, err
		}
		defer base.Close()
		if o.Sparse {
			return importSparse(ctx, st, name, base, c, o.Note)
		}
		if c, err = overlayOf(base, c, regions); err != nil {
			return done, &SourceError{err}
		}
	}
	made, free, err := s.wholeStone(ctx, c, o)
	if err != nil {
		return done, err
	}
	done.Stone = made.Ref()
	done.Commit, done.Same, err = CommitStone(ctx, st, name, made, o.Note)
	return done, errors.Join(err, free())
}

// wholeStone returns a checked stone with the whole world: the source if it is one and nothing
// changed it, otherwise one that it writes. The caller calls free.
func (s *Opened) wholeStone(ctx context.Context, c stone.Content, o ImportOptions) (st history.Stone, free func() error, err error) {
	own := c == stone.Content(s.Stone) && o.Write.Effort == 0
	if n, ok := c.(inspect.Indexed); ok && o.MaxBytes > 0 && inspect.IndexBytes(n, o.MaxBytes) > o.MaxBytes {
		return st, nil, &SourceError{convert.ErrTooLarge}
	}
	if own {
		st, err = s.OwnStone()
		free = func() error { return nil }
	} else {
		st, free, err = s.WriteStone(ctx, c, o.Write)
	}
	if err != nil {
		return st, nil, &SourceError{err}
	}
	switch {
	case o.Check != nil:
		err = o.Check(st, !own)
	case own:
		if err = s.Stone.CheckSums(ctx); err != nil {
			err = &SourceError{err}
		}
	}
	if err != nil {
		return st, nil, errors.Join(err, free())
	}
	return st, free, nil
}

// OwnStone returns the source as the stone that it is.
func (s *Opened) OwnStone() (history.Stone, error) {
	st := history.Stone{File: io.NewSectionReader(s.Stone, 0, s.Stone.Size())}
	sum := sha256.New()
	_, err := io.Copy(sum, st.Open())
	st.ID = stone.ID(sum.Sum(nil))
	return st, err
}

// WriteStone writes c, which came from Parts, as a stone: to memory, or to a temporary file if it
// is large. The stone is there until free is called.
func (s *Opened) WriteStone(ctx context.Context, c stone.Content, o whole.Options) (st history.Stone, free func() error, err error) {
	out := spool.New(spooling{files: s.o.tempFile})
	o.Temp = s.o.tempFile
	id, _, err := whole.Write(ctx, out, c, o)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return st, nil, errors.Join(err, out.Close())
	}
	return out.Stone(id), out.Close, nil
}

// spooling is a place for a stone that is written before there is a store for it.
type spooling struct {
	history.Store
	files func() (whole.TempFile, error)
}

func (s spooling) SpoolFile() (history.SpoolFile, error) { return s.files() }
