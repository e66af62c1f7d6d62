package anvil_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// TestBomb: a chunk that inflates beyond all measure is damage.
func TestBomb(t *testing.T) {
	doc := chunk(2586, "zeros", make([]byte, 65<<20))
	for kind, data := range map[byte][]byte{1: gzipped(doc), 2: deflated(doc), 4: lz4Stream(doc, 1<<16, xxh32)} {
		_, st, _ := read(t, folder(map[string][]byte{"region/r.0.0.mca": region(map[int][]byte{0: stored(kind, data)}, nil)}), anvil.Options{})
		if len(st.Damaged) != 1 || !strings.Contains(st.Damaged[0].Err.Error(), "bytes of tags") {
			t.Errorf("type %d: %v", kind, st.Damaged)
		}
	}
}

// TestMemory: chunks made of the smallest things there are take no more than a
// few times their size.
func TestMemory(t *testing.T) {
	const n = 1 << 20
	empty := nbt.Items{Elem: nbt.Compound, Values: slices.Repeat([]nbt.Value{entries{}}, n)}
	tags := entries{}
	for range n {
		tags = append(tags, entry{Name: "", Value: int8(1)})
	}
	for name, doc := range map[string][]byte{
		"sections":       chunk(1976, "Sections", empty),
		"entities":       chunk(1976, "Entities", empty),
		"block entities": chunk(3953, "block_entities", empty),
		"tags":           document(tags),
		"tags of Level":  chunk(1976, anyPairs(tags)...),
		"a section":      chunk(1976, "Sections", sections(append(compound("Y", int8(1)), tags...))),
		"palette":        chunk(1976, "Sections", sections(compound("Y", int8(1), "Palette", empty, "BlockStates", []int64{}))),
		"height maps":    chunk(2586, "Heightmaps", tags),
		"nothing":        bytes.Repeat([]byte{0}, n),
	} {
		world := oneChunk(doc)
		var before, after runtime.MemStats
		w, err := anvil.OpenFS(world, anvil.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&before)
		w.Read(t.Context(), &taker{})
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(12*len(doc)+4<<20); got > most {
			t.Errorf("%s: %d bytes allocated for %d", name, got, len(doc))
		}
		w.Close()
	}
}

// anyPairs returns names and values by turns.
func anyPairs(tags entries) []any {
	var out []any
	for _, e := range tags {
		out = append(out, e.Name, e.Value)
	}
	return out
}
