package crowd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// stored is islands in a history.Store: a save is a partial stone, a load all stones
// of the head.
type stored struct{ history.Store }

// found makes the templates, as worlds of their own.
func (s stored) found(ctx context.Context, p *pool) ([]history.ID, error) {
	var heads []history.ID
	for i := range p.Templates {
		data := p.Templates[i].Stone
		c, err := world.Import(ctx, s, fmt.Sprintf("template/%d", i), history.Stone{ID: sha256.Sum256(data), Data: data}, world.Options{}, "made")
		if err != nil {
			return nil, err
		}
		heads = append(heads, c.ID())
	}
	return heads, nil
}

// fork makes an island.
func (s stored) fork(ctx context.Context, c *crowd, heads []history.ID, i int) error {
	t := i % len(heads)
	c.accounts[i] = account{template: heads[t], head: heads[t]}
	return s.Fork(ctx, fmt.Sprintf("template/%d", t), heads[t], nameOf(i))
}

func (s stored) save(ctx context.Context, c *crowd, i int) error {
	a := &c.accounts[i]
	data := c.stamp(nil, i)
	ref := history.StoneRef{ID: sha256.Sum256(data), Size: int64(len(data))}
	what := history.Commit{Parent: a.head, Base: c.base(i), Message: "autosave", Stones: []history.StoneRef{ref}}
	done, err := s.Commit(ctx, nameOf(i), history.Head{Commit: a.head}, what, history.Stone{ID: ref.ID, Data: data})
	if err != nil {
		return err
	}
	a.head = done.ID()
	c.saved(i)
	return nil
}

func (s stored) load(ctx context.Context, c *crowd, i int) (int64, error) {
	head, size, err := s.loadHead(ctx, nameOf(i))
	if err == nil && head != c.accounts[i].head {
		err = fmt.Errorf("crowd: %s: head %v: the last save was %v", nameOf(i), head, c.accounts[i].head)
	}
	return size, err
}

// loadHead reads all stones of a world's head. It returns the head and their bytes.
func (s stored) loadHead(ctx context.Context, name string) (head history.ID, size int64, err error) {
	f, err := history.Fetch(ctx, s.Store, name, history.ID{}, maxIsland)
	if err == nil && slices.ContainsFunc(f.Data, func(b []byte) bool { return b == nil }) {
		err = fmt.Errorf("crowd: %s: larger than %d bytes", name, maxIsland)
	}
	for _, b := range f.Data {
		size += int64(len(b))
	}
	return f.Head.Commit, size, err
}

// maxIsland is more than the stones of an island have bytes.
const maxIsland = 1 << 20

// shortGrace is how long a condemned stone stays while saves are timed: none of
// it would go within the usual hour.
const shortGrace = 10 * time.Second

func (s stored) collect(ctx context.Context) error {
	_, err := s.Collect(ctx, history.Policy{Grace: shortGrace})
	return err
}

// highest returns how many stones the highest stack of the islands has.
func (s stored) highest(ctx context.Context, c *crowd) (int, error) {
	var mu sync.Mutex // guards highest
	highest := 0
	err := inParallel(ctx, len(c.accounts), storeWorkers, func(i int) error {
		layers, err := s.Stack(ctx, nameOf(i), c.accounts[i].head)
		mu.Lock()
		defer mu.Unlock()
		highest = max(highest, len(layers))
		return err
	})
	return highest, err
}

// storeWorkers is how many goroutines fill a store: what they commit at the same
// time is synced together.
const storeWorkers = 128

// inParallel calls f for 0 to n-1 on some goroutines until one fails.
func inParallel(ctx context.Context, n, workers int, f func(i int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for range min(n, workers) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f(i); err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// fillStore makes a store in dir with all islands of a crowd, saved some times.
func fillStore(ctx context.Context, dir string, c *crowd, o lab.Options, saves int) error {
	st, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	s := stored{st}
	heads, err := s.found(ctx, c.pool)
	if err == nil {
		var done atomic.Int64
		err = inParallel(ctx, len(c.accounts), storeWorkers, func(i int) error {
			if n := int(done.Add(1)); n%fillStep == 1 {
				o.Step(n, len(c.accounts), "making islands")
			}
			err := s.fork(ctx, c, heads, i)
			for n := 0; n < saves && err == nil; n++ {
				err = s.save(ctx, c, i)
			}
			return err
		})
	}
	return errors.Join(err, st.Close())
}

// fillStep is after how many islands a fill says how far it is.
const fillStep = 1000

// library is the store in this process, kept as the server keeps its own.
type library struct {
	stored
	dir    string
	crowd  *crowd
	keeper *keeper.Keeper
}

func (l *library) fill(ctx context.Context, o lab.Options) error {
	return fillStore(ctx, l.dir, l.crowd, o, 0)
}

func (l *library) open(context.Context) error { return l.openAt(nil) }

// openAt opens the store with a clock.
func (l *library) openAt(now func() time.Time) error {
	st, err := local.Open(l.dir, local.Options{Now: now})
	if err == nil {
		l.stored, l.keeper = stored{st}, keeper.New(st, time.Now(), keeper.Options{CollectEvery: -1})
	}
	return err
}

func (l *library) save(ctx context.Context, c *crowd, i int) error {
	err := l.stored.save(ctx, c, i)
	if err == nil {
		l.keeper.Saved(nameOf(i), uint64(c.accounts[i].saves)+1) // the template has the first commit
	}
	return err
}

func (l *library) used() lab.Usage { return lab.UsageOf(os.Getpid()) }

func (l *library) close(ctx context.Context, c *crowd) (int, error) {
	if l.keeper == nil {
		return 0, nil
	}
	err := l.keeper.Close(ctx)
	n, wrong := l.highest(ctx, c)
	return n, errors.Join(err, wrong, l.Close())
}
