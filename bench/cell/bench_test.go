package cell_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/bench/cell"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestBenchImport(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := labtest.Arenas(t)
	damaged := labtest.Anvil(t, terrain.Arena(terrain.Options{Seed: 5}), dir, "damaged")
	regions, err := filepath.Glob(filepath.Join(damaged, "region", "*.mca"))
	if err != nil || len(regions) == 0 {
		t.Fatal(regions, err)
	}
	if err := os.Truncate(regions[0], 3*4096); err != nil {
		t.Fatal(err)
	}
	r, err := cell.BenchImport(context.Background(), []string{dir}, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Worlds) != 2 || len(r.Skipped) != 1 || filepath.Base(r.Skipped[0].Path) != "damaged" {
		t.Fatalf("%d worlds, skipped %v; want 2 and the damaged one", len(r.Worlds), r.Skipped)
	}
	var raw, bound int64
	for _, w := range r.Worlds {
		raw += w.Raw
		bound = max(bound, 64<<20+2*(w.Cells+w.NBT))
		if w.Raw <= w.Stone || w.Stone == 0 || w.Cells == 0 || w.NBT == 0 {
			t.Errorf("not plausible: %+v", w)
		}
	}
	if r.Raw != raw || r.Bound != bound {
		t.Errorf("%d raw bytes and a bound of %d, want %d and %d", r.Raw, r.Bound, raw, bound)
	}
	left, err := filepath.Glob(filepath.Join(temp, "cairn-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got, want := labtest.KeysAt(t, labtest.JSON(t, r), ""), "begun bound mb_per_s peak raw seconds skipped took worlds"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "island", "memory at most", "skipped")
}

func TestBenchChunks(t *testing.T) {
	r, err := cell.BenchChunks(context.Background(), []string{labtest.Arenas(t)}, labtest.Small())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 2 {
		t.Fatalf("%d sets, want terrain and blocks", len(r.Sets))
	}
	for _, s := range r.Sets {
		if len(s.Reads) != 4 || s.Chunks < 16 || s.Cells <= 0 || s.FlatBytes < int64(s.Chunks)*60000 || s.OurBytes <= 0 || s.OurBytes >= s.FlatBytes {
			t.Errorf("not plausible: %+v", s)
		}
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "terrain: scan, every cell", "blocks: random cells", "cairn B/cell")
}

func TestBenchCodec(t *testing.T) {
	r, err := cell.BenchCodec(context.Background(), []string{labtest.Arenas(t)}, labtest.Small())
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{}
	for _, v := range r.Volumes {
		for _, f := range v.Forms {
			forms[v.Name] += f.Name + ";"
			if f.Bytes <= 0 || f.PerCell <= 0 {
				t.Errorf("%s: not plausible: %+v", v.Name, f)
			}
		}
	}
	any := "columns;odds;stone;stone, good;stone, quick;flat+lz4;flat+zstd;"
	for name, want := range map[string]string{
		"block": any, "biome": any, "sky": any, "light": any, "liquid": any,
		"solid": "columns;odds;stone;stone, good;stone, quick;rle;rle+lz4;rle+zstd;flat+lz4;flat+zstd;",
	} {
		if forms[name] != want {
			t.Errorf("%s: forms %s, want %s", name, forms[name], want)
		}
	}
	if len(r.Pages) != 8 {
		t.Errorf("%d sizes of pages, want 4 of 2 worlds", len(r.Pages))
	}
	for _, p := range r.Pages {
		if p.Bytes <= p.PageBytes || p.Pages == 0 || p.PageChunks == 1 && p.Pages < 10 {
			t.Errorf("not plausible: %+v", p)
		}
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "solid: rle+zstd", "island", "chunks a page")
}

func TestBenchStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dirs := []string{labtest.Arenas(t)}
	if _, err := cell.BenchImport(ctx, dirs, labtest.Small()); err != context.Canceled {
		t.Errorf("import: got %v, want context.Canceled", err)
	}
	if _, err := cell.BenchChunks(ctx, dirs, labtest.Small()); err != context.Canceled {
		t.Errorf("chunks: got %v, want context.Canceled", err)
	}
	if _, err := cell.BenchCodec(ctx, dirs, labtest.Small()); err != context.Canceled {
		t.Errorf("codec: got %v, want context.Canceled", err)
	}
}

func TestBenchMadeWorlds(t *testing.T) {
	if !long.Set() {
		t.Skip("CAIRN_LONG is not set")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r, err := cell.BenchImport(context.Background(), nil, labtest.Small())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Worlds) != 5 || len(r.Skipped) != 0 {
		t.Errorf("%d worlds, skipped %v; want 5", len(r.Worlds), r.Skipped)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
