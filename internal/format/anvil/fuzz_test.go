package anvil_test

import (
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// FuzzChunk reads a chunk's tags, writes the column and reads it again: the
// columns are equal, and the tags too where no cells were packed again.
func FuzzChunk(f *testing.F) {
	for _, doc := range [][]byte{
		chunk(0, "Sections", sections(compound("Y", int8(0), "Blocks", fill(4096, 1), "Data", fill(2048, 3)))),
		chunk(1976, "Sections", sections(paletteSection(3, 17, 5, true), compound("Y", int8(4), "SkyLight", fill(2048, 1)))),
		chunk(3953, "sections", sections(compound("Y", int8(-4), "block_states", states(3, 4), "biomes", compound("palette", list(nbt.String, "a:b"))))),
		chunk(2586, "Heightmaps", compound("A", pack(counting(256, 99), 9, false)), "Biomes", make([]int32, 256), "Entities", list(nbt.End)),
		chunk(2586, "TileEntities", list(nbt.Compound, compound("x", int32(1), "y", int32(2), "z", int32(3), "id", "a"))),
		chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("z", int8(1), "palette", palette(2), "data", make([]int64, 256))), compound("Y", int32(200), "block_states", states(2, 1)))),
		chunk(0, "Sections", sections(shorts(5000, 17, true))),
		document(compound("DataVersion", int32(3953), "sections", sections(stateSection(0)), "Level", compound("sections", sections(stateSection(1))))),
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		first, _, err := read(t, oneChunk(doc), anvil.Options{})
		if err != nil || len(first.columns) == 0 {
			return
		}
		dir := mustWrite(t, first, anvil.FolderOptions{Level: 1})
		second := mustReadAll(t, os.DirFS(dir))
		a, b := first.columns[0], second.columns[0]
		repacked := false
		for i, s := range a.Sections {
			if s.Has&(voxel.HasBlock|voxel.HasBiome) == 0 {
				continue
			}
			repacked = true
			if !sameNames(first, second, voxel.Block, a.Cells[i].Block, b.Cells[i].Block) ||
				!sameNames(first, second, voxel.Biome, a.Cells[i].Biome, b.Cells[i].Biome) {
				t.Fatalf("section %d: other cells", s.Y)
			}
		}
		if p, ok := nbt.Equal(b.Parts[0].Data, a.Parts[0].Data); !ok {
			t.Fatalf("the part differs at %q", p)
		}
		b.Parts[0].Data, a.Parts[0].Data = nil, nil
		if !reflect.DeepEqual(a.Column, b.Column) {
			t.Fatalf("got %+v, want %+v", b.Column, a.Column)
		}
		if r := nbt.NewReader(doc, nbt.Limits{}); !repacked {
			r.Root()
			r.Skip(nbt.Compound)
			if p, ok := nbt.Equal(docsOf(t, dir, "region/r.0.0.mca")[0], doc[:r.Offset()]); !ok {
				t.Fatalf("differs at %q", p)
			}
		}
	})
}

// sameNames compares cells of two worlds by their names; one cell stands for
// all of a section.
func sameNames(s, r *taker, volume string, a, b []voxel.Cell) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	m, n := s.dims[0].Volume(volume).Names, r.dims[0].Volume(volume).Names
	for i := range max(len(a), len(b)) {
		if m.Name(a[min(i, len(a)-1)]) != n.Name(b[min(i, len(b)-1)]) {
			return false
		}
	}
	return true
}

// FuzzRegion reads any bytes as a region file and, with salvage, writes what it
// holds and reads that again.
func FuzzRegion(f *testing.F) {
	doc := chunk(1976, "Sections", sections(paletteSection(3, 3, 4, true)))
	for kind, data := range map[byte][]byte{1: gzipped(doc), 2: deflated(doc), 3: chunk(0), 4: lz4Stream(doc, 1<<16, xxh32)} {
		// The fuzzer gets what matters of the header: one location.
		f.Add(uint32(2<<8|1), uint32(kind), stored(kind, data))
	}
	f.Fuzz(func(t *testing.T, location, stamp uint32, rest []byte) {
		b := make([]byte, 8192, 8192+len(rest))
		binary.BigEndian.PutUint32(b, location)
		binary.BigEndian.PutUint32(b[4*33:], 2<<8|1)
		binary.BigEndian.PutUint32(b[4096:], stamp)
		world := folder(map[string][]byte{"region/r.0.0.mca": append(b, rest...)})
		if _, _, err := read(t, world, anvil.Options{}); err != nil {
			_ = err.Error()
		}
		s, _, err := read(t, world, anvil.Options{Salvage: true})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := read(t, os.DirFS(mustWrite(t, s, anvil.FolderOptions{Level: 1, LevelName: "x"})), anvil.Options{Salvage: true})
		if err != nil && !errors.Is(err, format.ErrNothing) { // columns of which nothing was read are not written
			t.Fatal(err)
		}
		if len(again.columns) > len(s.columns) {
			t.Fatalf("%d columns of %d", len(again.columns), len(s.columns))
		}
	})
}
