package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Quota say how much may be below the prefixes of a token. Zero means no limit.
type Quota struct {
	// Worlds is how many worlds there may be. Named snapshots count, deleted worlds and
	// hidden ones, such as inboxes, do not.
	Worlds int `json:"worlds,omitempty"`
	// Bytes is how much the worlds may take: the stones that their versions need, older
	// ones too, and what the versions themselves say, such as messages. A stone that
	// several need counts once, and so does what waits in an inbox. Deleted worlds do not count.
	Bytes int64 `json:"bytes,omitempty"`
}

// MaxWorlds is the largest limit of worlds, and how many a token with a limit of bytes
// has at most: a call that makes a world lists as many.
const MaxWorlds = 10_000

// An OverError says that a call would exceed a limit of its token.
type OverError struct {
	What               string // "worlds" or "bytes"
	Limit, Used, Wants int64  // how much there may be, is, and would come
}

func (e *OverError) Error() string {
	return fmt.Sprintf("the token may have %d %s below its prefixes: %d are used, and this needs %d more", e.Limit, e.What, e.Used, e.Wants)
}

// account is what a token with limits uses, as far as this server knows. One call at a
// time counts.
type account struct {
	turn    chan struct{} // holds one while a call counts
	counted time.Time     // when the worlds were counted last, zero if never
	room    int64         // bytes that were left then
	spent   int64         // bytes that were asked for since, and those that were on their way then

	mu     sync.Mutex
	flying int64 // bytes on their way; guarded by mu
}

const (
	// countFor is how long a count is used.
	countFor = 30 * time.Second
	// serversPerCount is how many servers may spend the room of a count together. Each spends a
	// share of it until it counts again, so that all of them stay below the limit. Near
	// the limit every save counts, and each server exceeds it by one save at most.
	serversPerCount = 16
)

// Within returns st under the limits of the token, or st itself if the token has none.
// now is the time of the call.
func (g *Grant) Within(st history.Store, now time.Time) history.Store {
	if g.Limits == (Quota{}) {
		return st
	}
	return &limited{Store: st, g: g, now: now}
}

// Full returns an error if nothing more may be saved through a Store of Within.
func Full(ctx context.Context, st history.Store) error {
	done, err := spend(ctx, st, func() int64 { return 1 })
	if err == nil {
		done()
	}
	return err
}

// Room returns an error if a commit through a Store of Within would exceed its limit of bytes. The
// caller calls done when the commit is made or not. Counting may take long, so it is a call of its
// own; Commit of that Store does both.
func Room(ctx context.Context, st history.Store, c history.Commit) (done func(), err error) {
	return spend(ctx, st, func() int64 {
		n := recordBytes(c)
		for _, s := range c.Stones {
			n += s.Size
		}
		return n
	})
}

// spend is limited.spend if the Store has a limit of bytes.
func spend(ctx context.Context, st history.Store, bytes func() int64) (done func(), err error) {
	l, ok := st.(*limited)
	if !ok || l.g.Limits.Bytes == 0 {
		return func() {}, nil
	}
	return l.spend(ctx, bytes())
}

// limited is a Store for one call under a token with limits.
type limited struct {
	history.Store
	g   *Grant
	now time.Time
}

func (l *limited) Fetch(ctx context.Context, name string, at history.ID, room int64) (history.Fetched, error) {
	return history.Fetch(ctx, l.Store, name, at, room)
}

func (l *limited) Packs() bool { return history.Packs(l.Store) }

// begin waits until no other call of the token counts. The caller calls end.
func (l *limited) begin(ctx context.Context) (end func(), err error) {
	select {
	case l.g.account.turn <- struct{}{}:
		return func() { <-l.g.account.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// names calls do with every world below the prefixes, until do returns false.
func (l *limited) names(ctx context.Context, do func(name string) bool) error {
	seen := make(map[string]bool)
	for _, p := range l.g.Prefixes {
		after, prefix := "", p
		for {
			n := listed
			if prefix == p {
				n = 1 // the world p itself comes first
			}
			names, err := l.List(ctx, prefix, after, n)
			if err != nil {
				return err
			}
			for _, name := range names {
				if prefix == p && name != p || seen[name] {
					continue
				}
				if seen[name] = true; !do(name) {
					return nil
				}
			}
			if prefix == p {
				prefix, after = p+"/", ""
				continue
			}
			if len(names) < n {
				break
			}
			after = names[len(names)-1]
		}
	}
	return nil
}

// listed is how many names are listed at a time.
const listed = 1000

// roomForOne returns an error if there may not be one more world.
func (l *limited) roomForOne(ctx context.Context) error {
	limit, n := cmp.Or(l.g.Limits.Worlds, MaxWorlds), 0
	count := func(name string) bool {
		if !record.Hidden(name) {
			n++
		}
		return n < limit
	}
	if err := l.names(ctx, count); err != nil || n < limit {
		return err
	}
	return &OverError{What: "worlds", Limit: int64(limit), Used: int64(n), Wants: 1}
}

// stones are the stones that worlds need, and the bytes of these and of versions.
type stones struct {
	all   map[stone.ID]bool
	bytes int64
}

func (s *stones) add(ref history.StoneRef) {
	if !s.all[ref.ID] {
		s.all[ref.ID] = true
		s.bytes += ref.Size
	}
}

// addStack adds what a version of a world stands on, and returns how many bytes are new.
func (s *stones) addStack(layers []history.Layer) int64 {
	was := s.bytes
	for _, layer := range layers {
		s.add(layer.Stone)
	}
	return s.bytes - was
}

// addLog adds the versions of a world.
func (s *stones) addLog(ctx context.Context, st history.Store, name string) error {
	from, known := history.ID{}, 0 // versions of the batch that were in the last one
	for {
		batch, err := st.Log(ctx, name, from, listed)
		if err != nil {
			return err
		}
		for _, c := range batch[min(known, len(batch)):] {
			s.bytes += recordBytes(c)
			for _, ref := range c.Stones {
				s.add(ref)
			}
		}
		if len(batch) < listed {
			return nil
		}
		from, known = batch[len(batch)-1].ID(), 1
	}
}

// recordBytes is what a version takes besides its stones.
func recordBytes(c history.Commit) int64 { return int64(len(c.Append(nil))) }

// count returns what the worlds below the prefixes need.
func (l *limited) count(ctx context.Context) (stones, error) {
	s := stones{all: make(map[stone.ID]bool)}
	var failed error
	n := 0
	err := l.names(ctx, func(name string) bool {
		_, inbox := record.InboxOf(name)
		if !record.Hidden(name) {
			n++
		}
		if n > MaxWorlds {
			failed = &OverError{What: "worlds", Limit: MaxWorlds, Used: int64(n)}
			return false
		}
		f, err := history.Fetch(ctx, l.Store, name, history.ID{}, 0)
		s.addStack(f.Layers)
		if err == nil && !inbox { // older versions of an inbox go soon
			err = s.addLog(ctx, l.Store, name)
		}
		if err != nil && !errors.Is(err, history.ErrNoWorld) {
			failed = err
			return false
		}
		return true
	})
	return s, errors.Join(err, failed)
}

// spend returns an error if so many bytes more would exceed the limit. The caller calls
// done when they are saved or not.
func (l *limited) spend(ctx context.Context, n int64) (done func(), err error) {
	end, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	a := &l.g.account
	if a.counted.IsZero() || l.now.Sub(a.counted) > countFor || a.spent+n > a.room/serversPerCount {
		flying := a.addFlying(0)
		s, err := l.count(ctx)
		if err != nil {
			return nil, err
		}
		a.counted, a.room, a.spent = l.now, l.g.Limits.Bytes-s.bytes, flying
		if a.spent+n > a.room {
			return nil, &OverError{What: "bytes", Limit: l.g.Limits.Bytes, Used: s.bytes + a.spent, Wants: n}
		}
	}
	a.spent += n
	a.addFlying(n)
	return func() { a.addFlying(-n) }, nil
}

// addFlying adds to the bytes on their way and returns them.
func (a *account) addFlying(n int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flying += n
	return a.flying
}

func (l *limited) Create(ctx context.Context, name string) error {
	return l.addWorld(ctx, func() error { return l.Store.Create(ctx, name) })
}

// addWorld calls make, which makes a world, if there may be one more.
func (l *limited) addWorld(ctx context.Context, make func() error) error {
	end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := l.roomForOne(ctx); err != nil {
		return err
	}
	return make()
}

func (l *limited) Fork(ctx context.Context, from string, at history.ID, name string) error {
	return l.addWorld(ctx, func() error {
		if l.g.Limits.Bytes > 0 {
			layers, err := l.Stack(ctx, from, at)
			if err != nil {
				return err
			}
			if err := l.fits(ctx, layers); err != nil {
				return err
			}
		}
		return l.Store.Fork(ctx, from, at, name)
	})
}

// fits returns an error if the worlds exceed the limit together with layers. The caller
// has begun.
func (l *limited) fits(ctx context.Context, layers []history.Layer) error {
	s, err := l.count(ctx)
	if err != nil {
		return err
	}
	used := s.bytes + l.g.account.addFlying(0)
	if wants := s.addStack(layers); used+wants > l.g.Limits.Bytes {
		return &OverError{What: "bytes", Limit: l.g.Limits.Bytes, Used: used, Wants: wants}
	}
	return nil
}

// Undelete is for history.Names. Only a world that is there can be counted, so a world
// that is too large is deleted again.
func (l *limited) Undelete(ctx context.Context, name string) error {
	return l.addWorld(ctx, func() error {
		err := l.Store.Undelete(ctx, name)
		if err != nil || l.g.Limits.Bytes == 0 {
			return err
		}
		if err = l.fits(ctx, nil); err != nil {
			err = errors.Join(err, l.Store.Delete(context.WithoutCancel(ctx), name, 0))
		}
		return err
	})
}

func (l *limited) Commit(ctx context.Context, name string, base history.Head, c history.Commit, given ...history.Stone) (history.Commit, error) {
	done, err := Room(ctx, l, c)
	if err != nil {
		return history.Commit{}, err
	}
	defer done()
	return l.Store.Commit(ctx, name, base, c, given...)
}
