package main_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// Clusters of real servers lose nothing, and a loss is found.
func TestPartsCluster(t *testing.T) {
	parts.Need(t, "postgres", "minio", "toxiproxy")
	program, dir := mustBuild(t, ""), t.TempDir()
	cairn, err := parts.BuildCairn(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-cluster -minutes 0.25 -worlds 500 -seed 3", 0, "0 losses"},
		{"-cluster -minutes 0.15 -worlds 100 -seed 4 -catalogue bucket", 0, "0 losses"},
		{"-cluster -minutes 1 -worlds 200 -seed 5 -no-standby", 1, "lost: "},
		{"-cluster -minutes 1 -worlds 200 -seed 6 -pairs", 0, "0 losses"},
		{"-cluster -minutes 0.5 -worlds 200 -seed 7 -weed", 0, "0 losses"},
		{"-cluster -minutes 0.5 -worlds 200 -seed 8 -weed -catalogue mongodb", 0, "0 losses"},
		{"-cluster -catalogue bucket -weed", 2, "want postgres"},
		{"-cluster -asleep -n 20", 0, "20 rounds"},
		{"-cluster -catalogue paper", 2, "want postgres, bucket or mongodb"},
		{"-cluster -catalogue bucket -no-standby", 2, "is for postgres"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if strings.Contains(tt.args, "-weed") {
				parts.Need(t, "weed", "ferret")
			}
			said, status := run(t, program, append(strings.Fields(tt.args), "-dir", t.TempDir(), "-cairn", cairn)...)
			if status != tt.status || !strings.Contains(said, tt.want) {
				t.Errorf("status %d: want %d with %q:\n%s", status, tt.status, tt.want, said)
			}
		})
	}
	if _, err := os.Stat(cairn); err != nil {
		t.Error(err)
	}
}
