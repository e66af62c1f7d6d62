//go:build unix

package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// mustTouched makes a world @big with a snapshot "before" and an edit of millions of cells after it.
func mustTouched(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("CAIRN_STORE", "local:"+dir+"/store")
	mustRun(t, 0, dir, "gen", "survival", "@big", "--size", "16", "--quick")
	mustRun(t, 0, dir, "snapshot", "save", "@big", "before")
	mustRun(t, 0, dir, "edit", "@big", "box", "--from", "-128,40,-128", "--to", "127,90,127", "--name", "tnt")
	return dir
}

func wantVersions(t *testing.T, dir string, want int) {
	t.Helper()
	if r := mustRun(t, 0, dir, "log", "@big"); strings.Count(r.out, "\n") != want {
		t.Errorf("want %d versions:\n%s", want, r.out)
	}
}

// A restore that is interrupted leaves the world as it was.
func TestSnapshotInterrupted(t *testing.T) {
	long.Rest(t)
	dir := mustTouched(t)
	c := exec.Command(program, "snapshot", "restore", "@big", "before")
	c.Dir = dir
	interrupt(t, c, func() bool { return atWork(c) })
	wantVersions(t, dir, 2)
	mustRun(t, 0, dir, "check", "@big")
	mustRun(t, 0, dir, "snapshot", "restore", "@big", "before")
	wantVersions(t, dir, 3)
}

// A server that is killed while it restores leaves the world as it was, and can restore it
// when it is back. One that is asked to end finishes the restore.
func TestServeKilledInARestore(t *testing.T) {
	long.Rest(t)
	dir := mustTouched(t)
	s := mustServe(t, dir)
	s.restore()
	s.end(syscall.SIGKILL, -1)
	wantVersions(t, dir, 2)
	s = mustServe(t, dir)
	s.restore()
	s.end(syscall.SIGTERM, 0)
	wantVersions(t, dir, 3)
	mustRun(t, 0, dir, "snapshot", "diff", "@big", "before", "--region", "box:-128,-64,-128..127,319,127")
}

// restore begins to restore the snapshot, and waits until the server works on it.
func (s *served) restore() {
	s.t.Helper()
	answer, err := s.http.Post(s.url+"/v1/operations/big", "application/json", strings.NewReader(`{"restore":"before"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var op struct {
		State string
		Total int
	}
	if err := json.NewDecoder(answer.Body).Decode(&op); err != nil || answer.StatusCode != http.StatusCreated {
		s.t.Fatalf("%d, %v", answer.StatusCode, err)
	}
	for op.Total == 0 {
		var all struct{ Operations []struct{ Total int } }
		answer, err := s.http.Get(s.url + "/v1/operations/big")
		if err != nil {
			s.t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil || len(all.Operations) != 1 {
			s.t.Fatalf("%s, %v", text, err)
		}
		op.Total = all.Operations[0].Total
	}
}
