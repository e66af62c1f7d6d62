// Package blobtest is the contract of a blob.Bucket as a test: Run. Wire makes the server of
// one fail in the ways of real networks.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Run tests the contract. Open returns an empty bucket. It is called by several
// goroutines at once.
func Run(t *testing.T, open func(t *testing.T) blob.Bucket) {
	contract{open: open}.run(t)
}

// RunAgain is Run for callers who repeat calls after blob.ErrAway.
func RunAgain(t *testing.T, open func(t *testing.T) blob.Bucket) {
	contract{again: true, open: open}.run(t)
}

// contract is the contract for one kind of bucket.
type contract struct {
	open func(t *testing.T) blob.Bucket
	// again says that the caller repeats calls. It cannot tell its own bytes from
	// equal bytes of another caller.
	again bool
}

func (c contract) run(t *testing.T) {
	tests := map[string]func(*bucket){
		"Ranges": ranges, "Empty": empty, "Bodies": bodies, "Keys": keys, "BadKeys": badKeys, "Lists": lists, "RandomLists": randomLists,
		"Delete": deletes, "Cancelled": cancelled, "Large": large, "Whole": whole, "Races": func(b *bucket) { races(b, false) },
	}
	if !c.again {
		tests["EqualRaces"] = func(b *bucket) { races(b, true) }
		tests["Twice"] = twice
	}
	t.Run("Contract", func(t *testing.T) { // which ends when all of them have ended
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(&bucket{c.open(t), t})
			})
		}
	})
}

// bucket is the bucket of one test.
type bucket struct {
	blob.Bucket
	*testing.T
}

// section returns a body of those bytes.
func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

func (b *bucket) put(key, body string, want error) {
	b.Helper()
	if err := b.Put(b.Context(), key, section([]byte(body))); !errors.Is(err, want) {
		b.Fatalf("put %s: got %v, want %v", key, err, want)
	}
}

func (b *bucket) get(key string, off, n int64, want string, wantErr error) {
	b.Helper()
	got, err := b.Get(b.Context(), key, off, n)
	if !errors.Is(err, wantErr) || string(got) != want {
		b.Fatalf("get %s, %d bytes from %d: got %q, %v, want %q, %v", key, n, off, got, err, want, wantErr)
	}
	clear(got) // the caller owns it
}

func (b *bucket) list(prefix, after string, n int, want ...string) {
	b.Helper()
	found, err := b.List(b.Context(), prefix, after, n)
	if got := keysOf(found); err != nil || !slices.Equal(got, want) {
		b.Fatalf("list %q after %q, %d: got %q, %v, want %q", prefix, after, n, got, err, want)
	}
}

func keysOf(found []blob.Object) []string {
	var out []string
	for _, in := range found {
		out = append(out, in.Key)
	}
	return out
}

// gone checks that there is nothing under a key.
func (b *bucket) gone(key string) {
	b.Helper()
	b.get(key, 0, -1, "", fs.ErrNotExist)
	if in, err := b.Head(b.Context(), key); !errors.Is(err, fs.ErrNotExist) {
		b.Fatalf("head %s: got %v, %v, want none", key, in, err)
	}
}

func ranges(b *bucket) {
	const body = "0123456789"
	b.put("k", body, nil)
	in, err := b.Head(b.Context(), "k")
	if err != nil || in.Key != "k" || in.Size != 10 {
		b.Fatalf("head: got %v, %v", in, err)
	}
	for _, tt := range []struct {
		off, n int64
		want   string
		err    error
	}{
		{0, -1, body, nil}, {0, 10, body, nil}, {3, -1, body[3:], nil}, {3, 4, "3456", nil}, {9, 1, "9", nil},
		{0, 0, "", nil}, {4, 0, "", nil}, {10, 0, "", nil}, {10, -1, "", nil},
		{0, 11, "", io.ErrUnexpectedEOF}, {9, 2, "", io.ErrUnexpectedEOF}, {10, 1, "", io.ErrUnexpectedEOF},
		{11, 0, "", io.ErrUnexpectedEOF}, {11, -1, "", io.ErrUnexpectedEOF}, {1 << 40, 1, "", io.ErrUnexpectedEOF},
		{0, 1 << 40, "", io.ErrUnexpectedEOF}, {5, 1<<63 - 1, "", io.ErrUnexpectedEOF}, {-1, 2, "", io.ErrUnexpectedEOF},
		{0, -1, body, nil}, // what callers do with their results changes nothing
	} {
		b.get("k", tt.off, tt.n, tt.want, tt.err)
	}
	b.get("none", 0, 0, "", fs.ErrNotExist)
	b.get("none", 3, 4, "", fs.ErrNotExist)
	b.gone("none")
}

func empty(b *bucket) {
	b.list("", "", 9)
	b.put("e", "", nil)
	b.put("e", "x", blob.ErrExists)
	b.get("e", 0, -1, "", nil)
	b.get("e", 0, 0, "", nil)
	b.get("e", 0, 1, "", io.ErrUnexpectedEOF)
	if in, err := b.Head(b.Context(), "e"); err != nil || in.Size != 0 {
		b.Fatalf("head: got %v, %v", in, err)
	}
	b.list("", "", 9, "e")
}

// twice puts equal bodies.
func twice(b *bucket) {
	for _, body := range []string{"", "body"} {
		b.put("of"+body, body, nil)
		b.put("of"+body, body, blob.ErrExists)
	}
}

// broken has bytes before it and fails after half of them.
type broken struct{ n int64 }

var errBroken = errors.New("broken disk")

func (r broken) ReadAt(p []byte, off int64) (int, error) {
	n := max(0, min(int64(len(p)), r.n-off))
	if n < int64(len(p)) {
		return int(n), errBroken
	}
	return int(n), nil
}

func bodies(b *bucket) {
	// A body is all of a section, wherever the section is and whatever was read of it.
	part := io.NewSectionReader(strings.NewReader("0123456789"), 2, 5)
	if _, err := io.ReadFull(part, make([]byte, 3)); err != nil {
		b.Fatal(err)
	}
	if err := b.Put(b.Context(), "part", part); err != nil {
		b.Fatal(err)
	}
	b.get("part", 0, -1, "23456", nil)
	for name, size := range map[string]int64{"small": 1000, "big": 3 << 20} {
		if err := b.Put(b.Context(), name, io.NewSectionReader(broken{size / 2}, 0, size)); !errors.Is(err, errBroken) {
			b.Errorf("put what cannot be read, %d bytes: got %v", size, err)
		}
		b.gone(name)
		short := io.NewSectionReader(bytes.NewReader(make([]byte, size/2)), 0, size)
		if err := b.Put(b.Context(), name, short); err == nil || errors.Is(err, blob.ErrExists) || errors.Is(err, blob.ErrAway) {
			b.Errorf("put what ends early, %d bytes: got %v", size, err)
		}
		b.gone(name)
	}
}

func keys(b *bucket) {
	all := []string{
		"A", "a/b", "a/B", "a/c/d", "a-b", "a.b", "a0b", "ab", "abc", "abcd/e", "abcd-", "abcde/d", "abcdf/e", "aa/bb",
		"...", "..a", "a..b", ".a", "_", "-", "a_", "a/.b", "con", "nul.txt", "tmp", "a.tmp", "x/" + strings.Repeat("y", 200),
		strings.Repeat("L", 200), strings.Repeat("l", 199), strings.Repeat("d/", 60) + "e",
		strings.Repeat("f", 200) + "/" + strings.Repeat("g", 200) + "/" + strings.Repeat("h", 110),
		"0123456789/abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ/._-",
	}
	for _, key := range all {
		b.put(key, "of "+key, nil)
	}
	for _, key := range all {
		b.get(key, 0, -1, "of "+key, nil)
		b.put(key, "other", blob.ErrExists)
	}
	slices.Sort(all)
	b.list("", "", 99, all...)
	for _, key := range all {
		if err := b.Delete(b.Context(), key); err != nil {
			b.Fatal(err)
		}
		b.gone(key)
		all = all[1:]
		b.list("", "", 99, all...)
	}
}

func badKeys(b *bucket) {
	b.put("a/b", "1", nil)
	for _, key := range []string{
		"", "/", ".", "..", "/a", "a/", "a//b", "a/./b", "a/../b", "../a", "./a", "a/..", "a b", "a\x00", "a\\b", "ä", "\xff", "a:b", "a%2fb", "a+", "a=", "~a", "a?b",
		strings.Repeat("k", 201), strings.Repeat("k/", 256) + "k",
	} {
		ctx := b.Context()
		_, getErr := b.Get(ctx, key, 0, -1)
		_, headErr := b.Head(ctx, key)
		for name, err := range map[string]error{
			"put": b.Put(ctx, key, section(nil)), "get": getErr, "head": headErr, "delete": b.Delete(ctx, key),
		} {
			if !errors.Is(err, fs.ErrInvalid) {
				b.Errorf("%s %q: got %v, want %v", name, key, err, fs.ErrInvalid)
			}
		}
	}
	b.list("", "", 9, "a/b")
	b.get("a/b", 0, -1, "1", nil)
}

func lists(b *bucket) {
	all := []string{"a-", "a.b", "a/1", "a/2", "a/3/x", "a0", "b/1", "b/2", "c"}
	for i, n := range rand.Perm(len(all)) {
		b.put(all[n], strings.Repeat("x", i), nil)
	}
	for _, tt := range []struct {
		prefix, after string
		n             int
		want          string
	}{
		{"", "", 99, "a- a.b a/1 a/2 a/3/x a0 b/1 b/2 c"},
		{"a", "", 99, "a- a.b a/1 a/2 a/3/x a0"},
		{"a/", "", 99, "a/1 a/2 a/3/x"},
		{"a/2", "", 99, "a/2"},
		{"a/3", "", 99, "a/3/x"},
		{"a/3/", "", 99, "a/3/x"},
		{"", "", 3, "a- a.b a/1"},
		{"", "", 1, "a-"},
		{"", "", 0, ""},
		{"a", "a.b", 2, "a/1 a/2"},
		{"a/", "a/1", 99, "a/2 a/3/x"},
		{"a/", "a", 99, "a/1 a/2 a/3/x"},
		{"a/", "a/", 1, "a/1"},
		{"a/", "a/3/", 99, "a/3/x"},
		{"a/", "a/3/x", 99, ""},
		{"a/", "b", 99, ""},
		{"", "a/3/w", 2, "a/3/x a0"},
		{"", "a/3/y", 2, "a0 b/1"},
		{"b", "A", 99, "b/1 b/2"},
		{"", "b", 99, "b/1 b/2 c"},
		{"", "a/1\x00", 1, "a/2"},
		{"", "a/1+", 1, "a/2"},
		{"", "c", 99, ""},
		{"", "zzz", 99, ""},
		{"", "\xff", 99, ""},
		{"A", "", 99, ""},
		{"d", "", 99, ""},
		{"a//", "", 99, ""},
		{"/", "", 99, ""},
		{"..", "", 99, ""},
		{"../", "", 99, ""},
		{"a/../a", "", 99, ""},
		{"\xff", "", 99, ""},
		{"a b", "", 99, ""},
		{strings.Repeat("a", 600), "", 99, ""},
		{"a", strings.Repeat("A", 600), 2, "a- a.b"},
		{"a", strings.Repeat("a", 600), 2, ""},
	} {
		b.list(tt.prefix, tt.after, tt.n, strings.Fields(tt.want)...)
	}
	found, err := b.List(b.Context(), "", "", 99)
	if err != nil {
		b.Fatal(err)
	}
	for _, in := range found {
		if want, err := b.Head(b.Context(), in.Key); err != nil || want.Size != in.Size || !want.Modified.Equal(in.Modified) {
			b.Errorf("%s: list says %v, head says %v, %v", in.Key, in, want, err)
		}
	}
}

// randomLists compares lists with those of a map.
func randomLists(b *bucket) {
	rnd := rand.New(rand.NewPCG(7, 7))
	text := func(most int) string {
		out := make([]byte, rnd.IntN(most+1))
		for i := range out {
			out[i] = "aab/-0Z"[rnd.IntN(7)]
		}
		return string(out)
	}
	there := make(map[string]bool)
	for len(there) < 150 {
		if key := text(9); blob.CheckKey(key) == nil && !near(there, key) {
			b.put(key, "", nil)
			there[key] = true
		}
	}
	all := slices.Sorted(maps.Keys(there))
	for range 150 {
		prefix, after, n := text(3), text(5), rnd.IntN(40)
		if rnd.IntN(2) == 0 {
			after = all[rnd.IntN(len(all))]
		}
		var want []string
		for _, key := range all {
			if strings.HasPrefix(key, prefix) && key > after && len(want) < n {
				want = append(want, key)
			}
		}
		b.list(prefix, after, n, want...)
	}
}

// near reports whether a key is there, or one below it or above it.
func near(there map[string]bool, key string) bool {
	for other := range there {
		if strings.HasPrefix(other+"/", key+"/") || strings.HasPrefix(key, other+"/") {
			return true
		}
	}
	return false
}

func deletes(b *bucket) {
	del := func(key string) {
		b.Helper()
		if err := b.Delete(b.Context(), key); err != nil {
			b.Fatalf("delete %s: %v", key, err)
		}
	}
	del("never/there")
	b.put("a/b", "1", nil)
	b.put("a/c", "2", nil)
	del("a")
	del("a/b")
	b.gone("a/b")
	b.list("", "", 9, "a/c")
	del("a/b")
	b.put("a/b", "3", nil)
	b.get("a/b", 0, -1, "3", nil)
	b.get("a/c", 0, -1, "2", nil)
	b.list("a", "", 9, "a/b", "a/c")
}

func cancelled(b *bucket) {
	b.put("there", "1", nil)
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	_, getErr := b.Get(ctx, "there", 0, -1)
	_, headErr := b.Head(ctx, "there")
	_, listErr := b.List(ctx, "", "", 9)
	for name, err := range map[string]error{
		"put": b.Put(ctx, "new", section([]byte("2"))), "get": getErr, "head": headErr, "list": listErr, "delete": b.Delete(ctx, "there"),
	} {
		if !errors.Is(err, context.Canceled) {
			b.Errorf("%s after the end: got %v", name, err)
		}
	}
	b.list("", "", 9, "there")
}

// Pattern is bytes that are made when they are read: byte n depends on n alone.
type Pattern struct{}

// ReadAt is for io.ReaderAt. It never ends.
func (Pattern) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		x := uint64(off + int64(i))
		p[i] = byte((x * 0x9e3779b97f4a7c15) >> 56)
	}
	return len(p), nil
}

func large(b *bucket) {
	const size = 20<<20 + 12345
	body := io.NewSectionReader(Pattern{}, 0, size)
	if err := b.Put(b.Context(), "large", body); err != nil {
		b.Fatal(err)
	}
	if err := b.Put(b.Context(), "large", io.NewSectionReader(Pattern{}, 1, size)); !errors.Is(err, blob.ErrExists) {
		b.Fatalf("put again: %v", err)
	}
	if same, err := blob.Same(b.Context(), b, "large", body); err != nil || !same {
		b.Fatalf("same: got %v, %v", same, err)
	}
	for name, other := range map[string]*io.SectionReader{
		"shorter": io.NewSectionReader(Pattern{}, 0, size-1), "other": io.NewSectionReader(Pattern{}, 1, size),
	} {
		if same, err := blob.Same(b.Context(), b, "large", other); err != nil || same {
			b.Errorf("same as %s: got %v, %v", name, same, err)
		}
	}
	if same, err := blob.Same(b.Context(), b, "none", body); err != nil || same {
		b.Errorf("same as none: got %v, %v", same, err)
	}
	want := make([]byte, 1000)
	for _, off := range []int64{0, 5<<20 - 500, 16<<20 - 1, size - 1000} {
		if _, err := body.ReadAt(want, off); err != nil {
			b.Fatal(err)
		}
		b.get("large", off, 1000, string(want), nil)
	}
}

// whole reads keys while they are put: there is all of a body or nothing.
func whole(b *bucket) {
	const size = 300_000
	var readers sync.WaitGroup
	for i := range 8 {
		key := fmt.Sprint("k", i)
		done := make(chan struct{})
		for range 2 {
			readers.Go(func() {
				for last := false; !last; {
					select {
					case <-done:
						last = true
					default:
					}
					got, err := b.Get(b.Context(), key, 0, -1)
					if err == nil && len(got) != size || err != nil && (last || !errors.Is(err, fs.ErrNotExist)) {
						b.Errorf("%s: got %d bytes, %v", key, len(got), err)
						return
					}
				}
			})
		}
		if err := b.Put(b.Context(), key, io.NewSectionReader(Pattern{}, 0, size)); err != nil {
			b.Error(err)
		}
		close(done)
	}
	readers.Wait()
}

// races puts each key 16 times at once. Exactly one Put succeeds.
func races(b *bucket, equal bool) {
	const writers = 16
	for round := range 10 {
		key := fmt.Sprint("r", round)
		bodies := make([]string, writers)
		errs := make([]error, writers)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range writers {
			bodies[i] = strings.Repeat("x", 1000)
			if !equal {
				bodies[i] = fmt.Sprintf("%1000d", i)
			}
			wg.Go(func() {
				<-start
				errs[i] = b.Put(b.Context(), key, section([]byte(bodies[i])))
			})
		}
		close(start)
		wg.Wait()
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won >= 0:
				b.Fatalf("%s: writers %d and %d both succeeded", key, won, i)
			case err == nil:
				won = i
			case !errors.Is(err, blob.ErrExists):
				b.Fatalf("%s: writer %d: %v", key, i, err)
			}
		}
		if won < 0 {
			b.Fatalf("%s: nobody succeeded", key)
		}
		b.get(key, 0, -1, bodies[won], nil)
	}
}
