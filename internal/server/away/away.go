// Package away is what a server does when its Store cannot be reached: it finds out
// soon, it lets changes fail soon, and it remembers what it read of worlds, so that they
// can still be loaded.
//
// Only a Store that is a history.Pinger can be away. For other Stores a Guard passes
// calls on.
package away

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Guard. The zero value is the default.
type Options struct {
	// Stale is how long a world that was read stays usable when the Store is away.
	// Default 10 minutes; negative means not at all.
	Stale time.Duration
	// Bytes bounds the memory of what is remembered. Default 64 MiB.
	Bytes int64
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Log hears that the Store is away or full, at most every ten seconds. Default none.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Stale == 0 {
		o.Stale = 10 * time.Minute
	}
	if o.Bytes <= 0 {
		o.Bytes = 64 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Guard stands between a server and its Store. All of its methods are safe for any
// number of goroutines.
type Guard struct {
	st   history.Store
	ping history.Pinger // nil if the Store cannot be away
	o    Options
	now  probe

	mu     sync.Mutex // guards what is below
	worlds *lru.Cache[string, *known]
	logged time.Time
	away   time.Time // when the Store could not be read last; zero since it could
}

// known is what was read of a world.
type known struct {
	head history.Head
	at   time.Time        // when the Store said that this is the head
	got  *history.Fetched // nil, or a stack, perhaps of an older head
}

// New returns a Guard of a Store.
func New(st history.Store, o Options) *Guard {
	g := &Guard{st: st, o: o.withDefaults()}
	g.worlds = lru.New[string, *known](g.o.Bytes, nil)
	g.ping, _ = st.(history.Pinger)
	return g
}

// Head is for history.Commits. If the Store is away, it returns the head that it said
// last, if that was at most oldest ago, and the age.
func (g *Guard) Head(ctx context.Context, name string, oldest time.Duration) (h history.Head, age time.Duration, err error) {
	if g.ping == nil {
		h, err = g.st.Head(ctx, name)
		return h, 0, err
	}
	k, age := g.find(name, oldest)
	err = g.read(ctx, k != nil, func(ctx context.Context) error {
		h, err = g.st.Head(ctx, name)
		return err
	})
	g.note(name, h, nil, err)
	if k == nil || !errors.Is(err, history.ErrAway) {
		return h, 0, err
	}
	return k.head, age, nil
}

// Fetch is history.Fetch. If the Store is away, it returns what it returned last for
// this version, if that was at most oldest ago, and the age.
func (g *Guard) Fetch(ctx context.Context, name string, at history.ID, room int64, oldest time.Duration) (f history.Fetched, age time.Duration, err error) {
	if g.ping == nil {
		f, err = history.Fetch(ctx, g.st, name, at, room)
		return f, 0, err
	}
	k, age := g.find(name, oldest)
	if k != nil && !k.has(at) {
		k = nil
	}
	err = g.read(ctx, k != nil, func(ctx context.Context) error {
		f, err = history.Fetch(ctx, g.st, name, at, room)
		return err
	})
	if at == (history.ID{}) {
		g.note(name, f.Head, &f, err)
	}
	if k == nil || !errors.Is(err, history.ErrAway) {
		return f, 0, err
	}
	f = *k.got
	if f.Head = k.head; at != (history.ID{}) {
		f.Head = history.Head{Commit: at}
	}
	next := len(f.Layers)
	f.Data, err = history.DataOf(f.Layers, room, func(l history.Layer) ([]byte, error) {
		for next--; f.Layers[next] != l; next-- { // DataOf goes down the stack
		}
		return k.got.Data[next], nil
	})
	return f, age, err
}

// has reports whether the stack of a version is known, at zero that of the head.
func (k *known) has(at history.ID) bool {
	if at == (history.ID{}) {
		at = k.head.Commit
	}
	return k.got != nil && k.got.Head.Commit == at
}

const (
	// lately is for how long after a failure the Store is taken for away.
	lately = 5 * time.Second
	// soon is how long a Store that is taken for away has for a read, if the answer is
	// known.
	soon = 300 * time.Millisecond
)

// read calls what, which reads from the Store. If the Store was away a moment ago, and
// the caller knows an answer, it does not wait long.
func (g *Guard) read(ctx context.Context, known bool, what func(context.Context) error) error {
	now := g.o.Now()
	g.mu.Lock()
	wait := !known || now.Sub(g.away) > lately
	g.mu.Unlock()
	if wait {
		err := what(ctx)
		g.heard(err)
		switch {
		case errors.Is(err, history.ErrAway):
			now = g.o.Now()
		case err == nil:
			now = time.Time{}
		default:
			return err
		}
		g.mu.Lock()
		g.away = now
		g.mu.Unlock()
		return err
	}
	within, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	err := what(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("away: no answer within %v: %w", soon, history.ErrAway)
	}
	return err
}

// changeTime is how long the Store has for a change, and a second more for each MiB. A client
// with several addresses waits 6 seconds for the answer, and must not leave before it.
const changeTime = 4 * time.Second

// Change calls what, which changes something and sends the Store so many bytes. If the
// Store takes too long, the error wraps history.ErrAway, and it is unknown what was
// changed.
func (g *Guard) Change(ctx context.Context, bytes int64, what func(context.Context) error) error {
	if g.ping == nil {
		return what(ctx)
	}
	limit := changeTime + time.Duration(bytes>>20)*time.Second
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := what(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil && !errors.Is(err, history.ErrAway) {
		err = fmt.Errorf("away: no answer within %v: %w (%w)", limit, history.ErrAway, err)
	}
	g.heard(err)
	return err
}

// heard logs that the Store is away, or has no room.
func (g *Guard) heard(err error) {
	if !errors.Is(err, history.ErrAway) && !Full(err) {
		return
	}
	now := g.o.Now()
	g.mu.Lock()
	loud := now.Sub(g.logged) >= 10*time.Second
	if loud {
		g.logged = now
	}
	g.mu.Unlock()
	if loud {
		g.o.Log.Error(Words(err), "err", err)
	}
}

// note remembers what the Store said of a world.
func (g *Guard) note(name string, h history.Head, f *history.Fetched, err error) {
	switch {
	case g.o.Stale < 0:
		return
	case errors.Is(err, history.ErrNoWorld):
		g.mu.Lock()
		defer g.mu.Unlock()
		g.worlds.Remove(name)
		return
	case err != nil:
		return
	}
	now := g.o.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	k := &known{head: h, at: now, got: f}
	if old, ok := g.worlds.Get(name); ok && old.has(h.Commit) && old.bytes() > k.bytes() { // the caller had room for less, or asked for none
		k.got = old.got
	}
	g.worlds.Put(name, k, int64(len(name))+k.weigh())
}

// bytes returns how many bytes of stones are known.
func (k *known) bytes() (n int) {
	if k.got != nil {
		for _, data := range k.got.Data {
			n += len(data)
		}
	}
	return n
}

// weigh returns about how many bytes of memory k takes.
func (k *known) weigh() int64 {
	n := int64(512)
	if k.got != nil {
		for i, data := range k.got.Data {
			n += int64(len(data)) + 192
			for _, other := range k.got.Data[:i] {
				if len(other) > 0 && len(data) > 0 && &other[0] == &data[0] {
					n -= int64(len(data))
					break
				}
			}
		}
	}
	return n
}

// find returns what is known of a world and at most oldest old, or nil.
func (g *Guard) find(name string, oldest time.Duration) (*known, time.Duration) {
	now := g.o.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	k, ok := g.worlds.Get(name)
	if !ok {
		return nil, 0
	}
	age := now.Sub(k.at)
	if age > min(oldest, g.o.Stale) {
		return nil, 0
	}
	return k, max(age, 1) // zero means that nothing is stale
}

const (
	// probeFor is how long the result of a probe counts.
	probeFor = time.Second
	// probeTime is how long a probe may take.
	probeTime = 2 * time.Second
)

// probe is the last result of asking whether the Store can be used. One call asks, and
// the others wait for its result.
type probe struct {
	mu      sync.Mutex
	running chan struct{} // closed when the probe in progress has ended; nil if there is none
	at      time.Time
	err     error
}

// Ready returns an error if the Store cannot be used. It asks the Store at most once a
// second, and takes at most some seconds.
func (g *Guard) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*probeTime)
	defer cancel()
	p := &g.now
	for {
		p.mu.Lock()
		running := p.running
		if running == nil {
			if !p.at.IsZero() && g.o.Now().Sub(p.at) < probeFor {
				defer p.mu.Unlock()
				return p.err
			}
			p.running = make(chan struct{})
			p.mu.Unlock()
			return g.probe(ctx)
		}
		p.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return fmt.Errorf("away: no answer within %v: %w", 2*probeTime, history.ErrAway)
		}
	}
}

// probe asks the Store and keeps the result, unless the caller left.
func (g *Guard) probe(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	p := &g.now
	defer func() { // also if the Store panics
		p.mu.Lock()
		defer p.mu.Unlock()
		close(p.running)
		p.running = nil
	}()
	err := g.ask(within)
	if err != nil && within.Err() != nil && !errors.Is(err, history.ErrAway) {
		err = fmt.Errorf("away: no answer within %v: %w (%v)", probeTime, history.ErrAway, err)
	}
	g.heard(err)
	if ctx.Err() == nil {
		p.mu.Lock()
		p.at, p.err = g.o.Now(), err
		p.mu.Unlock()
	}
	return err
}

func (g *Guard) ask(ctx context.Context) error {
	if g.ping != nil {
		return g.ping.Ping(ctx)
	}
	_, err := g.st.List(ctx, "", "", 1)
	return err
}

// Oldest is how old an answer may be at most.
func (g *Guard) Oldest() time.Duration { return max(g.o.Stale, 0) }

// Words returns what people may know of an error that wraps history.ErrAway, or of one that
// says that a half of the Store has no room.
func Words(err error) string {
	half, why := "the catalogue of the worlds", "cannot be reached"
	if errors.Is(err, blob.ErrAway) || errors.Is(err, blob.ErrFull) {
		half = "the bucket with the worlds' bytes"
	}
	if Full(err) {
		why = "is full"
	}
	return half + " " + why
}

// Full reports whether an error says that a half of the Store has no room.
func Full(err error) bool { return errors.Is(err, blob.ErrFull) || errors.Is(err, history.ErrFull) }
