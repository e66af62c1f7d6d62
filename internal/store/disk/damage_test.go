package disk_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var damagePlaces = flag.Int("damage", 3, "at how many places TestDamage cuts each file of a store, and flips a bit of it")

const damageFile = 20_000 // size of a stone from which on it is a file

func damageOptions(on vfs.FS) disk.Options {
	return disk.Options{FS: on, FileBytes: damageFile, LogBytes: 64 << 10, CacheBytes: 1 << 20}
}

// closedStore makes a Store in memory with a little of everything in several
// files of each kind, and closes it. Two whose salts are as long have files of
// the same sizes.
func closedStore(t *testing.T, salt string) (*vfs.MemFS, map[string]history.ID) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	heads := make(map[string]history.ID)
	for i := range 3 {
		s := mustOpen(t, "store", damageOptions(mem))
		for j, n := range []int{10, 300, 3000, 9000, 2 * damageFile} {
			name := fmt.Sprintf("w%d%d", i, j)
			mustCreate(t, s, name)
			for k := range 2 {
				heads[name] = mustSave(t, s, name, mustStone(t, fmt.Sprint(salt, i, j, k), n))
			}
		}
		fork := fmt.Sprint("fork", i)
		if err := s.Fork(t.Context(), "w02", heads["w02"], fork); err != nil {
			t.Fatal(err)
		}
		heads[fork] = mustSave(t, s, fork, mustStone(t, fmt.Sprint(salt, "fork", i), 2000))
		mustClose(t, s)
	}
	return mem, heads
}

func cloned(mem *vfs.MemFS) *vfs.MemFS { return mem.CrashClone(vfs.CrashCloneCfg{}) }

// filesOf returns the paths of all files below dir, by their kinds.
func filesOf(t *testing.T, on vfs.FS, dir string, kinds map[string][]string) {
	t.Helper()
	names, err := on.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		p := path.Join(dir, name)
		if in, err := on.Stat(p); err != nil {
			t.Fatal(err)
		} else if in.IsDir() {
			filesOf(t, on, p, kinds)
			continue
		}
		kind := path.Ext(name)
		switch {
		case strings.HasPrefix(name, "marker."):
			kind = strings.Join(strings.Split(name, ".")[:2], ".")
		case strings.HasPrefix(p, "store/stones"):
			kind = "stone"
		case kind == "":
			kind, _, _ = strings.Cut(name, "-")
		}
		kinds[kind] = append(kinds[kind], p)
	}
}

func readPath(t *testing.T, on vfs.FS, p string) []byte {
	t.Helper()
	f, err := on.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// replace replaces the content of a file, or removes it.
func replace(t *testing.T, on vfs.FS, p string, b []byte) {
	t.Helper()
	err := on.Remove(p)
	if b != nil && err == nil {
		var f vfs.File
		if f, err = on.Create(p, vfs.WriteCategoryUnspecified); err == nil {
			_, err = f.Write(slices.Clone(b))
			err = errors.Join(err, f.Sync(), f.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := on.OpenDir(path.Dir(p))
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// damages are the ways in which a file is damaged; nil removes it.
func damages(b []byte, others [][]byte, rng *rand.Rand) map[string][]byte {
	all := map[string][]byte{"missing": nil, "empty": {}}
	cuts, flips := []int{1, len(b) / 2, len(b) - 1}, []int{0, 8 * len(b) / 2, 8*len(b) - 1}
	for range *damagePlaces {
		cuts, flips = append(cuts, rng.IntN(len(b)+1)), append(flips, rng.IntN(8*len(b)+1))
	}
	for _, n := range cuts {
		if n > 0 && n < len(b) {
			all[fmt.Sprint("cut at ", n)] = b[:n]
		}
	}
	for _, bit := range flips {
		if bit >= 0 && bit < 8*len(b) {
			flipped := slices.Clone(b)
			flipped[bit/8] ^= 1 << (bit % 8)
			all[fmt.Sprintf("flipped bit %d of byte %d", bit%8, bit/8)] = flipped
		}
	}
	for i, other := range others {
		all[fmt.Sprint("replaced by ", i)] = other
		all[fmt.Sprint("longer by ", i)] = append(slices.Clone(b), other...)
	}
	return all
}

// TestDamage damages each kind of file of a closed Store in each way. Either
// everything is as it was, or an error or a fault of Check says which file it is;
// what is read is right or an error.
func TestDamage(t *testing.T) {
	long.Alone(t)
	mem, heads := closedStore(t, "a")
	twin, _ := closedStore(t, "b")
	kinds := make(map[string][]string)
	filesOf(t, mem, "store", kinds)
	for _, kind := range []string{".sst", ".blob", ".log", "MANIFEST", "OPTIONS", "marker.format-version", "marker.manifest", "LOCK", "OWNER", "STORE", "CLOSED", "stone"} {
		if len(kinds[kind]) == 0 {
			t.Errorf("no file of kind %s: %v", kind, kinds)
		}
	}
	seen := make(map[string]int)
	for kind, paths := range kinds {
		for i, p := range paths {
			if (!long.Part() || kind == "stone") && i > 0 && i < len(paths)-1 {
				continue // as the others
			}
			b := readPath(t, mem, p)
			others := [][]byte{readPath(t, mem, paths[(i+1)%len(paths)])}
			if _, err := twin.Stat(p); err == nil {
				others = append(others, readPath(t, twin, p))
			}
			rng := rand.New(rand.NewPCG(uint64(len(b)), uint64(i)))
			for how, damaged := range damages(b, others, rng) {
				if damaged != nil && string(damaged) == string(b) {
					continue
				}
				t.Run(p+" "+how, func(t *testing.T) {
					on := cloned(mem)
					replace(t, on, p, damaged)
					seen[kind+": "+wantDamage(t, on, p, heads)]++
				})
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Log(what, seen[what])
	}
}

// wantDamage wants of a Store whose file p is damaged that it says so, unless
// nothing is wrong. It returns what became of it.
func wantDamage(t *testing.T, on *vfs.MemFS, p string, heads map[string]history.ID) string {
	t.Helper()
	named := func(err error) bool { return err != nil && namesFile(err.Error(), p) }
	for _, readOnly := range []bool{true, false} {
		o := damageOptions(on)
		o.ReadOnly = readOnly
		s, err := disk.Open("store", o)
		if err != nil {
			if !named(err) {
				t.Errorf("open: %v: does not name %s", err, p)
			}
			if readOnly {
				continue
			}
			return "refused"
		}
		lost := readDamaged(t, s, p, heads)
		r, err := s.Check(t.Context(), nil)
		faults := strings.Join(r.Faults, "\n")
		switch {
		case err != nil:
			t.Errorf("check: %v, faults %q", err, r.Faults)
		case len(r.Hurt) < lost && !strings.HasSuffix(p, ".sst") && !strings.Contains(p, "MANIFEST-"): // the names may be lost
			t.Errorf("%d worlds cannot be read, check says %v", lost, r.Hurt)
		case lost > 0 && (len(r.Faults) == 0 || !namesFile(faults, p)):
			t.Errorf("%d worlds cannot be read, check says %q", lost, r.Faults)
		}
		if err := s.Close(); err != nil && !named(err) {
			t.Errorf("close: %v", err)
		}
		switch {
		case readOnly:
		case lost > 0:
			return "opened, some worlds lost"
		case len(r.Faults) > 0:
			return "opened, faults"
		default:
			return "nothing lost"
		}
	}
	return ""
}

func namesFile(text, p string) bool {
	name := path.Base(p)
	if strings.HasPrefix(name, "MANIFEST-") && (strings.Contains(text, ".sst: it is missing") || strings.Contains(text, ".sst is missing") || strings.Contains(text, "MANIFEST-")) {
		return true // what it lists is not there
	}
	if strings.HasPrefix(name, "marker.") {
		name = "marker."
	}
	return strings.Contains(text, name)
}

// readDamaged reads all worlds and returns how many cannot be read; the others
// must be what they were.
func readDamaged(t *testing.T, s *disk.Store, p string, heads map[string]history.ID) (lost int) {
	t.Helper()
	names, err := s.List(t.Context(), "", "", 1000)
	if err == nil && len(names) != len(heads) || err != nil && !namesFile(err.Error(), p) {
		t.Errorf("list: %d of %d worlds, %v", len(names), len(heads), err)
	}
	for name, id := range heads {
		f, err := s.Fetch(t.Context(), name, history.ID{}, 1<<20)
		if err != nil {
			lost++
			if !namesFile(err.Error(), p) {
				t.Errorf("world %s: %v: does not name %s", name, err, p)
			}
			continue
		}
		if f.Head.Commit != id {
			t.Errorf("head of %s: got %v, want %v", name, f.Head.Commit, id)
		}
		for i, l := range f.Layers {
			if got := stone.ID(sha256.Sum256(f.Data[i])); got != l.Stone.ID {
				if !strings.HasPrefix(p, "store/stones") {
					t.Errorf("world %s: stone %d is %v, want %v", name, i, got, l.Stone.ID)
				}
				lost++ // its own checksums say so to who reads it
				break
			}
		}
	}
	return lost
}

// wantFaults wants of a Store whose file p is damaged that it does not open, or that
// Check finds faults.
func wantFaults(t *testing.T, on *vfs.MemFS, p string) {
	t.Helper()
	s, err := disk.Open("store", damageOptions(on))
	if err != nil {
		if !namesFile(err.Error(), p) {
			t.Errorf("open: %v: does not name %s", err, p)
		}
		return
	}
	if r, err := s.Check(t.Context(), nil); err == nil && len(r.Faults) == 0 {
		t.Error("check finds no fault")
	}
	if err := s.Close(); err != nil {
		t.Logf("close: %v", err)
	}
}

// heldFS lets nobody make a table or blob file while it is held.
type heldFS struct {
	vfs.FS
	held sync.RWMutex
}

func (h *heldFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob") {
		h.held.RLock()
		defer h.held.RUnlock()
	}
	return h.FS.Create(name, c)
}

// killedStore makes a Store as closedStore does, saves to it until there are tables
// and several logs that the tables do not have, and returns what a process leaves
// that is killed then. last is the head of w24 before the last save, which was to
// w24.
func killedStore(t *testing.T, salt string) (left *vfs.MemFS, heads map[string]history.ID, last history.ID) {
	t.Helper()
	mem, heads := closedStore(t, salt)
	on := &heldFS{FS: mem}
	s := mustOpen(t, "store", damageOptions(on))
	for i := range 35 {
		for _, name := range []string{"w00", "w12", "w24"} {
			heads[name] = mustSave(t, s, name, mustStone(t, fmt.Sprint(salt, "later", name, i), 500+i*30))
		}
		switch i {
		case 10:
			if err := disk.Flush(s); err != nil {
				t.Fatal(err)
			}
			on.held.Lock()
		case 20: // a batch that the database does not keep in memory
			heads["w12"] = mustSave(t, s, "w12", mustStone(t, salt+"a", damageFile*9/10), mustStone(t, salt+"b", damageFile*9/10))
		}
	}
	last = heads["w24"]
	heads["w24"] = mustSave(t, s, "w24", mustStone(t, salt+"last", 700))
	left = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	on.held.Unlock()
	mustClose(t, s)
	return left, heads, last
}

// youngStore is killedStore before the database made a table.
func youngStore(t *testing.T, salt string) (left *vfs.MemFS, heads map[string]history.ID, last history.ID) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, "store", damageOptions(mem))
	mustCreate(t, s, "w24")
	last = mustSave(t, s, "w24", mustStone(t, salt+"first", 700))
	heads = map[string]history.ID{"w24": mustSave(t, s, "w24", mustStone(t, salt+"last", 700))}
	left = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	mustClose(t, s)
	return left, heads, last
}

// TestDamageAfterKill damages what a process that was killed left, as TestDamage
// does for a closed Store. ACKED says where the log ended. Without it
// an earlier end of the log is as good as any other, and the damage
// of the last save looks like a torn end. A table that another store made under the
// same number, with the same size, is found only by Check.
func TestDamageAfterKill(t *testing.T) {
	long.Alone(t)
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, salt string) (left *vfs.MemFS, heads map[string]history.ID, last history.ID)
		acked bool
	}{
		{"killed", killedStore, true},
		{"killed young", youngStore, true},
		{"killed, no ACKED", killedStore, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left, heads, before := tt.make(t, "a")
			twin, _, _ := tt.make(t, "b")
			kinds := make(map[string][]string)
			filesOf(t, left, "store", kinds)
			if len(kinds["CLOSED"]) > 0 || len(kinds["ACKED"]) != 1 {
				t.Fatalf("a store that is open has the files %v", kinds)
			}
			delete(kinds, "stone") // which are as in a closed Store
			seen := make(map[string]int)
			for kind, paths := range kinds {
				for i, p := range paths {
					if !long.Part() && i > 0 && i < len(paths)-1 || !tt.acked && kind != ".log" {
						continue
					}
					b := readPath(t, left, p)
					others := [][]byte{readPath(t, left, paths[(i+1)%len(paths)])}
					if _, err := twin.Stat(p); err == nil {
						others = append(others, readPath(t, twin, p))
					}
					rng := rand.New(rand.NewPCG(uint64(len(b)), uint64(i)))
					for how, damaged := range damages(b, others, rng) {
						if damaged != nil && string(damaged) == string(b) || !tt.acked && !strings.HasPrefix(how, "flipped") {
							continue
						}
						t.Run(p+" "+how, func(t *testing.T) {
							on := cloned(left)
							replace(t, on, p, damaged)
							if swapped := len(damaged) == len(b) && strings.HasPrefix(how, "replaced"); swapped && (kind == ".sst" || kind == ".blob") {
								wantFaults(t, on, p)
								return
							}
							heads := maps.Clone(heads)
							if !tt.acked {
								replace(t, on, "store/ACKED", nil)
								if lostLast(t, on, before) {
									heads["w24"] = before
								}
							}
							seen[kind+": "+wantDamage(t, on, p, heads)]++
						})
					}
				}
			}
			for _, what := range slices.Sorted(maps.Keys(seen)) {
				t.Log(what, seen[what])
			}
		})
	}
}

// lostLast reports whether a Store opens and lost the last save to w24.
func lostLast(t *testing.T, on *vfs.MemFS, before history.ID) bool {
	t.Helper()
	s, err := disk.Open("store", damageOptions(cloned(on)))
	if err != nil {
		return false
	}
	defer mustClose(t, s)
	h, err := s.Head(t.Context(), "w24")
	return err == nil && h.Commit == before
}

// TestDamageBeside saves to a Store in which a block is damaged that the database
// comes by when it sorts its files: it goes on, or it stops and says which file it is.
func TestDamageBeside(t *testing.T) {
	long.Alone(t)
	mem, _ := closedStore(t, "a")
	kinds := make(map[string][]string)
	filesOf(t, mem, "store", kinds)
	for _, p := range append(kinds[".sst"], kinds[".blob"]...) {
		t.Run(p, func(t *testing.T) {
			on := cloned(mem)
			b := readPath(t, on, p)
			b[20] ^= 1
			replace(t, on, p, b)
			s, err := disk.Open("store", damageOptions(on))
			if err != nil && namesFile(err.Error(), p) {
				return
			}
			mustCreate(t, s, "new")
			for i := 0; i < 200 && err == nil; i++ {
				_, err = save(t, s, "new", mustStone(t, fmt.Sprint(i), damageFile-1000))
			}
			if closed := s.Close(); err == nil {
				err = closed
			}
			if err != nil && !namesFile(err.Error(), p) {
				t.Errorf("%v: does not name %s", err, p)
			}
		})
	}
}

// TestCompactionsFail stops when the database cannot sort its files, and not when it
// fails for a while.
func TestCompactionsFail(t *testing.T) {
	s := mustOpen(t, "store", damageOptions(vfs.NewMem()))
	heard := disk.Listener(s)
	why := errors.New("db/000014.sst is damaged")
	mustCreate(t, s, "a")
	for range 5 {
		for range 99 {
			heard.BackgroundError(why)
		}
		heard.CompactionEnd(pebble.CompactionInfo{})
	}
	mustCreate(t, s, "b")
	for range 100 {
		heard.BackgroundError(why)
	}
	if err := s.Create(t.Context(), "c"); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if err := s.Close(); !errors.Is(err, why) {
		t.Errorf("close: got %v, want %v", err, why)
	}
}

// TestSyncedNothing opens what is left of a Store that synced its log before it saved
// anything: what was saved before is in the tables, and nothing is missing.
func TestSyncedNothing(t *testing.T) {
	mem, heads := closedStore(t, "a")
	s := mustOpen(t, "store", damageOptions(mem))
	if _, err := s.Collect(t.Context(), history.Policy{}); err != nil {
		t.Fatal(err)
	}
	left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	mustClose(t, s)
	s = mustOpen(t, "store", damageOptions(left))
	mustCheck(t, s)
	wantHeads(t, s, heads)
	mustClose(t, s)
}

// noAckedFS lets nobody make the file ACKED.
type noAckedFS struct{ vfs.FS }

func (n noAckedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(name, "ACKED") {
		return nil, errors.New("no room for it")
	}
	return n.FS.Create(name, c)
}

// TestAckedNotWritten saves to a Store that cannot write the file ACKED.
func TestAckedNotWritten(t *testing.T) {
	mem, heads := closedStore(t, "a")
	s := mustOpen(t, "store", damageOptions(noAckedFS{mem}))
	for i := range 3 {
		heads["w00"] = mustSave(t, s, "w00", mustStone(t, fmt.Sprint("later", i), 500))
	}
	left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = mustOpen(t, "store", damageOptions(left))
	defer s.Close()
	for name, want := range heads {
		if got, err := s.Head(t.Context(), name); err != nil || got.Commit != want {
			t.Errorf("%s: %v, %v: want %v", name, got.Commit, err, want)
		}
	}
}
