package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

// Serve returns a Server that streams an open world as it is, with every update.
// Viewers may also ask for its commits, by ID. What is not in memory is read from the
// last commit. Close the Server before the world.
func Serve(w *world.World, o Options) (*Server, error) {
	if o.World == "" {
		o.World = w.Name()
	}
	return New(&live{w: w}, o)
}

// live is an open world as a Source.
type live struct {
	w *world.World

	mu  sync.Mutex
	now *liveState
}

func (l *live) Now() (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w.Closed() {
		return nil, fmt.Errorf("%s: %w", l.w.Name(), world.ErrClosed)
	}
	head, view := l.w.Head(), l.w.View()
	for now := l.w.Head(); now != head; now = l.w.Head() {
		head, view = now, l.w.View()
	}
	var base *liveBase
	if l.now != nil {
		if l.now.head == head && l.now.sameCells(view) {
			return l.now, nil
		}
		base = l.now.base
	}
	for base == nil || base.snap.ID() != head {
		snap, err := l.w.Snapshot()
		if err != nil {
			return nil, err
		}
		// What the View has not in memory is in this commit only if no other came in between.
		base, head, view = &liveBase{snap: snap, refs: refs{close: snap.Close}}, snap.ID(), l.w.View()
		if now := l.w.Head(); now != head {
			if err := snap.Close(); err != nil {
				return nil, err
			}
			base, head = nil, now
		}
	}
	base.ref()
	s := &liveState{w: l.w, view: view, head: head, base: base, dirty: l.w.Dirty()}
	s.findBounds(l.now)
	l.now = s
	return s, nil
}

func (l *live) At(ctx context.Context, version string) (State, error) {
	id, err := history.ParseID(version)
	if err != nil {
		return nil, fmt.Errorf("stream: version %q: %w", version, fs.ErrNotExist)
	}
	snap, err := l.w.SnapshotAt(ctx, id)
	if errors.Is(err, history.ErrNoCommit) || errors.Is(err, history.ErrGone) {
		err = fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return newStoredState(Version{Snapshot: snap}), nil
}

// liveBase is the commit that states of a live world share.
type liveBase struct {
	snap *world.Snapshot
	refs
}

// liveState is a View, and the last commit for what the View has not in memory.
type liveState struct {
	w      *world.World
	view   *world.View
	head   history.ID
	dirty  bool
	base   *liveBase
	bounds []geom.Box // by dimension
}

// sameCells reports whether a View shows the same cells and volumes.
func (s *liveState) sameCells(v *world.View) bool {
	a, b := s.view.Dimensions(), v.Dimensions()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		av, bv := a[i].Volumes(), b[i].Volumes()
		if !slices.EqualFunc(av, bv, func(x, y *world.Volume) bool { return x.View == y.View && len(x.Names()) == len(y.Names()) }) {
			return false
		}
	}
	return true
}

// findBounds finds the bounds of the dimensions: those of the state before, and what came.
func (s *liveState) findBounds(old *liveState) {
	for _, d := range s.view.Dimensions() {
		var b geom.Box
		if old != nil {
			b = old.Bounds(d.Name())
		}
		for _, v := range d.Volumes() {
			if voxel.IsLight(v.Name) {
				continue
			}
			if was := old.volume(d.Name(), v.Name); was != nil {
				for pos := range v.Apart(was.View) {
					b = b.Union(pos.Box().Scale(v.Scale))
				}
				continue
			}
			for pos := range v.Chunks() {
				b = b.Union(pos.Box().Scale(v.Scale))
			}
		}
		s.bounds = append(s.bounds, b)
	}
}

func (s *liveState) volume(dimension, volume string) *world.Volume {
	if s == nil {
		return nil
	}
	if d := s.view.Dimension(dimension); d != nil {
		return d.Volume(volume)
	}
	return nil
}

func (s *liveState) Moment() Moment {
	m := Moment{Live: true}
	if !s.dirty && s.head != (history.ID{}) {
		m.ID = s.head.String()
	}
	return m
}

func (s *liveState) Dimensions() (out []stone.DimensionInfo) {
	for _, d := range s.view.Dimensions() {
		o := stone.DimensionInfo{Name: d.Name()}
		for _, v := range d.Volumes() {
			o.Volumes = append(o.Volumes, stone.VolumeInfo{Volume: v.Volume, Names: v.Names()})
		}
		out = append(out, o)
	}
	return out
}

func (s *liveState) Bounds(dimension string) geom.Box {
	for i, d := range s.view.Dimensions() {
		if d.Name() == dimension {
			return s.bounds[i]
		}
	}
	return geom.Box{}
}

func (s *liveState) ReadBox(ctx context.Context, dimension, volume string, level int, b geom.Box, dst []voxel.Cell) error {
	v := s.volume(dimension, volume)
	if v == nil {
		return fmt.Errorf("stream: no volume %q in %q: %w", volume, dimension, fs.ErrNotExist)
	}
	if v.ReadBox(b, level, dst) {
		return nil
	}
	if level >= stone.FirstFar {
		return s.w.ReadFar(ctx, dimension, volume, level, b, dst)
	}
	in := v.Sub(b.Scale(1 << level))
	var want []geom.ChunkPos
	for pos, c := range in.Chunks() {
		if c == nil {
			want = append(want, pos)
		}
	}
	var placed []grid.Placed
	err := s.base.snap.ReadChunks(ctx, dimension, volume, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		placed = append(placed, grid.Placed{Pos: pos, Chunk: c})
		return nil
	})
	if err != nil {
		return err
	}
	if !in.With(placed).ReadBox(b, level, dst) {
		return fmt.Errorf("stream: level %d of %v: %w", level, b, grid.ErrNotLoaded)
	}
	return nil
}

func (s *liveState) ReadNow(dimension, volume string, level int, b geom.Box, dst []voxel.Cell) bool {
	v := s.volume(dimension, volume)
	return v != nil && v.ReadBox(b, level, dst)
}

func (s *liveState) Apart(old State, dimension, volume string) iter.Seq[geom.Box] {
	o, ok := old.(*liveState)
	v, u := s.volume(dimension, volume), (*world.Volume)(nil)
	if ok {
		u = o.volume(dimension, volume)
	}
	if v == nil || u == nil {
		return nil
	}
	var came []geom.ChunkPos
	var boxes []geom.Box
	for pos, c := range v.View.Apart(u.View) {
		switch {
		case c[0] == grid.NotLoaded: // it left as it was committed
		case c[1] == grid.NotLoaded:
			came = append(came, pos)
		default:
			if b := differing(c[0], c[1], v.Default()); !b.Empty() {
				boxes = append(boxes, b.Add(pos.Min()))
			}
		}
	}
	if len(came) > 0 {
		boxes = append(boxes, s.changedOf(came, o, dimension, volume)...)
	}
	if s.head != o.head {
		for _, pos := range s.base.snap.Apart(o.base.snap).Chunks(dimension, volume) {
			if _, ok := v.Chunk(pos); !ok {
				boxes = append(boxes, pos.Box())
			}
		}
	}
	return slices.Values(boxes)
}

// changedOf returns those of chunks that came into memory that may differ from what
// the state o showed.
func (s *liveState) changedOf(came []geom.ChunkPos, o *liveState, dimension, volume string) (out []geom.Box) {
	apart, err := s.w.Apart(o.base.snap)
	changed := make(map[geom.ChunkPos]bool)
	if err == nil {
		for _, pos := range apart.Chunks(dimension, volume) {
			changed[pos] = true
		}
	}
	for _, pos := range came {
		if err != nil || changed[pos] {
			out = append(out, pos.Box())
		}
	}
	return out
}

// differing returns a box of cells of a chunk that holds all that differs; nil is a
// chunk of the default.
func differing(a, b *voxel.Chunk, def voxel.Cell) geom.Box {
	a, b = a.Or(def), b.Or(def)
	out := geom.Box{Min: geom.Point{Y: geom.ChunkEdge}, Max: geom.Point{X: geom.ChunkEdge}}
	var all uint32
	for y, rows := range a.Differing(b) {
		out.Min.Y = min(out.Min.Y, y)
		out.Max.Y = y + 1
		all |= rows
	}
	if all == 0 {
		return geom.Box{}
	}
	out.Min.Z, out.Max.Z = bits.TrailingZeros32(all), 32-bits.LeadingZeros32(all)
	return out
}

func (s *liveState) Close() error { return s.base.release() }
