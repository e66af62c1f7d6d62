// Package dragonfly keeps the worlds of a dragonfly server in a cairn store: it has a world.Provider for them.
//
// Columns that dragonfly stores go into an open world of cairn, what differs alone. Commits make it durable: after dragonfly's own
// saves, every half minute, and when the Provider is closed. Each commit is a version, which stays.
//
// Names of blocks and what a column keeps besides are those of an import of a Bedrock world, so that a world of dragonfly's own
// database opens here once it is imported. dragonfly computes light and height maps itself whenever it loads.
package dragonfly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/goleveldb/leveldb"
)

// Options of a Provider. The zero value is the default.
type Options struct {
	// Every is the time between two commits while dragonfly stores columns without a save of its own, as when it unloads
	// them. Default 30 seconds.
	Every time.Duration
	// Holder names the server to others that want the world. One that restarts under the same name gets the world back at
	// once, also after it was killed. Default: the name of the machine.
	Holder string
	// Report is told of each error of storing, loading and saving, which dragonfly at best logs. Default: slog.Error.
	Report func(error)
	// Saved is told of each version that a commit made, beside the server. Default none.
	Saved func(history.Commit)
	// Areas is how many areas of 2x2 columns stay in memory for dragonfly to load or store again. Default 1024.
	Areas int
	// World is the options of the cairn world. Fence is set by the Provider.
	World cairn.Options
}

// Provider is a world.Provider on a world of cairn, of all its dimensions. Any number of goroutines may use it.
type Provider struct {
	world *cairn.World
	kept  *autosave.Kept
	fleet *autosave.Fleet // nil: the caller's
	o     Options
	level level

	states *states

	mu      sync.Mutex // guards the fields below
	areas   *lru.Cache[areaKey, *area]
	failed  map[place]error // columns that could not be stored or loaded when that was last tried
	unsaved error           // of the last commit
	newest  history.ID      // version that was told
	closed  bool
	// followers show what others change; seen is the world after the last change, and storing says that the next is dragonfly's.
	followers []*follower
	seen      *cairn.View
	storing   bool

	commits sync.WaitGroup // that run beside the server
	saving  sync.Mutex     // held by one commit
	ending  chan struct{}
	ended   chan struct{}
}

// place is a column of a dimension.
type place struct {
	dim string
	pos world.ChunkPos
}

func (p place) column() geom.ColumnPos { return geom.ColumnPos{X: p.pos[0], Z: p.pos[1]} }

// areaKey is the place of an area: 2x2 columns, which chunks of cairn lie over.
type areaKey struct {
	dim  string
	x, z int32
}

func (p place) area() areaKey { return areaKey{p.dim, p.pos[0] >> 1, p.pos[1] >> 1} }

// area is columns that are held in memory.
type area struct {
	held  *cairn.Held
	known map[world.ChunkPos]known
}

// Open opens a world of a store, takes its lease, and makes it if there is none. The caller gives it to a server.Config or a
// world.Config as its provider, which closes it; the store stays the caller's.
func Open(ctx context.Context, st history.Store, name string, o Options) (*Provider, error) {
	host, _ := os.Hostname()
	var p *Provider
	every := cmp.Or(o.Every, 30*time.Second)
	fleet := autosave.NewFleet(st, cmp.Or(o.Holder, "dragonfly "+host), time.Now(), autosave.Options{
		World: o.World, Create: true, Every: every, Soonest: min(every, time.Second),
		Saved: func(_ *autosave.Kept, c history.Commit) { p.saved(c, nil) },
	})
	kept, err := fleet.Open(ctx, name)
	if err != nil {
		_, closing := fleet.Close(ctx)
		return nil, errors.Join(fmt.Errorf("dragonfly: open: %w", err), closing)
	}
	if p, err = newProvider(kept, o); err != nil {
		_, closing := fleet.Close(ctx)
		return nil, errors.Join(err, closing)
	}
	p.fleet = fleet
	go p.step()
	return p, nil
}

// New returns a Provider of an open world of a Fleet, which many worlds share: the caller steps it. Close then asks the Fleet to
// close the world.
func New(kept *autosave.Kept, o Options) (*Provider, error) { return newProvider(kept, o) }

func newProvider(kept *autosave.Kept, o Options) (*Provider, error) {
	if o.Report == nil {
		o.Report = func(err error) { slog.Error(err.Error()) }
	}
	p := &Provider{world: kept.World(), kept: kept, o: o, failed: map[place]error{}, ending: make(chan struct{}), ended: make(chan struct{})}
	p.areas = lru.New(int64(cmp.Or(o.Areas, 1024)), func(_ areaKey, a *area) { a.held.Release() })
	p.newest = p.world.Head()
	p.SetBlockRegistry(nil)
	if err := p.readLevel(); err != nil {
		return nil, fmt.Errorf("dragonfly: open: %w", err)
	}
	p.seen = p.world.View()
	p.world.Watch(p.watch)
	return p, nil
}

// step steps the Provider's own Fleet until the Provider is closed.
func (p *Provider) step() {
	defer close(p.ended)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.ending:
			return
		case now := <-tick.C:
			for _, e := range p.fleet.Step(now) {
				if e.Err != nil {
					p.saved(history.Commit{}, fmt.Errorf("dragonfly: %s: %s: %w", e.Name, e.Kind, e.Err))
				}
			}
		}
	}
}

// World returns the open world, for its versions and for operations that change it beside dragonfly: see Follow. The Provider
// closes it.
func (p *Provider) World() *cairn.World { return p.world }

// SetBlockRegistry sets the blocks that columns are made of; nil are those of the game. dragonfly calls it.
func (p *Provider) SetBlockRegistry(blocks world.BlockRegistry) {
	if blocks == nil {
		blocks = world.DefaultBlockRegistry
	}
	if p.states != nil && p.states.blocks == blocks {
		return
	}
	blocks.Finalize()
	p.states = newStates(blocks)
}

// Err returns what keeps anything from being saved: columns that could not be stored or loaded when that was last tried, and why
// the last commit failed. dragonfly itself only logs such errors.
func (p *Provider) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.unsaved
	for at, one := range p.failed {
		err = errors.Join(err, fmt.Errorf("dragonfly: %d columns could not be stored or loaded, among them %v of %s: %w", len(p.failed), at.pos, at.dim, one))
		break
	}
	return err
}

// noted keeps and reports the error of a column, or that there is none any more.
func (p *Provider) noted(verb string, at place, err error) error {
	p.mu.Lock()
	delete(p.failed, at)
	if err != nil {
		p.failed[at] = err
	}
	p.mu.Unlock()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("dragonfly: %s column %v of %s of %s: %w", verb, at.pos, at.dim, p.world.Name(), err)
	p.o.Report(err)
	return err
}

// saved notes how a commit ended.
func (p *Provider) saved(c history.Commit, err error) {
	p.mu.Lock()
	fresh := err == nil && c.ID() != p.newest
	if p.unsaved = err; fresh {
		p.newest = c.ID()
	}
	p.mu.Unlock()
	if err != nil {
		p.o.Report(err)
	} else if fresh && p.o.Saved != nil {
		p.o.Saved(c)
	}
}

// Commit makes everything that dragonfly has stored durable and returns the version. dragonfly itself stores in World.Save.
func (p *Provider) Commit(ctx context.Context, message string) (history.Commit, error) {
	p.saving.Lock()
	defer p.saving.Unlock()
	c, err := p.world.Commit(ctx, message)
	if err != nil {
		err = fmt.Errorf("dragonfly: save: %w", err)
	}
	p.saved(c, err)
	return c, err
}

// commitBeside begins a commit that the server need not wait for.
func (p *Provider) commitBeside() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.commits.Go(func() { p.Commit(context.Background(), "autosave") })
	}
}

// Close saves what is not saved and closes the world. dragonfly calls it when it closes its own world, after it has stored all columns.
func (p *Provider) Close() error {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if again {
		return nil
	}
	p.commits.Wait()
	ctx := context.Background()
	if p.fleet == nil {
		_, err := p.Commit(ctx, "close")
		p.kept.Close()
		return err
	}
	close(p.ending)
	<-p.ended
	unsaved, err := p.fleet.Close(ctx)
	for _, u := range unsaved {
		err = errors.Join(err, u.Err)
	}
	if err != nil {
		err = fmt.Errorf("dragonfly: close: %w", err)
		p.saved(history.Commit{}, err)
	}
	return err
}

// placeOf returns the place of a column. Dimensions have the names that an import of a Bedrock world gives.
func placeOf(pos world.ChunkPos, dim world.Dimension) (place, error) {
	id, ok := world.DimensionID(dim)
	at := place{fmt.Sprintf("bedrock:%d", id), pos}
	switch {
	case !ok:
		return at, fmt.Errorf("dragonfly: dimension %v has no number", dim)
	case id == 0:
		at.dim = "overworld"
	case id == 1:
		at.dim = "the_nether"
	case id == 2:
		at.dim = "the_end"
	}
	return at, at.column().Check()
}

// LoadColumn makes a column of what the world has. The error is leveldb.ErrNotFound if it has none.
func (p *Provider) LoadColumn(pos world.ChunkPos, dim world.Dimension) (*chunk.Column, error) {
	at, err := placeOf(pos, dim)
	if err != nil {
		return nil, err
	}
	d := p.world.View().Dimension(at.dim)
	if c, ok := d.Column(at.column()); d == nil || c == nil && ok {
		return nil, fmt.Errorf("dragonfly: column %v of %s: %w", pos, at.dim, leveldb.ErrNotFound)
	}
	col, now, err := p.fromWorld(at, dim)
	if err == nil {
		p.remember(at, now)
	}
	return col, p.noted("load", at, err)
}

// fromWorld brings a column into memory and makes one for dragonfly of it.
func (p *Provider) fromWorld(at place, dim world.Dimension) (col *chunk.Column, now known, err error) {
	for range 3 { // others may have made it leave
		if err = p.hold(at); err != nil {
			return nil, now, err
		}
		d := p.world.View().Dimension(at.dim)
		c, ok := d.Column(at.column())
		if !ok {
			err = cairn.ErrNotLoaded
			continue
		}
		if c == nil {
			return nil, now, leveldb.ErrNotFound
		}
		if col, now, err = p.load(d, c, dim); !errors.Is(err, cairn.ErrNotLoaded) {
			return col, now, err
		}
	}
	return nil, now, err
}

// hold keeps the area of a column in memory.
func (p *Provider) hold(at place) error {
	p.mu.Lock()
	_, ok := p.areas.Get(at.area())
	p.mu.Unlock()
	if ok {
		return nil
	}
	least := geom.ColumnPos{X: at.pos[0] &^ 1, Z: at.pos[1] &^ 1}.Min(cairn.Everywhere.Min.Y)
	box := geom.Box{Min: least, Max: geom.Point{X: least.X + voxel.ChunkEdge, Y: cairn.Everywhere.Max.Y, Z: least.Z + voxel.ChunkEdge}}
	held, err := p.world.Load(context.Background(), at.dim, box)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.areas.Put(at.area(), &area{held, map[world.ChunkPos]known{}}, 1)
	p.mu.Unlock()
	return nil
}

func (p *Provider) knownOf(at place) known {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.areas.Get(at.area()); ok {
		return a.known[at.pos]
	}
	return known{}
}

func (p *Provider) remember(at place, k known) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.areas.Get(at.area()); ok {
		a.known[at.pos] = k
	}
}

// StoreColumn writes what differs of a column into the open world. It is durable with the next commit.
func (p *Provider) StoreColumn(pos world.ChunkPos, dim world.Dimension, col *chunk.Column) error {
	at, err := placeOf(pos, dim)
	if err == nil {
		err = p.store(at, dim, col)
	}
	return p.noted("store", at, err)
}
