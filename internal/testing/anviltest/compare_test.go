package anviltest_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
)

// faults takes errors as what was found.
type faults struct {
	testing.TB
	found []string
}

func (f *faults) Helper() {}

func (f *faults) Errorf(format string, args ...any) {
	f.found = append(f.found, fmt.Sprintf(format, args...))
}

const regionPath = "region/r.0.0.mca"

// made returns the files of a made world.
func made(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	w, err := anvil.Create(dir, anvil.FolderOptions{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := terrain.Island(terrain.Options{Size: 4, Version: terrain.Modern}).Read(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for name := range anviltest.Files(t, dir) {
		files[name] = anviltest.Bytes(t, dir, name)
	}
	return files
}

func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// firstSlot returns where the first chunk of a region file lies, and its number.
func firstSlot(t *testing.T, b []byte) (slot, off int) {
	t.Helper()
	for i := range 1024 {
		if at := binary.BigEndian.Uint32(b[4*i:]); at != 0 {
			return i, int(at >> 8 * 4096)
		}
	}
	t.Fatal("a region without chunks")
	return 0, 0
}

// rewrite replaces the first chunk's document, at the end of the file.
func rewrite(t *testing.T, b []byte, change func(root nbt.Entries)) []byte {
	t.Helper()
	slot, off := firstSlot(t, b)
	doc, err := anviltest.Slot{Raw: b[off : off+4+int(binary.BigEndian.Uint32(b[off:]))]}.Doc()
	if err != nil {
		t.Fatal(err)
	}
	name, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	change(v.(nbt.Entries))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(nbt.Append(nil, name, v)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b = append(b, make([]byte, -len(b)&4095)...)
	binary.BigEndian.PutUint32(b[4*slot:], uint32(len(b)/4096<<8|packed.Len()/4096+1))
	b = binary.BigEndian.AppendUint32(b, uint32(packed.Len()+1))
	return append(append(b, 2), packed.Bytes()...)
}

// TestCompare plants one change at a time into a world.
func TestCompare(t *testing.T) {
	inFirst := func(change func(t *testing.T, b []byte, slot, off int)) func(*testing.T, map[string][]byte) {
		return func(t *testing.T, files map[string][]byte) {
			slot, off := firstSlot(t, files[regionPath])
			change(t, files[regionPath], slot, off)
		}
	}
	inDoc := func(change func(root nbt.Entries)) func(*testing.T, map[string][]byte) {
		return func(t *testing.T, files map[string][]byte) {
			files[regionPath] = rewrite(t, files[regionPath], change)
		}
	}
	for _, tt := range []struct {
		name  string
		plant func(*testing.T, map[string][]byte)
		want  string // part of the only fault, "" for none
	}{
		{"nothing", func(*testing.T, map[string][]byte) {}, ""},
		{"the game's lock", func(_ *testing.T, f map[string][]byte) { f["session.lock"] = []byte("x") }, ""},
		{"a file more", func(_ *testing.T, f map[string][]byte) { f["new"] = nil }, "new: only in the copy"},
		{"a file less", func(_ *testing.T, f map[string][]byte) { delete(f, "level.dat") }, "level.dat: missing"},
		{"a file", func(_ *testing.T, f map[string][]byte) { f["level.dat"][5] ^= 1 }, "level.dat: differs"},
		{"a stamp", inFirst(func(_ *testing.T, b []byte, slot, _ int) { b[4096+4*slot]++ }), "stamp"},
		{"a chunk less", inFirst(func(_ *testing.T, b []byte, slot, _ int) { clear(b[4*slot : 4*slot+4]) }), "0 bytes"},
		{"a stamp more", inFirst(func(_ *testing.T, b []byte, _, _ int) { b[4096+4*1023]++ }), "only in the copy"},
		{"damage", inFirst(func(_ *testing.T, b []byte, _, off int) { b[off+5] ^= 0xFF }), "zlib"},
		{"another type", inFirst(func(_ *testing.T, b []byte, _, off int) { b[off+4] = 3 }), "bytes"},
		{"packed anew, in another order", inDoc(reorder), ""},
		{"a palette in another order", inDoc(func(root nbt.Entries) { turn(root, true) }), ""},
		{"a cell", inDoc(func(root nbt.Entries) { turn(root, false) }), "differs at"},
		{"a tag", inDoc(func(root nbt.Entries) { root[0].Name += "x" }), "differs at"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := made(t)
			want := folder(t, files)
			tt.plant(t, files)
			f := &faults{TB: t}
			anviltest.Compare(f, want, folder(t, files))
			if len(f.found) > 1 || (tt.want == "") != (len(f.found) == 0) || !strings.Contains(strings.Join(f.found, ""), tt.want) {
				t.Errorf("found %q, want %q", f.found, tt.want)
			}
		})
	}
}

// reorder turns the order of compounds around, at the top and in sections.
func reorder(root nbt.Entries) {
	for _, s := range root.Get("sections").(nbt.Items).Values {
		slices.Reverse(s.(nbt.Entries))
	}
	slices.Reverse(root)
}

// turn swaps the first two names of a palette, and with follow the cells.
func turn(root nbt.Entries, follow bool) {
	for _, s := range root.Get("sections").(nbt.Items).Values {
		c := s.(nbt.Entries).Get("block_states").(nbt.Entries)
		names := c.Get("palette").(nbt.Items).Values
		longs, _ := c.Get("data").([]int64)
		if len(names) < 2 || len(names) > 16 {
			continue
		}
		names[0], names[1] = names[1], names[0]
		for i := range longs {
			for at := 0; at < 64 && follow; at += 4 {
				if longs[i]>>at&15 < 2 {
					longs[i] ^= 1 << at
				}
			}
		}
	}
}
