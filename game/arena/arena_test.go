package arena_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

const overworld = "overworld"

// place is a store with a world.
type place struct {
	t  *testing.T
	st history.Store
}

func newPlace(t *testing.T, name string) *place {
	t.Helper()
	p := &place{t, memory.New(memory.Options{})}
	ctx := t.Context()
	src, err := convert.Load(ctx, terrain.Survival(terrain.Options{Seed: 7, Size: 4, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, src, &out, stone.Options{Effort: stone.Quick})
	if err == nil {
		_, err = world.Import(ctx, p.st, name, history.Stone{ID: id, Data: out.Bytes()}, world.Options{Author: "maker"}, "made")
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) open(name, author string) *world.World {
	p.t.Helper()
	w, err := world.Open(p.t.Context(), p.st, name, world.Options{Author: author, Whole: true})
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

// fill fills a region and commits that.
func (p *place) fill(name, author, text, cell string) history.Commit {
	p.t.Helper()
	w := p.open(name, author)
	defer w.Close()
	p.change(w, text, cell)
	c, err := w.Commit(p.t.Context(), "fill "+text)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *place) change(w *world.World, text, cell string) {
	p.t.Helper()
	r, err := region.Parse(text)
	if err != nil {
		p.t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(overworld).Volume(voxel.Block)
		v.Fill(r, v.Named(cell))
		return v.Err()
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) save(name, snapshot string, o arena.SaveOptions) *arena.Snapshot {
	p.t.Helper()
	s, err := arena.Save(p.t.Context(), p.st, name, snapshot, o)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// seen is a part of the world that tests look at cell by cell.
var seen = geom.Box{Min: geom.Point{Y: 40}, Max: geom.Point{X: 64, Y: 80, Z: 64}}

// blocks returns the names of the blocks there, in the newest version.
func (p *place) blocks(name string) map[geom.Point]string {
	p.t.Helper()
	w := p.open(name, "")
	defer w.Close()
	v := w.View().Dimension(overworld).Volume(voxel.Block)
	out := make(map[geom.Point]string)
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		for z := seen.Min.Z; z < seen.Max.Z; z++ {
			for x := seen.Min.X; x < seen.Max.X; x++ {
				at := geom.Point{X: x, Y: y, Z: z}
				c, _ := v.Chunk(at.Chunk())
				in := at.InChunk()
				cell := v.Default()
				if c != nil {
					cell = c.Cell(in.X, in.Y, in.Z)
				}
				out[at] = v.CellName(cell)
			}
		}
	}
	return out
}

// TestRestore compares what a restore does with a look at each cell.
func TestRestore(t *testing.T) {
	long.Alone(t)
	const region1, region2 = "box:3,40,3..40,70,50", "ball:20,60,20,12"
	in := func(text string, p geom.Point) bool {
		r, err := region.Parse(text)
		return err == nil && r.Contains(p)
	}
	annSince := []string{"box:0,60,0..30,62,63"} // after bob's
	for _, tt := range []struct {
		name         string
		saved, asked arena.Area
		admits       func(p geom.Point, now string) bool
	}{
		{"all", arena.Area{}, arena.Area{}, func(geom.Point, string) bool { return true }},
		{"region", arena.Area{Region: region1}, arena.Area{}, func(p geom.Point, _ string) bool { return in(region1, p) }},
		{"narrower", arena.Area{Region: region1}, arena.Area{Region: region2}, func(p geom.Point, _ string) bool { return in(region1, p) && in(region2, p) }},
		{"two masks", arena.Area{Mask: "!air"}, arena.Area{Mask: "*glass,stone"}, func(_ geom.Point, now string) bool {
			return now == "minecraft:glass" || now == "minecraft:stone"
		}},
		{"author", arena.Area{Dimension: overworld}, arena.Area{Mask: "by:bob"}, func(p geom.Point, _ string) bool { return in("box:0,50,0..63,61,20", p) }},
		{"others", arena.Area{}, arena.Area{Mask: "!by:bob", Region: region1, Dimension: overworld}, func(p geom.Point, _ string) bool {
			return in(region1, p) && !in("box:0,50,0..63,61,20", p)
		}},
		{"since", arena.Area{Dimension: overworld}, arena.Area{Mask: "since:2 & minecraft:glass"}, func(p geom.Point, now string) bool {
			return in(annSince[0], p) && now == "minecraft:glass"
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			s := p.save("a", "before", arena.SaveOptions{Area: tt.saved})
			was := p.blocks("a")
			p.fill("a", "bob", "box:0,50,0..63,61,20", "minecraft:tnt")
			p.fill("a", "ann", annSince[0], "minecraft:glass")
			now := p.blocks("a")
			changed := 0
			for at, name := range now {
				if tt.admits(at, name) && name != was[at] {
					now[at] = was[at]
					changed++
				}
			}
			d, err := s.Diff(t.Context(), p.st, arena.DiffOptions{Area: tt.asked})
			if err != nil || d.Volumes[voxel.Block] != changed {
				t.Errorf("%d cells differ, want %d: %v", d.Volumes[voxel.Block], changed, err)
			}
			w := p.open("a", "ann")
			got, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{Area: tt.asked}, nil)
			if err != nil || got.Cells != changed || changed == 0 {
				t.Errorf("%d cells restored, want %d: %v", got.Cells, changed, err)
			}
			if _, err := w.Commit(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			w.Close()
			for at, name := range p.blocks("a") {
				if name != now[at] {
					t.Fatalf("%v is %s, want %s", at, name, now[at])
				}
			}
		})
	}
}

// A restore that is interrupted at any chunk leaves the stored world as it was, and may be
// begun again.
func TestInterrupted(t *testing.T) {
	p := newPlace(t, "a")
	s := p.save("a", "before", arena.SaveOptions{})
	head := p.fill("a", "ann", "box:0,50,0..63,70,63", "minecraft:tnt").ID()
	ctx, cancel := context.WithCancel(t.Context())
	w := p.open("a", "")
	_, err := s.Run(ctx, p.st, w, arena.RestoreOptions{}, func(edit.Progress) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{}, nil); err != nil || got.Failed > 0 {
		t.Errorf("again: %+v, %v", got, err)
	}
	if now, err := p.st.Head(t.Context(), "a"); err != nil || now.Commit != head {
		t.Errorf("the stored world changed: %v", err)
	}
	w.Close()
}

func TestSave(t *testing.T) {
	long.Alone(t)
	ctx := t.Context()
	p := newPlace(t, "a")
	first := p.save("a", "one", arena.SaveOptions{Area: arena.Area{Dimension: overworld, Region: "box:0,0,0..1,1,1 +\n ball:1,1,1,2", Mask: "!air"}, Message: "two\nlines", Author: "ann"})
	p.fill("a", "bob", "box:0,50,0..9,51,9", "minecraft:tnt")
	p.save("a", "two", arena.SaveOptions{At: first.Commit.Base})
	p.save("a", "three", arena.SaveOptions{})
	if err := p.st.Fork(ctx, "a", first.Commit.Base, "a/.snapshots/three/below"); err != nil {
		t.Fatal(err)
	}
	all, err := arena.List(ctx, p.st, "a")
	if err != nil || len(all) != 3 {
		t.Fatalf("got %d snapshots, %v", len(all), err)
	}
	got, want := all[0], arena.Area{Dimension: overworld, Region: "box:0,0,0..1,1,1 + ball:1,1,1,2", Mask: "!air"}
	if got.Name != "one" || got.Message != "two\nlines" || got.Area != want || got.Commit.Author != "ann" || got.Stored() != "a/.snapshots/one" {
		t.Errorf("got %+v", got)
	}
	for _, s := range all { // the newest version stands on what they have
		if n, err := s.Kept(ctx, p.st); err != nil || n != 0 {
			t.Errorf("%s keeps %d bytes, %v", s.Name, n, err)
		}
	}
	for _, tt := range []struct {
		name, world, snapshot string
		o                     arena.SaveOptions
		want                  error
	}{
		{"exists", "a", "one", arena.SaveOptions{}, history.ErrExists},
		{"two parts", "a", "one/two", arena.SaveOptions{}, history.ErrName},
		{"no name", "a", "", arena.SaveOptions{}, history.ErrName},
		{"upper case", "a", "One", arena.SaveOptions{}, history.ErrName},
		{"too deep", "a/b/c/d/e/f/g", "x", arena.SaveOptions{}, history.ErrName},
		{"of a snapshot", "a/.snapshots/one", "x", arena.SaveOptions{}, history.ErrName},
		{"no world", "b", "x", arena.SaveOptions{}, history.ErrNoWorld},
		{"no version", "a", "x", arena.SaveOptions{At: history.ID{1}}, history.ErrNoCommit},
		{"region", "a", "x", arena.SaveOptions{Area: arena.Area{Region: "box"}}, arena.ErrArea},
		{"mask", "a", "x", arena.SaveOptions{Area: arena.Area{Mask: "a b"}}, arena.ErrArea},
		{"dimension", "a", "x", arena.SaveOptions{Area: arena.Area{Dimension: "moon"}}, arena.ErrArea},
		{"mask of nothing", "a", "x", arena.SaveOptions{Area: arena.Area{Mask: "stnoe"}}, arena.ErrArea},
		{"empty region", "a", "x", arena.SaveOptions{Area: arena.Area{Region: "box:0,0,0..1,1,1 & box:5,0,0..6,1,1"}}, arena.ErrArea},
		{"message like an area", "a", "x", arena.SaveOptions{Message: "see\nmask x"}, arena.ErrArea},
		{"replace by nothing", "a", "one", arena.SaveOptions{Replace: true, At: history.ID{1}}, history.ErrNoCommit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := arena.Save(ctx, p.st, tt.world, tt.snapshot, tt.o); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if s, err := arena.Find(ctx, p.st, "a", "one"); err != nil || s.Message != "two\nlines" {
		t.Errorf("a snapshot that could not be replaced: %v", err)
	}
	p.save("a", "one", arena.SaveOptions{Replace: true, Message: "new"})
	if s, err := arena.Find(ctx, p.st, "a", "one"); err != nil || s.Message != "new" {
		t.Errorf("replaced: %+v, %v", s, err)
	}
	if err := arena.Delete(ctx, p.st, "a", "none"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("got %v", err)
	}
}

// A save that ended after its fork leaves nothing that could be restored by mistake, and the
// next save takes its place.
func TestUnfinishedSave(t *testing.T) {
	ctx := t.Context()
	p := newPlace(t, "a")
	whole := p.save("a", "whole", arena.SaveOptions{})
	if err := p.st.Fork(ctx, "a", whole.Commit.Base, "a/.snapshots/half"); err != nil {
		t.Fatal(err)
	}
	if _, err := arena.Find(ctx, p.st, "a", "half"); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("found: %v", err)
	}
	if all, err := arena.List(ctx, p.st, "a"); len(all) != 1 || err != nil {
		t.Errorf("got %d snapshots, %v", len(all), err)
	}
	p.save("a", "half", arena.SaveOptions{Area: arena.Area{Region: "box:0,0,0..1,1,1"}})
	if s, err := arena.Find(ctx, p.st, "a", "half"); err != nil || s.Region != "box:0,0,0..1,1,1" {
		t.Errorf("saved again: %+v, %v", s, err)
	}
}

// Snapshots go with a world that is renamed and stay when it is deleted.
func TestRename(t *testing.T) {
	ctx := t.Context()
	p := newPlace(t, "a")
	p.save("a", "one", arena.SaveOptions{})
	if n, err := arena.Rename(ctx, p.st, "a", "b/c", 0); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := arena.List(ctx, p.st, "a"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("got %v", err)
	}
	if err := p.st.Delete(ctx, "b/c", 0); err != nil {
		t.Fatal(err)
	}
	all, err := arena.List(ctx, p.st, "b/c")
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d, %v", len(all), err)
	}
	if n, err := all[0].Kept(ctx, p.st); n == 0 || err != nil {
		t.Errorf("of a world that is gone: %d bytes, %v", n, err)
	}
	if err := p.st.Fork(ctx, all[0].Stored(), all[0].Commit.ID(), "b/c"); err != nil {
		t.Errorf("a world from its snapshot: %v", err)
	}
}

// TestMaskOfSnapshot: a snapshot keeps its mask, also when the world has no block of a name in it any more.
func TestMaskOfSnapshot(t *testing.T) {
	p := newPlace(t, "a")
	w := p.open("a", "")
	first := w.Head()
	w.Close()
	p.fill("a", "", "box:0,50,0..1,51,1", "mod:lamp")
	s := p.save("a", "one", arena.SaveOptions{Area: arena.Area{Mask: "!mod:lamp"}})
	w = p.open("a", "")
	if _, err := w.Restore(t.Context(), first, ""); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if d, err := s.Diff(t.Context(), p.st, arena.DiffOptions{}); err != nil || d.Cells == 0 {
		t.Errorf("diff: %+v, %v", d, err)
	}
	w = p.open("a", "")
	defer w.Close()
	if did, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{}, nil); err != nil || did.Cells == 0 {
		t.Errorf("restore: %+v, %v", did, err)
	}
	if _, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{Area: arena.Area{Mask: "mod:lmap"}}, nil); !errors.Is(err, arena.ErrArea) {
		t.Errorf("a mask of nothing: %v", err)
	}
}

// TestDeleteAll: snapshots belong to a name. A world that is made anew has them again, unless they were
// deleted with it; a name of seven parts has no room for any.
func TestDeleteAll(t *testing.T) {
	ctx := t.Context()
	p := newPlace(t, "a")
	p.save("a", "one", arena.SaveOptions{})
	p.save("a", "two", arena.SaveOptions{})
	if err := p.st.Fork(ctx, "a", p.fill("a", "", "box:0,50,0..1,51,1", "stone").ID(), "a/b"); err != nil {
		t.Fatal(err)
	}
	p.save("a/b", "three", arena.SaveOptions{})
	again := func() int {
		t.Helper()
		if err := p.st.Delete(ctx, "a", 0); err != nil {
			t.Fatal(err)
		}
		if err := p.st.Create(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		all, err := arena.List(ctx, p.st, "a")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if n := again(); n != 2 {
		t.Errorf("a new world of the name has %d snapshots", n)
	}
	if n, err := arena.DeleteAll(ctx, p.st, "a"); n != 2 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	if n := again(); n != 0 {
		t.Errorf("%d snapshots are left", n)
	}
	if n, err := arena.DeleteAll(ctx, p.st, "none"); n != 0 || err != nil {
		t.Errorf("of no world: %d, %v", n, err)
	}
	if all, err := arena.List(ctx, p.st, "a/b"); len(all) != 1 || err != nil {
		t.Errorf("the world below has %d, %v", len(all), err)
	}
	for name, ok := range map[string]bool{"a/b/c/d/e/f": true, "a/b/c/d/e/f/g": false} {
		_, err := arena.SnapshotName(name, "x")
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "at most 6 parts") {
			t.Errorf("a snapshot of %s: %v", name, err)
		}
	}
}

// A moment of an open world as a snapshot has what no commit holds.
func TestSaveCapture(t *testing.T) {
	p := newPlace(t, "a")
	w := p.open("a", "ann")
	defer w.Close()
	p.change(w, "box:0,50,0..9,51,9", "minecraft:tnt")
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := arena.SaveCapture(t.Context(), p.st, c, "a", "now", arena.SaveOptions{Area: arena.Area{Region: "box:0,0,0..1,1,1"}})
	if err != nil || s.Region == "" {
		t.Fatal(s, err)
	}
	d, err := s.Diff(t.Context(), p.st, arena.DiffOptions{})
	if err != nil || !d.Same() {
		t.Errorf("in its region: %+v, %v", d, err)
	}
	if got := p.blocks(s.Stored())[geom.Point{X: 5, Y: 50, Z: 5}]; got != "minecraft:tnt" {
		t.Errorf("got %s", got)
	}
}

// An object comes back if the mask admits the block that is in its place now.
func TestMaskOfObjects(t *testing.T) {
	long.Alone(t)
	const chest, tnt = "minecraft:chest[facing=north,type=single,waterlogged=false]", "minecraft:tnt"
	at := []geom.Point{{X: 1, Y: 90, Z: 1}, {X: 2, Y: 90, Z: 2}, {X: 3, Y: 90, Z: 3}}
	end := func(text string) []byte { return append([]byte{8, 0, 1, 'k', 0, byte(len(text))}, text+"\x00"...) }
	for _, tt := range []struct {
		mask string
		want string // of the three
	}{
		{"", "old old old"},
		{"!*chest", "new old new"},
		{"*chest", "old new old"},
		{"tnt", "new old new"},
		{"air", "new new new"},
	} {
		t.Run(tt.mask, func(t *testing.T) {
			p := newPlace(t, "a")
			put := func(text string, blocks ...string) {
				t.Helper()
				w := p.open("a", "")
				defer w.Close()
				_, err := w.Update(func(tx *world.Tx) error {
					d := tx.Dimension(overworld)
					v := d.Volume(voxel.Block)
					var list []voxel.Object
					for i, b := range blocks {
						v.Set(at[i], v.Named(b))
						list = append(list, voxel.Object{Place: voxel.Indexed, At: at[i], Payload: end(text)})
					}
					d.SetObjects(voxel.BlockEntities, geom.ColumnPos{}, list)
					return v.Err()
				})
				if err == nil {
					_, err = w.Commit(t.Context(), text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			put("old", chest, chest, chest)
			s := p.save("a", "x", arena.SaveOptions{Area: arena.Area{Mask: tt.mask, Region: "box:0,80,0..31,100,31"}})
			put("new", chest, tnt, chest)
			d, err := s.Diff(t.Context(), p.st, arena.DiffOptions{})
			if n := strings.Count(tt.want, "old"); err != nil || d.Objects != n {
				t.Errorf("%d objects differ, want %d: %v", d.Objects, n, err)
			}
			w := p.open("a", "")
			defer w.Close()
			if _, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{}, nil); err != nil {
				t.Fatal(err)
			}
			c, _ := w.View().Dimension(overworld).Column(geom.ColumnPos{})
			got := make(map[geom.Point]string)
			for _, l := range c.Lists {
				if l.Name == voxel.BlockEntities {
					for _, o := range l.Objects {
						got[o.At] = strings.Trim(string(o.Payload[6:]), "\x00")
					}
				}
			}
			if all := got[at[0]] + " " + got[at[1]] + " " + got[at[2]]; all != tt.want || len(got) != 3 {
				t.Errorf("got %s, want %s", all, tt.want)
			}
		})
	}
}

// Without a region all dimensions of a snapshot come back, with one the first, and a dimension that the
// snapshot does not have stays as it is.
func TestDimensions(t *testing.T) {
	for _, tt := range []struct {
		name string
		area arena.Area
		want string
	}{
		{"all", arena.Area{}, "old old new"},
		{"second", arena.Area{Dimension: "two"}, "new old new"},
		{"region", arena.Area{Region: "box:0,0,0..1,1,1"}, "old new new"},
		{"region of the second", arena.Area{Dimension: "two", Region: "box:0,0,0..1,1,1"}, "new old new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			p := &place{t, memory.New(memory.Options{})}
			w, err := world.Create(ctx, p.st, "a", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			put := func(name string, dimensions ...string) {
				t.Helper()
				_, err := w.Update(func(tx *world.Tx) error {
					for _, dim := range dimensions {
						d := tx.Dimension(dim)
						if d == nil {
							d = tx.AddDimension(dim, []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
						}
						v := d.Volume(voxel.Block)
						v.Set(geom.Point{}, v.Named(name))
						if v.Err() != nil {
							return v.Err()
						}
					}
					return nil
				})
				if err == nil {
					_, err = w.Commit(ctx, name)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			put("old", "one", "two")
			s := p.save("a", "x", arena.SaveOptions{})
			put("new", "one", "two", "three")
			if _, err := s.Run(ctx, p.st, w, arena.RestoreOptions{Area: tt.area}, nil); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range w.View().Dimensions() {
				v := d.Volume(voxel.Block)
				c, _ := v.Chunk(geom.ChunkPos{})
				got = append(got, v.CellName(c.Cell(0, 0, 0)))
			}
			if all := strings.Join(got, " "); all != tt.want {
				t.Errorf("got %s, want %s", all, tt.want)
			}
			if _, err := s.Run(ctx, p.st, w, arena.RestoreOptions{Area: arena.Area{Mask: "since:1"}}, nil); !errors.Is(err, arena.ErrArea) {
				t.Errorf("a mask about versions of several dimensions: %v", err)
			}
		})
	}
}

// TestBy restores what one author did, in worlds whose log does not have everything.
func TestBy(t *testing.T) {
	long.Alone(t)
	const bobs, anns = "box:0,50,0..9,51,9", "box:5,50,0..19,51,9"
	for _, tt := range []struct {
		name string
		then func(p *place) string // returns the world
		want error
	}{
		{"the parent was collected", func(p *place) string {
			if _, err := p.st.Collect(p.t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
				p.t.Fatal(err)
			}
			return "a"
		}, nil},
		{"a fork", func(p *place) string {
			h, err := p.st.Head(p.t.Context(), "a")
			if err = errors.Join(err, p.st.Fork(p.t.Context(), "a", h.Commit, "b")); err != nil {
				p.t.Fatal(err)
			}
			return "b"
		}, nil},
		{"packed and collected", func(p *place) string {
			if _, _, err := world.PackStack(p.t.Context(), p.st, "a", world.PackStackOptions{High: 1}); err != nil {
				p.t.Fatal(err)
			}
			if _, err := p.st.Collect(p.t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
				p.t.Fatal(err)
			}
			return "a"
		}, arena.ErrArea},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			s := p.save("a", "before", arena.SaveOptions{})
			was := p.few("a")
			p.fill("a", "bob", bobs, "minecraft:gold_block")
			p.fill("a", "ann", anns, "minecraft:tnt")
			now := p.few("a")
			name := tt.then(p)
			w := p.open(name, "carol")
			defer w.Close()
			_, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{Area: arena.Area{Dimension: overworld, Mask: "by:ann"}}, nil)
			if !errors.Is(err, tt.want) || tt.want != nil && !errors.Is(err, world.ErrNoParent) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if _, err := s.Run(t.Context(), p.st, w, arena.RestoreOptions{Area: arena.Area{Dimension: overworld, Mask: "by:an"}}, nil); !errors.Is(err, arena.ErrArea) || !strings.Contains(err.Error(), `did you mean "ann"?`) {
				t.Errorf("nobody of that name: %v", err)
			}
			if _, err := w.Commit(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			for i, got := range p.few(name) {
				want := now[i]
				if want == "minecraft:tnt" {
					want = was[i]
				}
				if got != want {
					t.Fatalf("cell %d is %s, want %s", i, got, want)
				}
			}
		})
	}
}

// few returns the names of the blocks that TestBy changes, in the newest version.
func (p *place) few(name string) (out []string) {
	p.t.Helper()
	w := p.open(name, "")
	defer w.Close()
	v := w.View().Dimension(overworld).Volume(voxel.Block)
	b := geom.Box{Min: geom.Point{Y: 50}, Max: geom.Point{X: 20, Y: 52, Z: 10}}
	cells := make([]voxel.Cell, b.Cells())
	v.ReadBox(b, 0, cells)
	for _, c := range cells {
		out = append(out, v.CellName(c))
	}
	return out
}

// TestByFirst restores what the author of the first version did since a snapshot of another
// world, which is empty.
func TestByFirst(t *testing.T) {
	p := newPlace(t, "a")
	log, err := p.st.Log(t.Context(), "a", history.ID{}, 9)
	if err != nil || len(log) != 1 {
		t.Fatal(len(log), err)
	}
	s := p.save("a", "before", arena.SaveOptions{})
	d, err := s.Diff(t.Context(), p.st, arena.DiffOptions{Area: arena.Area{Dimension: overworld, Mask: "!by:" + log[0].Author}})
	if err != nil || d.Volumes[voxel.Block] != 0 {
		t.Fatalf("got %+v, %v", d, err)
	}
	p.fill("a", "bob", "box:0,50,0..9,51,9", "minecraft:gold_block")
	if d, err = s.Diff(t.Context(), p.st, arena.DiffOptions{Area: arena.Area{Dimension: overworld, Mask: "by:" + log[0].Author}}); err != nil || d.Volumes[voxel.Block] == 0 {
		t.Errorf("blocks of the first version that bob changed: got %+v, %v", d, err)
	}
}

// writer is a Store as somebody may use it who can write and not force, and whose commits to
// snapshots are refused while full is set.
type writer struct {
	history.Store
	full bool
}

var errFull, errForce = errors.New("too large"), errors.New("only admins may force")

func (s *writer) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	if s.full && strings.Contains(name, ".snapshots") {
		return history.Commit{}, errFull
	}
	return s.Store.Commit(ctx, name, base, c, stones...)
}

func (s *writer) Delete(ctx context.Context, name string, fence uint64) error {
	if fence == history.Force {
		return errForce
	}
	return s.Store.Delete(ctx, name, fence)
}

func (s *writer) Purge(context.Context, string, uint64) (history.Purged, error) {
	return history.Purged{}, errForce
}

// TestSaveRefused has a limit refuse saves of snapshots. A snapshot that was to be replaced stays,
// and nothing else comes.
func TestSaveRefused(t *testing.T) {
	long := strings.Repeat("n", history.MaxPart)
	for _, tt := range []struct {
		name string
		save func(st history.Store, w *world.World, snapshot string, o arena.SaveOptions) error
	}{
		{"Save", func(st history.Store, _ *world.World, snapshot string, o arena.SaveOptions) error {
			_, err := arena.Save(t.Context(), st, "a", snapshot, o)
			return err
		}},
		{"SaveCapture", func(st history.Store, w *world.World, snapshot string, o arena.SaveOptions) error {
			c, err := w.Capture()
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = arena.SaveCapture(t.Context(), st, c, "a", snapshot, o)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			st := &writer{Store: p.st}
			w, err := world.Open(t.Context(), st, "a", world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := tt.save(st, w, long, arena.SaveOptions{Message: "good"}); err != nil {
				t.Fatal(err)
			}
			had, err := st.List(t.Context(), "", "", 99)
			if err != nil {
				t.Fatal(err)
			}
			st.full = true
			for snapshot, o := range map[string]arena.SaveOptions{long: {Replace: true}, "b": {}, "c": {Replace: true}} {
				if err := tt.save(st, w, snapshot, o); !errors.Is(err, errFull) || errors.Is(err, errForce) {
					t.Errorf("%s: got %v", snapshot, err)
				}
			}
			if now, err := st.List(t.Context(), "", "", 99); err != nil || !slices.Equal(now, had) {
				t.Errorf("worlds: got %q, %v, want %q", now, err, had)
			}
			if s, err := arena.Find(t.Context(), st, "a", long); err != nil || s.Message != "good" {
				t.Errorf("got %+v, %v", s, err)
			}
			st.full = false
			if err := tt.save(st, w, long, arena.SaveOptions{Replace: true, Message: "new"}); err != nil {
				t.Error(err)
			}
			if s, err := arena.Find(t.Context(), st, "a", long); err != nil || s.Message != "new" {
				t.Errorf("got %+v, %v", s, err)
			}
			if now, err := st.List(t.Context(), "", "", 99); err != nil || !slices.Equal(now, had) {
				t.Errorf("worlds: got %q, %v, want %q", now, err, had)
			}
		})
	}
}

// TestWorldBelow saves snapshots under names of worlds that somebody made there.
func TestWorldBelow(t *testing.T) {
	long.Alone(t)
	for _, tt := range []struct {
		name string
		make func(p *place, full string) error
		own  bool // it holds what no other world does
	}{
		{"a world", func(p *place, full string) error {
			w, err := world.Create(p.t.Context(), p.st, full, world.Options{})
			if err == nil {
				_, err = w.Update(func(tx *world.Tx) error { tx.SetProperty("mine", "x"); return nil })
			}
			if err == nil {
				_, err = w.Commit(p.t.Context(), "my work")
			}
			return errors.Join(err, w.Close())
		}, true},
		{"a fork with a version", func(p *place, full string) error {
			h, err := p.st.Head(p.t.Context(), "a")
			if err == nil {
				err = p.st.Fork(p.t.Context(), "a", h.Commit, full)
			}
			p.fill(full, "ann", "box:0,50,0..1,51,1", "minecraft:tnt")
			return err
		}, true},
		{"a fork of another world", func(p *place, full string) error {
			w, err := world.Create(p.t.Context(), p.st, "b", world.Options{})
			if err == nil {
				_, err = w.Update(func(tx *world.Tx) error { tx.SetProperty("mine", "x"); return nil })
			}
			if err == nil {
				_, err = w.Commit(p.t.Context(), "my work")
			}
			if err == nil {
				err = w.Fork(p.t.Context(), full)
			}
			return errors.Join(err, w.Close(), p.st.Delete(p.t.Context(), "b", 0))
		}, true},
		{"an interrupted save", func(p *place, full string) error {
			h, err := p.st.Head(p.t.Context(), "a")
			return errors.Join(err, p.st.Fork(p.t.Context(), "a", h.Commit, full))
		}, false},
		{"an interrupted save of everything", func(p *place, full string) error { return p.st.Create(p.t.Context(), full) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			const full = "a/.snapshots/mine"
			if err := tt.make(p, full); err != nil {
				t.Fatal(err)
			}
			was, err := p.st.Head(t.Context(), full)
			if err != nil {
				t.Fatal(err)
			}
			if all, err := arena.List(t.Context(), p.st, "a"); len(all) != 0 || err != nil {
				t.Errorf("listed: %d, %v", len(all), err)
			}
			if !tt.own {
				if err := arena.Delete(t.Context(), p.st, "a", "mine"); err != nil {
					t.Errorf("delete: %v", err)
				}
				if err := p.st.Undelete(t.Context(), full); err != nil {
					t.Fatal(err)
				}
				p.save("a", "mine", arena.SaveOptions{})
				return
			}
			if err := arena.Delete(t.Context(), p.st, "a", "mine"); err == nil {
				t.Error("it was deleted")
			}
			for _, replace := range []bool{false, true} {
				if _, err := arena.Save(t.Context(), p.st, "a", "mine", arena.SaveOptions{Replace: replace}); !errors.Is(err, history.ErrExists) {
					t.Errorf("replace %v: got %v", replace, err)
				}
			}
			if now, err := p.st.Head(t.Context(), full); err != nil || now != was {
				t.Errorf("got %v, %v, want %v", now, err, was)
			}
		})
	}
}

func TestSnapshotName(t *testing.T) {
	for _, tt := range []struct{ world, name, want string }{
		{"a", "b", "a/.snapshots/b"},
		{"a/b.c", "x-1", "a/b.c/.snapshots/x-1"},
		{"a/b/c/d/e/f", "x", "a/b/c/d/e/f/.snapshots/x"},
		{"a/b/c/d/e/f/g", "x", ""},
		{"a", "", ""}, {"", "a", ""}, {"a", "b/c", ""}, {"a", "..", ""}, {"a", "B", ""},
		{"a/.snapshots/b", "c", ""}, {".snapshots", "c", ""}, {"a", ".snapshots", "a/.snapshots/.snapshots"},
	} {
		got, err := arena.SnapshotName(tt.world, tt.name)
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && !errors.Is(err, history.ErrName) {
			t.Errorf("%q %q: got %q, %v", tt.world, tt.name, got, err)
		}
		if world, name, ok := arena.SplitSnapshotName(tt.want); ok != (tt.want != "") || ok && (world != tt.world || name != tt.name) {
			t.Errorf("%q: got %q, %q, %v", tt.want, world, name, ok)
		}
	}
	for _, no := range []string{"a", "a/b", "a/.snapshots", "a/.snapshots/b/c", ".snapshots/b"} {
		if _, _, ok := arena.SplitSnapshotName(no); ok {
			t.Errorf("%q is a snapshot", no)
		}
	}
}
