package main_test

import (
	"strings"
	"testing"
)

// TestSnapshot is the round of an operator: save, play, compare, restore.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CAIRN_STORE", "local:"+dir+"/store")
	mustRun(t, 0, dir, "gen", "arena", "@hub/a")
	saved := mustJSON(t, 0, dir, "snapshot", "save", "@hub/a", "before", "--region", "box:0,0,0..63,255,63", "--mask", "!*_sign", "-m", "round 1", "--author", "ann")
	if got, want := keys(saved), "author bytes dimension mask message name number of region stored time world"; got != want {
		t.Errorf("save prints %s, want %s", got, want)
	}
	if saved["stored"] != "@hub/a/.snapshots/before" || saved["author"] != "ann" || saved["message"] != "round 1" || saved["mask"] != "!*_sign" {
		t.Errorf("got %v", saved)
	}
	mustRun(t, 0, dir, "snapshot", "diff", "@hub/a", "before")
	mustRun(t, 0, dir, "edit", "@hub/a", "ball", "--at", "20,70,20", "--r", "6", "--name", "stone")
	mustRun(t, 0, dir, "edit", "@hub/a", "ball", "--at", "-20,70,20", "--r", "6", "--name", "stone") // outside
	if r := mustRun(t, 1, dir, "snapshot", "diff", "@hub/a", "before"); !strings.Contains(r.out, "925") {
		t.Errorf("got %s", r.out)
	}
	mustRun(t, 0, dir, "snapshot", "diff", "@hub/a", "before", "--region", "box:40,0,0..63,255,63")
	restored := mustJSON(t, 0, dir, "snapshot", "restore", "@hub/a", "before", "--author", "ann")
	if restored["cells"] != 925. || restored["failed"] != 0. {
		t.Errorf("got %v", restored)
	}
	if r := mustRun(t, 0, dir, "snapshot", "restore", "@hub/a", "before"); !strings.Contains(r.out, "already") {
		t.Errorf("got %s", r.out)
	}
	mustRun(t, 0, dir, "snapshot", "diff", "@hub/a", "before")
	if r := mustRun(t, 0, dir, "log", "@hub/a", "-n", "1"); !strings.Contains(r.out, "restore snapshot before") {
		t.Errorf("got %s", r.out)
	}
	mustRun(t, 0, dir, "edit", "@hub/a", "undo", "--author", "ann")
	mustRun(t, 1, dir, "snapshot", "diff", "@hub/a", "before")
	mustRun(t, 0, dir, "snapshot", "restore", "@hub/a", "before", "--mask", "stone", "--without", "objects,biomes")
	mustRun(t, 0, dir, "snapshot", "diff", "@hub/a", "before")

	if r := mustRun(t, 0, dir, "list"); strings.Contains(r.out, ".snapshots") {
		t.Errorf("list shows snapshots: %s", r.out)
	}
	if r := mustRun(t, 0, dir, "list", "--snapshots"); !strings.Contains(r.out, "@hub/a/.snapshots/before") || strings.Contains(r.out, `\n`) {
		t.Errorf("list --snapshots: %s", r.out)
	}
	if r := mustRun(t, 0, dir, "rename", "@hub/a", "@hub/b"); !strings.Contains(r.out, "1 snapshot") {
		t.Errorf("rename: %s", r.out)
	}
	mustRun(t, 0, dir, "pack", "@hub/b")
	mustRun(t, 0, dir, "gc", "--keep", "newest=1", "--grace", "0s")
	mustRun(t, 0, dir, "snapshot", "diff", "@hub/b", "before")
	all := mustJSON(t, 0, dir, "snapshot", "list", "@hub/b")["snapshots"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["region"] != "box:0,0,0..63,255,63" {
		t.Errorf("got %v", all)
	}
	mustRun(t, 0, dir, "delete", "@hub/b")
	if r := mustRun(t, 0, dir, "list"); !strings.Contains(r.out, "@hub/b/.snapshots/before") {
		t.Errorf("list of a snapshot without its world: %s", r.out)
	}
	mustRun(t, 0, dir, "undelete", "@hub/b")
	mustRun(t, 0, dir, "snapshot", "delete", "@hub/b", "before")
	if r := mustRun(t, 0, dir, "snapshot", "list", "@hub/b"); !strings.Contains(r.out, "no snapshots") {
		t.Errorf("got %s", r.out)
	}
	mustRun(t, 0, dir, "undelete", "@hub/b/.snapshots/before")
	mustRun(t, 0, dir, "check", "@hub/b/.snapshots/before")
	mustRun(t, 0, dir, "delete", "--snapshots", "@hub/b")
	if r := mustRun(t, 0, dir, "list", "--snapshots"); strings.Contains(r.out, "@hub/b") {
		t.Errorf("a world that was deleted with its snapshots: %s", r.out)
	}
}

func TestSnapshotWrong(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CAIRN_STORE", "local:"+dir+"/store")
	mustRun(t, 0, dir, "gen", "arena", "@a")
	mustRun(t, 0, dir, "snapshot", "save", "@a", "x", "--region", "box:0,0,0..63,255,63")
	for _, tt := range []struct {
		code int
		args string
		says string
	}{
		{2, "snapshot", "save, list"},
		{2, "snapshot frobnicate @a x", "save, list"},
		{2, "snapshot save @a", "number of arguments"},
		{2, "snapshot save a x", "@name"},
		{2, "snapshot save @a X", "name"},
		{2, "snapshot save @a a/b", "name"},
		{2, "snapshot save @a y --region box:1", "offset"},
		{2, "snapshot save @a y --region bux:1", "--region \"bux:1\": offset 0: "},
		{2, "snapshot save @a y --mask a=b", "mask"},
		{2, "snapshot save @a y --dimension moon", "overworld"},
		{3, "snapshot save @a@9 y", "version"},
		{3, "snapshot save @a x", "@a has a snapshot \"x\"; --force replaces it"},
		{3, "snapshot save @b x", "b"},
		{3, "snapshot list @b", "b"},
		{3, "snapshot restore @a y", "no snapshot"},
		{3, "snapshot diff @a y", "no snapshot"},
		{3, "snapshot delete @a y", "no snapshot \"y\"; cairn snapshot list @a shows them"},
		{2, "snapshot restore @a@1 x", "whole world"},
		{2, "snapshot restore @a x --without cells", "biomes"},
		{2, "snapshot restore @a x --mask since:99", "since 99"},
		{2, "snapshot restore @a x --region box:0,0,0..1", "offset"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...); !strings.Contains(r.errors, tt.says) {
				t.Errorf("it does not say %q: %s", tt.says, r.errors)
			}
		})
	}
	if r := mustRun(t, 0, dir, "log", "@a"); strings.Count(r.out, "\n") != 1 {
		t.Errorf("a wrong call changed the world: %s", r.out)
	}
	mustRun(t, 0, dir, "snapshot", "save", "@a", "x", "--force")
}

// A folder of chunk schematics is written and read.
func TestSnapshotSchem(t *testing.T) {
	dir := island(t)
	t.Setenv("CAIRN_STORE", "local:"+dir+"/store")
	mustRun(t, 0, dir, "import", "island", "@i")
	mustRun(t, 2, dir, "snapshot", "save", "@i", "x", "--schem", "arena")
	if r := mustRun(t, 0, dir, "snapshot", "save", "@i", "x", "--region", "box:-20,40,-20..30,90,30", "--schem", "arena"); !strings.Contains(r.out, "16 chunk schematics") {
		t.Errorf("got %s", r.out)
	}
	mustRun(t, 3, dir, "snapshot", "save", "@i", "y", "--region", "box:-20,40,-20..30,90,30", "--schem", "arena")
	mustRun(t, 0, dir, "info", "arena/c.0.0.schem")
	mustRun(t, 0, dir, "edit", "@i", "ball", "--at", "5,65,5", "--r", "9", "--name", "tnt")
	mustRun(t, 1, dir, "snapshot", "diff", "@i", "x")
	mustRun(t, 0, dir, "snapshot", "restore", "@i", "--schem", "arena")
	mustRun(t, 0, dir, "snapshot", "diff", "@i", "x")
	mustRun(t, 2, dir, "snapshot", "restore", "@i", "x", "--schem", "arena")
	mustRun(t, 2, dir, "snapshot", "restore", "@i", "--schem", "arena", "--region", "ball:0,0,0,5")
	mustRun(t, 3, dir, "snapshot", "restore", "@i", "--schem", "none")
	mustRun(t, 0, dir, "edit", "@i", "ball", "--at", "5,65,5", "--r", "9", "--name", "tnt")
	write(t, dir+"/arena/c.0.0.schem", []byte("x"))
	if r := mustRun(t, 3, dir, "snapshot", "restore", "@i", "--schem", "arena"); !strings.Contains(r.errors, "c.0.0.schem") || !strings.Contains(r.out, "restored") {
		t.Errorf("got %s%s", r.out, r.errors)
	}
}
