package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
)

// solids counts the cells of a volume that are not empty.
func solids(t *testing.T, dir, address, volume string) float64 {
	t.Helper()
	for _, d := range mustJSON(t, 0, dir, "info", address)["dimensions"].([]any) {
		for _, v := range d.(map[string]any)["volumes"].([]any) {
			if v := v.(map[string]any); v["name"] == volume {
				return v["cells"].(float64)
			}
		}
	}
	t.Fatalf("%s has no volume %s", address, volume)
	return 0
}

// edit edits and returns what it printed.
func edit(t *testing.T, dir string, args ...string) map[string]any {
	t.Helper()
	return mustJSON(t, 0, dir, append([]string{"edit"}, args...)...)
}

func TestBrushes(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	for _, tt := range []struct {
		args  string
		cells float64 // 0: some
	}{
		{"@isle box --from 3,100,3 --to -3,103,-3 --name glass", 7 * 4 * 7},
		{"@isle box --from -3,100,-3 --to 3,100,3 --subtract", 7 * 7},
		{"@isle paint --from -9,101,-9 --to 9,102,9 --name minecraft:gold_block", 7 * 2 * 7},
		{"@isle paint --at 0,110,0 --r 7.5 --name stone", 21}, // the topmost layer alone
		{"@isle ball --at 20,100,20 --r 1 --name stone", 7},
		{"@isle ball --at 20,100,20 --r 1 --name mod:lamp --any-name", 7},
		{"@isle cylinder --at 20,110,20 --r 1 --height 3 --name stone", 15},
		{"@isle smooth --at 20,110,20 --r 6 --passes 2", 15},
		{"@isle grow --at 20,100,20 --r 6", 0},
		{"@isle erode --at 20,100,20 --r 6 --by 2", 0},
	} {
		if r := edit(t, dir, strings.Fields(tt.args)...); tt.cells != 0 && r["cells"] != tt.cells || r["cells"] == 0.0 {
			t.Errorf("%s: %v, want %v cells", tt.args, r, tt.cells)
		}
	}
	if r := edit(t, dir, "@isle", "prism", "--points", "-10,-10 -10,-6 -6,-6 -6,-10", "--floor", "-40", "--height", "5", "--name", "oak_log"); r["cells"].(float64) < 4*4*5 {
		t.Errorf("prism: %v", r)
	}
	if r := edit(t, dir, "@isle", "flatten", "--from", "-10,-40,-10", "--to", "-6,-30,-6", "--y", "-38"); r["cells"].(float64) == 0 {
		t.Errorf("flatten: %v", r)
	}
	if r := edit(t, dir, "@isle", "sea", "--from", "-20,-60,-20", "--to", "-17,-57,-17", "--y", "-58"); r["cells"] != 4.0*2*4 {
		t.Errorf("sea: %v", r)
	}
	mustRun(t, 0, dir, "check", "@isle", "local:cairn-data")
	mustRun(t, 0, dir, "export", "@isle", "back")
	d := mustJSON(t, 1, dir, "diff", "@isle", "back")
	if v := d["volumes"].(map[string]any); v["block"] != nil || v["sky"] != nil || v["light"] != nil || d["objects"] != 0.0 {
		t.Errorf("an export of what was edited differs: %v", d)
	}
}

func TestEditTerrain(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "terrain", "@land")
	solid, liquid := solids(t, dir, "@land", "solid"), solids(t, dir, "@land", "liquid")
	edit(t, dir, "@land", "ball", "--at", "0,200,0", "--r", "5", "--name", "rock")
	edit(t, dir, "@land", "sea", "--from", "-32,0,-32", "--to", "31,60,31", "--y", "40.5")
	if now := solids(t, dir, "@land", "solid"); now <= solid {
		t.Errorf("%v solid cells, before %v", now, solid)
	}
	if now := solids(t, dir, "@land", "liquid"); now <= liquid {
		t.Errorf("%v liquid cells, before %v", now, liquid)
	}
	if r := edit(t, dir, "@land", "ball", "--at", "0,2000,0", "--r", "3", "--subtract"); r["same"] != true {
		t.Errorf("taking away nothing: %v", r)
	}
	r := mustRun(t, 2, dir, "edit", "@land", "ball", "--at", "0,0,0", "--r", "3", "--name", "cheese")
	if !strings.Contains(r.errors, "has air, grass, sand") {
		t.Errorf("an unknown material: %q", r.errors)
	}
}

// TestEditPlaces: blocks lie within the heights and the columns of the game, unless somebody asks for others.
func TestEditPlaces(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "isle.cairn")
	mustRun(t, 0, dir, "export", "isle.cairn", "isle.schem")
	for _, tt := range []struct{ args, reason, flag string }{
		{"box --from 0,400,0 --to 1,401,1 --name stone", "block at 0,400,0 of overworld: its heights are -64 to 319", "--any-height"},
		{"box --from 0,-70,0 --to 1,-60,1 --name stone", "its heights are -64 to 319", "--any-height"},
		{"paste isle.schem --at -32,300,-32", "its heights are -64 to 319", "--any-height"},
		{"box --from 200,70,0 --to 240,70,0 --name stone", "4 new columns of overworld, the first at 12,0; their other blocks stay air", "--new-columns"},
		{"paste isle.schem --at 512,64,512", "new columns of overworld", "--new-columns"},
	} {
		words := append([]string{"edit", "@isle"}, strings.Fields(tt.args)...)
		if r := mustRun(t, 2, dir, words...); !strings.Contains(r.errors, tt.reason) || !strings.Contains(r.errors, tt.flag+" allows it") {
			t.Errorf("%s says %q", tt.args, r.errors)
		}
		if r := edit(t, dir, append(words[1:], tt.flag)...); r["cells"] == 0.0 {
			t.Errorf("%s: %v", tt.args, r)
		}
		edit(t, dir, "@isle", "undo")
	}
	edit(t, dir, "@isle", "box", "--from", "200,64,0", "--to", "200,64,0", "--subtract") // nothing is there
	edit(t, dir, "@isle", "box", "--from", "200,64,0", "--to", "200,64,0", "--name", "stone", "--new-columns")
	mustRun(t, 0, dir, "export", "@isle", "back")
	mustRun(t, 0, dir, "check", "back")
}

// TestUndo goes back and forth along the edits of two authors.
func TestUndo(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	as := func(author string, args ...string) map[string]any {
		return edit(t, dir, append([]string{"@isle", "--author", author}, args...)...)
	}
	as("ada", "box", "--from", "0,100,0", "--to", "9,109,9", "--name", "stone")
	as("bob", "box", "--from", "5,100,0", "--to", "9,104,9", "--name", "glass")
	as("ada", "ball", "--at", "0,80,0", "--r", "6", "--subtract")
	if r := mustRun(t, 3, dir, "edit", "@isle", "redo", "--author", "ada"); !strings.Contains(r.errors, `"ada" has nothing to redo`) {
		t.Errorf("says %q", r.errors)
	}
	as("ada", "undo")
	mustRun(t, 0, dir, "diff", "@isle", "@isle@3")
	as("ada", "redo")
	mustRun(t, 0, dir, "diff", "@isle", "@isle@4")
	as("ada", "undo")
	if r := as("ada", "undo"); r["cells"] != 750.0 || r["skipped"] != 250.0 {
		t.Errorf("undo below another's edit: %v", r)
	}
	mustRun(t, 3, dir, "edit", "@isle", "undo", "--author", "ada")
	mustRun(t, 3, dir, "edit", "@isle", "undo", "--author", "eve")
	as("bob", "undo")
	if r := as("ada", "redo"); r["cells"] != 750.0 {
		t.Errorf("redo: %v", r)
	}
	as("ada", "redo")
	as("ada", "box", "--from", "0,120,0", "--to", "0,120,0", "--name", "stone")
	mustRun(t, 3, dir, "edit", "@isle", "redo", "--author", "ada")
	if l := logs(t, dir, "@isle"); l[0]["message"] != "edit box --from 0,120,0 --name stone --to 0,120,0" || l[1]["author"] != "ada" || !strings.HasPrefix(l[1]["message"].(string), "redo ") {
		t.Errorf("log: %v", l[:2])
	}
	mustRun(t, 0, dir, "check", "local:cairn-data")
}

// TestUndoCommit takes back a version that changed a file too.
func TestUndoCommit(t *testing.T) {
	dir := versions(t)
	write(t, filepath.Join(dir, "other", "note.txt"), []byte("x"))
	mustRun(t, 0, dir, "commit", "other", "@isle", "--author", "ada")
	r := edit(t, dir, "@isle", "undo", "--author", "ada")
	if fmt.Sprint(r["files"]) != "[level.dat note.txt]" || r["taken_back"].(map[string]any)["number"] != 4.0 {
		t.Errorf("undo of a commit: %v", r)
	}
	d := mustJSON(t, 1, dir, "diff", "@isle", "island")
	if d["cells"] != 0.0 || d["objects"] != 0.0 || d["files"] != 2.0 {
		t.Errorf("differs in %v", d)
	}
}

func TestWrongEdits(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	before := mustRun(t, 0, dir, "log", "@isle").out
	const ball = "edit @isle ball --name stone "
	for _, tt := range []struct {
		code         int
		args, reason string
	}{
		{2, "edit @isle", "usage"},
		{2, "edit isle undo", "written @name"},
		{2, "edit @isle@1 undo", "a whole world"},
		{3, "edit @atoll undo", "no such world"},
		{2, "edit @isle hammer", "no brush"},
		{2, "edit @isle undo --r 3", "takes no --r"},
		{2, "edit @isle undo --volume block", "takes no --volume"},
		{2, "edit @isle undo -m x", "--message"},
		{2, ball, "want one shape"},
		{2, ball + "--at 0,0", "X,Y,Z"},
		{2, ball + "--at 0,0,z --r 2", "X,Y,Z"},
		{2, ball + "--at 0,0,99999999999999999999 --r 2", "X,Y,Z"},
		{2, ball + "--at 0,0,99999999 --r 2", "out of range"},
		{2, ball + "--at 0,0,0", "--r"},
		{2, ball + "--at 0,0,0 --r -1", "--r"},
		{2, ball + "--at 0,0,0 --r NaN", "--r"},
		{2, ball + "--at 0,0,0 --r 5000", "--r"},
		{2, ball + "--at 0,0,0 --r 4000", "box of the edit has more than"},
		{2, ball + "--at 0,0,0 --r 3 --height 3", "takes no --height"},
		{2, ball + "--at 0,0,0 --r 3 --subtract", "--subtract"},
		{2, ball + "--at 0,0,0 --r 3 --cell 1", "not both"},
		{2, ball + "--at 0,0,0 --r 3 --volume dust", "has block"},
		{2, ball + "--at 0,0,0 --r 3 --volume sky", "no names"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name stone[", "not a block state"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name steinstück", "not a block state"},
		{2, ball + "--at 0,0,0 --r 3 --dimension the_moon", "has overworld"},
		{2, "edit @isle ball --at 0,0,0 --r 3", "needs --name"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --cell 0", "needs --name"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name air", "--subtract"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name ston", `did you mean "minecraft:stone"?; --any-name`},
		{2, "edit @isle paint --at 0,0,0 --r 3 --name minecraft:pale_oak_log[axis=y]", "is of 1.21.2 and later"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name minecraft:grass", "is gone since 1.20.3"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --name mod:lamp", "the game has no block"},
		{2, "edit @isle box --from 0,0,0 --to 3,3,3 --volume biome --name plain", `did you mean "minecraft:plains"?`},
		{2, "edit @isle ball --at 0,0,0 --r 3 --cell 31000", "no cell of that number"},
		{2, "edit @isle ball --at 0,0,0 --r 3 --cell x", "no cell of that number"},
		{2, "edit @isle cylinder --at 0,0,0 --r 3 --name stone", "--height"},
		{2, "edit @isle box --from 0,0,0 --name stone", "want one shape"},
		{2, "edit @isle box --from -30000000,0,-30000000 --to 30000000,9,30000000 --name stone", "box of the edit has more than"},
		{2, "edit @isle prism --points 1,1 --floor 0 --height 2 --name stone", "--points"},
		{2, "edit @isle prism --points 1,1,1 --floor 0 --height 2 --name stone", "X,Z"},
		{2, "edit @isle prism --points 1,1 --floor low --height 2 --name stone", "whole number"},
		{2, "edit @isle smooth --at 0,0,0 --r 3 --passes 0", "--passes"},
		{2, "edit @isle erode --at 0,0,0 --r 3 --by -2", "--by"},
		{2, "edit @isle sea --at 0,0,0 --r 3", "--y"},
		{2, "edit @isle sea --at 0,0,0 --r 3 --y Inf", "--y"},
		{2, "edit @isle flatten --at 0,0,0 --r 3 --from 1,1,1 --y 3", "want one shape"},
		{2, ball + "--at 0,0,0 --r 3 --mask stnoe", `did you mean "stone"?`},
		{2, ball + "--at 0,0,0 --r 3 --mask #existing", "!air"},
		{2, ball + "--at 0,0,0 --r 3 --mask a[", "mask"},
		{2, ball + "--at 0,0,0 --r 3 --mask by:nobody", "no version by that author"},
		{2, ball + "--at 0,0,0 --r 3 --region box:0,0", "region"},
		{2, "edit @isle replace stone", "a MASK and a NAME"},
		{2, "edit @isle replace stone glass --at 0,0,0", "takes no --at"},
		{2, "edit @isle replace stone glass --region foo", `cairn: --region "foo": offset 0: `},
		{2, "edit @isle replace stnoe glass", `did you mean "stone"?`},
		{2, "edit @isle replace stone glas", `did you mean "minecraft:glass"?`},
		{2, "edit @isle replace air glass", "--region"},
		{2, "edit @isle undo --mask stone", "takes no --mask"},
	} {
		r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...)
		if !strings.Contains(r.errors, tt.reason) || r.out != "" || strings.Count(r.errors, "\n") != 1 || strings.Contains(r.errors, "cairn: arena: ") {
			t.Errorf("%s: says %q, %q; want %q", tt.args, r.out, r.errors, tt.reason)
		}
	}
	for _, mask := range []string{"", " "} {
		if r := mustRun(t, 2, dir, "edit", "@isle", "replace", mask, "glass", "--region", "box:0,0,0..1,1,1"); !strings.Contains(r.errors, "want a MASK") {
			t.Errorf("replace %q says %q", mask, r.errors)
		}
	}
	if after := mustRun(t, 0, dir, "log", "@isle").out; after != before {
		t.Errorf("log before:\n%safter:\n%s", before, after)
	}
}

// TestUndoWithoutParent takes back the version that a fork begins with, and one whose parent a
// collection dropped.
func TestUndoWithoutParent(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	edit(t, dir, "@isle", "--author", "ada", "ball", "--at", "0,100,0", "--r", "3", "--name", "stone")
	mustRun(t, 0, dir, "fork", "@isle", "@fork")
	if r := edit(t, dir, "@fork", "undo", "--author", "ada"); r["cells"] != 123.0 || r["skipped"] != 0.0 {
		t.Errorf("undo on a fork: %v", r)
	}
	mustRun(t, 0, dir, "diff", "@fork", "@isle@1")
	if r := mustRun(t, 3, dir, "edit", "@fork", "undo", "--author", "ada"); !strings.Contains(r.errors, "nothing to undo") {
		t.Errorf("undo behind the fork says %q", r.errors)
	}
	mustRun(t, 0, dir, "fork", "@isle@1", "@first")
	mustRun(t, 0, dir, "gc", "--keep", "newest=1", "--grace", "0")
	if r := edit(t, dir, "@isle", "undo", "--author", "ada"); r["cells"] != 123.0 || r["skipped"] != 0.0 {
		t.Errorf("undo after a collection: %v", r)
	}
	mustRun(t, 0, dir, "diff", "@isle", "@first")
	mustRun(t, 0, dir, "check", "local:cairn-data")
}

// TestEditWithin edits within regions and masks, replaces, and takes all of it back.
func TestEditWithin(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@isle")
	const corner = "--region=box:0,0,0..31,255,31"
	for _, tt := range []struct {
		args  string
		cells float64
	}{
		{"box --from -2,100,-2 --to 1,103,1 --name stone", 64},
		{"box --from -2,100,-2 --to 1,103,1 --name glass " + corner, 16},
		{"box --from -2,100,-2 --to 1,104,1 --name gold_block --mask !air", 64},
		{"box --from -2,100,-2 --to 1,104,1 --name tnt --mask air", 16},
		{"replace gold_block,tn* minecraft:diamond_block " + corner, 20},
		{"replace tnt air --region=box:-9,99,-9..9,110,9", 12},
		{"ball --at 0,120,0 --r 0 --name stone", 1},
		{"paste one1.schem --at -2,100,-2 --mask diamond_block", 16},
		{"paste two2.schem --at -2,110,-2 " + corner, 16},
	} {
		if strings.HasPrefix(tt.args, "paste") {
			mustRun(t, 0, dir, "export", "--region=box:-2,100,-2..1,103,1", "@isle@2", tt.args[6:16])
		}
		if r := edit(t, dir, append([]string{"@isle"}, strings.Fields(tt.args)...)...); r["cells"] != tt.cells {
			t.Errorf("%s: %v, want %v cells", tt.args, r, tt.cells)
		}
	}
}

// TestEditNumbers edits a world of 1.8 by names, and sees its blocks by names.
func TestEditNumbers(t *testing.T) {
	dir := t.TempDir()
	src, err := convert.Load(t.Context(), terrain.Survival(terrain.Options{Seed: 3, Size: 2}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := convert.WriteStone(t.Context(), src, &out, stone.Options{Effort: stone.Quick}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.cairn"), out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, dir, "import", "old.cairn", "@old")
	for _, tt := range []struct{ name, shown string }{
		{"stone", "minecraft:stone (1:0)"}, {"minecraft:red_wool", "minecraft:red_wool (35:14)"}, {"legacy:3/1", "minecraft:coarse_dirt (3:1)"},
		{"5:2", "minecraft:birch_planks (5:2)"}, {"wool:3", "minecraft:light_blue_wool (35:3)"}, {"oak_log[axis=x]", "minecraft:oak_log[axis=x] (17:4)"},
	} {
		if r := edit(t, dir, "@old", "box", "--from", "0,120,0", "--to", "1,120,1", "--name", tt.name); r["cells"] != 4.0 {
			t.Errorf("%s: %v", tt.name, r)
		}
		if r := mustRun(t, 1, dir, "diff", "@old@1", "@old"); !strings.Contains(r.out, ": air, "+tt.shown) {
			t.Errorf("%s: diff: %s", tt.name, r.out)
		}
	}
	if r := edit(t, dir, "@old", "replace", "oak_log,stone", "dirt", "--region", "box:0,110,0..5,127,5"); r["cells"] != 4.0 {
		t.Errorf("replace: %v", r)
	}
	if r := edit(t, dir, "@old", "box", "--from", "0,120,0", "--to", "1,120,2", "--name", "glass", "--mask", "!3:0"); r["cells"] != 2.0 {
		t.Errorf("mask: %v", r)
	}
	for name, reason := range map[string]string{"deepslate": "the game has none before 1.13", "red_wol": `did you mean "red_wool"?`, "oak_log[axis=w]": "its property axis has no value"} {
		if r := mustRun(t, 2, dir, "edit", "@old", "box", "--from", "0,120,0", "--to", "1,120,1", "--name", name); !strings.Contains(r.errors, reason) {
			t.Errorf("%s: %q, want %q", name, r.errors, reason)
		}
	}
	mustRun(t, 0, dir, "mesh", "@old", "old.obj")
	library, err := os.ReadFile(filepath.Join(dir, "old.mtl"))
	if err != nil || !strings.Contains(string(library), "newmtl minecraft:stone_(1:0)") || strings.Contains(string(library), "legacy") {
		t.Errorf("the library: %v\n%s", err, library)
	}
}

// TestEditDefaults: a name without properties is the game's default state.
func TestEditDefaults(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "2", "island", "@isle")
	for name, shown := range map[string]string{
		"oak_log": "minecraft:oak_log[axis=y]", "chest[facing=east]": "minecraft:chest[facing=east,type=single,waterlogged=false]",
	} {
		edit(t, dir, "@isle", "box", "--from", "0,200,0", "--to", "1,200,1", "--name", name)
		if r := mustRun(t, 1, dir, "diff", "@isle@1", "@isle"); !strings.Contains(r.out, ": air, "+shown) {
			t.Errorf("%s: diff: %s", name, r.out)
		}
	}
	if r := mustRun(t, 2, dir, "edit", "@isle", "box", "--from", "0,200,0", "--to", "1,200,1", "--name", "oak_log[axes=y]"); !strings.Contains(r.errors, `did you mean "axis"?`) {
		t.Errorf("%q", r.errors)
	}
}
