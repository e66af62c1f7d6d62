package world_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestDeltaColumnsAtRandom changes, commits, packs, reopens and goes back at random, and reads all versions.
func TestDeltaColumnsAtRandom(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		st := newStore()
		o := world.Options{Whole: seed%2 == 0, Manual: seed%3 == 0}
		w := rough(t, st, "a", 32, o)
		now := map[geom.ColumnPos]*voxel.Column{}
		var versions []history.ID
		var states []map[geom.ColumnPos]string
		say := func(c *voxel.Column) string { return fmt.Sprint(*c) }
		check := func(id history.ID, want map[geom.ColumnPos]string) {
			t.Helper()
			s, err := world.OpenSnapshot(ctx, st, "a", id, world.Options{})
			if err != nil {
				t.Fatal(seed, err)
			}
			defer closeWorld(t, s)
			n := 0
			for c, err := range s.ReadColumns(ctx, earth) {
				if err != nil {
					t.Fatal(seed, err)
				}
				if _, ok := want[c.Pos]; !ok {
					continue
				}
				n++
				if say(c) != want[c.Pos] {
					t.Fatalf("seed %d %v: %s, want %s", seed, c.Pos, say(c), want[c.Pos])
				}
			}
			if n != len(want) {
				t.Fatal(seed, n, len(want))
			}
		}
		for step := range 60 {
			update(t, w, func(tx *world.Tx) {
				for range r.IntN(4) {
					pos := geom.ColumnPos{X: int32(r.IntN(3)), Z: int32(r.IntN(2))}
					if r.IntN(4) == 0 {
						if now[pos] != nil {
							tx.Dimension(earth).RemoveColumn(pos)
							delete(now, pos)
						}
						continue
					}
					c := stamp(pos, r.IntN(1000))
					switch r.IntN(4) {
					case 0:
						c.Lists = c.Lists[:1]
					case 1:
						c.Lists[1].Objects = herd(r.IntN(99))
					case 2:
						c.Lists = nil
					}
					tx.Dimension(earth).SetColumn(c)
					now[pos] = &c
				}
			})
			if r.IntN(3) > 0 {
				c := commit(t, w)
				m := map[geom.ColumnPos]string{}
				for p, c := range now {
					m[p] = say(c)
				}
				versions, states = append(versions, c.ID()), append(states, m)
			}
			switch {
			case step%17 == 16 && len(versions) > 2:
				n := r.IntN(len(versions))
				if _, err := w.Restore(ctx, versions[n], ""); err != nil {
					t.Fatal(err)
				}
				now = map[geom.ColumnPos]*voxel.Column{}
				s, err := world.OpenSnapshot(ctx, st, "a", versions[n], world.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for c, err := range s.ReadColumns(ctx, earth) {
					if err != nil {
						t.Fatal(err)
					}
					if _, ok := states[n][c.Pos]; ok {
						now[c.Pos] = c
					}
				}
				closeWorld(t, s)
			case r.IntN(15) == 0:
				if err := w.Pack(ctx); err != nil {
					t.Fatal(err)
				}
			case r.IntN(12) == 0:
				commit(t, w)
				closeWorld(t, w)
				w = open(t, st, "a", o)
			}
		}
		if len(versions) > 0 {
			commit(t, w)
			for i := range versions {
				check(versions[i], states[i])
			}
		}
		closeWorld(t, w)
	}
}
