package peer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"github.com/Tnze/go-mc/level"
	"github.com/df-mc/dragonfly/server/world/chunk"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Grid is what one kind of work on blocks takes, in nanoseconds of the processor
// each; of "memory" bytes a chunk of cairn's that is not empty.
type Grid struct {
	What      string  `json:"what"`
	Cairn     float64 `json:"cairn"`
	Dragonfly float64 `json:"dragonfly"`
	// Storage is dragonfly by its quickest public way: from a block storage at
	// hand, that of an empty sub chunk not asked. 0 where there is none.
	Storage float64 `json:"dragonfly_storage,omitempty"`
	GoMC    float64 `json:"go_mc"`
	// The ratios are theirs/cairn: how much faster cairn is.
	ByDragonfly float64 `json:"dragonfly_ratio"`
	ByStorage   float64 `json:"dragonfly_storage_ratio,omitempty"`
	ByGoMC      float64 `json:"go_mc_ratio"`
}

// dimension is the blocks of one dimension in all forms. A world of the peers is
// a map of columns.
type dimension struct {
	grid    *grid.Grid
	columns map[geom.ColumnPos]*chunk.Chunk
	levels  map[geom.ColumnPos]*levelColumn
}

// levelColumn is go-mc's column, which does not know how low it begins.
type levelColumn struct {
	*level.Chunk
	low int // the section of least y
}

func (c *levelColumn) block(x, y, z int) level.BlocksState {
	return c.Sections[y>>4-c.low].GetBlock(y&15<<8 | z<<4 | x)
}

// Grids is worlds in all forms.
type Grids struct {
	all    []*dimension
	strips []strip
	memory Grid
	random *rand.Rand
}

// strip is 16x16 rows of 32 cells that all forms hold: half a cairn chunk in y
// and z, and a sub chunk of two columns.
type strip struct {
	in       *dimension
	min      geom.Point
	chunk    *voxel.Chunk
	columns  [2]*chunk.Chunk
	storages [2]*chunk.PalettedStorage // nil: empty
	levels   [2]*levelColumn
	sections [2]*level.Section
}

// LoadGrids loads the worlds in all forms, one form after the other.
func LoadGrids(worlds []string, progress func(done int)) (*Grids, error) {
	g := &Grids{random: rand.New(rand.NewPCG(1, 1)), memory: Grid{What: "memory, a chunk"}}
	for i, form := range []struct {
		bytes *float64
		load  func(dir string, add func(int) *dimension) error
	}{{&g.memory.Cairn, loadViews}, {&g.memory.Dragonfly, loadDragonfly}, {&g.memory.GoMC, loadLevels}} {
		before, n := live(), 0
		for j, dir := range worlds {
			first := n
			add := func(k int) *dimension {
				n = max(n, first+k+1)
				if n > len(g.all) {
					g.all = append(g.all, &dimension{})
				}
				return g.all[first+k]
			}
			if err := form.load(dir, add); err != nil {
				return nil, fmt.Errorf("%s: %w", dir, err)
			}
			progress(i*len(worlds) + j + 1)
		}
		*form.bytes = float64(live() - before)
	}
	chunks := 0
	for _, d := range g.all {
		chunks += d.grid.View().Len()
		g.strips = append(g.strips, d.strips()...)
	}
	if len(g.strips) == 0 {
		return nil, errors.New("peer: no blocks in these worlds")
	}
	for _, v := range []*float64{&g.memory.Cairn, &g.memory.Dragonfly, &g.memory.GoMC} {
		*v /= float64(chunks)
	}
	return g, nil
}

// loadViews loads a world's blocks as grids with their mips.
func loadViews(dir string, add func(int) *dimension) error {
	volumes, err := held(dir, voxel.Block)
	for i, v := range volumes {
		o := grid.Options{Schema: voxel.Palette, Empty: airs(v.Names)}
		view := grid.Build(o, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
			for _, pos := range v.Positions() {
				if !yield(pos, v.Chunks[pos]) {
					return
				}
			}
		})
		for _, c := range view.Chunks() {
			c.Mip(view.Rule(), 1)
		}
		add(i).grid = grid.Hold(view)
	}
	return err
}

func loadDragonfly(dir string, add func(int) *dimension) error {
	return loadColumns(dir, add, func(d *dimension) { d.columns = map[geom.ColumnPos]*chunk.Chunk{} },
		func(d *dimension, c *format.Column) { d.columns[c.Pos] = peerChunk(c) })
}

func loadLevels(dir string, add func(int) *dimension) error {
	return loadColumns(dir, add, func(d *dimension) { d.levels = map[geom.ColumnPos]*levelColumn{} },
		func(d *dimension, c *format.Column) { d.levels[c.Pos] = levelOf(c) })
}

func loadColumns(dir string, add func(int) *dimension, begin func(*dimension), take func(*dimension, *format.Column)) error {
	n := -1
	var d *dimension
	return load(dir, filler{
		dimension: func(*format.Dimension) { n++; d = add(n); begin(d) },
		column:    func(c *format.Column) { take(d, c) },
	})
}

// levelOf returns the column as go-mc's chunk, of the height of peerChunk.
func levelOf(c *format.Column) *levelColumn {
	low, high := heights(c)
	out := &levelColumn{level.EmptyChunk(high - low + 1), low}
	for i, s := range c.Sections {
		if len(c.Cells[i].Block) == 0 {
			continue
		}
		cell, section := blocks(c.Cells[i]), &out.Sections[int(s.Y)-low]
		for j := range 4096 {
			if v := cell(j); v != voxel.Empty {
				section.SetBlock(j, level.BlocksState(v))
			}
		}
	}
	return out
}

// strips returns what all forms hold of the chunks that are not empty.
func (d *dimension) strips() (out []strip) {
	for pos, c := range d.grid.View().Chunks() {
		for half := range 4 {
			min := pos.Min().Add(geom.Point{Y: half >> 1 * 16, Z: half & 1 * 16})
			s := strip{in: d, min: min, chunk: c}
			if s.find(geom.ColumnPos{X: int32(min.X >> 4), Z: int32(min.Z >> 4)}) {
				out = append(out, s)
			}
		}
	}
	return out
}

// find finds the peers' forms from the column on, and reports whether they hold
// the strip.
func (s *strip) find(at geom.ColumnPos) bool {
	for i := range s.columns {
		pos := geom.ColumnPos{X: at.X + int32(i), Z: at.Z}
		c, l := s.in.columns[pos], s.in.levels[pos]
		if c == nil || s.min.Y < c.Range()[0] || s.min.Y > c.Range()[1] {
			return false
		}
		s.columns[i], s.levels[i] = c, l
		s.sections[i] = &l.Sections[s.min.Y>>4-l.low]
		if sub := c.SubChunk(int16(s.min.Y)); !sub.Empty() {
			s.storages[i] = sub.Layers()[0]
		}
	}
	return true
}

// Measure times all work, and checks that all forms give the same.
func (g *Grids) Measure(progress func(done, all int)) ([]Grid, error) {
	out := []Grid{g.memory.rated()}
	work := g.work()
	for i, w := range work {
		row := Grid{What: w.what}
		for range gridRounds {
			want := 0
			for j, form := range []struct {
				do func() int
				ns *float64
			}{{w.cairn, &row.Cairn}, {w.dragonfly, &row.Dragonfly}, {w.storage, &row.Storage}, {w.goMC, &row.GoMC}} {
				if form.do == nil {
					continue
				}
				runtime.GC() // what was done before leaves nothing to collect
				before := processorTime()
				sum := form.do()
				each := float64((processorTime() - before).Nanoseconds()) / float64(w.n)
				if *form.ns == 0 || each < *form.ns {
					*form.ns = each
				}
				if j == 0 {
					want = sum
				}
				if sum != want {
					return nil, fmt.Errorf("peer: %s: the forms differ", w.what)
				}
			}
		}
		out = append(out, row.rated())
		progress(i+1, len(work))
	}
	// What was set must be what is read.
	all := placesOf(g.spots(gridReads, 1))
	if sum := findCairn(all); sum != findDragonfly(all) || sum != findLevels(all) {
		return nil, errors.New("peer: the forms differ after writes")
	}
	return out, nil
}

const gridRounds = 5

func (r Grid) rated() Grid {
	r.ByDragonfly, r.ByStorage, r.ByGoMC = r.Dragonfly/r.Cairn, r.Storage/r.Cairn, r.GoMC/r.Cairn
	return r
}

// Made makes worlds in a folder of their own, which is to be removed.
func Made() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "cairn-peers-"); err != nil {
		return "", err
	}
	for name, src := range map[string]format.Source{
		"survival": terrain.Survival(terrain.Options{Seed: 1, Version: terrain.Modern, Size: 24}),
		"island":   terrain.Island(terrain.Options{Seed: 2, Version: terrain.Modern}),
		"arena":    terrain.Arena(terrain.Options{Seed: 3}),
	} {
		if err := write(filepath.Join(dir, name), src); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

func write(dir string, src format.Source) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	out, err := anvil.Create(dir, anvil.FolderOptions{})
	if err != nil {
		return err
	}
	if err := src.Read(context.Background(), out); err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}
