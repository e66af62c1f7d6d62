package crowd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/crowd"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == crowd.ChildName {
		if err := crowd.Child(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(labtest.Main(m))
}

// tiny is options of a measurement of stores that takes a second or so.
func tiny(t *testing.T) lab.Options {
	t.Helper()
	return lab.Options{Seed: 1, Worlds: 50, Clients: 4, Seconds: .5, Cairn: labtest.Cairn(t)}
}

func TestBenchStore(t *testing.T) {
	o := tiny(t)
	labtest.LeaveNothing(t)
	t.Setenv("CAIRN_PARTS", "") // the rows of clusters are measured by hand
	r, err := crowd.BenchStore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, row := range r.Rows {
		names += row.Name + " "
		if row.Missing != "" {
			continue
		}
		if row.Errors != 0 || row.Error != "" || row.Saves == 0 || row.Loads == 0 || row.Ops <= 0 || row.P99 <= 0 || row.P99 < row.P50 || row.Disk == 0 {
			t.Errorf("not plausible: %+v", row)
		}
		if stacks := row.Name == "library" || row.Name == "server"; stacks != (row.Highest > 0) || row.Highest > 8 {
			t.Errorf("%s: highest stack %d", row.Name, row.Highest)
		}
	}
	if want := strings.Join(crowd.StoreRows(), " ") + " "; names != want {
		t.Errorf("rows %q, want %q", names, want)
	}
	text := labtest.JSON(t, r)
	if got, want := labtest.KeysAt(t, text, "rows"), "bytes_per_load bytes_per_save cpu_s disk_bytes errors highest_rss_bytes highest_stack load_p50_ms load_p99_ms loads name ops_per_s p50_ms p99_ms save_p50_ms save_p99_ms saves"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "library", "slime_dir", "operations/s")
	if d := r.Deflated; d.Bytes < r.FileBytes/2 || d.Bytes > r.FileBytes*2 || d.Write <= 0 || d.Read <= 0 {
		t.Errorf("deflated %+v, and zstd %d bytes", d, r.FileBytes)
	}
}

func TestBenchStoreMissing(t *testing.T) {
	o := tiny(t)
	t.Setenv("PATH", t.TempDir())
	o.Worlds, o.Seconds, o.Rows = 10, .1, []string{"redis"}
	r, err := crowd.BenchStore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Rows[0]; row.Name != "redis" || row.Missing != "redis-server is not on the PATH" || row.Saves != 0 {
		t.Errorf("got %+v, want a row without redis-server", row)
	}
	labtest.Table(t, r.Table, "redis: redis-server is not on the PATH")
}

func TestBenchStoreStops(t *testing.T) {
	o := tiny(t)
	labtest.LeaveNothing(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	o.Seconds = 60
	o.Progress = func(_, _ int, next string) {
		if next == "collecting" || next == "making islands" {
			stop()
		}
	}
	if _, err := crowd.BenchStore(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestChild(t *testing.T) {
	for _, in := range []string{"", "{}", `{"What":"row","Row":"none","Pool":"none"}`, "[1]"} {
		if err := crowd.Child(context.Background(), strings.NewReader(in), io.Discard); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
}
