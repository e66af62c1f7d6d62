package anviltest

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// numbers gives each palette entry a number, so that sections can be compared cell
// by cell.
type numbers map[string]int32

func (n numbers) number(v nbt.Value) int32 {
	key := fmt.Sprint(sorted(v))
	if _, ok := n[key]; !ok {
		n[key] = int32(len(n))
	}
	return n[key]
}

// sorted orders the entries of a compound by name, at any depth.
func sorted(v nbt.Value) nbt.Value {
	if l, ok := v.(nbt.Items); ok {
		l.Values = slices.Clone(l.Values)
		for i := range l.Values {
			l.Values[i] = sorted(l.Values[i])
		}
		return l
	}
	c, ok := v.(nbt.Entries)
	if !ok {
		return v
	}
	out := slices.Clone(c)
	for i := range out {
		out[i].Value = sorted(out[i].Value)
	}
	slices.SortFunc(out, func(a, b nbt.Entry) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// chunk returns a chunk's document with cells in place of palettes and packed longs.
func (n numbers) chunk(t testing.TB, doc []byte) []byte {
	t.Helper()
	_, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	root := v.(nbt.Entries)
	level := root
	if l, ok := root.Get("Level").(nbt.Entries); ok {
		level = l
	}
	version, _ := root.Get("DataVersion").(int32)
	for _, e := range level {
		if l, ok := e.Value.(nbt.Items); ok && strings.EqualFold(e.Name, "sections") {
			for i := range l.Values {
				l.Values[i] = n.section(l.Values[i].(nbt.Entries), version < 2529)
			}
		}
	}
	return nbt.Append(nil, "", v)
}

func (n numbers) section(s nbt.Entries, straddle bool) nbt.Entries {
	if p, ok := s.Get("Palette").(nbt.Items); ok {
		if cells, ok := n.cells(p, s.Get("BlockStates"), 4096, 4, straddle); ok {
			s = slices.DeleteFunc(s, func(e nbt.Entry) bool { return e.Name == "Palette" || e.Name == "BlockStates" })
			s = append(s, nbt.Entry{Name: "blocks", Value: cells})
		}
	}
	for i, e := range s {
		c, ok := e.Value.(nbt.Entries)
		if !ok || e.Name != "block_states" && e.Name != "biomes" {
			continue
		}
		count, least := 4096, 4
		if e.Name == "biomes" {
			count, least = 64, 1
		}
		if cells, ok := n.cells(c.Get("palette").(nbt.Items), c.Get("data"), count, least, false); ok {
			s[i].Value = cells
		}
	}
	return s
}

// cells decodes packed longs bit range by bit range.
func (n numbers) cells(palette nbt.Items, data nbt.Value, count, least int, straddle bool) ([]int32, bool) {
	table := make([]int32, len(palette.Values))
	for i, v := range palette.Values {
		table[i] = n.number(v)
	}
	longs, _ := data.([]int64)
	if len(table) == 0 || longs == nil && len(table) != 1 {
		return nil, false
	}
	size := least
	for 1<<size < len(table) {
		size++
	}
	out := make([]int32, count)
	for i := range out {
		if longs == nil {
			out[i] = table[0]
			continue
		}
		long, bit := i/(64/size), i%(64/size)*size
		if straddle {
			long, bit = i*size/64, i*size%64
		}
		v := uint64(longs[long]) >> bit
		if bit+size > 64 {
			v |= uint64(longs[long+1]) << (64 - bit)
		}
		if v &= 1<<size - 1; v >= uint64(len(table)) {
			return nil, false
		}
		out[i] = table[v]
	}
	return out, true
}

// Sums are sums of chunks' documents: two are the same where Compare finds no difference.
type Sums struct{ table numbers }

// Of returns the sum of a document.
func (s *Sums) Of(t testing.TB, doc []byte) [sha256.Size]byte {
	t.Helper()
	if s.table == nil {
		s.table = numbers{}
	}
	_, v, err := nbt.Parse(s.table.chunk(t, doc), nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(nbt.Append(nil, "", sorted(v)))
}

// Blocks are the cells of the blocks of worlds of 1.18 and later, with the numbers of one table: 0 is air.
type Blocks struct{ sections map[[3]int][]int32 }

// ReadBlocks reads the blocks of the overworld of folders.
func ReadBlocks(t testing.TB, dirs ...string) (out []Blocks) {
	t.Helper()
	n := numbers{}
	n.number(nbt.Entries{{Name: "Name", Value: "minecraft:air"}})
	for _, dir := range dirs {
		b := Blocks{map[[3]int][]int32{}}
		for name := range Files(t, dir) {
			if path.Dir(name) != "region" {
				continue
			}
			for _, s := range Slots(t, filepath.Join(dir, name)) {
				if s.Raw != nil {
					b.add(t, n, s)
				}
			}
		}
		out = append(out, b)
	}
	return out
}

func (b Blocks) add(t testing.TB, n numbers, s Slot) {
	t.Helper()
	doc, err := s.Doc()
	if err != nil {
		t.Fatal(err)
	}
	_, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	root := v.(nbt.Entries)
	list, _ := root.Get("sections").(nbt.Items)
	for _, v := range list.Values {
		s := v.(nbt.Entries)
		states, ok := s.Get("block_states").(nbt.Entries)
		if !ok {
			continue
		}
		if cells, ok := n.cells(states.Get("palette").(nbt.Items), states.Get("data"), 4096, 4, false); ok {
			b.sections[[3]int{int(root.Get("xPos").(int32)), int(s.Get("Y").(int8)), int(root.Get("zPos").(int32))}] = cells
		}
	}
}

// At returns the number of a block.
func (b Blocks) At(x, y, z int) int32 {
	cells := b.sections[[3]int{x >> 4, y >> 4, z >> 4}]
	if cells == nil {
		return 0
	}
	return cells[y&15<<8|z&15<<4|x&15]
}
