package tiles

import (
	"context"

	"github.com/Yiling-J/theine-go"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"
)

// A serial cache of another library answers one caller at a time, and nothing of its own is
// left to do between calls.
type serial interface {
	// ask returns whether key is there, and puts it there if not.
	ask(key uint64, bytes int32) bool
	close()
}

type otterSerial struct{ *otter.Cache[uint64, int32] }

func newOtterSerial(budget int64) (serial, error) {
	c, err := otter.New(&otter.Options[uint64, int32]{
		MaximumWeight: uint64(budget),
		Weigher:       func(_ uint64, bytes int32) uint32 { return uint32(bytes) },
		Executor:      func(f func()) { f() },
	})
	return otterSerial{c}, err
}

func (c otterSerial) ask(key uint64, bytes int32) bool {
	if _, ok := c.GetIfPresent(key); ok {
		return true
	}
	c.Set(key, bytes)
	return false
}

func (c otterSerial) close() { c.StopAllGoroutines() }

type theineSerial struct {
	*theine.Cache[uint64, struct{}]
}

func newTheineSerial(budget int64) (serial, error) {
	c, err := theine.NewBuilder[uint64, struct{}](budget).Build()
	return theineSerial{c}, err
}

func (c theineSerial) ask(key uint64, bytes int32) bool {
	if _, ok := c.Get(key); ok {
		return true
	}
	c.Set(key, struct{}{}, int64(bytes))
	c.Wait()
	return false
}

func (c theineSerial) close() { c.Close() }

type ristrettoSerial struct {
	*ristretto.Cache[uint64, int32]
}

func newRistrettoSerial(budget int64) (serial, error) {
	c, err := ristretto.NewCache(ristrettoConfig[int32](budget))
	return ristrettoSerial{c}, err
}

// ristrettoConfig is what the library's documentation advises for tiles of 16 KiB.
func ristrettoConfig[V any](budget int64) *ristretto.Config[uint64, V] {
	return &ristretto.Config[uint64, V]{NumCounters: 10 * budget >> 14, MaxCost: budget, BufferItems: 64, IgnoreInternalCost: true}
}

func (c ristrettoSerial) ask(key uint64, bytes int32) bool {
	if _, ok := c.Get(key); ok {
		return true
	}
	c.Set(key, bytes, int64(bytes))
	c.Wait()
	return false
}

func (c ristrettoSerial) close() { c.Close() }

// rivals are the other libraries.
var rivals = []struct {
	name string
	new  func(budget int64) (serial, error)
}{
	{"otter", newOtterSerial},
	{"theine", newTheineSerial},
	{"ristretto", newRistrettoSerial},
}

// drive runs a library over a trace.
func drive(ctx context.Context, t *Trace, open func(budget int64) (serial, error), budget int64) (o Outcome, err error) {
	c, err := open(budget)
	if err != nil {
		return o, err
	}
	defer c.close()
	hits := 0
	for n, i := range t.Reads {
		if c.ask(t.Keys[i], t.Sizes[i]) {
			hits++
		} else {
			o.Bytes += int64(t.Sizes[i])
		}
		if n%block == 0 && ctx.Err() != nil {
			return o, ctx.Err()
		}
	}
	o.Hits = percent(hits, len(t.Reads))
	return o, nil
}
