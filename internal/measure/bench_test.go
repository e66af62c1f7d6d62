package measure_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/cairnvoxel/cairn/internal/terrain"
)

// small keeps benchmarks short.
var small = measure.Options{LandEdge: 2, FlatBytes: 1 << 20, Seed: 1}

// mustArenas makes a folder with two worlds.
func mustArenas(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mustAnvil(t, terrain.Arena(terrain.Options{Seed: 1}), dir, "arena")
	mustAnvil(t, terrain.Island(terrain.Options{Seed: 2, Version: terrain.Modern}), dir, "island")
	return dir
}

// mustJSON returns a report as JSON, in which no list may be null.
func mustJSON(t *testing.T, report any) []byte {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") {
		t.Errorf("null in %s", text)
	}
	return text
}

func TestBenchImport(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r, err := measure.BenchImport(context.Background(), []string{mustWorlds(t)}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Worlds) != 5 || len(r.Skipped) != 1 || filepath.Base(r.Skipped[0].Path) != "damaged" {
		t.Fatalf("%d worlds, skipped %v; want 5 and the damaged one", len(r.Worlds), r.Skipped)
	}
	var raw, bound int64
	for _, w := range r.Worlds {
		raw += w.Raw
		bound = max(bound, 64<<20+2*(w.Cells+w.NBT))
		if empty := filepath.Base(w.Path) == "empty"; !empty && (w.Raw <= w.Stone || w.Stone == 0 || w.Cells == 0 || w.NBT == 0) {
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
	if got, want := keysAt(t, mustJSON(t, r), ""), "bound mb_per_s peak raw seconds skipped worlds"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	checkTable(t, r.Table, "island", "memory at most", "skipped")
}

func TestBenchChunks(t *testing.T) {
	r, err := measure.BenchChunks(context.Background(), []string{mustArenas(t)}, small)
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
	mustJSON(t, r)
	checkTable(t, r.Table, "terrain: scan, every cell", "blocks: random cells", "cairn B/cell")
}

func TestBenchCodec(t *testing.T) {
	r, err := measure.BenchCodec(context.Background(), []string{mustArenas(t)}, small)
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
	mustJSON(t, r)
	checkTable(t, r.Table, "solid: rle+zstd", "island", "chunks a page")
}

func TestBenchStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dirs := []string{mustArenas(t)}
	if _, err := measure.BenchImport(ctx, dirs, small); err != context.Canceled {
		t.Errorf("import: got %v, want context.Canceled", err)
	}
	if _, err := measure.BenchChunks(ctx, dirs, small); err != context.Canceled {
		t.Errorf("chunks: got %v, want context.Canceled", err)
	}
	if _, err := measure.BenchCodec(ctx, dirs, small); err != context.Canceled {
		t.Errorf("codec: got %v, want context.Canceled", err)
	}
}

func TestBenchMadeWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes worlds for seconds")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r, err := measure.BenchImport(context.Background(), nil, small)
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
