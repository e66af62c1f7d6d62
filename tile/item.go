package tile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"
)

// ErrChanged is what a ReadCloser returns if it changed since it was opened. The cache then
// forgets all its tiles, and the next request opens it again.
var ErrChanged = errors.New("the file changed underneath")

// ReadCloser is an open item: it reads tiles by key. Goroutines share it.
type ReadCloser[K Key] interface {
	Loader[K]
	// About describes the item. It stays when the ReadCloser is closed.
	About() About
	Close() error
}

// About describes an item.
type About struct {
	// Size is the size in cells or pixels: width, height, depth.
	Size [3]int
	// Tile is the edge of a tile, Levels the number of levels.
	Tile, Levels int
	// Channels are the names of what an element holds, or its schema.
	Channels []string
	Traits
}

// ItemsOptions are the options of Items. The zero value is the default.
type ItemsOptions struct {
	// Open is how many files may be open at a time. Default 256. More are open only while
	// more are read from.
	Open int
	// Now is a clock for the times of Item.Stats. Without it they are 0.
	Now func() time.Time
}

// Items are the files of a cache by name. A file is opened when it is first asked for. What
// describes it stays when it is closed. Any number of goroutines may use Items.
type Items[K Key] struct {
	cache  *Cache[K]
	open   func(ctx context.Context, name string) (ReadCloser[K], error)
	itemOf func(K) uint32
	o      ItemsOptions

	byName atomic.Pointer[itemTable[K]]

	mu     sync.Mutex // guards the fields below, changes of byName, and the files of items
	byID   map[uint32]*Item[K]
	opened int    // files
	clock  uint64 // counts uses
	failed int    // closes that failed
	last   error  // the last of these
}

// NewItems returns the items of a cache. open opens one by its name, and itemOf returns the
// item of a key.
func NewItems[K Key](c *Cache[K], open func(ctx context.Context, name string) (ReadCloser[K], error), itemOf func(K) uint32, o ItemsOptions) *Items[K] {
	o.Open = cmp.Or(o.Open, 256)
	s := &Items[K]{cache: c, open: open, itemOf: itemOf, o: o, byID: map[uint32]*Item[K]{}}
	s.byName.Store(newItemTable[K](64))
	return s
}

// itemTable is items by name, found without a lock. A place is that of the hash or the next free
// one. Items do not leave, and at most half of the places are taken: then a table of twice the
// size takes over.
type itemTable[K Key] struct{ places []atomic.Pointer[Item[K]] }

func newItemTable[K Key](places int) *itemTable[K] {
	return &itemTable[K]{make([]atomic.Pointer[Item[K]], places)}
}

// find returns the item of a name, or nil and the place for it.
func (t *itemTable[K]) find(hash uint64, name string) (*Item[K], *atomic.Pointer[Item[K]]) {
	for at := hash; ; at++ {
		place := &t.places[at&uint64(len(t.places)-1)]
		if i := place.Load(); i == nil || i.hash == hash && i.name == name {
			return i, place
		}
	}
}

// Item is a file that a cache reads tiles of. It is a Loader: pass it to Get with keys that
// have its ID.
type Item[K Key] struct {
	of     *Items[K]
	name   string
	hash   uint64
	id     uint32
	turn   chan struct{}         // has an element while nobody opens the file
	about  atomic.Pointer[About] // nil until it was opened
	file   *openFile[K]          // nil: closed. Items.mu guards it
	counts itemCounts
}

// openFile is a file that is open, and who uses it.
type openFile[K Key] struct {
	ReadCloser[K]
	users int
	used  uint64 // when, by Items.clock
	stale bool   // the item has it no more: its last user closes it
}

// Item returns the item of a name. It does not open it. Its ID is the hash of its name, or,
// if another item has that, the next number that is free.
func (s *Items[K]) Item(name string) *Item[K] {
	hash := xxh3.HashString(name)
	if i, _ := s.byName.Load().find(hash, name); i != nil {
		return i
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.byName.Load()
	i, place := t.find(hash, name)
	if i != nil {
		return i
	}
	if 2*len(s.byID) >= len(t.places) {
		t = newItemTable[K](2 * len(t.places))
		for _, i := range s.byID {
			_, place = t.find(i.hash, i.name)
			place.Store(i)
		}
		s.byName.Store(t)
		_, place = t.find(hash, name)
	}
	id := uint32(hash)
	for s.byID[id] != nil {
		id++
	}
	i = &Item[K]{of: s, name: name, hash: hash, id: id, turn: make(chan struct{}, 1)}
	i.turn <- struct{}{}
	s.byID[id] = i
	place.Store(i)
	return i
}

// ID returns the number for keys of the item.
func (i *Item[K]) ID() uint32 { return i.id }

// About describes the item. It opens the file if that was never opened.
func (i *Item[K]) About(ctx context.Context) (About, error) {
	if a := i.about.Load(); a != nil {
		return *a, nil
	}
	f, err := i.begin(ctx)
	if err != nil {
		return About{}, err
	}
	return f.About(), i.end(f)
}

// Traits are those of the file, zero until it is opened.
func (i *Item[K]) Traits() Traits {
	if a := i.about.Load(); a != nil {
		return a.Traits
	}
	return Traits{}
}

// ReadTile implements Loader.
func (i *Item[K]) ReadTile(ctx context.Context, key K, room func(size int) ([]byte, error)) error {
	f, err := i.begin(ctx)
	if err != nil {
		return err
	}
	done := i.timed(&i.counts.io)
	defer func() { // also if the file panics
		done()
		i.of.closed(i.end(f))
	}()
	if err = f.ReadTile(ctx, key, room); errors.Is(err, ErrChanged) {
		i.forget(f)
	}
	if err != nil {
		err = fmt.Errorf("tile: %s: %v: %w", i.name, key, err)
	}
	return err
}

// timed starts a clock; what it returns adds the time to sum.
func (i *Item[K]) timed(sum *atomic.Int64) (done func()) {
	if i.of.o.Now == nil {
		return func() {}
	}
	from := i.of.o.Now()
	return func() { sum.Add(int64(i.of.o.Now().Sub(from))) }
}

// arrived counts a tile of so many bytes, which may have been read before.
func (i *Item[K]) arrived(size int64, before bool) {
	i.counts.reads.Add(1)
	i.counts.bytes.Add(size)
	if before {
		i.counts.again.Add(1)
		i.counts.againBytes.Add(size)
	}
}

// begin opens the file if that is needed, and keeps it open until end.
func (i *Item[K]) begin(ctx context.Context) (*openFile[K], error) {
	if f := i.use(nil); f != nil {
		return f, nil
	}
	select {
	case <-i.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { i.turn <- struct{}{} }()
	if f := i.use(nil); f != nil { // opened while this goroutine waited
		return f, nil
	}
	f, err := i.of.open(ctx, i.name)
	if err != nil {
		return nil, fmt.Errorf("tile: open %s: %w", i.name, err)
	}
	i.counts.opens.Add(1)
	about := f.About()
	opened := i.use(func() {
		i.file = &openFile[K]{ReadCloser: f}
		i.about.Store(&about)
		i.of.opened++
	})
	i.of.closeIdle()
	return opened, nil
}

// use counts a user of the open file and returns it. open, unless it is nil, sets it first.
func (i *Item[K]) use(open func()) *openFile[K] {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	if open != nil {
		open()
	}
	if i.file != nil {
		i.of.clock++
		i.file.users, i.file.used = i.file.users+1, i.of.clock
	}
	return i.file
}

// end lets go of a file that begin returned.
func (i *Item[K]) end(f *openFile[K]) error {
	i.of.mu.Lock()
	f.users--
	last := f.users == 0 && f.stale
	i.of.mu.Unlock()
	if last {
		return f.Close()
	}
	return nil
}

// forget makes the next request open the file again, and forgets its tiles. The caller uses
// f.
func (i *Item[K]) forget(f *openFile[K]) {
	i.of.mu.Lock()
	if i.file == f {
		i.of.detach(i) // its last user closes it
	}
	i.of.mu.Unlock()
	i.of.cache.InvalidateIf(func(k K) bool { return i.of.itemOf(k) == i.id })
}

// Invalidate forgets all tiles of the item. The next request opens it again.
func (i *Item[K]) Invalidate() error {
	f := i.use(nil)
	if f == nil {
		i.of.cache.InvalidateIf(func(k K) bool { return i.of.itemOf(k) == i.id })
		return nil
	}
	i.forget(f)
	return i.end(f)
}

// detach takes the file from an item. The caller has mu, and closes the file if nobody
// uses it.
func (s *Items[K]) detach(i *Item[K]) *openFile[K] {
	f := i.file
	f.stale, i.file = true, nil
	s.opened--
	return f
}

// closeIdle closes files that nobody reads from, the one that was used first, until no
// more are open than allowed.
func (s *Items[K]) closeIdle() {
	for {
		s.mu.Lock()
		var oldest *Item[K]
		for _, i := range s.byID {
			if f := i.file; s.opened > s.o.Open && f != nil && f.users == 0 && (oldest == nil || f.used < oldest.file.used) {
				oldest = i
			}
		}
		if oldest == nil {
			s.mu.Unlock()
			return
		}
		f := s.detach(oldest)
		s.mu.Unlock()
		s.closed(f.Close())
	}
}

// closed counts a close that failed.
func (s *Items[K]) closed(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed++
	s.last = err
}

// Close closes the files. It returns the first error of this and of earlier closes. Nobody
// may read any more.
func (s *Items[K]) Close() error {
	s.mu.Lock()
	err := s.last
	var files []*openFile[K]
	for _, i := range s.byID {
		if i.file != nil {
			files = append(files, s.detach(i))
		}
	}
	s.mu.Unlock()
	for _, f := range files {
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		err = fmt.Errorf("tile: close: %w", err)
	}
	return err
}

// ItemStats are counts of an item since it was first asked for.
type ItemStats struct {
	Name       string        `json:"name"`
	Opens      int64         `json:"opens"`
	Reads      int64         `json:"reads"`       // tiles that were read
	Again      int64         `json:"again"`       // of these, read before
	Bytes      int64         `json:"bytes"`       // that were read
	AgainBytes int64         `json:"again_bytes"` // of these, read before
	Waits      int64         `json:"waits"`       // for a tile that another goroutine read
	IO         time.Duration `json:"io_ns"`       // of reading
	Wait       time.Duration `json:"wait_ns"`     // of waiting
}

// Stats returns the counts of all items, those with the most bytes first.
func (s *Items[K]) Stats() []ItemStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]ItemStats, 0, len(s.byID))
	for _, i := range s.byID {
		c := &i.counts
		all = append(all, ItemStats{
			Name: i.name, Opens: c.opens.Load(), Reads: c.reads.Load(), Again: c.again.Load(),
			Bytes: c.bytes.Load(), AgainBytes: c.againBytes.Load(), Waits: c.waits.Load(),
			IO: time.Duration(c.io.Load()), Wait: time.Duration(c.wait.Load()),
		})
	}
	slices.SortFunc(all, func(a, b ItemStats) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	return all
}

type itemCounts struct {
	opens, reads, again, waits atomic.Int64
	bytes, againBytes          atomic.Int64
	io, wait                   atomic.Int64 // nanoseconds
}
