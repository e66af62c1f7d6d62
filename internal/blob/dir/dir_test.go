package dir_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
)

func mustOpen(t *testing.T, root string) *dir.Folder {
	t.Helper()
	b, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBucket(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Bucket { return mustOpen(t, filepath.Join(t.TempDir(), "new", "bucket")) })
}

// TestNested puts keys above and below others, which a blob.Bucket need not do.
func TestNested(t *testing.T) {
	b := mustOpen(t, t.TempDir())
	all := []string{"a", "a-", "a/b", "a/b-", "a/b/c", "a/bc", "aa", "abc", "abc-", "abc/d", "abcd", "abcd-", "abcd/e"}
	for _, key := range all {
		if err := b.Put(t.Context(), key, section(key)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := b.List(t.Context(), "", "", 99)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range found {
		got = append(got, in.Key)
	}
	if !slices.Equal(got, all) {
		t.Errorf("got %q, want %q", got, all)
	}
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

// TestProcesses opens the bucket once for each writer.
func TestProcesses(t *testing.T) {
	root := t.TempDir()
	for round := range 20 {
		key := fmt.Sprintf("%x/k", round)
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 8 {
			wg.Go(func() {
				b, err := dir.Open(root, dir.Options{})
				if err == nil {
					err = b.Put(t.Context(), key, section("x"))
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else if !errors.Is(err, blob.ErrExists) {
					t.Error(err)
				}
			})
		}
		if wg.Wait(); won != 1 {
			t.Fatalf("%s: %d writers succeeded", key, won)
		}
	}
}

var errKilled = errors.New("killed")

// TestKilled ends the process before each call that changes files, and looks at the
// bucket as the next process finds it.
func TestKilled(t *testing.T) {
	const key = "a/b"
	body := strings.Repeat("body", 1000)
	for _, again := range []bool{false, true} { // the directories are there already
		for at := 1; ; at++ {
			root := t.TempDir()
			b := mustOpen(t, root)
			if again {
				if err := b.Put(t.Context(), "a/c", section("")); err != nil {
					t.Fatal(err)
				}
				b = mustOpen(t, root)
			}
			n := 0
			b.SetStep(func(string, string) error {
				if n++; n >= at {
					return errKilled
				}
				return nil
			})
			err := b.Put(t.Context(), key, section(body))
			if err == nil {
				if at < 6 {
					t.Fatalf("%d calls: they are not seen", n)
				}
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			next := mustOpen(t, root)
			got, err := next.Get(t.Context(), key, 0, -1)
			want := error(nil)
			switch {
			case err == nil && string(got) == body:
				want = blob.ErrExists
			case !errors.Is(err, fs.ErrNotExist):
				t.Fatalf("killed at call %d: got %d bytes, %v", at, len(got), err)
			}
			if err := next.Put(t.Context(), key, section(body)); !errors.Is(err, want) {
				t.Fatalf("killed at call %d: put again: got %v, want %v", at, err, want)
			}
			if found, err := next.List(t.Context(), "a/b", "", 9); err != nil || len(found) != 1 {
				t.Fatalf("killed at call %d: list: %v, %v", at, found, err)
			}
		}
	}
}

// TestOrder checks what is on stable storage before the next call is made.
func TestOrder(t *testing.T) {
	root := t.TempDir()
	b := mustOpen(t, root)
	var calls []string
	b.SetStep(func(call, path string) error {
		rel, err := filepath.Rel(root, path)
		if strings.HasPrefix(rel, "tmp") {
			rel = "TEMP"
		}
		calls = append(calls, call+" "+filepath.ToSlash(rel))
		return err
	})
	for _, tt := range []struct {
		key  string
		want []string
	}{
		{"ab/c", []string{"create TEMP", "write TEMP", "sync TEMP", "mkdir ab+", "sync .", "link ab+/,c=", "remove TEMP", "sync ab+"}},
		{"ab/d", []string{"create TEMP", "write TEMP", "sync TEMP", "link ab+/,d=", "remove TEMP", "sync ab+"}},
		{"abcd", []string{"create TEMP", "write TEMP", "sync TEMP", "mkdir abc+", "sync .", "link abc+/d=", "remove TEMP", "sync abc+"}},
	} {
		calls = nil
		if err := b.Put(t.Context(), tt.key, section("x")); err != nil || !slices.Equal(calls, tt.want) {
			t.Errorf("put %s: got %q, %v, want %q", tt.key, calls, err, tt.want)
		}
	}
	calls = nil
	if err := b.Delete(t.Context(), "ab/c"); err != nil || !slices.Equal(calls, []string{"remove ab+/,c=", "sync ab+"}) {
		t.Errorf("delete: got %q, %v", calls, err)
	}
}

// TestFullDisk fails each call in turn, but not the calls after it.
func TestFullDisk(t *testing.T) {
	for at := 1; ; at++ {
		root := t.TempDir()
		b := mustOpen(t, root)
		n := 0
		b.SetStep(func(call, _ string) error {
			if n++; n == at && call != "remove" {
				return syscall.ENOSPC
			}
			return nil
		})
		err := b.Put(t.Context(), "a/b", section("body"))
		if n < at {
			break
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("call %d: %v", at, err)
		}
		if _, there := b.Head(t.Context(), "a/b"); errors.Is(err, blob.ErrFull) && !errors.Is(there, fs.ErrNotExist) {
			t.Errorf("call %d: a Put that was refused is there: %v", at, there)
		}
		left, err := os.ReadDir(filepath.Join(root, "tmp"))
		if err != nil || len(left) > 0 {
			t.Errorf("call %d: %d files are left, %v", at, len(left), err)
		}
	}
}

// TestFullStays opens, reads and asks a bucket whose disk is full, or whose owner has no
// more room.
func TestFullStays(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		root := t.TempDir()
		none := func(call, _ string) error {
			if call == "write" {
				return why
			}
			return nil
		}
		if _, err := dir.OpenWith(root, none); !errors.Is(err, blob.ErrFull) {
			t.Errorf("%v: a new bucket: got %v", why, err)
		}
		if err := mustOpen(t, root).Put(t.Context(), "k", section("x")); err != nil {
			t.Fatal(err)
		}
		b, err := dir.OpenWith(root, none)
		if err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		if got, err := b.Get(t.Context(), "k", 0, -1); err != nil || string(got) != "x" {
			t.Errorf("%v: got %q, %v", why, got, err)
		}
		for what, err := range map[string]error{"put": b.Put(t.Context(), "l", section("y")), "ping": b.Ping(t.Context())} {
			if !errors.Is(err, blob.ErrFull) || !errors.Is(err, syscall.ENOSPC) || errors.Is(err, blob.ErrAway) {
				t.Errorf("%v: %s: got %v", why, what, err)
			}
		}
		b.SetStep(func(string, string) error { return nil })
		if err := errors.Join(b.Ping(t.Context()), b.Put(t.Context(), "l", section("y"))); err != nil {
			t.Errorf("%v: with room again: %v", why, err)
		}
	}
}

func TestLeftovers(t *testing.T) {
	root := t.TempDir()
	mustOpen(t, root)
	old, young := filepath.Join(root, "tmp", "OLD"), filepath.Join(root, "tmp", "YOUNG")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, root)
	left, err := filepath.Glob(filepath.Join(root, "tmp", "*"))
	if err != nil || !slices.Equal(left, []string{young}) {
		t.Errorf("left: %q, %v", left, err)
	}
}

func TestNoBucket(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "letter.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Open(root, dir.Options{}); err == nil || !strings.Contains(err.Error(), "letter.txt") {
		t.Errorf("open a folder of letters: %v", err)
	}
	if _, err := dir.Open(filepath.Join(root, "letter.txt"), dir.Options{}); err == nil {
		t.Error("open a file: no error")
	}
}

// TestNotMounted takes the files away from below a bucket.
func TestNotMounted(t *testing.T) {
	root := filepath.Join(t.TempDir(), "mount")
	b := mustOpen(t, root)
	if err := b.Put(t.Context(), "k", section("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.Rename(root, root+"away"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	_, getErr := b.Get(ctx, "k", 0, -1)
	_, headErr := b.Head(ctx, "k")
	_, listErr := b.List(ctx, "", "", 9)
	for name, err := range map[string]error{
		"ping": b.Ping(ctx), "put": b.Put(ctx, "l", section("y")), "get": getErr, "head": headErr, "list": listErr, "delete": b.Delete(ctx, "k"),
	} {
		if !errors.Is(err, blob.ErrAway) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want %v", name, err, blob.ErrAway)
		}
	}
}

// TestStrangers puts files beside those of the bucket.
func TestStrangers(t *testing.T) {
	root := t.TempDir()
	b := mustOpen(t, root)
	if err := b.Put(t.Context(), "abc/d", section("x")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"abcd=", "=", "+", ",=", ",abcd=", "A=", "^", "^=", "^^a=", ".DS_Store", "x"} {
		if err := os.WriteFile(filepath.Join(root, "abc+", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, err := b.List(t.Context(), "", "", 99)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range found {
		if in.Key != "abcabcd" && in.Key != "abc/d" {
			t.Errorf("listed %q", in.Key)
		}
	}
}

// TestMemory puts a large body without holding it.
func TestMemory(t *testing.T) {
	b := mustOpen(t, t.TempDir())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := b.Put(t.Context(), "large", io.NewSectionReader(blobtest.Pattern{}, 0, 32<<20)); err != nil {
		t.Fatal(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("a body of 32 MiB allocates %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

func TestTrips(t *testing.T) {
	var trips []string
	b, err := dir.Open(t.TempDir(), dir.Options{OnRequest: func(t blob.Request) { trips = append(trips, fmt.Sprint(t.Op, " ", t.Bytes, " ", t.Err != nil)) }})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = b.Put(t.Context(), "k", io.NewSectionReader(bytes.NewReader(make([]byte, 10)), 0, 10)) // the second time it exists
	}
	if _, err := b.Get(t.Context(), "k", 2, 3); err != nil {
		t.Fatal(err)
	}
	if want := []string{"put 10 false", "put 10 true", "get 3 false"}; !slices.Equal(trips, want) {
		t.Errorf("got %q, want %q", trips, want)
	}
}

// TestRoots opens buckets under paths that are not in their shortest form, and puts a key
// whose directories must be made.
func TestRoots(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"a", "./b", "c/", "d//", ".//e", "x/../f", "g/.", here + "//h/", "/." + here + "/i", "."} {
		if root == "." {
			t.Chdir(t.TempDir())
		}
		b := mustOpen(t, filepath.FromSlash(root))
		if err := b.Put(t.Context(), "stones/abcdef", section("x")); err != nil {
			t.Errorf("%s: %v", root, err)
		}
		if found, err := b.List(t.Context(), "", "", 9); err != nil || len(found) != 1 || found[0].Key != "stones/abcdef" {
			t.Errorf("%s: got %v, %v", root, found, err)
		}
	}
}

// TestTime asks buckets of machines with other clocks for the time.
func TestTime(t *testing.T) {
	root := t.TempDir()
	var got []time.Time
	before := time.Now().Add(-time.Second)
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		now := func() time.Time { return time.Now().Add(ahead) }
		b, err := dir.Open(root, dir.Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			at, err := b.Time(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, at)
		}
	}
	after := time.Now().Add(time.Second)
	for i, at := range got {
		if at.Before(before) || at.After(after) {
			t.Errorf("time %d: got %v, between %v and %v", i, at, before, after)
		}
	}
	if left, err := os.ReadDir(filepath.Join(root, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
