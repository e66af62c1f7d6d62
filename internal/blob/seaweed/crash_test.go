package seaweed_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
	"github.com/cairnvoxel/cairn/internal/testing/weedtest"
)

// clock is a clock that is set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fuse counts calls, and ends the process before or after one of them.
type fuse struct {
	mu    sync.Mutex
	calls int
	at    int  // 0 for never
	made  bool // the call takes place
	blown bool
}

var errKilled = errors.New("killed")

// burn reports whether a call takes place, and whether its process sees the answer.
func (f *fuse) burn() (takes, sees bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls++; f.at == 0 || f.calls < f.at {
		return true, true
	}
	first := !f.blown
	f.blown = true
	return first && f.made, false
}

// fusedNames are Names of a process that may be killed.
type fusedNames struct {
	seaweed.Records
	fuse *fuse
}

func (f fusedNames) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	takes, sees := f.fuse.burn()
	var err error
	if takes {
		err = f.Records.Swap(ctx, conditions, changes)
	}
	if !sees {
		return errKilled
	}
	return err
}

func (f fusedNames) Get(ctx context.Context, key string) ([]byte, error) {
	if _, sees := f.fuse.burn(); !sees {
		return nil, errKilled
	}
	return f.Records.Get(ctx, key)
}

// fusedWire are the requests of a process that may be killed.
func fusedWire(f *fuse, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Fused") == "" && r.Method == http.MethodGet {
			h.ServeHTTP(w, r) // reads change nothing
			return
		}
		takes, sees := f.burn()
		if !sees {
			if takes {
				h.ServeHTTP(discard{http.Header{}}, r)
			}
			panic(http.ErrAbortHandler)
		}
		h.ServeHTTP(w, r)
	})
}

// discard is a http.ResponseWriter.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// TestKilled ends the process at each call that it makes. After an hour the files are
// those that have a name, and what was acknowledged is there.
func TestKilled(t *testing.T) {
	for _, made := range []bool{false, true} {
		for at := 1; ; at++ {
			if !killed(t, at, made) {
				if at < 10 {
					t.Errorf("%d calls: they are not seen", at)
				}
				break
			}
		}
	}
}

// killed reports whether the process was killed before it ended.
func killed(t *testing.T, at int, made bool) bool {
	t.Helper()
	f := &fuse{at: at, made: made}
	c := weedtest.New(weedtest.Options{Wrap: func(h http.Handler) http.Handler { return fusedWire(f, h) }})
	defer c.Close()
	names := new(memory)
	time := newClock()
	b, err := seaweed.Open(t.Context(), fusedNames{names, f}, seaweed.Options{Masters: c.Masters(), IDs: 2, Batches: 1, PartBytes: 4, Tries: 2, Now: time.now})
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	unsure := make(map[string]bool) // calls that failed
	for i := range 4 {
		key := fmt.Sprint("k", i)
		if err := b.Put(t.Context(), key, section("of "+key)); err == nil {
			want[key] = "of " + key
		} else {
			unsure[key] = true
		}
	}
	for _, key := range []string{"k1", "k2"} {
		if err := b.Delete(t.Context(), key); err == nil {
			delete(want, key)
		} else {
			unsure[key] = true
		}
	}
	_ = b.Close() // it may be killed there too
	f.mu.Lock()
	blown := f.blown
	f.at = 0
	f.mu.Unlock()

	time.add(61 * 60e9)
	next := mustOpen(t, c, names, seaweed.Options{Now: time.now, PartBytes: 4})
	for range 2 { // the second time for what the first one found
		if _, err := next.Sweep(t.Context()); err != nil {
			t.Fatalf("killed at call %d: sweep: %v", at, err)
		}
	}
	found, err := next.List(t.Context(), "", "", 99)
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	for _, in := range found {
		got, err := next.Get(t.Context(), in.Key, 0, -1)
		if err != nil || string(got) != "of "+in.Key || want[in.Key] == "" && !unsure[in.Key] {
			t.Errorf("killed at call %d (made %v): %s: got %q, %v", at, made, in.Key, got, err)
		}
		parts += 2
		delete(want, in.Key)
	}
	for key := range want {
		if !unsure[key] {
			t.Errorf("killed at call %d (made %v): %s is lost", at, made, key)
		}
	}
	if n := len(c.Files()); n != parts {
		t.Errorf("killed at call %d (made %v): %d files, and %d have a name", at, made, n, parts)
	}
	left, err := names.Scan(t.Context(), "", "", 99)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range left {
		if !strings.HasPrefix(n.Key, "n/") {
			t.Errorf("killed at call %d (made %v): record %q is left", at, made, n.Key)
		}
	}
	return blown
}

// TestSweptAlive sweeps while the process is still there, but was stopped for an hour.
func TestSweptAlive(t *testing.T) {
	c := start(t, weedtest.Options{})
	names := new(memory)
	time := newClock()
	o := seaweed.Options{Now: time.now, IDs: 10, Batches: 1}
	b := mustOpen(t, c, &stopping{Records: names, stop: func() {
		time.add(61 * 60e9)
		other := mustOpen(t, c, names, seaweed.Options{Now: time.now})
		if r, err := other.Sweep(t.Context()); err != nil || r.Batches != 1 {
			t.Errorf("sweep: got %+v, %v", r, err)
		}
	}}, o)
	if err := b.Put(t.Context(), "a", section("1")); err != nil {
		t.Fatal(err)
	}
	// Its first try is written before the stop and named after it.
	if err := b.Put(t.Context(), "b", section("2")); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "1", "b": "2"} {
		if got, err := b.Get(t.Context(), key, 0, -1); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v", key, got, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	files(t, c, 3, 3)
}

// stopping are Names of a process that is stopped before it names b.
type stopping struct {
	seaweed.Records
	stop func()
	once sync.Once
}

func (s *stopping) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	if slices.ContainsFunc(changes, func(n seaweed.Name) bool { return n.Key == "n/b" }) {
		s.once.Do(s.stop)
	}
	return s.Records.Swap(ctx, conditions, changes)
}

// TestLostAnswers loses the answers of the names.
func TestLostAnswers(t *testing.T) {
	c := start(t, weedtest.Options{})
	for _, late := range []bool{false, true} {
		names := &lossy{memory: new(memory), late: late}
		b := mustOpen(t, c, names, seaweed.Options{})
		for i := range 9 {
			key := fmt.Sprint("k", i)
			err := b.Put(t.Context(), key, section("x"))
			if err != nil && !errors.Is(err, blob.ErrAway) || !late && err != nil {
				t.Errorf("late %v: put %s: %v", late, key, err)
			}
			if names.flush(); err == nil {
				continue
			}
			if got, err := b.Get(t.Context(), key, 0, -1); err != nil || string(got) != "x" {
				t.Errorf("late %v: %s: got %q, %v", late, key, got, err)
			}
		}
	}
}

// lossy loses the answer of every second Swap that names something. The Swap takes place
// at once, or late.
type lossy struct {
	*memory
	late    bool
	n       int
	waiting func()
}

func (l *lossy) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	if !strings.HasPrefix(changes[0].Key, "n/") {
		return l.memory.Swap(ctx, conditions, changes)
	}
	if l.n++; l.n%2 == 0 {
		return l.memory.Swap(ctx, conditions, changes)
	}
	l.waiting = func() { _ = l.memory.Swap(context.WithoutCancel(ctx), conditions, changes) }
	if !l.late {
		l.flush()
	}
	return fmt.Errorf("lossy: %w", blob.ErrAway)
}

func (l *lossy) flush() {
	if l.waiting != nil {
		l.waiting()
		l.waiting = nil
	}
}

// TestServerDown writes while one of three servers is down.
func TestServerDown(t *testing.T) {
	c := start(t, weedtest.Options{})
	time := newClock()
	names := new(memory)
	b := mustOpen(t, c, names, seaweed.Options{Now: time.now, IDs: 5})
	put := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := b.Put(t.Context(), fmt.Sprint("k", i), section(fmt.Sprint("of ", i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(n int) {
		t.Helper()
		for i := range n {
			if got, err := b.Get(t.Context(), fmt.Sprint("k", i), 0, -1); err != nil || string(got) != fmt.Sprint("of ", i) {
				t.Errorf("k%d: got %q, %v", i, got, err)
			}
		}
	}
	put(0, 7)
	c.KillServer(1)
	put(7, 20)
	check(20)
	if !b.Lacking() {
		t.Error("nobody noticed")
	}
	if r, err := b.Repair(t.Context()); err == nil || r.Repaired != 0 {
		t.Errorf("repair while a server is down: got %+v, %v", r, err)
	}
	if err := b.Delete(t.Context(), "k0"); err != nil { // a copy of it is on the server that is down
		t.Error(err)
	}
	if r, err := b.Sweep(t.Context()); err != nil || r.Left == 0 {
		t.Errorf("sweep while a server is down: got %+v, %v", r, err)
	}
	c.StartServer(1)
	r, err := b.Repair(t.Context())
	if err != nil || r.Repaired != 13 {
		t.Errorf("repair: got %+v, %v", r, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if r, err := b.Sweep(t.Context()); err != nil || r.Left > 0 {
		t.Errorf("sweep: got %+v, %v", r, err)
	}
	b = mustOpen(t, c, names, seaweed.Options{})
	if _, err := b.Get(t.Context(), "k0", 0, -1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("k0: got %v", err)
	}
	files(t, c, slices.Repeat([]int{3}, 19)...)
}

// TestAllCopiesAgain notices without Repair that all servers are there again.
func TestAllCopiesAgain(t *testing.T) {
	c := start(t, weedtest.Options{})
	time := newClock()
	b := mustOpen(t, c, new(memory), seaweed.Options{Now: time.now})
	c.KillServer(0)
	if err := b.Put(t.Context(), "a", section("x")); err != nil || !b.Lacking() {
		t.Fatalf("put: %v, lacking %v", err, b.Lacking())
	}
	c.StartServer(0)
	time.add(11e9)
	for i := 0; b.Lacking(); i++ { // it is tried in the background
		if err := b.Put(t.Context(), fmt.Sprint("b", i), section("x")); err != nil || i > 10000 {
			t.Fatal(err, i)
		}
	}
}

// TestMasters kills the masters one after the other. Puts use the ids that are there.
func TestMasters(t *testing.T) {
	time := newClock()
	c := start(t, weedtest.Options{Now: time.now})
	b := mustOpen(t, c, new(memory), seaweed.Options{Now: time.now, IDs: 50, Batches: 1})
	if err := b.Put(t.Context(), "first", section("x")); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		c.KillMaster(i)
	}
	for i := range 20 {
		if err := b.Put(t.Context(), fmt.Sprint("k", i), section("x")); err != nil {
			t.Fatalf("put %d without a master: %v", i, err)
		}
	}
	if got, err := b.Get(t.Context(), "k19", 0, -1); err != nil || string(got) != "x" {
		t.Errorf("get without a master: got %q, %v", got, err)
	}
	for i := range 3 {
		c.StartMaster(i)
	}
	time.add(20e9)
	for i := range 60 {
		if err := b.Put(t.Context(), fmt.Sprint("l", i), section("x")); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
}

// TestPing kills all volume servers, and then all masters instead.
func TestPing(t *testing.T) {
	c := start(t, weedtest.Options{})
	clock := newClock()
	b := mustOpen(t, c, new(memory), seaweed.Options{Now: clock.now, Timeout: time.Second})
	if err := b.Put(t.Context(), "a", section("a")); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		c.KillServer(i)
		clock.add(time.Minute)
		if err := b.Ping(t.Context()); err != nil && i < 2 {
			t.Errorf("%d servers are left: %v", 2-i, err)
		}
	}
	if err := b.Ping(t.Context()); !errors.Is(err, blob.ErrAway) {
		t.Errorf("no volume server answers: got %v", err)
	}
	for i := range 3 {
		c.StartServer(i)
	}
	for i := range c.Masters() {
		c.KillMaster(i)
	}
	if err := b.Ping(t.Context()); err != nil {
		t.Errorf("volume servers answer: %v", err)
	}
	for i := range c.Masters() {
		c.StartMaster(i)
	}
}

// TestLostServer puts while the servers do not know yet where the copies are now.
func TestLostServer(t *testing.T) {
	time := newClock()
	c := start(t, weedtest.Options{Servers: 4, Now: time.now})
	b := mustOpen(t, c, new(memory), seaweed.Options{Now: time.now, IDs: 5, Batches: 1})
	for i := range 20 {
		if i == 10 {
			c.LoseServer(1)
		}
		if err := b.Put(t.Context(), fmt.Sprint("k", i), section("x")); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
	for i := range 20 {
		if got, err := b.Get(t.Context(), fmt.Sprint("k", i), 0, -1); err != nil || string(got) != "x" {
			t.Errorf("get %d: got %q, %v", i, got, err)
		}
	}
}

// TestRoom assigns far more ids than the servers have room for, by their guess.
func TestRoom(t *testing.T) {
	c := start(t, weedtest.Options{})
	b := mustOpen(t, c, new(memory), seaweed.Options{IDs: 40})
	for i := range 1500 {
		if err := b.Put(t.Context(), fmt.Sprint("k", i), section("x")); err != nil || b.Lacking() {
			t.Fatalf("put %d: %v", i, err)
		}
	}
}

// TestDamage reads what some servers have damaged or lost.
func TestDamage(t *testing.T) {
	c := start(t, weedtest.Options{})
	b := mustOpen(t, c, new(memory), seaweed.Options{})
	if err := b.Put(t.Context(), "k", section("body")); err != nil {
		t.Fatal(err)
	}
	for i, what := range []func(int){c.Damage, c.Forget} {
		what(i)
		for range 5 {
			if got, err := b.Get(t.Context(), "k", 0, -1); err != nil || string(got) != "body" {
				t.Fatalf("got %q, %v", got, err)
			}
		}
	}
	c.Damage(2)
	if got, err := b.Get(t.Context(), "k", 0, -1); !errors.Is(err, blob.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("damaged everywhere: got %q, %v", got, err)
	}
	for i := range 3 {
		c.Forget(i)
	}
	if got, err := b.Get(t.Context(), "k", 0, -1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lost everywhere: got %q, %v", got, err)
	}
	c.KillServer(2)
	if got, err := b.Get(t.Context(), "k", 0, -1); !errors.Is(err, blob.ErrAway) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lost, and one server is down: got %q, %v", got, err)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]seaweed.Options{
		"no master":    {},
		"a path":       {Masters: []string{"127.0.0.1:9333/x"}},
		"a password":   {Masters: []string{"http://u:se-cret@127.0.0.1:9333"}},
		"copies":       {Masters: []string{"127.0.0.1:1"}, Copies: "3"},
		"fewer":        {Masters: []string{"127.0.0.1:1"}, Copies: "001", Fewer: "002"},
		"ids":          {Masters: []string{"127.0.0.1:1"}, IDs: 1 << 20},
		"nobody there": {Masters: []string{"127.0.0.1:1"}},
	} {
		if _, err := seaweed.Open(t.Context(), new(memory), o); err == nil || strings.Contains(err.Error(), "se-cret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// FuzzRecords reads records that others wrote.
func FuzzRecords(f *testing.F) {
	c := weedtest.New(weedtest.Options{})
	f.Cleanup(c.Close)
	names := new(memory)
	b, err := seaweed.Open(f.Context(), names, seaweed.Options{Masters: c.Masters(), PartBytes: 4})
	if err != nil {
		f.Fatal(err)
	}
	if err := b.Put(f.Context(), "k", section("0123456789")); err != nil {
		f.Fatal(err)
	}
	all, err := names.Scan(f.Context(), "", "", 9)
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range all {
		for i := range n.Value {
			f.Add(n.Key[0] == 'n', n.Value[:i])
		}
		f.Add(n.Key[0] == 'n', n.Value)
	}
	f.Fuzz(func(t *testing.T, name bool, value []byte) {
		key := "b/1,01abcdabcd"
		if name {
			key = "n/fuzz"
		}
		if value == nil {
			value = []byte{}
		}
		if err := names.Swap(t.Context(), nil, []seaweed.Name{{Key: key, Value: value}}); err != nil {
			t.Fatal(err)
		}
		in, err := b.Head(t.Context(), "fuzz")
		var corrupt *seaweed.CorruptError
		if name && err != nil && !errors.As(err, &corrupt) {
			t.Errorf("head: %v", err)
		}
		if name && err == nil && in.Size > int64(len(value))<<32 {
			t.Errorf("%d bytes of a record have a size of %d", len(value), in.Size)
		}
		if err := names.Swap(t.Context(), nil, []seaweed.Name{{Key: key}}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTruncated reads every beginning of a record.
func TestTruncated(t *testing.T) {
	c := start(t, weedtest.Options{})
	names := new(memory)
	b := mustOpen(t, c, names, seaweed.Options{PartBytes: 4})
	if err := b.Put(t.Context(), "k", section("0123456789")); err != nil {
		t.Fatal(err)
	}
	whole, err := names.Get(t.Context(), "n/k")
	if err != nil || len(whole) != 22+3*20 {
		t.Fatalf("the record has %d bytes, %v", len(whole), err)
	}
	for n := range whole {
		if err := names.Swap(t.Context(), nil, []seaweed.Name{{Key: "n/k", Value: whole[:n:n]}}); err != nil {
			t.Fatal(err)
		}
		var corrupt *seaweed.CorruptError
		if _, err := b.Get(t.Context(), "k", 0, -1); !errors.As(err, &corrupt) {
			t.Errorf("%d bytes of it: got %v", n, err)
		}
	}
}

// TestNamedDuringSweep names bytes while another process sweeps their batch, after it
// read which ids have a name.
func TestNamedDuringSweep(t *testing.T) {
	c := start(t, weedtest.Options{})
	names := new(memory)
	time := newClock()
	written, ended := make(chan struct{}), make(chan struct{})
	b := mustOpen(t, c, &stopping{Records: names, stop: func() {
		close(written)
		<-ended
	}}, seaweed.Options{Now: time.now, IDs: 4, Batches: 1})
	var put sync.WaitGroup
	put.Go(func() {
		if err := b.Put(t.Context(), "b", section("x")); err != nil {
			t.Error(err)
		}
	})
	<-written
	time.add(61 * 60e9)
	other := mustOpen(t, c, &scanning{Records: names, after: func() {
		close(ended)
		put.Wait()
	}}, seaweed.Options{Now: time.now})
	if _, err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Get(t.Context(), "b", 0, -1); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}

// scanning are Names that call something after the used ids of a batch were read.
type scanning struct {
	seaweed.Records
	after func()
	once  sync.Once
}

func (s *scanning) Scan(ctx context.Context, prefix, after string, n int) ([]seaweed.Name, error) {
	out, err := s.Records.Scan(ctx, prefix, after, n)
	if strings.HasPrefix(prefix, "u/") {
		s.once.Do(s.after)
	}
	return out, err
}

// TestDirtyLater writes bytes whose answer is lost, and ends their batch while nothing
// can be deleted.
func TestDirtyLater(t *testing.T) {
	var lose sync.Once
	var refuse atomic.Bool
	refuse.Store(true)
	c := start(t, weedtest.Options{Wrap: func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				lose.Do(func() {
					h.ServeHTTP(discard{http.Header{}}, r)
					panic(http.ErrAbortHandler)
				})
			}
			if r.Method == http.MethodDelete && refuse.Load() {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	}})
	names := new(memory)
	b, err := seaweed.Open(t.Context(), names, seaweed.Options{Masters: c.Masters(), IDs: 2, Batches: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", section("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	files(t, c, 3, 3)
	refuse.Store(false)
	b = mustOpen(t, c, names, seaweed.Options{})
	if r, err := b.Sweep(t.Context()); err != nil || r.Garbage != 1 || r.Left > 0 {
		t.Errorf("sweep: got %+v, %v", r, err)
	}
	files(t, c, 3)
}

// blind is Names that make changes and say that they are away.
type blind struct {
	seaweed.Records
	is atomic.Bool
}

func (b *blind) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	err := b.Records.Swap(ctx, conditions, changes)
	if err == nil && b.is.Load() {
		err = blob.ErrAway
	}
	return err
}

// TestNameNotSafe names bytes in a catalogue that has lost its standby. The name can be
// read, and is not safe.
func TestNameNotSafe(t *testing.T) {
	c := start(t, weedtest.Options{})
	names := &blind{Records: new(memory)}
	b := mustOpen(t, c, names, seaweed.Options{})
	if err := b.Put(t.Context(), "a", section("x")); err != nil {
		t.Fatal(err)
	}
	names.is.Store(true)
	if err := b.Put(t.Context(), "b", section("y")); !errors.Is(err, blob.ErrAway) {
		t.Errorf("got %v", err)
	}
	names.is.Store(false)
	if got, err := b.Get(t.Context(), "b", 0, -1); err != nil || string(got) != "y" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRacks opens clusters whose servers are in racks, with words that have places there
// and words that have none.
func TestRacks(t *testing.T) {
	for _, tt := range []struct {
		servers, racks, down int
		copies, fewer        string
		refused              bool
	}{
		{3, 1, 0, "002", "001", false},
		{3, 3, 0, "002", "001", true},
		{3, 3, 0, "020", "001", true},
		{3, 3, 0, "020", "010", false},
		{3, 1, 0, "020", "010", true},
		{4, 1, 0, "020", "001", true},
		{6, 3, 0, "002", "001", false}, // a third one may be down in each rack
		{6, 2, 0, "011", "001", false},
		{3, 1, 0, "200", "001", true},
		{3, 3, 1, "020", "010", false}, // a rack is down
		{3, 1, 1, "002", "001", false},
		{3, 1, 3, "002", "001", false},
	} {
		c := start(t, weedtest.Options{Servers: tt.servers, Racks: tt.racks})
		for i := range tt.down {
			c.KillServer(i)
		}
		b, err := seaweed.Open(t.Context(), new(memory), seaweed.Options{Masters: c.Masters(), Copies: tt.copies, Fewer: tt.fewer})
		if (err != nil) != tt.refused {
			t.Errorf("%+v: got %v", tt, err)
		}
		if err == nil {
			_ = b.Close()
		}
	}
}

// TestFull puts bytes where no server has room, and where too few servers are up, of which
// the master says the same.
func TestFull(t *testing.T) {
	var full, broken atomic.Bool
	c := start(t, weedtest.Options{Wrap: func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case full.Load() && r.URL.Path == "/dir/assign":
				http.Error(w, `{"error":"No writable volumes and no free volumes left for 001"}`, http.StatusNotAcceptable)
			case broken.Load() && r.Method == http.MethodPut:
				http.Error(w, `{"error":"write /data/3.dat: no space left on device"}`, http.StatusInternalServerError)
			default:
				h.ServeHTTP(w, r)
			}
		})
	}})
	names := new(memory)
	o := seaweed.Options{Masters: c.Masters(), IDs: 1, Batches: 1, Tries: 2}
	b := mustOpen(t, c, names, o)
	put := func(key string) error { return b.Put(t.Context(), key, section("x")) }
	broken.Store(true)
	if err := put("a"); !errors.Is(err, blob.ErrFull) || errors.Is(err, blob.ErrAway) {
		t.Errorf("disks are full: got %v", err)
	}
	broken.Store(false)
	full.Store(true)
	b = mustOpen(t, c, names, o)
	if err := put("b"); !errors.Is(err, blob.ErrFull) || errors.Is(err, blob.ErrAway) {
		t.Errorf("no free volumes: got %v", err)
	}
	full.Store(false)
	c.KillServer(0)
	c.KillServer(1)
	b = mustOpen(t, c, names, o)
	if err := put("c"); !errors.Is(err, blob.ErrAway) || errors.Is(err, blob.ErrFull) {
		t.Errorf("two servers are down: got %v", err)
	}
}
