package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// writtenStone is a stone with a text and a file of random bytes.
func writtenStone(t testing.TB, text string, size int) history.Stone {
	t.Helper()
	spec := stonetest.Spec{Properties: []stone.Property{{Key: "text", Value: text}}}
	if size > 0 {
		data := make([]byte, size)
		rng := rand.NewChaCha8(sha256.Sum256([]byte(text)))
		_, _ = rng.Read(data)
		spec.Files = []stonetest.FileSpec{{Path: "f", Data: data}}
	}
	var b bytes.Buffer
	id, err := spec.Write(&b, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

func textOf(t *testing.T, s remoteStore, name string, id stone.ID) (string, error) {
	t.Helper()
	o, err := s.Open(t.Context(), name, id)
	if err != nil {
		return "", err
	}
	if err := o.Check(t.Context()); err != nil {
		return "", err
	}
	return o.Properties()[0].Value, o.Close()
}

// stackOf answers with a stack of stones, inline as far as they fit.
func stackOf(t *testing.T, at history.ID, stones ...history.Stone) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		room, err := strconv.Atoi(r.URL.Query().Get("inline"))
		f := history.Fetched{Head: history.Head{Commit: at}, Data: make([][]byte, len(stones))}
		for i, s := range stones {
			f.Layers = append(f.Layers, history.Layer{Stone: ref(s), Upto: at})
			if room -= len(s.Data); room >= 0 {
				f.Data[i] = s.Data
			}
		}
		if err != nil {
			t.Error(err)
		}
		sayRecords(wire.StackBody(f))(w, r)
	}
}

// serveStones answers GET /v1/stones.
func serveStones(stones ...history.Stone) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, s := range stones {
			if strings.HasPrefix(r.URL.Path, "/v1/stones/"+s.ID.String()+"/") {
				w.Header().Set("Content-Type", "application/octet-stream")
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.Data))
				return
			}
		}
		refuse(wire.Gone)(w, r)
	}
}

// A world comes in one call, with as many of its stones as there is room for.
func TestFetch(t *testing.T) {
	a, b, at := realStone(t, "a"), realStone(t, "b"), history.ID{5}
	size := int64(len(a.Data))
	for _, tt := range []struct {
		at   history.ID
		room int64
		want history.Head
		data [][]byte
		call string
	}{
		{history.ID{}, 1 << 20, history.Head{Commit: at, Fence: 7}, [][]byte{a.Data, b.Data}, "inline=1048576"},
		{at, size, history.Head{Commit: at}, [][]byte{a.Data, nil}, fmt.Sprintf("inline=%d&at=%v", size, at)},
		{at, -1, history.Head{Commit: at}, [][]byte{nil, nil}, fmt.Sprintf("inline=0&at=%v", at)},
		{history.ID{}, 1 << 62, history.Head{Commit: at, Fence: 7}, [][]byte{a.Data, b.Data}, "inline=67108864"},
	} {
		f := newFake(t, stackOf(t, at, a, b))
		got, err := f.open(nil).Fetch(t.Context(), "w", tt.at, tt.room)
		want := history.Fetched{Head: tt.want, Layers: []history.Layer{{Stone: ref(a), Upto: at}, {Stone: ref(b), Upto: at}}, Data: tt.data}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", tt.call, got, err)
		}
		if calls := []string{"GET /v1/stack/w?" + tt.call}; !slices.Equal(f.seen(), calls) {
			t.Errorf("got %q, want %q", f.seen(), calls)
		}
	}
}

// Blocks of a large stone are cached, and no more of them than there is room for.
func TestCache(t *testing.T) {
	large := writtenStone(t, "large", 3<<20)
	for _, tt := range []struct {
		cache stone.PageCache
		calls [2]int // of reading two blocks twice, and again by another that opens the stone
	}{{nil, [2]int{2, 0}}, {stone.NewCache(600 << 10), [2]int{4, 4}}, {stone.NewCache(0), [2]int{4, 4}}} {
		f := newFake(t, serveStones(large))
		s := f.open(func(o *client.Options) { o.Cache = tt.cache })
		for i := range 2 {
			o, err := s.Open(t.Context(), "w", large.ID)
			if err != nil {
				t.Fatal(err)
			}
			before := len(f.seen())
			for _, off := range []int64{512 << 10, 1 << 20, 512 << 10, 1 << 20} {
				if _, err := o.ReadAt(make([]byte, 100), off); err != nil {
					t.Error(err)
				}
			}
			if n := len(f.seen()) - before; n != tt.calls[i] {
				t.Errorf("opened %d times: %d calls, want %d", i+1, n, tt.calls[i])
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A stack that nobody packed is one too.
func TestHighStack(t *testing.T) {
	want := history.Fetched{Head: history.Head{Commit: history.ID{2}}, Layers: make([]history.Layer, 20_000), Data: make([][]byte, 20_000)}
	for i := range want.Layers {
		want.Layers[i] = history.Layer{Stone: ref(stoneOf(fmt.Sprint(i))), After: history.ID{1}, Upto: history.ID{2}}
	}
	f := newFake(t, sayRecords(wire.StackBody(want)))
	got, err := f.open(nil).Stack(t.Context(), "w", history.ID{2})
	if err != nil || !slices.Equal(got, want.Layers) {
		t.Errorf("got %d layers, %v", len(got), err)
	}
}

// A large stone is read by what is asked for, never whole.
func TestLargeStone(t *testing.T) {
	large := writtenStone(t, "large", 24<<20)
	f := newFake(t, serveStones(large))
	s := f.open(func(o *client.Options) { o.Cache = stone.NewCache(1 << 20) })
	o, err := s.Open(t.Context(), "w", large.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.seen()); n != 2 || o.Size() != int64(len(large.Data)) {
		t.Errorf("%d calls for %d bytes", n, o.Size())
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()))
			if err != nil || !bytes.Equal(got, large.Data) {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
		})
	}
	wg.Wait()
	if err := o.Check(t.Context()); err != nil {
		t.Error(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		off := rng.Int64N(o.Size() + 10)
		p := make([]byte, rng.IntN(1<<20))
		n, err := o.ReadAt(p, off)
		want := large.Data[min(off, o.Size()):min(off+int64(len(p)), o.Size())]
		if !bytes.Equal(p[:n], want) || (err == io.EOF) != (n < len(p)) {
			t.Fatalf("%d bytes at %d: got %d, %v", len(p), off, n, err)
		}
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if _, err := o.ReadAt(make([]byte, 5), 5<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("after Close: got %v", err)
	}
}

// Reads of a stone that is open find the network again, and say when it is gone.
func TestLargeStoneTrouble(t *testing.T) {
	large := writtenStone(t, "large", 3<<20)
	good := serveStones(large)
	lie := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Range", text)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("abc"))
		}
	}
	for name, step := range map[string]http.HandlerFunc{
		"whole": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(large.Data)
		},
		"no range": lie(""), "another": lie("bytes 5-7/100"), "backwards": lie("bytes 9-2/100"), "minus": lie("bytes -2-0/3"),
		"a star": lie("bytes 0-2/*"), "a lot": lie("bytes 0-9223372036854775807/9223372036854775807"), "below": lie("bytes 8388608-8388610/3"),
		"page": status(200, "<html>"),
	} {
		f := newFake(t, step)
		if _, err := f.open(nil).Open(t.Context(), "w", large.ID); !plain(err) {
			t.Errorf("%s: got %v", name, err)
		}
		f = newFake(t, good, good, hangUp, refuse(wire.Internal), good, step)
		s := f.open(func(o *client.Options) { o.Cache = stone.NewCache(0) })
		o, err := s.Open(t.Context(), "w", large.ID)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 100)
		if n, err := o.ReadAt(p, 1<<20); n != 100 || err != nil || !bytes.Equal(p, large.Data[1<<20:1<<20+100]) {
			t.Errorf("%s: got %d bytes, %v", name, n, err)
		}
		if _, err := o.ReadAt(p, 1<<20); !plain(err) {
			t.Errorf("%s: read: got %v", name, err)
		}
		f.steps = []http.HandlerFunc{refuse(wire.Gone)}
		if err := o.Check(t.Context()); !errors.Is(err, history.ErrGone) {
			t.Errorf("%s: gone: got %v", name, err)
		}
		if _, err := o.ReadAt(p, -1); err == nil {
			t.Errorf("%s: before the beginning: no error", name)
		}
	}
}

// Bytes that are not those that a stone is named by are not taken for it.
func TestOtherStone(t *testing.T) {
	a, b, at := realStone(t, "a"), realStone(t, "b"), history.ID{5}
	swapped := history.Stone{ID: a.ID, Data: b.Data}
	f := newFake(t, stackOf(t, at, swapped), serveStones(swapped))
	s := f.open(nil)
	if _, err := s.Fetch(t.Context(), "w", at, 1<<20); !refused(err, wire.Corrupt) {
		t.Errorf("in a stack: got %v", err)
	}
	if _, err := s.Open(t.Context(), "w", a.ID); !refused(err, wire.Corrupt) {
		t.Errorf("got %v", err)
	}
	f = newFake(t, stackOf(t, history.ID{6}, a))
	if _, err := f.open(nil).Stack(t.Context(), "w", at); !plain(err) {
		t.Errorf("the stack of another commit: got %v", err)
	}
}

// Answers that are too long are not read to their end, nor kept.
func TestLongAnswers(t *testing.T) {
	endless := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			junk := bytes.Repeat([]byte(`[[[[[[[["`), 1<<13)
			for err := error(nil); err == nil; {
				_, err = w.Write(junk)
			}
		}
	}
	do := map[string]func(ctx context.Context, s remoteStore) error{
		"head": func(ctx context.Context, s remoteStore) error { _, err := s.Head(ctx, "a"); return err },
		"log": func(ctx context.Context, s remoteStore) error {
			_, err := s.Log(ctx, "a", history.ID{}, 1)
			return err
		},
		"stack": func(ctx context.Context, s remoteStore) error {
			_, err := s.Stack(ctx, "a", history.ID{1})
			return err
		},
		"stone":   func(ctx context.Context, s remoteStore) error { _, err := s.Open(ctx, "a", stone.ID{1}); return err },
		"create":  func(ctx context.Context, s remoteStore) error { return s.Create(ctx, "a") },
		"refused": func(ctx context.Context, s remoteStore) error { return s.Undelete(ctx, "a") },
	}
	for name, call := range do {
		kind := map[string]string{"head": "application/json", "create": "application/json", "stone": "application/octet-stream"}[name]
		if kind == "" {
			kind = wire.RecordsType
		}
		f := newFake(t, endless(kind))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := call(t.Context(), f.open(nil)); err == nil && name != "create" {
			t.Errorf("%s: no error", name)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s: took %d bytes", name, n)
		}
	}
}
