package main_test

import (
	"debug/buildinfo"
	"slices"
	"strings"
	"testing"
)

// TestLicences checks that the notices name every module in the program.
func TestLicences(t *testing.T) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	out := mustRun(t, 0, t.TempDir(), "licences").out
	for _, m := range info.Deps {
		if !strings.Contains(out, "\n"+m.Path+" ") {
			t.Errorf("%s is not named: go generate ./cmd/cairn", m.Path)
		}
	}
	if len(info.Deps) == 0 || !strings.Contains(out, "three.js") || !strings.Contains(out, "Apache License") {
		t.Errorf("%d modules, and notices of %d bytes", len(info.Deps), len(out))
	}
}

func TestVersionVerb(t *testing.T) {
	dir := t.TempDir()
	short, long := mustRun(t, 0, dir, "--version").out, mustRun(t, 0, dir, "version").out
	if short != long || !strings.HasPrefix(long, "cairn ") || !strings.Contains(long, "go1.") {
		t.Errorf("got %q and %q", short, long)
	}
	if v := mustJSON(t, 0, dir, "version"); keys(v) != "changed go system version" && keys(v) != "changed commit go system time version" {
		t.Errorf("got %v", v)
	}
}

// TestComplete asks for what a shell would offer.
func TestComplete(t *testing.T) {
	dir := versions(t)
	for _, tt := range []struct {
		args []string
		want []string // some of what is offered
	}{
		{[]string{"log", "@"}, []string{"@isle"}},
		{[]string{"edit", "@isle", ""}, []string{"ball", "replace", "paste", "undo"}},
		{[]string{"gen", ""}, []string{"arena", "island", "terrain"}},
		{[]string{"help", ""}, []string{"edit", "import", "version"}},
		{[]string{"snapshot", ""}, []string{"save", "restore"}},
		{[]string{"info", "@no"}, []string{":4"}}, // nothing, and no files
		{[]string{"info", ""}, []string{":0"}},    // files
	} {
		r := cairn(t, dir, append([]string{"__complete"}, tt.args...)...)
		var offered []string
		for line := range strings.Lines(r.out) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		for _, want := range tt.want {
			if !slices.Contains(offered, want) {
				t.Errorf("%q offers %q, not %q", tt.args, offered, want)
			}
		}
	}
}

// TestExportStone writes a version as one file, which holds all of it.
func TestExportStone(t *testing.T) {
	dir := versions(t)
	v := mustJSON(t, 0, dir, "export", "@isle@1", "then.cairn")
	if keys(v) != "bytes format lost target world" || v["format"] != "cairn" {
		t.Errorf("got %v", v)
	}
	mustRun(t, 0, dir, "diff", "@isle@1", "then.cairn")
	mustRun(t, 1, dir, "diff", "@isle@2", "then.cairn")
	mustRun(t, 3, dir, "export", "@isle", "then.cairn")
}

// TestExportSource writes a folder in another format, without a .cairn file between.
func TestExportSource(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	for _, target := range []string{"slime", "cairn"} {
		mustRun(t, 0, dir, "export", "a.cairn", "one."+target)
		mustRun(t, 0, dir, "export", "island", "two."+target)
		mustRun(t, 0, dir, "diff", "one."+target, "two."+target)
	}
}

// TestListDeleted lists what undelete brings back.
func TestListDeleted(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "fork", "@isle", "@other/gone")
	if r := mustRun(t, 0, dir, "list", "--deleted"); r.out != "" {
		t.Errorf("got %q", r.out)
	}
	mustRun(t, 0, dir, "delete", "@other/gone")
	for prefix, want := range map[string]bool{"": true, "@other/": true, "@isle": false} {
		if r := mustRun(t, 0, dir, "list", "--deleted", prefix); strings.Contains(r.out, "@other/gone") != want {
			t.Errorf("below %q: %q", prefix, r.out)
		}
	}
	if v := mustJSON(t, 0, dir, "list", "--deleted"); len(v["deleted"].([]any)) != 1 {
		t.Errorf("got %v", v)
	}
	if r := mustRun(t, 2, dir, "undelete"); !strings.Contains(r.errors, "cairn list --deleted") {
		t.Errorf("undelete without a name: %q", r.errors)
	}
	mustRun(t, 0, dir, "undelete", "@other/gone")
	if r := mustRun(t, 0, dir, "list", "--deleted"); r.out != "" {
		t.Errorf("after undelete: %q", r.out)
	}
}

// TestBackupList lists the backups in a folder, by both of its names.
func TestBackupList(t *testing.T) {
	dir := versions(t)
	first := mustJSON(t, 0, dir, "backup", "--to", "backups")["name"].(string)
	second := mustJSON(t, 0, dir, "backup", "--to", "dir:backups/")["name"].(string)
	for _, from := range []string{"backups", "./backups", "dir:backups"} {
		r := mustRun(t, 0, dir, "backup", "list", "--from", from)
		if strings.Count(r.out, "\n") != 2 || !strings.Contains(r.out, first[:20]) || !strings.Contains(r.out, second[:20]) {
			t.Errorf("%s: %q", from, r.out)
		}
	}
	if v := mustJSON(t, 0, dir, "backup", "list", "--from", "backups"); len(v["backups"].([]any)) != 2 {
		t.Errorf("got %v", v)
	}
	mustRun(t, 3, dir, "backup", "list", "--from", "nowhere")
}
