package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// moment is a world between two operations, with what a view of it holds.
type moment struct {
	w     *world.World
	steps *undo.History
	view  *world.View
	twin  *twin
	names names
}

// readers read a world while its writer goes on.
type readers struct {
	now   atomic.Pointer[moment]
	wrong atomic.Pointer[string]
	stop  context.CancelFunc
	all   sync.WaitGroup
}

func newReaders(ctx context.Context, n int, seed uint64) *readers {
	r := new(readers)
	ctx, r.stop = context.WithCancel(ctx)
	for i := range n {
		r.all.Go(func() { r.read(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	return r
}

func (r *readers) publish(m *machine) {
	r.now.Store(&moment{m.w, m.steps, m.w.View(), m.have.clone(), m.names})
	if wrong := r.wrong.Load(); wrong != nil {
		m.fail("%s", *wrong)
	}
}

// end ends the readers and returns what one of them found.
func (r *readers) end() string {
	r.stop()
	r.all.Wait()
	if wrong := r.wrong.Load(); wrong != nil {
		return *wrong
	}
	return ""
}

func (r *readers) read(ctx context.Context, rnd *rand.Rand) {
	for ctx.Err() == nil {
		m := r.now.Load()
		if m == nil {
			continue
		}
		if err := m.read(ctx, rnd); err != nil && ctx.Err() == nil {
			text := fmt.Sprintf("a reader: %v", err)
			r.wrong.CompareAndSwap(nil, &text)
			return
		}
	}
}

// read looks at the moment, or at the world as it is by now.
func (m *moment) read(ctx context.Context, r *rand.Rand) error {
	switch r.IntN(6) {
	case 0, 1:
		return m.readView(r)
	case 2:
		for _, d := range m.w.View().Dimensions() {
			for _, v := range d.Volumes() {
				v.Cell(geom.Point{X: r.IntN(64) - 32, Y: r.IntN(64) - 32, Z: r.IntN(64) - 32})
			}
			for range d.Objects("list 1", geom.Box{Min: geom.Point{X: -64, Y: -64, Z: -64}, Max: geom.Point{X: 64, Y: 64, Z: 64}}) {
			}
		}
		m.steps.Names("ann")
		return nil
	case 3:
		c, err := m.w.Capture()
		if err != nil {
			return expected(err)
		}
		c.View().Dimensions()
		return errors.Join(c.Close(), c.Close())
	case 4:
		return expected(m.readSnapshot(ctx, r))
	}
	for _, d := range m.view.Dimensions() {
		for _, v := range d.Volumes() {
			pos := geom.ChunkPos{X: r.Int32N(3) - 1, Z: r.Int32N(3) - 1}
			h, err := m.w.Load(ctx, d.Name(), pos.Box(), v.Name)
			if m.w.View().Dimension(d.Name()).Volume(v.Name) == nil {
				continue // the world went back to before it
			}
			if expected(err) != nil {
				return fmt.Errorf("load of %s of %s: %w", v.Name, d.Name(), err)
			}
			if err == nil {
				h.Release()
			}
		}
	}
	return nil
}

// expected returns an error unless it says that the world was closed, or that what the reader asked for went away.
func expected(err error) error {
	for _, e := range []error{world.ErrClosed, history.ErrClosed, history.ErrGone, history.ErrNoCommit, history.ErrNoWorld} {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

// readView compares a few chunks of the view, which writes since must not have changed.
func (m *moment) readView(r *rand.Rand) error {
	for _, d := range m.view.Dimensions() {
		for _, v := range d.Volumes() {
			at := spaceAt{d.Name(), v.Name}
			if derived(v.Name) {
				continue
			}
			skip := func(pos geom.ChunkPos) bool {
				_, ok := v.Chunk(pos)
				return !ok || r.IntN(4) > 0
			}
			if err := m.names.compareSpace(at, v, m.twin.spaces[at], skip); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *moment) readSnapshot(ctx context.Context, r *rand.Rand) error {
	s, err := m.w.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	for _, d := range m.view.Dimensions() {
		err := s.ReadChunks(ctx, d.Name(), voxel.Block, 0, []geom.ChunkPos{{X: r.Int32N(3) - 1, Z: r.Int32N(3) - 1}}, func(geom.ChunkPos, *voxel.Chunk) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}
