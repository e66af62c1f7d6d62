package tile_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/cairnvoxel/cairn/tile"
)

// gate is a reader that stops in each read until it is told what to do.
type gate struct {
	reader
	begun chan num
	end   chan func() error
}

func newGate() *gate {
	g := &gate{begun: make(chan num), end: make(chan func() error)}
	g.size = fixed(256)
	g.before = func(ctx context.Context, key num) error {
		g.begun <- key
		select {
		case f := <-g.end:
			return f()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return g
}

func fine() error { return nil }

// ask calls Get on a goroutine of its own.
func ask(c *tile.Cache[num], ctx context.Context, key num, g *gate) <-chan error {
	out := make(chan error, 1)
	go func() {
		done := false
		defer func() {
			if !done {
				out <- errEnded
			}
		}()
		h, err := c.Get(ctx, nil, key, g)
		h.Release()
		done = true
		out <- err
	}()
	return out
}

var errEnded = errors.New("the goroutine ended")

// waiting waits until so many calls wait for a read.
func waiting(c *tile.Cache[num], n int64) {
	for c.Stats().Waits < n {
		runtime.Gosched()
	}
}

func TestOneReadForAll(t *testing.T) {
	c, g := tile.New[num](tile.Options{Budget: 1 << 20}), newGate()
	ctx, cancel := context.WithCancel(context.Background())
	first := ask(c, context.Background(), 1, g)
	<-g.begun
	var others []<-chan error
	for range 5 {
		others = append(others, ask(c, context.Background(), 1, g))
	}
	waiting(c, 5)
	gone := ask(c, ctx, 1, g)
	waiting(c, 6)
	cancel()
	if err := <-gone; err != context.Canceled {
		t.Errorf("who stops waiting gets %v", err)
	}
	g.end <- fine
	for _, out := range append(others, first) {
		if err := <-out; err != nil {
			t.Error(err)
		}
	}
	if s := c.Stats(); s.Reads != 1 || s.Misses != 7 {
		t.Errorf("%+v", s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestTurn has the one who reads fail in every way: each time the next one who waits reads.
func TestTurn(t *testing.T) {
	c, g := tile.New[num](tile.Options{Budget: 1 << 20}), newGate()
	outs := make(chan error)
	pipe := func(out <-chan error) { go func() { outs <- <-out }() }
	pipe(ask(c, context.Background(), 1, g))
	<-g.begun
	failures := []struct {
		end  func() error
		want func(error) bool
	}{
		{func() error { return errBad }, func(err error) bool { return err == errBad }},
		{func() error { panic("bad") }, func(err error) bool { p := (*tile.PanicError)(nil); return errors.As(err, &p) && p.Value == "bad" }},
		{func() error { runtime.Goexit(); return nil }, func(err error) bool { return err == errEnded }},
		{fine, func(err error) bool { return err == nil }},
	}
	for range failures[1:] {
		pipe(ask(c, context.Background(), 1, g))
	}
	waiting(c, int64(len(failures)-1))
	for i, f := range failures {
		g.end <- f.end
		if err := <-outs; !f.want(err) {
			t.Errorf("failure %d: %v", i, err)
		}
		if i < len(failures)-1 {
			<-g.begun // by one of those who wait
		}
	}
	if s := c.Stats(); s.Reads != 1 {
		t.Errorf("%+v", s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestCancelledReader cancels the one who reads: the one who waits reads, with its own
// context.
func TestCancelledReader(t *testing.T) {
	c, g := tile.New[num](tile.Options{Budget: 1 << 20}), newGate()
	ctx, cancel := context.WithCancel(context.Background())
	first := ask(c, ctx, 1, g)
	<-g.begun
	second := ask(c, context.Background(), 1, g)
	waiting(c, 1)
	cancel()
	if err := <-first; err != context.Canceled {
		t.Error(err)
	}
	<-g.begun
	g.end <- fine
	if err := <-second; err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestInvalidateWhileReading: who asked before gets what was read then, who asks afterwards
// does not.
func TestInvalidateWhileReading(t *testing.T) {
	c, g := tile.New[num](tile.Options{Budget: 1 << 20}), newGate()
	first := ask(c, context.Background(), 1, g)
	<-g.begun
	waits := ask(c, context.Background(), 1, g)
	waiting(c, 1)
	g.salt.Store(1)
	c.Invalidate(1)
	second := ask(c, context.Background(), 1, g)
	<-g.begun
	for range 2 {
		g.end <- fine
	}
	for _, out := range []<-chan error{first, waits, second} {
		if err := <-out; err != nil {
			t.Error(err)
		}
	}
	h, ok := c.Peek(1)
	if !ok || saltOf(t, h.Bytes(), 1) != 1 {
		t.Error("the cache has what was read before the tile was invalidated")
	}
	h.Release()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// op is an operation on a tile: to change it, or to read its salt.
type op struct {
	key   num
	write bool
	salt  uint64
}

// register says that a tile is what was written last.
var register = porcupine.Model{
	Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
		of := map[num][]porcupine.Operation{}
		for _, o := range all {
			key := o.Input.(op).key
			of[key] = append(of[key], o)
		}
		for _, part := range of {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return uint64(0) },
	Step: func(state, in, out any) (bool, any) {
		if o := in.(op); o.write {
			return true, o.salt
		}
		return state == out, state
	},
}

// TestLinear checks that goroutines that change, read, drive out and cancel tiles see each
// tile as one that is changed at one moment.
func TestLinear(t *testing.T) {
	for name, policy := range policies {
		for _, packed := range []int64{0, 1 << 10} {
			c := tile.New[num](tile.Options{Budget: 4 << 10, Packed: packed, Purposes: []tile.Purpose{{Policy: policy}}})
			salts := make([]atomic.Uint64, 24)
			r := &virtual[num]{Size: fixed(256), Fill: func(key num, b []byte) {
				salt := salts[key].Load()
				runtime.Gosched()
				fill(b, key, salt)
			}}
			var mu sync.Mutex
			var history []porcupine.Operation
			begin := time.Now()
			var group sync.WaitGroup
			for g := range 4 {
				group.Go(func() {
					w := c.NewWorker(g)
					defer w.Close()
					rnd := rand.New(rand.NewPCG(uint64(g), 7))
					for i := range 600 {
						o := op{key: num(rnd.IntN(len(salts))), write: rnd.IntN(8) == 0, salt: uint64(g*64+i%64) & 0xFF}
						from, got := time.Since(begin), uint64(0)
						if o.write {
							salts[o.key].Store(o.salt)
							c.Invalidate(o.key)
						} else {
							h, err := c.Get(context.Background(), w, o.key, r)
							if err != nil {
								if p := (*tile.PanicError)(nil); errors.As(err, &p) {
									t.Errorf("%s", p.Stack)
								}
								t.Error(err)
								return
							}
							got = saltOf(t, h.Bytes(), o.key)
							h.Release()
						}
						to := time.Since(begin)
						mu.Lock()
						history = append(history, porcupine.Operation{ClientId: g, Input: o, Call: int64(from), Output: got, Return: int64(to)})
						mu.Unlock()
					}
				})
			}
			group.Wait()
			if !porcupine.CheckOperations(register, history) {
				t.Errorf("%s, %d packed: not linearizable", name, packed)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
