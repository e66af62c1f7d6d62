package schematics_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/game/schematics"
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

// folder is a folder in memory.
type folder map[string]*fstest.MapFile

// file is a file that is being written.
type file struct {
	bytes.Buffer
	in   folder
	name string
}

func (f *file) Close() error {
	f.in[f.name] = &fstest.MapFile{Data: f.Bytes()}
	return nil
}

func (f folder) create(name string) (io.WriteCloser, error) {
	if f[name] != nil {
		return nil, fmt.Errorf("%s is there", name)
	}
	return &file{in: f, name: name}, nil
}

const folderBox = "box:-5,45,3..40,75,50" // of a world of 64 by 64 blocks from 0,0

// mustFolder writes a part of the world a.
func (p *place) mustFolder() folder {
	p.t.Helper()
	w := p.open("a", "")
	defer w.Close()
	s, err := w.Snapshot()
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	out := make(folder)
	n, err := schematics.Write(p.t.Context(), s, arena.Area{Region: folderBox}, "arena", out.create, map[string]int{})
	if err != nil || n != len(out)-1 {
		p.t.Fatalf("%d columns in %d files: %v", n, len(out), err)
	}
	return out
}

// restore restores a folder and commits.
func (p *place) restore(f folder, a arena.Area) (edit.Progress, []*schematics.FileError, error) {
	p.t.Helper()
	w := p.open("a", "")
	defer w.Close()
	got, failed, err := schematics.Restore(p.t.Context(), fstest.MapFS(f), w, p.st, a, nil)
	if _, end := w.Commit(p.t.Context(), ""); end != nil {
		p.t.Fatal(end)
	}
	return got, failed, err
}

func in(b geom.Box) func(geom.Point) bool { return b.Contains }

var folderCells = geom.Box{Min: geom.Point{X: -5, Y: 45, Z: 3}, Max: geom.Point{X: 41, Y: 76, Z: 51}}

func TestFolder(t *testing.T) {
	long.Alone(t)
	p := newPlace(t, "a")
	f := p.mustFolder()
	var meta struct {
		Version, Amount int
		Name, Level     string
		Min, Max        [3]int
		Chunks          []struct {
			Min, Max [3]int
			Checksum string
		}
		Points []any
	}
	if err := json.Unmarshal(f["meta.json"].Data, &meta); err != nil {
		t.Fatal(err)
	}
	if meta.Version != 2 || meta.Amount != len(meta.Chunks) || meta.Name != "arena" || meta.Level != "minecraft:overworld" ||
		meta.Min != [3]int{-5, 45, 3} || meta.Max != [3]int{40, 75, 50} || meta.Points == nil {
		t.Errorf("got %+v", meta)
	}
	volume := 0
	for _, c := range meta.Chunks {
		name := fmt.Sprintf("c.%d.%d.schem", int(math.Floor(float64(c.Min[0])/16)), int(math.Floor(float64(c.Min[2])/16)))
		if f[name] == nil {
			t.Fatalf("no %s", name)
		}
		if got := fmt.Sprintf("%X", crc32.Checksum(f[name].Data, crc32.MakeTable(crc32.Castagnoli))); got != c.Checksum {
			t.Errorf("%s: %s, want %s", name, c.Checksum, got)
		}
		volume += (c.Max[0] - c.Min[0] + 1) * (c.Max[1] - c.Min[1] + 1) * (c.Max[2] - c.Min[2] + 1)
	}
	if want := folderCells.Size(); volume != want.X*want.Y*want.Z || len(meta.Chunks) != 4*4 {
		t.Errorf("%d chunks of %d blocks", len(meta.Chunks), volume)
	}

	was := p.blocks("a")
	p.fill("a", "", "box:0,40,0..63,79,63", "minecraft:tnt")
	want := p.blocks("a")
	for at := range want {
		if in(folderCells)(at) {
			want[at] = was[at]
		}
	}
	got, failed, err := p.restore(f, arena.Area{})
	if err != nil || len(failed) > 0 || got.Done != len(meta.Chunks) || got.Cells == 0 {
		t.Fatalf("got %+v, %v, %v", got, failed, err)
	}
	if now := p.blocks("a"); !maps.Equal(now, want) {
		t.Error("the world is not what it was in the box")
	}
	if got, _, err := p.restore(f, arena.Area{}); err != nil || got.Cells != 0 {
		t.Errorf("again: %+v, %v", got, err)
	}
	p.fill("a", "", "box:10,50,10..20,60,20", "minecraft:glass")
	if got, _, err := p.restore(f, arena.Area{Mask: "tnt"}); err != nil || got.Cells != 0 {
		t.Errorf("with a mask: %+v, %v", got, err)
	}
}

// A file that is damaged is reported, and the rest goes on.
func TestFolderDamaged(t *testing.T) {
	long.Alone(t)
	const name = "c.1.1.schem"
	column := geom.Box{Min: geom.Point{X: 16, Y: 45, Z: 16}, Max: geom.Point{X: 32, Y: 76, Z: 32}}
	p := newPlace(t, "a")
	whole := p.mustFolder()
	was := p.blocks("a")
	for _, tt := range []struct {
		name string
		do   func(f folder)
		want string
	}{
		{"missing", func(f folder) { delete(f, name) }, "not exist"},
		{"a bit", func(f folder) { f[name].Data[len(f[name].Data)/2] ^= 1 }, "checksum"},
		{"cut", func(f folder) { f[name].Data = f[name].Data[:20] }, "checksum"},
		{"another", func(f folder) { f[name].Data = f["c.0.0.schem"].Data }, "checksum"},
		{"a folder", func(f folder) { delete(f, name); f[name+"/x"] = &fstest.MapFile{} }, "no file"},
		{"not a schematic", func(f folder) { f.put(name, []byte("hello")) }, "sponge"},
		{"of another size", func(f folder) { f.put(name, f["c.-1.0.schem"].Data) }, "blocks, want"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &place{t, p.st}
			f := make(folder)
			for name, file := range whole {
				f[name] = &fstest.MapFile{Data: slices.Clone(file.Data)}
			}
			tt.do(f)
			p.fill("a", "", "box:0,45,3..40,75,50", "minecraft:tnt")
			got, failed, err := p.restore(f, arena.Area{})
			if err != nil || len(failed) != 1 || got.Failed != 1 || failed[0].File != name || !strings.Contains(failed[0].Error(), tt.want) {
				t.Fatalf("got %+v, %v, %v", got, failed, err)
			}
			for at, block := range p.blocks("a") {
				want := was[at]
				if column.Contains(at) {
					want = "minecraft:tnt"
				}
				if block != want {
					t.Fatalf("%v is %s, want %s", at, block, want)
				}
			}
		})
	}
}

// put writes a file, and its checksum into meta.json.
func (f folder) put(name string, content []byte) {
	sum := func(b []byte) []byte {
		return fmt.Appendf(nil, `"checksum": "%X"`, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	f["meta.json"].Data = bytes.Replace(f["meta.json"].Data, sum(f[name].Data), sum(content), 1)
	f[name].Data = content
}

func TestFolderWrong(t *testing.T) {
	long.Alone(t)
	p := newPlace(t, "a")
	whole := p.mustFolder()
	meta := string(whole["meta.json"].Data)
	for _, tt := range []struct{ name, meta, want string }{
		{"empty", "", "meta.json"},
		{"no JSON", "version = 2", "meta.json"},
		{"an older version", strings.Replace(meta, `"version": 2`, `"version": 1`, 1), "version 1, want 2"},
		{"amount", strings.Replace(meta, `"amount": 16`, `"amount": 17`, 1), "amount 17"},
		{"far away", strings.Replace(meta, "-5", "-999999999999", 1), "range"},
		{"not in the box", strings.Replace(meta, `"max": [
    40`, `"max": [
    20`, 1), "not within"},
		{"a list of numbers", `{"version":2,"amount":1,"min":[0,0,0],"max":[0,0,0],"chunks":[1]}`, "meta.json"},
		{"wide", `{"version":2,"amount":1,"min":[0,0,0],"max":[99,0,0],"chunks":[{"min":[0,0,0],"max":[99,0,0],"checksum":"0"}]}`, "not within"},
		{"inside out", `{"version":2,"amount":1,"min":[0,0,0],"max":[9,0,0],"chunks":[{"min":[5,0,0],"max":[1,0,0],"checksum":"0"}]}`, "not within"},
		{"twice", `{"version":2,"amount":2,"min":[0,0,0],"max":[9,0,0],"chunks":[{"min":[5,0,0],"max":[6,0,0]},{"min":[5,0,0],"max":[5,0,0]}]}`, "second"},
		{"too many", `{"version":2,"amount":2,"chunks":[` + strings.Repeat("{},", 70000) + `{}]}`, "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &place{t, p.st}
			_, _, err := p.restore(folder{"meta.json": {Data: []byte(tt.meta)}}, arena.Area{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	for n := range len(strings.TrimSpace(meta)) {
		if n%7 == 0 || n > len(meta)-20 {
			if _, _, err := p.restore(folder{"meta.json": {Data: []byte(meta[:n])}}, arena.Area{}); err == nil {
				t.Fatalf("the first %d bytes are taken", n)
			}
		}
	}
	for _, a := range []arena.Area{{Region: folderBox}, {Dimension: "moon"}, {Mask: "by:ann"}, {Mask: "="}} {
		if _, _, err := p.restore(whole, a); !errors.Is(err, arena.ErrArea) {
			t.Errorf("%+v: got %v", a, err)
		}
	}
	w := p.open("a", "")
	defer w.Close()
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{"", "box", "box:0,0,0..9999999,1,9999999", "box:0,0,0..1,1,1 & box:5,5,5..6,6,6"} {
		if _, err := schematics.Write(t.Context(), s, arena.Area{Region: text}, "x", make(folder).create, map[string]int{}); !errors.Is(err, arena.ErrArea) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func FuzzRestore(f *testing.F) {
	f.Add([]byte(`{"version":2,"name":"a","level":"minecraft:a","min":[0,0,0],"max":[1,1,1],"amount":1,"chunks":[{"min":[0,0,0],"max":[1,1,1],"checksum":"0"}],"points":[]}`), []byte("x"))
	f.Fuzz(func(t *testing.T, meta, schem []byte) {
		st := memory.New(memory.Options{})
		w, err := world.Create(t.Context(), st, "a", world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		_, err = w.Update(func(tx *world.Tx) error {
			tx.AddDimension("a", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, map[string][]string{voxel.Block: {"air"}})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		dir := fstest.MapFS{"meta.json": {Data: meta}, "c.0.0.schem": {Data: schem}}
		p, failed, err := schematics.Restore(t.Context(), dir, w, st, arena.Area{}, nil)
		if err == nil && (p.Done != p.Chunks || p.Failed != len(failed)) {
			t.Errorf("got %+v, %v", p, failed)
		}
	})
}

// gaia returns a schematic as the plugin writes it: a palette that begins at 1, in no order,
// and nothing but blocks.
func gaia(w, h, l int, at func(x, y, z int) string) []byte {
	ids := map[string]int{}
	var data []byte
	for y := range h {
		for z := range l {
			for x := range w {
				name := at(x, y, z)
				if ids[name] == 0 {
					ids[name] = len(ids) + 1
				}
				data = binary.AppendUvarint(data, uint64(ids[name]))
			}
		}
	}
	all := nbt.AppendCompound(nbt.AppendCompound(nil, ""), "Schematic")
	all = nbt.AppendInt(nbt.AppendInt(all, "Version", 3), "DataVersion", 3953)
	all = nbt.AppendEnd(nbt.AppendLong(nbt.AppendString(nbt.AppendCompound(all, "Metadata"), "Author", "Gaia"), "Date", 1700000000000))
	all = nbt.AppendShort(nbt.AppendShort(nbt.AppendShort(all, "Width", int16(w)), "Height", int16(h)), "Length", int16(l))
	all = nbt.AppendIntArray(all, "Offset", []int32{2, 2, 1})
	all = nbt.AppendCompound(nbt.AppendCompound(all, "Blocks"), "Palette")
	for name, id := range ids {
		all = nbt.AppendInt(all, name, int32(id))
	}
	all = nbt.AppendByteArray(nbt.AppendEnd(all), "Data", data)
	all = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendEnd(all)))
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(all)
	if err := errors.Join(err, z.Close()); err != nil {
		panic("a buffer takes everything: " + err.Error())
	}
	return out.Bytes()
}

func TestFolderOfGaia(t *testing.T) {
	p := newPlace(t, "a")
	want := p.blocks("a")
	box := geom.Box{Min: geom.Point{X: 18, Y: 50, Z: 33}, Max: geom.Point{X: 32, Y: 60, Z: 48}}
	at := func(x, y, z int) string {
		n := x*x + 3*y + z
		if n%3 == 0 {
			return "minecraft:air"
		}
		return fmt.Sprintf("minecraft:oak_log[axis=%c]", "xyz"[n%3])
	}
	size := box.Size()
	schem := gaia(size.X, size.Y, size.Z, at)
	f := folder{"c.1.2.schem": {Data: schem}, "meta.json": {Data: fmt.Appendf(nil,
		`{"version":2,"name":"gaia","level":"minecraft:overworld","min":[18,50,33],"max":[31,59,47],"amount":1,"chunks":[{"min":[18,50,33],"max":[31,59,47],"checksum":"%X"}],"points":[[1.5,2,3,0,0]]}`,
		crc32.Checksum(schem, crc32.MakeTable(crc32.Castagnoli)))}}
	got, failed, err := p.restore(f, arena.Area{})
	if err != nil || len(failed) > 0 || got.Cells == 0 {
		t.Fatalf("got %+v, %v, %v", got, failed, err)
	}
	for at1 := range want {
		if box.Contains(at1) {
			in := at1.Sub(box.Min)
			want[at1] = strings.Replace(at(in.X, in.Y, in.Z), "minecraft:air", "air", 1)
		}
	}
	for at, name := range p.blocks("a") {
		if name != want[at] {
			t.Fatalf("%v is %s, want %s", at, name, want[at])
		}
	}
}

const overworld = "overworld"

// place is a store with a world.
type place struct {
	t  *testing.T
	st history.Store
}

// seen is a part of the world that tests look at cell by cell.
var seen = geom.Box{Min: geom.Point{Y: 40}, Max: geom.Point{X: 64, Y: 80, Z: 64}}

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
