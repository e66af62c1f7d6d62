package bedrock_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/bedrock"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestDragonfly compares a world that the server Dragonfly wrote with the list of what it put there, both from
// testdata/dragonfly.go.txt: each cell of both layers and of biomes, each entity and chest.
func TestDragonfly(t *testing.T) {
	z, err := zip.OpenReader("testdata/dragonfly.mcworld")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	s, err := bedrock.Kind().OpenFS(z, format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := newTaker()
	if err := s.Read(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/dragonfly.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	checked, columns, names := 0, map[string]bool{}, map[string]string{}
	lines := bufio.NewScanner(text)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if words[0] == "name" {
			if names[words[1]] = words[2]; words[2] == "minecraft:air" {
				names[words[1]] = format.Air
			}
			continue
		}
		x, z := number(t, words[1]), number(t, words[2])
		c := w.columns[fmt.Sprintf("%s(%d,%d)", words[0], x, z)]
		if c == nil {
			t.Fatalf("no chunk %d, %d of %s", x, z, words[0])
		}
		columns[fmt.Sprint(words[:3])] = true
		var err error
		switch words[3] {
		case voxel.Entities, voxel.BlockEntities:
			err = checkObject(c, words)
		default:
			err = w.checkCells(c, words, names)
		}
		if err != nil {
			t.Errorf("%.60s: %v", lines.Text(), err)
		}
		checked++
	}
	if lines.Err() != nil || checked != 396 || len(columns) != len(w.columns) {
		t.Errorf("%v: %d lines, %d columns of %d", lines.Err(), checked, len(w.columns), len(columns))
	}
	for name, c := range w.columns {
		if n, m := len(c.Objects(voxel.Entities)), len(c.Objects(voxel.BlockEntities)); n != 3 || m != 3 {
			t.Errorf("%s has %d entities and %d chests", name, n, m)
		}
	}
}

func number(t testing.TB, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkCells compares the cells of one section with runs of names.
func (t *taker) checkCells(c *format.Column, words []string, names map[string]string) error {
	y, err := strconv.Atoi(words[4])
	if err != nil {
		return err
	}
	at, i := t.cells(c, words[0], words[3], y), 0
	for _, run := range words[5:] {
		count, name, _ := strings.Cut(run, "*")
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		for ; n > 0; n, i = n-1, i+1 {
			if got := at(i); got != names[name] {
				return fmt.Errorf("cell %d is %q, want %q", i, got, names[name])
			}
		}
	}
	if i != 4096 {
		return fmt.Errorf("%d cells", i)
	}
	return nil
}

// cells returns what the cells of a section are in a layer, or their biomes.
func (t *taker) cells(c *format.Column, dim, what string, y int) func(i int) string {
	d := t.dims[slices.IndexFunc(t.dims, func(d *format.Dimension) bool { return d.Name == dim })]
	cells := []voxel.Cell{0}
	s := slices.IndexFunc(c.Sections, func(s voxel.Section) bool { return int(s.Y) == y })
	coarse, fine := d.Volume(voxel.Block).Names, d.Volume("biome_block").Names
	volume := " biome_block"
	index := func(i int) int { return i }
	switch {
	case what == "layer1":
		volume, fine = " layer", d.Volume("layer").Names
	case what == "biome":
		cells, coarse = c.Cells[s].Biome, d.Volume(voxel.Biome).Names
		index = func(i int) int { return i>>10<<4 | i>>6&3<<2 | i>>2&3 }
	case s >= 0 && c.Cells[s].Block != nil:
		cells = c.Cells[s].Block
	}
	chunk := t.chunks[fmt.Sprint(dim, volume, geom.ChunkPos{X: c.Pos.X >> 1, Y: int32(y >> 1), Z: c.Pos.Z >> 1})]
	return func(i int) string {
		if chunk != nil && what != "layer0" {
			if cell := chunk.Cell(int(c.Pos.X&1)*16+i&15, y&1*16+i>>8, int(c.Pos.Z&1)*16+i>>4&15); cell != 0 {
				return fine.Name(cell)
			}
		}
		return coarse.Name(cells[min(len(cells)-1, index(i))])
	}
}

// checkObject compares an entity or a chest with its number and place.
func checkObject(c *format.Column, words []string) error {
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(words[4+i])
	}
	want := [][]byte{nbt.AppendString(nil, "identifier", "minecraft:cow")}
	if words[3] == voxel.BlockEntities {
		want = [][]byte{nbt.AppendString(nil, "id", "Chest"), nbt.AppendString(nil, "CustomName", "Kiste 😀"), nbt.AppendByte(nil, "Slot", int8(n[0])),
			nbt.AppendByte(nil, "Count", 12), nbt.AppendString(nil, "Name", "minecraft:diamond")}
	}
	o := c.Objects(words[3])[n[0]]
	if o.At != (geom.Point{X: n[1], Y: n[2], Z: n[3]}) {
		return fmt.Errorf("it is at %v", o.At)
	}
	for _, w := range want {
		if !bytes.Contains(o.Payload, w) {
			return fmt.Errorf("it lacks %q: %q", w, o.Payload)
		}
	}
	return nil
}
