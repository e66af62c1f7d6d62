package vox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/vox"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

func chunk(id string, content ...any) []byte {
	var b []byte
	for _, v := range content {
		switch v := v.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case string:
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
		case []byte:
			b = append(b, v...)
		}
	}
	out := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(b)))
	return append(binary.LittleEndian.AppendUint32(out, 0), b...)
}

func file(version uint32, chunks ...[]byte) []byte {
	all := bytes.Join(chunks, nil)
	b := binary.LittleEndian.AppendUint32([]byte("VOX "), version)
	b = binary.LittleEndian.AppendUint32(append(b, "MAIN\x00\x00\x00\x00"...), uint32(len(all)))
	return append(b, all...)
}

// model returns SIZE and XYZI of voxels x, y, z, colour.
func model(x, y, z int, voxels ...[4]byte) []byte {
	b := chunk("SIZE", x, y, z)
	var v []byte
	for _, w := range voxels {
		v = append(v, w[:]...)
	}
	return append(b, chunk("XYZI", len(voxels), v)...)
}

func transform(id, child, layer int, frame ...string) []byte {
	c := []any{id, 0, child, -1, layer, 1, len(frame) / 2}
	for _, s := range frame {
		c = append(c, s)
	}
	return chunk("nTRN", c...)
}

func group(id int, children ...int) []byte {
	c := []any{id, 0, len(children)}
	for _, k := range children {
		c = append(c, k)
	}
	return chunk("nGRP", c...)
}

func shape(id, model int) []byte { return chunk("nSHP", id, 0, 1, model, 0) }

// palette has red, green, blue, red again and grey of little opacity, then black.
func palette() []byte {
	b := make([]byte, 1024)
	copy(b, []byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 0, 0, 255, 9, 9, 9, 7})
	return chunk("RGBA", b)
}

var dog = model(2, 1, 3, [4]byte{0, 0, 0, 1}, [4]byte{1, 0, 2, 2}, [4]byte{0, 0, 1, 4})

// zoo is a scene: dog alone, mirrored and far; cat twice; a hidden bird, a bird in a hidden layer, and a fish over
// a fish.
func zoo() []byte {
	cat := model(1, 1, 2, [4]byte{0, 0, 0, 3}, [4]byte{0, 0, 1, 5})
	bird := model(1, 1, 1, [4]byte{0, 0, 0, 2})
	fish := model(2, 2, 1, [4]byte{0, 0, 0, 1}, [4]byte{1, 1, 0, 1})
	fish2 := model(2, 2, 1, [4]byte{0, 0, 0, 3}, [4]byte{0, 1, 0, 3})
	return file(200, dog, cat, bird, fish, fish2,
		transform(0, 1, -1), group(1, 2, 4, 6, 8, 10, 12, 14),
		transform(2, 3, 0, "_t", "-40 7 3", "_r", "100"), shape(3, 0),
		transform(4, 5, 0, "_t", "5 0 0"), shape(5, 1), transform(6, 7, 0, "_t", "8 0 0"), shape(7, 1),
		chunk("nTRN", 8, 1, "_hidden", "1", 9, -1, 0, 1, 0), shape(9, 2), transform(10, 11, 3), shape(11, 2),
		transform(12, 13, 0, "_t", "20 20 0"), shape(13, 3), transform(14, 15, 0, "_t", "20 20 0"), shape(15, 4),
		chunk("LAYR", 3, 1, "_hidden", "1", -1), palette(), chunk("MATL", 1, 1, "_type", "_glass"), chunk("odd!", 5))
}

func read(b []byte) (*clip.Clip, error) {
	return vox.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

func mustRead(t *testing.T, b []byte) *clip.Clip {
	t.Helper()
	c, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, c *clip.Clip) ([]byte, map[string]int) {
	t.Helper()
	var out bytes.Buffer
	lost, err := vox.Write(&out, c, clip.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), lost
}

func at(c *clip.Clip, x, y, z int) string {
	cell, _ := c.Block.View.Cell(geom.Point{X: x, Y: y, Z: z}.Add(c.Block.At))
	return c.Block.Names[cell]
}

func words(w ...string) string { return strings.Join(w, " ") }

// sameFile compares two files: chunks, and of models the voxels in any order.
func sameFile(a, b []byte) string {
	x, y := chunks(a), chunks(b)
	if !bytes.Equal(a[:8], b[:8]) || len(x) != len(y) {
		return fmt.Sprintf("%d and %d chunks", len(x), len(y))
	}
	for i := range x {
		id := string(x[i][:4])
		if id == "XYZI" {
			seen := map[[4]byte]int{}
			for v := x[i][16:]; len(v) > 0; v = v[4:] {
				seen[[4]byte(v)]++
			}
			for v := y[i][16:]; len(v) > 0; v = v[4:] {
				seen[[4]byte(v)]--
			}
			for v, n := range seen {
				if n != 0 {
					return fmt.Sprintf("chunk %d: %d times voxel %v", i, n, v)
				}
			}
		} else if !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("chunk %d, %s", i, id)
		}
	}
	return ""
}

func chunks(b []byte) (out [][]byte) {
	for b = b[20:]; len(b) > 0; {
		n := 12 + binary.LittleEndian.Uint32(b[4:])
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}

// throughWorld makes a world of a clip and a clip of the world.
func throughWorld(t *testing.T, c *clip.Clip) *clip.Clip {
	t.Helper()
	w, err := convert.Load(context.Background(), c.Source())
	if err != nil {
		t.Fatal(err)
	}
	to := clip.NewCollector(nil)
	if err := w.Source().Read(context.Background(), to); err != nil {
		t.Fatal(err)
	}
	d, err := to.Clip()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestModel(t *testing.T) {
	c := mustRead(t, file(150, dog, palette()))
	if c.Size != (geom.Point{X: 2, Y: 3, Z: 1}) || c.Offset != (geom.Point{}) || c.FormatVersion != 150 {
		t.Errorf("size %v, offset %v, version %d", c.Size, c.Offset, c.FormatVersion)
	}
	if got := words(at(c, 0, 0, 0), at(c, 1, 2, 0), at(c, 0, 1, 0), at(c, 1, 0, 0)); got != "rgb:ff0000 rgb:00ff00 rgb:ff0000[index=4] air" {
		t.Error(got)
	}
	if c := mustRead(t, file(150, model(1, 3, 1, [4]byte{0, 0, 0, 1}, [4]byte{0, 1, 0, 2}, [4]byte{0, 2, 0, 255}))); words(at(c, 0, 0, 2), at(c, 0, 0, 1), at(c, 0, 0, 0)) != "rgb:ffffff rgb:ffffcc rgb:111111" {
		t.Errorf("the palette of a file without one: %v", c.Block.Names)
	}
	c = mustRead(t, file(150, chunk("PACK", 2), dog, model(1, 1, 1)))
	if len(c.Notes) != 1 || c.Size.Y != 3 {
		t.Errorf("an animation: %q, %v", c.Notes, c.Size)
	}
}

// TestSame writes the files that it read, through a world too.
func TestSame(t *testing.T) {
	for name, b := range map[string][]byte{
		"zoo": zoo(), "a model": file(150, dog), "with a palette": file(150, dog, palette()),
		"frames": file(150, chunk("PACK", 2), dog, model(1, 1, 1)), "voxels twice": file(150, model(1, 1, 1, [4]byte{0, 0, 0, 9}, [4]byte{0, 0, 0, 8})),
		"a voxel of no colour": file(150, model(2, 1, 1, [4]byte{0, 0, 0, 9}, [4]byte{1, 0, 0, 0})), "no voxels": file(150, model(4, 4, 4)),
	} {
		c := mustRead(t, b)
		for _, d := range []*clip.Clip{c, throughWorld(t, c)} {
			got, lost := write(t, d)
			if d := sameFile(b, got); d != "" || len(lost)+len(c.Lost) > 0 {
				t.Errorf("%s: %s, lost %v %v", name, d, lost, c.Lost)
			}
		}
	}
}

func TestScene(t *testing.T) {
	c := mustRead(t, zoo())
	if len(c.Notes) != 1 || !strings.HasSuffix(c.Notes[0], ": 2") {
		t.Errorf("notes %q", c.Notes)
	}
	scene := func(x, y, z int) string { // a place of the scene
		return at(c, x-c.Offset.X, z-c.Offset.Y, -1-y-c.Offset.Z)
	}
	if got := words(scene(5, 0, -1), scene(5, 0, 0), scene(8, 0, 0)); got != "rgb:0000ff rgb:090909 rgb:090909" {
		t.Errorf("cats: %s", got)
	}
	if got := words(scene(19, 19, 0), scene(20, 20, 0), scene(19, 20, 0)); got != "rgb:0000ff rgb:ff0000 rgb:0000ff" {
		t.Errorf("fishes: %s", got)
	}
	// An edit of a model that stands alone goes into it; one of a model that comes twice does not.
	d := c.Block.View.Edit()
	p := geom.Point{X: -40 - c.Offset.X, Y: 3 - c.Offset.Y, Z: -1 - 6 - c.Offset.Z}
	cell, _ := c.Block.View.Cell(p)
	d.Set(p, 1+cell%2)
	edited := *c
	edited.Block.View, _ = d.Publish()
	got, lost := write(t, &edited)
	if again := mustRead(t, got); len(lost) > 0 || clip.Difference(&edited, again) != "" || len(chunks(got)) != len(chunks(zoo())) {
		t.Errorf("lost %v, %s", lost, clip.Difference(&edited, again))
	}
	d.Set(geom.Point{X: 5 - c.Offset.X, Y: 0 - c.Offset.Y, Z: -1 - c.Offset.Z}, 0)
	edited.Block.View, _ = d.Publish()
	got, lost = write(t, &edited)
	again := mustRead(t, got)
	again.Tags, again.Notes = edited.Tags, edited.Notes
	if lost["nodes of the scene, which does not show the cells"] != 16 || lost["models that are hidden, repeated or touch others"] != 4 || clip.Difference(&edited, again) != "" {
		t.Errorf("lost %v, %s", lost, clip.Difference(&edited, again))
	}
}

// TestTurns compares all rotations with matrices of floats.
func TestTurns(t *testing.T) {
	size := [3]int{3, 4, 5}
	n := 0
	for r := range 128 {
		b := file(150, model(size[0], size[1], size[2], [4]byte{0, 1, 3, 1}, [4]byte{2, 3, 4, 2}),
			transform(0, 1, -1, "_t", "-7 11 2"), group(1, 2), transform(2, 3, 0, "_r", fmt.Sprint(r), "_t", "4 5 6"), shape(3, 0), palette())
		c, err := read(b)
		if a, b := r&3, r>>2&3; a == b || a > 2 || b > 2 {
			if err == nil {
				t.Errorf("rotation %d is read", r)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
		var m [3][3]float64
		for row, col := range [3]int{r & 3, r >> 2 & 3, 3 - r&3 - r>>2&3} {
			m[row][col] = 1
			if r>>(4+row)&1 != 0 {
				m[row][col] = -1
			}
		}
		for k, v := range [][3]float64{{0, 1, 3}, {2, 3, 4}} {
			var p [3]int
			for row := range 3 {
				sum := [3]float64{4 - 7, 5 + 11, 6 + 2}[row]
				for col := range 3 {
					sum += m[row][col] * (v[col] + .5 - float64(size[col]/2))
				}
				p[row] = int(math.Floor(sum))
			}
			if got, want := at(c, p[0]-c.Offset.X, p[2]-c.Offset.Y, -1-p[1]-c.Offset.Z), []string{"rgb:ff0000", "rgb:00ff00"}[k]; got != want {
				t.Errorf("rotation %d: %s at %v, want %s", r, got, p, want)
			}
		}
		if got, lost := write(t, c); sameFile(b, got) != "" || len(lost) > 0 {
			t.Errorf("rotation %d: %s, lost %v", r, sameFile(b, got), lost)
		}
	}
	if n != 48 {
		t.Errorf("%d rotations", n)
	}
}

// coloured returns a clip of n colours.
func coloured(size geom.Point, n int) *clip.Clip {
	c := clip.Air(size)
	for i := range n {
		c.Block.Names = append(c.Block.Names, fmt.Sprintf("rgb:%06x", i*7))
	}
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	d := grid.New(grid.Options{Schema: voxel.Palette}).Edit()
	for i := range max(1000, n) {
		d.Set(geom.Point{X: rnd.IntN(size.X), Y: rnd.IntN(size.Y), Z: rnd.IntN(size.Z)}, voxel.Cell(1+i%n))
	}
	c.Block.View, _ = d.Publish()
	return c
}

// TestNew writes clips that are no scenes yet.
func TestNew(t *testing.T) {
	for name, c := range map[string]*clip.Clip{
		"small": coloured(geom.Point{X: 5, Y: 9, Z: 7}, 3), "large": coloured(geom.Point{X: 300, Y: 257, Z: 520}, 255), "at a place": coloured(geom.Point{X: 3, Y: 4, Z: 5}, 2),
	} {
		if name == "at a place" {
			c.Offset = geom.Point{X: -3, Y: 12, Z: 9}
		}
		b, lost := write(t, c)
		again := mustRead(t, b)
		if again.Tags = nil; len(lost) > 0 || clip.Difference(c, again) != "" {
			t.Errorf("%s: %s, lost %v", name, clip.Difference(c, again), lost)
		}
		if (len(chunks(b)) == 3) != (name == "small") {
			t.Errorf("%s: %d chunks", name, len(chunks(b)))
		}
	}
	if b, _ := write(t, coloured(geom.Point{X: 5, Y: 9, Z: 7}, 3)); len(b) != 20+24+16+4*len(chunks(b)[1][16:])/4+12+1024 {
		t.Errorf("%d bytes", len(b))
	}
	c := coloured(geom.Point{X: 9, Y: 9, Z: 9}, 2)
	c.Version, c.Min, c.Biome, c.Block.Names[2] = 1, geom.Point{X: 1}, &c.Block, clip.Void
	c.Lists = []voxel.List{{Name: voxel.Entities, Objects: make([]voxel.Object, 2)}}
	if _, lost := write(t, c); len(lost) != 5 || lost[voxel.Entities] != 2 {
		t.Errorf("lost %v", lost)
	}
	for name, c := range map[string]*clip.Clip{"256 colours": coloured(geom.Point{X: 90, Y: 9, Z: 90}, 256), "nothing": clip.Air(geom.Point{}), "vast": clip.Air(geom.Point{X: 65535, Y: 256, Z: 65535})} {
		if _, err := vox.Write(io.Discard, c, clip.WriteOptions{}); !errors.Is(err, format.ErrHolds) {
			t.Errorf("%s: %v, want ErrHolds", name, err)
		}
	}
	c = coloured(geom.Point{X: 2, Y: 2, Z: 2}, 1)
	for _, bad := range []string{"minecraft:stone", "rgb:12345", "rgb:12345g", "rgb:123456[index=0]", "rgb:123456[index=256]", "rgb:123456[index=1"} {
		c.Block.Names[1] = bad
		if _, err := vox.Write(io.Discard, c, clip.WriteOptions{}); !errors.Is(err, format.ErrHolds) {
			t.Errorf("%s: %v, want ErrHolds", bad, err)
		}
	}
}

// TestColours edits a scene with a colour that its palette has not: it takes an entry that no voxel has.
func TestColours(t *testing.T) {
	for _, b := range [][]byte{file(150, dog, palette()), file(150, dog)} {
		c := mustRead(t, b)
		c.Block.Names = append(c.Block.Names, "rgb:abcdef")
		d := c.Block.View.Edit()
		d.Set(geom.Point{X: 1}, voxel.Cell(len(c.Block.Names)-1))
		c.Block.View, _ = d.Publish()
		got, lost := write(t, c)
		again := mustRead(t, got)
		if again.Tags = c.Tags; len(lost) > 0 || clip.Difference(c, again) != "" {
			t.Errorf("%s, lost %v", clip.Difference(c, again), lost)
		}
	}
}

func TestRefused(t *testing.T) {
	deep := [][]byte{dog}
	for i := range 200 {
		deep = append(deep, group(i, i+1))
	}
	wide := [][]byte{dog}
	for i := range 40 {
		wide = append(wide, group(i, i+1, i+1))
	}
	wide = append(wide, shape(40, 0))
	var voxels [][4]byte
	for i := range 1 << 12 {
		voxels = append(voxels, [4]byte{byte(i), byte(i >> 8), 0, 1})
	}
	many := [][]byte{model(256, 256, 1, voxels...), group(0, make([]int, 0)...)}
	children := make([]int, 6000)
	for i := range children {
		children[i] = 1
	}
	many[1] = group(0, children...)
	many = append(many, shape(1, 0))
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"another head", "no file of MagicaVoxel", append([]byte("DOOD"), file(150, dog)[4:]...)},
		{"no MAIN", "no file of MagicaVoxel", []byte("VOX \x96\x00\x00\x00NIAM\x00\x00\x00\x00\x00\x00\x00\x00")},
		{"another version", "version 151", file(151, dog)},
		{"no model", "no model", file(150, palette())},
		{"a chunk beyond the end", "XYZI", file(150, dog[:len(dog)-1])},
		{"a great edge", "1000 is not within 0..256", file(150, model(1000, 1000, 1000))},
		{"a negative edge", "-1 is not within 0..256", file(150, model(-1, 1, 1))},
		{"a voxel outside", "a voxel at", file(150, model(1, 1, 1, [4]byte{1, 0, 0, 1}))},
		{"few voxels", "XYZI at byte 60: ends too early", file(150, chunk("SIZE", 1, 1, 1), chunk("XYZI", 9, []byte{0, 0, 0, 1}))},
		{"no count", "XYZI", file(150, chunk("SIZE", 1, 1, 1), chunk("XYZI"))},
		{"no size", "no SIZE", file(150, chunk("XYZI", 0))},
		{"no voxels", "without its XYZI", file(150, chunk("SIZE", 1, 1, 1), palette())},
		{"no voxels at the end", "without its XYZI", file(150, chunk("SIZE", 1, 1, 1))},
		{"a short palette", "RGBA", file(150, dog, chunk("RGBA", 1))},
		{"a missing node", "node 0 is missing", file(150, dog, shape(3, 0))},
		{"a missing model", "model 1 of 1", file(150, dog, shape(0, 1))},
		{"a circle", "more than 64 levels", file(150, dog, group(0, 0))},
		{"deep", "more than 64 levels", file(150, deep...)},
		{"wide", "262144 nodes", file(150, wide...)},
		{"a node twice", "a second node", file(150, dog, shape(0, 0), shape(0, 0))},
		{"no frames", "0 is not within 1", file(150, dog, chunk("nTRN", 0, 0, 1, -1, 0, 0, 0))},
		{"a bad place", "_t", file(150, dog, transform(0, 1, 0, "_t", "1 2"), shape(1, 0))},
		{"a bad place too", "_t", file(150, dog, transform(0, 1, 0, "_t", "1 2 99999999999"), shape(1, 0))},
		{"a bad turn", "_r", file(150, dog, transform(0, 1, 0, "_r", "300"), shape(1, 0))},
		{"many texts", "nTRN", file(150, dog, chunk("nTRN", 0, -1))},
		{"far apart", "a box of", file(150, dog, group(0, 1, 2), transform(1, 3, 0, "_t", "2000000000 0 0"), shape(3, 0), shape(2, 0))},
		{"much of little", "voxels in the scene", file(150, many...)},
	} {
		if _, err := read(tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := vox.Read(bytes.NewReader(zoo()), int64(len(zoo())), clip.ReadOptions{MaxBytes: 300}); !errors.Is(err, clip.ErrTooLarge) {
		t.Errorf("within 300 bytes: %v", err)
	}
	if c := mustRead(t, append(file(150, dog), 1, 2)); c.Lost["bytes behind MAIN"] != 2 {
		t.Errorf("lost %v", c.Lost)
	}
}

func TestTruncated(t *testing.T) {
	b := zoo()
	for n := range b {
		if _, err := read(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes: no error", n, len(b))
		}
	}
}

// TestRealFiles reads the files below CAIRN_WORLDS and writes the same models and scenes.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "vox", "*", "*.vox"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := read(raw)
		if (err != nil) != (name == "not_a.vox") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		for _, d := range []*clip.Clip{c, throughWorld(t, c)} {
			got, lost := write(t, d)
			if diff := sameFile(raw, got); diff != "" || len(lost)+len(c.Lost) > 0 {
				t.Errorf("%s: %s, lost %v %v", name, diff, lost, c.Lost)
			}
		}
	}
}

func FuzzVox(f *testing.F) {
	f.Add(zoo())
	f.Add(file(150, chunk("PACK", 2), dog, model(1, 1, 1), palette()))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := vox.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{MaxBytes: 64 << 20})
		if err != nil || c.Area()*c.Size.Y > 1<<22 {
			return
		}
		var out bytes.Buffer
		lost, err := vox.Write(&out, c, clip.WriteOptions{})
		if errors.Is(err, format.ErrHolds) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(out.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(lost) > 0 {
			again.Tags = c.Tags
		}
		if d := clip.Difference(c, again); d != "" {
			t.Fatal(d)
		}
	})
}
