package stream

import (
	"context"
	"errors"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/octree"
)

// Streamed is what viewers of a server got.
type Streamed struct {
	Rate float64 `json:"link_bits_per_second"`
	// First is up to the first complete view of the whole land, All up to the last detail.
	First        int64   `json:"first_bytes"`
	FirstSeconds float64 `json:"first_seconds"` // from the dial
	All          int64   `json:"all_bytes"`
	AllSeconds   float64 `json:"all_seconds"`
	Finest       int64   `json:"finest_bytes"` // level 0 of the same
	Walk         int64   `json:"walk_bytes"`   // of four viewers
	FinestWalk   int64   `json:"finest_walk_bytes"`
}

const (
	linkBits  = 20e6
	walkSpeed = 40 // blocks a second
)

// streamed measures what a server sends over a link of 20 Mbit/s, and to four who walk.
func (l *land) streamed(ctx context.Context, o lab.Options, whole ViewRow) (s *Streamed, err error) {
	c := &crowd{o: o, pool: newPool()}
	c.o.Clients, c.o.Seconds = 1, 60
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	s = &Streamed{Rate: linkBits, Finest: whole.Finest, FinestWalk: whole.FinestWalk}
	w, err := c.connect(viewOf(octree.Vec{Y: 120}, octree.Vec{}, float64(whole.Radius), crowdError), linkBits/8)
	if err != nil {
		return nil, err
	}
	if err := c.complete(ctx, w); err != nil {
		return nil, err
	}
	s.First, s.FirstSeconds = w.at[1], w.stages[1].Sub(w.stages[0]).Seconds()
	s.All, s.AllSeconds = w.at[2], w.stages[2].Sub(w.stages[0]).Seconds()
	if err := w.close(); err != nil {
		return nil, err
	}
	for _, d := range []octree.Vec{{X: 1}, {Z: 1}, {X: -1}, {Z: -1}} {
		n, err := l.strollOf(ctx, c, d, whole.Steps)
		if err != nil {
			return nil, err
		}
		s.Walk += n
	}
	return s, nil
}

// strollOf returns the bytes that a viewer gets while it walks.
func (l *land) strollOf(ctx context.Context, c *crowd, d octree.Vec, steps int) (int64, error) {
	speed := octree.Vec{X: walkSpeed * d.X, Z: walkSpeed * d.Z}
	radius := float64(l.half - steps)
	w, err := c.connect(viewOf(octree.Vec{Y: 120}, octree.Vec{}, radius, crowdError), 0)
	if err != nil {
		return 0, err
	}
	if err := c.complete(ctx, w); err != nil {
		return 0, err
	}
	before := w.link.bytes.Load()
	for start, gone := time.Now(), 0.0; gone < float64(steps); {
		if err := c.wait(100 * time.Millisecond)(ctx); err != nil {
			return 0, err
		}
		gone = min(time.Since(start).Seconds()*walkSpeed, float64(steps))
		if err := w.look(viewOf(octree.Vec{X: gone * d.X, Y: 120, Z: gone * d.Z}, speed, radius, crowdError)); err != nil {
			return 0, err
		}
	}
	if err := c.complete(ctx, w); err != nil {
		return 0, err
	}
	return w.link.bytes.Load() - before, w.close()
}
