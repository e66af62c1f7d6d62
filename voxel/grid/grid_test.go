package grid_test

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

func at(x, y, z int) geom.Point { return geom.Point{X: x, Y: y, Z: z} }

func pos(x, y, z int32) geom.ChunkPos { return geom.ChunkPos{X: x, Y: y, Z: z} }

func box(x0, y0, z0, x1, y1, z1 int) geom.Box {
	return geom.Box{Min: at(x0, y0, z0), Max: at(x1, y1, z1)}
}

// randomPos is mostly near the origin, sometimes anywhere within range.
func randomPos(r *rand.Rand) geom.ChunkPos {
	reach := []int32{2, 5, 40, geom.MaxChunk}[r.IntN(4)]
	coord := func() int32 { return r.Int32N(2*reach) - reach }
	return pos(coord(), coord(), coord())
}

// inOrder yields a map's chunks by code.
func inOrder(m map[geom.ChunkPos]*voxel.Chunk) iter.Seq2[geom.ChunkPos, *voxel.Chunk] {
	return func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for _, p := range slices.SortedFunc(maps.Keys(m), func(a, b geom.ChunkPos) int {
			return cmp.Compare(geom.CodeOf(a, 0), geom.CodeOf(b, 0))
		}) {
			if !yield(p, m[p]) {
				return
			}
		}
	}
}

func wantMap(t *testing.T, v *grid.View, want map[geom.ChunkPos]*voxel.Chunk) {
	t.Helper()
	if v.Len() != len(want) {
		t.Fatalf("%d chunks, want %d", v.Len(), len(want))
	}
	next, stop := iter.Pull2(v.Chunks())
	defer stop()
	for p, c := range inOrder(want) {
		gotPos, got, ok := next()
		if c == grid.NotLoaded {
			c = nil
		}
		if !ok || gotPos != p || got != c {
			t.Fatalf("%v %p %v, want %v %p", gotPos, got, ok, p, c)
		}
		if got, ok := v.Chunk(p); got != c || ok != (want[p] != grid.NotLoaded) || !v.Known(p) {
			t.Fatalf("Chunk(%v) = %p, %v; want %p", p, got, ok, c)
		}
	}
}

func TestMapOfChunks(t *testing.T) {
	long.Alone(t)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		model := map[geom.ChunkPos]*voxel.Chunk{}
		v := grid.New(grid.Options{})
		for step := range 60 {
			var placed []grid.Placed
			for range r.IntN([]int{2, 20, 700}[step%3]) {
				p := grid.Placed{Pos: randomPos(r)}
				switch r.IntN(4) {
				case 0:
				case 1:
					p.Chunk = grid.NotLoaded
				default:
					p.Chunk = voxel.Uniform(voxel.Cell(1 + r.IntN(9)))
				}
				placed = append(placed, p)
			}
			if step%10 == 9 {
				for p := range model {
					placed = append(placed, grid.Placed{Pos: p})
				}
				placed = placed[len(placed)/9:]
			}
			before, was := v, maps.Clone(model)
			v = v.With(placed)
			for _, p := range placed {
				delete(model, p.Pos)
				if p.Chunk != nil {
					model[p.Pos] = p.Chunk
				}
			}
			wantMap(t, v, model)
			wantMap(t, before, was)
			for range 50 {
				if p := randomPos(r); v.Known(p) != (model[p] != nil) {
					t.Fatalf("Known(%v) is wrong", p)
				}
			}
			wantIn(t, v, model, r)
		}
		wantMap(t, grid.Build(grid.Options{}, maps.All(model)), model)
		wantMap(t, grid.Build(grid.Options{}, inOrder(model)), model)
	}
}

// wantIn compares the chunks of a random box.
func wantIn(t *testing.T, v *grid.View, model map[geom.ChunkPos]*voxel.Chunk, r *rand.Rand) {
	t.Helper()
	p, q := randomPos(r).Min(), randomPos(r).Min()
	b := geom.Box{Min: at(min(p.X, q.X)+r.IntN(9), min(p.Y, q.Y), min(p.Z, q.Z)), Max: at(max(p.X, q.X)+1, max(p.Y, q.Y)+1, max(p.Z, q.Z)+1)}
	var got, want []geom.ChunkPos
	for p := range v.ChunksIn(b) {
		got = append(got, p)
	}
	for p := range inOrder(model) {
		if !p.Box().Intersect(b).Empty() {
			want = append(want, p)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("ChunksIn(%v): %d chunks, want %d", b, len(got), len(want))
	}
}

func TestView(t *testing.T) {
	v := grid.New(grid.Options{Schema: voxel.Level, Default: 15})
	if c, ok := v.Chunk(pos(1, 2, 3)); c != nil || !ok || v.Known(pos(1, 2, 3)) || v.Len() != 0 {
		t.Error("an empty volume is not of the default")
	}
	if c, ok := v.Chunk(pos(geom.MaxChunk, 0, 0)); c != nil || ok {
		t.Error("a chunk beyond the range")
	}
	if got, ok := v.Cell(at(-5, 7, 900)); got != 15 || !ok {
		t.Errorf("cell %d, %v; want the default", got, ok)
	}
	if _, ok := v.Cell(at(0, -geom.MaxChunk*32-1, 0)); ok {
		t.Error("a cell beyond the range")
	}
	v = v.With([]grid.Placed{{pos(0, 0, 0), voxel.Uniform(15)}, {pos(1, 0, 0), voxel.Uniform(0)}, {pos(2, 0, 0), grid.NotLoaded}})
	if v.Len() != 2 {
		t.Errorf("%d chunks, want 2: one is all default", v.Len())
	}
	if got, ok := v.Cell(at(32, 0, 0)); got != 0 || !ok {
		t.Errorf("cell %d, %v; want 0", got, ok)
	}
	if _, ok := v.Cell(at(64, 0, 0)); ok {
		t.Error("a cell that is not loaded")
	}
	if w := v.With(nil); w != v {
		t.Error("nothing changed, yet another View")
	}
}

func TestDraft(t *testing.T) {
	v := grid.New(grid.Options{}).With([]grid.Placed{{pos(0, 0, 0), voxel.Uniform(3)}, {pos(5, 0, 0), grid.NotLoaded}})
	d := v.Edit()
	d.Set(at(1, 1, 1), 9)
	d.Set(at(-1, -1, -1), 8)
	d.Set(at(-1, -1, -1), 0)
	d.Set(at(100, 0, 0), 7)
	if c, ok := d.Chunk(pos(0, 0, 0)); !ok || c.Cell(1, 1, 1) != 9 {
		t.Error("the draft's chunk lacks its write")
	}
	d.Set(at(1, 1, 2), 9)
	d.SetChunk(pos(5, 0, 0), voxel.Uniform(4))
	if got, ok := d.Cell(at(160, 0, 0)); got != 4 || !ok {
		t.Errorf("cell %d, %v; want 4", got, ok)
	}
	next, replaced := d.Publish()
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	var got []geom.ChunkPos
	for _, r := range replaced {
		got = append(got, r.Pos)
		if c, _ := next.Chunk(r.Pos); c != r.New || r.New == nil || r.Unknown != (r.Pos.X == 5) {
			t.Errorf("replaced %+v", r)
		}
	}
	if want := []geom.ChunkPos{pos(0, 0, 0), pos(3, 0, 0), pos(5, 0, 0)}; !slices.Equal(got, want) {
		t.Errorf("replaced %v, want %v", got, want)
	}
	if got, _ := v.Cell(at(1, 1, 1)); got != 3 {
		t.Error("the View of before has changed")
	}
	d.SetChunk(pos(0, 0, 0), voxel.Uniform(0))
	d.Set(at(100, 0, 0), 0)
	last, replaced := d.Publish()
	if len(replaced) != 2 || replaced[0].New != nil || replaced[1].New != nil || last.Len() != 1 {
		t.Errorf("replaced %v, %d chunks left; want none but (5,0,0)", replaced, last.Len())
	}
	if same, replaced := d.Publish(); same != last || len(replaced) != 0 {
		t.Error("nothing written, yet a change")
	}
}

func TestDraftErrors(t *testing.T) {
	v := grid.New(grid.Options{Schema: voxel.Terrain}).With([]grid.Placed{{Pos: pos(0, 0, 0), Chunk: grid.NotLoaded}})
	for _, tt := range []struct {
		name string
		do   func(d *grid.Draft)
		want error
	}{
		{"read", func(d *grid.Draft) { d.Cell(at(1, 1, 1)) }, grid.ErrNotLoaded},
		{"set", func(d *grid.Draft) { d.Set(at(1, 1, 1), 0) }, grid.ErrNotLoaded},
		{"chunk", func(d *grid.Draft) { d.Chunk(pos(0, 0, 0)) }, grid.ErrNotLoaded},
		{"beyond", func(d *grid.Draft) { d.Set(at(1<<40, 1, 1), 0) }, geom.ErrOutOfRange},
		{"chunk beyond", func(d *grid.Draft) { d.SetChunk(pos(0, -geom.MaxChunk-1, 0), nil) }, geom.ErrOutOfRange},
		{"matter in air", func(d *grid.Draft) { d.Set(at(40, 1, 1), 5) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := v.Edit()
			d.Set(at(-1, 0, 0), voxel.TerrainCell(1, 255))
			tt.do(&d.Draft)
			if d.Err() == nil || tt.want != nil && !errors.Is(d.Err(), tt.want) {
				t.Fatalf("error %v, want %v", d.Err(), tt.want)
			}
			if _, ok := d.Cell(at(-1, 0, 0)); ok {
				t.Error("a read after an error succeeds")
			}
			if w, replaced := d.Publish(); w != v || len(replaced) != 0 {
				t.Error("a draft with an error was published")
			}
		})
	}
}

func TestGrid(t *testing.T) {
	g := grid.Hold(grid.New(grid.Options{}))
	before := g.View()
	boom := errors.New("boom")
	if _, err := g.Update(func(d *grid.Draft) error { d.Set(at(0, 0, 0), 1); return boom }); err != boom || g.View() != before {
		t.Errorf("error %v, want boom and no change", err)
	}
	if _, err := g.Update(func(d *grid.Draft) error { d.Set(at(1<<40, 0, 0), 1); return nil }); !errors.Is(err, geom.ErrOutOfRange) || g.View() != before {
		t.Errorf("error %v, want out of range and no change", err)
	}
	replaced, err := g.Update(func(d *grid.Draft) error { d.Set(at(0, 0, 0), 1); return nil })
	if got, _ := g.View().Cell(at(0, 0, 0)); err != nil || got != 1 || len(replaced) != 1 {
		t.Errorf("%d, %v, %v", got, replaced, err)
	}
}

// What touches a chunk that is not loaded fails; what only comes near does not.
func TestNotLoaded(t *testing.T) {
	v := grid.New(grid.Options{}).With([]grid.Placed{{pos(0, 0, 0), voxel.Uniform(3)}, {pos(1, 0, 1), grid.NotLoaded}})
	near := region.Ball{Center: at(16, 16, 16), Radius: 20}
	over := region.Ball{Center: at(16, 16, 16), Radius: 50}
	whole := box(0, 0, 0, 64, 32, 64)
	for _, tt := range []struct {
		name string
		do   func(d *grid.Draft)
		ok   bool
	}{
		{"fill near", func(d *grid.Draft) { d.Fill(near, 1) }, true},
		{"fill over", func(d *grid.Draft) { d.Fill(over, 1) }, false},
		{"fill whole", func(d *grid.Draft) { d.Fill(whole, 1) }, true},
		{"replace near", func(d *grid.Draft) { d.Replace(near, 3, 1) }, true},
		{"replace over", func(d *grid.Draft) { d.Replace(over, 3, 1) }, false},
		{"replace everywhere", func(d *grid.Draft) { d.Replace(geom.Root.Box(), 3, 1) }, false},
		{"replace with bad cell", func(d *grid.Draft) { d.Replace(near, 3, voxel.MaxCell+1) }, false},
		{"replace what cannot be", func(d *grid.Draft) { d.Replace(whole, voxel.MaxCell+1, 1) }, true},
		{"fill with bad cell", func(d *grid.Draft) { d.Fill(near, voxel.MaxCell+1) }, false},
		{"write bad cell", func(d *grid.Draft) { d.WriteBox(box(0, 0, 0, 2, 1, 1), []voxel.Cell{1, voxel.MaxCell + 1}) }, false},
		{"read", func(d *grid.Draft) { d.ReadBox(box(30, 30, 30, 34, 31, 34), make([]voxel.Cell, 16)) }, false},
		{"read beyond", func(d *grid.Draft) { d.ReadBox(box(1<<40, 0, 0, 1<<40+1, 1, 1), make([]voxel.Cell, 1)) }, false},
		{"write part", func(d *grid.Draft) { d.WriteBox(box(30, 30, 30, 34, 31, 34), make([]voxel.Cell, 16)) }, false},
		{"write whole", func(d *grid.Draft) { d.WriteBox(box(32, 0, 32, 64, 32, 64), make([]voxel.Cell, 1<<15)) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := v.Edit()
			if tt.do(&d.Draft); (d.Err() == nil) != tt.ok {
				t.Errorf("error %v", d.Err())
			}
		})
	}
	for _, r := range []region.Region{near, over, whole} {
		_, ok := v.CountNonEmpty(r)
		if _, all := v.Count(r); ok != (r == region.Region(near)) || all != ok {
			t.Errorf("%v: counted %v, %v", r, ok, all)
		}
	}
	if v.Rows(box(0, 0, 0, 33, 33, 33), func(geom.Point, []voxel.Cell) bool { return true }) {
		t.Error("rows of what is not loaded")
	}
	cur := v.Cursor()
	if _, ok := cur.Cell(at(40, 1, 40)); ok {
		t.Error("a cursor read what is not loaded")
	}
	if _, ok := cur.Cell(at(1<<40, 1, 40)); ok {
		t.Error("a cursor read beyond the range")
	}
}

// A draft of many chunks keeps only some of them open.
func TestDraftOfManyChunks(t *testing.T) {
	const chunks = 1500
	d := grid.New(grid.Options{}).Edit()
	for round := range 3 {
		for i := range chunks {
			d.Set(at(i%50*32+round, 0, i/50*32), voxel.Cell(1+i%7))
		}
	}
	row := make([]voxel.Cell, 4)
	for i := range chunks {
		v := voxel.Cell(1 + i%7)
		if p := at(i%50*32, 0, i/50*32); !d.ReadBox(geom.Box{Min: p, Max: p.Add(at(4, 1, 1))}, row) || !slices.Equal(row, []voxel.Cell{v, v, v, 0}) {
			t.Fatalf("chunk %d of the draft: %v", i, row)
		}
	}
	v, replaced := d.Publish()
	if n, ok := v.CountNonEmpty(geom.Root.Box()); !ok || n != 3*chunks || len(replaced) != chunks {
		t.Errorf("%d cells in %d chunks, want %d in %d", n, len(replaced), 3*chunks, chunks)
	}
}

// TestFillEverywhere fills all of space: with the default it costs what is there, and with
// another cell it ends with its context or with its bound.
func TestFillEverywhere(t *testing.T) {
	everywhere := geom.Root.Box()
	v := grid.New(grid.Options{}).With([]grid.Placed{
		{pos(0, 0, 0), voxel.Uniform(3)}, {pos(9, 0, 1), grid.NotLoaded}, {pos(-geom.MaxChunk, 0, 0), voxel.Uniform(1)},
	})
	d := v.Edit()
	d.Set(at(500, 0, 0), 2)
	d.Fill(everywhere, voxel.Empty)
	if next, replaced := d.Publish(); d.Err() != nil || next.Len() != 0 || len(replaced) != 3 {
		t.Errorf("with the default: %v: %d chunks are left, %d were replaced", d.Err(), next.Len(), len(replaced))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d = v.Edit()
	d.EndWith(ctx)
	if d.Fill(everywhere, 1); !errors.Is(d.Err(), context.Canceled) {
		t.Errorf("after the end of the context: %v", d.Err())
	}
	if _, ok := d.Cell(at(0, 0, 0)); ok {
		t.Error("a Draft reads after the end of its context")
	}
	if testing.Short() {
		return
	}
	d = v.Edit()
	if d.Fill(everywhere, 1); d.Err() == nil || !strings.Contains(d.Err().Error(), "more than 1048576 chunks") {
		t.Errorf("without an end: %v", d.Err())
	}
}
