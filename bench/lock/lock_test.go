package lock_test

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/lock"
)

func TestBench(t *testing.T) {
	o := labtest.Small()
	o.Seconds, o.Clients, o.Plots = 0.003, 2, filepath.Join(t.TempDir(), "plots")
	before := runtime.GOMAXPROCS(0)
	r, err := lock.Bench(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("GOMAXPROCS was %d and is %d", before, after)
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "GOMAXPROCS 1: ns each", "GOMAXPROCS 1, goroutines 2", "MCS padded, pure spin", "p99.9", "64 shards, hot keys: TTAS", "records")
	names := map[string]bool{}
	for _, x := range r.Rows {
		names[x.Lock] = true
		w := x.Wait
		if !(x.Each > 0 && x.Jain >= 0 && x.Jain < 1.0001 && x.Least >= 0 && x.Least <= 1 && x.Bytes >= 4) ||
			!(0 <= w.P50 && w.P50 <= w.P99 && w.P99 <= w.P999 && w.P999 <= w.Max) {
			t.Errorf("not plausible: %+v", x)
		}
	}
	if want := len(names) * 2 * len(lock.Doublings(before)); len(r.Rows) != want {
		t.Errorf("%d rows of %d locks, want %d", len(r.Rows), len(names), want)
	}
	for _, x := range r.Tables {
		if !(x.Each > 0 && x.Call.P50 <= x.Call.Max && x.Bytes >= 8) {
			t.Errorf("not plausible: %+v", x)
		}
	}
	for _, name := range []string{"cost", "wait", "fairness"} {
		plotted(t, filepath.Join(o.Plots, "locks-"+name+".svg"), names)
	}
}

// plotted checks that a plot is well-formed, names every lock and lies within its bounds.
func plotted(t *testing.T, file string, names map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			var x, y float64
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "cx":
					fmt.Sscan(a.Value, &x)
				case "cy":
					fmt.Sscan(a.Value, &y)
				}
			}
			if !(x > 100 && x < 960 && y > 20 && y < 1000) {
				t.Errorf("%s: a dot at %v, %v", file, x, y)
			}
		}
	}
	for name := range names {
		if !strings.Contains(string(text), ">"+name+"<") {
			t.Errorf("%s does not name %s", file, name)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := lock.Bench(ctx, labtest.Small()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The percentiles are those of the sorted times, at most 1/32 too high.
func TestPercentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	for range 10_000 {
		times = append(times, time.Duration(random.Int64N(1<<random.IntN(40)+1)))
	}
	got := lock.Percentiles(times)
	slices.Sort(times)
	for _, tt := range []struct {
		got  float64
		want time.Duration
	}{{got.P50, times[4999]}, {got.P99, times[9899]}, {got.P999, times[9989]}, {got.Max, times[9999]}} {
		if want := float64(tt.want); tt.got < want || tt.got > want*33/32+1 {
			t.Errorf("got %v, want %v or a little more", tt.got, want)
		}
	}
	if none := lock.Percentiles(nil); none != (lock.Times{}) {
		t.Errorf("no times: %+v", none)
	}
}

func TestJain(t *testing.T) {
	for _, tt := range []struct {
		counts []int64
		want   float64
	}{{[]int64{7, 7, 7}, 1}, {[]int64{9, 0, 0}, 1.0 / 3}, {[]int64{0, 0}, 0}} {
		if got := lock.Jain(tt.counts...); got != tt.want {
			t.Errorf("Jain's index of %v is %v, want %v", tt.counts, got, tt.want)
		}
	}
	if got := lock.Doublings(6); !slices.Equal(got, []int{1, 2, 4, 6}) {
		t.Errorf("got %v", got)
	}
}
