package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestStopped stops a process at every call of the bucket, before or after the call
// takes place, while it writes, makes checkpoints and cuts the log. The next process
// must find what was acknowledged, with the cache and without.
func TestStopped(t *testing.T) {
	long.Alone(t)
	stops, seen := 0, make(map[string]bool)
	for _, made := range []bool{false, true} {
		for at := 0; ; at++ {
			op, done := stopAt(t, at, made)
			if done {
				break
			}
			stops++
			seen[op] = true
		}
	}
	for _, op := range []string{"put log", "put part", "put mark", "delete log", "delete part", "delete mark", "get log", "list mark"} {
		if !seen[op] {
			t.Errorf("no stop at %s", op)
		}
	}
	if t.Logf("%d stops", stops); stops < 200 {
		t.Errorf("%d stops: the calls are not seen", stops)
	}
}

// stopAt runs a script that stops at a call. It reports the call, and whether the
// script ended before.
func stopAt(t *testing.T, at int, made bool) (op string, done bool) {
	b, clock := inmemory.NewBucket(), newClock()
	var mu sync.Mutex
	n, stopped := 0, ""
	h := &hooked{Bucket: b, hook: func(op, key string) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n <= at {
			return false, nil
		}
		first := stopped == ""
		if first {
			kind, _, _ := strings.Cut(strings.TrimPrefix(key, quick.Prefix), "/")
			stopped = op + " " + kind
		}
		return first && made, errStop
	}}
	o := quick
	o.Now = clock.now
	caches := []string{""}
	if at%8 == 0 {
		o = ledger.WithFiles(o, vfs.NewMem())
		o.Cache = "cache"
		caches = append(caches, o.Cache)
	}
	o.CheckpointBytes, o.PartBytes = 600, 100
	acked, tried := 0, 0
	l, err := ledger.Open(t.Context(), h, o)
	for tried = 0; err == nil && tried < 20; tried++ {
		if err = l.Swap(t.Context(), number(tried), number(tried+1)); err == nil {
			acked = tried + 1
			l.Quiet()
			clock.add(2 * time.Hour)
			err = l.Maintain(t.Context())
		}
	}
	if l != nil {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil && !errors.Is(err, errStop) {
		t.Fatalf("call %d: %v", at, err)
	}
	for _, cache := range caches {
		o := o
		o.Cache = cache
		l := open(t, b, o)
		got := all(t, l)
		if err := l.Swap(t.Context(), nil, []history.Record{{Key: "later"}}); err != nil {
			t.Fatal(err)
		}
		if !same(got, full(number(acked))) && !same(got, full(number(tried))) {
			t.Fatalf("call %d, %s, made %v: got %q, want %d or %d", at, stopped, made, got, acked, tried)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return stopped, stopped == ""
}

// number returns records that say n.
func number(n int) (out []history.Record) {
	for _, key := range []string{"a", "b", "c"} {
		r := history.Record{Key: key}
		if n > 0 {
			r.Value = fmt.Appendf(nil, "%s%050d", key, n)
		}
		out = append(out, r)
	}
	return out
}

// full leaves out records that do not exist.
func full(records []history.Record) []history.Record {
	if len(records) > 0 && records[0].Value == nil {
		return nil
	}
	return records
}

// sleeper is a ledger whose next call of a kind waits until it is woken.
type sleeper struct {
	*ledger.Ledger
	asleep, wake chan struct{}
}

// newSleeper returns a ledger that sleeps before its next call op on the log, once
// armed.
func newSleeper(t *testing.T, b blob.Bucket, o ledger.Options, op string) (s *sleeper, arm func()) {
	s = &sleeper{asleep: make(chan struct{}), wake: make(chan struct{})}
	var mu sync.Mutex
	armed := false
	h := &hooked{Bucket: b, hook: func(got, key string) (bool, error) {
		mu.Lock()
		stop := armed && got == op && strings.HasPrefix(key, o.Prefix+"log/")
		armed = armed && !stop
		mu.Unlock()
		if stop {
			close(s.asleep)
			<-s.wake
		}
		return false, nil
	}}
	s.Ledger = open(t, h, ledger.Patient(o)) // a process that is paused makes no second call
	return s, func() {
		mu.Lock()
		defer mu.Unlock()
		armed = true
	}
}

// awake writes entries, makes checkpoints and cuts the log, while another process
// sleeps for hours.
func awake(t *testing.T, b blob.Bucket, o ledger.Options, clock *clock) {
	l := open(t, b, o)
	for i := 1; i < 40; i++ {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
		l.Quiet()
		clock.add(10 * time.Minute)
		if err := l.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Head(t.Context(), o.Prefix+"log/0000000000000000002"); err == nil {
		t.Fatal("the log is not cut")
	}
}

// TestPaused pauses a process right before it puts an entry, or asks for one, until
// the number was written by another process and deleted. A process that trusts its
// old knowledge for so long must be wrong, or the test would show nothing.
func TestPaused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		trust time.Duration
		wrong bool
	}{
		{"asks always", -1, false},
		{"asks after five minutes", 5 * time.Minute, false},
		{"asks after a year", 365 * 24 * time.Hour, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := newClock()
			o := quick
			o.Now, o.CheckpointBytes, o.Timeout = clock.now, 1000, time.Hour
			sleepy := o
			if sleepy.Trust = tt.trust; tt.trust > 0 {
				sleepy.Grace = 2 * tt.trust
			}
			t.Run("write", func(t *testing.T) {
				b := inmemory.NewBucket()
				s, arm := newSleeper(t, b, sleepy, "put")
				if err := s.Swap(t.Context(), nil, number(1)); err != nil {
					t.Fatal(err)
				}
				arm()
				result := make(chan error)
				go func() { result <- s.Swap(t.Context(), number(1), number(99)) }()
				<-s.asleep
				awake(t, b, o, clock)
				close(s.wake)
				err := <-result
				if tt.wrong != (err == nil) {
					t.Errorf("a write that came too late: got %v", err)
				}
				if tt.wrong {
					return
				}
				if !errors.Is(err, history.ErrChanged) && !errors.Is(err, history.ErrAway) {
					t.Error(err)
				}
				for _, c := range []*ledger.Ledger{s.Ledger, open(t, b, o)} {
					if got := all(t, c); !same(got, number(40)) {
						t.Errorf("got %q", got)
					}
				}
			})
			t.Run("read", func(t *testing.T) {
				b := inmemory.NewBucket()
				s, arm := newSleeper(t, b, sleepy, "get")
				if err := s.Swap(t.Context(), nil, number(1)); err != nil {
					t.Fatal(err)
				}
				arm()
				result := make(chan []history.Record)
				go func() { result <- all(t, s) }()
				<-s.asleep
				awake(t, b, o, clock)
				close(s.wake)
				if got := <-result; same(got, number(40)) == tt.wrong {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

// TestTooLate puts an object under a number that was cut off long ago, as a write
// that was lost on its way might. Nobody must take it for an entry.
func TestTooLate(t *testing.T) {
	clock := newClock()
	o := quick
	o.Now, o.CheckpointBytes = clock.now, 1000
	b := inmemory.NewBucket()
	behind := open(t, b, o)
	if err := behind.Swap(t.Context(), nil, number(1)); err != nil {
		t.Fatal(err)
	}
	late := &hooked{Bucket: b, hook: func(op, key string) (bool, error) { return false, nil }}
	kept := copyOf(t, b, o.Prefix+"log/0000000000000000001")
	awake(t, b, o, clock)
	// The log is written once more from its first entry, by someone who sees nothing else.
	old := inmemory.NewBucket()
	put(t, old, o.Prefix+"log/0000000000000000001", kept)
	l := open(t, old, o)
	if err := l.Swap(t.Context(), number(1), number(66)); err != nil {
		t.Fatal(err)
	}
	put(t, late, o.Prefix+"log/0000000000000000002", copyOf(t, old, o.Prefix+"log/0000000000000000002"))
	if got := all(t, behind); !same(got, number(40)) {
		t.Errorf("got %q", got)
	}
}

func copyOf(t *testing.T, b blob.Bucket, key string) []byte {
	t.Helper()
	data, err := b.Get(t.Context(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t *testing.T, b blob.Bucket, key string, data []byte) {
	t.Helper()
	if err := b.Put(context.WithoutCancel(t.Context()), key, section(data)); err != nil {
		t.Fatal(err)
	}
}

// TestLost deletes an entry from the log, as a bucket might that lost too many drives.
// Nobody may write its number again.
func TestLost(t *testing.T) {
	b := inmemory.NewBucket()
	o := quick
	o.CheckpointBytes = 1 << 20
	l := open(t, b, o)
	for i := range 5 {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Delete(t.Context(), o.Prefix+"log/0000000000000000003"); err != nil {
		t.Fatal(err)
	}
	_, err := ledger.Open(t.Context(), b, o)
	var corrupt *ledger.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Part != o.Prefix+"log/0000000000000000003" {
		t.Errorf("got %v", err)
	}
	// Who has applied it goes on.
	if err := l.Swap(t.Context(), number(5), number(6)); err != nil {
		t.Error(err)
	}
}

// TestFullDisk fills the disk of the cache, for all files or for those of a name, at a
// step. The ledger goes on in memory, it closes, and the next one has all.
func TestFullDisk(t *testing.T) {
	const steps = 60
	for _, name := range []string{"", "MANIFEST-", "marker.", ".sst", "state-"} { // the last: its directories
		for _, from := range []int{-1, 0, 20, steps} { // before it is opened, until it is closed
			t.Run(fmt.Sprintf("%q from %d", name, from), func(t *testing.T) {
				var full atomic.Bool
				disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
					if full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpRemoveAll && strings.Contains(path.Base(op.Path), name) {
						return syscall.ENOSPC
					}
					return nil
				}))
				if err := disk.MkdirAll("cache", 0o700); err != nil {
					t.Fatal(err)
				}
				b := inmemory.NewBucket()
				o := ledger.WithFiles(quick, disk)
				o.Cache = "cache"
				said := make(chan error, 1000)
				o.Trouble = func(err error) { said <- err }
				large := bytes.Repeat([]byte("x"), 100_000)
				write := func(l *ledger.Ledger, first, last int) {
					for i := first; i < last; i++ {
						full.Store(i >= from)
						large = append(large, byte(i))
						if err := l.Swap(t.Context(), number(i), append(number(i+1), history.Record{Key: "large", Value: large})); err != nil {
							t.Fatalf("swap %d: %v", i, err)
						}
					}
				}
				check := func(l *ledger.Ledger, n int) {
					if got := all(t, l); !same(got[:3], number(n)) {
						t.Errorf("after %d steps: got %.200q", n, got)
					}
				}
				full.Store(from < 0)
				l, err := ledger.Open(t.Context(), b, o)
				if from < 0 && err != nil { // its lock cannot be made
					if !errors.Is(err, syscall.ENOSPC) {
						t.Error(err)
					}
					return
				} else if err != nil {
					t.Fatal(err)
				}
				write(l, 0, steps)
				check(l, steps)
				full.Store(true)
				if err := l.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
					t.Error(err)
				}
				if len(said) == 0 && (from < 0 || from < steps && name != "marker." && name != "state-") {
					t.Error("the disk was not full")
				}
				for i := 0; len(said) > 0; i++ {
					if err := <-said; !strings.Contains(err.Error(), "in memory") && (i == 0 || !errors.Is(err, syscall.ENOSPC)) {
						t.Error(err)
					}
				}
				full.Store(false)
				from = 10 * steps
				l = open(t, b, o)
				check(l, steps)
				write(l, steps, steps+5)
				check(l, steps+5)
				for len(said) > 0 {
					if err := <-said; !strings.Contains(err.Error(), "never finished") {
						t.Error("with room again: ", err)
					}
				}
			})
		}
	}
}

// TestDamagedCache changes a byte of each block of the cache's tables, while the ledger is
// open and while it is closed. Reads may fail once; then all is there.
func TestDamagedCache(t *testing.T) {
	for _, closed := range []bool{false, true} {
		t.Run(fmt.Sprint("closed ", closed), func(t *testing.T) {
			disk := vfs.NewMem()
			b := inmemory.NewBucket()
			o := ledger.WithFiles(quick, disk)
			o.Cache, o.CacheBytes = "cache", 1
			const n = 3000
			var want []history.Record
			l := open(t, b, o)
			for i := range n {
				want = append(want, history.Record{Key: fmt.Sprintf("key%06d", i), Value: bytes.Repeat([]byte{byte(i)}, 100+i%50)})
			}
			if err := l.Swap(t.Context(), nil, want); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if !closed {
				l = open(t, b, o)
			}
			if n := damage(t, disk, "cache", ".sst"); n == 0 {
				t.Fatal("there are no tables")
			}
			if closed {
				l = open(t, b, o)
			}
			found, err := l.Scan(t.Context(), "", "\xff", 2*n, false)
			if err != nil {
				t.Log(err)
				found = all(t, l)
			}
			if !same(found, want) {
				t.Errorf("%d records, want %d", len(found), len(want))
			}
			if err := l.Swap(t.Context(), nil, number(1)); err != nil {
				t.Error(err)
			}
			if l.Stats().Rebuilds == 0 {
				t.Error("the damage was not found")
			}
		})
	}
}

// damage changes a byte in each 500 of the first three quarters of the files below a
// directory that end in suffix. It returns how many files there are.
func damage(t *testing.T, disk vfs.FS, dir, suffix string) (files int) {
	names, err := disk.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file := disk.PathJoin(dir, name)
		about, err := disk.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if about.IsDir() {
			files += damage(t, disk, file, suffix)
			continue
		}
		if !strings.HasSuffix(name, suffix) {
			continue
		}
		files++
		f, err := disk.OpenReadWrite(file, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		for at := int64(100); at < about.Size()*3/4; at += 500 {
			if _, err := f.ReadAt(b, at); err != nil {
				t.Fatal(err)
			}
			b[0] ^= 0x40
			if _, err := f.WriteAt(b, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestFailingCatchUp opens a ledger with a long log while the tables of the cache cannot
// be written, at once or after a while.
func TestFailingCatchUp(t *testing.T) {
	long.Alone(t)
	b := inmemory.NewBucket()
	o := quick
	o.CheckpointBytes = 1 << 40
	l := open(t, b, o)
	for i := range 40 {
		r := history.Record{Key: fmt.Sprint("large", i), Value: bytes.Repeat([]byte{byte(i)}, 900_000)}
		if err := l.Swap(t.Context(), number(i), append(number(i+1), r)); err != nil {
			t.Fatal(err)
		}
	}
	for _, pause := range []time.Duration{0, 100 * time.Millisecond} {
		t.Run(pause.String(), func(t *testing.T) {
			o := ledger.WithFiles(o, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".sst") {
					time.Sleep(pause)
					return syscall.ENOSPC
				}
				return nil
			})))
			o.Cache, o.CacheBytes = "cache", 8<<20
			var said atomic.Int64
			o.Trouble = func(error) { said.Add(1) }
			l := open(t, b, o)
			if got := all(t, l); !same(got[:3], number(40)) || said.Load() == 0 {
				t.Errorf("%d troubles, got %.200q", said.Load(), got)
			}
		})
	}
}

// TestUnreadableCache lets all reads of the cache's tables fail, or end too early, while the
// ledger is open. One call may fail.
func TestUnreadableCache(t *testing.T) {
	var failing atomic.Bool
	o := ledger.WithFiles(quick, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && op.Kind == errorfs.OpFileReadAt {
			return syscall.EIO
		}
		return nil
	})))
	o.Cache, o.CacheBytes = "cache", 1
	b := inmemory.NewBucket()
	l := open(t, b, o)
	if err := l.Swap(t.Context(), nil, number(7)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, b, o)
	failing.Store(true)
	if _, err := l.Get(t.Context(), "a"); err != nil && !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if err := l.Swap(t.Context(), number(7), number(8)); err != nil {
		t.Error(err)
	}
	if got := all(t, l); !same(got, number(8)) || l.Stats().Troubles == 0 {
		t.Errorf("%d troubles, got %q", l.Stats().Troubles, got)
	}
}

// TestDamagedManifest changes each byte of the cache's manifest, and cuts it off at each. The
// cache has a checkpoint and what came after it, in tables of several levels. A ledger that
// takes it has all records.
func TestDamagedManifest(t *testing.T) {
	long.Alone(t)
	b := inmemory.NewBucket()
	first := open(t, b, quick)
	var records []history.Record
	for i := range 200 {
		records = append(records, history.Record{Key: fmt.Sprintf("key%06d", i), Value: bytes.Repeat([]byte{byte(i)}, 100)})
	}
	for range 2 { // the second claims a checkpoint
		if err := first.Swap(t.Context(), nil, records); err != nil {
			t.Fatal(err)
		}
	}
	if first.Quiet(); first.Stats().Checkpoints == 0 {
		t.Fatal("there is no checkpoint")
	}
	disk := vfs.NewMem()
	o := ledger.WithFiles(quick, disk)
	o.Cache, o.CheckpointBytes = "cache", 1<<40
	for i := range 5 {
		l := open(t, b, o)
		if err := l.Swap(t.Context(), nil, []history.Record{{Key: "key000000", Value: []byte{byte(i)}}}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := all(t, first)
	var file string
	names, err := disk.List("cache")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if inside, err := disk.List(disk.PathJoin("cache", name)); err == nil {
			for _, n := range inside {
				if strings.HasPrefix(n, "MANIFEST-") {
					file = max(file, disk.PathJoin("cache", name, n)) // the last counts
				}
			}
		}
	}
	good := contents(t, disk, file)
	taken := 0
	try := func(what string, bad []byte) {
		copied := vfs.NewMem()
		if _, err := vfs.Clone(disk, copied, "cache", "cache"); err != nil {
			t.Fatal(err)
		}
		f, err := copied.Create(file, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(slices.Clone(bad)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		o := ledger.WithFiles(o, copied)
		l, err := ledger.Open(t.Context(), b, o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := all(t, l); !same(got, want) {
			t.Errorf("%s: %d records, want %d", what, len(got), len(want))
		}
		if l.Stats().Rebuilds == 0 {
			taken++
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	try("the good one", good)
	if taken != 1 {
		t.Fatal("the good one was not taken")
	}
	for at := range good {
		if at%long.Of(7, 1) != 0 && at < len(good)-130 {
			continue
		}
		bad := slices.Clone(good)
		bad[at] ^= 0x41
		try(fmt.Sprintf("byte %d of %d", at, len(good)), bad)
		try(fmt.Sprintf("%d bytes of %d", at, len(good)), good[:at])
	}
	if t.Logf("%d bytes, taken %d times", len(good), taken); taken > 10 {
		t.Error("damage is not found")
	}
}

func contents(t *testing.T, disk vfs.FS, file string) []byte {
	f, err := disk.Open(file)
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

// TestSettledByPut loses every answer to a put of an entry, though its bytes can be read.
// They may be on one machine alone, so the Swap counts only when the bucket says so.
func TestSettledByPut(t *testing.T) {
	var lose atomic.Bool
	b := silent{inmemory.NewBucket(), &lose}
	o := quick
	o.Timeout = 100 * time.Millisecond
	l := open(t, b, o)
	lose.Store(true)
	if err := l.Swap(t.Context(), nil, number(1)); !errors.Is(err, history.ErrAway) {
		t.Errorf("nothing says that the entry is safe: got %v", err)
	}
	lose.Store(false)
	if err := l.Swap(t.Context(), number(1), number(2)); err != nil {
		t.Error(err)
	}
}

// silent is a bucket that loses the answers to all puts while lose is set.
type silent struct {
	blob.Bucket
	lose *atomic.Bool
}

func (s silent) Put(ctx context.Context, key string, body *io.SectionReader) error {
	err := s.Bucket.Put(ctx, key, body)
	if s.lose.Load() {
		err = fmt.Errorf("no answer: %w", blob.ErrAway)
	}
	return err
}

// TestFullBucket fills the bucket of a ledger. A Swap fails at once and changed nothing,
// unless an earlier put of its entry may have taken place.
func TestFullBucket(t *testing.T) {
	var puts atomic.Int64
	answers := func(int64) (bool, error) { return false, nil }
	b := &hooked{Bucket: inmemory.NewBucket()}
	b.hook = func(op, _ string) (bool, error) {
		if op != "put" {
			return false, nil
		}
		return answers(puts.Add(1))
	}
	o := patient
	l := open(t, b, o)
	for _, tt := range []struct {
		name    string
		answers func(n int64) (bool, error)
		want    error
		puts    int64
	}{
		{"full", func(int64) (bool, error) { return false, fmt.Errorf("put: %w", blob.ErrFull) }, history.ErrFull, 1},
		{"room again", func(int64) (bool, error) { return false, nil }, nil, 1},
		{"made, no answer, then full, then exists", func(n int64) (bool, error) {
			return n == 1, map[int64]error{1: fmt.Errorf("no answer: %w", blob.ErrAway), 2: blob.ErrFull}[n]
		}, nil, 3},
	} {
		answers = tt.answers
		puts.Store(0)
		err := l.Swap(t.Context(), nil, number(1))
		if !errors.Is(err, tt.want) || errors.Is(err, blob.ErrFull) || errors.Is(err, history.ErrAway) || puts.Load() != tt.puts {
			t.Errorf("%s: got %v after %d puts", tt.name, err, puts.Load())
		}
	}
	b.hook = func(op, _ string) (bool, error) { return false, fmt.Errorf("%s: %w", op, blob.ErrAway) }
	o.Timeout = time.Second
	if _, err := ledger.Open(t.Context(), b, o); !errors.Is(err, history.ErrAway) || errors.Is(err, blob.ErrAway) {
		t.Errorf("a catalogue that is away is no bucket that is: got %v", err)
	}
}

// TestLostObjects loses one object of a ledger after another. Who opens it then has all
// records, from an older checkpoint and the entries after it, as long as these are there.
// Otherwise it says so, and a damaged ledger has what is left.
func TestLostObjects(t *testing.T) {
	b := inmemory.NewBucket()
	o := quick
	o.CheckpointBytes, o.PartBytes = 700, 100
	l := open(t, b, o)
	const swaps = 40
	for i := range swaps {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
		l.Quiet()
	}
	want := full(number(swaps))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := b.List(t.Context(), o.Prefix, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	last := make(map[string]string) // object by kind
	for _, in := range found {
		kind, _, _ := strings.Cut(strings.TrimPrefix(in.Key, o.Prefix), "/")
		last[kind] = in.Key
	}
	marked := strings.TrimPrefix(last["mark"], o.Prefix+"mark/")[:19]
	for _, in := range found {
		key := strings.TrimPrefix(in.Key, o.Prefix)
		for _, damage := range []bool{false, true} {
			kept := copyOf(t, b, in.Key)
			if err := b.Delete(t.Context(), in.Key); err != nil {
				t.Fatal(err)
			}
			if damage {
				bad := bytes.Clone(kept)
				bad[len(bad)/2] ^= 1
				put(t, b, in.Key, bad)
			}
			// The newest entry is not known to have been there.
			gone := !damage && in.Key == last["log"] && marked < key[4:]
			needed := strings.HasPrefix(key, "log/") && key[4:] > marked && !gone
			l, err := ledger.Open(t.Context(), b, o)
			switch {
			case err == nil && gone:
			case err == nil && (needed || !same(all(t, l), want)):
				t.Errorf("%s, damaged %v: opened with %q", key, damage, all(t, l))
			case err != nil && !needed:
				t.Errorf("%s, damaged %v: %v", key, damage, err)
			}
			if l != nil {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
			loose := o
			loose.Damaged = true
			l = open(t, b, loose)
			if got := all(t, l); len(l.Faults()) == 0 && !same(got, want) && !gone || needed != (len(l.Faults()) > 0) && needed {
				t.Errorf("%s, damaged %v: loosely: got %q, faults %q", key, damage, got, l.Faults())
			}
			if err := l.Swap(t.Context(), nil, number(1)); err == nil {
				t.Error("a damaged ledger takes a Swap")
			}
			if err := errors.Join(l.Close(), b.Delete(t.Context(), in.Key)); err != nil {
				t.Error(err)
			}
			put(t, b, in.Key, kept)
		}
	}
}

// TestHoles loses objects while a process has all records. It finds out, and writes a
// checkpoint that makes them needless.
func TestHoles(t *testing.T) {
	for _, kind := range []string{"log", "part", "mark"} {
		b, clock := inmemory.NewBucket(), newClock()
		o := quick
		o.Now, o.CheckpointBytes, o.PartBytes = clock.now, 1<<20, 100
		l := open(t, b, o)
		for i := range 4 {
			if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				if err := l.Checkpoint(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		found, err := b.List(t.Context(), o.Prefix+kind, "", 99)
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		lost := found[len(found)-1].Key
		if kind == "log" {
			lost = found[len(found)-2].Key
		}
		if err := b.Delete(t.Context(), lost); err != nil {
			t.Fatal(err)
		}
		if err := l.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if kind != "mark" && l.Stats().Troubles == 0 {
			t.Errorf("%s is lost, and nobody says so", lost)
		}
		if got := all(t, open(t, b, o)); !same(got, number(4)) {
			t.Errorf("%s is lost: got %q", lost, got)
		}
	}
}
