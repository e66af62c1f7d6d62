package main_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestInfo(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	folder, file := mustJSON(t, 0, dir, "info", "island"), mustJSON(t, 0, dir, "info", "a.cairn")
	if got, want := keys(file), "bytes damaged dimensions files format origin pages path properties version"; got != want {
		t.Errorf("info prints %s, want %s", got, want)
	}
	a, _ := json.Marshal(folder["dimensions"])
	b, _ := json.Marshal(file["dimensions"])
	if folder["format"] != "anvil" || file["origin"] != "anvil" || !sameCounts(folder, file) {
		t.Errorf("a folder and its stone: %s, %s", a, b)
	}
	if n := len(read(t, filepath.Join(dir, "a.cairn"))); file["bytes"] != float64(n) {
		t.Errorf("size %v, want %d", file["bytes"], n)
	}
	for _, words := range []string{"data version", "3953", "block_entities", "kB", "overworld"} {
		if r := mustRun(t, 0, dir, "info", "a.cairn"); !strings.Contains(r.out, words) {
			t.Errorf("info does not speak of %q:\n%s", words, r.out)
		}
	}
}

// sameCounts compares two descriptions but for the number of names: a stone
// drops those not in use.
func sameCounts(a, b map[string]any) bool {
	strip := func(v map[string]any) string {
		for _, d := range v["dimensions"].([]any) {
			for _, vol := range d.(map[string]any)["volumes"].([]any) {
				delete(vol.(map[string]any), "names")
			}
		}
		return fmt.Sprint(v["dimensions"], v["files"], v["properties"])
	}
	return strip(a) == strip(b)
}

func TestArchives(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	mustRun(t, 0, dir, "export", "a.cairn", "a.slime")
	files := map[string][]byte{}
	root := filepath.Join(dir, "island")
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			rel, _ := filepath.Rel(root, path)
			files[filepath.ToSlash(rel)] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "root.zip"), zipped(t, "", files))
	write(t, filepath.Join(dir, "deep.zip"), zipped(t, "saves/island/", files))
	write(t, filepath.Join(dir, "root.tar"), tarred(t, "./", files))
	write(t, filepath.Join(dir, "deep.tgz"), gzipped(t, tarred(t, "island/", files)))
	write(t, filepath.Join(dir, "stone.zip"), zipped(t, "", map[string][]byte{"a.cairn": read(t, filepath.Join(dir, "a.cairn"))}))
	for _, name := range []string{"root.zip", "deep.zip", "root.tar", "deep.tgz", "stone.zip"} {
		if r := mustRun(t, 0, dir, "diff", "island", name); r.out != "same\n" {
			t.Errorf("%s: %s", name, r.out)
		}
		mustRun(t, 0, dir, "check", name)
	}
	write(t, filepath.Join(dir, "slime.tar"), tarred(t, "", map[string][]byte{"a.slime": read(t, filepath.Join(dir, "a.slime"))}))
	mustRun(t, 0, dir, "diff", "a.slime", "slime.tar")
}

func zipped(t *testing.T, below string, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(below + name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, below string, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, content := range files {
		err := w.WriteHeader(&tar.Header{Name: below + name, Mode: 0o644, Size: int64(len(content))})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRender(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	mustRun(t, 0, dir, "render", "island", "a.png")
	mustRun(t, 0, dir, "render", "a.cairn", "b.png")
	if !bytes.Equal(read(t, filepath.Join(dir, "a.png")), read(t, filepath.Join(dir, "b.png"))) {
		t.Error("a folder and its stone look different")
	}
	mustRun(t, 3, dir, "render", "island", "a.png")
	mustRun(t, 0, dir, "render", "--force", "--scale", "3", "--top", "90", "--dimension", "overworld", "island", "a.png")
	img, err := png.Decode(bytes.NewReader(read(t, filepath.Join(dir, "a.png"))))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 60 || b.Dx() > 64*3+200 {
		t.Errorf("a world of 64 blocks at 3 pixels a block is %v", b)
	}
	mustRun(t, 2, dir, "render", "--dimension", "the_moon", "island", "c.png")
	mustRun(t, 2, dir, "render", "--box", "here", "island", "c.png")
	mustRun(t, 3, dir, "render", "--box", "9000,0,0..9010,100,9", "island", "c.png")
	mustRun(t, 0, dir, "render", "--box", "0,0,0..15,255,15", "island", "c.png")
	if a, c := read(t, filepath.Join(dir, "a.png")), read(t, filepath.Join(dir, "c.png")); bytes.Equal(a, c) {
		t.Error("a box looks like all of it")
	}
	mustRun(t, 0, dir, "gen", "--size", "4", "terrain", "t.cairn")
	mustRun(t, 0, dir, "render", "t.cairn", "t.png")
}

// TestRenderFrom draws pictures that are not from straight above.
func TestRenderFrom(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	small := []string{"--size", "64x40", "--samples", "2"}
	draw := func(status int, args ...string) {
		t.Helper()
		mustRun(t, status, dir, append(append([]string{"render"}, args...), small...)...)
	}
	// From near, so that no mip shows: which of two blocks it shows may depend on their numbers.
	near := []string{"--from", "14,92,14", "--look", "0,72,0", "--angle", "20", "--bounces", "0"}
	draw(0, append([]string{"island", "a.png"}, near...)...)
	draw(0, append([]string{"a.cairn", "b.png", "--memory", "64MiB", "--preview", "now.png"}, near...)...)
	first := read(t, filepath.Join(dir, "a.png"))
	if !bytes.Equal(first, read(t, filepath.Join(dir, "b.png"))) {
		t.Error("a folder and its stone look different")
	}
	for _, name := range []string{"a.png", "now.png"} {
		img, err := png.Decode(bytes.NewReader(read(t, filepath.Join(dir, name))))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != 64 || b.Dy() != 40 {
			t.Errorf("%s is %v", name, b)
		}
	}
	for name, args := range map[string][]string{
		"box": {"--isometric", "--box", "0,0,0..15,255,15"}, "top": {"--isometric", "--top", "64"}, "from": {"--from", "40,120,40"},
		"look": {"--from", "40,120,40", "--look", "0,60,0"}, "angle": {"--from", "40,120,40", "--angle", "20"},
	} {
		draw(0, append([]string{"a.cairn", name + ".png"}, args...)...)
		if bytes.Equal(first, read(t, filepath.Join(dir, name+".png"))) {
			t.Errorf("%v change nothing", args)
		}
	}
	for _, args := range [][]string{
		{"--look", "0,0,0"}, {"--from", "0,0"}, {"--from", "0,0,NaN"}, {"--from", "1,2,3", "--look", "1,2,3"}, {"--isometric", "--scale", "2"},
		{"--isometric", "--bounces", "-1"}, {"--isometric", "--angle", "180"},
	} {
		draw(2, append([]string{"a.cairn", "c.png"}, args...)...)
	}
	mustRun(t, 2, dir, "render", "a.cairn", "c.png", "--isometric", "--size", "64")
	mustRun(t, 2, dir, "render", "a.cairn", "c.png", "--isometric", "--samples", "0")
	draw(3, "a.cairn", "a.png", "--isometric")
	draw(0, append([]string{"a.cairn", "a.exr"}, near...)...)
	mustRun(t, 2, dir, "render", "a.cairn", "map.exr")
	var tex bytes.Buffer
	if err := png.Encode(&tex, image.NewGray(image.Rect(0, 0, 16, 16))); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "pack", "assets", "minecraft", "textures", "block")
	for _, name := range []string{"grass_block_top", "dirt", "sand", "stone"} {
		if err := errors.Join(os.MkdirAll(at, 0o755), os.WriteFile(filepath.Join(at, name+".png"), tex.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	painted := append([]string{"--resource-pack", "pack", "--sky", "a.exr"}, near...)
	draw(0, append([]string{"a.cairn", "p.png"}, painted...)...)
	r := cairn(t, dir, append(append([]string{"render", "a.cairn", "q.png", "--memory", "64MiB", "--stats"}, painted...), small...)...)
	if p := read(t, filepath.Join(dir, "p.png")); r.code != 0 || bytes.Equal(p, first) || !bytes.Equal(p, read(t, filepath.Join(dir, "q.png"))) {
		t.Errorf("exit status %d; a pack changes nothing, or more with less memory", r.code)
	}
	for _, want := range []string{"texture calls", "tiles read", "block/0 (colour)", "a.exr (environment)"} {
		if !strings.Contains(r.errors, want) {
			t.Errorf("--stats does not say %q: %s", want, r.errors)
		}
	}
	draw(3, append([]string{"a.cairn", "r.png", "--resource-pack", "none"}, near...)...)
	draw(3, append([]string{"a.cairn", "r.png", "--sky", "none.exr"}, near...)...)
	mustRun(t, 2, dir, "render", "a.cairn", "r.png", "--resource-pack", "pack")
	b := read(t, filepath.Join(dir, "a.exr"))
	if m, err := imagefile.New(bytes.NewReader(b), int64(len(b))); err != nil || m.Header().Levels[0] != (raster.Size{Width: 64, Height: 40}) {
		t.Errorf("a.exr: %v", err)
	}
}

func TestGen(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"terrain", "plains", "island", "arena", "plots", "survival"} {
		mustRun(t, 0, dir, "gen", "--size", "2", kind, kind+".cairn")
		mustRun(t, 0, dir, "gen", "--size", "2", kind, "again.cairn", "--force")
		mustRun(t, 0, dir, "gen", "--size", "2", "--seed", "9", kind, "seed.cairn", "--force")
		world := read(t, filepath.Join(dir, kind+".cairn"))
		if !bytes.Equal(world, read(t, filepath.Join(dir, "again.cairn"))) {
			t.Errorf("%s: the same seed makes two worlds", kind)
		}
		if bytes.Equal(world, read(t, filepath.Join(dir, "seed.cairn"))) {
			t.Errorf("%s: two seeds make one world", kind)
		}
		mustRun(t, 0, dir, "check", kind+".cairn")
	}
	mustRun(t, 2, dir, "gen", "terrain", "folder")
	mustRun(t, 2, dir, "gen", "plains", "folder")
	land := fmt.Sprint(long.By(9, 33, 33)) // 33 are in four regions
	if r := mustRun(t, 0, dir, "gen", "--quick", "--size", "50", "plains", "@wide"); !strings.HasPrefix(r.out, "@wide: 0 columns, 731,017 cells") {
		t.Errorf("plains are %q", r.out)
	}
	mustRun(t, 0, dir, "check", "@wide")
	mustRun(t, 0, dir, "gen", "--size", land, "survival", "folder")
	mustRun(t, 0, dir, "gen", "--quick", "--size", land, "survival", "land.cairn")
	mustRun(t, 0, dir, "export", "land.cairn", "exported")
	if r := mustRun(t, 0, dir, "diff", "folder", "exported"); r.out != "same\n" {
		t.Errorf("what gen writes is not what export writes: %s", r.out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 2, dir, "gen", "moon", "moon.cairn")
	mustRun(t, 3, dir, "export", "terrain.cairn", "folder")
	mustRun(t, 3, dir, "gen", "arena", "arena.cairn")
}

func TestStone(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	v := mustJSON(t, 0, dir, "stone", "list", "a.cairn")
	pages := v["pages"].([]any)
	sum := 0.0
	for _, p := range pages {
		sum += p.(map[string]any)["size"].(float64)
	}
	if all := v["bytes"].(float64); len(pages) < 4 || sum == 0 || sum > all {
		t.Errorf("%d pages of %v bytes in a stone of %v", len(pages), sum, all)
	}
	table := mustRun(t, 0, dir, "stone", "list", "a.cairn").out
	forms := v["forms"].([]any)
	if lines := strings.Count(table, "\n"); lines != len(pages)+1+1+len(forms)+2 {
		t.Errorf("%d lines for %d pages in %d forms", lines, len(pages), len(forms))
	}
	for _, f := range forms {
		sum -= f.(map[string]any)["size"].(float64)
	}
	if first := pages[0].(map[string]any); sum != 0 || first["form_name"] != "odds" || first["plain"].(float64) <= 0 || !strings.Contains(table, "odds") {
		t.Errorf("sums by form are %v off; the first page is %v\n%s", sum, first, table)
	}
	if dump := mustRun(t, 0, dir, "stone", "dump", "a.cairn").out; !strings.Contains(dump, "footer") {
		t.Errorf("dump has no footer:\n%s", dump)
	}
	mustRun(t, 0, dir, "stone", "check", "a.cairn")
	mustRun(t, 2, dir, "stone", "check", "island")
	mustRun(t, 2, dir, "stone")
	mustRun(t, 2, dir, "stone", "polish", "a.cairn")
}

func TestSavings(t *testing.T) {
	dir := island(t)
	v := mustJSON(t, 0, dir, "savings", dir)
	if keys(v) != "kinds skipped total worlds" || v["total"].(map[string]any)["worlds"] != 1.0 {
		t.Fatalf("savings prints %v", v)
	}
	w := v["worlds"].([]any)[0].(map[string]any)
	if keys(w) != "bytes cells chunks data_version kind path" || keys(w["bytes"]) != "folder full live slim slim_nolight slime slime_best zip" {
		t.Errorf("a world has %s: %s", keys(w), keys(w["bytes"]))
	}
	for flag, want := range map[string]string{"--all": "zip:slim", "--quick": "folder"} {
		if r := mustRun(t, 0, dir, "savings", flag, dir); !strings.Contains(r.out, "island") || !strings.Contains(r.out, want) {
			t.Errorf("%s: the table lacks the world or %s:\n%s", flag, want, r.out)
		}
	}
	mustRun(t, 3, dir, "savings", "nowhere")
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mine", "precious.txt"), []byte("x"))
	mustRun(t, 3, dir, "demo", "mine")
	if string(read(t, filepath.Join(dir, "mine", "precious.txt"))) != "x" {
		t.Error("a folder that is no demo's was touched")
	}
	long.Rest(t) // each command of the story has a test
	write(t, filepath.Join(dir, "cairn-demo", ".cairn-demo"), nil)
	write(t, filepath.Join(dir, "cairn-demo", "mine.txt"), []byte("x"))
	stale := filepath.Join(dir, "cairn-demo", "worlds", "stale", "level.dat")
	write(t, stale, nil)
	story := mustRun(t, 0, dir, "demo").out
	if mine := filepath.Join(dir, "cairn-demo", "mine.txt"); string(read(t, mine)) != "x" {
		t.Error("a file of the user's in the demo's folder was touched")
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("an older demo's worlds are still there")
	}
	for _, words := range []string{"same", "zip", "slim", ": ok", "$ cairn edit @island undo", "$ cairn restore @island@1", "@copies/tower begins as @island, version 2", filepath.Join("cairn-demo", "pictures", "survival.png")} {
		if !strings.Contains(story, words) {
			t.Errorf("the story does not speak of %q", words)
		}
	}
	store := "local:" + filepath.Join("cairn-demo", "store")
	mustRun(t, 0, dir, "diff", "@island", filepath.Join("cairn-demo", "worlds", "island"), "--store", store)
	mustRun(t, 1, dir, "diff", "@island", "@island@4", "--store", store)
	for _, name := range []string{"survival", "island", "arena", "plots", "terrain", "island-edited", "island-forked", "all"} {
		f, err := os.Open(filepath.Join(dir, "cairn-demo", "pictures", name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		io.Copy(io.Discard, f)
		f.Close()
	}
}

// TestTerminal has a world whose names would steer a terminal.
func TestTerminal(t *testing.T) {
	dir := island(t)
	write(t, filepath.Join(dir, "island", "a\x1b[2J\u009bb.txt"), []byte("x"))
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	r := mustRun(t, 0, dir, "export", "a.cairn", "a.slime")
	if strings.ContainsAny(r.out, "\x1b\u009b") || !strings.Contains(r.out, `a\x1b[2J`) {
		t.Errorf("says %q", r.out)
	}
	r = mustRun(t, 3, dir, "info", "\x1b[2J")
	if strings.Contains(r.errors, "\x1b") {
		t.Errorf("says %q", r.errors)
	}
}
