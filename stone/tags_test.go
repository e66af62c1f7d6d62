package stone_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// lodging is a stone with columns, tags and objects, more of each for a higher n,
// and blocks of the game.
func lodging(n int) stonetest.Spec {
	d := stonetest.DimensionSpec{Name: "overworld", Volumes: []stonetest.VolumeSpec{{
		Volume: blocks,
		Names:  []string{"air", "legacy:5/3", "minecraft:chest[facing=east,type=single,waterlogged=false]", "minecraft:stone", "other:stone"},
		Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: at(0, 0, 0), Chunk: voxel.Uniform(2)}}}},
	}}}
	for i := range n {
		c := voxel.Column{
			Pos:      geom.ColumnPos{X: int32(i % 8), Z: int32(i / 8)},
			Version:  3953,
			Sections: []voxel.Section{{Y: 1, Tags: nbt.AppendEnd(nbt.AppendByte(nil, "light", int8(i)))}, {Y: 2, Tags: []byte("no NBT")}},
			Maps:     []voxel.Map{{Name: "WORLD_SURFACE"}},
			Parts:    []voxel.Part{{Name: "chunk", Data: nbt.AppendEnd(nbt.AppendInt(nbt.AppendCompound(nil, ""), "LastUpdate", int32(i)))}, {Name: "of mine", Data: []byte{}}},
		}
		var chests []voxel.Object
		for j := range i % 5 {
			p := nbt.AppendString(nil, "id", "minecraft:chest")
			p = nbt.AppendEnd(nbt.AppendString(p, "Lock", fmt.Sprint("key ", i*j)))
			chests = append(chests, voxel.Object{Place: voxel.Moved, At: geom.Point{X: i + j, Y: 64 - i, Z: j}, Payload: p})
		}
		ticks := []voxel.Object{{Payload: []byte("no NBT")}, {Place: voxel.Indexed, At: geom.Point{X: -i, Y: i}, Payload: []byte{0}}}
		c.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: chests}, {Name: voxel.BlockTicks, Objects: ticks}}
		d.Columns = append(d.Columns, c)
	}
	sortColumns(d.Columns)
	return stonetest.Spec{Properties: []stone.Property{{Key: "format", Value: "anvil"}}, Dimensions: []stonetest.DimensionSpec{d}}
}

// TestSplit writes tags and objects of every kind: by form 2, and equal when read.
func TestSplit(t *testing.T) {
	for _, e := range []stone.Effort{stone.Best, stone.Quick, stone.Good} {
		for _, n := range []int{0, 1, 5, 40, 400} {
			s := lodging(n)
			b := mustWrite(t, s, stone.Options{Effort: e})
			r := mustOpen(t, b)
			mustEqual(t, mustReadSpec(t, r), s)
			if form, _ := stone.Directory(b); form != 1 {
				t.Errorf("%d columns: a directory of form %d", n, form)
			}
			pages, err := r.Pages()
			if err != nil || n > 0 && len(pages) < 3 {
				t.Fatalf("%d columns: %d pages, %v", n, len(pages), err)
			}
			for _, p := range pages {
				if p.Form != 2 && n > 5 && p.Name != voxel.BlockTicks {
					t.Errorf("%d columns: page %d of %s %s has form %d", n, p.Number, p.Holds, p.Name, p.Form)
				}
			}
		}
	}
}

// TestSplitSmaller holds form 2 to what it is for.
func TestSplitSmaller(t *testing.T) {
	d := stonetest.DimensionSpec{Name: "d"}
	m := newMaker(1)
	for i := range 100 {
		c := voxel.Column{Pos: geom.ColumnPos{X: int32(i % 10), Z: int32(i / 10)}}
		l := voxel.List{Name: voxel.BlockEntities}
		for range 100 {
			p := nbt.AppendList(nbt.AppendString(nil, "id", "minecraft:chest"), "Items", nbt.Compound, 9)
			for slot := range int8(9) {
				p = nbt.AppendByte(nbt.AppendByte(p, "Slot", slot), "Count", int8(1+m.IntN(16)))
				p = nbt.AppendEnd(nbt.AppendString(p, "id", []string{"minecraft:arrow", "minecraft:bread", "minecraft:apple", "minecraft:bow"}[m.IntN(4)]))
			}
			l.Objects = append(l.Objects, voxel.Object{Place: voxel.Moved, At: geom.Point{X: m.IntN(16), Y: m.IntN(99), Z: m.IntN(16)}, Payload: nbt.AppendEnd(p)})
		}
		c.Lists = []voxel.List{l}
		d.Columns = append(d.Columns, c)
	}
	sortColumns(d.Columns)
	b := mustWrite(t, stonetest.Spec{Dimensions: []stonetest.DimensionSpec{d}}, stone.Options{})
	// of each item: 4 bits of count, 2 of its name; of each chest 15 of its place
	const least = 10000 * (9*6 + 15) / 8
	if len(b) > least*130/100 {
		t.Errorf("ten thousand chests take %d bytes, of which %d cannot be helped", len(b), least)
	}
}

// TestFirst reads a stone written before there was another form than 1.
func TestFirst(t *testing.T) {
	text, err := os.ReadFile("testdata/first.txt")
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	if form, _ := stone.Directory(b); form != 0 {
		t.Errorf("a directory of form %d", form)
	}
	mustEqual(t, mustReadSpec(t, mustOpen(t, b)), tiny())
}

// withPage returns the stone with another page in the place of page n.
func withPage(pages [][]byte, dir []byte, n int, page []byte) []byte {
	now := slices.Clone(pages)
	now[n] = page
	head := plain{}.n(uint64(len(now)))
	for _, p := range now {
		head = head.n(uint64(len(p)))
	}
	_, at := binary.Uvarint(dir)
	for range pages {
		_, m := binary.Uvarint(dir[at:])
		at += m
	}
	return stone.Assemble(now, append(head, dir[at:]...))
}

// TestSplitDamaged cuts and changes every byte of the streams of pages of form 2,
// with sound checksums.
func TestSplitDamaged(t *testing.T) {
	long.Alone(t)
	pages, dir := stone.Parts(mustWrite(t, lodging(6), stone.Options{}))
	cuts, wrong, sound := 0, 0, 0
	for n, page := range pages {
		form, streams, err := stone.SplitPage(page)
		if err != nil {
			t.Fatal(err)
		}
		if form != 2 {
			continue
		}
		try := func() error { return faultOf(withPage(pages, dir, n, stone.AppendPage(form, streams...))) }
		for i, s := range streams {
			for at := range s {
				streams[i] = s[:at]
				var c *stone.CorruptError
				if err := try(); !errors.As(err, &c) {
					t.Errorf("page %d, %d bytes of stream %d: %v", n, at, i, err)
				}
				cuts++
				for _, by := range []byte{1, 2, 16, 128} {
					streams[i] = append(slices.Clone(s[:at]), append([]byte{s[at] ^ by}, s[at+1:]...)...)
					switch err := try(); {
					case err == nil:
						sound++
					case errors.As(err, &c):
						wrong++
					default:
						t.Errorf("page %d, stream %d, byte %d: %v", n, i, at, err)
					}
				}
			}
			streams[i] = append(s[:len(s):len(s)], 0)
			if err := try(); err == nil && (n > 0 || i > 0) { // which is another name
				t.Errorf("page %d, stream %d: a byte more is taken", n, i)
			}
			streams[i] = s
		}
		streams = streams[1:]
		if err := try(); err == nil {
			t.Errorf("page %d: without its first stream", n)
		}
	}
	if cuts < 200 || wrong < 200 || sound < 100 {
		t.Errorf("%d cuts, %d errors, %d changes that are not seen", cuts, wrong, sound)
	}
}

// TestSplitOnly holds a Writer to forms of cells, which are not those of columns
// and objects.
func TestSplitOnly(t *testing.T) {
	for n := range 4 {
		s := lodging(n)
		want := mustWrite(t, s, stone.Options{})
		for _, f := range stone.Forms() {
			if f.Holds == "cells" && !bytes.Equal(mustWrite(t, s, stone.Options{Only: f.Number}), want) {
				t.Errorf("%d columns: other bytes with cells of form %s", n, f.Name)
			}
		}
	}
}

// TestSpelled cuts and changes a directory that spells names by their numbers.
func TestSpelled(t *testing.T) {
	unitAlone(t)
	b := mustWrite(t, lodging(3), stone.Options{})
	pages, _ := stone.Parts(b)
	form, dir := stone.Directory(b)
	if err := faultOf(stone.AssembleForm(pages, form, dir)); form != 1 || err != nil {
		t.Fatalf("form %d: %v", form, err)
	}
	var c *stone.CorruptError
	for i := range dir {
		if err := faultOf(stone.AssembleForm(pages, form, dir[:i])); !errors.As(err, &c) {
			t.Errorf("%d of %d bytes: %v", i, len(dir), err)
		}
		for bit := range 8 {
			dir[i] ^= 1 << bit
			if err := faultOf(stone.AssembleForm(pages, form, dir)); err != nil && !errors.As(err, &c) {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
			dir[i] ^= 1 << bit
		}
	}
	// a dimension with one palette and nothing else
	dim := func(names plain) []byte {
		return slices.Concat(plain{1}.n(0, 0, 1, 2, 'd', 0, 1, 2, 'v', 0, 1, 0), names, plain{}.n(0, 0, 0, 0, 0))
	}
	for _, tt := range []struct {
		name string
		dir  []byte
		want string
	}{
		{"sound", dim(plain{}.n(3, 0, 1, 7, 0).s("zz")), ""},
		{"other words", append([]byte{2}, dim(plain{}.n(0))[1:]...), "words of version 2"},
		{"a word beyond", slices.Concat(plain{1}.n(0, 0, 1, 1<<20|1), make([]byte, 9)), "word 524288"},
		{"a name beyond", dim(plain{}.n(2, 0, 1, 1<<20)), "name 1048576"},
		{"a name that wraps", dim(plain{}.n(3, 0, 2, 1<<62, 1<<62)), "unknown name"},
		{"more numbers than names", dim(plain{}.n(2, 0, 2, 0, 0)), "2 things, want at most 1"},
		{"a name twice", dim(plain{}.n(3, 0, 1, 0, 0).s("minecraft:acacia_slab[type=bottom,waterlogged=false]")), "ascending"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := faultOf(stone.AssembleForm(nil, 1, tt.dir))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &c) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestSpelledNames writes palettes with names that have numbers and others.
func TestSpelledNames(t *testing.T) {
	m := newMaker(4)
	for _, n := range []int{1, 2, 3, 30, 3000, 32768} {
		names := map[string]bool{}
		for len(names) < n-1 {
			name, ok := tags.Name(m.IntN(1 << 16))
			if !ok {
				t.Fatal("a number without a name")
			}
			if m.one(4) {
				name += "?"
			}
			names[name] = true
		}
		v := stonetest.VolumeSpec{Volume: blocks, Names: append([]string{[]string{"air", "minecraft:air", "x"}[m.IntN(3)]}, slices.Sorted(maps.Keys(names))...)}
		if slices.Contains(v.Names[1:], v.Names[0]) {
			v.Names[0] = "y"
		}
		v.Levels = []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: at(0, 0, 0), Chunk: voxel.Uniform(voxel.Cell(n - 1))}}}}
		s := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
		mustEqual(t, mustReadSpec(t, mustOpen(t, mustWrite(t, s, stone.Options{}))), s)
	}
}

// TestSplitDump names the streams.
func TestSplitDump(t *testing.T) {
	var b bytes.Buffer
	if err := mustOpen(t, mustWrite(t, lodging(9), stone.Options{})).Dump(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"stream 3 (maps)", "stream 4 (tags)", "stream 5 (texts)", "stream 6 (blobs)", "stream 3 (tags)", "stream 5 (blobs)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestMergeSplit lays stones with other columns over others.
func TestMergeSplit(t *testing.T) {
	below, above := lodging(40), lodging(9)
	for i := range above.Dimensions[0].Columns {
		above.Dimensions[0].Columns[i].Version++
	}
	got := mustReadSpec(t, mustOpen(t, mustMerge(t, []stonetest.Spec{below, above}, stone.Options{})))
	want := lodging(40)
	for i, c := range want.Dimensions[0].Columns {
		for _, now := range above.Dimensions[0].Columns {
			if now.Pos == c.Pos {
				want.Dimensions[0].Columns[i] = now
			}
		}
	}
	mustEqual(t, got, want)
}

// FuzzSplit puts another page in the place of one whose tags are split.
func FuzzSplit(f *testing.F) { fuzzPages(f, mustWrite(f, lodging(6), stone.Options{})) }

// FuzzSpelled puts sound checksums around a directory that spells by numbers.
func FuzzSpelled(f *testing.F) {
	b := mustWrite(f, lodging(3), stone.Options{})
	pages, _ := stone.Parts(b)
	form, dir := stone.Directory(b)
	f.Add(dir)
	f.Fuzz(func(t *testing.T, dir []byte) { fuzzStone(t, stone.AssembleForm(pages, form, dir)) })
}
