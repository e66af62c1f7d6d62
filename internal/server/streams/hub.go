// Package streams shows the stored worlds of a server to viewers. A Hub has one
// stream.Server for each world that somebody looks at, moves it on when the world has a new
// version, and bounds how many viewers there are.
package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Options of a Hub. All are needed.
type Options struct {
	// Cache has the pages of all worlds.
	Cache stone.PageCache
	// Viewers is how many there may be at a time. One token may have half of them.
	Viewers int
	// WorldMemory bounds the memory of the directories of a version. All versions that viewers
	// look at together may take four times as much.
	WorldMemory int64
	// Patience is how long a connection may take to say what it wants, and how long a viewer may
	// not read or acknowledge.
	Patience time.Duration
	// Failure returns what a viewer is told of an error.
	Failure func(error) *stream.Failure
	// Log receives what viewers must not see.
	Log *slog.Logger
}

// pictured returns the looks of package picture.
func pictured() func(volume, name string) stream.Look {
	table := picture.NewLooks()
	return func(volume, name string) stream.Look {
		schema, number := voxel.Palette, 1
		if volume == "solid" {
			schema = voxel.Terrain
		}
		if name == "air" {
			number = 0
		}
		l := table.Look(schema, number, name)
		return stream.Look{R: l.Colour.R, G: l.Colour.G, B: l.Colour.B, A: l.Colour.A, Kind: uint8(l.Kind)}
	}
}

const (
	// mostWorlds is how many worlds may be looked at at a time. One token may open half of them.
	mostWorlds = 64
	// worldCache bounds the encoded cubes of a world.
	worldCache = 16 << 20
	// tickEvery is how often viewers are told what changed.
	tickEvery = 50 * time.Millisecond
	// lookEvery is how often a world is asked for its head even if nobody said that it
	// changed: another server may have changed it.
	lookEvery = time.Second
	// openFor is how long a version stays open. Its stones may have been packed since, and a
	// store that others share deletes them after some time.
	openFor = 30 * time.Minute
	// opening is how many versions are opened at a time.
	opening = 4
)

// Errors of Show, besides those of the Store.
var (
	ErrBusy    = errors.New("streams: too many viewers")
	ErrClosed  = errors.New("streams: the server is shutting down")
	ErrTooWide = errors.New("streams: the world is too large")
)

// Hub shows the worlds of a Store. Any number of goroutines may use it.
type Hub struct {
	o     Options
	st    history.Store
	look  func(volume, name string) stream.Look
	slots chan struct{} // of versions that are being opened
	used  atomic.Int64  // memory of directories
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup // sessions, and what runs for worlds

	mu      sync.Mutex // guards what follows
	worlds  map[string]*openWorld
	open    map[*openWorld]struct{} // whose streams are not in past
	viewers int
	closed  bool
	past    stream.Stats // of worlds that nobody looks at any more
}

// New returns a Hub of a Store. The caller closes it before the Store.
func New(st history.Store, o Options) *Hub {
	h := &Hub{o: o, st: st, look: pictured(), slots: make(chan struct{}, opening), worlds: make(map[string]*openWorld), open: make(map[*openWorld]struct{})}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// openWorld is a world that somebody looks at.
type openWorld struct {
	h          *Hub
	name       string
	firstToken *token.Grant  // who looked first
	ready      chan struct{} // closed when what follows is set
	err        error
	srv        *stream.Server
	src        *stream.Stored
	moved      chan struct{} // holds one when the world may have a new head
	done       chan struct{} // closed when nobody looks

	ctx    context.Context // of watch
	stop   context.CancelFunc
	head   history.ID // these are for watch alone
	since  time.Time  // when head was opened
	failed history.ID // the head that could not be opened

	ending sync.Mutex // held while src moves, and while srv closes
	ended  atomic.Bool

	users int                   // guarded by Hub.mu
	all   map[*session]struct{} // guarded by Hub.mu
}

// session is one viewer.
type session struct {
	token      *token.Grant
	stillValid func() bool
	end        context.CancelFunc
}

// Hello reads what a connection wants. It must come within Options.Patience. The error is
// a *stream.CorruptError, or a *stream.Failure if nothing came.
func (h *Hub) Hello(conn net.Conn) (*stream.Hello, error) {
	err := conn.SetReadDeadline(time.Now().Add(h.o.Patience))
	var hello *stream.Hello
	if err == nil {
		hello, err = stream.ReadHello(conn)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if err != nil && !errors.As(err, new(*stream.CorruptError)) { // it left, or waits
		err = &stream.Failure{Code: "timeout", Words: "the connection did not say in time what it wants"}
	}
	return hello, err
}

// Refuse tells a viewer why it sees nothing, and closes the connection. It returns what the
// viewer is told.
func (h *Hub) Refuse(conn io.WriteCloser, err error) *stream.Failure {
	var said *stream.Failure
	if !errors.As(err, &said) {
		said = h.o.Failure(err)
	}
	if refused := stream.Refuse(conn, said); refused != nil {
		h.o.Log.Debug("a viewer was not told", "err", refused)
	}
	_ = conn.Close() // nobody uses it any more
	return said
}

// Show is the session of a viewer that may look at the world that its Hello names, as far as
// its token says; the token is nil on a server without tokens. It returns when the session
// has ended, and closes conn. The error is nil if the viewer left. Once good, which may be nil,
// reports false, the session ends.
func (h *Hub) Show(ctx context.Context, conn stream.Conn, hello *stream.Hello, t *token.Grant, good func() bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, s, err := h.enter(ctx, hello.World, &session{t, good, cancel})
	if err != nil {
		return h.Refuse(conn, err)
	}
	defer h.leave(w, s)
	var a stream.Access
	if t != nil && t.Bound() {
		box := geom.Box(t.Box)
		a = stream.Access{Dimension: t.Dimension, Box: &box}
	}
	return w.srv.Serve(ctx, conn, hello, a)
}

// enter makes room for a viewer of a world, which it opens if nobody looks at it yet.
func (h *Hub) enter(ctx context.Context, name string, s *session) (*openWorld, *session, error) {
	h.mu.Lock()
	most := h.o.Viewers
	switch {
	case h.closed:
		h.mu.Unlock()
		return nil, nil, ErrClosed
	case h.viewers >= most, s.token != nil && int(s.token.Streams.Load()) >= max(1, most/2):
		h.mu.Unlock()
		return nil, nil, ErrBusy
	}
	w := h.worlds[name]
	if w == nil && !h.roomFor(s.token) {
		h.mu.Unlock()
		return nil, nil, ErrBusy
	}
	mine := w == nil
	if mine {
		w = &openWorld{h: h, name: name, firstToken: s.token, ready: make(chan struct{}), moved: make(chan struct{}, 1), done: make(chan struct{}), all: make(map[*session]struct{})}
		h.worlds[name] = w
	}
	h.work.Add(1)
	h.viewers++
	if s.token != nil {
		s.token.Streams.Add(1)
	}
	w.users++
	w.all[s] = struct{}{}
	h.mu.Unlock()
	if mine {
		if w.err = w.open(h.ctx); w.err == nil {
			h.mu.Lock()
			h.open[w] = struct{}{}
			h.mu.Unlock()
			h.work.Go(w.run)
			h.work.Go(w.watch)
		}
		close(w.ready)
	}
	select {
	case <-w.ready:
	case <-ctx.Done():
		h.leave(w, s)
		return nil, nil, ctx.Err()
	}
	if w.err != nil {
		h.leave(w, s)
		return nil, nil, w.err
	}
	return w, s, nil
}

// roomFor reports whether the holder of a token may look at one more world. The caller holds
// mu.
func (h *Hub) roomFor(t *token.Grant) bool {
	mine := 0
	for _, w := range h.worlds {
		if t != nil && w.firstToken == t {
			mine++
		}
	}
	return len(h.worlds) < mostWorlds && mine < mostWorlds/2
}

// leave undoes enter. The last viewer of a world closes it.
func (h *Hub) leave(w *openWorld, s *session) {
	defer h.work.Done()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.viewers--
	if s.token != nil {
		s.token.Streams.Add(-1)
	}
	delete(w.all, s)
	if w.users--; w.users == 0 {
		h.forget(w)
		close(w.done)
	}
}

// forget makes the next viewer open the world again. The caller holds mu.
func (h *Hub) forget(w *openWorld) {
	if h.worlds[w.name] == w {
		delete(h.worlds, w.name)
	}
}

// open opens the head of a world.
func (w *openWorld) open(ctx context.Context) error {
	v, err := w.version(ctx, "")
	if err != nil {
		return err
	}
	src := stream.NewStored(v, w.version)
	srv, err := stream.New(src, stream.Options{World: w.name, Look: w.h.look, Cache: worldCache, Patience: w.h.o.Patience, Viewers: w.h.o.Viewers})
	if err != nil {
		v.Closed()
		return errors.Join(err, v.Close())
	}
	w.ctx, w.stop = context.WithCancel(w.h.ctx)
	w.srv, w.src, w.head, w.since = srv, src, v.Snapshot.ID(), time.Now()
	return nil
}

// version opens a version of the world; "" is the head.
func (w *openWorld) version(ctx context.Context, version string) (v stream.Version, err error) {
	if v.Commit, err = w.h.find(ctx, w.name, version); err != nil {
		return v, err
	}
	select {
	case w.h.slots <- struct{}{}:
		defer func() { <-w.h.slots }()
	case <-ctx.Done():
		return v, ctx.Err()
	}
	id := history.ID{}
	if v.Commit.Number != 0 {
		id = v.Commit.ID()
	}
	v.Snapshot, err = world.OpenSnapshot(ctx, w.h.st, w.name, id, world.Options{Cache: w.h.o.Cache})
	if err != nil {
		return v, err
	}
	size, most := v.Snapshot.Memory(), w.h.o.WorldMemory
	v.Closed = func() { w.h.used.Add(-size) }
	switch all := w.h.used.Add(size); {
	case size > most:
		err = ErrTooWide
	case all > 4*most:
		err = ErrBusy
	}
	if err != nil {
		v.Closed()
		return v, errors.Join(w.h.o.Failure(err), v.Close())
	}
	return v, nil
}

// find returns the commit of a version. A world without commits has a commit of number 0 as
// its head.
func (h *Hub) find(ctx context.Context, name, version string) (c history.Commit, err error) {
	if id, bad := history.ParseID(version); bad == nil {
		log, err := h.st.Log(ctx, name, id, 1)
		if err == nil && len(log) == 0 {
			err = history.ErrNoCommit
		}
		if err != nil {
			return c, missing(err)
		}
		return log[0], nil
	}
	c, err = inspect.Find(ctx, h.st, name, version)
	if version == "" && errors.Is(err, history.ErrNoCommit) {
		return history.Commit{}, nil
	}
	return c, missing(err)
}

// missing makes errors of versions that are not there wrap fs.ErrNotExist.
func missing(err error) error {
	if errors.Is(err, history.ErrNoCommit) || errors.Is(err, inspect.ErrVersion) || errors.Is(err, history.ErrGone) {
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	return err
}

// run shows viewers what changes until nobody looks. It never waits for the store.
func (w *openWorld) run() {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var looked, ended time.Time
	for {
		select {
		case <-w.done:
			w.close()
			return
		case now := <-tick.C:
			if now.Sub(looked) >= lookEvery {
				looked = now
				w.endSessions(false)
			}
			if w.ended.Load() {
				if ended.IsZero() {
					ended = now
				}
				w.endSessions(now.Sub(ended) > lastWords)
				continue
			}
			if err := w.srv.Tick(w.h.ctx, now); err != nil && !w.ended.Load() {
				w.h.o.Log.Error("a world cannot be shown", "world", w.name, "err", err)
				w.end()
			}
		}
	}
}

// watch moves on to new versions until nobody looks. It may wait for the store.
func (w *openWorld) watch() {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var looked time.Time
	for {
		select {
		case <-w.ctx.Done():
			return
		case now := <-tick.C:
			moved := false
			select {
			case <-w.moved:
				moved = true
			default:
			}
			if moved || now.Sub(looked) >= lookEvery {
				looked = now
				w.step()
			}
		}
	}
}

// step moves on to the newest version.
func (w *openWorld) step() {
	head, err := w.h.st.Head(w.ctx, w.name)
	if err == nil && head.Commit == w.head && time.Since(w.since) < openFor {
		return
	}
	var v stream.Version
	if err == nil {
		v, err = w.version(w.ctx, "")
	}
	switch {
	case errors.Is(err, history.ErrNoWorld):
		w.end()
	case err != nil && w.ctx.Err() == nil && w.failed != head.Commit:
		w.failed = head.Commit // tried again, and logged once
		w.h.o.Log.Error("the newest version cannot be shown", "world", w.name, "err", err)
	case err == nil:
		w.head, w.since = v.Snapshot.ID(), time.Now()
		w.move(v)
	}
}

// move shows another version, unless the stream has ended.
func (w *openWorld) move(v stream.Version) {
	w.ending.Lock()
	defer w.ending.Unlock()
	if !w.ended.Load() {
		w.src.Move(v)
		return
	}
	v.Closed()
	if err := v.Close(); err != nil {
		w.h.o.Log.Warn("a version did not close", "world", w.name, "err", err)
	}
}

// endSessions ends the sessions that are no longer good, or all.
func (w *openWorld) endSessions(all bool) {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	for s := range w.all {
		if all || s.stillValid != nil && !s.stillValid() {
			s.end()
		}
	}
}

// end ends all sessions. Later viewers open the world again.
func (w *openWorld) end() {
	w.h.mu.Lock()
	w.h.forget(w)
	w.h.mu.Unlock()
	w.ending.Lock()
	defer w.ending.Unlock()
	w.ended.Store(true)
	w.stop()
	if err := w.srv.Close(); err != nil {
		w.h.o.Log.Warn("a stream did not close", "world", w.name, "err", err)
	}
}

// close closes the world, and keeps what it counted.
func (w *openWorld) close() {
	w.end()
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	add(&w.h.past, w.srv.Stats())
	delete(w.h.open, w)
}

func add(to *stream.Stats, s stream.Stats) {
	to.Bytes += s.Bytes
	to.Cubes += s.Cubes
	to.Edits += s.Edits
	to.Cut += s.Cut
}

// Moved says that a world may have a new head. It returns at once.
func (h *Hub) Moved(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.worlds[name]; w != nil {
		select {
		case w.moved <- struct{}{}:
		default:
		}
	}
}

// Stats returns what all worlds together counted, and how many worlds are looked at.
func (h *Hub) Stats() (all stream.Stats, worlds int) {
	h.mu.Lock()
	open := slices.Collect(maps.Keys(h.open))
	all = h.past
	all.Viewers = h.viewers
	h.mu.Unlock()
	for _, w := range open {
		add(&all, w.srv.Stats())
	}
	return all, len(open)
}

// Close ends all sessions, tells the viewers, and waits until nothing of them is left or ctx
// ends.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	all := slices.Collect(maps.Values(h.worlds))
	h.mu.Unlock()
	defer h.stop()
	for _, w := range all {
		select {
		case <-w.ready:
		case <-ctx.Done():
			return fmt.Errorf("streams: close: %w", ctx.Err())
		}
		if w.err == nil {
			w.end()
		}
	}
	left := make(chan struct{})
	go func() {
		h.work.Wait()
		close(left)
	}()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("streams: close: %w", ctx.Err())
	}
}
