package cell

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ImportedWorld is what one import took.
type ImportedWorld struct {
	Path     string  `json:"path"`
	Raw      int64   `json:"raw"`     // bytes of its tags, inflated
	Seconds  float64 `json:"seconds"` // of processors, user and system
	Stone    int64   `json:"stone"`   // bytes
	Cells    int64   `json:"cells"`   // bytes of its row-packed chunks
	NBT      int64   `json:"nbt"`     // bytes of its columns and objects
	MBPerSec float64 `json:"mb_per_s"`
	Took     float64 `json:"took"` // seconds from begin to end
}

// ImportReport is what importing the largest worlds took. The process should
// have done nothing else before, as its peak is that of its whole life.
type ImportReport struct {
	Worlds   []ImportedWorld        `json:"worlds"`
	Raw      int64                  `json:"raw"`
	Seconds  float64                `json:"seconds"`
	MBPerSec float64                `json:"mb_per_s"`
	Took     float64                `json:"took"`  // seconds from begin to end
	Begun    int64                  `json:"begun"` // bytes of memory before the first world: the program itself
	Peak     int64                  `json:"peak"`  // bytes of memory at most, 0 where the system does not tell
	Bound    int64                  `json:"bound"` // 64 MiB and twice the cells and NBT of the largest world
	Skipped  []savings.SkippedWorld `json:"skipped"`
}

const (
	importWorlds = 10
	importFree   = 64 << 20
)

// BenchImport imports the ten worlds with the most NBT below dirs
// into stones, one after another; without dirs, made worlds.
func BenchImport(ctx context.Context, dirs []string, o lab.Options) (r *ImportReport, err error) {
	err = lab.OrMade(ctx, dirs, func(dirs []string) error {
		r, err = benchImport(ctx, dirs, o)
		return err
	})
	return r, err
}

func benchImport(ctx context.Context, dirs []string, o lab.Options) (*ImportReport, error) {
	begun := peakMemory()
	places, err := largest(ctx, dirs, importWorlds)
	if err != nil {
		return nil, err
	}
	r := &ImportReport{Begun: begun, Worlds: []ImportedWorld{}, Skipped: []savings.SkippedWorld{}}
	for i, p := range places {
		o.Step(i, len(places), p.Path)
		runtime.GC() // what the world before left is not this one's
		w, err := timeImport(ctx, p.Path, o.Stone)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Skipped = append(r.Skipped, savings.SkippedWorld{Path: p.Path, Why: err.Error()})
		default:
			r.add(w)
		}
	}
	r.MBPerSec = megabytes(r.Raw, r.Seconds)
	r.Peak = peakMemory()
	o.Step(len(places), len(places), "")
	return r, nil
}

func (r *ImportReport) add(w *ImportedWorld) {
	r.Worlds = append(r.Worlds, *w)
	r.Raw += w.Raw
	r.Seconds += w.Seconds
	r.Took += w.Took
	r.Bound = max(r.Bound, importFree+2*(w.Cells+w.NBT))
}

func megabytes(n int64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(n) / 1e6 / seconds
}

// largest returns the n worlds below dirs that inflate to the most NBT; how large
// their region files are says little, most of that is dead space.
func largest(ctx context.Context, dirs []string, n int) ([]savings.Place, error) {
	places, err := savings.Find(dirs)
	if err != nil {
		return nil, err
	}
	bytes := map[savings.Place]int64{}
	for _, p := range places {
		if bytes[p] = rawBytes(ctx, p.Path); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(places, func(a, b savings.Place) int { return cmp.Compare(bytes[b], bytes[a]) })
	return places[:min(n, len(places))], nil
}

// rawBytes returns what a world inflates to, 0 if it cannot be read.
func rawBytes(ctx context.Context, path string) int64 {
	src, err := anvil.Open(path, anvil.Options{})
	if err != nil {
		return 0
	}
	defer src.Close()
	if src.Read(ctx, discard{}) != nil {
		return 0
	}
	return src.Stats().RawBytes
}

// discard is a Sink that drops everything.
type discard struct{}

func (discard) Dimension(*format.Dimension) error               { return nil }
func (discard) Column(*format.Column) error                     { return nil }
func (discard) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (discard) File(format.File) error                          { return nil }

// timeImport imports one world into a file that it removes.
func timeImport(ctx context.Context, path string, o stone.Options) (*ImportedWorld, error) {
	out := &ImportedWorld{Path: path}
	start, began := lab.ProcessorTime(), time.Now()
	src, err := anvil.Open(path, anvil.Options{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	w, err := convert.Load(ctx, src)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "cairn-bench-*")
	if err != nil {
		return nil, fmt.Errorf("cell: %w", err)
	}
	defer os.Remove(file.Name())
	_, out.Stone, err = convert.WriteStone(ctx, w, file, port.AtOnce(o))
	if end := file.Close(); err == nil {
		err = end
	}
	out.Seconds = (lab.ProcessorTime() - start).Seconds()
	out.Took = time.Since(began).Seconds()
	out.Raw = src.Stats().RawBytes
	out.MBPerSec = megabytes(out.Raw, out.Seconds)
	out.Cells, out.NBT = held(w)
	return out, err
}

// held returns the bytes of a world's chunks, and of its columns' and objects'
// payloads.
func held(w *convert.Loaded) (cells, nbt int64) {
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			for _, c := range v.Chunks {
				cells += int64(c.Bytes())
			}
		}
		for i := range d.Columns {
			c := &d.Columns[i]
			for _, s := range c.Sections {
				nbt += int64(len(s.Tags))
			}
			for _, p := range c.Parts {
				nbt += int64(len(p.Data))
			}
			for _, l := range c.Lists {
				for _, o := range l.Objects {
					nbt += int64(len(o.Payload))
				}
			}
		}
	}
	return cells, nbt
}

// peakMemory returns the most memory that this process had at once, in bytes.
func peakMemory() (kib int64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if _, err := fmt.Sscanf(s.Text(), "VmHWM: %d kB", &kib); err == nil {
			break
		}
	}
	return kib << 10
}

// Table prints a line for each world and both sides of the bounds.
func (r *ImportReport) Table(w io.Writer) {
	t := table.New(w, "world", "nbt inflated", "processor s", "MB/s", "took s", "stone", "cells held", "nbt held")
	for _, x := range r.Worlds {
		t.Row(filepath.Base(x.Path), table.Size(x.Raw), fmt.Sprintf("%.2f", x.Seconds), fmt.Sprintf("%.0f", x.MBPerSec), fmt.Sprintf("%.2f", x.Took), table.Size(x.Stone), table.Size(x.Cells), table.Size(x.NBT))
	}
	t.Row("all", table.Size(r.Raw), fmt.Sprintf("%.2f", r.Seconds), fmt.Sprintf("%.0f", r.MBPerSec), fmt.Sprintf("%.2f", r.Took))
	t.Flush()
	fmt.Fprintf(w, "\nmemory at most %s, of which the program alone has %s; 64 MiB and twice what the largest world holds are %s\n", table.Size(r.Peak), table.Size(r.Begun), table.Size(r.Bound))
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}
