package textures

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/tile"
)

// ChildName is the first argument with which the measurement starts its own program again; that
// program then calls Child with the others.
const ChildName = "textures-child"

// playApart plays a setting in a process of its own.
func (s Setting) playApart(ctx context.Context) (p Played, err error) {
	self, err := os.Executable()
	if err != nil {
		return p, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return p, err
	}
	out, _, err := lab.Run(ctx, "", self, ChildName, string(text))
	if err == nil {
		err = json.Unmarshal([]byte(out), &p)
	}
	return p, err
}

// Child plays the setting of its argument and prints what it found.
func Child(ctx context.Context, args []string, out io.Writer) error {
	var s Setting
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &s) != nil {
		return fmt.Errorf("textures: this is for measurements alone: %q", args)
	}
	p, err := s.play(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(p)
}

// play plays a setting through render/texture.
func (s Setting) play(ctx context.Context) (p Played, err error) {
	sys := &texture.System{Tiles: tile.Options{Budget: int64(s.Budget) << 20, Over: s.Over, Packed: int64(s.Packed) << 20}}
	if s.Varied {
		sys.Open = openVaried
	}
	var textures []*texture.Texture
	for _, name := range s.Files {
		textures = append(textures, &texture.Texture{Name: name, WrapS: texture.Periodic, WrapT: texture.Periodic, MaxAnisotropy: 8})
	}
	traces := make([]*trace, s.Threads) // a recording is read before the clock starts
	for i := range traces {
		if traces[i], err = newTrace(s.Trace, i, s.Threads, len(textures)); err != nil {
			return p, err
		}
	}
	warm, err := newTrace(s.Trace, 0, 1, len(textures))
	if err != nil {
		return p, err
	}
	before, _ := lab.MemoryOf(os.Getpid())
	if s.Warm > 0 {
		if _, err := s.thread(ctx, sys, textures, warm, s.Warm); err != nil {
			return p, err
		}
	}
	sums, errs := make([]float64, s.Threads), make([]error, s.Threads)
	var wait sync.WaitGroup
	from, used := time.Now(), lab.ProcessorTime()
	for i := range s.Threads {
		wait.Go(func() { sums[i], errs[i] = s.thread(ctx, sys, textures, traces[i], s.Calls/s.Threads) })
	}
	wait.Wait()
	took, cpu := time.Since(from), lab.ProcessorTime()-used
	if err := cmp.Or(errs...); err != nil {
		return p, err
	}
	calls := float64(s.Calls / s.Threads * s.Threads)
	for _, sum := range sums {
		p.Mean += sum / calls
	}
	p.Calls, p.Processor = calls/took.Seconds(), float64(cpu.Nanoseconds())/calls
	stats := sys.Stats()
	p.Tiles, p.Constants, p.Unpacked = stats.Tiles.Reads, stats.Tiles.Constants, stats.Tiles.Unpacked
	for _, f := range stats.Files {
		p.Again += f.Again
	}
	_, p.Peak = lab.MemoryOf(os.Getpid())
	p.Peak -= before
	return p, sys.Close()
}

// thread plays the trace of one thread and returns the sum of the first channel of its results.
func (s Setting) thread(ctx context.Context, sys *texture.System, textures []*texture.Texture, r *trace, calls int) (sum float64, err error) {
	return sum, sys.With(func(m *texture.Sampler) error {
		if s.Batch > 0 {
			sum, err = s.sorted(ctx, m, r, textures, calls)
			return err
		}
		var result [3]float32
		l := texture.Lookup{Result: result[:]}
		for range calls {
			c := r.call()
			l.Texture = textures[c.file]
			l.S, l.T, l.DSDX, l.DTDX, l.DSDY, l.DTDY = c.s, c.t, c.dsdx, c.dtdx, c.dsdy, c.dtdy
			if err := m.Sample(ctx, &l); err != nil {
				return err
			}
			sum += float64(result[0])
		}
		return nil
	})
}

// sorted plays calls that are sorted by tile.
func (s Setting) sorted(ctx context.Context, m *texture.Sampler, r *trace, textures []*texture.Texture, calls int) (sum float64, err error) {
	for ; calls > 0 && err == nil; calls -= s.Batch {
		lookups := make([]texture.Lookup, min(s.Batch, calls))
		for i := range lookups {
			c := r.call()
			lookups[i] = texture.Lookup{Texture: textures[c.file], S: c.s, T: c.t, DSDX: c.dsdx, DTDX: c.dtdx, DSDY: c.dsdy, DTDY: c.dtdy, Result: make([]float32, 3)}
		}
		err = m.Batch(ctx, lookups, true)
		for _, l := range lookups {
			sum += float64(l.Result[0])
		}
	}
	return sum, err
}

// varied is an image without tiles of one colour: the lowest bit of the last number of each tile is
// another.
type varied struct{ texture.Image }

func (v varied) ReadBlock(level, x, y int, b []byte) error {
	err := v.Image.ReadBlock(level, x, y, b)
	b[len(b)-2] ^= 1
	return err
}

func openVaried(name string) (texture.Image, io.Closer, error) {
	of, closer, err := imagefile.Open(name)
	return varied{of}, closer, err
}

//go:embed driver/oiio.cc
var driver []byte

// buildRival builds the driver of OpenImageIO.
func buildRival(ctx context.Context, temp string) (program string, err error) {
	program = filepath.Join(temp, "oiio")
	if err := os.WriteFile(program+".cc", driver, 0o666); err != nil {
		return "", err
	}
	_, _, err = lab.Run(ctx, temp, "g++", "-O3", "-std=c++17", "-o", program, program+".cc", "-lOpenImageIO", "-lOpenImageIO_Util", "-lpthread")
	return program, err
}

// playRival plays a setting through OpenImageIO.
func (s Setting) playRival(ctx context.Context, program string) (*Played, error) {
	args := []string{s.Trace, fmt.Sprint(s.Threads), fmt.Sprint(s.Calls), fmt.Sprint(s.Warm), fmt.Sprint(s.Budget), "1", "-1"}
	out, _, err := lab.Run(ctx, "", program, append(args, s.Files...)...)
	if err != nil {
		return nil, err
	}
	var p Played
	var seconds, used, sum float64
	var peak, before int64
	if _, err := fmt.Sscan(out, &seconds, &used, &sum, &p.Tiles, &p.Again, &peak, &before); err != nil {
		return nil, fmt.Errorf("textures: the driver printed %q: %w", out, err)
	}
	calls := float64(s.Calls / s.Threads * s.Threads)
	p.Calls, p.Processor, p.Mean, p.Peak = calls/seconds, 1e9*used/calls, sum/calls, (peak-before)<<10
	return &p, nil
}
