package tile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Key names a tile. Equal keys have equal hashes; all 64 bits of a hash are used. Keys
// with an equal high half lie under one lock.
type Key interface {
	comparable
	Hash() uint64
}

// A Loader reads tiles. Goroutines share it.
type Loader[K Key] interface {
	// ReadTile reads the tile of a key. It calls room once with the tile's size in bytes
	// and fills the buffer that it gets. The buffer is not cleared. ReadTile must not keep
	// it. A tile has at least one byte. ReadTile may ask the cache for other tiles with its
	// ctx.
	ReadTile(ctx context.Context, key K, room func(size int) ([]byte, error)) error
}

// Traits say how the cache treats tiles of a Loader that has a method Traits.
type Traits struct {
	// Purpose is a number in Options.Purposes.
	Purpose int
	// Element is the size in bytes of what a tile repeats. Tiles that repeat one element
	// are kept as that element. 0 keeps all tiles as they are.
	Element int
}

// What callers branch on.
var (
	// ErrOversize says that a tile is larger than the budget.
	ErrOversize = errors.New("the tile is larger than the cache")
	// ErrPinned says that there is no room for a tile because handles pin all others.
	ErrPinned = errors.New("all tiles of the cache are in use")
	// ErrClosed says that the cache was closed.
	ErrClosed = errors.New("the cache is closed")
)

// Options of a Cache. The zero value is the default, but for Budget.
type Options struct {
	// Budget is the most bytes of payloads.
	Budget int64
	// Purposes are the kinds of tiles. Default: one.
	Purposes []Purpose
	// Over is how many times the room that a tile needs is made at once, so that the next
	// tile need not wait for it, within a sixty-fourth of the budget. Default 2.
	Over float64
	// Shards is the number of locks. Default: 4 for each processor that Go uses.
	Shards int
	// Records is the most tiles that the cache remembers, with and without payload. Where
	// all have one, the cache holds less than its budget. Default: one for 2 KiB of the
	// budget, at least 65,536. A record takes about 100 bytes. Room is made for those that are
	// used. If it is set, the table is made for so many at once. Of a tile that was read and
	// is not remembered, a cache with Flat keys keeps a bit, others a mark of 2 bytes for a while.
	Records int
	// Instances keeps tiles with equal bytes once.
	Instances bool
	// Packed is the budget of the compressed tier in bytes, beside Budget. Payloads that
	// leave are packed into it as LZ4 blocks, once. It pays for tiles that pack well and take
	// long to read: see docs/lab/TEXTURES.md. Default: no such tier.
	Packed int64
}

// Purpose is a kind of tile.
type Purpose struct {
	Name string
	// Share is the part of the budget that these tiles have for themselves; what they do
	// not need is lent to others. Default: equal shares.
	Share float64
	// Policy decides which of them leaves. Default TinyLFU.
	Policy NewPolicy
	// Sharper is how many levels finer than needed a sampler reads: masks and cut-outs
	// look better with less filtering. See Level.
	Sharper float64
}

// Level returns the level that a sampler of this purpose reads, where an element of level
// 0 is to be width elements wide: 1 reads level 0, 2 level 1. part is how much of the next
// coarser level a sampler mixes in, 0 to 1.
func (p Purpose) Level(width float64, levels int) (level int, part float64) {
	l := min(max(math.Log2(width)-p.Sharper, 0), float64(levels-1))
	return int(l), l - float64(int(l))
}

// Cache keeps tiles. Any number of goroutines may use it.
//
// Locks: mu, then that of one shard, then that of the pool. The time under mu does not
// depend on the size of tiles.
type Cache[K Key] struct {
	o      Options
	shards []shard[K]
	slab   slab[K]
	pool   pool
	used   atomic.Int64 // bytes of payloads, pinned ones that have no record included

	mu       sync.Mutex // guards the policies and the fields below
	purposes []purpose
	peak     int64
	moving   int64      // bytes of payloads that are being packed
	moved    *sync.Cond // on mu: moving became less
	left     uint32     // counts payloads that left
	idle     lists      // of one list: records without payload, and those of constant tiles
	evicted  uint32     // the record whose payload was evicted last
	ghosts   ghosts     // of forgotten records
	shared   map[uint64]*payload
	tier     tier
	closed   bool
	roomCounts
	microRequests, microHits atomic.Int64

	// leaving are the payloads that an eviction took to be packed, and leavingBytes theirs.
	leaving      []victim
	leavingBytes int64

	freeBytes, freeValue func(*payload)
	tryLeaveFunc         func(id uint32) bool
	readings, flights    sync.Pool // what a miss needs
}

type purpose struct {
	Policy
	share int64
	used  int64 // of records' payloads
}

// New returns an empty Cache.
func New[K Key](o Options) *Cache[K] {
	if len(o.Purposes) == 0 {
		o.Purposes = []Purpose{{Name: "tiles"}}
	}
	if o.Over == 0 {
		o.Over = 2
	}
	if o.Shards == 0 {
		o.Shards = 4 * runtime.GOMAXPROCS(0)
	}
	slots := 16
	if o.Records == 0 {
		o.Records = int(max(1<<16, o.Budget>>11))
	} else {
		slots += 3 * o.Records / (2 * o.Shards) // two of three are filled
	}
	c := &Cache[K]{o: o, shards: make([]shard[K], o.Shards), shared: make(map[uint64]*payload)}
	c.pool.most = o.Budget / 16
	c.moved = sync.NewCond(&c.mu)
	c.idle = newLists(1)
	c.slab.most = o.Records
	for i := range c.shards {
		c.shards[i].slots = make([]place, slots)
	}
	used := func(id uint32) bool { mark := &c.record(id).used; return mark.Load() && mark.Swap(false) }
	for _, p := range o.Purposes {
		share := p.Share
		if share == 0 {
			share = 1 / float64(len(o.Purposes))
		}
		if p.Policy == nil {
			p.Policy = TinyLFU
		}
		n := int64(share * float64(o.Budget))
		policy := p.Policy(n, used)
		if l, ok := policy.(interface{ share(*nodes) }); ok {
			l.share(c.idle.nodes)
		}
		c.purposes = append(c.purposes, purpose{Policy: policy, share: n})
	}
	c.freeBytes = func(p *payload) {
		c.used.Add(-p.size)
		c.pool.putPayload(p)
	}
	c.freeValue = func(p *payload) { c.used.Add(-p.size) }
	c.tryLeaveFunc = c.tryLeave
	c.flights.New = func() any { return new(flight) }
	c.readings.New = func() any {
		g := &reading[K]{c: c}
		g.room = g.makeRoom
		return g
	}
	return c
}

func (c *Cache[K]) record(id uint32) *record[K] { return c.slab.record(id) }

func (c *Cache[K]) shard(hash uint64) *shard[K] { return &c.shards[shardOf(hash, len(c.shards))] }

// Get returns a handle of the tile of a key. If the tile is not here, Get reads it through
// r, with ctx. Of concurrent calls for one tile one reads; the others wait until it is
// there or their ctx ends. If the loader fails, its caller gets the error, and the next
// that waits reads. A Loader that panics is an error for its caller. The errors besides
// those of ctx and r are ErrOversize, ErrPinned and ErrClosed. w is the caller's
// microcache; it may be nil.
func (c *Cache[K]) Get(ctx context.Context, w *Worker[K], key K, r Loader[K]) (Handle, error) {
	if w == nil {
		return c.get(ctx, key, request[K]{loader: r})
	}
	if h, ok := w.get(key); ok {
		return h, nil
	}
	h, err := c.get(ctx, key, request[K]{loader: r})
	if errors.Is(err, ErrPinned) && w.flush() {
		h, err = c.get(ctx, key, request[K]{loader: r})
	}
	if err != nil {
		return h, err
	}
	return w.keep(key, h), nil
}

// Peek returns a handle of a tile if it is here. It neither reads nor waits.
func (c *Cache[K]) Peek(key K) (Handle, bool) {
	hash := key.Hash()
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, r := s.find(c, hash, key)
	if r == nil || r.payload == nil {
		return Handle{}, false
	}
	s.hits++
	return r.pinned(), true
}

// pinned marks the record as used and returns a handle of its payload. The caller has the
// shard's lock.
func (r *record[K]) pinned() Handle {
	use(&r.used)
	if r.payload.one.size == 0 {
		r.payload.pins.Add(1)
	}
	return Handle{p: r.payload}
}

// request is how a tile is read: its bytes by a Loader, or a value by a function.
type request[K Key] struct {
	loader Loader[K]
	value  func() (v any, bytes int64, unpacked bool, err error)
}

func (c *Cache[K]) get(ctx context.Context, key K, q request[K]) (Handle, error) {
	hash := key.Hash()
	s := c.shard(hash)
	s.mu.Lock()
	id, r := s.find(c, hash, key)
	if r == nil {
		s.mu.Unlock()
		var err error
		if id, r, err = c.remember(s, hash, key); err != nil {
			return Handle{}, err
		}
	}
	if r.payload != nil {
		s.hits++
		h := r.pinned()
		s.mu.Unlock()
		return h, nil
	}
	s.misses++
	f := r.flight
	if f == nil {
		f = c.flights.Get().(*flight)
		r.flight = f
		s.mu.Unlock()
		return c.lead(ctx, s, id, f, key, q)
	}
	if within(ctx, f) {
		s.mu.Unlock()
		return Handle{}, fmt.Errorf("tile: the loader of %v asks for what it reads", key)
	}
	if f.done == nil {
		f.done, f.turn = make(chan struct{}), make(chan struct{}, 1)
	}
	f.waiters++
	s.waits++
	s.mu.Unlock()
	if i, ok := q.loader.(*Item[K]); ok {
		defer i.timed(&i.counts.wait)()
		i.counts.waits.Add(1)
	}
	select {
	case <-f.done:
		return Handle{p: f.p}, nil
	case <-f.turn:
		s.mu.Lock()
		f.waiters--
		s.mu.Unlock()
		return c.lead(ctx, s, id, f, key, q)
	case <-ctx.Done():
		c.stopWaiting(s, id, f)
		return Handle{}, ctx.Err()
	}
}

// stopWaiting takes a waiter away whose context has ended.
func (c *Cache[K]) stopWaiting(s *shard[K], id uint32, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiters--
	if f.p != nil { // it was pinned for this waiter too
		Handle{p: f.p}.Release()
		return
	}
	if f.waiters == 0 {
		select {
		case <-f.turn: // nobody is left to take it
			c.endFlight(id, f)
		default:
		}
	}
}

// endFlight ends a flight. The caller has the lock of the record's shard.
func (c *Cache[K]) endFlight(id uint32, f *flight) {
	if !f.lost {
		c.record(id).flight = nil
	}
}

// lead reads a tile. The caller has the turn of the flight.
func (c *Cache[K]) lead(ctx context.Context, s *shard[K], id uint32, f *flight, key K, q request[K]) (h Handle, err error) {
	var p *payload
	defer func() {
		if p == nil { // an error, or the goroutine ends
			c.pass(s, id, f)
		}
	}()
	if p, err = c.unpack(s, id, f); p == nil && err == nil {
		p, err = c.read(ctx, key, f, q)
	}
	if err != nil {
		p = nil
		return Handle{}, err
	}
	var before bool
	size := max(p.size, int64(p.one.size))
	unpacked := p.unpacked
	p, before = c.arrive(s, id, f, p)
	if f.done == nil { // nobody else has seen it
		*f = flight{}
		c.flights.Put(f)
	}
	if i, ok := q.loader.(*Item[K]); ok && !unpacked {
		i.arrived(size, before)
	}
	return Handle{p: p}, nil
}

func traitsOf(r any) Traits {
	if t, ok := r.(interface{ Traits() Traits }); ok {
		return t.Traits()
	}
	return Traits{}
}

// pass gives the turn to the next waiter, or ends the flight.
func (c *Cache[K]) pass(s *shard[K], id uint32, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiters > 0 {
		f.turn <- struct{}{}
		return
	}
	c.endFlight(id, f)
}

// PanicError is the error of a Loader that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("tile: a loader panicked: %v", e.Value) }

// read reads a tile into a payload that no record has yet. Its room is taken.
func (c *Cache[K]) read(ctx context.Context, key K, f *flight, q request[K]) (p *payload, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.value != nil {
		return c.readValue(q.value)
	}
	g := c.readings.Get().(*reading[K])
	g.loader = q.loader
	done := false
	defer func() {
		if v := recover(); v != nil {
			p, err, done = nil, &PanicError{v, debug.Stack()}, false
		}
		if !done && g.b != nil {
			c.giveBack(g.b)
		}
		if p != nil { // a loader that failed may call room later
			g.loader, g.b, g.err = nil, nil, nil
			c.readings.Put(g)
		}
	}()
	in := &readContext{Context: ctx}
	in.flight.Store(f)
	defer in.flight.Store(nil)
	if err := q.loader.ReadTile(in, key, g.room); err != nil {
		return nil, err
	}
	if g.b == nil {
		return nil, cmp.Or(g.err, errors.New("tile: a loader returned neither bytes nor an error"))
	}
	if one, ok := constantOf(g.b, g.traits.Element); ok {
		return &payload{one: one}, nil // the deferred function gives b back
	}
	done = true
	return c.pool.payload(g.b, g.traits.Purpose, c.freeBytes), nil
}

// readContext is the context of a call of a Loader. It knows what is being read.
type readContext struct {
	context.Context
	flight atomic.Pointer[flight] // nil: the call is over
}

type readKey struct{}

func (c *readContext) Value(key any) any {
	if key == (readKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// within reports whether ctx is that of a Loader's call for a flight, or one within it.
func within(ctx context.Context, f *flight) bool {
	for {
		c, ok := ctx.Value(readKey{}).(*readContext)
		if !ok || c.flight.Load() == f {
			return ok
		}
		ctx = c.Context
	}
}

// reading is a call of a Loader.
type reading[K Key] struct {
	c      *Cache[K]
	loader Loader[K]
	room   func(size int) ([]byte, error) // makeRoom
	b      []byte
	err    error // the last of room
	traits Traits
}

// makeRoom returns the buffer that the Loader fills.
func (g *reading[K]) makeRoom(size int) (b []byte, err error) {
	defer func() { g.err = err }()
	switch g.traits = traitsOf(g.loader); { // a file is open by now
	case g.traits.Purpose < 0 || g.traits.Purpose >= len(g.c.purposes):
		return nil, fmt.Errorf("tile: purpose %d of %d", g.traits.Purpose, len(g.c.purposes))
	case g.b != nil:
		return nil, errors.New("tile: a loader asked for room twice")
	case size <= 0:
		return nil, fmt.Errorf("tile: a tile of %d bytes", size)
	}
	if err := g.c.reserve(int64(size), g.traits.Purpose); err != nil {
		return nil, err
	}
	g.b = g.c.pool.get(size)
	return g.b, nil
}

// giveBack gives room and buffer of a tile that does not stay.
func (c *Cache[K]) giveBack(b []byte) {
	c.used.Add(-int64(len(b)))
	c.pool.put(b)
}

// readValue is read for a Go value. Its size is known afterwards. A value that has no
// room is returned and not kept.
func (c *Cache[K]) readValue(value func() (any, int64, bool, error)) (p *payload, err error) {
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, &PanicError{v, debug.Stack()}
		}
	}()
	p = &payload{free: c.freeValue}
	if p.value, p.size, p.unpacked, err = value(); err == nil && p.size < 0 {
		err = fmt.Errorf("tile: a value of %d bytes", p.size)
	}
	if err != nil {
		return nil, err
	}
	if err := c.reserve(p.size, 0); err != nil {
		p.size = -1
	}
	return p, nil
}

// arrive gives the payload to the record and to all who wait for it, and pins it for each
// and for the caller. It returns the payload, or the one of another record with the same
// bytes, and whether the tile was read before.
func (c *Cache[K]) arrive(s *shard[K], id uint32, f *flight, p *payload) (_ *payload, before bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p = c.instance(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := c.record(id)
	before = r.read && !f.lost
	s.arrived(p, before)
	if p.used == nil {
		p.used = &r.used
	}
	kept := !f.lost && p.size >= 0 && !c.closed // else it was invalidated while it was read, or there is no room
	if !kept {
		p.stale.Store(true)
	}
	f.p = p
	p.pins.Add(int64(f.waiters) + 1)
	if f.done != nil {
		close(f.done)
	}
	if !kept {
		c.endFlight(id, f)
		p.size = max(p.size, 0)
		if p.owners == 0 {
			if p.sum != 0 {
				delete(c.shared, p.sum)
			}
			p.gone.Store(true)
		}
		return p, before
	}
	r.flight = nil
	r.read = true
	r.purpose = p.purpose
	if p.owners > 0 {
		c.instances++
	}
	p.owners++
	r.payload = p
	if p.one.size > 0 {
		c.constants++
		return p, before
	}
	c.idle.take(id)
	of := &c.purposes[p.purpose]
	of.used += p.size
	of.Add(id, p.size)
	c.payloads++
	c.peak = max(c.peak, c.used.Load())
	return p, before
}
