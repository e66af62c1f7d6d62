package anvil_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
)

// linearFile returns a region file in a version of Linear's format.
func linearFile(t testing.TB, version int, docs map[int][]byte, stamps map[int]uint32) []byte {
	t.Helper()
	c := linear.Content{Chunk: func(slot int) ([]byte, error) { return docs[slot], nil }}
	for slot, doc := range docs {
		c.Sizes[slot] = len(doc)
	}
	for slot, stamp := range stamps {
		c.Stamps[slot] = stamp
	}
	var out bytes.Buffer
	if err := linear.Write(&out, version, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// export writes a world as a format and a version.
func export(t testing.TB, w *anvil.Folder, o anvil.FolderOptions) (dir string, lost map[string]int) {
	t.Helper()
	dir = t.TempDir()
	out, err := anvil.Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Read(context.Background(), out), out.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, out.Lost()
}

// reopened opens a folder until the end of the test.
func reopened(t testing.TB, dir string) *anvil.Folder {
	t.Helper()
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

var versions = map[int]string{linear.V1: ".linear", linear.V2: ".linear", linear.Buffered: ".b_linear"}

// TestLinear takes a world of all kinds of region files and two dimensions through each version and back.
func TestLinear(t *testing.T) {
	docs := map[int][]byte{}
	stamps := map[int]uint32{}
	for _, slot := range []int{0, 1, 33, 40, 500, 1023} {
		docs[slot] = chunk(1976, "xPos", int32(slot%32), "zPos", int32(slot/32), "Sections", sections(paletteSection(3, 17, 5, true)), "n", int32(slot))
		stamps[slot] = 1000 + uint32(slot)
	}
	entities := map[int][]byte{1: document(compound("DataVersion", int32(2730), "Position", []int32{1, 0}, "Entities", list(nbt.Compound, compound("id", "a"))))}
	plain := map[string][]byte{"level.dat": gzipped(document(compound("Data", compound("LevelName", "x")))), "data/raids.dat": {1, 2}}
	for version, ext := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			files := folder(plain)
			for name, b := range map[string][]byte{
				"region/r.0.0": linearFile(t, version, docs, stamps), "entities/r.0.0": linearFile(t, version, entities, map[int]uint32{1: 5}),
				"DIM-1/region/r.-1.2": linearFile(t, version, map[int][]byte{3: chunk(1976)}, nil),
			} {
				files[name+ext] = folder(map[string][]byte{"x": b})["x"]
			}
			if !anvil.DetectFS(files) {
				t.Error("not detected")
			}
			w, err := anvil.OpenFS(files, anvil.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if h := w.Head(); h.Format != "linear" || h.Version != version {
				t.Fatalf("a world of %s %d", h.Format, h.Version)
			}
			asAnvil, lost := export(t, w, anvil.FolderOptions{})
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			got := docsOf(t, asAnvil, "region/r.0.0.mca")
			if len(got) != len(docs) {
				t.Fatalf("%d chunks", len(got))
			}
			for slot, doc := range docs {
				wantSame(t, got[slot], doc)
			}
			if s := anviltest.Slots(t, asAnvil+"/region/r.0.0.mca")[33].Stamp; s != 1033 {
				t.Errorf("time %d", s)
			}
			back, _ := export(t, reopened(t, asAnvil), anvil.FolderOptions{Format: "linear", Linear: version, PendingBytes: 1})
			for name := range files {
				if _, err := os.Stat(filepath.Join(back, name)); err != nil {
					t.Error(err)
				}
			}
			again, _ := export(t, reopened(t, back), anvil.FolderOptions{})
			anviltest.Compare(t, asAnvil, again)
		})
	}
}

// TestLinearRow: the row of the table writes a world in its version, and in the one that is asked for.
func TestLinearRow(t *testing.T) {
	w, err := anvil.OpenFS(folder(map[string][]byte{"region/r.0.0.linear": linearFile(t, linear.V1, map[int][]byte{0: chunk(1976)}, nil)}), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		version, want int
		head          format.Head
	}{{0, linear.V1, w.Head()}, {linear.V2, linear.V2, w.Head()}, {0, linear.V2, format.Head{Format: "anvil"}}, {0, linear.V2, format.Head{Format: "slime", Version: 3}}} {
		dir := t.TempDir()
		out, err := anvil.Linear().CreateFolder(dir, format.WriteOptions{Head: tt.head, Version: tt.version})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Read(context.Background(), out), out.Close()); err != nil {
			t.Fatal(err)
		}
		if got := reopened(t, dir).Head().Version; got != tt.want {
			t.Errorf("version %d of %s: wrote %d", tt.version, tt.head.Format, got)
		}
	}
	if _, err := anvil.Linear().CreateFolder(t.TempDir(), format.WriteOptions{Head: format.Head{Format: "mcregion"}}); !errors.Is(err, anvil.ErrMcRegion) {
		t.Errorf("McRegion as Linear: %v", err)
	}
}

// TestLinearBeside: of a place in both formats the file of Linear counts, the other one is kept, and an empty file too.
func TestLinearBeside(t *testing.T) {
	files := map[string][]byte{
		"region/r.0.0.linear": linearFile(t, linear.V1, map[int][]byte{0: chunk(1976, "a", int8(1))}, nil),
		"region/r.0.0.mca":    region(map[int][]byte{0: stored(3, chunk(1976, "a", int8(2)))}, nil),
		"region/r.1.0.mca":    region(map[int][]byte{0: stored(3, chunk(1976, "xPos", int32(32), "a", int8(3)))}, nil),
		"region/r.2.0.linear": {}, "region/r.3.0.linear": linearFile(t, linear.V2, nil, nil),
	}
	w, err := anvil.OpenFS(folder(files), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &taker{keep: true}
	if err := w.Read(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if len(s.columns) != 2 || !strings.Contains(fmt.Sprint(w.Notes()), "there is one in Linear's format too") {
		t.Errorf("%d columns, notes %q", len(s.columns), w.Notes())
	}
	for _, name := range []string{"region/r.0.0.mca", "region/r.2.0.linear", "region/r.3.0.linear"} {
		if got, ok := s.files[name]; !ok || got != string(files[name]) {
			t.Errorf("%s is not kept", name)
		}
	}
}

// TestLinearDamage: a cut file is named with the place; what can be read of it is.
func TestLinearDamage(t *testing.T) {
	docs := map[int][]byte{}
	for slot := range 64 {
		noise := make([]byte, 5000)
		rand.NewChaCha8([32]byte{byte(slot)}).Read(noise)
		docs[slot] = chunk(1976, "xPos", int32(slot%32), "zPos", int32(slot/32), "noise", noise)
	}
	for version, ext := range versions {
		whole := linearFile(t, version, docs, nil)
		fsys := folder(map[string][]byte{"region/r.0.0" + ext: whole[:len(whole)-300]})
		_, st, err := read(t, fsys, anvil.Options{})
		var damage *format.DamageError
		if !errors.As(err, &damage) || len(st.Damaged) == 0 {
			t.Fatalf("version %d: %v", version, err)
		}
		s, _, err := read(t, fsys, anvil.Options{Salvage: true})
		if err != nil {
			t.Fatalf("version %d: salvage: %v", version, err)
		}
		if n := len(s.columns); n < 10 || n > 64 {
			t.Errorf("version %d: %d columns of 64", version, n)
		}
		out := mustWrite(t, s, anvil.FolderOptions{Format: "linear", Linear: version})
		if _, err := os.Stat(out + "/region/r.0.0" + ext); err != nil {
			t.Error(err)
		}
	}
}

// TestLinearLost: Buffered Linear has no time of a chunk that is not there, and no version has damaged bytes.
func TestLinearLost(t *testing.T) {
	files := folder(map[string][]byte{"region/r.0.0.mca": region(map[int][]byte{0: stored(3, chunk(1976)), 5: stored(2, []byte("damaged"))}, map[int]uint32{0: 1, 9: 7})})
	w, err := anvil.OpenFS(files, anvil.Options{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, lost := export(t, w, anvil.FolderOptions{Format: "linear", Linear: linear.Buffered}); lost["times of chunks that are not there"] != 1 || lost["damaged: chunk"] != 1 {
		t.Errorf("lost %v", lost)
	}
	if _, lost := export(t, w, anvil.FolderOptions{Format: "linear"}); lost["times of chunks that are not there"] != 0 {
		t.Errorf("lost %v", lost)
	}
}

// TestLinearWorlds takes real worlds of Linear to Anvil and through every version back to it, and compares with the worlds
// that they were made of.
func TestLinearWorlds(t *testing.T) {
	for _, dir := range anviltest.Worlds(t, "linear") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			asAnvil, lost := export(t, reopened(t, dir), anvil.FolderOptions{Level: 1})
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			source := filepath.Join(filepath.Dir(filepath.Dir(dir)), "anvil", strings.TrimPrefix(filepath.Base(dir), "converted--"))
			made, err := filepath.Glob(asAnvil + "/region/*.mca")
			if err != nil || len(made) == 0 {
				t.Fatalf("no region: %v", err)
			}
			for _, name := range made {
				want, got := anviltest.Slots(t, source+"/region/"+filepath.Base(name)), anviltest.Slots(t, name)
				for slot, s := range got {
					a, err := s.Doc()
					b, wrong := want[slot].Doc()
					if err = errors.Join(err, wrong); err != nil {
						t.Fatal(err)
					}
					wantSame(t, a, b)
					if s.Stamp != want[slot].Stamp {
						t.Errorf("slot %d has time %d, want %d", slot, s.Stamp, want[slot].Stamp)
					}
				}
			}
			for version := range versions {
				as, _ := export(t, reopened(t, asAnvil), anvil.FolderOptions{Format: "linear", Linear: version})
				back, _ := export(t, reopened(t, as), anvil.FolderOptions{Level: 1})
				anviltest.Compare(t, asAnvil, back)
			}
		})
	}
}

// TestLinearPlace: the error of a cut file says where its frame is.
func TestLinearPlace(t *testing.T) {
	b := linearFile(t, linear.V1, map[int][]byte{0: chunk(1976)}, nil)
	binary.BigEndian.PutUint32(b[20:], 1<<30)
	_, _, err := read(t, folder(map[string][]byte{"region/r.0.0.linear": b}), anvil.Options{})
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Offset != 32 {
		t.Errorf("%v", err)
	}
}
