package s3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fake is as much of an S3 as the bucket needs, in memory. It knows no signatures.
type fake struct {
	careless  bool // it replaces objects whatever the condition
	carelessP bool // so it does with parts alone

	mu      sync.Mutex
	objects map[string]object
	uploads map[string]*upload
	now     func() time.Time
}

type object struct {
	data []byte
	head http.Header
	at   time.Time
}

type upload struct {
	head  http.Header
	parts map[int][]byte
}

func newFake() *fake {
	return &fake{objects: make(map[string]object), uploads: make(map[string]*upload), now: time.Now}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Date", f.now().UTC().Format(http.TimeFormat))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	sum := sha256.Sum256(body)
	if want := r.Header.Get("X-Amz-Content-Sha256"); len(want) == 64 && want != hex.EncodeToString(sum[:]) {
		refuse(w, http.StatusBadRequest, "XAmzContentSHA256Mismatch")
		return
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	switch id := q.Get("uploadId"); {
	case r.Method == http.MethodGet && q.Has("list-type"):
		f.list(w, q.Get("prefix"), q.Get("start-after"), q.Get("continuation-token"), q.Get("max-keys"))
	case r.Method == http.MethodPost && q.Has("uploads"):
		id := strconv.Itoa(len(f.uploads) + 1)
		f.uploads[id] = &upload{head: meta(r), parts: make(map[int][]byte)}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case id != "" && f.uploads[id] == nil:
		refuse(w, http.StatusNotFound, "NoSuchUpload")
	case r.Method == http.MethodPut && id != "":
		n, err := strconv.Atoi(q.Get("partNumber"))
		if err != nil {
			refuse(w, http.StatusBadRequest, "InvalidArgument")
			return
		}
		f.uploads[id].parts[n] = body
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum[:16]))
	case r.Method == http.MethodPost:
		f.complete(w, r, name, id)
	case r.Method == http.MethodDelete && id != "":
		delete(f.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut:
		if f.refused(w, r, name, f.careless) {
			return
		}
		f.objects[name] = object{body, meta(r), f.now()}
	case r.Method == http.MethodDelete:
		delete(f.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		f.get(w, r, name)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

func meta(r *http.Request) http.Header {
	out := make(http.Header)
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Amz-Meta-") || name == "X-Amz-Checksum-Sha256" {
			out[name] = values
		}
	}
	return out
}

// refused answers a request whose condition does not hold.
func (f *fake) refused(w http.ResponseWriter, r *http.Request, name string, careless bool) bool {
	_, there := f.objects[name]
	if !there || careless || r.Header.Get("If-None-Match") != "*" {
		return false
	}
	refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
	return true
}

func (f *fake) complete(w http.ResponseWriter, r *http.Request, name, id string) {
	if f.refused(w, r, name, f.careless || f.carelessP) {
		return
	}
	u := f.uploads[id]
	var data []byte
	for _, n := range slices.Sorted(maps.Keys(u.parts)) {
		data = append(data, u.parts[n]...)
	}
	delete(f.uploads, id)
	f.objects[name] = object{data, u.head, f.now()}
	fmt.Fprint(w, `<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><ETag>"x-1"</ETag></CompleteMultipartUploadResult>`)
}

func (f *fake) get(w http.ResponseWriter, r *http.Request, name string) {
	o, ok := f.objects[name]
	if !ok {
		refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	for name, values := range o.head {
		w.Header()[name] = values
	}
	if r.Header.Get("Range") != "" {
		w.Header().Del("X-Amz-Checksum-Sha256")
	}
	w.Header().Set("ETag", `"x"`)
	http.ServeContent(rangeWriter{w}, r, "", o.at, bytes.NewReader(o.data))
}

// rangeWriter answers like an S3 if a range is outside.
type rangeWriter struct{ http.ResponseWriter }

func (w rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.Header().Del("Content-Length")
		refuse(w.ResponseWriter, status, "InvalidRange")
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (f *fake) list(w http.ResponseWriter, prefix, after, token, most string) {
	type content struct {
		Key          string
		Size         int
		LastModified string
	}
	var out struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []content
	}
	n, err := strconv.Atoi(most)
	if err != nil {
		n = 1000
	}
	for _, name := range slices.Sorted(maps.Keys(f.objects)) {
		if !strings.HasPrefix(name, prefix) || name <= after || name <= token {
			continue
		}
		if len(out.Contents) == min(n, 40) { // a server may give fewer than it is asked for
			out.IsTruncated = true
			out.NextContinuationToken = out.Contents[len(out.Contents)-1].Key
			break
		}
		out.Contents = append(out.Contents, content{name, len(f.objects[name].data), f.objects[name].at.UTC().Format(time.RFC3339Nano)})
	}
	_ = xml.NewEncoder(w).Encode(out) // the client may be gone
}

// damage changes the first byte of an object.
func (f *fake) damage(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[name].data[0] ^= 1
}
