package anvil_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func half(b []byte, i int) byte { return b[i/2] >> (i % 2 * 4) & 15 }

// checkOld compares a column with the tags of its McRegion chunk, cell by cell.
func checkOld(t *testing.T, names *format.Names, c *format.Column, level nbt.Entries) {
	t.Helper()
	if len(c.Sections) != 8 {
		t.Fatalf("column %v: %d sections", c.Pos, len(c.Sections))
	}
	ids, data := level.Get("Blocks").([]byte), level.Get("Data").([]byte)
	sky, light := level.Get("SkyLight").([]byte), level.Get("BlockLight").([]byte)
	for i := range 32768 {
		x, z, y := i/2048, i/128%16, i%128
		cells, at, block := c.Cells[y/16], y%16*256+z*16+x, 0
		if len(cells.Block) > 1 {
			block = at
		}
		want := format.Air
		if ids[i] != 0 || half(data, i) != 0 {
			want = fmt.Sprintf("legacy:%d/%d", ids[i], half(data, i))
		}
		if got := names.Name(cells.Block[block]); got != want {
			t.Fatalf("column %v: (%d,%d,%d) is %q, want %q", c.Pos, x, y, z, got, want)
		}
		if half(cells.Sky, at) != half(sky, i) || half(cells.Light, at) != half(light, i) {
			t.Fatalf("column %v: (%d,%d,%d) has other light", c.Pos, x, y, z)
		}
	}
	heights, ok := level.Get("HeightMap").([]byte)
	if len(c.Maps) != 1 || !ok {
		t.Fatalf("column %v: %d maps", c.Pos, len(c.Maps))
	}
	for i, h := range heights {
		if c.Maps[0].Form != voxel.MapBytes || c.Maps[0].Values[i] != int32(h) {
			t.Fatalf("column %v: height %d is %d, want %d", c.Pos, i, c.Maps[0].Values[i], h)
		}
	}
}

func oldChunk() entries {
	return oldChunkOf(fill(32768, 3), fill(16384, 5), fill(16384, 7), fill(16384, 11))
}

func oldChunkOf(blocks, data, sky, light []byte) entries {
	return compound("Level", compound("xPos", int32(0), "zPos", int32(0), "Blocks", blocks, "Data", data,
		"SkyLight", sky, "BlockLight", light, "HeightMap", fill(256, 9), "LastUpdate", int64(4)))
}

func TestMcRegion(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	but := func(b []byte, i int) []byte {
		b[i]++
		return b
	}
	all := func(n int, v byte) []byte { return bytes.Repeat([]byte{v}, n) }
	for name, doc := range map[string]entries{
		"two kinds":                oldChunk(),
		"one kind":                 oldChunkOf(all(32768, 3), all(16384, 0x55), all(16384, 0xFF), all(16384, 0)),
		"noise":                    oldChunkOf(noise(32768), noise(16384), noise(16384), noise(16384)),
		"one other id":             oldChunkOf(but(all(32768, 0), 32767), all(16384, 0), all(16384, 0), all(16384, 0)),
		"one other data and light": oldChunkOf(all(32768, 1), but(all(16384, 0), 129), but(all(16384, 0), 64), but(all(16384, 0), 16383)),
	} {
		t.Run(name, func(t *testing.T) {
			fsys := folder(map[string][]byte{"region/r.0.0.mcr": region(map[int][]byte{0: stored(1, gzipped(document(doc)))}, nil)})
			w, err := anvil.OpenFS(fsys, anvil.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Head().Format; got != "mcregion" {
				t.Errorf("format %q", got)
			}
			s := mustReadAll(t, fsys)
			checkOld(t, s.dims[0].Volume(voxel.Block).Names, &s.columns[0], doc.Get("Level").(entries))
			back := mustWrite(t, s, anvil.FolderOptions{Format: "mcregion"})
			wantSame(t, docsOf(t, back, "region/r.0.0.mcr")[0], document(doc))
			wantSame(t, s.columns[0].Parts[0].Data, document(compound("Level", compound("LastUpdate", int64(4)))))
		})
	}
}

// TestMcRegionOdd: what is no chunk is damage, what is half of one stays tags.
func TestMcRegionOdd(t *testing.T) {
	level := oldChunk().Get("Level").(entries)
	without := func(name string) entries {
		var out entries
		for _, e := range level {
			if e.Name != name {
				out = append(out, e)
			}
		}
		return compound("Level", out)
	}
	for _, tt := range []struct {
		name             string
		doc              entries
		damaged, section int
		has              voxel.Has
		rest             string // names of tags that stay
	}{
		{"no Level", compound("xPos", int32(0)), 1, 0, 0, ""},
		{"no Data", without("Data"), 0, 0, 0, " Blocks SkyLight BlockLight LastUpdate"},
		{"no SkyLight", without("SkyLight"), 0, 8, voxel.HasBlock | voxel.HasLight, " LastUpdate"},
		{"a tag twice", compound("Level", append(level, level[2])), 0, 0, 0, " xPos zPos Blocks Data SkyLight BlockLight HeightMap LastUpdate Blocks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := folder(map[string][]byte{"region/r.0.0.mcr": region(map[int][]byte{0: stored(3, document(tt.doc))}, nil)})
			s, st, _ := read(t, fsys, anvil.Options{})
			if len(st.Damaged) != tt.damaged || len(s.columns) != 1-tt.damaged {
				t.Fatalf("%d damaged, %d columns", len(st.Damaged), len(s.columns))
			}
			if tt.damaged > 0 {
				return
			}
			back := mustWrite(t, s, anvil.FolderOptions{Format: "mcregion"})
			wantSame(t, docsOf(t, back, "region/r.0.0.mcr")[0], document(tt.doc))
			c := s.columns[0]
			if len(c.Sections) != tt.section || tt.section > 0 && c.Sections[0].Has != tt.has {
				t.Errorf("sections %v", c.Sections)
			}
			_, v, err := nbt.Parse(c.Parts[0].Data, nbt.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			rest := ""
			for _, e := range v.(entries).Get("Level").(entries) {
				rest += " " + e.Name
			}
			if rest != tt.rest {
				t.Errorf("tags%s stay, want%s", rest, tt.rest)
			}
		})
	}
}

// oldTwin checks every column of a real world as it comes.
type oldTwin struct {
	taker
	t     *testing.T
	dir   string
	names *format.Names
	slots map[geom.ColumnPos]anviltest.Slot
}

func (s *oldTwin) Dimension(d *format.Dimension) error {
	s.names, s.slots = d.Volume(voxel.Block).Names, map[geom.ColumnPos]anviltest.Slot{}
	files, err := filepath.Glob(filepath.Join(s.dir, d.Folder, "region", "*.mcr"))
	for _, name := range files {
		var x, z int32
		fmt.Sscanf(filepath.Base(name), "r.%d.%d.mcr", &x, &z)
		for i, slot := range anviltest.Slots(s.t, name) {
			s.slots[geom.ColumnPos{X: x<<5 + int32(i%32), Z: z<<5 + int32(i/32)}] = slot
		}
	}
	return err
}

func (s *oldTwin) Column(c *format.Column) error {
	doc, err := s.slots[c.Pos].Doc()
	if err != nil {
		return err
	}
	_, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		return err
	}
	checkOld(s.t, s.names, c, v.(entries).Get("Level").(entries))
	return nil
}

func TestMcRegionWorlds(t *testing.T) {
	for _, dir := range anviltest.Worlds(t, "mcr") {
		w, err := anvil.Open(dir, anvil.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Read(context.Background(), &oldTwin{t: t, dir: dir}); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		back, lost := export(t, w, anvil.FolderOptions{Format: "mcregion"})
		if len(lost) > 0 {
			t.Errorf("%s: lost %v", dir, lost)
		}
		anviltest.Compare(t, dir, back)
		w.Close()
	}
}

// TestMcRegionHolds: what McRegion has no place for is an error.
func TestMcRegionHolds(t *testing.T) {
	for name, change := range map[string]func(*taker){
		"a section too high": func(s *taker) { s.columns[0].Sections[7].Y = 8 },
		"an id too great": func(s *taker) {
			cell, _ := s.dims[0].Volume(voxel.Block).Names.Cell("legacy:256/0")
			s.columns[0].Cells[0].Block = []voxel.Cell{cell}
		},
		"a column of Anvil":    func(s *taker) { s.columns[0].Layout = 0 },
		"a chunk of megabytes": func(s *taker) { s.columns[0].Parts[0].Data = bigChunk(2 << 20) },
	} {
		s := mustReadAll(t, folder(map[string][]byte{"region/r.0.0.mcr": region(map[int][]byte{0: stored(3, document(oldChunk()))}, nil)}))
		change(s)
		if err := s.write(t.TempDir(), anvil.FolderOptions{Format: "mcregion"}); !errors.Is(err, format.ErrHolds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := mustReadAll(t, oneChunk(chunk(0))).write(t.TempDir(), anvil.FolderOptions{Format: "x"}); err == nil {
		t.Error("a format x was written")
	}
}

// TestMcRegionStale: light that does not fit the blocks any more is written, and named.
func TestMcRegionStale(t *testing.T) {
	w, err := anvil.OpenFS(folder(map[string][]byte{"region/r.0.0.mcr": region(map[int][]byte{0: stored(3, document(oldChunk()))}, nil)}), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := anvil.McRegion().CreateFolder(t.TempDir(), format.WriteOptions{Head: w.Head()})
	if err == nil {
		err = errors.Join(w.Read(context.Background(), staling{out}), out.Close())
	}
	if err != nil || out.Lost()["columns with stale light"] != 1 {
		t.Errorf("lost %v: %v", out.Lost(), err)
	}
}

// staling is a Sink of columns whose sky light is stale.
type staling struct{ format.Writer }

func (s staling) Column(c *format.Column) error {
	stale := *c
	stale.Stale = voxel.HasSky
	return s.Writer.Column(&stale)
}
