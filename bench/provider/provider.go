// Package provider measures the provider of game/provider/dragonfly beside dragonfly's own of LevelDB, in one process and run, and
// arenas that are forked and restored.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/dragonfly/server/world/mcdb"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	cairn "github.com/cairnvoxel/cairn/world"
)

// Report is what one run measured. Times are medians of a column, in microseconds.
type Report struct {
	Columns int  `json:"columns"`
	Cairn   Side `json:"cairn"`
	LevelDB Side `json:"leveldb"`
	// CommitMS is how long cairn takes to make the changed columns durable, all at once, beside the server. LevelDB does not.
	CommitMS float64 `json:"commit_ms"`
	Arenas   Arenas  `json:"arenas"`
}

// Side is one provider.
type Side struct {
	New       float64 `json:"store_new_us"`
	Changed   float64 `json:"store_changed_us"`   // of which ten blocks are others
	Unchanged float64 `json:"store_unchanged_us"` // dragonfly stores each column again that was ever changed
	Cold      float64 `json:"load_cold_us"`       // after opening; the system has the files
	Warm      float64 `json:"load_warm_us"`
	Bytes     int64   `json:"bytes"` // of the folder, closed
}

// Arenas are forks of a template of a million blocks.
type Arenas struct {
	Count   int     `json:"count"`
	Cells   int     `json:"cells"`
	Changed int     `json:"changed"` // in each
	ForkMS  float64 `json:"fork_ms"` // one after another, the median
	Second  float64 `json:"forked_and_restored_a_second"`
}

// Bench measures a made land of size by size columns, and arenas.
func Bench(ctx context.Context, size, arenas int, seed uint64) (*Report, error) {
	world.DefaultBlockRegistry.Finalize()
	src := terrain.Survival(terrain.Options{Seed: seed, Size: size, Version: terrain.Modern})
	land := &land{ids: map[string]uint32{}}
	if err := src.Read(ctx, land); err != nil {
		return nil, err
	}
	r := &Report{Columns: len(land.columns)}
	err := lab.InTemp(func(dir string) error {
		return errors.Join(r.sides(ctx, land, dir, seed), r.arenas(ctx, filepath.Join(dir, "arenas"), arenas))
	})
	return r, err
}

// land is the columns of a made world as dragonfly has them: names of Java are any blocks of Bedrock.
type land struct {
	ids     map[string]uint32
	names   *format.Names
	columns []column
	skip    bool
}

type column struct {
	pos world.ChunkPos
	*chunk.Column
}

func (l *land) Dimension(d *format.Dimension) error {
	l.names, l.skip = d.Volume(voxel.Block).Names, d.Name != "overworld"
	return nil
}

func (l *land) Column(c *format.Column) error {
	if l.skip {
		return nil
	}
	out := chunk.New(world.DefaultBlockRegistry, world.Overworld.Range())
	for i, s := range c.Sections {
		if cells := c.Cells[i].Block; len(cells) > 0 {
			for at := range 4096 {
				id := l.id(l.names.Name(cells[min(at, len(cells)-1)]))
				out.SetBlock(uint8(at&15), int16(s.Y)*16+int16(at>>8), uint8(at>>4&15), 0, id)
			}
		}
	}
	out.Compact()
	l.columns = append(l.columns, column{world.ChunkPos{c.Pos.X, c.Pos.Z}, &chunk.Column{Chunk: out}})
	return nil
}

func (l *land) id(name string) uint32 {
	id, ok := l.ids[name]
	if !ok {
		id = world.DefaultBlockRegistry.AirRuntimeID()
		if name != format.Air {
			id = uint32(len(l.ids)*131+17) % uint32(world.DefaultBlockRegistry.BlockCount())
		}
		l.ids[name] = id
	}
	return id
}

func (l *land) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (l *land) File(format.File) error                          { return nil }

// side opens and closes a provider of one folder, as often as it is asked.
type side struct {
	to   *Side
	dir  string
	open func() (world.Provider, error)
	world.Provider
	loaded []column // as a server has them
}

func (r *Report) sides(ctx context.Context, l *land, dir string, seed uint64) error {
	db, ours := filepath.Join(dir, "leveldb"), filepath.Join(dir, "cairn")
	var st *local.Store
	sides := []*side{
		{to: &r.LevelDB, dir: db, open: func() (world.Provider, error) { return mcdb.Open(db) }},
		{to: &r.Cairn, dir: ours, open: func() (p world.Provider, err error) {
			if st, err = local.Open(ours, local.Options{}); err != nil {
				return nil, err
			}
			return dragonfly.Open(ctx, st, "land", dragonfly.Options{Every: time.Hour})
		}},
	}
	each := func(f func(s *side) error) error {
		for _, s := range sides {
			if err := f(s); err != nil {
				return err
			}
		}
		return nil
	}
	closed := func(s *side) error {
		err := s.Close()
		if s.to == &r.Cairn {
			err = errors.Join(err, st.Close())
		}
		return err
	}
	opened := func(s *side) (err error) { s.Provider, err = s.open(); return err }
	store := func(median *float64, s *side, all []column) (err error) {
		*median, err = timed(all, func(c column) error { return s.StoreColumn(c.pos, world.Overworld, c.Column) })
		return err
	}
	load := func(median *float64, s *side) (err error) {
		s.loaded = nil
		*median, err = timed(l.columns, func(c column) error {
			got, err := s.LoadColumn(c.pos, world.Overworld)
			s.loaded = append(s.loaded, column{c.pos, got})
			return err
		})
		return err
	}
	if err := each(func(s *side) error { return errors.Join(opened(s), store(&s.to.New, s, l.columns), closed(s)) }); err != nil {
		return err
	}
	if err := each(func(s *side) error { return errors.Join(opened(s), load(&s.to.Cold, s), load(&s.to.Warm, s)) }); err != nil {
		return err
	}
	err := each(func(s *side) error {
		change(s.loaded, seed)
		return errors.Join(store(&s.to.Changed, s, s.loaded), store(&s.to.Unchanged, s, s.loaded))
	})
	if err != nil {
		return err
	}
	begin := time.Now()
	_, err = sides[1].Provider.(*dragonfly.Provider).Commit(ctx, "changed")
	r.CommitMS = time.Since(begin).Seconds() * 1e3
	if err = errors.Join(err, each(closed)); err != nil {
		return err
	}
	return each(func(s *side) (err error) { s.to.Bytes, err = bytesOf(s.dir); return err })
}

// change changes ten blocks of each column, as dragonfly has it when it saves.
func change(all []column, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	for _, c := range all {
		for range 10 {
			c.Chunk.SetBlock(uint8(rnd.IntN(16)), int16(60+rnd.IntN(16)), uint8(rnd.IntN(16)), 0, uint32(rnd.IntN(20)*131+17))
		}
		c.Chunk.Compact()
	}
}

// timed calls f with each column and returns the median time in microseconds.
func timed(all []column, f func(column) error) (median float64, err error) {
	times := make([]float64, 0, len(all))
	for _, c := range all {
		begin := time.Now()
		if err := f(c); err != nil {
			return 0, fmt.Errorf("column %v: %w", c.pos, err)
		}
		times = append(times, time.Since(begin).Seconds()*1e6)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func bytesOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// Arenas have this many cells in x and z, and in y.
const wide, tall = 128, 64

// arenas forks arenas, changes a part of each, and restores all: forks and restores by 16 goroutines, in a durable store.
func (r *Report) arenas(ctx context.Context, dir string, n int) error {
	st, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	a := arenas{st: st, worlds: make([]*cairn.World, n)}
	a.Count, a.Cells = n, wide*wide*tall
	err = a.measure(ctx)
	r.Arenas = a.Arenas
	return errors.Join(err, st.Close())
}

type arenas struct {
	Arenas
	st     *local.Store
	worlds []*cairn.World
}

func (a *arenas) measure(ctx context.Context) error {
	w, err := cairn.Create(ctx, a.st, "template", cairn.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	rnd := rand.New(rand.NewPCG(1, 1))
	_, err = w.Update(func(tx *cairn.Tx) error {
		v := tx.AddDimension("overworld", voxel.BlockVolumes(), nil).Volume(voxel.Block)
		v.Fill(geom.Box{Max: geom.Point{X: wide, Y: tall / 2, Z: wide}}, v.Named("minecraft:stone"))
		for range 2000 {
			v.Set(geom.Point{X: rnd.IntN(wide), Y: rnd.IntN(tall), Z: rnd.IntN(wide)}, v.Named("minecraft:glass"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	first, err := w.Commit(ctx, "template")
	if err != nil {
		return err
	}
	var forks []float64
	for i := range 50 {
		begin := time.Now()
		if err := dragonfly.Fork(ctx, a.st, "template", fmt.Sprint("single/", i)); err != nil {
			return err
		}
		forks = append(forks, time.Since(begin).Seconds()*1e3)
	}
	slices.Sort(forks)
	a.ForkMS = forks[len(forks)/2]
	forking, err := a.each(func(i int) error { return dragonfly.Fork(ctx, a.st, "template", name(i)) })
	if err != nil {
		return err
	}
	if _, err = a.each(func(i int) error { return a.play(ctx, i) }); err != nil {
		return err
	}
	restoring, err := a.each(func(i int) error { _, err := a.worlds[i].Restore(ctx, first.ID(), "again"); return err })
	a.Second = float64(a.Count) / (forking + restoring).Seconds()
	for _, w := range a.worlds {
		err = errors.Join(err, w.Close())
	}
	return err
}

func name(i int) string { return fmt.Sprint("arenas/", i) }

// play opens an arena and changes 1 % of it.
func (a *arenas) play(ctx context.Context, i int) (err error) {
	if a.worlds[i], err = cairn.Open(ctx, a.st, name(i), cairn.Options{Whole: true}); err != nil {
		return err
	}
	b := geom.Box{Min: geom.Point{X: i % 64, Y: 20, Z: i % 50}}
	b.Max = b.Min.Add(geom.Point{X: 22, Y: 22, Z: 22})
	if i == 0 {
		a.Changed = b.Cells()
	}
	_, err = a.worlds[i].Update(func(tx *cairn.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(b, v.Named("minecraft:air"))
		return nil
	})
	if err == nil {
		_, err = a.worlds[i].Commit(ctx, "a round")
	}
	return err
}

// each calls f for all arenas on 16 goroutines.
func (a *arenas) each(f func(i int) error) (time.Duration, error) {
	begin, next, errs := time.Now(), make(chan int), make([]error, 16)
	var all sync.WaitGroup
	for g := range errs {
		all.Go(func() {
			for i := range next {
				errs[g] = errors.Join(errs[g], f(i))
			}
		})
	}
	for i := range a.Count {
		next <- i
	}
	close(next)
	all.Wait()
	return time.Since(begin), errors.Join(errs...)
}
