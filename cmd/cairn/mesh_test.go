package main_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestMesh(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "isle.cairn")
	mustRun(t, 0, dir, "gen", "--size", "4", "terrain", "land.cairn")
	for _, args := range []string{
		"isle.cairn a.glb", "isle.cairn a.obj", "isle.cairn a.ply", "land.cairn b.glb", "land.cairn b.ply", "land.cairn e.ply --blocky",
		"land.cairn c.ply --box 0,0,0..15,200,15", "land.cairn d.ply --level 4", "isle.cairn d.obj --level 1", "land.cairn b.glb --force --level 2",
	} {
		if r := mustRun(t, 0, dir, append([]string{"mesh"}, strings.Fields(args)...)...); !strings.Contains(r.out, " triangles, ") || strings.Contains(r.out, ": 0 triangles") {
			t.Errorf("mesh %s: %q", args, r.out)
		}
	}
	mustRun(t, 0, dir, "mesh", "isle.cairn", "a b.obj")
	text, err := os.ReadFile(filepath.Join(dir, "a b.obj"))
	if _, none := os.Stat(filepath.Join(dir, "a_b.mtl")); err != nil || none != nil || !strings.HasPrefix(string(text), "mtllib a_b.mtl\n") {
		t.Errorf("a name with a space: %.40q, %v, %v", text, err, none)
	}
	mustRun(t, 0, dir, "import", "isle.cairn", "@far")
	mustRun(t, 0, dir, strings.Fields("edit @far box --from 30000001,60,1 --to 30000001,60,1 --name gold_block --new-columns")...)
	mustRun(t, 0, dir, "mesh", "@far", "far.obj")
	if text, err = os.ReadFile(filepath.Join(dir, "far.obj")); err != nil || !strings.Contains(string(text), "\nv 30000001 60 1\n") || !strings.Contains(string(text), "\nv 30000002 61 2\n") {
		t.Errorf("a block far away is not where it is: %v", err)
	}
	if r := mustRun(t, 0, dir, "mesh", "isle.cairn", "f.ply", "--json"); !strings.Contains(r.out, `"triangles": `) || !strings.Contains(r.out, `"path": "f.ply"`) {
		t.Errorf("mesh --json: %q", r.out)
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if whole, part := size("b.ply"), size("c.ply"); part >= whole {
		t.Errorf("a box takes %d bytes, the whole %d", part, whole)
	}
	library, err := os.ReadFile(filepath.Join(dir, "a.mtl"))
	if err != nil || !strings.Contains(string(library), "newmtl minecraft:grass_block") {
		t.Errorf("the library has no grass: %v", err)
	}
	for _, tt := range []struct {
		code         int
		reason, args string
	}{
		{2, "ends in .glb", "isle.cairn a.stl"},
		{2, "--level 30", "isle.cairn x.ply --level 30"},
		{2, "--box", "isle.cairn x.ply --box 1,2"},
		{3, "no surface in (9000,0,9000)..(9009,9,9009)", "isle.cairn x.obj --box 9000,0,9000..9009,9,9009 --level 3"},
		{3, "exists", "isle.cairn a.glb"},
		{3, "exists", "isle.cairn d.obj"},
		{2, "the_moon", "isle.cairn x.ply --dimension the_moon"},
		{3, "no such file", "none.cairn x.ply"},
	} {
		if r := mustRun(t, tt.code, dir, append([]string{"mesh"}, strings.Fields(tt.args)...)...); !strings.Contains(r.errors, tt.reason) {
			t.Errorf("mesh %s: %q, want %q", tt.args, r.errors, tt.reason)
		}
	}
}

// Thin matter of a terrain has a surface at every level, on land that has its far levels in a full pack and
// on what was edited since.
func TestMeshOfThinMatter(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "terrain", "@land", "--size", "14")
	for i, box := range []string{"8,100,8..90,100,90", "20,110,20..20,150,20", "70,127,33..70,127,33"} { // a layer, a pillar, a cell
		from, to, _ := strings.Cut(box, "..")
		mustRun(t, 0, dir, "edit", "@land", "box", "--from", from, "--to", to, "--cell", strconv.Itoa(256+[]int{255, 3, 0}[i]))
	}
	if r := mustRun(t, 0, dir, "mesh", "@land", "land.ply", "--level", "3", "--box", "-32,0,-32..31,63,31"); strings.Contains(r.out, ": 0 triangles") {
		t.Errorf("land at level 3: %q", r.out)
	}
	for level := range 6 {
		mustRun(t, 0, dir, "mesh", "@land", "thin.obj", "--force", "--level", strconv.Itoa(level), "--box", "0,96,0..95,151,95")
		text, err := os.ReadFile(filepath.Join(dir, "thin.obj"))
		if err != nil {
			t.Fatal(err)
		}
		var near [3]int // vertices within a cell of the layer, the pillar's upper end and the cell
		for line := range strings.Lines(string(text)) {
			var x, y, z float64
			if n, _ := fmt.Sscanf(line, "v %g %g %g", &x, &y, &z); n < 3 {
				continue
			}
			for i, p := range [3][3]float64{{50, y, 50}, {20.5, 150, 20.5}, {70.5, 127.5, 33.5}} {
				if e := float64(int(1)<<level) + 1; max(math.Abs(x-p[0]), math.Abs(y-p[1]), math.Abs(z-p[2])) <= e && (i > 0 || math.Abs(y-100.5) <= e) {
					near[i]++
				}
			}
		}
		if min(near[0], near[1], near[2]) == 0 {
			t.Errorf("level %d: %v vertices near the layer, the pillar and the cell", level, near)
		}
	}
}
