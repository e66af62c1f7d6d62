package main_test

import (
	"strings"
	"testing"
)

// TestImportTime gives versions the times of old states.
func TestImportTime(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	mustRun(t, 0, dir, "import", "island", "@hub", "--time", "2019-03-04T12:00+02:00")
	mustRun(t, 0, dir, "import", "other", "@hub", "--time", "2019-03-04T10:00") // the same again
	mustRun(t, 0, dir, "commit", "island", "@hub", "--time", "2020-01-02")
	if v := mustJSON(t, 0, dir, "import", "island", "@hub", "--time", "2021-01-02"); v["same"] != true {
		t.Errorf("nothing differs, and there is %v", v["commit"])
	}
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"import other @hub --time 2019-12-31T23:59:59", 3, "2019-12-31T23:59:59Z is before 2020-01-02T00:00:00Z, the time of version 3"},
		{"import other @new --time 2999-01-01", 3, "2999-01-01T00:00:00Z is to come, it is 20"},
		{"import other @hub --time yesterday", 2, "--time yesterday: want a time in UTC such as"},
		{"commit other @hub --time 1969-01-01", 2, "--time 1969-01-01: want a time in UTC such as"},
		{"import other other.cairn --time 2019-03-04", 2, "for a version of @name"},
		{"info @new", 3, "no such world"},
	} {
		if r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...); !strings.Contains(r.errors, tt.says) {
			t.Errorf("%s says %q, want %q", tt.args, r.errors, tt.says)
		}
	}
	want := []string{"2020-01-02T00:00:00Z", "2019-03-04T10:00:00Z", "2019-03-04T10:00:00Z"}
	log := logs(t, dir, "@hub")
	if len(log) != len(want) {
		t.Fatalf("log is %v", log)
	}
	for i, c := range log {
		if c["time"] != want[i] {
			t.Errorf("version %v is of %v, want %v", c["number"], c["time"], want[i])
		}
	}
	mustRun(t, 0, dir, "diff", "@hub@2019-03-04T11:00", "other")
}
