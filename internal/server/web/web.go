// Package web serves cairn's pages: static files that are part of the binary and
// need nothing but the API of the same server.
//
// Handler is the whole package. The sources are in src, in TypeScript and CSS. The
// program in build bundles them into dist, which is committed, so that the command
// builds without npm.
package web

//go:generate go run ./build -npm

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/zipped"
)

//go:embed dist
var dist embed.FS

const (
	shellFile = "index.html" // every page is this file; its script reads the path
	assets    = "/assets/"
	// forever is for files whose name contains a hash of their content.
	forever = "public, max-age=31536000, immutable"
)

// headers are sent with every answer. Nothing inline runs, and nothing comes from
// another host.
var headers = [][2]string{
	{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
}

// mediaTypes are those of the files in dist. The system's own table may differ.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".txt":  "text/plain; charset=utf-8",
}

// file is a file of dist.
type file struct {
	media  string
	tag    string // ETag
	data   []byte
	zipped func() []byte // nil if compression does not pay
}

// Handler returns a handler of the pages: /, /world/NAME, /map/NAME, /3d/NAME, /numbers, /login,
// and the files below /assets/. It answers 404 to other paths, for people a page that says so. Many
// goroutines may use it.
func Handler() http.Handler {
	files := make(map[string]*file)
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := dist.ReadFile(name)
		files[strings.TrimPrefix(name, "dist/")] = newFile(name, data)
		return err
	})
	if err != nil || files[shellFile] == nil {
		panic("web: the files embedded in the binary cannot be read")
	}
	return pages(files)
}

func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{media: mediaTypes[path.Ext(name)], tag: hex.EncodeToString(sum[:8]), data: data}
	if f.media == "" {
		f.media = mime.TypeByExtension(path.Ext(name))
	}
	if len(data) >= zipped.Least && !strings.HasPrefix(f.media, "image/png") {
		f.zipped = sync.OnceValue(func() []byte { return zipped.Kept(data) })
	}
	return f
}

// pages serves files by their names below dist.
type pages map[string]*file

// ServeHTTP answers one request.
func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, kv := range headers {
		h.Set(kv[0], kv[1])
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "pages allow GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if strings.HasPrefix(r.URL.Path, assets) {
		if f := p[r.URL.Path[1:]]; f != nil {
			cache := forever
			if path.Ext(r.URL.Path) == ".txt" { // a licence, whose name has no hash
				cache = "no-cache"
			}
			f.send(w, r, http.StatusOK, cache)
			return
		}
		h.Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	status := http.StatusOK
	if !isPage(r.URL.Path) {
		status = http.StatusNotFound
	}
	p[shellFile].send(w, r, status, "no-cache")
}

// isPage reports whether a path is that of a page.
func isPage(at string) bool {
	switch at {
	case "/", "/login", "/numbers":
		return true
	}
	for _, prefix := range []string{"/world/", "/map/", "/3d/"} {
		if name, ok := strings.CutPrefix(at, prefix); ok && name != "" {
			return true
		}
	}
	return false
}

// send sends the file, compressed if the caller takes that.
func (f *file) send(w http.ResponseWriter, r *http.Request, status int, cache string) {
	h := w.Header()
	data, tag := f.data, f.tag
	if f.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if zipped.Takes(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			data, tag = f.zipped(), tag+"-gzip"
		}
	}
	h.Set("Content-Type", f.media)
	h.Set("Cache-Control", cache)
	if status != http.StatusOK {
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(data) // a caller that is gone needs no answer
		}
		return
	}
	h.Set("Etag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
