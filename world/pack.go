package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/spool"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// maxStones is how many stones a commit leaves in the stack before it packs.
const maxStones = 8

// Pack puts one stone in place of the whole stack of the head, written as small
// as it gets. It changes no commit, but it writes to the Store: of a world that was opened for reading it
// fails.
func (w *World) Pack(ctx context.Context) error {
	if w.readOnly {
		return fmt.Errorf("world: %s: pack: %w", w.name, ErrReadOnly)
	}
	if err := w.enter(&w.saving); err != nil {
		return err
	}
	defer w.leave(&w.saving)
	m, err := w.moment()
	if err != nil {
		return err
	}
	defer m.release()
	if len(m.openStack) < 2 {
		return nil
	}
	return w.merge(ctx, m, 0, len(m.openStack), stone.Best)
}

// packHigh packs the top of a stack that is too high. What takes long is packed beside what the world does
// next; then it reports that, and counts the outcome later.
func (w *World) packHigh(ctx context.Context) (beside bool, err error) {
	m, err := w.moment()
	if err != nil {
		return false, err
	}
	defer m.release()
	if len(m.openStack) <= maxStones {
		return false, nil
	}
	if history.Packs(w.store) {
		return false, w.takePacks(ctx, len(m.openStack))
	}
	above, busy := w.above(m.openStack)
	if busy && (above == 0 || len(m.openStack)-above <= maxStones) {
		return true, nil
	}
	layers := m.layers()
	layers[0].Stone.Size += workOf(m.openStack[0].Reader)
	made, err := whenMade(ctx, w.store, w.name, layers[above:])
	if err != nil {
		return false, err
	}
	from, to := history.PackRun(layers[above:], made, maxStones)
	from, to = above+from, above+to
	price := int64(0)
	for _, l := range layers[from:to] {
		price += l.Stone.Size
	}
	if price > packInPlace && !busy {
		return true, w.packBeside(ctx, from, to)
	}
	return false, w.merge(ctx, m, from, to, stone.Good)
}

// takePacks opens the stack again, of which the Store may have packed some. It asks
// each time the stack has grown by a few stones.
func (w *World) takePacks(ctx context.Context, height int) error {
	const few = 4
	if w.height > 0 && height >= w.height && height < w.height+few {
		return nil
	}
	if err := w.reopen(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.height = len(w.stack)
	return nil
}

// whenMade returns when the commits up to which layers go were made, zero where the log does not have one any more.
func whenMade(ctx context.Context, st history.Store, name string, layers []history.Layer) ([]time.Time, error) {
	made := make([]time.Time, len(layers))
	for i, l := range layers {
		log, err := st.Log(ctx, name, l.Upto, 1)
		if err != nil && !errors.Is(err, history.ErrNoCommit) {
			return nil, err
		}
		if len(log) > 0 {
			made[i] = log[0].Time
		}
	}
	return made, nil
}

// merge puts a pack in place of a run of layers of m, of that effort if it
// is all of them.
func (w *World) merge(ctx context.Context, m moment, from, to int, effort stone.Effort) error {
	var s *state
	if from == 0 {
		s = m.now
	}
	if err := m.openStack[from:to].pack(ctx, w.store, w.name, s, w.o.Empty, effort); err != nil {
		return err
	}
	return w.reopen(ctx)
}

// pack puts a pack in place of the stack, which is a run of a world's stack. s is
// what the stack says if nothing is below it, written with that effort; nil if there is more below.
func (p openStack) pack(ctx context.Context, st history.Store, name string, s *state, empty []string, effort stone.Effort) (err error) {
	out := spool.New(st)
	defer func() { err = errors.Join(err, out.Close()) }()
	var id stone.ID
	if s == nil {
		id, err = p.merged(ctx, out)
	} else {
		whole := &Snapshot{world: name, stack: p, about: s, empty: empty, temp: tempIn(st)}
		id, _, err = whole.Write(ctx, out, stone.Options{Effort: effort})
	}
	if err != nil {
		return fmt.Errorf("world: %s: pack: %w", name, err)
	}
	written := out.Stone(id)
	return st.PutPack(ctx, name, history.Pack{After: p[0].After, Upto: p[len(p)-1].Upto, Stone: written.Ref()}, written)
}

// merged writes the stone that stands for the stack where there is more below.
func (p openStack) merged(ctx context.Context, to io.Writer) (stone.ID, error) {
	id, _, err := stone.Merge(ctx, to, p.run(), stone.Options{Effort: stone.Quick})
	return id, err
}

// WriteStone writes the last commit, with everything below it, as one stone.
// The world must have a commit.
func (w *World) WriteStone(ctx context.Context, to io.Writer, o stone.Options) (stone.ID, error) {
	s, err := w.Snapshot()
	if err != nil {
		return stone.ID{}, err
	}
	id, _, err := s.Write(ctx, to, o)
	return id, errors.Join(err, s.Close())
}

// describes reports whether some stone has the volume, or the dimension if
// volume is "".
func (p openStack) describes(dim, volume string) bool {
	for _, l := range p {
		for _, d := range l.Dimensions() {
			if d.Name != dim {
				continue
			}
			if volume == "" || slices.ContainsFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == volume }) {
				return true
			}
		}
	}
	return false
}

// folder returns the folder of a dimension as the stack has it.
func (p openStack) folder(dim string) (folder string) {
	for _, l := range p {
		for _, d := range l.Dimensions() {
			if d.Name == dim {
				folder = d.Folder
			}
		}
	}
	return folder
}

// batch is how many chunks are read at once when a stack is gone through.
const batch = 1024

// entries yields where the stack covers chunks, in ascending order of code, and whether they
// may hold anything.
func (p openStack) entries(name volumeName) iter.Seq2[geom.ChunkPos, bool] {
	return overlaid(p, byCode, func(a, b geom.ChunkPos) bool { return geom.CodeOf(a, 0)>>6 == geom.CodeOf(b, 0)>>6 },
		func(o *openStone) iter.Seq2[geom.ChunkPos, bool] { return o.Entries(name.dimension, name.volume, 0) })
}

// columns yields which columns the stack covers, in ascending order, and whether they are there.
func (p openStack) columns(dim string) iter.Seq2[geom.ColumnPos, bool] {
	return overlaid(p, geom.ColumnPos.Compare, func(a, b geom.ColumnPos) bool { return a.X>>3 == b.X>>3 && a.Z>>3 == b.Z>>3 },
		func(o *openStone) iter.Seq2[geom.ColumnPos, bool] { return o.ColumnEntries(dim) })
}

// overlaid yields what stones say of positions, in ascending order: at each position what the
// highest stone says that says anything. beside reports whether two positions are of one group
// of neighbours; groups ascend in a stone, and in a group there are at most 64 in any order.
func overlaid[P any](p openStack, compare func(a, b P) int, beside func(a, b P) bool, says func(*openStone) iter.Seq2[P, bool]) iter.Seq2[P, bool] {
	return func(yield func(P, bool) bool) {
		var heads []*head[P] // top first
		for _, l := range slices.Backward(p) {
			h := &head[P]{compare: compare, beside: beside}
			var stop func()
			h.pull, stop = iter.Pull2(says(l.openStone))
			defer stop()
			if h.next() {
				heads = append(heads, h)
			}
		}
		for len(heads) > 0 {
			first := heads[0]
			for _, h := range heads[1:] {
				if compare(h.group[0].pos, first.group[0].pos) < 0 {
					first = h
				}
			}
			at := first.group[0]
			if !yield(at.pos, at.there) {
				return
			}
			heads = slices.DeleteFunc(heads, func(h *head[P]) bool { return compare(h.group[0].pos, at.pos) == 0 && !h.next() })
		}
	}
}

// head is how far overlaid has come in a stone.
type head[P any] struct {
	compare func(a, b P) int
	beside  func(a, b P) bool
	pull    func() (P, bool, bool)
	group   []said[P] // ascending; the first is next
	after   []said[P] // the first of the group after that, or empty
	buffer  []said[P]
}

// said is what a stone says of a position.
type said[P any] struct {
	pos   P
	there bool
}

// next goes on to the next position. It returns false after the last.
func (h *head[P]) next() bool {
	if len(h.group) > 1 {
		h.group = h.group[1:]
		return true
	}
	h.buffer = append(h.buffer[:0], h.after...)
	h.after = h.after[:0]
	for {
		pos, there, ok := h.pull()
		if !ok {
			break
		}
		if len(h.buffer) > 0 && !h.beside(h.buffer[0].pos, pos) {
			h.after = append(h.after, said[P]{pos, there})
			break
		}
		h.buffer = append(h.buffer, said[P]{pos, there})
	}
	sort.Slice(h.buffer, func(i, j int) bool { return h.compare(h.buffer[i].pos, h.buffer[j].pos) < 0 })
	h.group = h.buffer
	return len(h.group) > 0
}

// files returns the files that are there, by path.
func (p openStack) files() (out []stone.File) {
	for _, l := range p {
		sizes := make(map[string]int64)
		for _, f := range l.Files() {
			sizes[f.Path] = f.Size
		}
		for path, there := range l.FileEntries() {
			i, ok := slices.BinarySearchFunc(out, path, func(f stone.File, p string) int { return strings.Compare(f.Path, p) })
			if ok {
				out = slices.Delete(out, i, i+1)
			}
			if there {
				out = slices.Insert(out, i, stone.File{Path: path, Size: sizes[path]})
			}
		}
	}
	return out
}
