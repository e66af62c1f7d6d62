//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// resp sends commands of Redis and returns the answer, of so many bytes.
func resp(t *testing.T, addr string, want int, commands ...[]string) []byte {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b []byte
	for _, args := range commands {
		b = fmt.Appendf(b, "*%d\r\n", len(args))
		for _, a := range args {
			b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
		}
	}
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, want)
	if _, err := io.ReadFull(bufio.NewReader(c), got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestServeRedis: what a game server saves as in Redis survives a kill, and is a version for everybody else.
func TestServeRedis(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "export", "island", "hub.slime")
	file, err := os.ReadFile(filepath.Join(dir, "hub.slime"))
	if err != nil {
		t.Fatal(err)
	}
	const key = "aswm:world:data:Hub"
	s := mustServe(t, dir, "--resp", "127.0.0.1:0")
	if got := resp(t, s.redis, 9, []string{"SET", key, string(file)}, []string{"SADD", "aswm:world:list", "Hub"}); string(got) != "+OK\r\n:0\r\n" {
		t.Fatalf("%q", got)
	}
	s.end(syscall.SIGKILL, -1)
	s = mustServe(t, dir, "--resp", "127.0.0.1:0")
	want := fmt.Appendf(nil, "$%d\r\n%s\r\n", len(file), file)
	if got := resp(t, s.redis, len(want), []string{"GET", key}); !bytes.Equal(got, want) {
		t.Error("GET is not what was saved")
	}
	if got := s.call(200, "", "GET", "/asp/Hub", nil); !bytes.Equal(got, file) {
		t.Error("/asp/Hub is not what was saved")
	}
	t.Setenv("CAIRN_STORE", s.url)
	mustRun(t, 0, dir, "diff", "@slime/-.hub", "hub.slime") // it is read before anything was due
	if r := mustRun(t, 0, dir, "list"); strings.Contains(r.out, ".inbox") || !strings.Contains(r.out, "@slime/-.hub") {
		t.Errorf("list: %s", r.out)
	}
	s.end(syscall.SIGTERM, 0)
	mustRun(t, 0, dir, "check", "--store", "local:cairn-data", "@slime/-.hub")
}
