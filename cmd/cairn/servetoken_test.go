//go:build unix

package main_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

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
	box := []string{"--role", "read", "--prefix", "players/ann", "--dimension", "overworld", "--box", "0,0,0..15,15,15"}
	part := token(box...)
	for _, wrong := range [][]string{box[:6], {"--role", "read", "--dimension", "a", "--box", "1..2"}, append([]string{"--prefix", "b"}, box...),
		{"--role", "write", "--worlds", "1"}, {"--role", "admin", "--prefix", "a", "--bytes", "1MiB"}, {"--role", "write", "--prefix", "a", "--bytes", "much"}} {
		mustRun(t, 2, dir, append([]string{"token", "new", "--file", "tokens.json"}, wrong...)...)
	}
	limited := token("--role", "write", "--prefix", "players/bob", "--worlds", "1", "--bytes", "1MiB")
	s := mustServe(t, dir, "--tokens", "tokens.json", "--stream-listen", "127.0.0.1:0")
	s.call(200, part, "GET", "/v1/login", nil)
	s.call(403, part, "GET", "/v1/head/players/ann", nil)
	s.call(200, "", "GET", "/healthz", nil)
	s.call(401, "", "GET", "/v1/worlds", nil)
	s.call(401, reader+"x", "GET", "/v1/worlds", nil)
	s.call(403, reader, "PUT", "/v1/worlds/players/ann", nil)
	s.call(201, writer, "PUT", "/v1/worlds/players/ann", nil)
	s.call(403, writer, "PUT", "/v1/worlds/hub", nil)
	s.call(201, limited, "PUT", "/v1/worlds/players/bob/a", nil)
	if got := s.call(403, limited, "PUT", "/v1/worlds/players/bob/b", nil); !bytes.Contains(got, []byte("may have 1 worlds")) {
		t.Errorf("got %s", got)
	}
	s.call(403, writer, "POST", "/v1/purge/players/ann", nil)
	s.call(403, writer, "GET", "/metrics", nil)
	s.call(200, admin, "GET", "/metrics", nil)
	s.call(200, reader, "GET", "/v1/head/players/ann", nil)

	all := mustJSON(t, 0, dir, "token", "list", "--file", "tokens.json")["tokens"].([]any)
	if len(all) != 5 {
		t.Fatalf("list prints %v", all)
	}
	for _, tok := range all {
		tok := tok.(map[string]any)
		if tok["role"] == "read" && tok["box"] == nil {
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
	for _, secret := range []string{reader, writer, admin, other, part} {
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
	if r := mustRun(t, 3, dir, "list"); !strings.Contains(r.errors, "set $CAIRN_TOKEN") {
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
