// Package gallery shows worlds that lie in files and folders as a history.Store that cannot be
// changed. Open begins. Each world has one version. A world is read when it is first asked for:
// a stone from its file, others into a temporary file that is gone when the Store is closed.
// Nothing is written beside the worlds.
package gallery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Gallery. The zero value is the default.
type Options struct {
	// Memory is about how many bytes of a world are in memory while it is read. Default: any
	// number.
	Memory int64
	// Temp is the folder of temporary files. Default: os.TempDir.
	Temp string
	// Tell gets a line of text for each file that looks like a world and is none, when a world begins
	// to be read, when it was, and on what is odd in it. Default: none.
	Tell func(text string)
}

// Gallery is the readable part of a history.Store; ReadOnly makes it one. Its methods are safe
// for any number of goroutines.
type Gallery struct {
	// Passed names the files that were passed over, and says why.
	Passed []string

	o      Options
	worlds map[string]*exhibit
	names  []string // in ascending order
	turn   sync.Mutex
	ctx    context.Context // of reading worlds
	stop   func()
	wait   sync.WaitGroup
}

// exhibit is a world.
type exhibit struct {
	path  string
	begun sync.Once
	done  chan struct{} // closed when what is below is known

	err     error
	commit  history.Commit
	bytes   io.ReaderAt
	damaged int // chunks
	notes   []string
	close   []io.Closer // last first
}

// Open opens the world at path, or all worlds in a folder and the folders below. It reads no
// world yet. An error of the path itself is a *fs.PathError.
func Open(ctx context.Context, path string, o Options) (*Gallery, error) {
	found, passed, err := find(ctx, path)
	if err != nil {
		return nil, err
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	for _, p := range passed {
		o.Tell("passed over: " + p)
	}
	g := &Gallery{o: o, Passed: passed, worlds: make(map[string]*exhibit)}
	g.ctx, g.stop = context.WithCancel(context.Background())
	for _, f := range found {
		g.worlds[f.name] = &exhibit{path: f.path, done: make(chan struct{})}
		g.names = append(g.names, f.name)
	}
	slices.Sort(g.names)
	return g, nil
}

// Names returns the names of the worlds in ascending order. They are made of the paths.
func (g *Gallery) Names() []string { return slices.Clone(g.names) }

// Close ends the reading of worlds and deletes the temporary files.
func (g *Gallery) Close() (err error) {
	g.stop()
	g.wait.Wait()
	for _, name := range g.names {
		err = errors.Join(err, g.worlds[name].shut())
	}
	return err
}

// Ready waits until a world has been read, and returns why it could not be.
func (g *Gallery) Ready(ctx context.Context, name string) error {
	_, err := g.world(ctx, name)
	return err
}

// world returns a world that has been read.
func (g *Gallery) world(ctx context.Context, name string) (*exhibit, error) {
	if err := history.CheckName(name); err != nil {
		return nil, err
	}
	e := g.worlds[name]
	if e == nil {
		return nil, fmt.Errorf("gallery: %q: %w", name, history.ErrNoWorld)
	}
	e.begun.Do(func() {
		g.wait.Go(func() {
			defer close(e.done)
			g.turn.Lock()
			defer g.turn.Unlock()
			g.o.Tell("reading " + e.path)
			began := time.Now()
			if e.err = g.read(e); e.err != nil {
				g.o.Tell(e.err.Error())
				e.err = errors.Join(&wire.Error{Code: wire.Unsupported, Message: "the world cannot be read: " + e.err.Error()}, e.shut())
				return
			}
			text := fmt.Sprintf("read %s in %.1f s", name, time.Since(began).Seconds())
			for _, note := range e.notes {
				g.o.Tell(name + ": " + note)
			}
			if e.damaged > 0 {
				text += fmt.Sprintf("; damaged chunks that are not shown: %d", e.damaged)
			}
			g.o.Tell(text)
		})
	})
	select {
	case <-e.done:
		return e, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read makes the one version of a world.
func (g *Gallery) read(e *exhibit) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	info, err := os.Stat(e.path)
	if err != nil {
		return err
	}
	src, err := port.Open(e.path, port.Options{Salvage: true, Memory: g.o.Memory, File: func() (whole.TempFile, error) { return port.TempFile(g.o.Temp) }})
	if err != nil {
		return err
	}
	e.close = append(e.close, src)
	st, err := g.stone(e, src)
	if err != nil {
		return err
	}
	e.bytes = st.Open()
	e.commit = history.Commit{Message: e.path, Stones: []history.StoneRef{st.Ref()}}.Complete(history.Commit{}, info.ModTime())
	return nil
}

// stone returns a world as a stone: its file, or a temporary one with far levels.
func (g *Gallery) stone(e *exhibit, src *port.Opened) (history.Stone, error) {
	if src.Stone != nil {
		return src.OwnStone()
	}
	c, err := src.Parts(g.ctx, nil)
	if err != nil {
		return history.Stone{}, err
	}
	remarks := src.Remarks()
	e.damaged, e.notes = len(remarks.Damaged), remarks.Notes
	o := port.AtOnce(stone.Options{Effort: stone.Good})
	st, free, err := src.WriteStone(g.ctx, c, whole.Options{Options: o, Far: true, Empty: inspect.Airs(), Memory: g.o.Memory})
	if err != nil {
		return st, err
	}
	e.close = []io.Closer{closer(free)}
	return st, src.Close()
}

type closer func() error

func (c closer) Close() error { return c() }

// shut closes the files of a world.
func (e *exhibit) shut() (err error) {
	for _, c := range slices.Backward(e.close) {
		err = errors.Join(err, c.Close())
	}
	e.close = nil
	return err
}

// List is for history.Store.
func (g *Gallery) List(ctx context.Context, prefix, after string, n int) (out []string, err error) {
	for _, name := range g.names {
		if len(out) < n && name > after && strings.HasPrefix(name, prefix) {
			out = append(out, name)
		}
	}
	return out, ctx.Err()
}

// Head is for history.Store.
func (g *Gallery) Head(ctx context.Context, name string) (history.Head, error) {
	e, err := g.world(ctx, name)
	if err != nil {
		return history.Head{}, err
	}
	return history.Head{Commit: e.commit.ID()}, nil
}

// Log is for history.Store.
func (g *Gallery) Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
	e, err := g.version(ctx, name, from)
	if err != nil || n < 1 {
		return nil, err
	}
	return []history.Commit{e.commit}, nil
}

// version returns the world if at is its version or zero.
func (g *Gallery) version(ctx context.Context, name string, at history.ID) (*exhibit, error) {
	e, err := g.world(ctx, name)
	if err == nil && at != (history.ID{}) && at != e.commit.ID() {
		err = fmt.Errorf("gallery: %q: %v: %w", name, at, history.ErrNoCommit)
	}
	return e, err
}

// Stack is for history.Store.
func (g *Gallery) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	if at == (history.ID{}) {
		return nil, nil
	}
	e, err := g.version(ctx, name, at)
	if err != nil {
		return nil, err
	}
	return []history.Layer{{Stone: e.commit.Stones[0], Upto: at}}, nil
}

// Open is for history.Store.
func (g *Gallery) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	e, err := g.world(ctx, name)
	if err != nil {
		return nil, err
	}
	ref := e.commit.Stones[0]
	if ref.ID != id {
		return nil, fmt.Errorf("gallery: %q: stone %v: %w", name, id, history.ErrGone)
	}
	r, err := stone.Open(e.bytes, ref.Size)
	return &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, err
}

// Leased is for history.Store. Nobody holds a lease.
func (g *Gallery) Leased(ctx context.Context, name string) (history.Lease, error) {
	_, err := g.world(ctx, name)
	return history.Lease{}, err
}
