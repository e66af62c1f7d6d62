package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Snapshot is a read-only handle of one commit: its stones, open, with their
// directories parsed and their names translated once. It holds no chunk and no
// column; these are read through a page cache when they are asked for. Any number of
// goroutines may read it. It implements stone.Content; its cells index the names that
// About gives.
type Snapshot struct {
	world string
	id    history.ID
	stack openStack
	about *state // without chunks and columns
	empty []string
	temp  func() (whole.TempFile, error) // for Write of a pack; nil: none

	closed  atomic.Bool
	mu      sync.Mutex
	touched map[farName]map[geom.ChunkPos]bool // chunks of far levels that changed since the full pack
}

// OpenSnapshot opens a commit of a world; the zero ID is a world without commits. Of
// the Options it uses Empty and Cache. The caller closes the Snapshot.
func OpenSnapshot(ctx context.Context, st history.Store, name string, at history.ID, o Options) (*Snapshot, error) {
	o = o.withDefaults()
	s := &Snapshot{world: name, id: at, about: &state{}, empty: o.Empty}
	if at == (history.ID{}) {
		return s, nil
	}
	f, err := fetchStack(ctx, st, name, at, fetchRoom)
	if err != nil {
		return nil, err
	}
	if s.stack, err = openFetched(ctx, st, name, f, nil, o.Cache); err != nil {
		return nil, err
	}
	if s.about, err = s.stack.describe(o.Empty); err != nil {
		s.stack.release()
		return nil, err
	}
	return s, nil
}

// Snapshot returns the world's last commit, or the one it was opened at. The caller
// closes it; it stays good when the world goes on.
func (w *World) Snapshot() (*Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, err := w.locked()
	if err != nil {
		return nil, err
	}
	about := m.now
	if w.part != nil {
		about = about.bare(w.o.Empty)
	}
	return &Snapshot{world: w.name, id: w.base, stack: m.openStack, about: about, empty: w.o.Empty}, nil
}

// SnapshotAt returns a commit of the world. The caller closes it.
func (w *World) SnapshotAt(ctx context.Context, id history.ID) (*Snapshot, error) {
	if err := w.live(); err != nil {
		return nil, err
	}
	return OpenSnapshot(ctx, w.store, w.name, id, w.o)
}

// ErrNoParent says that what the world was before a commit cannot be told any more: a
// collection dropped its parent from the log, or the world was forked behind it, and the stones of the commit
// do not lie on it alone.
var ErrNoParent = errors.New("the version before it is gone")

// OpenBefore opens what a world was before a commit of it: the commit's parent, also one that the log
// does not have any more if the commit's own stones lie on those of the parent. Otherwise the error
// is ErrNoParent. The caller closes the Snapshot.
func OpenBefore(ctx context.Context, st history.Store, name string, c history.Commit, o Options) (*Snapshot, error) {
	s, err := OpenSnapshot(ctx, st, name, c.Parent, o)
	if !errors.Is(err, history.ErrNoCommit) {
		return s, err
	}
	with, err := OpenSnapshot(ctx, st, name, c.ID(), o)
	if err != nil {
		return nil, err
	}
	defer with.Close()
	n := len(with.stack)
	for n > 0 && with.stack[n-1].Upto == c.ID() && with.stack[n-1].After == c.Base {
		n--
	}
	if c.Base != c.Parent || n > 0 && with.stack[n-1].Upto == c.ID() { // a pack has both
		return nil, fmt.Errorf("world: %s: version %d: %w", name, c.Number, ErrNoParent)
	}
	before := &Snapshot{world: name, id: c.Parent, stack: with.stack[:n:n].hold(), empty: with.empty}
	if before.about, err = before.stack.describe(with.empty); err != nil {
		before.stack.release()
		return nil, err
	}
	return before, nil
}

// SnapshotBefore is OpenBefore for a commit of the world.
func (w *World) SnapshotBefore(ctx context.Context, c history.Commit) (*Snapshot, error) {
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
	}
	return OpenBefore(ctx, w.store, w.name, c, w.o)
}

// Close lets go of the commit's stones. A second Close does nothing, and reads after it
// return ErrClosed.
func (s *Snapshot) Close() error {
	if s.closed.CompareAndSwap(false, true) {
		s.stack.release()
	}
	return nil
}

// live returns an error if the Snapshot is closed.
func (s *Snapshot) live() error {
	if s.closed.Load() {
		return fmt.Errorf("world: %s: snapshot: %w", s.world, ErrClosed)
	}
	return nil
}

// World returns the name of the world.
func (s *Snapshot) World() string { return s.world }

// ID returns the commit.
func (s *Snapshot) ID() history.ID { return s.id }

// Memory returns about how many bytes of memory the directories take.
func (s *Snapshot) Memory() (n int64) {
	for _, l := range s.stack {
		n += l.Memory()
	}
	return n
}

// Stones returns how many stones the commit stands on, and their bytes.
func (s *Snapshot) Stones() (n int, bytes int64) {
	for _, l := range s.stack {
		bytes += l.Stone.Size
	}
	return len(s.stack), bytes
}

// About describes the world.
func (s *Snapshot) About() stone.About {
	about := stone.About{Files: s.stack.files()}
	if len(s.stack) > 0 {
		about.Properties = s.stack[len(s.stack)-1].Properties()
	}
	for _, d := range s.about.dimensions {
		if s.stack.describes(d.name, "") {
			about.Dimensions = append(about.Dimensions, s.dimension(d))
		}
	}
	return about
}

// dimension describes a dimension.
func (s *Snapshot) dimension(d *dimension) stone.DimensionInfo {
	out := stone.DimensionInfo{Name: d.name, Folder: s.stack.folder(d.name), Lists: d.lists}
	for _, v := range d.volumes {
		if s.stack.describes(d.name, v.Name) {
			out.Volumes = append(out.Volumes, stone.VolumeInfo{Volume: v.Volume, Names: v.names.list, Levels: []int{0}})
		}
	}
	return out
}

// volume returns a volume of the commit, or an error that says which there are.
func (s *Snapshot) volume(dim, vol string) (*volume, error) {
	i := s.about.dimension(dim)
	if i < 0 {
		return nil, fmt.Errorf("world: %s: no dimension %q", s.world, dim)
	}
	d := s.about.dimensions[i]
	if i = d.volume(vol); i < 0 {
		return nil, fmt.Errorf("world: %s: no volume %q in %q", s.world, vol, dim)
	}
	return d.volumes[i], nil
}

// HasLevel reports whether a far level of a volume can be read without the chunks
// below it: whether there is a full pack that has it.
func (s *Snapshot) HasLevel(dim, vol string, level int) bool {
	return (&farReader{openStack: s.stack, name: volumeName{dim, vol}}).packed(level)
}

// FarChanges returns how many chunks of a volume commits have touched since the full pack, if
// there is one. Far levels over them are made from them whenever they are read.
func (s *Snapshot) FarChanges(dim, vol string) (n int) {
	for i, l := range s.stack {
		if i > 0 {
			for range l.Entries(dim, vol, 0) {
				n++
			}
		}
	}
	return n
}

// ColumnCount returns how many columns a dimension has.
func (s *Snapshot) ColumnCount(dim string) (n int) {
	if len(s.stack) == 1 {
		return s.stack[0].ColumnCount(dim)
	}
	for _, there := range s.stack.columns(dim) {
		if there {
			n++
		}
	}
	return n
}

// Entries implements stone.Content. It has no level but 0.
func (s *Snapshot) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		if level != 0 {
			return
		}
		if len(s.stack) == 1 {
			s.stack[0].Entries(dim, vol, 0)(yield)
			return
		}
		s.stack.entries(volumeName{dim, vol})(yield)
	}
}

// ReadChunks implements stone.Content. Besides level 0 it has the levels that HasLevel reports.
func (s *Snapshot) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if err := s.live(); err != nil {
		return err
	}
	if level != 0 {
		return s.readFar(ctx, farName{volumeName{dim, vol}, level}, want, f)
	}
	return s.stack.chunks(ctx, volumeName{dim, vol}, want, f)
}

// ReadColumns implements stone.Content.
func (s *Snapshot) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		i := s.about.dimension(dim)
		if err := s.live(); err != nil || i < 0 {
			if err != nil {
				yield(nil, err)
			}
			return
		}
		if len(s.stack) == 1 {
			s.onlyColumns(ctx, dim)(yield)
			return
		}
		r := s.stack.columnReader(ctx, dim, s.about.dimensions[i].lists)
		for pos, there := range s.stack.columns(dim) {
			if !there {
				continue
			}
			c, err := r.Column(pos)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if c != nil && !yield(c, nil) {
				return
			}
		}
	}
}

// onlyColumns is Columns of a commit on one stone, whose pages it goes through once.
func (s *Snapshot) onlyColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range s.stack[0].ReadColumns(ctx, dim) {
			if err != nil {
				yield(nil, fmt.Errorf("world: stone %v: %w", s.stack[0].Stone.ID, err))
				return
			}
			c.Lists = withObjects(c.Lists)
			if !yield(c, nil) {
				return
			}
		}
	}
}

// ReadColumn returns a column with its lists, nil if there is none.
func (s *Snapshot) ReadColumn(ctx context.Context, dim string, pos geom.ColumnPos) (*voxel.Column, error) {
	i := s.about.dimension(dim)
	if err := s.live(); err != nil || i < 0 {
		return nil, err
	}
	return s.stack.columnReader(ctx, dim, s.about.dimensions[i].lists).Column(pos)
}

// OpenFile implements stone.Content. The file stays good when the Snapshot is closed.
func (s *Snapshot) OpenFile(path string) (io.ReadCloser, error) {
	if err := s.live(); err != nil {
		return nil, err
	}
	return s.stack.openFile(path)
}

// Matters returns what the cells of a dimension's blocks are to light, as far as the
// commit's stones say.
func (s *Snapshot) Matters(dim string) stone.Matters {
	if i := s.about.dimension(dim); i >= 0 {
		return s.about.dimensions[i].matters
	}
	return nil
}

// Rules returns the rules of a dimension's height maps, as far as the commit's stones
// say.
func (s *Snapshot) Rules(dim string) []stone.HeightRule {
	if i := s.about.dimension(dim); i >= 0 {
		return s.about.dimensions[i].rules
	}
	return nil
}

// tempIn returns what makes temporary files of a Store, nil if it has none.
func tempIn(st history.Store) func() (whole.TempFile, error) {
	from, ok := st.(history.Spooling)
	if !ok {
		return nil
	}
	return func() (whole.TempFile, error) {
		f, err := from.SpoolFile()
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// Stone returns the bytes of the commit's stone, nil if it stands on several. They are a file of
// the whole world. The caller closes the Snapshot after reading them.
func (s *Snapshot) Stone() *io.SectionReader {
	if len(s.stack) != 1 {
		return nil
	}
	return io.NewSectionReader(s.stack[0], 0, s.stack[0].Size())
}

// Write writes the commit, with everything below it, as one stone.
func (s *Snapshot) Write(ctx context.Context, to io.Writer, o stone.Options) (stone.ID, int64, error) {
	if len(s.stack) == 0 {
		return stone.ID{}, 0, fmt.Errorf("world: %s: %w", s.world, history.ErrNoCommit)
	}
	return whole.Write(ctx, to, s, whole.Options{Options: o, Far: true, Empty: s.empty, Temp: s.temp})
}
