package disk_test

import (
	"crypto/sha256"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestSalvage takes out what can be read of Stores with a damaged file of each kind:
// all worlds, but for those that are said to be lost, and everything of it is right.
func TestSalvage(t *testing.T) {
	long.Alone(t)
	closed, closedHeads := closedStore(t, "a")
	killed, killedHeads, _ := killedStore(t, "a")
	for _, tt := range []struct {
		name  string
		mem   *vfs.MemFS
		heads map[string]history.ID
		kinds []string
	}{
		{"closed", closed, closedHeads, []string{".blob", ".sst", ".log", "OPTIONS", "marker.manifest", "marker.format-version", "stone"}},
		{"killed", killed, killedHeads, []string{".log", "OPTIONS", "marker.manifest", "marker.format-version", "ACKED"}},
	} {
		kinds := make(map[string][]string)
		filesOf(t, tt.mem, "store", kinds)
		kinds["stone"] = kinds["stone"][:2]
		paths := []string{""}
		for _, kind := range tt.kinds {
			if len(kinds[kind]) == 0 {
				t.Fatalf("no file of kind %s: %v", kind, kinds)
			}
			paths = append(paths, kinds[kind]...)
		}
		for _, p := range paths {
			for how, change := range map[string]func(b []byte) []byte{
				"missing": func([]byte) []byte { return nil },
				"cut":     func(b []byte) []byte { return b[:len(b)*2/3] },
				"flipped": func(b []byte) []byte { b[len(b)/3] ^= 4; return b },
				"longer":  func(b []byte) []byte { return append(b, 1) },
			} {
				t.Run(tt.name+" "+p+" "+how, func(t *testing.T) {
					on := cloned(tt.mem)
					if p != "" {
						b := readPath(t, on, p)
						if len(b) == 0 && how == "flipped" {
							return
						}
						replace(t, on, p, change(b))
					}
					wantSalvaged(t, on, p, tt.heads)
				})
			}
		}
	}
}

// wantSalvaged takes out what can be read of a Store whose file p is damaged.
func wantSalvaged(t *testing.T, on *vfs.MemFS, p string, heads map[string]history.ID) {
	t.Helper()
	done, err := disk.Salvage(t.Context(), "store", "new", damageOptions(on))
	if err != nil {
		t.Fatal(err)
	}
	if p == "" && len(done.Lost)+len(done.Unread) > 0 {
		t.Errorf("lost of an undamaged store: %v, %q", done.Lost, done.Unread)
	}
	s := mustOpen(t, "new", damageOptions(on))
	defer mustClose(t, s)
	mustCheck(t, s)
	left := maps.Clone(heads)
	for _, h := range done.Lost {
		delete(left, h.World)
		if !strings.HasPrefix(p, "store/") {
			t.Errorf("lost: %v", h)
		}
	}
	if (strings.HasSuffix(p, ".sst") || strings.HasSuffix(p, ".log")) && len(done.Unread) > 0 {
		left = nil // names or saves may be lost
	}
	wantHeads(t, s, left)
	if strings.HasSuffix(p, ".blob") && (len(left) == 0 || len(left) == len(heads)) {
		t.Errorf("%d of %d worlds are left of a store without %s", len(left), len(heads), path.Base(p))
	}
	if name := path.Base(p); (strings.HasPrefix(name, "marker.") || strings.HasPrefix(name, "OPTIONS") || name == "ACKED") && len(left) != len(heads) {
		t.Errorf("%d of %d worlds are left of a store without %s", len(left), len(heads), name)
	}
	mustCreate(t, s, "goes-on")
	mustSave(t, s, "goes-on", mustStone(t, "on", 100))
}

// TestSalvageOlder takes out an older version of a world whose newest is lost.
func TestSalvageOlder(t *testing.T) {
	mem, heads := closedStore(t, "a")
	s := mustOpen(t, "store", damageOptions(mem))
	mustSave(t, s, "w02", mustStone(t, "newest", 5000))
	before := make(map[string][]string)
	filesOf(t, mem, "store/db", before)
	mustClose(t, s)
	after := make(map[string][]string)
	filesOf(t, mem, "store/db", after)
	for _, p := range after[".blob"] {
		if !slices.Contains(before[".blob"], p) {
			replace(t, mem, p, nil)
		}
	}
	done, err := disk.Salvage(t.Context(), "store", "new", damageOptions(mem))
	if err != nil || len(done.Lost) != 1 || done.Lost[0] != (disk.Hurt{World: "w02", Versions: 3, Lost: 1, Newest: true}) {
		t.Fatalf("got %+v, %v", done, err)
	}
	s = mustOpen(t, "new", damageOptions(mem))
	defer mustClose(t, s)
	wantHeads(t, s, heads)
	f, err := s.Fetch(t.Context(), "w02", history.ID{}, 1<<20)
	if err != nil || stone.ID(sha256.Sum256(f.Data[0])) != f.Layers[0].Stone.ID {
		t.Errorf("fetch: %v", err)
	}
}

// Without its list of files a Store cannot be salvaged, and the error says what can be done.
func TestSalvageWithoutManifest(t *testing.T) {
	closed, _ := closedStore(t, "a")
	killed, _, _ := youngStore(t, "a")
	for name, mem := range map[string]*vfs.MemFS{"closed": closed, "killed": killed} {
		t.Run(name, func(t *testing.T) { salvageWithoutManifest(t, mem) })
	}
}

func salvageWithoutManifest(t *testing.T, mem *vfs.MemFS) {
	t.Helper()
	files := make(map[string][]string)
	filesOf(t, mem, "store", files)
	for _, p := range files["MANIFEST"] {
		replace(t, mem, p, nil)
	}
	_, err := disk.Open("store", damageOptions(mem))
	if damage := (*disk.DamageError)(nil); !errors.As(err, &damage) || !strings.Contains(err.Error(), "cairn restore-store") || strings.Contains(err.Error(), "cairn salvage") {
		t.Errorf("open: got %v", err)
	}
	if _, err := disk.Salvage(t.Context(), "store", "new", damageOptions(mem)); err == nil || !strings.Contains(err.Error(), "cairn restore-store") {
		t.Errorf("got %v", err)
	}
}
