// Package level measures one large terrain that it makes: in memory beside flat arrays and
// maps, in files in the forms of an article on voxel terrain, and while it is edited.
package level

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// The article is Arseny Kapoulkine's "Voxel terrain: storage".

// Row is the cost of a level in one form. Seconds are of the clock, on one goroutine, from
// chunks in memory to bytes and back. The decoded cells are compared; comparing is not timed.
type Row struct {
	Name    string  `json:"name"`
	Bytes   int64   `json:"bytes"`
	PerCell float64 `json:"bytes_per_voxel"` // that is not empty
	OfZstd  float64 `json:"of_rle_zstd"`     // bytes as a part of those of the row rle_zstd
	// Article is what the article has for its level, 0 for what is not in it.
	Article float64 `json:"article_bytes_per_voxel,omitempty"`
	Mips    string  `json:"mips"` // which of them the bytes hold
	Encode  float64 `json:"seconds"`
	Decode  float64 `json:"decode_seconds"`
	Open    float64 `json:"open_seconds"`
	Read    float64 `json:"read_rows_seconds"` // every row, of forms that are read as they are
}

// Parameters say which level was measured, and how.
type Parameters struct {
	Seed       uint64            `json:"seed"`
	Shape      terrain.Landscape `json:"shape"`
	Box        string            `json:"box"`    // cells, x and z; y from 0 up to the highest
	Volume     string            `json:"volume"` // the only one; no water
	Chunks     int               `json:"chunks"` // that are not empty
	PieceBytes int               `json:"piece_bytes"`
	Workers    int               `json:"generate_goroutines"`
}

// Scan is the time to sum the cells of every row of a part of the level:
// in a grid, slices of one cell being summed at once, and in flat chunks.
type Scan struct {
	Chunks int     `json:"chunks"`
	Grid   float64 `json:"grid_ns_per_row"`
	Flat   float64 `json:"flat_ns_per_row"`
	Ratio  float64 `json:"ratio"` // grid/flat
}

// Report is what a level takes in the article's forms and in cairn's.
type Report struct {
	Voxels     int64      `json:"voxels"` // that are not empty
	Parameters Parameters `json:"parameters"`
	Generate   float64    `json:"generate_seconds"`
	Rows       []Row      `json:"rows"`
	Scan       Scan       `json:"scan"`
}

// levelVoxels is the default of Options.Voxels.
const levelVoxels = 100_000_000

// BenchLevel makes a terrain of at least Options.Voxels cells that are not empty
// and writes and reads it in the article's forms and in cairn's.
func BenchLevel(ctx context.Context, o lab.Options) (*Report, error) {
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	b, err := m.bench(ctx)
	if err != nil {
		return nil, err
	}
	for i, f := range levelForms() {
		o.Step(i+1, len(levelForms())+1, f.name)
		if err := b.form(ctx, f); err != nil {
			return nil, fmt.Errorf("level: level as %s: %w", f.name, err)
		}
	}
	b.report.compare()
	b.scan(int(cmp.Or(o.FlatBytes, lab.FlatDefault) / lab.FlatChunkBytes))
	return &b.report, nil
}

// compare fills in OfZstd.
func (r *Report) compare() {
	i := slices.IndexFunc(r.Rows, func(f Row) bool { return f.Name == "rle_zstd" })
	for j := range r.Rows {
		r.Rows[j].OfZstd = float64(r.Rows[j].Bytes) / float64(r.Rows[i].Bytes)
	}
}

// Table prints a line for each form.
func (r *Report) Table(w io.Writer) {
	p := r.Parameters
	fmt.Fprintf(w, "%d voxels that are not empty in %d chunks of volume %q, seed %d, box %s\n", r.Voxels, p.Chunks, p.Volume, p.Seed, p.Box)
	fmt.Fprintf(w, "made in %.1f s by %d goroutines; rle is compressed in pieces of %d bytes\n\n", r.Generate, p.Workers, p.PieceBytes)
	t := table.New(w, "form", "bytes", "B/voxel", "article", "of rle_zstd", "encode s", "decode s", "open s", "read rows s", "mips")
	for _, f := range r.Rows {
		article := "-"
		if f.Article > 0 {
			article = fmt.Sprintf("%.3f", f.Article)
		}
		t.Row(f.Name, table.Size(f.Bytes), fmt.Sprintf("%.4f", f.PerCell), article, fmt.Sprintf("%.3f", f.OfZstd), seconds(f.Encode), seconds(f.Decode), seconds(f.Open), seconds(f.Read), f.Mips)
	}
	t.Flush()
	s := r.Scan
	fmt.Fprintf(w, "\nscan of %d chunks, ns a row: %.2f in a grid, slices of one cell at once; %.2f in flat chunks; ratio %.2f\n", s.Chunks, s.Grid, s.Flat, s.Ratio)
}

// seconds is a time for people, "-" for none.
func seconds(s float64) string {
	if s == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g", s)
}

// boxOf is the box of towers -half..half-1.
func boxOf(half int) string {
	n := half * geom.ChunkEdge
	return fmt.Sprintf("%d..%d", -n, n-1)
}
