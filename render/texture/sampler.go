package texture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/cairnvoxel/cairn/tile"
)

// Lookup is one sample of a texture.
type Lookup struct {
	Texture *Texture
	// S and T are where. What is no number, or beyond 1e9, is 0.
	S, T float64
	// DSDX, DTDX, DSDY and DTDY are how S and T change from one pixel of the picture to the
	// next in x and in y.
	DSDX, DTDX, DSDY, DTDY float64
	// Width is that of the ray in S and T. It counts where the derivatives are all 0 or one is
	// infinite or no number.
	Width float64
	// Direction is where to look in an Environment, in place of the fields above: y is up, and
	// the middle of the image is in the direction of z, what is left of it in that of x. It
	// may have any length.
	Direction [3]float64
	// Pdf is set for an Environment: how likely Draw is to choose the Direction, per
	// steradian.
	Pdf float64
	// Result is set: the values of as many channels as it has.
	Result []float32
}

// Sampler samples textures for one goroutine. It keeps the tiles that it used last.
type Sampler struct {
	system *System
	worker *tile.Worker[tile.Flat]
	last   [2]page // of levels with even and with odd numbers
	// A footprint in several tiles:
	spots  []spot  // of its probes
	places []place // of its tiles
	pages  []page  // of its places

	// The footprint: n probes in two levels, which have these parts of the result.
	probes  [mostProbes]probe
	n       int
	levels  [2]int
	parts   [2]float64
	natural [2]float64 // the size of an image whose texels are as large as the footprint
	edge    int        // of the block of texels of a probe
	out     []float32

	requests []tile.Request[tile.Flat]
	handles  []tile.Handle
	scratch  []byte
	deferred tile.Deferred[tile.Flat, int]
	counts   [counters]int64
	counted  [counters]int64 // of these, what the System has
}

// Sample sets l.Result. After an error it is 0.
func (m *Sampler) Sample(ctx context.Context, l *Lookup) error {
	err := m.sample(ctx, l)
	if m.counts[calls]++; m.counts[calls]%1024 == 0 {
		m.addCounts()
	}
	if err == nil && !m.system.tight.Load() {
		return nil
	}
	return m.retry(ctx, l, err)
}

// patience is how often a Sampler waits for the tiles of others.
const patience = 10_000

// retry gives back all tiles, and samples again where those of others left no room.
func (m *Sampler) retry(ctx context.Context, l *Lookup, err error) error {
	m.release()
	for range patience {
		if !errors.Is(err, tile.ErrPinned) {
			break
		}
		m.system.tight.Store(true)
		runtime.Gosched()
		err = m.sample(ctx, l)
		m.release()
	}
	if err != nil {
		clear(l.Result)
		return fmt.Errorf("texture: %s: %w", l.Texture.Name, err)
	}
	return nil
}

func (m *Sampler) sample(ctx context.Context, l *Lookup) error {
	v, err := m.begin(ctx, l)
	if v == nil || err != nil {
		return err
	}
	clear(m.out)
	for i, part := range m.parts {
		if part != 0 {
			if err := m.filter(ctx, v, &v.levels[m.levels[i]], float32(part)); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin finds the image of a lookup and plans its footprint. It returns nil if it has set the
// result.
func (m *Sampler) begin(ctx context.Context, l *Lookup) (*view, error) {
	v, err := m.viewOf(ctx, l.Texture)
	if err != nil {
		return nil, err
	}
	s, t := bounded(l.S), bounded(l.T)
	if v.special {
		switch {
		case v.environment != nil:
			x, y := v.environment.At(l.Direction)
			m.look(v, l, x, y)
			return nil, nil
		case v.missing:
			v = nil
		default:
			v, err = m.member(ctx, v, max(int(s), 0), max(int(t), 0))
			s, t = s-math.Floor(s), t-math.Floor(t)
		}
		if v == nil {
			l.fill(0)
			copy(l.Result, l.Texture.Missing)
			return nil, err
		}
	}
	m.out = l.Result[:min(v.have, len(l.Result))]
	l.fill(v.have)
	m.plan(v, l, s, t)
	return v, nil
}

// fill sets the channels that the image does not have.
func (l *Lookup) fill(have int) {
	for i := have; i < len(l.Result); i++ {
		l.Result[i] = l.Texture.Fill
	}
}

// bounded returns a coordinate within bounds in which texels can be counted.
func bounded(s float64) float64 {
	if s >= -1e9 && s <= 1e9 {
		return s
	}
	return 0
}

// Batch samples all lookups. If sorted is set it does so in the order of their tiles, so that it
// asks for each tile once or twice, however they come. It stops at the first error.
func (m *Sampler) Batch(ctx context.Context, lookups []Lookup, sorted bool) error {
	if sorted && !m.system.tight.Load() {
		if err := m.sorted(ctx, lookups); !errors.Is(err, tile.ErrPinned) {
			return err
		}
	}
	for i := range lookups {
		if err := m.Sample(ctx, &lookups[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *Sampler) sorted(ctx context.Context, lookups []Lookup) error {
	for i := range lookups {
		v, err := m.begin(ctx, &lookups[i])
		if v == nil || err != nil {
			if err = m.Sample(ctx, &lookups[i]); err != nil {
				m.deferred = tile.Deferred[tile.Flat, int]{}
				return err
			}
			continue
		}
		l, p := &v.levels[m.levels[0]], &m.probes[m.n/2]
		tx, ty := v.tileOf(modulo(int(p.s*l.fw), l.w), modulo(int(p.t*l.fh), l.h))
		m.deferred.Add((&place{v, l, tx, ty}).key(), v.item, i)
	}
	return m.deferred.Serve(ctx, m.system.cache, m.worker, cmp.Compare[tile.Flat], func(_ tile.Handle, i int) error {
		return m.Sample(ctx, &lookups[i])
	})
}

// Draw chooses a direction of an Environment, in proportion to what comes from there, by two
// numbers from 0 to 1. It sets l.Direction, l.Pdf and l.Result.
func (m *Sampler) Draw(ctx context.Context, l *Lookup, u1, u2 float64) error {
	v, err := m.viewOf(ctx, l.Texture)
	if err == nil && v.environment == nil {
		err = errors.New("it is no environment")
	}
	if err != nil {
		return fmt.Errorf("texture: %s: %w", l.Texture.Name, err)
	}
	m.counts[calls]++
	var x, y int
	l.Direction, x, y = v.environment.Draw(u1, u2)
	m.look(v, l, x, y)
	return nil
}

// look sets the result of a texel of an environment.
func (m *Sampler) look(v *view, l *Lookup, x, y int) {
	m.counts[environments]++
	l.fill(v.have)
	for c := range min(v.have, len(l.Result)) {
		l.Result[c] = v.environment.Value(x, y, v.First+c)
	}
	l.Pdf = v.environment.Pdf(x, y)
}

// release gives back all tiles.
func (m *Sampler) release() {
	for i := range m.last {
		m.last[i].drop()
	}
	m.worker.Close()
}
