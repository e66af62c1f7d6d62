package tile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/tile"
)

// num is a key whose number says everything.
type num uint64

func (n num) Hash() uint64 { v := uint64(n)*0x9E3779B97F4A7C15 + 1; return v ^ v>>29 }

// reader makes tiles whose bytes follow from their keys, and counts.
type reader struct {
	size   func(num) int
	before func(ctx context.Context, key num) error
	traits tile.Traits
	reads  atomic.Int64
	salt   atomic.Uint64
}

func (r *reader) Traits() tile.Traits { return r.traits }

func (r *reader) ReadTile(ctx context.Context, key num, room func(int) ([]byte, error)) error {
	r.reads.Add(1)
	salt := r.salt.Load()
	if r.before != nil {
		if err := r.before(ctx, key); err != nil {
			return err
		}
	}
	b, err := room(r.size(key))
	if err != nil {
		return err
	}
	fill(b, key, salt)
	return nil
}

func fill(b []byte, key num, salt uint64) {
	for i := 0; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], uint64(key)<<32+salt<<24+uint64(i))
	}
}

// saltOf checks the bytes of a tile and returns the salt that they were made with.
func saltOf(t testing.TB, b []byte, key num) uint64 {
	salt := binary.LittleEndian.Uint64(b) >> 24 & 0xFF
	for i := 0; i+8 <= len(b); i += 8 {
		if got, want := binary.LittleEndian.Uint64(b[i:]), uint64(key)<<32+salt<<24+uint64(i); got != want {
			t.Errorf("tile %d at %d: %x, want %x", key, i, got, want)
			break
		}
	}
	return salt
}

func fixed(n int) func(num) int { return func(num) int { return n } }

var policies = map[string]tile.NewPolicy{"clock": tile.Clock, "s3fifo": tile.S3FIFO, "tinylfu": tile.TinyLFU, "wide": tile.WideTinyLFU}

func get(t *testing.T, c *tile.Cache[num], w *tile.Worker[num], key num, r *reader) tile.Handle {
	t.Helper()
	h, err := c.Get(context.Background(), w, key, r)
	if err != nil {
		t.Fatalf("tile %d: %v", key, err)
	}
	return h
}

func TestGet(t *testing.T) {
	long.Alone(t)
	for name, policy := range policies {
		for _, slots := range []int{0, 1, 3, 16} {
			t.Run(fmt.Sprintf("%s/%d slots", name, slots), func(t *testing.T) {
				const budget = 64 << 10
				c := tile.New[num](tile.Options{Budget: budget, Purposes: []tile.Purpose{{Policy: policy}}})
				w := c.NewWorker(slots)
				r := &reader{size: func(n num) int { return 512 + 8*int(n%100) }}
				rnd := rand.New(rand.NewPCG(1, 2))
				for range 20000 {
					key := num(rnd.ExpFloat64() * 60)
					h := get(t, c, w, key, r)
					saltOf(t, h.Bytes(), key)
					h.Release()
				}
				w.Close()
				s := c.Stats()
				if s.Requests != 20000 || s.Hits+s.Misses+s.MicroHits != 20000 || s.Reads != s.Misses || s.Reads != r.reads.Load() {
					t.Errorf("%+v, and the reader counted %d", s, r.reads.Load())
				}
				if s.Evictions == 0 || s.PeakBytes > budget || s.AgainBytes == 0 || s.HitRatio() < .5 {
					t.Errorf("%+v", s)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestRace lets goroutines read, invalidate and cancel tiles beside each other.
func TestRace(t *testing.T) {
	for name, policy := range policies {
		for _, packed := range []int64{0, 16 << 10} {
			t.Run(fmt.Sprintf("%s/%d packed", name, packed), func(t *testing.T) {
				const budget = 32 << 10
				c := tile.New[num](tile.Options{Budget: budget, Records: 1024, Packed: packed, Instances: true, Purposes: []tile.Purpose{{Policy: policy}}})
				r := &reader{size: func(n num) int { return 64 + 8*int(n%200) }}
				r.before = func(ctx context.Context, n num) error {
					if n%7 == 0 {
						runtime.Gosched()
					}
					if n%13 == 0 && r.reads.Load()%3 == 0 {
						return errBad
					}
					if n%17 == 0 && r.reads.Load()%3 == 0 {
						panic("bad")
					}
					return ctx.Err()
				}
				var group sync.WaitGroup
				for g := range 8 {
					group.Go(func() {
						w := c.NewWorker(g % 3) // 7 slots and 8 tiles in use: 15 of 1,656 bytes at most fit the budget
						defer w.Close()
						rnd := rand.New(rand.NewPCG(uint64(g), 1))
						for i := range 1000 {
							key := num(rnd.IntN(3000))
							if rnd.IntN(2) == 0 {
								key %= 64
							}
							ctx, cancel := context.WithCancel(context.Background())
							if i%50 == 0 {
								c.Invalidate(key)
							}
							if i%5 == 0 {
								cancel()
							}
							h, err := c.Get(ctx, w, key, r)
							if err == nil {
								saltOf(t, h.Bytes(), key)
								if i%3 == 0 {
									runtime.Gosched()
									saltOf(t, h.Bytes(), key)
								}
								h.Release()
							} else if p := (*tile.PanicError)(nil); !errors.Is(err, errBad) && !errors.Is(err, context.Canceled) && !errors.As(err, &p) {
								t.Error(err)
							}
							cancel()
						}
					})
				}
				group.Wait()
				if s := c.Stats(); s.PeakBytes > budget || s.Evictions == 0 {
					t.Errorf("%+v", s)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

var errBad = errors.New("bad tile")

func TestClose(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 1 << 20})
	r := &reader{size: fixed(1024)}
	h := get(t, c, nil, 1, r)
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "1024 bytes are not released") {
		t.Errorf("a leaked handle: %v", err)
	}
	saltOf(t, h.Bytes(), 1)
	h.Release()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Get(context.Background(), nil, 1, r); !errors.Is(err, tile.ErrClosed) {
		t.Errorf("Get after Close: %v", err)
	}
}

// TestFewTiles reads tiles in a circle through caches that hold a few of them. The best that a cache can
// do is to keep the same ones.
func TestFewTiles(t *testing.T) {
	for _, tt := range []struct{ tiles, kept, hits int }{{20, 18, 70}, {100, 90, 75}, {100, 50, 42}} {
		t.Run(fmt.Sprintf("%d of %d", tt.kept, tt.tiles), func(t *testing.T) {
			c := tile.New[num](tile.Options{Budget: int64(tt.kept) << 12})
			r := &reader{size: func(num) int { return 1 << 12 }}
			for i := range 100 * tt.tiles {
				h, err := c.Get(t.Context(), nil, num(i%tt.tiles), r)
				if err != nil {
					t.Fatal(err)
				}
				h.Release()
			}
			if hits := 100 * c.Stats().HitRatio(); hits < float64(tt.hits) {
				t.Errorf("%.1f %% hits, want %d", hits, tt.hits)
			}
		})
	}
}
