package streams_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// mustStore returns a store with a world of hills.
func mustStore(t *testing.T, names ...string) history.Store {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Level{Seed: 1}.Source(geom.Box{Max: geom.Point{X: 64, Y: 256, Z: 64}}))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New(memory.Options{})
	for _, name := range names {
		if _, err := world.Import(t.Context(), st, name, history.Stone{ID: id, Data: b.Bytes()}, world.Options{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

func optionsOf(patience time.Duration) streams.Options {
	return streams.Options{
		Cache: stone.NewCache(1 << 20), Viewers: 100, WorldMemory: 256 << 20, Patience: patience, Log: slog.New(slog.DiscardHandler),
		Failure: func(err error) *stream.Failure {
			return &stream.Failure{Code: map[bool]string{true: "busy"}[errors.Is(err, streams.ErrBusy)], Words: err.Error()}
		},
	}
}

// TestCloseUnread: a viewer that does not read does not keep a Hub from closing.
func TestCloseUnread(t *testing.T) {
	h := streams.New(mustStore(t, "a"), optionsOf(time.Second))
	ours, theirs := net.Pipe()
	defer theirs.Close()
	shown := make(chan error, 1)
	go func() {
		shown <- h.Show(context.Background(), ours, &stream.Hello{Protocol: stream.Protocol, World: "a"}, nil, nil)
	}()
	// The first byte of Welcome says that the session has begun. The rest waits to be read.
	if _, err := theirs.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-closed:
		<-shown
	case <-time.After(20 * time.Second):
		t.Error("the Hub waits for a viewer that does not read")
	}
}

// TestManyVersions: all versions that viewers look at take a bounded memory together.
func TestManyVersions(t *testing.T) {
	ctx := t.Context()
	st := mustStore(t, "a")
	head, err := st.Head(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	v, err := world.OpenSnapshot(ctx, st, "a", head.Commit, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one := v.Memory()
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for n := range 5 { // versions of the same content
		c, err := st.Commit(ctx, "a", head, history.Commit{Parent: head.Commit, Base: head.Commit, Message: fmt.Sprint(n)})
		if err != nil {
			t.Fatal(err)
		}
		head.Commit = c.ID()
	}
	o := optionsOf(10 * time.Second)
	o.WorldMemory = one
	h := streams.New(st, o)
	defer func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	look := func(at string) (told chan stream.Frame, leave func()) {
		ours, theirs := net.Pipe()
		told = make(chan stream.Frame, 1000)
		shown, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(shown)
			hello, err := h.Hello(ours)
			if err != nil {
				t.Error(err)
				return
			}
			_ = h.Show(context.Background(), ours, hello, nil, nil)
		}()
		c := &stream.Client{Told: func(f stream.Frame) { told <- f }}
		go func() {
			defer close(ended)
			_ = c.Run(theirs, stream.Hello{World: "a", At: at}, stream.Viewpoint{Radius: 10, Memory: 1 << 20})
		}()
		return told, func() { theirs.Close(); <-ended; <-shown }
	}
	code := func(told chan stream.Frame) string {
		for f := range told {
			switch f := f.(type) {
			case *stream.Welcome:
				return ""
			case *stream.Failure:
				return f.Code
			}
		}
		return "the end"
	}
	var leave []func()
	for n, want := range []string{"", "", "", "", "busy"} { // the head, and three more
		told, end := look([]string{"", "1", "2", "3", "4"}[n])
		leave = append(leave, end)
		if got := code(told); got != want {
			t.Errorf("viewer %d: %q, want %q", n, got, want)
		}
	}
	leave[4]()
	leave[3]()
	told, end := look("5")
	if got := code(told); got != "" {
		t.Errorf("after one left: %q", got)
	}
	end()
	for _, end := range leave[:3] {
		end()
	}
}

// mute is a Store that does not answer Head while somebody holds shut.
type mute struct {
	history.Store
	shut  sync.RWMutex
	asked chan struct{}
}

func (m *mute) Head(ctx context.Context, name string) (history.Head, error) {
	select {
	case m.asked <- struct{}{}:
	default:
	}
	m.shut.RLock()
	defer m.shut.RUnlock()
	return m.Store.Head(ctx, name)
}

// TestStoreDoesNotAnswer has a store that does not say what is new in a world. Time goes on for the world's viewers all the same:
// who does not read is cut off.
func TestStoreDoesNotAnswer(t *testing.T) {
	st := &mute{Store: mustStore(t, "a"), asked: make(chan struct{}, 1)}
	h := streams.New(st, optionsOf(200*time.Millisecond))
	ours, theirs := net.Pipe()
	defer theirs.Close()
	shown := make(chan error, 1)
	go func() {
		shown <- h.Show(context.Background(), ours, &stream.Hello{Protocol: stream.Protocol, World: "a"}, nil, nil)
	}()
	if _, err := theirs.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	st.shut.Lock()
	for len(st.asked) > 0 {
		<-st.asked
	}
	h.Moved("a")
	<-st.asked
	var f *stream.Failure
	select {
	case err := <-shown:
		if !errors.As(err, &f) || f.Code != "slow_viewer" {
			t.Errorf("the viewer is told %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the ticks wait for the store")
		theirs.Close()
	}
	st.shut.Unlock()
	if err := h.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
