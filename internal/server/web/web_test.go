package web_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/web"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// get asks the handler for a path; headers are pairs.
func get(t *testing.T, method, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Result()
}

var handler = web.Handler()

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var inShell = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// shellAssets returns the addresses of files that the pages' HTML names.
func shellAssets(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, m := range inShell.FindAllStringSubmatch(body(t, get(t, "GET", "/")), -1) {
		out = append(out, m[1])
	}
	if len(out) != 4 {
		t.Fatalf("the page names %q, want an icon, a style sheet and two scripts", out)
	}
	return out
}

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		want         int
		media        string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/login", 200, "text/html; charset=utf-8"},
		{"GET", "/numbers", 200, "text/html; charset=utf-8"},
		{"GET", "/world/a/b", 200, "text/html; charset=utf-8"},
		{"GET", "/map/a", 200, "text/html; charset=utf-8"},
		{"GET", "/3d/a?at=3", 200, "text/html; charset=utf-8"},
		{"GET", "/world/%22%3E%3Cscript%3E", 200, "text/html; charset=utf-8"},
		{"GET", "/world/", 404, "text/html; charset=utf-8"},
		{"GET", "/nothing", 404, "text/html; charset=utf-8"},
		{"GET", "/index.html", 404, "text/html; charset=utf-8"},
		{"GET", "/../web.go", 404, "text/html; charset=utf-8"},
		{"GET", "/assets", 404, "text/html; charset=utf-8"},
		{"GET", "/assets/", 404, "text/plain; charset=utf-8"},
		{"GET", "/assets/../index.html", 404, "text/plain; charset=utf-8"},
		{"GET", "/assets/main.js", 404, "text/plain; charset=utf-8"},
		{"POST", "/", 405, "text/plain; charset=utf-8"},
		{"DELETE", "/assets/", 405, "text/plain; charset=utf-8"},
	} {
		r := get(t, tt.method, tt.path)
		if r.StatusCode != tt.want || r.Header.Get("Content-Type") != tt.media {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, r.StatusCode, r.Header.Get("Content-Type"), tt.want, tt.media)
		}
		if text := body(t, r); strings.Contains(text, "main-") && r.Header.Get("Content-Type") != "text/html; charset=utf-8" || tt.method == "HEAD" && text != "" {
			t.Errorf("%s %s shows %q", tt.method, tt.path, text)
		}
		if r.StatusCode == 405 && r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s allows %q", tt.method, tt.path, r.Header.Get("Allow"))
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	for _, path := range append(shellAssets(t), "/", "/nothing", "/assets/nothing") {
		h := get(t, "GET", path).Header
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %q", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "//") {
			t.Errorf("%s: the policy %q allows inline code or another host", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, h.Get(name), want)
			}
		}
	}
}

// TestShell checks that the HTML has no code of its own and names no other host.
func TestShell(t *testing.T) {
	html := body(t, get(t, "GET", "/"))
	if m := regexp.MustCompile(`(?i)<style|<script(?:\s[^>]*)?>[^<]|\son\w+=|\sstyle=|https?:|="//`).FindString(html); m != "" {
		t.Errorf("the page contains %q:\n%s", m, html)
	}
	if strings.Contains(html, "MAIN.") || strings.Contains(html, "THEME.") {
		t.Errorf("the page names files by their wrong names:\n%s", html)
	}
}

func TestCaching(t *testing.T) {
	for _, path := range append(shellAssets(t), "/") {
		r := get(t, "GET", path)
		tag, want := r.Header.Get("Etag"), "public, max-age=31536000, immutable"
		if path == "/" {
			want = "no-cache"
		}
		if r.StatusCode != 200 || tag == "" || r.Header.Get("Cache-Control") != want {
			t.Errorf("%s: %d, tag %q, cache %q, want %q", path, r.StatusCode, tag, r.Header.Get("Cache-Control"), want)
		}
		again := get(t, "GET", path, "If-None-Match", tag)
		if again.StatusCode != 304 || body(t, again) != "" {
			t.Errorf("%s with its tag: %d", path, again.StatusCode)
		}
		if other := get(t, "GET", path, "If-None-Match", `"x"`); other.StatusCode != 200 {
			t.Errorf("%s with another tag: %d", path, other.StatusCode)
		}
	}
}

// TestLicence checks that the licence of the package in the bundles goes with them.
func TestLicence(t *testing.T) {
	r := get(t, "GET", "/assets/three-LICENSE.txt")
	if text := body(t, r); r.StatusCode != 200 || !strings.Contains(text, "MIT") || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%d, %q:\n%s", r.StatusCode, r.Header, text)
	}
}

func TestGzip(t *testing.T) {
	path := shellAssets(t)[3]
	plain := get(t, "GET", path)
	for accept, want := range map[string]bool{
		"gzip": true, "br, gzip": true, "gzip;q=0.5": true, "deflate, gzip; q=1.0": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "identity": false,
	} {
		r := get(t, "GET", path, "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("Accept-Encoding %q: compressed %v", accept, got)
		}
		if r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary is %q", accept, r.Header.Get("Vary"))
		}
	}
	zipped := get(t, "GET", path, "Accept-Encoding", "gzip")
	if zipped.Header.Get("Etag") == plain.Header.Get("Etag") {
		t.Error("both encodings have one tag")
	}
	text := body(t, zipped)
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if want := body(t, plain); err != nil || string(b) != want || len(text) > len(want)/2 {
		t.Errorf("compressed to %d of %d bytes, equal %v, error %v", len(text), len(want), string(b) == want, err)
	}
}

// tree returns the files below dir by name.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := make(map[string][]byte)
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[name], err = fs.ReadFile(fsys, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSources compares dist with what the sources make, and runs their own tests.
func TestSources(t *testing.T) {
	long.Rest(t)
	tool := filepath.Join(t.TempDir(), "build")
	if text, err := exec.Command("go", "build", "-o", tool, "./build").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	// bundled returns the folder that the bundler wrote.
	bundled := func(t *testing.T, args ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		if text, err := exec.Command(tool, append([]string{"-out", out}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return out
	}
	t.Run("dist", func(t *testing.T) {
		if _, err := os.Stat("node_modules/three"); err != nil {
			t.Skip("no packages: run go generate ./internal/server/web")
		}
		checkDist(t, bundled(t))
	})
	t.Run("scripts", func(t *testing.T) {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("no node")
		}
		checkScripts(t, node, filepath.Join(bundled(t, "-test"), "assets"))
	})
}

// checkDist checks that dist is what the bundler wrote.
func checkDist(t *testing.T, out string) {
	t.Helper()
	got, want := tree(t, "dist"), tree(t, out)
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Fatalf("dist has %q, the sources make %q: run go generate ./internal/server/web", a, b)
	}
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("dist/%s is not what the sources make: run go generate ./internal/server/web", name)
		}
	}
}

// checkScripts runs the tests of the sources.
func checkScripts(t *testing.T, node, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.test.mjs"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	zipped := filepath.Join(t.TempDir(), "zip")
	c := exec.Command(node, append([]string{"--test"}, names...)...)
	c.Env = append(os.Environ(), "CAIRN_ZIP="+zipped)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	checkZip(t, zipped)
}

// checkZip reads the zip that a test of the scripts wrote.
func checkZip(t *testing.T, name string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	sizes := make(map[string]int)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r) // checks the checksum
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		sizes[f.Name] = len(b)
	}
	if want := map[string]int{"level.dat": 10, "region/wörld <b>.mca": 300_000, "empty": 0}; !maps.Equal(sizes, want) {
		t.Errorf("the zip holds %v, want %v", sizes, want)
	}
}

// TestLock checks that the lock file pins packages by hash and names no host.
func TestLock(t *testing.T) {
	b, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(`"integrity": "sha512-`)) || bytes.Contains(b, []byte("://")) || bytes.Contains(b, []byte("resolved")) {
		t.Error("package-lock.json names a host or lacks hashes: run npm install with the .npmrc of this folder")
	}
}
