package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

func openLocal(t testing.TB, path string, o local.Options) *local.Store {
	t.Helper()
	st, err := local.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func openFolder(t testing.TB, path string) *dir.Folder {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noise returns the bytes of a stone that takes some n of them.
func noise(t testing.TB, seed, n int) []byte {
	t.Helper()
	data := make([]byte, n)
	for i, x := 0, uint64(seed); i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		data[i] = byte(x >> 56)
	}
	var b bytes.Buffer
	if _, err := (stonetest.Spec{Files: []stonetest.FileSpec{{Path: "noise", Data: data}}}).Write(&b, stone.Options{Effort: stone.Quick}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fillLocal makes worlds of four versions, of which the larger ones are files of the Store.
func fillLocal(t testing.TB, st history.Store, names ...string) {
	t.Helper()
	create(t, st, names...)
	for i, name := range names {
		for j := range 4 {
			save(t, st, name, noise(t, 10*i+j, 1000*j+1))
		}
	}
}

// TestFolder backs up a Store in a directory to a folder: a backup shares what the one
// before has, Keep removes the oldest, and each can be restored to a Store that lives on.
// Only the owner may read any of it.
func TestFolder(t *testing.T) {
	root, c := filepath.Join(t.TempDir(), "root"), newClock()
	st := openLocal(t, filepath.Join(root, "store"), local.Options{Now: c.now, FileBytes: 2500})
	fillLocal(t, st, "a", "b", "c")
	to := openFolder(t, filepath.Join(root, "backups"))
	o := backup.Options{Keep: history.Keep{Newest: 2}, ReadBack: true}
	first := mustRun(t, st, to, o)
	if first.Worlds != 3 || first.Shared != 0 || first.New == 0 || first.Sampled < first.Objects-2 {
		t.Errorf("first: got %+v", first)
	}
	then := content(t, st)
	save(t, st, "b", noise(t, 99, 5000))
	second := mustRun(t, st, to, o)
	if second.Shared == 0 || second.Changed != 1 || second.New > first.New/2 {
		t.Errorf("second: got %+v after %+v", second, first)
	}
	restored := func(name, as string) *local.Store {
		to2 := openLocal(t, filepath.Join(root, as), local.Options{Now: c.now, FileBytes: 2500})
		if r, err := mustOpen(t, to, backup.Access{}).Restore(t.Context(), to2, backup.RestoreOptions{Backup: name}); err != nil || r.Worlds != 3 {
			t.Fatalf("restore %q: %+v, %v", name, r, err)
		}
		return to2
	}
	one := restored(first.Name, "one")
	for name, text := range content(t, one) {
		if then[name] != text {
			t.Errorf("%s is not as it was at the first backup", name)
		}
	}
	save(t, one, "a", noise(t, 98, 10))
	if r, err := one.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("check: %+v, %v", r, err)
	}
	same(t, restored("", "two"), st)
	if third := mustRun(t, st, to, o); !slices.Equal(third.Removed, []string{first.Name}) {
		t.Errorf("third: got %+v", third)
	}
	if list, err := mustOpen(t, to, backup.Access{}).List(t.Context()); err != nil || len(list) != 2 || list[0].Name != second.Name {
		t.Errorf("list: %+v, %v", list, err)
	}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode()&0o077 != 0 {
			t.Errorf("%s: %v: others have rights", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeepTimes makes backups at hours of a day, one after the other. After the last of them
// those of want stay.
func TestKeepTimes(t *testing.T) {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		keep history.Keep
		at   []int
		want []int
	}{
		{"all", history.Keep{}, []int{0, 1, 2}, []int{0, 1, 2}},
		{"two", history.Keep{Newest: 2}, []int{0, 1, 2}, []int{1, 2}},
		{"an hour and a half", history.Keep{For: 90 * time.Minute}, []int{0, 1, 2}, []int{1, 2}},
		{"no older than two hours", history.Keep{For: 2 * time.Hour}, []int{0, 1, 2}, []int{0, 1, 2}},
		{"the new one is young enough always", history.Keep{For: 1}, []int{0, 1, 2}, []int{2}},
		{"either", history.Keep{Newest: 2, For: time.Hour}, []int{0, 3, 9}, []int{3, 9}},
		{"either, by age", history.Keep{Newest: 1, For: 6 * time.Hour}, []int{0, 3, 9}, []int{3, 9}},
		{"the clock went back", history.Keep{Newest: 1}, []int{8, 9, 2}, []int{2, 9}},
		{"back, by age", history.Keep{For: time.Hour}, []int{0, 9, 2}, []int{2, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st, b := newStore(newClock()), newBucket()
			create(t, st, "w")
			var last backup.Report
			for i, h := range tt.at {
				o := backup.Options{Now: func() time.Time { return day.Add(time.Duration(h) * time.Hour) }}
				if i == len(tt.at)-1 {
					o.Keep = tt.keep
				}
				last = mustRun(t, st, b, o)
			}
			list, err := mustOpen(t, b, backup.Access{}).List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, info := range list {
				got = append(got, int(info.Time.Sub(day).Hours()))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("there are those of %v, want %v", got, tt.want)
			}
			if len(last.Removed) != len(tt.at)-len(tt.want) || slices.Contains(last.Removed, last.Name) {
				t.Errorf("removed %q of %d", last.Removed, len(tt.at))
			}
		})
	}
}

// TestFolderCancelled ends a Run while it reads: no backup is there, and the next one is whole.
func TestFolderCancelled(t *testing.T) {
	c, to := newClock(), openFolder(t, t.TempDir())
	st := openLocal(t, t.TempDir(), local.Options{Now: c.now})
	fillLocal(t, st, "a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	if r, err := backup.Run(ctx, st, to, backup.Options{Progress: func(int, int) { cancel() }}); !errors.Is(err, context.Canceled) || r.Name != "" {
		t.Errorf("cancelled: got %+v, %v", r, err)
	}
	if all := mustOpen(t, to, backup.Access{}); !all.Last().IsZero() {
		t.Errorf("there is a backup of %v", all.Last())
	}
	mustRun(t, st, to, backup.Options{})
	same(t, mustRestore(t, to, backup.Access{}), st)
}

// TestReadBack damages each object as it is put: no backup counts.
func TestReadBack(t *testing.T) {
	c := newClock()
	st := newStore(c)
	fillLocal(t, st, "a", "b", "c")
	o := backup.Options{Now: c.now, ReadBack: true, Sample: -1, BundleBytes: 1 << 10}
	whole := newBucket()
	if r := mustRun(t, st, whole, o); r.Sampled < 10 || r.Sampled != r.Objects-2 { // but for manifest and seal
		t.Errorf("got %+v", r)
	}
	tried := 0
	for _, key := range keys(t, whole) {
		if !strings.HasPrefix(key, "data/") && !strings.HasPrefix(key, "meta/") {
			continue
		}
		tried++
		b := newBucket()
		b.before = func(op, at string) error {
			if op == "put" && strings.HasPrefix(at, "manifests/") {
				was, err := b.Bucket.Get(t.Context(), key, 0, -1)
				if err != nil {
					return nil // objects of tables name times
				}
				was = bytes.Clone(was)
				was[len(was)/2] ^= 1
				b.replace(t, key, was)
			}
			return nil
		}
		r, err := backup.Run(t.Context(), st, b, o)
		if strings.HasPrefix(key, "data/") && (r.Name != "" || !errors.As(err, new(*backup.CorruptError))) {
			t.Errorf("%s: got %+v, %v", key, r, err)
		}
	}
	if tried < 10 {
		t.Errorf("%d objects", tried)
	}
}

// TestLying backs up stones that are broken in themselves: no other world is hurt, older
// backups go as ever, and everything is restored.
func TestLying(t *testing.T) {
	c, to := newClock(), openFolder(t, t.TempDir())
	st := openLocal(t, t.TempDir(), local.Options{Now: c.now, FileBytes: 2500})
	fillLocal(t, st, "a")
	create(t, st, "eve", "gone")
	for _, name := range []string{"eve", "gone"} {
		save(t, st, name, text("eve's first", 1))
		lying, err := stonetest.Lying(noise(t, 7, 4000))
		if err != nil {
			t.Fatal(err)
		}
		save(t, st, name, lying)
	}
	if err := st.Delete(t.Context(), "gone", 0); err != nil {
		t.Fatal(err)
	}
	o := backup.Options{Keep: history.Keep{Newest: 1}}
	first := mustRun(t, st, to, o)
	save(t, st, "a", text("after", 1))
	if b := mustRun(t, st, to, o); !slices.Equal(b.Removed, []string{first.Name}) {
		t.Errorf("removed %q, want %q", b.Removed, first.Name)
	}
	again := openLocal(t, t.TempDir(), local.Options{})
	if r, err := mustOpen(t, to, backup.Access{}).Restore(t.Context(), again, backup.RestoreOptions{}); err != nil || r.Worlds != 3 {
		t.Fatalf("restore: %+v, %v", r, err)
	}
	same(t, again, st)
}

// TestFolderOfDamaged backs up a Store of which a file is damaged: its world stays in the
// backup as the one before had it, whatever Keep drops, and all others are new.
func TestFolderOfDamaged(t *testing.T) {
	c, to, store := newClock(), openFolder(t, t.TempDir()), t.TempDir()
	st := openLocal(t, store, local.Options{Now: c.now, FileBytes: 2500})
	fillLocal(t, st, "a", "b", "c")
	o := backup.Options{Keep: history.Keep{Newest: 1}}
	mustRun(t, st, to, o)
	then := content(t, st)
	newest := noise(t, 50, 6000)
	save(t, st, "b", newest)
	save(t, st, "c", text("after", 1))
	now := content(t, st)
	id := stoneOf(newest).ID.String()
	path := filepath.Join(store, "stones", id[:2], id)
	bad := bytes.Clone(newest)
	bad[3] ^= 1
	if sha256.Sum256(bad) == stoneOf(newest).ID || os.WriteFile(path, bad, 0o600) != nil {
		t.Fatal("no damage was done")
	}
	r, err := backup.Run(t.Context(), st, to, o)
	if !errors.Is(err, backup.ErrHurt) || len(r.Hurt) != 1 || !strings.HasPrefix(r.Hurt[0], `"b"`) || r.Worlds != 3 {
		t.Fatalf("got %+v, %v", r, err)
	}
	for name, got := range content(t, mustRestore(t, to, backup.Access{})) {
		want := now[name]
		if strings.HasPrefix(name, "b ") {
			want = then[name]
		}
		if got != want {
			t.Errorf("%s is another world", name)
		}
	}
}
