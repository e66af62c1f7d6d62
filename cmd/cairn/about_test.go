package main_test

import (
	"debug/buildinfo"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	command "github.com/cairnvoxel/cairn/cmd/cairn"
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

// TestBuild describes programs by what the go command writes into them.
func TestBuild(t *testing.T) {
	of := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	const commit, at = "0123456789abcdef0123456789abcdef01234567", "2026-11-20T10:00:00Z"
	for _, tt := range []struct {
		name    string
		info    *debug.BuildInfo
		release string
		want    string
	}{
		{"go install at a tag", of("v1.2.3"), "", "v1.2.3"},
		{"a checkout of a tag", of("v1.2.3", "vcs", "git", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "false"), "", "v1.2.3, commit 0123456789ab of 2026-11-20T10:00:00Z"},
		{"a checkout with changes", of("v1.2.4-0.20261120100000-0123456789ab+dirty", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "true"), "", "v1.2.4-0.20261120100000-0123456789ab+dirty, commit 0123456789ab of 2026-11-20T10:00:00Z, with changes"},
		{"no checkout", of("(devel)"), "", "(devel)"},
		{"a release", of("v0.0.0-20261120100000-0123456789ab", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "false"), "v1.2.3", "v1.2.3, commit 0123456789ab of 2026-11-20T10:00:00Z"},
		{"a release with changes", of("(devel)", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "true"), "v1.2.3", "v1.2.3, commit 0123456789ab of 2026-11-20T10:00:00Z, with changes"},
		{"a release of no checkout", of("(devel)"), "v1.2.3", "v1.2.3"},
		{"go test", of(""), "", "unknown"},
		{"nothing known", nil, "", "unknown"},
		{"nothing known of a release", nil, "v1.2.3", "v1.2.3"},
	} {
		want := tt.want + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
		if got := command.Described(tt.info, tt.release); got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
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
		{[]string{"import", "--light", ""}, []string{"keep", "drop", ":4"}},
		{[]string{"serve", "--log-format="}, []string{"json", ":4"}},
		{[]string{"token", "new", "--role", "w"}, []string{"write", ":4"}},
		{[]string{"export", "--format", ""}, []string{"anvil", "slime", "structure"}},
		{[]string{"edit", "@isle", "paste", "a.schem", "--rotate", ""}, []string{"90", "180", "270"}},
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
