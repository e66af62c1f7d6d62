//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// served is a cairn serve under way.
type served struct {
	t                 *testing.T
	cmd               *exec.Cmd
	url, debug, redis string
	log               *said
	http              *http.Client
}

// said is what a process said on standard error.
type said struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// mustServe starts a server in dir, on a free port, and waits until it is ready.
func mustServe(t *testing.T, dir string, args ...string) *served {
	t.Helper()
	s := &served{t: t, log: &said{}, http: &http.Client{Transport: &http.Transport{}}}
	s.cmd = exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir, s.cmd.Stderr = dir, s.log
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.http.CloseIdleConnections()
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		what, url, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "debug":
			s.debug = url
		case "redis":
			s.redis = url
		case "ready":
			s.url = url
			return s
		}
	}
	t.Fatalf("cairn serve %v is not ready: %s", args, s.log)
	return nil
}

// end sends a signal, waits, and holds the exit status against want.
func (s *served) end(signal os.Signal, want int) {
	s.t.Helper()
	s.signal(signal)
	s.wait(want)
}

func (s *served) signal(signal os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) wait(want int) {
	s.t.Helper()
	s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.t.Fatalf("exit status %d, want %d\n%s", got, want, s.log)
	}
}

// until waits for a line of the log with all of the words.
func (s *served) until(words ...string) {
	s.t.Helper()
	for range 3000 {
		for line := range strings.Lines(s.log.String()) {
			found := true
			for _, w := range words {
				found = found && strings.Contains(line, w)
			}
			if found {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("the log has no %q: %s", words, s.log)
}

// call makes a call and holds its status against want.
func (s *served) call(want int, token, method, path string, body io.Reader, header ...string) []byte {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := s.http.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		s.t.Fatalf("%s %s: %d %s (%v), want %d", method, path, resp.StatusCode, b, err, want)
	}
	return b
}

func TestServe(t *testing.T) {
	dir := island(t)
	s := mustServe(t, dir, "--debug", "localhost:0", "--log-format", "json")
	s.call(200, "", "GET", "/readyz", nil)
	t.Setenv("CAIRN_STORE", s.url)
	mustRun(t, 0, dir, "import", "island", "@players/ann/island")
	mustRun(t, 0, dir, "fork", "@players/ann/island", "@players/ann/farm")
	mustRun(t, 0, dir, "edit", "@players/ann/farm", "box", "--from", "0,100,0", "--to", "3,103,3", "--name", "stone")
	mustRun(t, 0, dir, "diff", "@players/ann/island", "island")
	mustRun(t, 1, dir, "diff", "@players/ann/farm", "island")
	s.call(201, "", "POST", "/v1/leases/players/ann/farm", strings.NewReader(`{"holder":"game 1","seconds":60}`))
	if r := mustRun(t, 3, dir, "delete", "@players/ann/farm"); !strings.Contains(r.errors, "cairn info shows who") {
		t.Errorf("delete: says %q", r.errors)
	}
	if r := mustRun(t, 0, dir, "info", "@players/ann/farm@1"); !strings.Contains(r.out, `held by "game 1"`) {
		t.Errorf("info: %s", r.out)
	}
	mustRun(t, 0, dir, "gc")
	for _, args := range [][]string{{"check", s.url}, {"serve"}} {
		if r := mustRun(t, 2, dir, args...); !strings.Contains(r.errors, s.url) {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
	mustRun(t, 0, dir, "backup", "--to", "of-a-server")
	if r := mustRun(t, 0, dir, "list", "@players/"); !strings.Contains(r.out, "@players/ann/farm") {
		t.Errorf("list: %s", r.out)
	}
	if b := s.call(200, "", "GET", "/metrics", nil); !strings.Contains(string(b), "cairn_worlds 2") {
		t.Errorf("metrics: %s", b)
	}
	main := s.url
	s.url = s.debug
	s.call(200, "", "GET", "/metrics", nil)
	s.call(200, "", "GET", "/debug/pprof/goroutine?debug=1", nil)
	s.call(404, "", "GET", "/v1/worlds", nil)
	s.url = main
	s.call(404, "", "GET", "/debug/pprof/", nil)
	s.end(syscall.SIGTERM, 0)
	for line := range strings.Lines(s.log.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || v["msg"] == nil {
			t.Errorf("logged %q", line)
		}
	}
	s.until(`"msg":"stop"`)
	mustRun(t, 0, dir, "check", "local:cairn-data")
}

// A server that makes worlds first says so, each as it is begun and made.
func TestServeDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("makes worlds")
	}
	dir := t.TempDir()
	s := mustServe(t, dir, "--store", "memory:", "--demo", "--log-format", "json")
	defer s.end(syscall.SIGTERM, 0)
	s.until(`"msg":"start"`)
	log, _, _ := strings.Cut(s.log.String(), `"msg":"start"`)
	for i, kind := range []string{"island", "arena", "plots"} {
		for _, want := range []string{
			fmt.Sprintf(`"msg":"demo: making a world","world":"demo/%s","number":%d,"of":3`, kind, i+1),
			fmt.Sprintf(`"msg":"demo: made a world","world":"demo/%s"`, kind),
		} {
			if !strings.Contains(log, want) {
				t.Errorf("no %s in the log before its start:\n%s", want, log)
			}
		}
	}
	if got := string(s.call(200, "", "GET", "/v1/worlds?prefix=demo/", nil)); strings.Count(got, "demo/") != 3 {
		t.Errorf("worlds: %s", got)
	}
}

// A page of another place, also one whose own name leads to the debug address, is refused.
func TestServeDebugHost(t *testing.T) {
	s := mustServe(t, t.TempDir(), "--store", "memory:", "--debug", "127.0.0.1:0")
	for header, value := range map[string]string{"Host": "evil.example:80", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Accept": "*/*"} {
		r, err := http.NewRequest("GET", s.debug+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := http.StatusForbidden
		switch header {
		case "Host":
			r.Host = value
		case "Accept":
			want = http.StatusOK
		}
		r.Header.Set(header, value)
		resp, err := s.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s: got %s", header, value, resp.Status)
		}
	}
}

func TestServeRefused(t *testing.T) {
	dir := t.TempDir()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	write(t, filepath.Join(dir, "bad.json"), []byte("{"))
	secret := mustRun(t, 0, dir, "token", "new", "--file", "good.json", "--role", "read").out
	mustServe(t, dir, "--store", "local:used")
	for _, tt := range []struct {
		code int
		say  string
		args []string
	}{
		{2, "needs --tokens", []string{"--listen", "0.0.0.0:0"}},
		{2, "needs --tokens", []string{"--listen", ":0"}},
		{2, "needs --tokens", []string{"--stream-listen", ":0"}},
		{2, "--stream-listen", []string{"--stream-listen", "nowhere"}},
		{2, "needs --tokens", []string{"--resp", ":0"}},
		{2, "--resp nowhere", []string{"--resp", "nowhere"}},
		{2, "--resp-prefix", []string{"--resp-prefix", "Slime/"}},
		{2, "needs --tokens", []string{"--listen", "example.org:0"}},
		{2, "needs --debug-open", []string{"--debug", ":0"}},
		{2, "needs --debug", []string{"--debug-open"}},
		{2, "go together", []string{"--tls-cert", "x"}},
		{2, "text or json", []string{"--log-format", "xml"}},
		{2, "at least a second", []string{"--backup", "b", "--every", "1ms"}},
		{2, "--drain", []string{"--drain", "x"}},
		{2, "--tick-share", []string{"--tick-share", "0"}},
		{2, "--tick-share", []string{"--tick-share", "101"}},
		{2, "--sections-per-tick", []string{"--sections-per-tick", "-1"}},
		{2, "--concurrent-chunks", []string{"--concurrent-chunks", "0"}},
		{2, "--keep x", []string{"--backup", "b", "--keep", "x"}},
		{2, "--versions x", []string{"--versions", "x"}},
		{2, "need --backup", []string{"--every", "1h"}},
		{2, "need --backup", []string{"--keep", "14"}},
		{2, "want HOST:PORT", []string{"--listen", "7070"}},
		{2, "want HOST:PORT", []string{"--debug", "7071"}},
		{2, "without a path", []string{"--allow-origin", "tool.example", "--tokens", "good.json"}},
		{2, "--allow-origin needs --tokens", []string{"--allow-origin", "https://tool.example"}},
		{2, "a server already", []string{"--store", "http://127.0.0.1:1"}},
		{2, "--backup", []string{"--backup", "s3:x"}},
		{2, "need --backup", []string{"--recipient", "age1x"}},
		{2, "wrong number", []string{"x"}},
		{3, "cairn token new makes it", []string{"--tokens", "missing.json"}},
		{3, "bad.json", []string{"--tokens", "bad.json"}},
		{3, "no.pem", []string{"--tls-cert", "no.pem", "--tls-key", "no.pem"}},
		{3, "address already in use", []string{"--listen", busy.Addr().String()}},
		{3, "address already in use", []string{"--debug", busy.Addr().String()}},
		{3, "--store http://127.0.0.1:7070", []string{"--store", "local:used"}},
	} {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "memory:"}, tt.args...)
		if r := mustRun(t, tt.code, dir, args...); !strings.Contains(r.errors, tt.say) || r.out != "" {
			t.Errorf("%v: says %q %q, want %q", tt.args, r.out, r.errors, tt.say)
		}
	}
	s := mustServe(t, dir, "--store", "memory:", "--listen", ":0", "--tokens", "good.json")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	s.url = "http://127.0.0.1:" + port
	s.call(401, "", "GET", "/v1/worlds", nil)
	s.call(200, strings.TrimSpace(secret), "GET", "/v1/worlds", nil)
	s.until("others can read tokens")
	s.until("it is lost")
}

// A server that keeps all versions keeps them whoever collects, unless the caller says what
// to keep.
func TestServePolicy(t *testing.T) {
	dir := island(t)
	s := mustServe(t, dir, "--versions", "all")
	t.Setenv("CAIRN_STORE", s.url)
	mustRun(t, 0, dir, "import", "island", "@isle")
	const edits = 18 // more than the 16 that are kept by default
	for i := range edits {
		s.call(200, "", "POST", "/v1/brush/isle", strings.NewReader(fmt.Sprintf(`{"brush":"ball","at":[0,%d,0],"r":1,"name":"stone"}`, 90+i)))
	}
	for body, status := range map[string]int{"{}": 200, "null": 400, `{"grace_seconds":1}`: 200} {
		s.call(status, "", "POST", "/v1/collect", strings.NewReader(body), "Content-Type", "application/json")
	}
	mustRun(t, 0, dir, "gc")
	mustRun(t, 0, dir, "gc", "--grace", "0")
	if n := len(logs(t, dir, "@isle")); n != edits+1 {
		t.Errorf("%d versions are left of %d", n, edits+1)
	}
	if v := mustJSON(t, 0, dir, "gc", "--keep", "newest=2", "--dry-run"); v["commits"] != float64(edits-1) {
		t.Errorf("gc would drop %v", v)
	}
	if v := mustJSON(t, 0, dir, "gc", "--keep", "newest=2"); v["commits"] != float64(edits-1) {
		t.Errorf("gc drops %v", v)
	}
}
