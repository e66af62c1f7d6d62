package client_test

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// packed counts the packs that a server was asked to keep.
type packed struct {
	history.Store
	asked atomic.Int32
}

func (p *packed) PutPack(ctx context.Context, name string, k history.Pack, s history.Stone) error {
	p.asked.Add(1)
	return p.Store.PutPack(ctx, name, k, s)
}

// TestServerPacks: clients of a server that packs send no packs, and read the server's.
func TestServerPacks(t *testing.T) {
	for _, packs := range []bool{true, false} {
		mem := memory.New(memory.Options{})
		behind := &packed{Store: mem}
		srv, err := server.New(behind, server.Options{Packs: packs})
		if err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(srv)
		defer web.Close()
		st, err := openStore(t.Context(), web.URL, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.Create(t.Context(), st, "a", world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		highest := 0
		for i := range 60 {
			_, err := w.Update(func(tx *world.Tx) error {
				tx.SetProperty("turn", string(rune('a'+i)))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Commit(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			if packs { // as a Keeper does
				if _, _, err := world.PackStack(t.Context(), mem, "a", world.PackStackOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			s, err := w.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			n, _ := s.Stones()
			highest = max(highest, n)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if u := w.Upkeep(); u != (world.Upkeep{}) {
			t.Errorf("server packs: %v: %+v", packs, u)
		}
		if asked := behind.asked.Load() > 0; asked == packs {
			t.Errorf("server packs: %v, the client sent %d packs", packs, behind.asked.Load())
		}
		if highest > 12 {
			t.Errorf("server packs: %v: the stack was %d stones high", packs, highest)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
