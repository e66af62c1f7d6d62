package stone_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "rewrite the golden files and the example of FORMAT.md")

// tiny is the example of FORMAT.md: something of everything.
func tiny() stonetest.Spec {
	var top [256]int32
	top[0] = 3
	noon := voxel.Uniform(15)
	return stonetest.Spec{
		Properties: []stone.Property{{Key: "format", Value: "made up"}},
		Dimensions: []stonetest.DimensionSpec{{
			Name: "earth", Folder: "region",
			Volumes: []stonetest.VolumeSpec{
				{Volume: blocks, Names: []string{"air", "rock", "rose"}, Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{
					{Pos: at(0, 0, 0), Chunk: spotted(2*voxel.SliceCells, 1)}, {Pos: at(0, 1, 0)}, {Pos: at(4, 0, 0)},
				}}}},
				{Volume: sky, Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: at(0, 0, 0), Chunk: noon}, {Pos: at(0, 1, 0), Chunk: noon}}}}},
			},
			Rules: []light.Rule{{Map: "top", Cells: []voxel.Cell{1}}},
			Columns: []voxel.Column{{
				Version:  3953,
				Sections: []voxel.Section{{Y: 0, Has: voxel.HasBlock | voxel.HasSky}},
				Maps:     []voxel.Map{{Name: "top", Form: 9, Values: top}},
				Lists: []voxel.List{{Name: voxel.Entities, Objects: []voxel.Object{
					{Place: voxel.Indexed, At: geom.Point{X: 1, Y: 4, Z: -2}, Payload: []byte("bee")},
				}}},
				Parts: []voxel.Part{{Name: "chunk", Stamp: 1, Data: []byte{10, 0, 0, 0}}},
			}},
			Lists: []stonetest.ListsSpec{{Pos: geom.ColumnPos{X: 1}, Lists: []voxel.List{{Name: voxel.Entities}}}},
			Gone:  []geom.ColumnPos{{Z: 1}},
		}},
		Files: []stonetest.FileSpec{{Path: "icon", Data: []byte{1, 2, 3}}, {Path: "map", Gone: true}},
	}
}

const (
	formatFile = "FORMAT.md"
	goldenFile = "testdata/golden.txt"
	hexBegin   = "<!-- example: hex -->\n```\n"
	dumpBegin  = "<!-- example: dump -->\n```\n"
	exampleEnd = "```\n"
)

// example returns the text between begin and the end of its fence.
func example(t *testing.T, doc, begin string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, begin)
	text, _, closed := strings.Cut(rest, exampleEnd)
	if !ok || !closed {
		t.Fatalf("%s has no %q", formatFile, begin)
	}
	return text
}

// TestFormatExample holds the worked example of FORMAT.md to what is written.
func TestFormatExample(t *testing.T) {
	raw, err := os.ReadFile(formatFile)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	b := mustWrite(t, tiny(), stone.Options{Effort: stone.Quick})
	var lines, dump strings.Builder
	for i := 0; i < len(b); i += 16 {
		fmt.Fprintf(&lines, "%04d  % x\n", i, b[i:min(i+16, len(b))])
	}
	if err := mustOpen(t, b).Dump(&dump); err != nil {
		t.Fatal(err)
	}
	oldHex, oldDump := example(t, doc, hexBegin), example(t, doc, dumpBegin)
	if *update {
		doc = strings.Replace(doc, hexBegin+oldHex, hexBegin+lines.String(), 1)
		doc = strings.Replace(doc, dumpBegin+oldDump, dumpBegin+dump.String(), 1)
		if err := os.WriteFile(formatFile, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if oldDump != dump.String() {
		t.Errorf("%s dumps\n%s\nwant\n%s", formatFile, oldDump, dump.String())
	}
	var digits strings.Builder
	for line := range strings.Lines(oldHex) {
		digits.WriteString(strings.Join(strings.Fields(line)[1:], ""))
	}
	inDoc, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(inDoc, b) {
		t.Errorf("the example of %s is not what is written; got\n%s", formatFile, lines.String())
	}
	mustEqual(t, mustReadSpec(t, mustOpen(t, inDoc)), tiny())
}

// TestGolden pins names and sizes of stones: a change of either is a change of
// the format or of how well it packs.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("writes stones of everything")
	}
	var got strings.Builder
	var sizes []int
	for seed := range uint64(4) {
		s := newMaker(1000 + seed).spec()
		for _, e := range []stone.Effort{stone.Best, stone.Quick} {
			var b bytes.Buffer
			id, err := s.Write(&b, stone.Options{Effort: e})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%d %d %d %v\n", seed, e, b.Len(), id)
			sizes = append(sizes, b.Len())
		}
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(want)), "\n")
	for i, line := range lines {
		var seed, effort, size int
		if _, err := fmt.Sscan(line, &seed, &effort, &size); err != nil || len(lines) != len(sizes) {
			t.Fatalf("%s: %q: %v", goldenFile, line, err)
		}
		if d := sizes[i] - size; d*50 > size || -d*50 > size {
			t.Errorf("seed %d effort %d: %d bytes, want %d", seed, effort, sizes[i], size)
		}
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
