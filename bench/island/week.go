package island

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Week is what an island takes that is played on for a week: four hours a day,
// saved every five minutes, garbage collected every night.
type Week struct {
	Player string `json:"player"`
	Forked bool   `json:"forked"` // from a template, whose stone is counted nowhere
	Saves  int    `json:"saves"`
	Island int64  `json:"island_bytes"` // its first stone
	Saved  int64  `json:"saved_bytes"`  // all stones of saves
	Packed int64  `json:"packed_bytes"` // all packs
	Kept   int64  `json:"kept_bytes"`   // stones at the end
	Log    int    `json:"log"`          // commits that can be gone back to at the end
}

// Weeks are weeks of players on an island of their own, and on one that is forked from a template.
type Weeks struct {
	Weeks []Week `json:"weeks"`
}

// BenchWeek plays a week for each kind of player: one who sets random blocks, and one who builds.
func BenchWeek(ctx context.Context, o lab.Options) (*Weeks, error) {
	r := new(Weeks)
	for i := range 4 {
		o.Step(i, 4, "playing a week")
		w, err := play(ctx, i/2 == 1, i%2 == 1)
		if err != nil {
			return nil, err
		}
		r.Weeks = append(r.Weeks, w)
	}
	return r, nil
}

// Table prints the weeks.
func (r *Weeks) Table(to io.Writer) {
	fmt.Fprint(to, "a week on an island: autosaves, with the default retention\n\n")
	t := table.New(to, "player", "island", "saves", "island's stone", "saves wrote", "packing wrote", "kept", "versions")
	for _, w := range r.Weeks {
		of := "alone"
		if w.Forked {
			of = "beside its template"
		}
		t.Row(w.Player, of, fmt.Sprint(w.Saves), table.Size(w.Island), table.Size(w.Saved), table.Size(w.Packed), table.Size(w.Kept), fmt.Sprint(w.Log))
	}
	t.Flush()
}

// Print prints the week in a line.
func (w *Week) Print(to io.Writer) {
	fmt.Fprintf(to, "\na week on an island of %s: %d autosaves wrote %s, packing %s; with the default retention %s are kept, %d versions\n",
		table.Size(w.Island), w.Saves, table.Size(w.Saved), table.Size(w.Packed), table.Size(w.Kept), w.Log)
}

// tally is a Store that counts what is written to it.
type tally struct {
	history.Store
	saved, packed int64
}

func (t *tally) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	for _, s := range stones {
		t.saved += int64(len(s.Data))
	}
	return t.Store.Commit(ctx, name, base, c, stones...)
}

func (t *tally) PutPack(ctx context.Context, name string, p history.Pack, s history.Stone) error {
	t.packed += int64(len(s.Data))
	return t.Store.PutPack(ctx, name, p, s)
}

// How often a player's world is saved: WeekSaves times on a day.
const (
	WeekSaves = 12 * 4 // a day
	SaveEvery = 5 * time.Minute
)

// Play plays on an island in memory: the bytes are those of any store.
func Play(ctx context.Context) (Week, error) { return play(ctx, false, false) }

// play plays a week, as one who builds or one who sets random blocks, on an island or on a fork of it.
func play(ctx context.Context, builds, forked bool) (Week, error) {
	r := Week{Player: "random blocks", Forked: forked, Saves: 7 * WeekSaves}
	now := time.Date(2026, 1, 5, 16, 0, 0, 0, time.UTC)
	st := &tally{Store: memory.New(memory.Options{Now: func() time.Time { return now }})}
	name := "island"
	var err error
	if r.Island, err = ImportSource(ctx, st, name, terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern})); err != nil {
		return r, err
	}
	if forked {
		head, err := st.Head(ctx, name)
		if err == nil {
			err = st.Fork(ctx, name, head.Commit, "fork")
		}
		if err != nil {
			return r, err
		}
		name = "fork"
	} else {
		r.Kept = r.Island
	}
	st.saved = 0
	w, err := world.Open(ctx, st, name, world.Options{Whole: true})
	if err != nil {
		return r, err
	}
	defer func() { _ = w.Close() }() // nothing of it is needed any more
	b := NewBuilder(w)
	save := b.Save
	if builds {
		r.Player, save = "a builder", (&houses{Builder: b}).save
	}
	for range 7 {
		for range WeekSaves {
			now = now.Add(SaveEvery)
			if err := save(ctx, 40); err != nil {
				return r, err
			}
		}
		now = now.Add(24*time.Hour - WeekSaves*SaveEvery)
		got, err := st.Collect(ctx, history.Policy{Grace: -1})
		if err != nil {
			return r, err
		}
		r.Kept -= got.Bytes
	}
	log, err := w.Log(ctx, 1000)
	r.Saved, r.Packed, r.Log = st.saved, st.packed, len(log)
	r.Kept += r.Saved + r.Packed
	return r, err
}

// Builder is a player who builds now here, now there.
type Builder struct {
	W      *world.World
	dim    string
	within geom.Box
	random *rand.Rand
	spot   geom.Point
	saves  int
}

// NewBuilder returns a player of a world.
func NewBuilder(w *world.World) *Builder {
	d := w.View().Dimensions()[0]
	b := &Builder{W: w, dim: d.Name(), random: rand.New(rand.NewPCG(1, 1))}
	for pos := range d.Volume(voxel.Block).Chunks() {
		b.within = b.within.Union(pos.Box())
	}
	return b
}

// Save sets blocks near each other and commits.
func (b *Builder) Save(ctx context.Context, blocks int) error {
	if b.saves%20 == 0 {
		s := b.within.Size()
		b.spot = b.within.Min.Add(geom.Point{X: b.random.IntN(s.X), Y: b.random.IntN(s.Y), Z: b.random.IntN(s.Z)})
	}
	b.saves++
	_, err := b.W.Update(func(tx *world.Tx) error {
		v := tx.Dimension(b.dim).Volume(voxel.Block)
		for range blocks {
			p := b.spot.Add(geom.Point{X: b.random.IntN(12), Y: b.random.IntN(8), Z: b.random.IntN(12)})
			v.Set(p, voxel.Cell(b.random.IntN(min(16, len(v.Names())))))
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = b.W.Commit(ctx, "autosave")
	return err
}

// PackPrice is what packing wrote beside many small commits.
type PackPrice struct {
	World   string  `json:"world"`
	Chunks  int     `json:"chunks"` // of blocks
	Commits int     `json:"commits"`
	Saved   int64   `json:"saved_bytes"`
	Packed  int64   `json:"packed_bytes"`
	Price   float64 `json:"packed_per_saved"`
	Highest int     `json:"highest_stack"`
}

// PriceCommits is how many commits PriceOf is asked for.
const PriceCommits = 5000

// PackedWorld is a world whose packing is priced.
type PackedWorld struct {
	Name string
	src  format.Source
}

// PackedWorlds returns the worlds whose packing is priced.
func PackedWorlds() []PackedWorld {
	return []PackedWorld{
		{"island", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern})},
		{"survival world", terrain.Survival(terrain.Options{Seed: 1, Size: 24, Version: terrain.Modern})},
	}
}

// PriceOf commits small edits many times and counts what packing wrote.
func PriceOf(ctx context.Context, k PackedWorld, commits int) (PackPrice, error) {
	st := &tally{Store: memory.New(memory.Options{})}
	p := PackPrice{World: k.Name, Commits: commits}
	if _, err := ImportSource(ctx, st, "w", k.src); err != nil {
		return p, err
	}
	st.saved = 0
	w, err := world.Open(ctx, st, "w", world.Options{Whole: true})
	if err != nil {
		return p, err
	}
	defer func() { _ = w.Close() }() // nothing of it is needed any more
	b := NewBuilder(w)
	p.Chunks = w.View().Dimension(b.dim).Volume(voxel.Block).Len()
	for range commits {
		if err := b.Save(ctx, 1+b.random.IntN(20)); err != nil {
			return p, err
		}
		layers, err := st.Stack(ctx, "w", w.Head())
		if err != nil {
			return p, err
		}
		p.Highest = max(p.Highest, len(layers))
	}
	p.Saved, p.Packed = st.saved, st.packed
	p.Price = float64(p.Packed) / float64(p.Saved)
	return p, nil
}
