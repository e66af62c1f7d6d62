// Package cell measures cells: chunks beside flat arrays in memory, the forms that a stone
// has for them beside plain ones, and what it takes to import them from other formats.
package cell

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
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
	Sets    []ChunkSet             `json:"sets"`
	Skipped []savings.SkippedWorld `json:"skipped"`
}

// BenchChunks reads chunks of a made terrain, and of the blocks of all worlds
// below dirs, or of made ones without dirs, beside flat arrays of the same
// cells.
func BenchChunks(ctx context.Context, dirs []string, o lab.Options) (r *ChunksReport, err error) {
	err = lab.OrMade(ctx, dirs, func(dirs []string) error {
		r, err = benchChunks(ctx, dirs, o)
		return err
	})
	return r, err
}

func benchChunks(ctx context.Context, dirs []string, o lab.Options) (*ChunksReport, error) {
	r := &ChunksReport{Sets: []ChunkSet{}, Skipped: []savings.SkippedWorld{}}
	o.Step(0, 2, "terrain")
	w, err := convert.Load(ctx, lab.Land(o))
	if err != nil {
		return nil, err
	}
	r.add("terrain", chunksOf(w, lab.LandVolume), &voxel.Rule{Schema: voxel.Terrain}, o)
	o.Step(1, 2, "worlds")
	blocks, err := r.blocks(ctx, dirs)
	if err != nil {
		return nil, err
	}
	r.add("blocks", blocks, &voxel.Rule{Schema: voxel.Palette}, o)
	o.Step(2, 2, "")
	return r, nil
}

// chunksOf returns the chunks of all volumes of that name.
func chunksOf(w *convert.Loaded, volume string) (out []*voxel.Chunk) {
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
	r.Skipped, err = lab.EachWorld(ctx, dirs, func(w *convert.Loaded) { out = append(out, chunksOf(w, voxel.Block)...) })
	return out, err
}

// add measures a set; one without chunks is left out.
func (r *ChunksReport) add(name string, distinct []*voxel.Chunk, rule *voxel.Rule, o lab.Options) {
	if len(distinct) == 0 {
		return
	}
	n := max(len(distinct), int(cmp.Or(o.FlatBytes, lab.FlatDefault)/lab.FlatChunkBytes))
	s := ChunkSet{Name: name, Distinct: len(distinct), Chunks: n}
	flats := make([]*lab.FlatChunk, n)
	s.FlatBytes = lab.HeapGrowth(func() {
		for i := range flats {
			flats[i] = new(lab.FlatChunk)
			distinct[i%len(distinct)].Flat(flats[i])
		}
	})
	chunks := make([]*voxel.Chunk, n)
	s.OurBytes = lab.HeapGrowth(func() {
		var b voxel.ChunkBuilder
		for i := range chunks {
			chunks[i] = b.FromFlat(flats[i])
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

const (
	randomReads = 1 << 20
)

// timeReads takes for each kind of read the fastest of some rounds, in which
// both forms take turns.
func timeReads(chunks []*voxel.Chunk, flats []*lab.FlatChunk) []ChunkReads {
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
		{"scan, uniform slices skipped", rows, func() int { return lab.SkipChunks(chunks) }, func() int { return lab.ScanFlats(flats) }},
		{"scan, every cell", rows, func() int { return lab.ScanChunks(chunks) }, func() int { return lab.ScanFlats(flats) }},
		{"random rows", len(at), func() int { return lab.RowsChunks(chunks, at) }, func() int { return lab.RowsFlats(flats, at) }},
		{"random cells", len(at), func() int { return lab.CellsChunks(chunks, at) }, func() int { return lab.CellsFlats(flats, at) }},
	} {
		r := ChunkReads{Name: k.name}
		for range lab.ReadRounds {
			ours, sum := lab.Nanoseconds(k.ours, k.n)
			flat, want := lab.Nanoseconds(k.flat, k.n)
			if sum != want {
				panic("cell: a chunk's cells are not those of the flat array it was packed from")
			}
			r.Ours, r.Flat = lab.Least(r.Ours, ours), lab.Least(r.Flat, flat)
		}
		r.Ratio = r.Ours / r.Flat
		out = append(out, r)
	}
	return out
}

// Table prints the time of each read and the memory of each set.
func (r *ChunksReport) Table(w io.Writer) {
	t := table.New(w, "ns each", "cairn", "flat", "cairn/flat")
	for _, s := range r.Sets {
		for _, x := range s.Reads {
			t.Row(s.Name+": "+x.Name, fmt.Sprintf("%.1f", x.Ours), fmt.Sprintf("%.1f", x.Flat), fmt.Sprintf("%.2f", x.Ratio))
		}
	}
	t.Flush()
	fmt.Fprintln(w)
	t = table.New(w, "memory", "chunks", "distinct", "cells not empty", "cairn with mips", "flat", "cairn B/cell", "flat B/cell")
	for _, s := range r.Sets {
		t.Row(s.Name, fmt.Sprint(s.Chunks), fmt.Sprint(s.Distinct), fmt.Sprint(s.Cells), table.Size(s.OurBytes), table.Size(s.FlatBytes),
			fmt.Sprintf("%.3f", s.PerCell), fmt.Sprintf("%.3f", s.FlatCell))
	}
	t.Flush()
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}
