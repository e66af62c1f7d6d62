package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Columns is what Load takes for the columns of a box with their objects.
const Columns = "columns"

// Held keeps a box of a world in memory until it is released.
type Held struct {
	w       *World
	dim     string
	volumes []string // none: all, and the columns
	box     geom.Box // in cells of the dimension
	meter   *meter   // of the load, until it has ended
	loading bool     // a Restore leaves it to the load; under w.mu
	parts   []*Held  // of LoadRegion
}

func (h *Held) has(volume string) bool {
	return len(h.volumes) == 0 || slices.Contains(h.volumes, volume)
}

// Load brings into memory what touches a box, and keeps it there until Release. The box
// counts cells of the dimension. volumes says what to load: names of volumes, and Columns
// for columns with their objects. Without any it is everything, also volumes that are made
// later; a dimension that is made later is loaded by a Load of its own. Load decodes on Options.Parallel goroutines and returns when all is there. It waits for a
// Restore under way, and begins again after one that came meanwhile; no Restore waits for it.
//
// To change blocks, load the columns too. Where height maps follow from blocks, Load of
// voxel.Block and Columns also brings the chunks above and below the box.
func (w *World) Load(ctx context.Context, dimension string, box geom.Box, volumes ...string) (*Held, error) {
	m := measure(w.o.Steps)
	h, err := w.load(ctx, m, dimension, box, volumes...)
	if err == nil {
		m.loaded()
		m.tell(w.name)
	}
	return h, err
}

// LoadRegion is Load of a region: of boxes of up to 64 chunks that each hold cells of it, so that of
// a ring or of far parts what lies between them is left out.
func (w *World) LoadRegion(ctx context.Context, dimension string, r region.Region, volumes ...string) (*Held, error) {
	if b := r.Bounds(); region.CoverOf(r, b) == region.Whole {
		return w.Load(ctx, dimension, b, volumes...)
	}
	const chunks = 64 // of a box
	all := &Held{w: w}
	for _, b := range region.Boxes(r, chunks) {
		h, err := w.Load(ctx, dimension, b, volumes...)
		if err != nil {
			all.Release()
			return nil, err
		}
		all.parts = append(all.parts, h)
	}
	return all, nil
}

func (w *World) load(ctx context.Context, m *meter, dimension string, box geom.Box, volumes ...string) (*Held, error) {
	h := &Held{w: w, dim: dimension, volumes: slices.Clone(volumes), box: box, meter: m, loading: true}
	w.mu.Lock()
	w.held[h] = true
	w.mu.Unlock()
	err := errWentBack
	for errors.Is(err, errWentBack) {
		err = w.bring(ctx, h, box)
	}
	if err != nil {
		h.Release()
		return nil, err
	}
	h.meter = nil
	return h, nil
}

// errWentBack says that a Restore came between reading something and taking it into memory.
var errWentBack = errors.New("world: it went back meanwhile")

// bring loads what h is to hold of a box. The error is errWentBack if the world is another since.
func (w *World) bring(ctx context.Context, h *Held, box geom.Box) error {
	w.mu.Lock()
	s, era := w.now.Load(), w.era
	w.mu.Unlock()
	d, err := h.in(s)
	if err != nil {
		return err
	}
	tall := box
	if !box.Empty() && h.has(voxel.Block) && h.has(Columns) {
		tall.Min.Y, tall.Max.Y = Everywhere.Min.Y, Everywhere.Max.Y
	}
	if err := w.know(h.dim, h.has, tall); err != nil {
		return err
	}
	widen := func() {
		w.mu.Lock()
		h.box = tall
		w.mu.Unlock()
	}
	if len(d.rules) > 0 {
		widen()
	}
	fill := func() error { return w.again(ctx, func() error { return w.fill(ctx, h) }) }
	err = fill()
	if err == nil && h.box != tall {
		if d, err = h.in(w.now.Load()); err == nil && d.mapped(box) { // no stone said so
			widen()
			err = fill()
		}
	}
	if err != nil {
		return err
	}
	w.moving.RLock() // a Restore under way did not know of h
	defer w.moving.RUnlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.era != era {
		return errWentBack
	}
	h.loading = false
	return nil
}

// in returns the dimension of s that h holds something of.
func (h *Held) in(s *state) (*dimension, error) {
	i := s.dimension(h.dim)
	if i < 0 {
		return nil, fmt.Errorf("world: %s: load: no dimension %q", h.w.name, h.dim)
	}
	for _, name := range h.volumes {
		if name != Columns && s.dimensions[i].volume(name) < 0 {
			return nil, fmt.Errorf("world: %s: load: dimension %q has no volume %q", h.w.name, h.dim, name)
		}
	}
	return s.dimensions[i], nil
}

// mapped reports whether a column that touches a box has height maps.
func (d *dimension) mapped(box geom.Box) bool {
	for _, c := range d.columns.in(box) {
		if hasHeights(c) {
			return true
		}
	}
	return false
}

// again calls f, and again when stones of the stack were collected meanwhile.
func (w *World) again(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || !errors.Is(err, history.ErrGone) || try == maxReopen {
			return err
		}
		if err := w.reopen(ctx); err != nil {
			return err
		}
	}
}

// reopen asks for the stack of the world again, and again when a commit came meanwhile.
func (w *World) reopen(ctx context.Context) error {
	for range maxReopen {
		w.mu.Lock()
		at := w.base
		w.mu.Unlock()
		p, err := w.openStack(ctx, at)
		if err != nil {
			return err
		}
		if w.take(p, at) {
			return nil
		}
	}
	return nil
}

// take makes p the stack of the world, unless that stands on another commit by now.
func (w *World) take(p openStack, at history.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.base != at {
		p.release()
		return w.closed
	}
	for _, l := range p {
		if !l.known {
			l.learn(w.now.Load())
		}
	}
	w.stack.release()
	w.stack = p
	return true
}

// fill loads what h holds and is not in memory.
func (w *World) fill(ctx context.Context, h *Held) error {
	m, err := w.moment()
	if err != nil {
		return err
	}
	defer m.release()
	d, err := h.in(m.now)
	if err != nil {
		return err
	}
	// Light and height maps may follow from blocks, so these come first.
	var rest []func() error
	for _, v := range d.volumes {
		fill := func() error { return w.fillVolume(ctx, m, d, v, h) }
		switch {
		case !h.has(v.Name):
		case v.Name == voxel.Block:
			if err := fill(); err != nil {
				return err
			}
		default:
			rest = append(rest, fill)
		}
	}
	if h.has(Columns) {
		rest = append(rest, func() error { return w.fillColumns(ctx, m, d, h) })
	}
	if len(rest) == 0 {
		return nil
	}
	return each(ctx, w.o.Parallel, len(rest), func(i int) error { return rest[i]() })
}

// inVolume returns the box in cells of a volume of that scale that covers b. What the volume has
// beyond space counts as at its edge, see overChunk.
func inVolume(b geom.Box, scale int) geom.Box {
	if scale == 1 || b.Empty() {
		return b
	}
	low := func(v, edge int) int {
		if v <= edge {
			return edge
		}
		return geom.FloorDiv(v, scale)
	}
	high := func(v, edge int) int {
		if v >= edge {
			return edge
		}
		return geom.FloorDiv(v-1, scale) + 1
	}
	least, most := Everywhere.Min, Everywhere.Max
	return geom.Box{
		Min: geom.Point{X: low(b.Min.X, least.X), Y: low(b.Min.Y, least.Y), Z: low(b.Min.Z, least.Z)},
		Max: geom.Point{X: high(b.Max.X, most.X), Y: high(b.Max.Y, most.Y), Z: high(b.Max.Z, most.Z)},
	}
}

// overChunk returns the cells of the dimension that a chunk of a volume of that scale covers, and the
// nearest ones of space if it lies beyond.
func overChunk(pos geom.ChunkPos, scale int) geom.Box {
	b := pos.Box().Scale(scale)
	least, most := Everywhere.Min, Everywhere.Max
	b.Min = geom.Point{X: min(b.Min.X, most.X-1), Y: min(b.Min.Y, most.Y-1), Z: min(b.Min.Z, most.Z-1)}
	b.Max = geom.Point{X: max(b.Max.X, least.X+1), Y: max(b.Max.Y, least.Y+1), Z: max(b.Max.Z, least.Z+1)}
	return b
}

func (w *World) fillVolume(ctx context.Context, m moment, d *dimension, v *volume, h *Held) error {
	var want []geom.ChunkPos
	for pos, c := range v.cells.ChunksIn(inVolume(h.box, v.Scale)) {
		if c == nil {
			want = append(want, pos)
		}
	}
	if len(want) == 0 {
		return nil
	}
	name := volumeName{d.name, v.Name}
	placed, err := w.readChunks(ctx, m.openStack, name, want)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.era != m.era {
		return errWentBack
	}
	defer h.meter.shown(h.meter.now())
	s := w.now.Load().edit()
	e := s.editDimension(s.dimension(d.name))
	j := e.volume(v.Name)
	cells := e.volumes[j].cells
	placed = slices.DeleteFunc(placed, func(c grid.Placed) bool { // changed since
		_, loaded := cells.Chunk(c.Pos)
		return loaded
	})
	e.setCells(j, cells.With(placed))
	w.now.Store(s)
	return nil
}

// readChunks reads chunks page by page on some goroutines.
func (w *World) readChunks(ctx context.Context, p openStack, name volumeName, want []geom.ChunkPos) ([]grid.Placed, error) {
	pieces := [][]geom.ChunkPos{want}
	if len(p) > 0 && w.o.Parallel > 1 {
		pieces = p.pieces(name, want)
	}
	out := make([][]grid.Placed, len(pieces))
	err := each(ctx, w.o.Parallel, len(pieces), func(i int) error {
		out[i] = make([]grid.Placed, 0, len(pieces[i]))
		return p.chunks(ctx, name, pieces[i], func(pos geom.ChunkPos, c *voxel.Chunk) error {
			out[i] = append(out[i], grid.Placed{Pos: pos, Chunk: c})
			return nil
		})
	})
	return slices.Concat(out...), err
}

// pieces splits positions by the pages of the lowest stone.
func (p openStack) pieces(name volumeName, want []geom.ChunkPos) [][]geom.ChunkPos {
	pieces := p[0].PagesOf(name.dimension, name.volume, 0, want)
	n := 0
	for _, piece := range pieces {
		n += len(piece)
	}
	if n == len(want) {
		return pieces
	}
	known := make(map[geom.ChunkPos]bool, n)
	for _, piece := range pieces {
		for _, pos := range piece {
			known[pos] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return known[pos] })
	return append(pieces, rest)
}

// each calls f with 0 to n-1 on up to so many goroutines and returns when all
// calls have: the error of one that failed, or ctx's.
func each(ctx context.Context, parallel, n int, f func(int) error) error {
	if n == 1 || parallel == 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next, wait = make(chan int), sync.WaitGroup{}
	errs := make([]error, n)
	for range min(parallel, n) {
		wait.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	return errors.Join(ctx.Err(), errors.Join(errs...))
}

func (w *World) fillColumns(ctx context.Context, m moment, d *dimension, h *Held) error {
	got, err := m.unloaded(ctx, d, d.columns.in(h.box))
	if err != nil || len(got) == 0 {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.era != m.era {
		return errWentBack
	}
	defer h.meter.shown(h.meter.now())
	s := w.now.Load().edit()
	e := s.editDimension(s.dimension(d.name))
	for pos := range got {
		if e.columns.at(pos) != unloaded { // changed since
			delete(got, pos)
		}
	}
	e.columns = e.columns.with(maps.All(got))
	w.now.Store(s)
	return nil
}

// unloaded reads those of the columns of d that are not in memory.
func (p openStack) unloaded(ctx context.Context, d *dimension, columns iter.Seq2[geom.ColumnPos, *voxel.Column]) (map[geom.ColumnPos]*voxel.Column, error) {
	var want []geom.ColumnPos
	for pos, c := range columns {
		if c == unloaded {
			want = append(want, pos)
		}
	}
	slices.SortFunc(want, byTower)
	got := make(map[geom.ColumnPos]*voxel.Column, len(want))
	r := p.columnReader(ctx, d.name, d.lists)
	for _, pos := range want {
		c, err := r.Column(pos)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		got[pos] = c
	}
	return got, nil
}

// byTower puts columns over one chunk one after another, in the order of stones.
func byTower(a, b geom.ColumnPos) int {
	over := func(pos geom.ColumnPos) geom.ChunkPos { return geom.ChunkPos{X: pos.X >> 1, Z: pos.Z >> 1} }
	return cmp.Or(byCode(over(a), over(b)), a.Compare(b))
}

// Release lets go of what is held: what nobody else holds and no commit is
// waiting for leaves memory. Views that have it keep it.
func (h *Held) Release() {
	for _, p := range h.parts {
		p.Release()
	}
	w := h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.held[h] {
		return
	}
	delete(w.held, h)
	s := w.now.Load().edit()
	w.dropHeld(s, h)
	w.now.Store(s)
}
