//go:build unix

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowly begins a save and sends half of it.
func slowly(t *testing.T, dir string, s *served) (rest func(), status <-chan int) {
	t.Helper()
	mustRun(t, 0, dir, "gen", "--size", "4", "--force", "island", "w.cairn")
	whole := read(t, filepath.Join(dir, "w.cairn"))
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		resp, err := s.http.Post(s.url+"/v1/import/slow", "application/octet-stream", r)
		if err != nil {
			done <- 0
			return
		}
		resp.Body.Close()
		done <- resp.StatusCode
	}()
	if _, err := w.Write(whole[:len(whole)/2]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.CloseWithError(io.ErrUnexpectedEOF) })
	for !bytes.Contains(s.call(200, "", "GET", "/metrics", nil), []byte("cairn_requests_in_flight 2")) {
		time.Sleep(time.Millisecond) // beside the one that asks
	}
	return func() {
		w.Write(whole[len(whole)/2:])
		w.Close()
	}, done
}

// What is under way when the signal comes is finished; nothing is begun.
func TestServeDrains(t *testing.T) {
	dir := t.TempDir()
	s := mustServe(t, dir)
	rest, status := slowly(t, dir, s)
	s.signal(syscall.SIGTERM)
	s.until("drain")
	s.call(503, "", "GET", "/readyz", nil)
	s.call(200, "", "GET", "/healthz", nil)
	s.call(503, "", "PUT", "/v1/worlds/late", nil)
	rest()
	if got := <-status; got != 200 && got != 201 {
		t.Errorf("what was under way: status %d", got)
	}
	s.wait(0)
	mustRun(t, 0, dir, "log", "@slow")
}

func TestServeDrainsNoLonger(t *testing.T) {
	dir := t.TempDir()
	s := mustServe(t, dir, "--drain", "50ms")
	slowly(t, dir, s)
	s.end(syscall.SIGTERM, 3)
	s.until("within --drain 50ms", "in progress", "calls were cut")
	mustRun(t, 0, dir, "check", "local:cairn-data")
	s = mustServe(t, dir)
	slowly(t, dir, s)
	s.signal(syscall.SIGINT)
	s.until("drain")
	s.end(syscall.SIGINT, 130)
	mustRun(t, 0, dir, "check", "local:cairn-data")
}

func TestServeBackup(t *testing.T) {
	dir := island(t)
	s := mustServe(t, dir, "--backup", "backups", "--every", "1s", "--keep", "2")
	t.Setenv("CAIRN_STORE", s.url)
	mustRun(t, 0, dir, "import", "island", "@isle")
	s.until("backup done", "worlds=1", "removed=1")
	if b := s.call(200, "", "GET", "/metrics", nil); !strings.Contains(string(b), `cairn_work_last_good_timestamp_seconds{work="backup"} 1`) {
		t.Errorf("metrics: %s", b)
	}
	s.end(syscall.SIGTERM, 0)
	elsewhere := t.TempDir()
	mustRun(t, 0, elsewhere, "restore-store", filepath.Join(dir, "backups"), "local:again")
	s = mustServe(t, elsewhere, "--store", "local:again")
	mustRun(t, 0, dir, "diff", "@isle", "island", "--store", s.url)
	mustRun(t, 0, dir, "commit", "island", "@isle", "--store", s.url)
	if r := mustRun(t, 0, dir, "backup", "list", "--from", "backups"); strings.Count(r.out, "\n") > 2 {
		t.Errorf("there stay %q", r.out)
	}
}

// A server that is killed has all that it acknowledged.
func TestServeKilled(t *testing.T) {
	dir := island(t)
	for i := range 3 {
		s := mustServe(t, dir)
		for j := range i {
			s.call(200, "", "GET", fmt.Sprint("/v1/head/w", j), nil)
			mustRun(t, 0, dir, "diff", "--store", s.url, fmt.Sprint("@w", j), "island")
		}
		mustRun(t, 0, dir, "import", "--store", s.url, "island", fmt.Sprint("@w", i))
		s.end(syscall.SIGKILL, -1)
	}
	mustRun(t, 0, dir, "check", "local:cairn-data")
}
