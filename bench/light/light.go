// Package light measures how often stored light is what follows from the blocks, and what
// the rest is.
package light

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Kind is how one kind of light that worlds hold compares with a flood
// through their blocks.
type Kind struct {
	Cells int64 `json:"cells"` // whose light was stored
	Equal int64 `json:"equal"`
	// Play is the cells whose light is neither dark nor full, or not the same.
	Play      int64 `json:"play"`
	PlayEqual int64 `json:"play_equal"`
	// Carried is the cells that differ since others beside them do: by the light beside
	// them they are right.
	Carried int64        `json:"carried"`
	Causes  []LightCause `json:"causes"` // of the rest
}

// LightCause is cells that differ, and not since others do.
type LightCause struct {
	Cause    string `json:"cause"`
	Darker   int64  `json:"darker"` // than the flood
	Brighter int64  `json:"brighter"`
}

// Version is the light of columns of one data version, 0 where they have none.
type Version struct {
	Version int32 `json:"data_version"`
	Columns int   `json:"columns"`
	Sky     Kind  `json:"sky"`
	Block   Kind  `json:"block"`
}

// Report is what BenchLight found, by data version.
type Report struct {
	Versions []Version              `json:"versions"`
	Flooded  int64                  `json:"flooded"` // cells of chunks
	Seconds  float64                `json:"seconds"` // that this took
	Skipped  []savings.SkippedWorld `json:"skipped"`
}

// Bench compares the light that is stored in all worlds below dirs, or in
// made ones without dirs, with what follows from their blocks, and says what the
// rest is.
func Bench(ctx context.Context, dirs []string, o lab.Options) (r *Report, err error) {
	err = lab.OrMade(ctx, dirs, func(dirs []string) error {
		r, err = benchLight(ctx, dirs, o)
		return err
	})
	return r, err
}

func benchLight(ctx context.Context, dirs []string, o lab.Options) (*Report, error) {
	b := &lightBench{versions: make(map[int32]*Version)}
	places, err := savings.Find(dirs)
	if err != nil {
		return nil, err
	}
	r := &Report{Versions: []Version{}, Skipped: []savings.SkippedWorld{}}
	for i, p := range places {
		o.Step(i, len(places), p.Path)
		w, err := lab.LoadPlace(ctx, p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Skipped = append(r.Skipped, savings.SkippedWorld{Path: p.Path, Why: err.Error()})
			continue
		}
		for _, d := range w.Dimensions {
			if err := b.dimension(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	o.Step(len(places), len(places), "")
	r.Flooded, r.Seconds = b.flooded, b.took.Seconds()
	for _, v := range slices.SortedFunc(maps.Values(b.versions), func(a, b *Version) int { return cmp.Compare(a.Version, b.Version) }) {
		v.Sky.finish()
		v.Block.finish()
		r.Versions = append(r.Versions, *v)
	}
	return r, nil
}

// finish leaves causes in the order in which they are looked for.
func (k *Kind) finish() {
	if k.Causes == nil {
		k.Causes = []LightCause{}
	}
	slices.SortFunc(k.Causes, func(a, b LightCause) int {
		return cmp.Compare(slices.Index(lightCauses, a.Cause), slices.Index(lightCauses, b.Cause))
	})
}

func (k *Kind) cause(name string) *LightCause {
	for i := range k.Causes {
		if k.Causes[i].Cause == name {
			return &k.Causes[i]
		}
	}
	k.Causes = append(k.Causes, LightCause{Cause: name})
	return &k.Causes[len(k.Causes)-1]
}

type lightBench struct {
	versions map[int32]*Version
	flood    light.Flood
	flooded  int64
	took     time.Duration
}

// lightDimension is a dimension whose light is compared.
type lightDimension struct {
	*convert.LoadedDimension
	towers  map[[2]int32]light.Tower
	columns map[geom.ColumnPos]*lightColumn
	matters light.Matters
	partial []bool // by cell of blocks
	blocks  *grid.View
	levels  *grid.View
	has     voxel.Has // of the kind under way
	flood   map[geom.ChunkPos]*[voxel.ChunkCells]uint8
}

type lightColumn struct {
	*voxel.Column
	dark voxel.Has // kinds whose cells are all 0
}

// lightSamples is from how many chunks of a kind the rule is learned.
const lightSamples = 1024

func (b *lightBench) dimension(ctx context.Context, from *convert.LoadedDimension) error {
	blocks := from.Volume(voxel.Block)
	if blocks == nil || blocks.Schema != voxel.Palette {
		return nil
	}
	d := &lightDimension{LoadedDimension: from, blocks: gridOf(blocks), columns: make(map[geom.ColumnPos]*lightColumn)}
	d.partial = make([]bool, len(blocks.Names))
	for i, name := range blocks.Names {
		d.partial[i] = isPartial(name)
	}
	b.build(d, blocks)
	d.matters = light.Matters(nil).With(blocks.Names).Learn(d.samples(blocks))
	b.flood.Use(d.matters)
	for kind, name := range []string{light.Sky: voxel.Sky, light.Block: voxel.Light} {
		v := from.Volume(name)
		if v == nil {
			continue
		}
		d.levels, d.has = gridOf(v), voxel.HasSky
		if light.Channel(kind) == light.Block {
			d.has = voxel.HasLight
		}
		for i := range from.Columns {
			d.columns[from.Columns[i].Pos].look(d)
		}
		if err := b.kind(ctx, d, light.Channel(kind)); err != nil {
			return err
		}
	}
	return nil
}

func gridOf(v *convert.LoadedVolume) *grid.View {
	return grid.Build(grid.Options{Schema: v.Schema, Default: v.Default}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for _, pos := range v.Positions() {
			if !yield(pos, v.Chunks[pos]) {
				return
			}
		}
	})
}

func (b *lightBench) build(d *lightDimension, blocks *convert.LoadedVolume) {
	d.towers = make(map[[2]int32]light.Tower)
	for pos, c := range blocks.Chunks {
		at := [2]int32{pos.X, pos.Z}
		d.towers[at] = append(d.towers[at], light.Floor{Y: pos.Y, Chunk: c})
	}
	for _, t := range d.towers {
		slices.SortFunc(t, func(a, b light.Floor) int { return cmp.Compare(b.Y, a.Y) })
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		d.columns[c.Pos] = &lightColumn{Column: c}
		if slices.ContainsFunc(c.Sections, func(s voxel.Section) bool { return s.Has&(voxel.HasSky|voxel.HasLight) != 0 }) {
			b.version(c.Version).Columns++
		}
	}
}

// samples yields what the rule is learned from, as writers of stones do.
func (d *lightDimension) samples(blocks *convert.LoadedVolume) iter.Seq[light.Lit] {
	return func(yield func(light.Lit) bool) {
		for _, name := range []string{voxel.Sky, voxel.Light} {
			v, left := d.Volume(name), lightSamples
			if v == nil {
				continue
			}
			for _, pos := range v.Positions() {
				if blocks.Chunks[pos] == nil || left == 0 {
					continue
				}
				left--
				lit := light.Lit{Blocks: blocks.Chunks[pos], Sky: v.Chunks[pos]}
				if name == voxel.Light {
					lit.Sky, lit.Light = nil, v.Chunks[pos]
				}
				if !yield(lit) {
					return
				}
			}
		}
	}
}

// look finds out whether the column is dark throughout.
func (c *lightColumn) look(d *lightDimension) {
	var cells [light.SectionCells]voxel.Cell
	any := false
	for _, s := range c.Sections {
		if s.Has&d.has == 0 {
			continue
		}
		any = true
		d.levels.ReadBox(sectionAt(c.Pos, int(s.Y), 0), 0, cells[:])
		if cells != [light.SectionCells]voxel.Cell{} {
			return
		}
	}
	if any {
		c.dark |= d.has
	}
}

// sectionAt returns the cells of a section, and so many around.
func sectionAt(pos geom.ColumnPos, y, around int) geom.Box {
	b := geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}.Add(pos.Min(y * 16))
	more := geom.Point{X: around, Y: around, Z: around}
	return geom.Box{Min: b.Min.Sub(more), Max: b.Max.Add(more)}
}

// kind compares one kind of light, one footprint of chunks after the other.
func (b *lightBench) kind(ctx context.Context, d *lightDimension, kind light.Channel) error {
	footprints := make(map[[2]int32][]*lightColumn)
	for pos, c := range d.columns {
		at := pos.Chunk(0)
		footprints[[2]int32{at.X, at.Z}] = append(footprints[[2]int32{at.X, at.Z}], c)
	}
	for at, columns := range footprints {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		from := geom.ChunkPos{X: at[0], Z: at[1]}
		ok := b.flood.Fill(kind, from, geom.ChunkPos{X: from.X + 1, Z: from.Z + 1}, func(x, z int32) light.Tower { return d.towers[[2]int32{x, z}] })
		b.took += time.Since(began)
		if !ok {
			continue
		}
		d.flood = make(map[geom.ChunkPos]*[voxel.ChunkCells]uint8)
		for _, c := range columns {
			for _, s := range c.Sections {
				if s.Has&d.has != 0 {
					d.pour(b, c.Pos.Chunk(int(s.Y)*16))
					b.section(d, kind, c, int(s.Y))
				}
			}
		}
	}
	return nil
}

// pour writes down the flood of a chunk.
func (d *lightDimension) pour(b *lightBench, pos geom.ChunkPos) {
	if d.flood[pos] != nil {
		return
	}
	began := time.Now()
	flat := new([voxel.ChunkCells]uint8)
	for i := range voxel.SliceCells { // rows
		b.flood.Row(pos, i/voxel.ChunkEdge, i%voxel.ChunkEdge, (*[voxel.ChunkEdge]uint8)(flat[i*voxel.ChunkEdge:]))
	}
	d.flood[pos] = flat
	b.took += time.Since(began)
	b.flooded += voxel.ChunkCells
}
