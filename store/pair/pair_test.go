package pair_test

import (
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/store/pair"
	"github.com/cairnvoxel/cairn/store/storetest"
)

func TestHalves(t *testing.T) {
	storetest.Halves(t, func(*testing.T) (history.Catalogue, history.Stones) {
		return memory.NewCatalogue(), memory.NewStones()
	})
}

// kept is halves that outlive their Store.
type kept struct {
	*pair.Store
	c *memory.Catalogue
	s *memory.Stones
}

// TestReopened runs the contract on a Store that is put together again and again.
func TestReopened(t *testing.T) {
	open := func(c *memory.Catalogue, s *memory.Stones, now func() time.Time) history.Store {
		return kept{pair.New(c, s, pair.Options{Now: now}), c, s}
	}
	storetest.Run(t, storetest.Kind{
		Open: func(_ *testing.T, now func() time.Time) history.Store {
			return open(memory.NewCatalogue(), memory.NewStones(), now)
		},
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(s.(kept).c, s.(kept).s, now)
		},
	})
}
