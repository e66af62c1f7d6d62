package world_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// counter is a Store that counts what is written to it.
type counter struct {
	history.Store
	saved, packed int64
	high          int // the highest stack that a commit left
}

func (c *counter) Commit(ctx context.Context, name string, base history.Head, k history.Commit, stones ...history.Stone) (history.Commit, error) {
	for _, s := range stones {
		c.saved += int64(len(s.Data))
	}
	return c.Store.Commit(ctx, name, base, k, stones...)
}

func (c *counter) PutPack(ctx context.Context, name string, p history.Pack, s history.Stone) error {
	c.packed += int64(len(s.Data))
	return c.Store.PutPack(ctx, name, p, s)
}

// Packing keeps stacks low and does not write much more than was saved.
func TestPacking(t *testing.T) {
	long.Alone(t)
	for _, k := range []struct {
		name  string
		edge  int // of the world in cells, 64 high
		price float64
	}{{"small", 100, 4}, {"large", 400, 12}} {
		t.Run(k.name, func(t *testing.T) {
			st := &counter{Store: newStore()}
			w := create(t, st, "a", world.Options{Whole: true})
			r := rand.New(rand.NewPCG(1, 1))
			update(t, w, func(tx *world.Tx) {
				v := tx.Dimension(earth).Volume(voxel.Block)
				for i := range 40 {
					at := geom.Point{X: r.IntN(k.edge), Z: r.IntN(k.edge)}
					v.Fill(geom.Box{Max: geom.Point{X: k.edge, Y: 40, Z: k.edge}}, v.Named("rock"))
					v.Fill(region.Ball{Center: at, Radius: float64(i)}, v.Named("moss"))
				}
			})
			commit(t, w)
			st.saved = 0
			for range 400 {
				at := geom.Point{X: r.IntN(k.edge), Y: r.IntN(64), Z: r.IntN(k.edge)}
				update(t, w, func(tx *world.Tx) {
					v := tx.Dimension(earth).Volume(voxel.Block)
					for range 1 + r.IntN(20) {
						v.Set(at.Add(geom.Point{X: r.IntN(12), Y: r.IntN(8), Z: r.IntN(12)}), v.Named([]string{"air", "rock", "rose"}[r.IntN(3)]))
					}
				})
				commit(t, w)
				layers, err := st.Stack(ctx, "a", w.Head())
				if err != nil {
					t.Fatal(err)
				}
				st.high = max(st.high, len(layers))
			}
			if st.high > 8 {
				t.Errorf("a stack of %d stones, want at most 8", st.high)
			}
			if price := float64(st.packed) / float64(st.saved); price > k.price {
				t.Errorf("packs took %.2f bytes for each byte saved, want at most %g", price, k.price)
			}
			closeWorld(t, w)
		})
	}
}

// PackRun never divides the stones of one commit, and the lowest layer is packed with all others.
func TestPackRunKeepsCommitsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		var layers []history.Layer
		var made []time.Time
		upto := history.ID{}
		for i := range 2 + r.Uint64N(12) {
			if i == 0 || r.IntN(3) > 0 {
				upto = history.ID{}
				binary.LittleEndian.PutUint64(upto[:], i+1)
			}
			layers = append(layers, history.Layer{Upto: upto, Stone: history.StoneRef{Size: 1 + r.Int64N(1000)}})
			made = append(made, time.Unix(int64(i)*r.Int64N(20000), 0))
		}
		high := 1 + r.IntN(12)
		from, to := history.PackRun(layers, [][]time.Time{nil, made}[r.IntN(2)], high)
		if from < 0 || to > len(layers) || to-from < 2 || len(layers)-(to-from)+1 > max(high, len(layers)-1) ||
			from > 0 && layers[from-1].Upto == layers[from].Upto || to < len(layers) && (layers[to-1].Upto == layers[to].Upto || from == 0) {
			t.Fatalf("from %d to %d of %v, at most %d", from, to, layers, high)
		}
	}
}

// A pack of layers ends with a day and not within it, so that the day's last version and those above share it.
func TestPackRunEndsWithTheDay(t *testing.T) {
	var layers []history.Layer
	var made []time.Time
	add := func(size int64, at string) {
		when, err := time.Parse("02 15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, history.Layer{Upto: history.ID{byte(1 + len(layers))}, Stone: history.StoneRef{Size: size}})
		made = append(made, when)
	}
	add(11000, "01 12:00")
	for _, at := range []string{"02 20:10", "02 20:20", "02 20:30", "02 20:40", "02 20:50", "03 16:00", "03 16:10", "03 16:20"} {
		add(800, at)
	}
	if from, to := history.PackRun(layers, made, 8); from != 1 || to != 6 {
		t.Errorf("from %d to %d, want the stones of a day, from 1 to 6", from, to)
	}
	made[5] = time.Time{} // a collection dropped that version
	if from, to := history.PackRun(layers, made, 8); to != 9 {
		t.Errorf("without that version: from %d to %d, want to 9", from, to)
	}
}
