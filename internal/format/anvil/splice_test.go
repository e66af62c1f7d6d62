package anvil_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// noise returns a chunk that does not compress below n bytes.
func noise(n int, seed uint32) []byte {
	b := make([]byte, n)
	for i := range b {
		seed = seed*1664525 + 1013904223
		b[i] = byte(seed >> 24)
	}
	return chunk(3953, "noise", b)
}

// spliceWorld returns the files of a world with chunks in slots 0, 1 and 5 of two regions, of which slot 0 lies beside
// the region file, and those of a folder with other chunks.
func spliceWorld() (have map[string][]byte, to fstest.MapFS) {
	zlib := func(doc []byte) []byte { return stored(2, deflated(doc)) }
	big := deflated(noise(2<<20, 1))
	have = map[string][]byte{
		"level.dat":               gzipped(document(compound("Data", compound()))),
		"region/r.0.0.mca":        append(region(map[int][]byte{0: stored(0x82, nil), 1: zlib(noise(9000, 2)), 5: zlib(chunk(3953, "a", int32(1)))}, map[int]uint32{0: 7, 1: 8, 5: 9}), 1, 2, 3),
		"region/c.0.0.mcc":        big,
		"region/r.-1.0.mca":       region(map[int][]byte{31: zlib(chunk(3953, "b", int32(1)))}, nil),
		"entities/r.0.0.mca":      region(map[int][]byte{1: zlib(document(compound("DataVersion", int32(3953))))}, nil),
		"playerdata/a.dat":        {1, 2, 3},
		"DIM-1/region/r.0.0.mca":  nil,
		"DIM-1/data/raids.dat":    {4},
		"region/r.3.3.mca":        {1, 2},
		"session.lock":            []byte("☃"),
		"datapacks/unused/r.json": {'{'},
	}
	to = folder(map[string][]byte{
		"region/r.0.0.mca":  region(map[int][]byte{0: zlib(chunk(3953, "c", int32(2))), 1: stored(0x82, nil), 5: zlib(chunk(3953, "a", int32(1)))}, map[int]uint32{0: 17, 1: 18, 5: 19}),
		"region/c.1.0.mcc":  deflated(noise(2<<20, 3)),
		"region/r.0.-1.mca": region(map[int][]byte{3: zlib(chunk(3953, "d", int32(1)))}, map[int]uint32{3: 1}),
	})
	return have, to
}

// spliced are the columns that a splice of spliceWorld looks at; all but (5,0) differ.
var spliced = []geom.ColumnPos{{X: 0, Z: 0}, {X: 1, Z: 0}, {X: 5, Z: 0}, {X: -1, Z: 0}, {X: 3, Z: -32}}

func mustOpen(t *testing.T, dir string) *anvil.Folder {
	t.Helper()
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range anviltest.Files(t, dir) {
		all[name] = string(anviltest.Bytes(t, dir, name))
	}
	return all
}

func TestSplice(t *testing.T) {
	have, to := spliceWorld()
	dir := put(t, t.TempDir(), have)
	before := contents(t, dir)
	w := mustOpen(t, dir)
	dry, err := w.Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{Dry: true})
	if now := contents(t, dir); err != nil || len(dry) != 4 || len(now) != len(before) {
		t.Fatalf("dry: %v, %v", dry, err)
	}
	changed, err := w.Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{})
	if err != nil || !slices.Equal(changed, dry) || slices.Contains(changed, geom.ColumnPos{X: 5}) {
		t.Fatalf("changed %v, dry %v: %v", changed, dry, err)
	}
	now := contents(t, dir)
	for name, was := range before {
		switch name {
		case "region/r.0.0.mca", "region/r.-1.0.mca", "entities/r.0.0.mca", "region/c.0.0.mcc":
		default:
			if now[name] != was {
				t.Errorf("%s changed", name)
			}
		}
	}
	if _, there := now["region/c.0.0.mcc"]; there || now["region/c.1.0.mcc"] != string(to["region/c.1.0.mcc"].Data) || len(now) != len(before)+1 {
		t.Errorf("beside the region files: %d files, %d before", len(now), len(before))
	}
	old, is := before["region/r.0.0.mca"], now["region/r.0.0.mca"]
	if is[8192:len(old)] != old[8192:] || is[4*5:4*6] != old[4*5:4*6] || is[4096+20:4096+24] != old[4096+20:4096+24] {
		t.Error("another chunk does not lie where it lay")
	}
	slots := anviltest.Slots(t, filepath.Join(dir, "region/r.0.0.mca"))
	want := anviltest.Slots(t, filepath.Join(put(t, t.TempDir(), map[string][]byte{"r": to["region/r.0.0.mca"].Data}), "r"))
	for i := range 2 {
		if slots[i].Stamp != want[i].Stamp || !bytes.Equal(slots[i].Raw, want[i].Raw) {
			t.Errorf("slot %d is not that of the other folder", i)
		}
	}
	if len(anviltest.Slots(t, filepath.Join(dir, "region/r.-1.0.mca"))) != 0 || len(anviltest.Slots(t, filepath.Join(dir, "entities/r.0.0.mca"))) != 0 {
		t.Error("a chunk that the other folder does not have is still there")
	}
	if s := anviltest.Slots(t, filepath.Join(dir, "region/r.0.-1.mca")); len(s) != 1 || s[3].Raw == nil {
		t.Errorf("a new region file has %v", s)
	}
	again, err := mustOpen(t, dir).Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{})
	if err != nil || len(again) != 0 {
		t.Errorf("again: %v, %v", again, err)
	}
}

// TestSpliceFails fails at each write, as a full disk does, and then stops at each as a crash does.
func TestSpliceFails(t *testing.T) {
	have, to := spliceWorld()
	steps := 0
	for n := 0; ; n++ {
		for _, crash := range []bool{false, true} {
			dir := put(t, t.TempDir(), have)
			before := contents(t, dir)
			at, failed := 0, ""
			var o anvil.SpliceOptions
			o.SetStep(func(what string) error {
				if at++; at <= n {
					return nil
				}
				if failed = what; crash {
					panic("crash")
				}
				return syscall.ENOSPC
			})
			var err error
			func() {
				defer func() { recover() }()
				_, err = mustOpen(t, dir).Splice(t.Context(), "overworld", to, spliced, o)
			}()
			if failed == "" {
				if steps = n; err != nil {
					t.Fatal(err)
				}
				break
			}
			if !crash && !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("step %d, %s: got %v", n, failed, err)
			}
			now := contents(t, dir)
			if !crash && failed != "header" {
				for name := range now {
					if was, ok := before[name]; !ok || was != now[name] {
						t.Errorf("step %d, %s: %s changed", n, failed, name)
					}
				}
			}
			for _, name := range []string{"region/r.0.0.mca", "region/r.-1.0.mca"} { // each chunk is the old or the new one
				was, new := anviltest.Slots(t, filepath.Join(put(t, t.TempDir(), map[string][]byte{"r": []byte(before[name])}), "r")), map[int]anviltest.Slot{}
				if f := to[name]; f != nil {
					new = anviltest.Slots(t, filepath.Join(put(t, t.TempDir(), map[string][]byte{"r": f.Data}), "r"))
				}
				for i, s := range anviltest.Slots(t, filepath.Join(dir, name)) {
					if !bytes.Equal(s.Raw, was[i].Raw) && !bytes.Equal(s.Raw, new[i].Raw) {
						t.Errorf("step %d, %s: %s slot %d is neither the old nor the new one", n, failed, name, i)
					}
				}
			}
			if _, err := mustOpen(t, dir).Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{}); err != nil {
				t.Errorf("step %d, %s: once more: %v", n, failed, err)
			}
			if again, err := mustOpen(t, dir).Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{Dry: true}); err != nil || len(again) > 0 {
				t.Errorf("step %d, %s: it does not complete: %v, %v", n, failed, again, err)
			}
		}
		if steps > 0 {
			break
		}
	}
	if steps < 8 {
		t.Errorf("%d steps", steps)
	}
}

func TestSpliceRefuses(t *testing.T) {
	have, to := spliceWorld()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, dir string)
		dim  string
		at   geom.ColumnPos
		want string
	}{
		{"a cut region file", nil, "overworld", geom.ColumnPos{X: 96, Z: 96}, "header"},
		{"no dimension", nil, "the_end", geom.ColumnPos{}, "the_end"},
		{"a link", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "region/r.0.0.mca"), filepath.Join(dir, "elsewhere")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../elsewhere", filepath.Join(dir, "region/r.0.0.mca")); err != nil {
				t.Skip(err)
			}
		}, "overworld", geom.ColumnPos{}, "link"},
		{"a part of a world", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "level.dat")) }, "overworld", geom.ColumnPos{}, "no level.dat"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := put(t, t.TempDir(), have)
			if tt.do != nil {
				tt.do(t, dir)
			}
			before := contents(t, dir)
			_, err := mustOpen(t, dir).Splice(t.Context(), tt.dim, to, []geom.ColumnPos{tt.at}, anvil.SpliceOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			for name, now := range contents(t, dir) {
				if before[name] != now {
					t.Errorf("%s changed", name)
				}
			}
		})
	}
}

func TestPutFile(t *testing.T) {
	have, _ := spliceWorld()
	dir := put(t, t.TempDir(), have)
	w := mustOpen(t, dir)
	for _, tt := range []struct {
		path string
		data string
		was  string // "-": none
		same bool
		want string // part of the error
	}{
		{"playerdata/a.dat", "new", "\x01\x02\x03", false, ""},
		{"playerdata/a.dat", "new", "new", true, ""},
		{"playerdata/b.dat", "b", "-", false, ""},
		{"stats/deep/c.json", "{}", "-", false, ""},
		{"../out", "x", "", false, "no path"},
		{"session.lock", "x", "", false, "back alone"},
		{"region/r.0.0.mca", "x", "", false, "back alone"},
		{"region", "x", "", false, "regular"},
	} {
		for _, dry := range []bool{true, false} {
			was, same, err := w.PutFile(tt.path, []byte(tt.data), dry)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v, want %q", tt.path, err, tt.want)
				}
				continue
			}
			if err != nil || (was == nil) != (tt.was == "-") || was != nil && string(was) != tt.was || same != tt.same {
				t.Errorf("%s, dry %v: was %q, %v, %v", tt.path, dry, was, same, err)
			}
			if now, err := os.ReadFile(filepath.Join(dir, tt.path)); dry && string(now) != strings.TrimPrefix(tt.was, "-") || !dry && string(now) != tt.data {
				t.Errorf("%s, dry %v: is %q, %v", tt.path, dry, now, err)
			}
		}
		w.Close()
		w = mustOpen(t, dir)
	}
	for name := range anviltest.Files(t, dir) {
		if strings.Contains(name, ".tmp") {
			t.Errorf("%s is left", name)
		}
	}
}
