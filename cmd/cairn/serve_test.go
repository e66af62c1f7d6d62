//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
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
	t          *testing.T
	cmd        *exec.Cmd
	url, debug string
	log        *said
	http       *http.Client
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
	if r := mustRun(t, 3, dir, "delete", "@players/ann/farm"); !strings.Contains(r.errors, "cairn info says who") {
		t.Errorf("delete: says %q", r.errors)
	}
	if r := mustRun(t, 0, dir, "info", "@players/ann/farm@1"); !strings.Contains(r.out, `held by "game 1"`) {
		t.Errorf("info: %s", r.out)
	}
	mustRun(t, 0, dir, "gc")
	for _, args := range [][]string{{"backup", "--to", "x"}, {"check", s.url}, {"serve"}} {
		if r := mustRun(t, 2, dir, args...); !strings.Contains(r.errors, s.url) {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
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

// A page that a name of its own leads to the debug address is refused.
func TestServeDebugHost(t *testing.T) {
	s := mustServe(t, t.TempDir(), "--store", "memory:", "--debug", "127.0.0.1:0")
	r, err := http.NewRequest("GET", s.debug+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example:80"
	resp, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("got %s", resp.Status)
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
		{2, "needs --tokens", []string{"--listen", "example.org:0"}},
		{2, "needs --debug-open", []string{"--debug", ":0"}},
		{2, "--debug says", []string{"--debug-open"}},
		{2, "go together", []string{"--tls-cert", "x"}},
		{2, "text or json", []string{"--log-format", "xml"}},
		{2, "at least a second", []string{"--backup", "b", "--every", "1ms"}},
		{2, "--drain", []string{"--drain", "x"}},
		{2, "--keep x", []string{"--backup", "b", "--keep", "x"}},
		{2, "--versions x", []string{"--versions", "x"}},
		{2, "--backup says", []string{"--every", "1h"}},
		{2, "--backup says", []string{"--keep", "14"}},
		{2, "want HOST:PORT", []string{"--listen", "7070"}},
		{2, "want HOST:PORT", []string{"--debug", "7071"}},
		{2, "a server already", []string{"--store", "http://127.0.0.1:1"}},
		{2, "a store in a directory", []string{"--store", "memory:", "--backup", "x"}},
		{2, "wrong number", []string{"x"}},
		{3, "cairn token new makes it", []string{"--tokens", "missing.json"}},
		{3, "bad.json", []string{"--tokens", "bad.json"}},
		{3, "no.pem", []string{"--tls-cert", "no.pem", "--tls-key", "no.pem"}},
		{3, "address already in use", []string{"--listen", busy.Addr().String()}},
		{3, "address already in use", []string{"--debug", busy.Addr().String()}},
		{3, "in use by process", []string{"--store", "local:used"}},
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
	s.until("can be read on their way")
	s.until("nothing is kept")
}

func TestServeTokens(t *testing.T) {
	dir := t.TempDir()
	token := func(args ...string) string {
		t.Helper()
		return strings.TrimSpace(mustRun(t, 0, dir, append([]string{"token", "new", "--file", "tokens.json"}, args...)...).out)
	}
	reader, writer, admin := token("--role", "read"), token("--role", "write", "--prefix", "players"), token("--role", "admin", "--note", "me")
	if info, err := os.Stat(filepath.Join(dir, "tokens.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if b := read(t, filepath.Join(dir, "tokens.json")); bytes.Contains(b, []byte(reader)) {
		t.Error("the file holds a secret")
	}
	s := mustServe(t, dir, "--tokens", "tokens.json")
	s.call(200, "", "GET", "/healthz", nil)
	s.call(401, "", "GET", "/v1/worlds", nil)
	s.call(401, reader+"x", "GET", "/v1/worlds", nil)
	s.call(403, reader, "PUT", "/v1/worlds/players/ann", nil)
	s.call(201, writer, "PUT", "/v1/worlds/players/ann", nil)
	s.call(403, writer, "PUT", "/v1/worlds/hub", nil)
	s.call(403, writer, "POST", "/v1/purge/players/ann", nil)
	s.call(403, writer, "GET", "/metrics", nil)
	s.call(200, admin, "GET", "/metrics", nil)
	s.call(200, reader, "GET", "/v1/head/players/ann", nil)

	all := mustJSON(t, 0, dir, "token", "list", "--file", "tokens.json")["tokens"].([]any)
	if len(all) != 3 {
		t.Fatalf("list prints %v", all)
	}
	for _, tok := range all {
		tok := tok.(map[string]any)
		if tok["role"] == "read" {
			mustRun(t, 0, dir, "token", "remove", "--file", "tokens.json", tok["id"].(string)[:8])
		}
	}
	other := token("--role", "read", "--prefix", "a", "--prefix", "b/c")
	s.call(200, reader, "GET", "/v1/head/players/ann", nil)
	s.signal(syscall.SIGHUP)
	s.until("reloaded")
	s.call(401, reader, "GET", "/v1/head/players/ann", nil)
	s.call(403, other, "GET", "/v1/head/players/ann", nil)
	s.call(404, other, "GET", "/v1/head/b/c", nil)
	write(t, filepath.Join(dir, "tokens.json"), []byte("nonsense"))
	s.signal(syscall.SIGHUP)
	s.until("reload failed", "tokens.json")
	s.call(404, other, "GET", "/v1/head/b/c", nil)
	s.end(syscall.SIGINT, 0)
	for _, secret := range []string{reader, writer, admin, other} {
		if strings.Contains(s.log.String(), secret) {
			t.Error("a secret is in the log")
		}
	}
}

// A player has several worlds, one for each profile, and nobody else's.
func TestServeProfiles(t *testing.T) {
	dir := t.TempDir()
	token := func(args ...string) string {
		t.Helper()
		return strings.TrimSpace(mustRun(t, 0, dir, append([]string{"token", "new", "--file", "tokens.json"}, args...)...).out)
	}
	admin, ann := token("--role", "admin"), token("--role", "write", "--prefix", "players/ann", "--prefix", "templates")
	s := mustServe(t, dir, "--tokens", "tokens.json")
	t.Setenv("CAIRN_STORE", s.url)
	t.Setenv("CAIRN_TOKEN", admin)
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "@templates/island")
	for _, name := range []string{"ann/one", "ann/two", "anna/one"} {
		mustRun(t, 0, dir, "fork", "@templates/island", "@players/"+name)
	}
	t.Setenv("CAIRN_TOKEN", ann)
	mustRun(t, 0, dir, "edit", "@players/ann/two", "box", "--from", "0,100,0", "--to", "3,103,3", "--name", "stone")
	mustRun(t, 0, dir, "fork", "@templates/island", "@players/ann/three")
	mustRun(t, 0, dir, "diff", "@players/ann/one", "@templates/island")
	mustRun(t, 1, dir, "diff", "@players/ann/two", "@players/ann/one")
	mustRun(t, 0, dir, "restore", "@players/ann/two@1")
	mustRun(t, 0, dir, "diff", "@players/ann/two", "@players/ann/one")
	got := string(s.call(200, ann, "GET", "/v1/worlds?prefix=players/ann/", nil))
	if want := `{"worlds":["players/ann/one","players/ann/three","players/ann/two"],"more":false}`; strings.TrimSpace(got) != want {
		t.Errorf("ann's worlds: %s, want %s", got, want)
	}
	for _, args := range [][]string{{"log", "@players/anna/one"}, {"list", "@players/"}, {"fork", "@templates/island", "@players/bob"}} {
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, "token") {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
	if r := mustRun(t, 0, dir, "list", "@players/ann"); !strings.Contains(r.out, "@players/ann/one") || strings.Contains(r.out, "anna") {
		t.Errorf("list: %s", r.out)
	}
	t.Setenv("CAIRN_TOKEN", "")
	if r := mustRun(t, 3, dir, "list"); !strings.Contains(r.errors, "$CAIRN_TOKEN is not set") {
		t.Errorf("without a token: says %q", r.errors)
	}
}

func TestTokenRefused(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "token", "new", "--file", "f", "--role", "read", "--note", "two\nlines")
	if r := mustRun(t, 0, dir, "token", "list", "--file", "f"); !strings.Contains(r.out, `"two\nlines"`) || !strings.Contains(r.out, "all worlds") {
		t.Errorf("list: %s", r.out)
	}
	for _, args := range [][]string{{"new", "--role", "read"}, {"new", "--file", "f"}, {"new", "--file", "f", "--role", "king"},
		{"new", "--file", "f", "--role", "read", "--prefix", "A"}, {"list"}, {"remove", "--file", "f"}, {"remove", "--file", "f", "ab"}, {"x"}} {
		mustRun(t, 2, dir, append([]string{"token"}, args...)...)
	}
	for _, args := range [][]string{{"list", "--file", "missing"}, {"remove", "--file", "f", "zzzzzzzz"}, {"new", "--file", "no/such/dir", "--role", "read"}} {
		mustRun(t, 3, dir, append([]string{"token"}, args...)...)
	}
	id := mustJSON(t, 0, dir, "token", "list", "--file", "f")["tokens"].([]any)[0].(map[string]any)["id"].(string)
	if r := mustRun(t, 0, dir, "token", "remove", "--file", "f", id); r.out != "no tokens\n" {
		t.Errorf("remove: %s", r.out)
	}
	s := mustServe(t, dir, "--tokens", "f")
	s.until("no tokens", "nobody may call")
	if v := mustJSON(t, 0, dir, "token", "new", "--file", "f", "--role", "read"); v["prefixes"] == nil {
		t.Errorf("new: %v", v)
	}
}

// mustCertificate writes a certificate for 127.0.0.1 and its key, and returns it.
func mustCertificate(t *testing.T, dir string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	trust := func(s *served, c *x509.Certificate) {
		s.http.CloseIdleConnections()
		pool := x509.NewCertPool()
		pool.AddCert(c)
		s.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	}
	c := mustCertificate(t, dir, 1)
	s := mustServe(t, dir, "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("ready at %s", s.url)
	}
	trust(s, c)
	resp, err := s.http.Get(s.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Proto != "HTTP/2.0" || resp.StatusCode != 200 {
		t.Errorf("got %s %s", resp.Proto, resp.Status)
	}
	c = mustCertificate(t, dir, 2)
	s.signal(syscall.SIGHUP)
	s.until("reloaded")
	trust(s, c)
	s.call(200, "", "GET", "/healthz", nil)
	write(t, filepath.Join(dir, "key.pem"), nil)
	s.signal(syscall.SIGHUP)
	s.until("reload failed", "key.pem")
	s.call(200, "", "GET", "/healthz", nil)
	s.end(syscall.SIGTERM, 0)
}

// slowly begins a save of which half is there.
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
	s.until("within --drain 50ms", "under way", "calls were cut")
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
	if list, err := os.ReadDir(filepath.Join(dir, "backups")); err != nil || len(list) > 2 {
		t.Errorf("%d backups stay, %v", len(list), err)
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
