package deploy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/cluster"
)

// Both units have the same sandbox.
func TestUnits(t *testing.T) {
	sandbox := func(file string) string {
		text, err := os.ReadFile("systemd/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, box, ok := strings.Cut(string(text), "NoNewPrivileges=yes\n")
		if !ok {
			t.Fatalf("%s has no sandbox", file)
		}
		return box
	}
	if one, many := sandbox("cairn.service"), sandbox("cairn@.service"); one != many {
		t.Errorf("cairn.service:\n%s\ncairn@.service:\n%s", one, many)
	}
}

// The cluster file within the compose file has no mistake.
func TestComposeCluster(t *testing.T) {
	text, err := os.ReadFile("compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n  cluster:\n    content: |\n")
	var file strings.Builder
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "      ") {
			break
		}
		file.WriteString(line[6:])
	}
	name := filepath.Join(t.TempDir(), "cluster.toml")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the file is read, nothing is called
	st, err := cluster.Open(ctx, name, cluster.Options{Env: func(key string) (string, bool) {
		return "x", strings.Contains(string(text), key+": ")
	}})
	if err == nil {
		st.Close()
	}
	if mistake := (*cluster.Mistake)(nil); err == nil || errors.As(err, &mistake) || !strings.Contains(file.String(), "[bucket]") {
		t.Errorf("%v\n%s", err, file.String())
	}
}
