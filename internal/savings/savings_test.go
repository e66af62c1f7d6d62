package savings_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustAnvil writes src as a world folder.
func mustAnvil(t *testing.T, src format.Source, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := anvil.Create(dir, anvil.FolderOptions{LevelName: filepath.Base(dir)})
	if err == nil {
		err = src.Read(context.Background(), out)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// mustLoad returns src in memory.
func mustLoad(t *testing.T, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// mustWorlds makes worlds of two kinds and three that must be skipped.
func mustWorlds(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mustAnvil(t, terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}), dir, "set", "island")
	mustAnvil(t, terrain.Arena(terrain.Options{Seed: 2}), dir, "set", "arena")
	mustAnvil(t, terrain.Arena(terrain.Options{Seed: 3}), dir, "plain", "other")

	mixed := mustLoad(t, terrain.Arena(terrain.Options{Seed: 4}))
	mixed.Dimensions[0].Columns[3].Version = 1343
	mustAnvil(t, mixed.Source(), dir, "plain", "mixed")
	damaged := mustAnvil(t, terrain.Arena(terrain.Options{Seed: 5}), dir, "plain", "damaged")
	regions, err := filepath.Glob(filepath.Join(damaged, "region", "*.mca"))
	if err != nil || len(regions) == 0 {
		t.Fatal(regions, err)
	}
	if err := os.Truncate(regions[0], 3*4096); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "plain", "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	level, err := os.ReadFile(filepath.Join(damaged, "level.dat"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "plain", "empty", "level.dat"), level, 0o666)
	}
	if err == nil {
		text := "path\tformat\tversion\nset/island\tanvil\tDataVersion 3953; 9 chunks [minigame CTF]\nset/arena\tanvil\t[minigame CTF, again]\n" +
			"plain/other\tanvil\t[terrain]\n"
		err = os.WriteFile(filepath.Join(dir, "MANIFEST.tsv"), []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSavingsOfOthers weighs a world of Hytale beside one of Anvil: it has no part in the sums with Slime files.
func TestSavingsOfOthers(t *testing.T) {
	dir := t.TempDir()
	mustAnvil(t, terrain.Arena(terrain.Options{Seed: 2}), dir, "set", "arena")
	save := filepath.Join(dir, "set", "save")
	if err := os.MkdirAll(save, 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := hytale.Kind().CreateFolder(save, format.WriteOptions{})
	if err == nil {
		v := &convert.LoadedVolume{Volume: voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, Names: []string{format.Air, "Rock_Stone"}, Chunks: map[geom.ChunkPos]*voxel.Chunk{{}: voxel.Uniform(1)}}
		w := convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "default", Folder: "universe/worlds/default", Volumes: []*convert.LoadedVolume{v}}}}
		err = w.Source().Read(t.Context(), out)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := savings.Of(t.Context(), []string{dir}, savings.Options{Short: true})
	if err != nil || len(r.Worlds) != 2 || len(r.Kinds) != 2 || r.Total.Worlds != 1 || r.Total.Bytes.Zip != r.Worlds[0].Bytes.Zip {
		t.Fatalf("%v: %+v", err, r)
	}
	if w := r.Worlds[1]; w.Path != save || w.Kind != "hytale" || w.Cells == 0 || w.Chunks == 0 || w.Bytes.Slime != 0 || min(w.Bytes.Folder, w.Bytes.Zip, w.Bytes.Full) == 0 {
		t.Errorf("the world of Hytale: %+v", w)
	}
}

func TestSavings(t *testing.T) {
	dir := mustWorlds(t)
	r, err := savings.Of(context.Background(), []string{filepath.Join(dir, "set"), dir}, savings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, k := range r.Kinds {
		kinds[k.Kind] = k.Worlds
	}
	if want := map[string]int{"minigame CTF": 2, "plain": 1}; !maps.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if r.Total.Worlds != 3 || len(r.Worlds) != 3 {
		t.Errorf("%d worlds, total says %d", len(r.Worlds), r.Total.Worlds)
	}
	for _, w := range r.Worlds {
		if err := plausible(w.Bytes); err != "" {
			t.Errorf("%s: %s: %+v", w.Path, err, w.Bytes)
		}
	}
	checkSums(t, r)
	checkSkipped(t, dir, r.Skipped)
	checkSavingsKeys(t, r)
}

// plausible says what is wrong with a world's sizes, if anything is.
func plausible(b savings.Bytes) string {
	switch {
	case slices.Min([]int64{b.Zip, b.Live, b.Slime, b.SlimeBest, b.Slim, b.NoLight, b.Full}) <= 0:
		return "something weighs nothing"
	case b.NoLight >= b.Slim:
		return "light weighs nothing"
	case b.Slim > b.Full:
		return "a part weighs more than the whole"
	case b.SlimeBest >= b.Slime:
		return "the best level is not better"
	}
	return ""
}

func checkSums(t *testing.T, r *savings.Savings) {
	t.Helper()
	for name, sums := range map[string][]savings.KindSum{"kinds": r.Kinds, "groups": r.Groups()} {
		var worlds, cells int
		var zip, slime, slim, none int64
		for _, s := range sums {
			worlds, cells = worlds+s.Worlds, cells+s.Cells
			zip, slime, slim, none = zip+s.Bytes.Zip, slime+s.Bytes.Slime, slim+s.Bytes.Slim, none+s.Bytes.NoLight
		}
		b := r.Total.Bytes
		if worlds != r.Total.Worlds || cells != r.Total.Cells || zip != b.Zip || slime != b.Slime || slim != b.Slim || none != b.NoLight {
			t.Errorf("%s do not add up to the total %+v", name, r.Total)
		}
	}
}

func checkSkipped(t *testing.T, dir string, skipped []savings.SkippedWorld) {
	t.Helper()
	why := map[string]string{}
	for _, s := range skipped {
		rel, _ := filepath.Rel(dir, s.Path)
		why[filepath.ToSlash(rel)] = s.Why
	}
	for path, part := range map[string]string{"plain/mixed": "1343", "plain/damaged": "damaged", "plain/empty": "no chunk"} {
		if !strings.Contains(why[path], part) {
			t.Errorf("%s: skipped for %q, want something with %q", path, why[path], part)
		}
		delete(why, path)
	}
	for path, why := range why {
		t.Errorf("%s skipped: %s", path, why)
	}
}

func TestSavingsCells(t *testing.T) {
	src := terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern})
	want := 0
	for _, d := range mustLoad(t, src).Dimensions {
		want += d.Volume(voxel.Block).Count()
	}
	dir := mustAnvil(t, src, t.TempDir(), "games", "island")
	r, err := savings.Of(context.Background(), []string{dir}, savings.Options{})
	if err != nil || len(r.Worlds) != 1 {
		t.Fatal(r, err)
	}
	w := r.Worlds[0]
	if w.Cells != want || w.Kind != "games" || w.DataVersion != terrain.Modern || w.Chunks != 100 {
		t.Errorf("got %+v, want %d cells, kind games, version %d, 100 chunks", w, want, terrain.Modern)
	}
}

func checkSavingsKeys(t *testing.T, r *savings.Savings) {
	t.Helper()
	text := mustJSON(t, r)
	bytesKeys := "folder full live slim slim_nolight slime slime_best zip"
	for path, want := range map[string]string{
		"":             "kinds skipped total worlds",
		"worlds":       "bytes cells chunks data_version kind path",
		"worlds/bytes": bytesKeys,
		"kinds":        "bytes cells kind worlds",
		"kinds/bytes":  bytesKeys,
		"total":        "bytes cells worlds",
		"total/bytes":  bytesKeys,
		"skipped":      "path why",
	} {
		if got := keysAt(t, text, path); got != want {
			t.Errorf("keys of %q: %s, want %s", path, got, want)
		}
	}
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

// keysAt returns the sorted keys of the object at a path; of a list it takes
// the first element.
func keysAt(t *testing.T, text []byte, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		v = v.(map[string]any)[key]
		if list, ok := v.([]any); ok {
			v = list[0]
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(v.(map[string]any))), " ")
}

func TestSavingsNothing(t *testing.T) {
	r, err := savings.Of(context.Background(), []string{t.TempDir()}, savings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil || bytes.Contains(text, []byte("null")) {
		t.Errorf("%s, %v: want no null", text, err)
	}
	if _, err := savings.Of(context.Background(), []string{filepath.Join(t.TempDir(), "none")}, savings.Options{}); err == nil {
		t.Error("a folder that is not there: no error")
	}
}

func TestSavingsStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	o := savings.Options{Progress: func(done, all int, next string) { stop() }}
	if r, err := savings.Of(ctx, []string{mustWorlds(t)}, o); err != context.Canceled {
		t.Errorf("got %v, %v, want context.Canceled", r, err)
	}
}

func TestSavingsTable(t *testing.T) {
	r := &savings.Savings{
		Worlds:  []savings.Weighed{{Path: "a/b", Kind: "minigame CTF", Cells: 7, Bytes: savings.Bytes{Zip: 12345, Slime: 1000, Slim: 500}}},
		Kinds:   []savings.KindSum{{Kind: "minigame CTF", Sum: savings.Sum{Worlds: 1, Cells: 7}}},
		Skipped: []savings.SkippedWorld{{Path: "a/c", Why: "burnt"}},
	}
	checkTable(t, func(w io.Writer) { r.Print(w, true) }, "12.3 kB", "12.35", "0.50", "minigame CTF (1)", "minigame maps (1)", "others (0)", "bedwars 10.2", "skipped a/c: burnt")
}

// checkTable looks for parts of what is printed.
func checkTable(t *testing.T, print func(io.Writer), parts ...string) {
	t.Helper()
	var b strings.Builder
	print(&b)
	for _, part := range parts {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, b.String())
		}
	}
}

// TestSavingsTooLarge allows less memory than any world takes.
func TestSavingsTooLarge(t *testing.T) {
	r, err := savings.Of(context.Background(), []string{mustWorlds(t)}, savings.Options{Memory: 1 << 10})
	if err != nil || len(r.Worlds) != 0 || len(r.Skipped) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := slices.IndexFunc(r.Skipped, func(s savings.SkippedWorld) bool { return strings.Contains(s.Why, "more memory") }); n < 0 {
		t.Errorf("%+v", r.Skipped)
	}
}

// TestFindBelowServer finds the worlds in a server's folder, which is none.
func TestFindBelowServer(t *testing.T) {
	dir := t.TempDir()
	mustAnvil(t, terrain.Arena(terrain.Options{Seed: 2}), dir, "world")
	if err := os.WriteFile(filepath.Join(dir, "server.properties"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := savings.Find([]string{dir})
	if err != nil || len(found) != 1 || filepath.Base(found[0].Path) != "world" {
		t.Errorf("%v, %v", found, err)
	}
}
