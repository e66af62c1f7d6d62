package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

func options(url string) s3.Options {
	return s3.Options{Endpoint: url, Bucket: "cairn", AccessKey: "key", SecretKey: "se-cret", Timeout: time.Minute}
}

// TestCareless opens servers that replace objects in spite of the condition.
func TestCareless(t *testing.T) {
	f := newFake()
	f.careless = true
	if _, err := s3.Open(t.Context(), options(serve(t, f))); err == nil || !strings.Contains(err.Error(), "If-None-Match") {
		t.Errorf("open: got %v", err)
	}
	f = newFake()
	f.carelessP = true
	o := options(serve(t, f))
	o.PartBytes = 5 << 20
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "small", section("x")); err != nil {
		t.Error(err)
	}
	err = b.Put(t.Context(), "large", io.NewSectionReader(blobtest.Pattern{}, 0, 6<<20))
	if err == nil || !strings.Contains(err.Error(), "in parts") {
		t.Errorf("put in parts: got %v", err)
	}
}

// TestAway opens servers that do not answer, or answer that they cannot.
func TestAway(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections, and nobody reads them
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, url := range map[string]string{
		"silent": "http://" + hole.Addr().String(), "refused": gone.URL,
		"busy":   serve(t, blobtest.Wire(newFake(), func(*http.Request) blobtest.Damage { return blobtest.Busy })),
		"resets": serve(t, blobtest.Wire(newFake(), func(*http.Request) blobtest.Damage { return blobtest.ResetFirst })),
	} {
		t.Run(name, func(t *testing.T) {
			o := options(url)
			o.Timeout = 200 * time.Millisecond
			_, err := s3.Open(t.Context(), o)
			if !errors.Is(err, blob.ErrAway) || strings.Contains(err.Error(), "se-cret") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestGoesAway tries once while the server is away, and sees when it is back.
func TestGoesAway(t *testing.T) {
	var away atomic.Bool
	var trips []string
	o := options(serve(t, blobtest.Wire(newFake(), func(*http.Request) blobtest.Damage {
		if away.Load() {
			return blobtest.ResetFirst
		}
		return blobtest.Unhurt
	})))
	o.OnRequest = func(t blob.Request) { trips = append(trips, fmt.Sprintf("%s %d %v", t.Op, t.Bytes, t.Err == nil)) }
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	away.Store(true)
	trips = nil
	for range 2 {
		if err := b.Put(t.Context(), "k", section("12345")); !errors.Is(err, blob.ErrAway) {
			t.Errorf("put: got %v", err)
		}
	}
	if err := b.Ping(t.Context()); !errors.Is(err, blob.ErrAway) {
		t.Errorf("ping: got %v", err)
	}
	if n := len(trips); n < 4 || n > 6 || trips[n-1] != "ping 0 false" || trips[n-2] != "put 5 false" {
		t.Errorf("trips: got %q", trips)
	}
	away.Store(false)
	trips = nil
	if err := b.Put(t.Context(), "k", section("12345")); err != nil {
		t.Error(err)
	}
	if got, err := b.Get(t.Context(), "k", 1, 3); err != nil || string(got) != "234" {
		t.Errorf("get: got %q, %v", got, err)
	}
	if want := []string{"put 5 true", "get 3 true"}; !slices.Equal(trips, want) {
		t.Errorf("trips: got %q, want %q", trips, want)
	}
}

// TestFull asks servers without room. One that has been used can be opened and read. After
// a try whose answer was lost, that there is no room says nothing about that try.
func TestFull(t *testing.T) {
	for _, why := range []struct {
		status int
		code   string
	}{{507, "XMinioStorageFull"}, {403, "QuotaExceeded"}} {
		f := newFake()
		var full, lose atomic.Bool
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && lose.Swap(false) {
				f.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
			if r.Method == http.MethodPut && full.Load() {
				refuse(w, why.status, why.code)
				return
			}
			f.ServeHTTP(w, r)
		}))
		full.Store(true)
		if _, err := s3.Open(t.Context(), options(url)); err == nil {
			t.Error("opened a bucket that nobody tried out")
		}
		full.Store(false)
		b, err := s3.Open(t.Context(), options(url))
		if err == nil {
			err = b.Put(t.Context(), "k", section("x"))
		}
		if err != nil {
			t.Fatal(err)
		}
		full.Store(true)
		if b, err = s3.Open(t.Context(), options(url)); err != nil {
			t.Fatalf("%s: open: %v", why.code, err)
		}
		if got, err := b.Get(t.Context(), "k", 0, -1); err != nil || string(got) != "x" {
			t.Errorf("%s: got %q, %v", why.code, got, err)
		}
		if err := b.Put(t.Context(), "l", section("y")); !errors.Is(err, blob.ErrFull) || errors.Is(err, blob.ErrAway) {
			t.Errorf("%s: put: got %v", why.code, err)
		}
		lose.Store(true)
		if err := b.Put(t.Context(), "m", section("z")); !errors.Is(err, blob.ErrAway) || errors.Is(err, blob.ErrFull) {
			t.Errorf("%s: put after a lost answer: got %v", why.code, err)
		}
	}
}

func TestDamaged(t *testing.T) {
	f := newFake()
	flip := 0
	b, err := s3.Open(t.Context(), options(serve(t, blobtest.Wire(f, func(r *http.Request) blobtest.Damage {
		if flip > 0 && r.Method == http.MethodGet {
			flip--
			return blobtest.Flipped
		}
		return blobtest.Unhurt
	}))))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", section("body")); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{-1, 4} {
		flip = 1
		if got, err := b.Get(t.Context(), "k", 0, n); err != nil || string(got) != "body" {
			t.Errorf("damaged on its way: got %q, %v", got, err)
		}
	}
	f.damage("k")
	if _, err := b.Get(t.Context(), "k", 0, 4); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("damaged where it is: got %v", err)
	}
}

// TestMissingBucket does not take a bucket that is not there for one without keys.
func TestMissingBucket(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { refuse(w, http.StatusNotFound, "NoSuchBucket") }))
	if _, err := s3.Open(t.Context(), options(url)); err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrAway) {
		t.Errorf("got %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	f := newFake()
	o := options(serve(t, f))
	o.ReadOnly = true
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", section("x")); err == nil {
		t.Error("put: no error")
	}
	if err := b.Delete(t.Context(), "k"); err == nil {
		t.Error("delete: no error")
	}
	if len(f.objects) > 0 {
		t.Errorf("%d objects", len(f.objects))
	}
}

func TestTime(t *testing.T) {
	f := newFake()
	there := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	f.now = func() time.Time { return there }
	here := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	o := options(serve(t, f))
	calls := 0
	o.Now, o.OnRequest = func() time.Time { return here }, func(blob.Request) { calls++ }
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	calls = 0
	for _, tt := range []struct {
		here, there time.Duration // that pass before
		want        time.Duration // since the beginning
		calls       int
	}{
		{0, 0, 0, 0}, {10 * time.Second, 0, 10 * time.Second, 0}, {55 * time.Second, 65 * time.Second, 65 * time.Second, 1},
	} {
		calls = 0
		here, there = here.Add(tt.here), there.Add(tt.there)
		got, err := b.Time(t.Context())
		if want := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC).Add(tt.want); err != nil || !got.Equal(want) || calls != tt.calls {
			t.Errorf("got %v, %v after %d calls, want %v after %d", got, err, calls, want, tt.calls)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]s3.Options{
		"no bucket":           {Endpoint: "http://127.0.0.1:1"},
		"half an account":     {Bucket: "b", AccessKey: "a"},
		"another scheme":      {Bucket: "b", Endpoint: "ftp://127.0.0.1"},
		"a path":              {Bucket: "b", Endpoint: "http://127.0.0.1/b"},
		"a password":          {Bucket: "b", Endpoint: "http://u:se-cret@127.0.0.1"},
		"no URL":              {Bucket: "b", Endpoint: "http://se-cret\x7f"},
		"a bad prefix":        {Bucket: "b", Prefix: "../x"},
		"small parts":         {Bucket: "b", PartBytes: 1},
		"no PEM":              {Bucket: "b", Endpoint: "https://127.0.0.1:1", CA: []byte("x")},
		"a bucket's bad name": {Bucket: "B_", Endpoint: "http://127.0.0.1:1", AccessKey: "a", SecretKey: "b"},
	} {
		if _, err := s3.Open(t.Context(), o); err == nil || strings.Contains(err.Error(), "se-cret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOpenURL(t *testing.T) {
	f := newFake()
	t.Setenv("AWS_ENDPOINT_URL", serve(t, f))
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "se-cret")
	b, err := s3.OpenURL(t.Context(), "s3://cairn/a/b/", s3.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", section("x")); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.objects["a/b/k"]; !ok || len(f.objects) != 2 {
		t.Errorf("objects: %d", len(f.objects))
	}
	for _, s := range []string{"", "s3:", "s3://", "s3:///x", "http://b/x", "s3://u@b/x", "s3://b/x?y", "s3://b/../x", "s3://b/\x7f"} {
		if _, err := s3.OpenURL(t.Context(), s, s3.Options{}); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}

// TestMemory puts a large body without holding it.
func TestMemory(t *testing.T) {
	o := options(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil && strings.Contains(r.URL.Path, "~probe") {
			refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		}
	})))
	o.PartBytes = 64 << 20
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := b.Put(t.Context(), "large", io.NewSectionReader(blobtest.Pattern{}, 0, 32<<20)); err != nil {
		t.Fatal(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("a body of 32 MiB allocates %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestHuge does not believe a server that says that an object is huge.
func TestHuge(t *testing.T) {
	o := options(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("Content-Length", fmt.Sprint(1<<50))
		if r.Method == http.MethodGet {
			_, _ = w.Write(make([]byte, 1000))
		}
	})))
	o.ReadOnly = true
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.Get(t.Context(), "k", 0, -1); !errors.Is(err, blob.ErrAway) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// TestStops ends the context of a call to a server that does not answer.
func TestStops(t *testing.T) {
	silent := false
	arrived := make(chan struct{}, 1)
	o := options(serve(t, blobtest.Wire(newFake(), func(*http.Request) blobtest.Damage {
		if !silent {
			return blobtest.Unhurt
		}
		arrived <- struct{}{}
		return blobtest.Silent
	})))
	o.Timeout = time.Hour
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	silent = true
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if err := b.Put(ctx, "k", section("x")); !errors.Is(err, context.Canceled) || errors.Is(err, blob.ErrAway) {
		t.Errorf("got %v", err)
	}
}

// TestPartsLock keeps an object from being deleted.
func TestPartsLock(t *testing.T) {
	parts.Need(t, "minio")
	m, err := parts.StartMinIO(t.Context(), t.TempDir(), parts.MinIOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b := mustOpen(t, s3.Options{Endpoint: m.URL()})
	if err := b.Put(t.Context(), "k", section("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(t.Context(), "k", time.Now().Add(time.Hour)); err == nil || errors.Is(err, blob.ErrAway) {
		t.Errorf("lock without object lock: got %v", err)
	}
	locked := mustOpenLocked(t, m.URL())
	if err := locked.Put(t.Context(), "k", section("x")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []time.Duration{2 * time.Hour, 3 * time.Hour, time.Hour} { // it may not become shorter
		if err := locked.Lock(t.Context(), "k", time.Now().Add(d)); err != nil {
			t.Errorf("lock for %v: %v", d, err)
		}
	}
	if err := locked.Lock(t.Context(), "none", time.Now().Add(time.Hour)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lock nothing: got %v", err)
	}
}
