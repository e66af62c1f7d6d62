package stream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// CrowdReport is what many viewers of a world that is edited cost its server.
type CrowdReport struct {
	Viewers int     `json:"viewers"`
	Edits   int     `json:"edits_per_second"`
	Seconds float64 `json:"seconds"`
	Radius  int     `json:"radius"`

	Alone     float64 `json:"cores_of_edits_alone"` // processor seconds a second, without viewers
	Joining   float64 `json:"joining_seconds"`      // until all viewers have all
	JoinCores float64 `json:"joining_cores"`
	Cores     float64 `json:"cores"` // while all move and edits go on
	Memory    int64   `json:"memory"`
	Peak      int64   `json:"peak_memory"`
	Rate      float64 `json:"bytes_per_second"` // to all viewers

	Tick99   float64 `json:"tick_p99_ms"`
	TickMost float64 `json:"tick_most_ms"`

	Samples int     `json:"edits_seen"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Most    float64 `json:"most_ms"`

	Checked   int `json:"cubes_checked"`
	Different int `json:"cubes_different"`

	CutAfter    float64 `json:"cut_off_after_seconds"` // of a viewer that does not read; -1 never
	GoroutinesA int     `json:"goroutines_before"`
	GoroutinesB int     `json:"goroutines_after"`
	HeapA       int64   `json:"heap_before"`
	HeapB       int64   `json:"heap_after"`

	First int64 `json:"first_visit_bytes"`
	// Returned is the mean of rounds, in each of which so many columns changed.
	Returned     int64 `json:"return_bytes"`
	ReturnedMost int64 `json:"return_most_bytes"`
	Changed      int   `json:"columns_changed"`
	Columns      int   `json:"columns"`
}

// Table prints the report for people.
func (r *CrowdReport) Table(w io.Writer) {
	t := table.New(w, "what", "measured", "wanted")
	row := func(what, wanted, format string, args ...any) { t.Row(what, fmt.Sprintf(format, args...), wanted) }
	row(fmt.Sprintf("%d viewers, %d edits a second", r.Viewers, r.Edits), "", "%.0f s", r.Seconds)
	row("server, edits alone", "", "%.2f cores", r.Alone)
	row("server, while viewers join", "", "%.2f cores", r.JoinCores)
	row("all viewers have all after", "", "%.1f s", r.Joining)
	row("server, all move", "1 core", "%.2f cores", r.Cores)
	row("server, memory", "1.1 GB", "%s", table.Size(r.Memory))
	row("server, most memory", "1.1 GB", "%s", table.Size(r.Peak))
	row("sent to all, a second", "", "%s", table.Size(int64(r.Rate)))
	row("a tick of the server, p99 and most", "", "%.0f ms, %.0f ms", r.Tick99, r.TickMost)
	row("an edit reaches a viewer, p50", "", "%.0f ms", r.P50)
	row("an edit reaches a viewer, p99", "150 ms", "%.0f ms", r.P99)
	row("the slowest", "", "%.0f ms", r.Most)
	row("edits seen", "", "%d", r.Samples)
	row("cubes compared with the world", "", "%d", r.Checked)
	row("cubes that differ", "0", "%d", r.Different)
	row("who does not read is cut off after", "", "%.1f s", r.CutAfter)
	row("goroutines before and after", "", "%d, %d", r.GoroutinesA, r.GoroutinesB)
	row("heap before and after", "", "%s, %s", table.Size(r.HeapA), table.Size(r.HeapB))
	row("first visit", "", "%s", table.Size(r.First))
	ofFirst := func(n int64) float64 { return 100 * float64(n) / float64(max(r.First, 1)) }
	row("return after a change, mean", "2 %", "%s, %.2f %%", table.Size(r.Returned), ofFirst(r.Returned))
	row("return after a change, most", "", "%s, %.2f %%", table.Size(r.ReturnedMost), ofFirst(r.ReturnedMost))
	row("columns changed", "1 %", "%.2f %%", 100*float64(r.Changed)/float64(max(r.Columns, 1)))
	t.Flush()
}

const (
	crowdViewers = 200
	crowdEdits   = 1000
	crowdSeconds = 30
	crowdRadius  = 512
	crowdPixels  = 1000
	crowdError   = 12
	// quiet is how long nothing must come to a viewer for its copy to be compared.
	quiet = 500 * time.Millisecond
	// patience is how long the server waits for who does not read.
	patience = 10 * time.Second
	// slowRate is the bytes a second of a few more viewers, who get less than what changes around them.
	slowRate = 20e3
	// returnRounds is how often a viewer returns to a world that changed.
	returnRounds = 10
)

// crowd is a measurement under way.
type crowd struct {
	o       lab.Options
	report  CrowdReport
	half    int // of the land's edge, in blocks
	addr    string
	cmd     *exec.Cmd
	to      *json.Encoder
	from    *json.Decoder
	in      io.Closer
	start   time.Time
	walkers []walker
	viewers []*viewer
	pool    *pool
	reading sync.WaitGroup
}

// BenchCrowd has Options.Clients viewers (default 200) move about a land of Options.Voxels cells for Options.Seconds
// (default 30), while 1,000 cells a second are edited near them. The server is a process of its own.
func BenchCrowd(ctx context.Context, o lab.Options) (_ *CrowdReport, err error) {
	o = o.WithLoad(0, crowdViewers, crowdSeconds)
	c := &crowd{o: o, pool: newPool()}
	c.report = CrowdReport{Viewers: o.Clients, Edits: crowdEdits, Seconds: o.Seconds, Radius: crowdRadius}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	for i, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"edits alone", c.alone}, {"a viewer returns", c.returns}, {"viewers join", c.join}, {"viewers move", c.move},
		{"copies are compared", c.compare}, {"one does not read", c.stuck},
	} {
		o.Step(i, 6, step.what)
		if err := step.do(ctx); err != nil {
			return nil, fmt.Errorf("stream: %s: %w", step.what, err)
		}
	}
	return &c.report, nil
}

// begin starts the server.
func (c *crowd) begin(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c.cmd = exec.CommandContext(ctx, self, ChildName)
	c.cmd.Stderr = &bytes.Buffer{}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	c.cmd.Cancel, c.cmd.WaitDelay = in.Close, lab.Patience
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return err
	}
	c.to, c.from, c.in = json.NewEncoder(in), json.NewDecoder(out), in
	a, err := c.ask(order{Do: "serve", Voxels: c.o.Voxels, Seed: c.o.Seed, Patience: c.atMost(patience)})
	if err != nil {
		return errors.Join(err, c.end())
	}
	c.addr, c.half = a.Addr, a.Half*geom.ChunkEdge
	c.report.Columns = 16 * a.Half * a.Half
	c.start = time.Now()
	c.walkers = walkers(c.o.Clients, c.o.Seed, c.half)
	return nil
}

// end stops viewers and server.
func (c *crowd) end() error {
	for _, v := range c.viewers {
		_ = v.close() // the server may have closed it
	}
	c.reading.Wait()
	err := errors.Join(c.in.Close(), c.cmd.Wait())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(c.cmd.Stderr.(*bytes.Buffer).String()))
	}
	return err
}

func (c *crowd) ask(o order) (a answer, err error) {
	if err = c.to.Encode(o); err == nil {
		err = c.from.Decode(&a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

func (c *crowd) edit(perSecond int) error {
	_, err := c.ask(order{Do: "edit", Edits: perSecond, Viewers: c.o.Clients, Seed: c.o.Seed, Start: c.start})
	return err
}

// cores waits and returns how many processors the server kept busy.
func (c *crowd) cores(ctx context.Context, f func(context.Context) error) (float64, error) {
	start, before := time.Now(), lab.ProcessorOf(c.cmd.Process.Pid)
	err := f(ctx)
	return (lab.ProcessorOf(c.cmd.Process.Pid) - before).Seconds() / time.Since(start).Seconds(), err
}

// atMost returns d, or the time of a row if that is less.
func (c *crowd) atMost(d time.Duration) time.Duration {
	return min(d, time.Duration(c.o.Seconds*float64(time.Second)))
}

func (c *crowd) wait(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
}

// until waits until something holds.
func (c *crowd) until(ctx context.Context, what string, most time.Duration, f func() bool) error {
	end := time.Now().Add(most)
	for !f() {
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within %v", what, most)
		}
		if err := c.wait(10 * time.Millisecond)(ctx); err != nil {
			return err
		}
	}
	return nil
}

// alone measures what editing takes while nobody sees it.
func (c *crowd) alone(ctx context.Context) (err error) {
	if err := c.edit(crowdEdits); err != nil {
		return err
	}
	if c.report.Alone, err = c.cores(ctx, c.wait(c.atMost(5*time.Second))); err != nil {
		return err
	}
	return c.edit(0)
}

// eye returns what viewer i tells the server of itself.
func (c *crowd) eye(i int) stream.Viewpoint {
	position, velocity := c.walkers[i%len(c.walkers)].at(time.Since(c.start))
	return viewOf(position, velocity, crowdRadius, crowdError)
}

func viewOf(position, velocity octree.Vec, radius, maxError float64) stream.Viewpoint {
	return stream.Viewpoint{
		Position:  [3]float64{position.X, position.Y, position.Z},
		Direction: [3]float32{float32(velocity.X), 0, float32(velocity.Z)},
		Velocity:  [3]float32{float32(velocity.X), 0, float32(velocity.Z)},
		Pixels:    crowdPixels, Error: float32(maxError), Radius: float32(radius),
	}
}

// connect adds a viewer.
func (c *crowd) connect(v stream.Viewpoint, rate float64) (*viewer, error) {
	return c.connectWith(make(map[lod.Key]*content), v, nil, rate)
}

// connectWith adds a viewer that has a copy, and claims it.
func (c *crowd) connectWith(had map[lod.Key]*content, v stream.Viewpoint, claims []stream.Claim, rate float64) (*viewer, error) {
	w, err := dial(c.addr, rate, c.pool, had, v, claims)
	if err != nil {
		return nil, err
	}
	c.reading.Go(func() {
		err := w.read()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fault = cmp.Or(w.fault, err)
	})
	return w, nil
}

// returns measures a viewer that has all, leaves, and comes again when a hundredth of the world is another. Another
// viewer stays.
func (c *crowd) returns(ctx context.Context) error {
	view := viewOf(octree.Vec{Y: 100}, octree.Vec{}, float64(c.half)*1.5, crowdError)
	other, err := c.connect(viewOf(octree.Vec{Y: 100}, octree.Vec{}, 64, crowdError), 0) // who stays
	if err != nil {
		return err
	}
	w, err := c.connect(view, 0)
	if err != nil {
		return err
	}
	if err := c.complete(ctx, w); err != nil {
		return err
	}
	c.report.First = w.link.bytes.Load()
	for i := range returnRounds {
		if w, err = c.again(ctx, w, view, i); err != nil {
			return err
		}
		if err := c.check(ctx, w, 200); err != nil {
			return err
		}
	}
	return errors.Join(other.close(), w.close())
}

// again has a viewer leave and come again with its copy, and the world change meanwhile.
func (c *crowd) again(ctx context.Context, w *viewer, view stream.Viewpoint, round int) (*viewer, error) {
	if err := w.link.Close(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	had := w.copy
	w.copy = nil
	w.mu.Unlock()
	var claims []stream.Claim
	for k, cube := range had {
		claims = append(claims, stream.Claim{Key: k, Version: cube.id.version})
	}
	slices.SortFunc(claims, func(a, b stream.Claim) int { return a.Key.Compare(b.Key) })
	a, err := c.ask(order{Do: "change", Seed: c.o.Seed + uint64(round)})
	if err != nil {
		return nil, err
	}
	c.report.Changed = a.Changed
	if w, err = c.connectWith(had, view, claims, 0); err != nil {
		return nil, err
	}
	if err := c.complete(ctx, w); err != nil {
		return nil, err
	}
	n := w.link.bytes.Load()
	c.report.Returned += n / returnRounds
	c.report.ReturnedMost = max(c.report.ReturnedMost, n)
	return w, nil
}

// complete waits until a viewer has all that it needs.
func (c *crowd) complete(ctx context.Context, w *viewer) error {
	var fault error
	err := c.until(ctx, "a complete view", 60*time.Second, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		fault = w.fault
		return fault != nil || w.synced == 2 && time.Since(w.heard) > quiet
	})
	return cmp.Or(fault, err)
}

// join connects all viewers at once.
func (c *crowd) join(ctx context.Context) (err error) {
	var a answer
	if err := c.until(ctx, "the viewers before have left", time.Minute, func() bool {
		a, err = c.ask(order{Do: "count"})
		return err != nil || a.Stats.Viewers == 0
	}); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	c.report.GoroutinesA, c.report.HeapA = a.Goroutines, a.Heap
	start := time.Now()
	c.report.JoinCores, err = c.cores(ctx, func(ctx context.Context) error {
		slow := max(c.o.Clients/20, 1)
		for i := range c.o.Clients + slow {
			rate := 0.0
			if i >= c.o.Clients {
				rate = slowRate
			}
			w, err := c.connect(c.eye(i), rate)
			if err != nil {
				return err
			}
			c.viewers = append(c.viewers, w)
		}
		var fault error
		err := c.until(ctx, "all viewers have all", 120*time.Second, func() bool {
			return !slices.ContainsFunc(c.viewers, func(w *viewer) bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				fault = cmp.Or(fault, w.fault)
				return fault == nil && w.link.rate == 0 && w.stages[2].IsZero()
			})
		})
		return cmp.Or(fault, err)
	})
	c.report.Joining = time.Since(start).Seconds()
	return err
}

// move has all viewers move while edits go on.
func (c *crowd) move(ctx context.Context) error {
	if err := c.edit(crowdEdits); err != nil {
		return err
	}
	settle := c.atMost(3 * time.Second)
	moving, stop := context.WithTimeout(ctx, c.atMost(time.Hour)+settle)
	defer stop()
	var walking sync.WaitGroup
	for i, w := range c.viewers {
		walking.Go(func() {
			t := time.NewTicker(200 * time.Millisecond)
			defer t.Stop()
			for {
				select {
				case <-moving.Done():
					return
				case <-t.C:
					if w.look(c.eye(i)) != nil {
						return // its reader says why
					}
				}
			}
		})
	}
	if err := c.wait(settle)(ctx); err != nil { // all move by then
		return err
	}
	before := c.bytes()
	for _, w := range c.viewers {
		w.mu.Lock()
		w.ages = nil
		w.mu.Unlock()
	}
	start := time.Now()
	var err error
	c.report.Cores, err = c.cores(ctx, func(context.Context) error {
		walking.Wait()
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	if took < c.o.Seconds/2 {
		return fmt.Errorf("this process stood still: %.1f s are left of %.1f", took, c.o.Seconds)
	}
	c.report.Rate = float64(c.bytes()-before) / took
	c.report.Memory, c.report.Peak = lab.MemoryOf(c.cmd.Process.Pid)
	c.ages()
	a, err := c.ask(order{Do: "count"})
	if err != nil {
		return err
	}
	c.report.Tick99, c.report.TickMost = a.Tick99, a.TickMost
	return c.edit(0)
}

func (c *crowd) bytes() (n int64) {
	for _, w := range c.viewers {
		n += w.link.bytes.Load()
	}
	return n
}

func (c *crowd) ages() {
	var all []float64
	for _, w := range c.viewers[:c.o.Clients] {
		w.mu.Lock()
		all = append(all, w.ages...)
		w.mu.Unlock()
	}
	c.report.Samples = len(all)
	if len(all) > 0 {
		c.report.P50, c.report.P99, c.report.Most = lab.Percentile(all, 50), lab.Percentile(all, 99), slices.Max(all)
	}
}

// compare compares every viewer's copy with the world, when nothing changes any more.
func (c *crowd) compare(ctx context.Context) error {
	for i, w := range c.viewers {
		if err := c.complete(ctx, w); err != nil {
			a, _ := c.ask(order{Do: "count"})
			return fmt.Errorf("viewer %d: %w; sessions ended: %q, the longest tick took %.0f ms", i, err, a.Ends, a.TickMost)
		}
		if err := c.check(ctx, w, 50); err != nil {
			return err
		}
	}
	return nil
}

// check compares n random cubes of a copy with the world.
func (c *crowd) check(ctx context.Context, w *viewer, n int) error {
	w.mu.Lock()
	keys := make([]lod.Key, 0, len(w.copy))
	for k := range w.copy {
		keys = append(keys, k)
	}
	w.mu.Unlock()
	slices.SortFunc(keys, lod.Key.Compare)
	r := rand.New(rand.NewPCG(c.o.Seed, uint64(len(keys))))
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:min(n, len(keys))]
	c.report.Checked += len(keys)
	for range 5 { // what was edited last may be on its way
		var err error
		if keys, err = c.different(w, keys); err != nil || len(keys) == 0 {
			return err
		}
		if err := c.wait(time.Second)(ctx); err != nil {
			return err
		}
	}
	c.report.Different += len(keys)
	return nil
}

// different returns the cubes of a copy that are not as the world has them.
func (c *crowd) different(w *viewer, keys []lod.Key) (out []lod.Key, err error) {
	a, err := c.ask(order{Do: "cells", Keys: keys})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, cells := range a.Cells {
		have := w.copy[keys[i]]
		switch {
		case have == nil: // forgotten since
		case have.cells == nil && !slices.ContainsFunc(cells, func(v voxel.Cell) bool { return v != 0 }):
		case !slices.Equal(have.cells, cells):
			out = append(out, keys[i])
		}
	}
	return out, nil
}

// stuck has a viewer that asks for much and never reads. Then all leave.
func (c *crowd) stuck(ctx context.Context) error {
	before, err := c.ask(order{Do: "count"})
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", c.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	view := viewOf(octree.Vec{Y: 100}, octree.Vec{}, float64(c.half)*1.5, 1)
	if _, err := conn.Write(stream.Append(stream.Append(nil, &stream.Hello{Protocol: stream.Protocol}, nil), &view, nil)); err != nil {
		return err
	}
	start := time.Now()
	c.report.CutAfter = -1
	err = c.until(ctx, "cut off", 60*time.Second, func() bool {
		a, err := c.ask(order{Do: "count"})
		return err != nil || a.Stats.Cut > before.Stats.Cut
	})
	if err == nil {
		c.report.CutAfter = time.Since(start).Seconds()
	}
	for _, w := range c.viewers {
		_ = w.close() // it may be closed
	}
	_ = conn.Close()
	for range 50 { // until all have left
		a, err := c.ask(order{Do: "count"})
		if err != nil {
			return err
		}
		c.report.GoroutinesB, c.report.HeapB = a.Goroutines, a.Heap
		if a.Goroutines <= c.report.GoroutinesA {
			break
		}
		if err := c.wait(100 * time.Millisecond)(ctx); err != nil {
			return err
		}
	}
	return nil
}
