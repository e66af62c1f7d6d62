package edit_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// made imports a made world into a store in memory and opens it.
func made(t testing.TB, size int) (history.Store, *world.World) {
	t.Helper()
	ctx := context.Background()
	st := memory.New(memory.Options{})
	src, err := convert.Load(ctx, terrain.Survival(terrain.Options{Seed: 7, Size: size, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, src, &out, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := world.Import(ctx, st, "arena", history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "made"); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(ctx, st, "arena", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return st, w
}

// run steps a queue until an operation has ended.
func run(t testing.TB, q *edit.Queue, f *edit.Operation) edit.Status {
	t.Helper()
	for {
		q.Step(time.Now(), time.Hour)
		runtime.Gosched()
		select {
		case <-f.Done():
			r, err := f.Wait(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return r
		default:
		}
	}
}

// scatter changes cells of each chunk of blocks: one in every so many.
func scatter(t testing.TB, w *world.World, every int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		n := voxel.Cell(len(v.Names()))
		for pos := range w.View().Dimension("overworld").Volume(voxel.Block).Chunks() {
			c, _ := v.Chunk(pos)
			var cells [voxel.ChunkCells]voxel.Cell
			c.Flat(&cells)
			for i := range cells {
				if rng.IntN(every) == 0 {
					cells[i] = (cells[i] + 1 + voxel.Cell(rng.IntN(int(n)-1))) % n
				}
			}
			v.SetChunk(pos, voxel.FromFlat(&cells))
		}
		return v.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRestore(t *testing.T) {
	_, w := made(t, 4)
	defer w.Close()
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	q := edit.New(edit.Options{})
	defer q.Close()
	a := &edit.Arena{World: w, Dimension: "overworld"}
	before := w.View().Dimension("overworld").Volume(voxel.Block)
	for _, every := range []int{1, 100} {
		scatter(t, w, every)
		r := run(t, q, q.Add(a, &edit.Restore{Capture: c}, 0))
		after := w.View().Dimension("overworld").Volume(voxel.Block)
		for pos, c := range before.Chunks() {
			if d, _ := after.Chunk(pos); !c.Equal(d) {
				t.Fatalf("chunk %v differs after a restore", pos)
			}
		}
		if r.Failed > 0 || r.Cells == 0 {
			t.Fatalf("restored %+v", r)
		}
	}
	head, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	scatter(t, w, 100)
	run(t, q, q.Add(a, &edit.Restore{Snapshot: head}, 0))
	after := w.View().Dimension("overworld").Volume(voxel.Block)
	for pos, c := range before.Chunks() {
		if d, _ := after.Chunk(pos); !c.Equal(d) {
			t.Fatalf("chunk %v differs after a restore", pos)
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	st, w := made(b, 24)
	defer w.Close()
	q := edit.New(edit.Options{})
	defer q.Close()
	c, err := w.Capture()
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	a := &edit.Arena{World: w, Dimension: "overworld"}
	for _, k := range []struct {
		name  string
		every int
		disk  bool
	}{{"unchanged", 0, false}, {"memory1", 100, false}, {"disk1", 100, true}, {"all", 1, false}} {
		b.Run(k.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				if k.every > 0 {
					scatter(b, w, k.every)
				}
				b.StartTimer()
				op := &edit.Restore{Capture: c}
				if k.disk {
					head, err := world.OpenSnapshot(context.Background(), st, "arena", w.Head(), world.Options{Cache: stone.NewCache(64 << 20)})
					if err != nil {
						b.Fatal(err)
					}
					defer head.Close()
					op = &edit.Restore{Snapshot: head}
				}
				run(b, q, q.Add(a, op, 0))
			}
		})
	}
}
