package dragonfly_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/dragonfly/server/world/mcdb"
	"github.com/df-mc/goleveldb/leveldb"
)

// at is a column of a dimension.
type at struct {
	pos world.ChunkPos
	dim world.Dimension
}

var places = []world.ChunkPos{{0, 0}, {1, 0}, {0, 1}, {-1, -1}, {-2, 7}, {1000, -1000}}

// TestColumns stores the same columns twice in dragonfly's LevelDB provider and in this one: both give the same back, now and
// after the worlds were closed.
func TestColumns(t *testing.T) {
	m, st, dir := newMaker(1), memoryStore(t), t.TempDir()
	for round := range 2 {
		p := open(t, st, strict(t))
		db, err := mcdb.Open(dir)
		must(t, err)
		if round > 0 {
			same(t, fmt.Sprintf("round %d, opened again", round), db, p)
		}
		for _, dim := range dimensions {
			for _, pos := range places {
				if m.IntN(2)*round+m.IntN(2) > 0 && pos != places[0] {
					continue
				}
				col := m.column(pos, dim)
				must(t, p.StoreColumn(pos, dim, col), db.StoreColumn(pos, dim, col), p.StoreColumn(pos, dim, col))
			}
		}
		same(t, fmt.Sprintf("round %d", round), db, p)
		must(t, p.Err(), p.Close(), db.Close(), p.Close())
	}
}

// same compares all columns of two providers, and that one which they give can be changed and stored.
func same(t *testing.T, when string, db, p world.Provider) {
	t.Helper()
	for _, dim := range dimensions {
		for _, pos := range append(places, world.ChunkPos{5, 5}) {
			a, errA := db.LoadColumn(pos, dim)
			b, errB := p.LoadColumn(pos, dim)
			if errors.Is(errA, leveldb.ErrNotFound) && errors.Is(errB, leveldb.ErrNotFound) {
				continue
			}
			must(t, errA, errB)
			if d := differs(a, b); d != "" {
				t.Fatalf("%s: column %v of %v: %s", when, pos, dim, d)
			}
			change(newMaker(uint64(pos[0])), a.Chunk)
			change(newMaker(uint64(pos[0])), b.Chunk)
			must(t, db.StoreColumn(pos, dim, a), p.StoreColumn(pos, dim, b))
			if b, errB = p.LoadColumn(pos, dim); errB != nil {
				t.Fatal(errB)
			}
			if d := differs(a, b); d != "" {
				t.Fatalf("%s: changed column %v of %v: %s", when, pos, dim, d)
			}
		}
	}
}

// change changes some cells, also to what has the number 0.
func change(m maker, c *chunk.Chunk) {
	for range 20 {
		y := int16(c.Range()[0] + m.IntN(c.Range().Height()))
		c.SetBlock(uint8(m.IntN(16)), y, uint8(m.IntN(16)), uint8(m.IntN(2)), m.id()*uint32(m.IntN(2)))
		c.SetBiome(uint8(m.IntN(16)), y, uint8(m.IntN(16)), uint32(m.IntN(2)))
	}
	c.Compact()
}
