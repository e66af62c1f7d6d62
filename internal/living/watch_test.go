package living_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairnvoxel/cairn/internal/living"
)

// TestRun plays a game that saves at some seconds, and lists the seconds of the looks.
func TestRun(t *testing.T) {
	every := func(from, to, step int) (all []int) {
		for ; from < to; from += step {
			all = append(all, from)
		}
		return all
	}
	for _, c := range []struct {
		name        string
		saves, want []int
	}{
		{"nothing", nil, []int{0}},
		{"a save soon", []int{5}, []int{0, 300}},
		{"a save late", []int{400}, []int{0, 410}},
		{"a burst around the time", every(290, 320, 3), []int{0, 327}},
		{"all the time", every(1, 2000, 1), []int{0, 600, 1200, 1800, 2400 - 300}},
		{"one each hour", []int{3600, 7200}, []int{0, 3610, 7210}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), 3*time.Hour)
				defer stop()
				begun, changes := time.Now(), make(chan struct{}, 1)
				go func() {
					for _, s := range c.saves {
						time.Sleep(time.Until(begun.Add(time.Duration(s) * time.Second)))
						select {
						case changes <- struct{}{}:
						default:
						}
					}
				}()
				var got []int
				err := living.RunOn(ctx, changes, living.Options{}, func(context.Context) error {
					got = append(got, int(time.Since(begun).Seconds()))
					return nil
				})
				if err != nil || !equal(got, c.want) {
					t.Errorf("looks at %v, %v; want %v", got, err, c.want)
				}
			})
		})
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestRunFails(t *testing.T) {
	wrong := errors.New("wrong")
	if err := living.Run(t.Context(), t.TempDir(), living.Options{}, func(context.Context) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	if err := living.Run(t.Context(), filepath.Join(t.TempDir(), "gone"), living.Options{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestChanges: both ways tell of each kind of change, also in folders that are new.
func TestChanges(t *testing.T) {
	for name, ways := range map[string]func(context.Context, string) <-chan struct{}{"told by the system": living.Told, "looked through": living.Polled} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				t.Helper()
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			write("region/r.0.0.mca", "a")
			changes := ways(t.Context(), dir)
			for _, step := range []func(){
				func() { write("region/r.0.0.mca", "bb") },
				func() { write("DIM1/region/r.0.0.mca", "a") },
				func() { write("DIM1/region/r.0.0.mca", "bb") },
				func() { _ = os.Rename(filepath.Join(dir, "region/r.0.0.mca"), filepath.Join(dir, "region/r.0.1.mca")) },
				func() { _ = os.Remove(filepath.Join(dir, "region/r.0.1.mca")) },
			} {
				for len(changes) > 0 {
					<-changes
				}
				time.Sleep(50 * time.Millisecond) // a folder that is new is not watched at once
				for len(changes) > 0 {
					<-changes
				}
				step()
				select {
				case <-changes:
				case <-time.After(10 * time.Second):
					t.Fatal("nothing was told")
				}
			}
		})
	}
}
