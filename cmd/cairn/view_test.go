//go:build unix

package main_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/server/stream"
)

// mustView starts cairn view on a world in dir, and returns the process and the page's URL.
func mustView(t *testing.T, dir string, args ...string) (*exec.Cmd, string, *said) {
	t.Helper()
	log := &said{}
	c := exec.Command(program, append([]string{"view", "--no-open"}, args...)...)
	c.Dir, c.Stderr = dir, log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("cairn view %v prints no URL: %v\n%s", args, err, log)
	}
	return c, strings.TrimSpace(line), log
}

// get returns the status and the body of a call.
func get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestView: a folder of a game, a file, a world of a store, an older version of it and a folder of
// worlds are shown and stay as they are.
func TestView(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "isle.cairn")
	mustRun(t, 0, dir, "--store", "local:data", "import", "island", "@a/isle")
	mustRun(t, 0, dir, "export", "isle.cairn", "isle.slime")
	t.Setenv("TMPDIR", t.TempDir())
	before := list(t, dir)
	for _, tt := range []struct{ args, page, world string }{
		{"island", "/3d/island", "island"},
		{"isle.cairn", "/3d/isle", "isle"},
		{"isle.slime", "/3d/isle", "isle"},
		{".", "/", "island"},
		{"--store local:data @a/isle", "/3d/a/isle", "a/isle"},
		{"--store local:data @a/isle@1", "/3d/a/isle?at=", "a/isle"},
	} {
		c, url, log := mustView(t, dir, strings.Fields(tt.args)...)
		host, rest, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
		if page := "/" + rest; page != tt.page && (!strings.HasSuffix(tt.page, "=") || !strings.HasPrefix(page, tt.page)) {
			t.Errorf("view %s: the page is %s, want %s", tt.args, page, tt.page)
		}
		host = "http://" + host
		if status, body := get(t, "GET", host+"/v1/worlds/"+tt.world); status != 200 || !strings.Contains(body, `"block"`) {
			t.Errorf("view %s: %d %s", tt.args, status, body)
		}
		if status, body := get(t, "DELETE", host+"/v1/worlds/"+tt.world); status != 403 {
			t.Errorf("view %s: deleted: %d %s", tt.args, status, body)
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		c.Wait()
		if code := c.ProcessState.ExitCode(); code != 130 || !strings.HasSuffix(log.String(), "cairn: interrupted\n") {
			t.Errorf("view %s: exit status %d: %s", tt.args, code, log)
		}
	}
	if after := list(t, dir); without(after, "data") != without(before, "data") {
		t.Errorf("files changed: before\n%s\nafter\n%s", before, after)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("temporary files stay: %v, %v", left, err)
	}
}

// without returns the lines that do not begin with a folder.
func without(lines, folder string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if !strings.HasPrefix(line, folder) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestViewWrong: what cannot be shown is refused in words.
func TestViewWrong(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "--store", "local:data", "import", "island", "@isle")
	if err := os.WriteFile(dir+"/notes.txt", []byte("some text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(dir+"/pipe", 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code         int
		reason, args string
	}{
		{2, "usage", ""},
		{2, "this machine", "island --listen :8080"},
		{2, "this machine", "island --listen nowhere"},
		{2, "write local:data", "data"},
		{2, "a name consists of parts", "--store local:data @No"},
		{3, "no such file", "none.zip"},
		{3, "unknown format", "notes.txt"},
		{3, "cairn: --resource-pack: pack none.zip: no such file", "--resource-pack none.zip island"},
		{3, "or cut short: 9 bytes without", "--resource-pack notes.txt island"},
		{3, "no world is in this folder", "empty"},
		{3, "not a file or a folder", "pipe"},
		{3, "no such world", "--store local:data @other"},
		{3, "no store is there", "--store local:none @other"},
	} {
		r := cairn(t, dir, append([]string{"view", "--no-open"}, strings.Fields(tt.args)...)...)

		if r.code != tt.code || strings.Contains(r.errors, "reading island") || !strings.Contains(r.errors, tt.reason) {
			t.Errorf("view %s: exit status %d: %q, want %d with %q", tt.args, r.code, r.errors, tt.code, tt.reason)
		}
	}
}

// TestViewEnds: an open 3D page is told that the view ends.
func TestViewEnds(t *testing.T) {
	dir := island(t)
	c, url, log := mustView(t, dir, "island")
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hello := stream.Append(nil, &stream.Hello{Protocol: stream.Protocol, World: "island"}, nil)
	call := "GET /v1/stream HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" +
		"\x82" // a binary message; its mask is 0
	b := append([]byte(call), 0x80|byte(len(hello)), 0, 0, 0, 0)
	if _, err := conn.Write(append(b, hello...)); err != nil {
		t.Fatal(err)
	}
	got, told := []byte(nil), make([]byte, 1<<16)
	for !strings.Contains(string(got), "overworld") { // it is welcome
		n, err := conn.Read(told)
		if got = append(got, told[:n]...); err != nil {
			t.Fatalf("%v after %q\n%s", err, got, log)
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(conn) // until it is closed
	if got = append(got, rest...); !strings.Contains(string(got), "closing") {
		t.Errorf("the page was told %q", got)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 || !strings.HasSuffix(log.String(), "cairn: interrupted\n") {
		t.Errorf("exit status %d: %s", code, log)
	}
}
