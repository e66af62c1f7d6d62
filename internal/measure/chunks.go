package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
)

// ChunkReads is the time of one kind of read, for cairn's chunks and for flat
// arrays of the same cells.
type ChunkReads struct {
	Name  string  `json:"name"`
	Ours  float64 `json:"ours_ns"` // per row, or per cell of "random cells"
	Flat  float64 `json:"flat_ns"`
	Ratio float64 `json:"ratio"` // ours/flat
}

// ChunkSet is what was measured on the chunks of one set of worlds, copied as
// often as it takes to be far out of the caches.
type ChunkSet struct {
	Name      string       `json:"name"`
	Distinct  int          `json:"distinct"` // chunks before copying
	Chunks    int          `json:"chunks"`
	Cells     int          `json:"cells"`      // that are not empty
	OurBytes  int64        `json:"our_bytes"`  // of heap, with mips
	FlatBytes int64        `json:"flat_bytes"` // of heap, without mips
	PerCell   float64      `json:"our_bytes_per_cell"`
	FlatCell  float64      `json:"flat_bytes_per_cell"`
	Reads     []ChunkReads `json:"reads"`
}

// ChunksReport is what reading chunks takes.
type ChunksReport struct {
	Sets    []ChunkSet     `json:"sets"`
	Skipped []SkippedWorld `json:"skipped"`
}

// BenchChunks reads chunks of a made terrain, and of the blocks of all worlds
// below dirs, or of made ones without dirs, beside flat arrays of the same
// cells.
func BenchChunks(ctx context.Context, dirs []string, o Options) (r *ChunksReport, err error) {
	err = orMade(ctx, dirs, func(dirs []string) error {
		r, err = benchChunks(ctx, dirs, o)
		return err
	})
	return r, err
}

func benchChunks(ctx context.Context, dirs []string, o Options) (*ChunksReport, error) {
	r := &ChunksReport{Sets: []ChunkSet{}, Skipped: []SkippedWorld{}}
	o.progress(0, 2, "terrain")
	w, err := convert.Load(ctx, land(o))
	if err != nil {
		return nil, err
	}
	r.add("terrain", chunksOf(w, "solid"), &voxel.Rule{Schema: voxel.Terrain}, o)
	o.progress(1, 2, "worlds")
	blocks, err := r.blocks(ctx, dirs)
	if err != nil {
		return nil, err
	}
	r.add("blocks", blocks, &voxel.Rule{Schema: voxel.Palette}, o)
	o.progress(2, 2, "")
	return r, nil
}

// The terrain that is made, in chunks.
const (
	landEdge   = 24
	landHeight = 8
)

// land returns a terrain of LandEdge by LandEdge chunks around the middle.
func land(o Options) format.Source {
	low := -cmp.Or(o.LandEdge, landEdge) / 2 * geom.ChunkEdge
	high := low + cmp.Or(o.LandEdge, landEdge)*geom.ChunkEdge
	return terrain.Level{Seed: o.Seed}.Source(geom.Box{
		Min: geom.Point{X: low, Z: low}, Max: geom.Point{X: high, Y: landHeight * geom.ChunkEdge, Z: high}})
}

// chunksOf returns the chunks of all volumes of that name.
func chunksOf(w *convert.World, volume string) (out []*voxel.Chunk) {
	for _, d := range w.Dimensions {
		if v := d.Volume(volume); v != nil {
			for _, pos := range v.Positions() {
				out = append(out, v.Chunks[pos])
			}
		}
	}
	return out
}

func (r *ChunksReport) blocks(ctx context.Context, dirs []string) (out []*voxel.Chunk, err error) {
	r.Skipped, err = eachWorld(ctx, dirs, func(w *convert.World) { out = append(out, chunksOf(w, voxel.Block)...) })
	return out, err
}

const (
	flatChunkBytes = 2 * voxel.ChunkCells
	flatDefault    = 1 << 30
)

type flatChunk = [voxel.ChunkCells]voxel.Cell

// add measures a set; one without chunks is left out.
func (r *ChunksReport) add(name string, distinct []*voxel.Chunk, rule *voxel.Rule, o Options) {
	if len(distinct) == 0 {
		return
	}
	n := max(len(distinct), int(cmp.Or(o.FlatBytes, flatDefault)/flatChunkBytes))
	s := ChunkSet{Name: name, Distinct: len(distinct), Chunks: n}
	flats := make([]*flatChunk, n)
	s.FlatBytes = heapGrowth(func() {
		for i := range flats {
			flats[i] = new(flatChunk)
			distinct[i%len(distinct)].Flat(flats[i])
		}
	})
	chunks := make([]*voxel.Chunk, n)
	s.OurBytes = heapGrowth(func() {
		var b voxel.Builder
		for i := range chunks {
			chunks[i] = b.Pack(flats[i])
			chunks[i].Mip(rule, 1)
		}
	})
	for _, c := range chunks {
		s.Cells += c.CountNonEmpty()
	}
	s.PerCell = float64(s.OurBytes) / float64(s.Cells)
	s.FlatCell = float64(s.FlatBytes) / float64(s.Cells)
	s.Reads = timeReads(chunks, flats)
	r.Sets = append(r.Sets, s)
}

// heapGrowth returns how many bytes of heap are in use after f that were not
// before.
func heapGrowth(f func()) int64 {
	before := heapInUse()
	f()
	return heapInUse() - before
}

func heapInUse() int64 {
	for range 2 { // a sync.Pool lets go at the second
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const (
	randomReads = 1 << 20
	readRounds  = 5
)

// timeReads takes for each kind of read the fastest of some rounds, in which
// both forms take turns.
func timeReads(chunks []*voxel.Chunk, flats []*flatChunk) []ChunkReads {
	at := make([]uint32, randomReads)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range at {
		at[i] = random.Uint32N(uint32(len(chunks) * voxel.ChunkCells))
	}
	rows := len(chunks) * voxel.ChunkEdge * voxel.ChunkEdge
	var out []ChunkReads
	for _, k := range []struct {
		name       string
		n          int
		ours, flat func() int
	}{
		{"scan, uniform slices skipped", rows, func() int { return skipChunks(chunks) }, func() int { return scanFlats(flats) }},
		{"scan, every cell", rows, func() int { return scanChunks(chunks) }, func() int { return scanFlats(flats) }},
		{"random rows", len(at), func() int { return rowsChunks(chunks, at) }, func() int { return rowsFlats(flats, at) }},
		{"random cells", len(at), func() int { return cellsChunks(chunks, at) }, func() int { return cellsFlats(flats, at) }},
	} {
		r := ChunkReads{Name: k.name}
		for range readRounds {
			ours, sum := nanoseconds(k.ours, k.n)
			flat, want := nanoseconds(k.flat, k.n)
			if sum != want {
				panic("measure: a chunk's cells are not those of the flat array it was packed from")
			}
			r.Ours, r.Flat = least(r.Ours, ours), least(r.Flat, flat)
		}
		r.Ratio = r.Ours / r.Flat
		out = append(out, r)
	}
	return out
}

func least(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

func nanoseconds(f func() int, n int) (each float64, sum int) {
	start := time.Now()
	sum = f()
	return float64(time.Since(start).Nanoseconds()) / float64(n), sum
}

// Table prints the time of each read and the memory of each set.
func (r *ChunksReport) Table(w io.Writer) {
	t := newTable(w, "ns each", "cairn", "flat", "cairn/flat")
	for _, s := range r.Sets {
		for _, x := range s.Reads {
			t.row(s.Name+": "+x.Name, fmt.Sprintf("%.1f", x.Ours), fmt.Sprintf("%.1f", x.Flat), fmt.Sprintf("%.2f", x.Ratio))
		}
	}
	t.flush()
	fmt.Fprintln(w)
	t = newTable(w, "memory", "chunks", "distinct", "cells not empty", "cairn with mips", "flat", "cairn B/cell", "flat B/cell")
	for _, s := range r.Sets {
		t.row(s.Name, fmt.Sprint(s.Chunks), fmt.Sprint(s.Distinct), fmt.Sprint(s.Cells), size(s.OurBytes), size(s.FlatBytes),
			fmt.Sprintf("%.3f", s.PerCell), fmt.Sprintf("%.3f", s.FlatCell))
	}
	t.flush()
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}
