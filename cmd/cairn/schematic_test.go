package main_test

import (
	"strings"
	"testing"
)

// TestSchematics takes an island through each format of schematics, and pastes a part of it.
func TestSchematics(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "isle.cairn")
	mustRun(t, 0, dir, "export", "isle.cairn", "isle.schem")
	blocks := solids(t, dir, "isle.cairn", "block")
	for _, args := range []string{"isle.schem", "isle2.schem --format-version 2", "isle.nbt", "isle.litematic"} {
		name := strings.Fields(args)[0]
		if name != "isle.schem" {
			mustRun(t, 0, dir, append([]string{"export", "isle.cairn"}, strings.Fields(args)...)...)
		}
		if got := solids(t, dir, name, "block"); got != blocks {
			t.Errorf("%s has %v blocks, want %v", name, got, blocks)
		}
		mustRun(t, 0, dir, "check", name)
		mustRun(t, 0, dir, "import", name, name+".cairn")
		mustRun(t, 0, dir, "diff", name, name+".cairn")
		mustRun(t, 0, dir, "render", name, name+".png")
		again := "again" + name
		mustRun(t, 0, dir, "export", name+".cairn", again)
		mustRun(t, 0, dir, "diff", name, again)
	}
	mustRun(t, 0, dir, "export", "isle.cairn", "part.schem", "--region", "ball:0,60,0,9")
	mustRun(t, 0, dir, "import", "isle.cairn", "@isle")
	r := edit(t, dir, "@isle", "paste", "part.schem", "--at", "100,120,100", "--rotate", "90", "--mirror", "x", "--new-columns")
	if r["cells"] == 0.0 || r["file"] != "part.schem" {
		t.Errorf("paste: %v", r)
	}
	if r := edit(t, dir, "@isle", "undo"); r["cells"] == 0.0 {
		t.Errorf("undo of a paste: %v", r)
	}
	for _, tt := range []struct {
		code         int
		reason, args string
	}{
		{2, "has a whole world", "export isle.cairn part.cairn --region box:0,0,0..1,1,1"},
		{2, "offset", "export isle.cairn new.schem --region box:0"},
		{2, "sponge has 1, 2, 3", "export isle.cairn new.schem --format-version 4"},
		{2, "has no versions", "export isle.cairn new.nbt --format-version 1"},
		{3, "cannot hold the world: a region of", "export isle.cairn new.schem --region ball:0,0,0,100000"},
		{3, "has a name and no number", "export isle.cairn new.schematic"},
		{2, "multiple of 90", "edit @isle paste part.schem --at 0,0,0 --rotate 45"},
		{2, "--mirror", "edit @isle paste part.schem --at 0,0,0 --mirror y"},
		{2, "--at is missing: want X,Y,Z", "edit @isle paste part.schem"},
		{2, "FILE", "edit @isle paste --at 0,0,0"},
		{2, "takes no --name", "edit @isle paste part.schem --at 0,0,0 --name stone"},
		{3, "no such file", "edit @isle paste none.schem --at 0,0,0"},
	} {
		if r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...); !strings.Contains(r.errors, tt.reason) {
			t.Errorf("%s: %q, want %q", tt.args, r.errors, tt.reason)
		}
	}
}
