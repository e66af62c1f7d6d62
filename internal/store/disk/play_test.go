//go:build unix

package disk_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPlay saves and loads many small worlds as a network of game servers
// does: a save is a stone of about a kilobyte, and now and then a pack; a load all
// stones of the head.
func BenchmarkPlay(b *testing.B) {
	const (
		worlds  = 20_000
		clients = 16
		savesOf = 3300
		loadsOf = 904
	)
	s := mustOpen(b, b.TempDir(), disk.Options{})
	mustCreate(b, s, "template")
	at := mustSave(b, s, "template", mustStone(b, "ground", 26_000))
	heads, heights := make([]history.ID, worlds), make([]int, worlds)
	var wait sync.WaitGroup
	for c := range 64 {
		wait.Go(func() {
			for i := c; i < worlds; i += 64 {
				heads[i], heights[i] = at, 1
				if err := s.Fork(b.Context(), "template", at, name(i)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wait.Wait()
	stones := make([]history.Stone, b.N)
	for i := range stones {
		stones[i] = mustStone(b, fmt.Sprintf("%08d", i), 800)
	}
	b.ReportAllocs()
	b.ResetTimer()
	var left, saves, loads atomic.Int64
	left.Store(int64(b.N))
	begun := processor()
	for c := range clients {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 1))
			for n := left.Add(-1); n >= 0; n = left.Add(-1) {
				i := c + clients*r.IntN(worlds/clients)
				var err error
				if r.IntN(savesOf+loadsOf) < savesOf {
					saves.Add(1)
					heads[i], err = play(b, s, name(i), heads[i], stones[n])
					if heights[i]++; heights[i] > 8 && err == nil {
						heights[i], _, err = world.PackStack(b.Context(), s, name(i), world.PackStackOptions{})
					}
				} else {
					loads.Add(1)
					err = load(b, s, name(i))
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64((processor()-begun).Microseconds())/float64(b.N), "cpu-us/op")
	b.StopTimer()
	mustClose(b, s)
}

func name(i int) string { return fmt.Sprintf("island/%016x", uint64(i)*0x9e3779b97f4a7c15) }

func play(b *testing.B, s history.Store, name string, head history.ID, st history.Stone) (history.ID, error) {
	ref := history.StoneRef{ID: st.ID, Size: int64(len(st.Data))}
	c := history.Commit{Parent: head, Base: head, Message: "autosave", Stones: []history.StoneRef{ref}}
	c, err := s.Commit(b.Context(), name, history.Head{Commit: head}, c, st)
	return c.ID(), err
}

func load(b *testing.B, s history.Store, name string) error {
	_, err := history.Fetch(b.Context(), s, name, history.ID{}, 1<<20)
	return err
}
