package rollback_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/game/rollback"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// place is a folder, the version that it became, and a copy of the folder in which everything was changed.
type place struct {
	was, is string
	version *world.Snapshot
	st      history.Store
}

// edge is the edge of the world in columns, around the origin: it lies in four region files.
const edge = 4

func newPlace(t *testing.T, version int32) *place {
	t.Helper()
	p := &place{was: t.TempDir(), is: t.TempDir(), st: memory.New(memory.Options{})}
	w, err := anvil.Create(p.was, anvil.FolderOptions{Level: 1, LevelName: "a"})
	if err == nil {
		err = terrain.Survival(terrain.Options{Seed: 3, Size: edge, Version: version}).Read(t.Context(), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.version = p.take(t, p.was, "a")
	p.change(t, p.is)
	return p
}

// take makes a folder the newest version of a world.
func (p *place) take(t *testing.T, dir, name string) *world.Snapshot {
	t.Helper()
	src, err := port.Open(dir, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := src.Import(t.Context(), func(context.Context) (history.Store, error) { return p.st, nil }, name, c, port.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := world.OpenSnapshot(t.Context(), p.st, name, done.Commit.ID(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// change writes a folder in which no block between two heights and no object is as it was.
func (p *place) change(t *testing.T, dir string) {
	t.Helper()
	if err := p.st.Fork(t.Context(), "a", p.version.ID(), "changed"); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(t.Context(), p.st, "changed", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("overworld")
		v := d.Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{X: -32, Y: 30, Z: -32}, Max: geom.Point{X: 32, Y: 90, Z: 32}}, v.Named("minecraft:tnt"))
		for x := int32(-edge / 2); x < edge/2; x++ {
			for z := int32(-edge / 2); z < edge/2; z++ {
				for _, list := range []string{voxel.Entities, voxel.BlockEntities} {
					d.SetObjects(list, geom.ColumnPos{X: x, Z: z}, nil)
				}
			}
		}
		return v.Err()
	})
	if err == nil {
		_, err = w.Commit(t.Context(), "")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := port.WriteFolder(t.Context(), s, dir, port.Target{Format: port.Anvil}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
}

func (p *place) put(t *testing.T, text string, o rollback.Options) (*rollback.Done, error) {
	t.Helper()
	r, err := region.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	o.Region = r
	w, err := anvil.Open(p.is, anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return rollback.Region(t.Context(), w, p.version, o)
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// objects returns where entities and block entities are, by the tags of their chunks.
func objects(t *testing.T, dir string) (out []string) {
	t.Helper()
	src, err := port.Open(dir, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range c.ReadColumns(t.Context(), "overworld") {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.Lists {
			for _, o := range l.Objects {
				out = append(out, l.Name+" "+o.At.String()+" "+string(o.Payload))
			}
		}
	}
	return out
}

var at = regexp.MustCompile(`^\S+ \(?(-?\d+)[ ,]+(-?\d+)[ ,]+(-?\d+)`)

// TestRegion compares cell by cell, chunk by chunk and object by object.
func TestRegion(t *testing.T) {
	p := newPlace(t, terrain.Modern)
	for _, tt := range []struct {
		name, region string
	}{
		{"within a chunk", "box:3,40,4..9,70,11"},
		{"two columns", "box:10,33,2..20,80,12"},
		{"the border of four region files", "box:-5,20,-7..6,95,8"},
		{"a section's borders", "box:0,48,0..15,63,15"},
		{"a whole column", "box:-16,-64,16..-1,319,31"},
		{"whole columns and parts", "box:-16,-64,-16..20,319,20"},
		{"not a box", "ball:4,60,-4,19"},
		{"two boxes", "box:-30,0,-30..-26,99,-26 + box:20,50,20..31,60,31"},
		{"beyond the world", "box:20,-64,20..2000,319,2000"},
		{"the whole range", "box:-1000,-2000,-1000..1000,2000,1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := region.Parse(tt.region)
			p := *p
			before := p.is
			p.is = copied(t, before)
			dry, err := p.put(t, tt.region, rollback.Options{Dry: true})
			if err != nil {
				t.Fatal(err)
			}
			anviltest.Compare(t, before, p.is)
			done, err := p.put(t, tt.region, rollback.Options{})
			if err != nil || *done != *dry || done.Cells == 0 || done.Chunks == 0 || done.Left+done.Added+done.Removed != 0 {
				t.Fatalf("did %+v, dry %+v: %v", done, dry, err)
			}
			b := anviltest.ReadBlocks(t, p.was, before, p.is)
			was, changed, is := b[0], b[1], b[2]
			cells := 0
			for x := -33; x < 33; x++ {
				for z := -33; z < 33; z++ {
					for y := -64; y < 112; y++ {
						want := changed.At(x, y, z)
						if r.Contains(geom.Point{X: x, Y: y, Z: z}) {
							if want != was.At(x, y, z) {
								cells++
							}
							want = was.At(x, y, z)
						}
						if is.At(x, y, z) != want {
							t.Fatalf("%d,%d,%d is %d, want %d", x, y, z, is.At(x, y, z), want)
						}
					}
				}
			}
			if done.Cells != cells {
				t.Errorf("%d cells differed, %d are counted", cells, done.Cells)
			}
			var want []string
			for _, o := range objects(t, p.was) {
				if r.Contains(point(t, o)) {
					want = append(want, o)
				}
			}
			got := objects(t, p.is)
			if slices.Sort(want); len(want) != done.Objects || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
				t.Errorf("%d objects, %d are counted, want %d", len(got), done.Objects, len(want))
			}
			p.others(t, before, r)
			if strings.HasPrefix(tt.name, "the whole") {
				anviltest.Compare(t, p.was, p.is)
			}
			again, err := p.put(t, tt.region, rollback.Options{Newest: p.version})
			if err != nil || again.Chunks+again.Cells+again.Objects > 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

func point(t *testing.T, object string) geom.Point {
	t.Helper()
	m := at.FindStringSubmatch(object)
	if m == nil {
		t.Fatalf("object %q", object)
	}
	r, err := region.Parse("box:" + strings.Join([]string{m[1], m[2], m[3]}, ",") + ".." + strings.Join([]string{m[1], m[2], m[3]}, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r.Bounds().Min
}

// others checks that chunks that the region does not touch are the same bytes.
func (p *place) others(t *testing.T, before string, r region.Region) {
	t.Helper()
	n := 0
	for name := range anviltest.Files(t, before) {
		var x, z int32
		if filepath.Ext(name) != ".mca" {
			continue
		}
		m := regexp.MustCompile(`r\.(-?)(\d)\.(-?)(\d)\.mca`).FindStringSubmatch(name)
		if x = int32(m[2][0] - '0'); m[1] != "" {
			x = -x
		}
		if z = int32(m[4][0] - '0'); m[3] != "" {
			z = -z
		}
		was, is := anviltest.Slots(t, filepath.Join(before, name)), anviltest.Slots(t, filepath.Join(p.is, name))
		for slot, s := range was {
			pos := geom.ColumnPos{X: x<<5 + int32(slot&31), Z: z<<5 + int32(slot>>5)}
			if region.CoverOf(r, format.ColumnBox(pos)) == 0 {
				n++
				if string(is[slot].Raw) != string(s.Raw) || is[slot].Stamp != s.Stamp {
					t.Errorf("chunk %v of %s changed", pos, name)
				}
			}
		}
	}
	if bounds := r.Bounds(); n == 0 && bounds.Max.X-bounds.Min.X < 60 {
		t.Error("no chunk was compared")
	}
}

// TestLacking: chunks and region files that one side lacks.
func TestLacking(t *testing.T) {
	p := newPlace(t, terrain.Modern)
	t.Run("the folder", func(t *testing.T) {
		p := *p
		p.is = copied(t, p.is)
		for _, name := range []string{"region/r.-1.-1.mca", "entities/r.-1.-1.mca"} {
			if err := os.Remove(filepath.Join(p.is, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		done, err := p.put(t, "box:-20,40,-20..3,50,3", rollback.Options{})
		if err != nil || done.Added != 4 || done.Chunks != 9 {
			t.Fatalf("did %+v: %v", done, err)
		}
		b := anviltest.ReadBlocks(t, p.was, p.is)
		for y := -64; y < 112; y++ { // they came whole
			for x := -32; x < 0; x++ {
				for z := -32; z < 0; z++ {
					if b[0].At(x, y, z) != b[1].At(x, y, z) {
						t.Fatalf("%d,%d,%d differs", x, y, z)
					}
				}
			}
		}
		if n := len(anviltest.Slots(t, filepath.Join(p.is, "region/r.-1.-1.mca"))); n != 4 {
			t.Errorf("%d chunks in the new region file", n)
		}
	})
	t.Run("the version", func(t *testing.T) {
		q := &place{was: copied(t, p.was), st: p.st}
		for _, kind := range []string{"region", "entities"} {
			os.Remove(filepath.Join(q.was, kind, "r.0.0.mca"))
		}
		q.is, q.version = copied(t, p.is), q.take(t, q.was, "b")
		done, err := q.put(t, "box:-16,-64,0..23,319,31", rollback.Options{})
		// Of r.0.0 four chunks lie in the box wholly only at x 0 to 15.
		if err != nil || done.Removed != 2 || done.Left != 2 || done.Chunks != 4 {
			t.Fatalf("did %+v: %v", done, err)
		}
		slots := anviltest.Slots(t, filepath.Join(q.is, "region/r.0.0.mca"))
		if slots[0].Raw != nil || slots[32].Raw != nil || slots[1].Raw == nil || len(slots) != 2 {
			t.Errorf("%d chunks are left", len(slots))
		}
	})
}

func TestRefuses(t *testing.T) {
	p := newPlace(t, terrain.Modern)
	other := newPlace(t, 3700)
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, p *place)
		want string
	}{
		{"another data version", func(t *testing.T, p *place) { p.version = other.version }, "data version 3953, the version of 3700"},
		{"a newer one than the game's", func(t *testing.T, p *place) {
			p.is = copied(t, other.is)
			os.RemoveAll(filepath.Join(p.is, "region"))
		}, "of 3953"},
		{"a dimension that is not there", func(t *testing.T, p *place) {}, "the_end"},
		{"a part of a world", func(t *testing.T, p *place) { os.Remove(filepath.Join(p.is, "level.dat")) }, "no level.dat"},
		{"a damaged chunk in part", func(t *testing.T, p *place) { hurt(t, p.is) }, "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := *p
			p.is = copied(t, p.is)
			tt.do(t, &p)
			before := copied(t, p.is)
			o := rollback.Options{}
			if strings.Contains(tt.want, "end") {
				o.Dimension = tt.want
			}
			_, err := p.put(t, "box:0,40,0..9,50,9", o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			same(t, before, p.is)
		})
	}
	t.Run("a damaged chunk wholly", func(t *testing.T) {
		p := *p
		p.is = copied(t, p.is)
		hurt(t, p.is)
		if done, err := p.put(t, "box:0,-64,0..15,319,15", rollback.Options{}); err != nil || done.Chunks != 1 {
			t.Errorf("did %+v: %v", done, err)
		}
		anviltest.ReadBlocks(t, p.is)
	})
	t.Run("interrupted", func(t *testing.T) {
		p := *p
		p.is = copied(t, p.is)
		before := copied(t, p.is)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w, err := anvil.Open(p.is, anvil.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := rollback.Region(ctx, w, p.version, rollback.Options{Region: geom.Box{Max: geom.Point{X: 9, Y: 99, Z: 9}}}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		same(t, before, p.is)
	})
}

// same compares the bytes of two folders.
func same(t *testing.T, a, b string) {
	t.Helper()
	there := anviltest.Files(t, b)
	for name := range anviltest.Files(t, a) {
		if !there[name] || string(anviltest.Bytes(t, a, name)) != string(anviltest.Bytes(t, b, name)) {
			t.Errorf("%s changed", name)
		}
		delete(there, name)
	}
	if len(there) > 0 {
		t.Errorf("%v are new", there)
	}
}

// hurt damages the chunk at the origin.
func hurt(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "region/r.0.0.mca")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	off := (int(b[0])<<16 | int(b[1])<<8 | int(b[2])) * 4096
	b[off+9] ^= 0xFF
	b[off+40] ^= 0xFF
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKept: whether the newest version has what is replaced.
func TestKept(t *testing.T) {
	p := newPlace(t, terrain.Modern)
	const in = "box:0,40,0..9,50,9"
	if d, err := p.put(t, in, rollback.Options{Dry: true, Newest: p.version}); err != nil || d.Kept {
		t.Errorf("a folder that no version has: %+v, %v", d, err)
	}
	now := p.take(t, p.is, "a")
	if d, err := p.put(t, in, rollback.Options{Dry: true, Newest: now}); err != nil || !d.Kept {
		t.Errorf("a folder that was imported: %+v, %v", d, err)
	}
}

// TestWorlds puts regions of real worlds back into copies of them in which chunks are exchanged.
func TestWorlds(t *testing.T) {
	for _, dir := range anviltest.Sample(t, "anvil") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p := &place{was: dir, is: copied(t, dir), st: memory.New(memory.Options{})}
			src, err := port.Open(dir, port.Options{})
			if err != nil {
				t.Skip(err)
			}
			src.Close()
			if _, err := os.Stat(filepath.Join(dir, anvil.LevelPath)); err != nil {
				t.Skip("a part of a world")
			}
			p.version = p.take(t, dir, "a")
			const everywhere = "box:-1000000,-2048,-1000000..1000000,2048,1000000"
			if d, err := p.put(t, everywhere, rollback.Options{Dry: true, Newest: p.version}); err != nil || d.Chunks+d.Cells+d.Objects > 0 || !d.Kept {
				t.Fatalf("its own version: %+v, %v", d, err)
			}
			if !exchange(t, p.is) {
				t.Skip("no two chunks in a region file of chunks")
			}
			if d, err := p.put(t, everywhere, rollback.Options{}); err != nil || d.Chunks == 0 {
				t.Fatalf("did %+v, %v", d, err)
			}
			anviltest.Compare(t, dir, p.is)
		})
	}
}

// exchange takes a chunk out of the overworld's first region file.
func exchange(t *testing.T, dir string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "region/r.*.mca"))
	if err != nil || len(names) == 0 {
		return false
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil || len(b) < 8192 {
			continue
		}
		for slot := range 1024 {
			if b[4*slot+3] != 0 {
				clear(b[4*slot : 4*slot+4])
				return os.WriteFile(name, b, 0o644) == nil
			}
		}
	}
	return false
}
