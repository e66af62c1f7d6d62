package clip_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// reduced returns what a version of a leaf holds of a clip.
func reduced(c *clip.Clip, leaf clip.Leaf, version int) *clip.Clip {
	out := *c
	out.Format, out.FormatVersion = leaf.Name, version
	switch {
	case leaf.Name == "mcedit":
		out.Version, out.Biome = 0, nil
		out.Block.Names = nil
		for i := range c.Block.Names {
			name := "air"
			if i > 0 {
				name = fmt.Sprintf("legacy:%d/%d", 53+200*i, i%16)
			}
			out.Block.Names = append(out.Block.Names, name)
		}
	case leaf.Name == "structure":
		out.Biome, out.Offset, out.Min = nil, geom.Point{}, geom.Point{}
		out.Lists = nil
		for _, l := range c.Lists { // one block entity of a place
			seen := map[geom.Point]bool{}
			var list []voxel.Object
			for _, o := range l.Objects {
				if l.Name == voxel.Entities || !seen[o.At] {
					list = append(list, o)
				}
				seen[o.At] = true
			}
			out.Lists = append(out.Lists, voxel.List{Name: l.Name, Objects: list})
		}
	case leaf.Name == "litematic", leaf.Name == "maptemplate":
		out.Biome, out.Min = nil, geom.Point{}
	case version == 1:
		out.Version, out.Biome, out.Lists = 0, nil, c.Lists[:1]
	case version == 2:
		flat := *c.Biome
		flat.Flat = true
		out.Biome = &flat
	}
	return &out
}

// each calls f with made-up clips for each version of each leaf.
func each(t *testing.T, f func(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int)) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, leaf := range leaves {
		versions := leaf.Versions
		if versions == nil {
			versions = []int{0}
		}
		for _, version := range versions {
			for _, size := range []geom.Point{{X: 1, Y: 1, Z: 1}, {X: 5, Y: 3, Z: 4}, {X: 33, Y: 18, Z: 20}} {
				t.Run(fmt.Sprintf("%s %d %v", leaf.Name, version, size), func(t *testing.T) {
					f(t, leaf, reduced(random(rnd, size), leaf, version), version)
				})
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	each(t, func(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) {
		raw := write(t, leaf, c, version)
		if !leaf.Detect(raw[:min(len(raw), 4096)]) {
			t.Error("not detected")
		}
		got, err := leaf.Read(bytes.NewReader(raw), int64(len(raw)), clip.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Tags == nil {
			got.Tags = nil // the notes of the reader
		}
		if d := clip.Difference(c, got); d != "" {
			t.Errorf("written and read: %s", d)
		}
		if !bytes.Equal(raw, write(t, leaf, c, version)) {
			t.Error("the same clip gives other bytes")
		}
		if d := clip.Difference(c, throughWorld(t, c)); d != "" {
			t.Errorf("through a world: %s", d)
		}
		plain := inflate(t, raw)
		if _, err := leaf.Read(bytes.NewReader(plain), int64(len(plain)), clip.ReadOptions{}); err != nil {
			t.Errorf("not compressed: %v", err)
		}
		if _, err := leaf.Read(bytes.NewReader(raw), int64(len(raw)), clip.ReadOptions{MaxBytes: 300}); !errors.Is(err, clip.ErrTooLarge) {
			t.Errorf("within 300 bytes: %v, want ErrTooLarge", err)
		}
	})
}

// TestNoEnd reads files whose last End is missing, as some programs write them. Only a compressed
// file says that it is whole.
func TestNoEnd(t *testing.T) {
	each(t, func(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) {
		plain := inflate(t, write(t, leaf, c, version))
		cut := plain[:len(plain)-1]
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		z.Write(cut)
		z.Close()
		got, err := leaf.Read(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()), clip.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Tags == nil {
			got.Tags = nil // the notes of the reader
		}
		if d := clip.Difference(c, got); d != "" || len(got.Notes) != 1 {
			t.Errorf("%s, notes %q", d, got.Notes)
		}
		if _, err := leaf.Read(bytes.NewReader(cut), int64(len(cut)), clip.ReadOptions{}); err == nil {
			t.Error("a plain file without its last byte is read")
		}
	})
}

// TestNoBlocks: a clip of no blocks keeps its data version through a world.
func TestNoBlocks(t *testing.T) {
	c := clip.Air(geom.Point{})
	c.Version, c.Format = 3953, "structure"
	if got := throughWorld(t, c); got.Version != c.Version {
		t.Errorf("data version %d, want %d", got.Version, c.Version)
	}
}

func TestLeavesTruncated(t *testing.T) {
	each(t, func(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) {
		raw := write(t, leaf, c, version)
		plain := inflate(t, raw)
		for _, whole := range [][]byte{raw, plain} {
			step := 1 + len(whole)/long.Of(100, 500)
			for n := 0; n < len(whole); n += step {
				if _, err := leaf.Read(bytes.NewReader(whole), int64(n), clip.ReadOptions{}); err == nil {
					t.Fatalf("%d of %d bytes: no error", n, len(whole))
				}
			}
		}
	})
}

// TestLeavesDamaged changes bytes: no panic, and what is read can be written.
func TestLeavesDamaged(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	each(t, func(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) {
		plain := inflate(t, write(t, leaf, c, version))
		for range long.Of(60, 300) {
			b := bytes.Clone(plain)
			for range 1 + rnd.IntN(3) {
				b[rnd.IntN(len(b))] ^= byte(1 << rnd.IntN(8))
			}
			hold(t, leaf, b)
		}
	})
}

// hold reads bytes and holds what comes of it to the round trip.
func hold(t *testing.T, leaf clip.Leaf, b []byte) {
	t.Helper()
	c, err := leaf.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{MaxBytes: 64 << 20})
	if err != nil || c.Size.X*c.Size.Y*c.Size.Z > 1<<20 {
		return
	}
	var out bytes.Buffer
	if lost, err := leaf.Write(&out, c, clip.WriteOptions{}); err != nil || len(lost) > 0 {
		if err == nil || errors.Is(err, format.ErrHolds) {
			return
		}
		t.Fatalf("what was read cannot be written: %v", err)
	}
	d, err := leaf.Read(bytes.NewReader(out.Bytes()), int64(out.Len()), clip.ReadOptions{})
	if err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	if diff := clip.Difference(c, d); diff != "" {
		t.Fatalf("written and read: %s", diff)
	}
}

func FuzzSponge(f *testing.F)    { fuzz(f, 0) }
func FuzzMCEdit(f *testing.F)    { fuzz(f, 1) }
func FuzzStructure(f *testing.F) { fuzz(f, 2) }
func FuzzLitematic(f *testing.F) { fuzz(f, 3) }
func FuzzTemplate(f *testing.F)  { fuzz(f, 4) }

func fuzz(f *testing.F, i int) {
	rnd := rand.New(rand.NewPCG(7, 8))
	leaf := leaves[i]
	versions := leaf.Versions
	if versions == nil {
		versions = []int{0}
	}
	for _, version := range versions {
		var out bytes.Buffer
		if _, err := leaf.Write(&out, reduced(random(rnd, geom.Point{X: 2, Y: 2, Z: 3}), leaf, version), clip.WriteOptions{Version: version}); err != nil {
			f.Fatal(err)
		}
		z := new(testing.T)
		f.Add(inflate(z, out.Bytes()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		leaf.Detect(b[:min(len(b), 4096)])
		hold(t, leaf, b)
	})
}

// FuzzFile gives a Collector the file of a clip with any bytes.
func FuzzFile(f *testing.F) {
	c := random(rand.New(rand.NewPCG(7, 9)), geom.Point{X: 3, Y: 2, Z: 2})
	w, err := convert.Load(context.Background(), c.Source())
	if err != nil {
		f.Fatal(err)
	}
	r, err := w.Files[0].Open()
	if err != nil {
		f.Fatal(err)
	}
	doc, err := io.ReadAll(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	f.Fuzz(func(t *testing.T, b []byte) {
		to := clip.NewCollector(nil)
		if err := to.Dimension(format.BlockDimension("overworld", "")); err != nil {
			t.Fatal(err)
		}
		if err := to.File(format.FileOf(clip.FilePath, b)); err != nil {
			return
		}
		if _, err := to.Clip(); err != nil && !errors.Is(err, format.ErrHolds) {
			t.Fatal(err)
		}
	})
}

// TestOtherFormats writes clips in the formats of others: what they cannot hold is counted.
func TestOtherFormats(t *testing.T) {
	c := random(rand.New(rand.NewPCG(9, 9)), geom.Point{X: 4, Y: 4, Z: 4})
	c.Format, c.Tags = "sponge", document.Compound([]document.Field{{Type: nbt.Byte, Name: "odd", Payload: []byte{1}}})
	for _, tt := range []struct {
		leaf, version int
		want          string
	}{
		{0, 1, "data version biomes entities"}, {0, 2, "biomes above the lowest, of columns with several"}, {0, 3, ""}, {2, 0, "biomes offset tag odd of sponge"}, {3, 0, "biomes place in the world tag odd of sponge"}, {4, 0, "biomes place in the world tag odd of sponge"},
	} {
		var out bytes.Buffer
		lost, err := leaves[tt.leaf].Write(&out, c, clip.WriteOptions{Version: tt.version})
		if err != nil {
			t.Errorf("%s %d: %v", leaves[tt.leaf].Name, tt.version, err)
		}
		for what := range lost {
			if !strings.Contains(tt.want, what) {
				t.Errorf("%s %d: lost %q, want %q", leaves[tt.leaf].Name, tt.version, what, tt.want)
			}
		}
		if (len(lost) == 0) != (tt.want == "") {
			t.Errorf("%s %d: lost %v, want %q", leaves[tt.leaf].Name, tt.version, lost, tt.want)
		}
	}
	if _, err := leaves[1].Write(new(bytes.Buffer), c, clip.WriteOptions{}); !errors.Is(err, format.ErrHolds) {
		t.Errorf("names in MCEdit: %v, want ErrHolds", err)
	}
	numbers := reduced(c, leaves[1], 0)
	for _, i := range []int{0, 2, 3, 4} {
		if _, err := leaves[i].Write(new(bytes.Buffer), numbers, clip.WriteOptions{}); !errors.Is(err, format.ErrHolds) {
			t.Errorf("numbers in %s: %v, want ErrHolds", leaves[i].Name, err)
		}
	}
}

// TestCollectorRegion copies regions of a world.
func TestCollectorRegion(t *testing.T) {
	c := random(rand.New(rand.NewPCG(1, 9)), geom.Point{X: 40, Y: 20, Z: 24})
	w, err := convert.Load(context.Background(), c.Source())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []region.Region{
		geom.Box{Min: geom.Point{X: 3, Y: 2, Z: 5}, Max: geom.Point{X: 37, Y: 19, Z: 21}},
		region.Ball{Center: geom.Point{X: 20, Y: 10, Z: 12}, Radius: 7},
		geom.Box{Min: geom.Point{X: -5, Y: -5, Z: -5}, Max: geom.Point{X: 2, Y: 2, Z: 2}},
	} {
		to := clip.NewCollector(r)
		if err := w.Source().Read(context.Background(), to); err != nil {
			t.Fatal(err)
		}
		got, err := to.Clip()
		if err != nil {
			t.Fatal(err)
		}
		b := r.Bounds()
		if got.Size != b.Size() || got.Min != b.Min {
			t.Fatalf("size %v at %v, want the bounds %v", got.Size, got.Min, b)
		}
		slice := make([]voxel.Cell, got.Area())
		for y := range got.Size.Y {
			got.Slice(&got.Block, y, slice)
			for i, cell := range slice {
				p := b.Min.Add(geom.Point{X: i % got.Size.X, Y: y, Z: i / got.Size.X})
				want := clip.Void
				if r.Contains(p) {
					old, _ := c.Block.View.Cell(p)
					want = c.Block.Names[old]
				}
				if got.Block.Names[cell] != want {
					t.Fatalf("%v: %s, want %s", p, got.Block.Names[cell], want)
				}
			}
		}
		for _, name := range []string{voxel.BlockEntities, voxel.Entities} {
			n := 0
			for _, o := range c.List(name) {
				if r.Contains(o.At) {
					n++
				}
			}
			if len(got.List(name)) != n {
				t.Errorf("%d %s, want %d", len(got.List(name)), name, n)
			}
			for _, o := range got.List(name) {
				if !(geom.Box{Max: got.Size}).Contains(o.At) {
					t.Errorf("%s at %v outside of the box", name, o.At)
				}
			}
		}
	}
}

// TestOutside: objects outside of the box come into no world, and are counted.
func TestOutside(t *testing.T) {
	c := random(rand.New(rand.NewPCG(2, 9)), geom.Point{X: 5, Y: 6, Z: 7})
	n := len(c.List(voxel.BlockEntities))
	for i := range c.Lists {
		far := c.Lists[i].Objects[0]
		far.At = geom.Point{X: 100, Y: 1, Z: -1}
		c.Lists[i].Objects = append(c.Lists[i].Objects, far)
	}
	in, lost := c.Inside()
	if len(in.List(voxel.BlockEntities)) != n || lost["block_entities outside of the box"] != 1 || lost["entities outside of the box"] != 1 || len(lost) != 2 {
		t.Errorf("%d block entities, lost %v", len(in.List(voxel.BlockEntities)), lost)
	}
	src := c.Source()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	lost, _ = src.(interface {
		Remarks() (map[string]int, []string)
	}).Remarks()
	if len(w.Dimensions[0].Columns) != 1 || lost["block_entities outside of the box"] != 1 || lost["entities outside of the box"] != 1 {
		t.Errorf("%d columns, lost %v", len(w.Dimensions[0].Columns), lost)
	}
}

// TestWorldGrows builds beyond the box that a clip had.
func TestWorldGrows(t *testing.T) {
	c := random(rand.New(rand.NewPCG(2, 9)), geom.Point{X: 5, Y: 6, Z: 7})
	w, err := convert.Load(context.Background(), c.Source())
	if err != nil {
		t.Fatal(err)
	}
	v := w.Dimensions[0].Volume(voxel.Block)
	v.Chunks[geom.ChunkPos{X: -1}] = voxel.Uniform(1)
	to := clip.NewCollector(nil)
	if err := w.Source().Read(context.Background(), to); err != nil {
		t.Fatal(err)
	}
	got, err := to.Clip()
	if err != nil {
		t.Fatal(err)
	}
	move := geom.Point{X: -32}
	if want := (geom.Point{X: 37, Y: 32, Z: 32}); got.Size != want || got.Min != c.Min.Add(move) || got.Offset != c.Offset.Add(move) {
		t.Errorf("size %v, least corner %v, offset %v", got.Size, got.Min, got.Offset)
	}
	if at := got.List(voxel.BlockEntities)[0].At; at.X < 32 {
		t.Errorf("a block entity at %v has not moved with the least corner", at)
	}
}

// TestSizes pins the bytes of documents, so that one that grows is seen.
func TestSizes(t *testing.T) {
	for _, tt := range []struct{ leaf, version, want int }{{0, 1, 9026}, {0, 2, 10133}, {0, 3, 17773}, {1, 0, 21151}, {2, 0, 289933}, {3, 6, 5970}, {4, 1, 23268}, {4, 2, 23332}} {
		c := random(rand.New(rand.NewPCG(1, 1)), geom.Point{X: 20, Y: 20, Z: 20})
		leaf := leaves[tt.leaf]
		if got := len(inflate(t, write(t, leaf, reduced(c, leaf, tt.version), tt.version))); got != tt.want {
			t.Errorf("%s %d: %d bytes, want %d", leaf.Name, tt.version, got, tt.want)
		}
	}
}
