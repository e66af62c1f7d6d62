package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slimes makes a folder of n Slime files of three worlds.
func slimes(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var made [3][]byte
	for i := range made {
		mustRun(t, 0, dir, "gen", "--size", "2", "--seed", fmt.Sprint(i), "island", "island.cairn")
		mustRun(t, 0, dir, "export", "island.cairn", "island.slime")
		made[i] = read(t, filepath.Join(dir, "island.slime"))
		for _, name := range []string{"island.cairn", "island.slime"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range n {
		write(t, filepath.Join(dir, "worlds", fmt.Sprintf("World %d.slime", i)), made[i%3])
	}
	return dir
}

// TestMovePlaces takes worlds in, out, and to a second store, and looks at what is said.
func TestMovePlaces(t *testing.T) {
	dir := slimes(t, 4)
	worlds := filepath.Join(dir, "worlds")
	write(t, filepath.Join(worlds, "torn.slime"), noise(100))
	before := list(t, worlds)
	if r := mustRun(t, 0, dir, "import", "worlds", "@isles/", "--dry-run"); !strings.Contains(r.out, "would copy  5") {
		t.Errorf("it says %q", r.out)
	}
	if _, err := os.Stat(filepath.Join(dir, "cairn-data")); err == nil {
		t.Error("a store was made")
	}
	r := mustRun(t, 1, dir, "import", "worlds", "@isles/")
	if !strings.Contains(r.out, "copied  4") || !strings.Contains(r.out, "torn (@isles/torn): ") || !strings.Contains(r.errors, "1 world of 5 not moved") {
		t.Errorf("it says %q, %q", r.out, r.errors)
	}
	if list(t, worlds) != before {
		t.Error("the place was changed")
	}
	v := mustJSON(t, 0, dir, "export", "@isles/", "out")
	if got := fmt.Sprint(v["counts"], v["from"], v["dry_run"]); got != "map[copied:4]@isles/<nil>" {
		t.Errorf("it says %s", got)
	}
	mustRun(t, 0, dir, "diff", "worlds/World 1.slime", "out/World 1.slime")
	mustRun(t, 0, dir, "edit", "@isles/-.world.201", "ball", "--at", "0,70,0", "--r", "3", "--name", "stone")
	if r := mustRun(t, 0, dir, "mirror", "@isles/", "out", "--once"); !strings.Contains(r.out, "changed    1") {
		t.Errorf("it says %q", r.out)
	}
	mustRun(t, 0, dir, "diff", "@isles/-.world.201", "out/World 1.slime")
	if v := mustJSON(t, 0, dir, "mirror", "local:other@isles/", "@isles/", "--once"); fmt.Sprint(v["counts"]) != "map[copied:4]" {
		t.Errorf("it says %v", v)
	}
	mustRun(t, 0, dir, "diff", "@isles/-.world.201", "out/World 1.slime", "--store", "local:other")
	if r := mustRun(t, 0, dir, "list"); strings.Contains(r.out, ".moved") {
		t.Errorf("list shows %q", r.out)
	}
}

// TestMoveKilled kills an import of many worlds again and again. Then all are there, once.
func TestMoveKilled(t *testing.T) {
	const n = 30
	dir := slimes(t, n)
	kills := 0
	for life := 50 * time.Millisecond; ; life += life / 8 {
		c := exec.Command(program, "import", "worlds", "@isles/", "--quick")
		c.Dir = dir
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(life, func() { c.Process.Kill() })
		if err := c.Wait(); stop.Stop() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		kills++
	}
	t.Log(kills, "kills")
	v := mustJSON(t, 0, dir, "import", "worlds", "@isles/")
	if got := fmt.Sprint(v["counts"]); got != fmt.Sprintf("map[unchanged:%d]", n) {
		t.Errorf("afterwards it says %s", got)
	}
	for i := range n {
		name := fmt.Sprintf("@isles/-.world.20%d", i)
		if l := logs(t, dir, name); len(l) != 1 {
			t.Errorf("%s has %d versions", name, len(l))
		}
		if i < 3 {
			mustRun(t, 0, dir, "diff", name, fmt.Sprintf("worlds/World %d.slime", i))
		}
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
}

// TestMirrorRuns changes both sides while a mirror runs.
func TestMirrorRuns(t *testing.T) {
	dir := slimes(t, 2)
	c := exec.Command(program, "mirror", "worlds", "@isles/", "--every", "1s")
	c.Dir = dir
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	until := func(what string, done func() bool) {
		for !done() {
			if c.ProcessState != nil || t.Context().Err() != nil {
				t.Fatalf("%s: %s", what, &out)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	until("both are in the store", func() bool {
		return cairn(t, dir, "log", "@isles/-.world.200").code+cairn(t, dir, "log", "@isles/-.world.201").code == 0
	})
	until("an edit is made", func() bool {
		return cairn(t, dir, "edit", "@isles/-.world.200", "ball", "--at", "0,70,0", "--r", "3", "--name", "stone").code == 0
	})
	until("the edit is in the folder", func() bool { return cairn(t, dir, "diff", "@isles/-.world.200", "worlds/World 0.slime").code == 0 })
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err) // not on Windows
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &out)
	}
	if !strings.Contains(out.String(), "World 0 (@isles/-.world.200)  changed in the place") {
		t.Errorf("it said %s", &out)
	}
}
