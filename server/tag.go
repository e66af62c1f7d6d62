package server

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// An ETag of this API is one of three. "COMMIT" goes with a head and is for If-Match; nobody
// keeps such an answer. "COMMIT-SUM" is an answer that was made from a version: SUM is of all
// else that its bytes depend on. The third is the hash of bytes that never change. Each ends
// with -gzip if the body is compressed.

// asZipped returns the ETag of the compressed form of an answer.
func asZipped(tag string) string { return strings.TrimSuffix(tag, `"`) + `-gzip"` }

// etag returns the text that names a commit in headers.
func etag(id history.ID) string { return `"` + commitText(id) + `"` }

// none is the id, in an ETag, of the head of a world without commits.
const none = "0"

func commitText(id history.ID) string {
	if id == (history.ID{}) {
		return none
	}
	return id.String()
}

// tagged sets the headers of an answer that is made from a version, and reports whether the
// caller has the answer; it is then sent. Besides the version the answer depends on this
// program, on the form that the caller asks for, and on what of names.
func (w *worlds) tagged(c *call, v version, of ...string) (known bool) {
	records := c.route.also.media == wire.RecordsType && c.wantsRecords()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %s %s", w.program, records, v.stored, of))
	return c.unchanged(fmt.Sprintf(`"%s-%x"`, commitText(v.at), sum[:6]))
}

// unchanged sets the ETag of an answer that caches keep and ask for again, and reports whether
// the caller has the answer; it is then sent.
func (c *call) unchanged(tag string) (known bool) {
	h := c.w.Header()
	h["Etag"], h["Cache-Control"] = []string{tag}, []string{"private, no-cache"}
	has := c.has(tag)
	if has == "" {
		return false
	}
	h["Etag"] = []string{has}
	c.secure(h)
	c.WriteHeader(http.StatusNotModified)
	return true
}

// has returns the tag as If-None-Match contains it, compressed or not, "" if it does not.
func (c *call) has(tag string) string {
	for _, h := range c.r.Header["If-None-Match"] {
		for t := range strings.SplitSeq(h, ",") {
			switch t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); {
			case t == "*":
				return tag
			case t == tag, t == asZipped(tag):
				return t
			}
		}
	}
	return ""
}

// programMark returns a text that another build of this program does not have: what it draws
// and writes may differ.
func programMark() string {
	stamped, built := false, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		built = info.String()
		stamped = strings.Contains(built, "vcs.modified=false")
	}
	if path, err := os.Executable(); err == nil && !stamped {
		if file, err := os.Stat(path); err == nil {
			built += fmt.Sprint(file.Size(), file.ModTime().UnixNano())
		}
	}
	return built
}
