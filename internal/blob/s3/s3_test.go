package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// mustOpen opens an empty bucket of the server.
func mustOpen(t *testing.T, o s3.Options) *s3.Client {
	t.Helper()
	o.AccessKey, o.SecretKey, o.Bucket = parts.AccessKey, parts.SecretKey, "cairn"
	if o.Prefix == "" {
		o.Prefix = fmt.Sprint("test/", next.Add(1))
	}
	b, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

var next atomic.Int64

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

// serve returns the URL of a server with that handler.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestBucket(t *testing.T) {
	url := serve(t, newFake())
	blobtest.Run(t, func(t *testing.T) blob.Bucket { return mustOpen(t, s3.Options{Endpoint: url, PartBytes: 5 << 20}) })
}

// patient tries often, and soon.
func patient(url string) s3.Options {
	return s3.Options{Endpoint: url, PartBytes: 5 << 20, Timeout: 200 * time.Millisecond, Within: time.Minute, Tries: 20}
}

// TestWire is the contract over a network that damages every sixth request.
func TestWire(t *testing.T) {
	url := serve(t, blobtest.Wire(newFake(), blobtest.Every(6)))
	blobtest.Run(t, func(t *testing.T) blob.Bucket { return mustOpen(t, patient(url)) })
}

func TestPartsMinIO(t *testing.T) {
	parts.Need(t, "minio")
	m, err := parts.StartMinIO(t.Context(), t.TempDir(), parts.MinIOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	to, err := url.Parse(m.URL())
	if err != nil {
		t.Fatal(err)
	}
	wire := serve(t, blobtest.Wire(httputil.NewSingleHostReverseProxy(to), blobtest.Every(6)))
	for name, o := range map[string]s3.Options{
		"Once": {Endpoint: m.URL(), PartBytes: 64 << 20}, "Parts": {Endpoint: m.URL(), PartBytes: 5 << 20}, "Wire": patient(wire),
	} {
		t.Run(name, func(t *testing.T) { blobtest.Run(t, func(t *testing.T) blob.Bucket { return mustOpen(t, o) }) })
	}
}

// mustOpenLocked opens a bucket with object lock.
func mustOpenLocked(t *testing.T, endpoint string) *s3.Client {
	t.Helper()
	c, err := minio.New(strings.TrimPrefix(endpoint, "http://"), &minio.Options{Creds: credentials.NewStaticV4(parts.AccessKey, parts.SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MakeBucket(t.Context(), "locked", minio.MakeBucketOptions{ObjectLocking: true}); err != nil {
		t.Fatal(err)
	}
	b, err := s3.Open(t.Context(), s3.Options{Endpoint: endpoint, Bucket: "locked", AccessKey: parts.AccessKey, SecretKey: parts.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
