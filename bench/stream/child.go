package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/level"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// ChildName is the first argument with which the measurement starts its own program again; that program
// then calls Child. It serves a world and edits it, so that its processor time is the server's.
const ChildName = "stream-child"

// order is what the child is asked, and answer what it says.
type order struct {
	Do      string
	Voxels  int64     `json:",omitempty"`
	Seed    uint64    `json:",omitempty"`
	Viewers int       `json:",omitempty"`
	Edits   int       `json:",omitempty"` // a second
	Start   time.Time `json:",omitzero"`
	Keys    []lod.Key `json:",omitempty"`
	// Patience is that of the server.
	Patience time.Duration `json:",omitempty"`
}

type answer struct {
	Addr       string         `json:",omitempty"`
	Half       int            `json:",omitempty"` // of the land's edge, in chunks
	Cells      [][]voxel.Cell `json:",omitempty"`
	Edits      int            `json:",omitempty"` // since the child began
	Changed    int            `json:",omitempty"` // columns
	Goroutines int            `json:",omitempty"`
	Heap       int64          `json:",omitempty"`
	Ends       []string       `json:",omitempty"`
	Tick99     float64        `json:",omitempty"` // milliseconds since the last count
	TickMost   float64        `json:",omitempty"`
	Stats      stream.Stats
	Error      string `json:",omitempty"`
}

const (
	landName   = "land"
	landVolume = "solid"
	tick       = 50 * time.Millisecond
	// editEvery is not a part of a tick, so that edits come at all times of one.
	editEvery = 37 * time.Millisecond
)

// host is the child.
type host struct {
	w        *world.World
	half     int
	server   *stream.Server
	listener net.Listener

	mu      sync.Mutex // guards what follows
	order   order      // the last "edit"
	edits   int
	ends    []string  // why sessions ended
	ticks   []float64 // milliseconds
	walkers []walker
	random  *rand.Rand
}

// Child serves until in ends. It reads orders from in and answers each on out.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	from, to := json.NewDecoder(in), json.NewEncoder(out)
	h := &host{}
	var wait sync.WaitGroup
	for {
		var o order
		if err := from.Decode(&o); err != nil {
			stop()
			if h.listener != nil {
				_ = h.listener.Close()
			}
			wait.Wait()
			if errors.Is(err, io.EOF) && h.server != nil {
				return nil
			}
			return fmt.Errorf("stream: this is for measurements alone: %w", err)
		}
		var a answer
		if err := h.do(ctx, &wait, &o, &a); err != nil {
			a.Error = err.Error()
		}
		if err := to.Encode(a); err != nil {
			return err
		}
	}
}

func (h *host) do(ctx context.Context, wait *sync.WaitGroup, o *order, a *answer) error {
	switch o.Do {
	case "serve":
		return h.serve(ctx, wait, o, a)
	case "edit":
		h.mu.Lock()
		defer h.mu.Unlock()
		h.order, h.random = *o, rand.New(rand.NewPCG(o.Seed, 3))
		h.walkers = walkers(o.Viewers, o.Seed, h.half*geom.ChunkEdge)
	case "cells":
		v := h.w.View().Dimension(landName).Volume(landVolume)
		for _, k := range o.Keys {
			low := geom.Point{X: int(k.X) * lod.Edge, Y: int(k.Y) * lod.Edge, Z: int(k.Z) * lod.Edge}
			cells := make([]voxel.Cell, cubeCells)
			v.ReadBox(geom.Box{Min: low, Max: low.Add(geom.Point{X: lod.Edge, Y: lod.Edge, Z: lod.Edge})}, int(k.Level), cells)
			a.Cells = append(a.Cells, cells)
		}
	case "change":
		n, err := h.change(o.Seed)
		a.Changed = n
		return err
	case "count":
		a.Heap, a.Goroutines, a.Stats = lab.HeapInUse(), runtime.NumGoroutine(), h.server.Stats()
		h.mu.Lock()
		defer h.mu.Unlock()
		a.Edits, a.Ends = h.edits, h.ends[:min(len(h.ends), 5)]
		if len(h.ticks) > 0 {
			a.Tick99, a.TickMost = lab.Percentile(h.ticks, 99), slices.Max(h.ticks)
		}
		h.ticks = nil
	default:
		return fmt.Errorf("no order %q", o.Do)
	}
	return nil
}

// serve makes the world and begins to serve it.
func (h *host) serve(ctx context.Context, wait *sync.WaitGroup, o *order, a *answer) error {
	v, half, err := level.Land(ctx, lab.Options{Voxels: o.Voxels, Seed: o.Seed})
	if err != nil {
		return err
	}
	if h.w, err = world.Create(ctx, memory.New(memory.Options{}), landName, world.Options{Whole: true}); err != nil {
		return err
	}
	names := terrain.Materials()
	for len(names) < 64 {
		names = append(names, fmt.Sprint("stamp ", len(names)))
	}
	if _, err := h.w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension(landName, []voxel.Volume{{Name: landVolume, Schema: voxel.Terrain, Scale: 1}}, map[string][]string{landVolume: names})
		for pos, c := range v.Chunks() {
			d.Volume(landVolume).SetChunk(pos, c)
		}
		return nil
	}); err != nil {
		return err
	}
	if _, err := h.w.Commit(ctx, "the land"); err != nil {
		return err
	}
	if h.server, err = stream.Serve(h.w, stream.Options{Patience: o.Patience}); err != nil {
		return err
	}
	if h.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	h.half, a.Half, a.Addr = half, half, h.listener.Addr().String()
	wait.Go(func() { h.tick(ctx) })
	wait.Go(func() { h.editAll(ctx) })
	wait.Go(func() { h.accept(ctx, wait) })
	runtime.GC()
	return nil
}

// tick has the server tick, and notes how long that takes.
func (h *host) tick(ctx context.Context) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			start := time.Now()
			err := h.server.Tick(ctx, now)
			h.mu.Lock()
			h.ticks = append(h.ticks, float64(time.Since(start).Nanoseconds())/1e6)
			if err != nil {
				h.ends = append(h.ends, err.Error())
			}
			h.mu.Unlock()
		}
	}
}

func (h *host) accept(ctx context.Context, wait *sync.WaitGroup) {
	for {
		c, err := h.listener.Accept()
		if err != nil {
			return
		}
		wait.Go(func() {
			hello, err := stream.ReadHello(c)
			if err != nil {
				_ = c.Close()
				return
			}
			if err := h.server.Serve(ctx, c, hello, stream.Access{}); err != nil {
				h.mu.Lock()
				h.ends = append(h.ends, err.Error())
				h.mu.Unlock()
			}
		})
	}
}

// editAll edits near the viewers, as the last order says.
func (h *host) editAll(ctx context.Context) {
	t := time.NewTicker(editEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			h.mu.Lock()
			if n := h.order.Edits * int(editEvery) / int(time.Second); n > 0 {
				h.edit(n)
			}
			h.mu.Unlock()
		}
	}
}

// edit writes n cells. Three of four say when they were written, the others are dug out.
func (h *host) edit(n int) {
	since := time.Since(h.order.Start)
	_, err := h.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(landName).Volume(landVolume)
		for range n {
			at, _ := h.walkers[h.random.IntN(len(h.walkers))].at(since)
			p, ok := surface(v, int(at.X)+h.random.IntN(128)-64, int(at.Z)+h.random.IntN(128)-64)
			if !ok {
				continue
			}
			if h.random.IntN(4) == 0 {
				v.Set(p, 0)
			} else {
				v.Set(p.Add(geom.Point{Y: h.random.IntN(2)}), stamp(time.Now()))
			}
		}
		return nil
	})
	if err == nil {
		h.edits += n
	}
}

// surface returns the highest cell at x and z that is not empty.
func surface(v *world.VolumeTx, x, z int) (geom.Point, bool) {
	for y := 127; y >= 0; y-- {
		p := geom.Point{X: x, Y: y, Z: z}
		if c, ok := v.Cell(p); ok && c != 0 {
			return p, true
		}
	}
	return geom.Point{}, false
}

// change builds on one column of 16x16 in a hundred, four by four beside each other: a floor on the
// highest cells, and walls on it.
func (h *host) change(seed uint64) (columns int, err error) {
	edge := h.half // of the land, in towns
	r := rand.New(rand.NewPCG(seed, 5))
	_, err = h.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(landName).Volume(landVolume)
		for range max(edge*edge/100, 1) {
			x, z := (r.IntN(edge)-edge/2)*64, (r.IntN(edge)-edge/2)*64
			for i := range 64 * 64 {
				p, ok := surface(v, x+i%64, z+i/64)
				if !ok {
					continue
				}
				wall := i%16 == 0 || i/64%16 == 0
				v.Set(p, voxel.TerrainCell(uint8(1+i/16%4), 255))
				for up := 1; wall && up < 6; up++ {
					v.Set(p.Add(geom.Point{Y: up}), voxel.TerrainCell(5, 255))
				}
			}
			columns += 16
		}
		return nil
	})
	return columns, err
}
