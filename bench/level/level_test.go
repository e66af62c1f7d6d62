package level_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/level"
)

func TestBenchLevel(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	o := lab.Options{Voxels: 2_000_000, FlatBytes: 2 << 20, Seed: 1}
	r, err := level.BenchLevel(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	bytes := map[string]int64{}
	for _, row := range r.Rows {
		names = append(names, row.Name)
		bytes[row.Name] = row.Bytes
		if row.Bytes <= 0 || row.PerCell != float64(row.Bytes)/float64(r.Voxels) || row.Encode <= 0 || row.Mips == "" || row.OfZstd <= 0 || row.OfZstd == 1 != (row.Name == "rle_zstd") {
			t.Errorf("not plausible: %+v", row)
		}
	}
	if got, want := strings.Join(names, " "), "flat rowpacked cairn rle rle_lz4 rle_zstd bitrle stone stone_columns stone_relief"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	for _, pair := range [][2]string{{"rowpacked", "flat"}, {"cairn", "rowpacked"}, {"rle_lz4", "rle"}, {"rle_zstd", "rle_lz4"}, {"stone", "rle_zstd"}, {"stone_relief", "stone_columns"}} {
		if bytes[pair[0]] >= bytes[pair[1]] {
			t.Errorf("%s takes %d bytes, %s %d", pair[0], bytes[pair[0]], pair[1], bytes[pair[1]])
		}
	}
	if bytes["stone"] > bytes["stone_relief"]*11/10 || bytes["stone"] > bytes["stone_columns"] {
		t.Errorf("a form alone takes less than those that are chosen: %v", bytes)
	}
	p := r.Parameters
	if r.Voxels < o.Voxels || p.Seed != 1 || bytes["flat"] != int64(p.Chunks)<<16 || r.Scan.Chunks < 1 || r.Scan.Chunks > 32 {
		t.Errorf("%d voxels, %+v, scan %+v; flat %d", r.Voxels, p, r.Scan, bytes["flat"])
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got, want := labtest.KeysAt(t, labtest.JSON(t, r), ""), "generate_seconds parameters rows scan voxels"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "rle_zstd", "0.490", "flat chunks; ratio")
}

func TestBenchLevelFails(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := level.BenchLevel(ctx, lab.Options{Voxels: 1}); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
