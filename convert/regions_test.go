package convert_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/nbt"
)

// slot is what a region file holds for one chunk, read in the plainest way.
type slot struct {
	stamp uint32
	raw   []byte // length, type, payload
}

// doc returns the slot's document, which must be of type 2.
func (s slot) doc() ([]byte, error) {
	if len(s.raw) < 5 || s.raw[4] != 2 {
		return nil, fmt.Errorf("%d bytes", len(s.raw))
	}
	r, err := zlib.NewReader(bytes.NewReader(s.raw[5:]))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// slotsOf reads a region file; slots without chunk and stamp are left out.
func slotsOf(t *testing.T, name string) map[int]slot {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]slot{}
	if len(b) == 0 {
		return out
	}
	for i := range 1024 {
		at, s := binary.BigEndian.Uint32(b[4*i:]), slot{stamp: binary.BigEndian.Uint32(b[4096+4*i:])}
		if at != 0 {
			off := int(at >> 8 * 4096)
			s.raw = b[off : off+4+int(binary.BigEndian.Uint32(b[off:]))]
		}
		if at != 0 || s.stamp != 0 {
			out[i] = s
		}
	}
	return out
}

// plain numbers palette entries, so that sections are compared cell by cell.
type plain map[string]int32

func (n plain) number(v nbt.Value) int32 {
	key := fmt.Sprint(sorted(v))
	if _, ok := n[key]; !ok {
		n[key] = int32(len(n))
	}
	return n[key]
}

// sorted orders the entries of a compound by name, at any depth.
func sorted(v nbt.Value) nbt.Value {
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

// doc returns a chunk's document with cells for palettes and packed longs.
func (n plain) doc(t *testing.T, doc []byte) []byte {
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

func (n plain) section(s nbt.Entries, straddle bool) nbt.Entries {
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

// cells unpacks longs bit range by bit range.
func (n plain) cells(palette nbt.Items, data nbt.Value, count, least int, straddle bool) ([]int32, bool) {
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

// compareRegions compares two region files: which chunks there are, when they
// were written, their tags, types and lists, their cells.
func compareRegions(t *testing.T, numbers plain, a, b string) {
	t.Helper()
	want, got := slotsOf(t, a), slotsOf(t, b)
	for i := range got {
		if _, ok := want[i]; !ok {
			t.Errorf("%s slot %d: only in the copy", a, i)
		}
	}
	for i, s := range want {
		r := got[i]
		if r.stamp != s.stamp || (r.raw == nil) != (s.raw == nil) {
			t.Errorf("%s slot %d: stamp %d, %d bytes, want %d, %d bytes", a, i, r.stamp, len(r.raw), s.stamp, len(s.raw))
			continue
		}
		if s.raw == nil {
			continue
		}
		da, err := s.doc()
		if err != nil {
			if !bytes.Equal(s.raw, r.raw) {
				t.Errorf("%s slot %d: damaged (%v) and changed", a, i, err)
			}
			continue
		}
		db, err := r.doc()
		if err != nil {
			t.Errorf("%s slot %d: %v", a, i, err)
			continue
		}
		if p, ok := nbt.Equal(numbers.doc(t, db), numbers.doc(t, da)); !ok {
			t.Errorf("%s slot %d: differs at %q", a, i, p)
		}
	}
}
