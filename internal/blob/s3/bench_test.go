package s3_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// BenchmarkParts puts and gets objects of 23,000 bytes in MinIO, with 1 and 16 clients:
// the library alone, the bucket, and a directory beside them. It reports the median rate
// of rounds: -benchtime 100x makes a hundred.
func BenchmarkParts(b *testing.B) {
	parts.Need(b, "minio")
	m, err := parts.StartMinIO(b.Context(), b.TempDir(), parts.MinIOOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	raw, err := minio.New(strings.TrimPrefix(m.URL(), "http://"), &minio.Options{Creds: credentials.NewStaticV4(parts.AccessKey, parts.SecretKey, ""), Region: "us-east-1"})
	if err != nil {
		b.Fatal(err)
	}
	ours, err := s3.Open(b.Context(), s3.Options{Endpoint: m.URL(), Bucket: "cairn", Prefix: "ours", AccessKey: parts.AccessKey, SecretKey: parts.SecretKey})
	if err != nil {
		b.Fatal(err)
	}
	there, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 23_000)
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	var keys atomic.Int64
	bucket := func(s blob.Bucket) [2]func(b *testing.B, key string) error {
		return [2]func(b *testing.B, key string) error{
			func(b *testing.B, key string) error {
				return s.Put(b.Context(), key, io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body))))
			},
			func(b *testing.B, key string) error {
				_, err := s.Get(b.Context(), key, 0, int64(len(body)))
				return err
			},
		}
	}
	sixteen := bytes.Repeat(body, 16) // as if the stones of 16 saves were one object
	kinds := map[string][2]func(b *testing.B, key string) error{
		"16 in one": {
			func(b *testing.B, key string) error {
				return ours.Put(b.Context(), "16/"+key, io.NewSectionReader(bytes.NewReader(sixteen), 0, int64(len(sixteen))))
			},
			func(b *testing.B, key string) error {
				_, err := ours.Get(b.Context(), "16/"+key, int64(rand.IntN(16)*len(body)), int64(len(body)))
				return err
			},
		},
		"raw": {
			func(b *testing.B, key string) error {
				_, err := raw.PutObject(b.Context(), "cairn", "raw/"+key, bytes.NewReader(body), int64(len(body)), minio.PutObjectOptions{})
				return err
			},
			func(b *testing.B, key string) error {
				o, err := raw.GetObject(b.Context(), "cairn", "raw/"+key, minio.GetObjectOptions{})
				if err != nil {
					return err
				}
				defer o.Close()
				_, err = io.ReadFull(o, make([]byte, len(body)))
				return err
			},
		},
		"s3": bucket(ours), "dir": bucket(there),
	}
	for kind, calls := range kinds {
		for n := range 100 {
			if err := calls[0](b, fmt.Sprint("g/", n)); err != nil {
				b.Fatal(kind, err)
			}
		}
	}
	key := map[string]func() string{
		"put": func() string { return fmt.Sprint("p/", keys.Add(1)) },
		"get": func() string { return fmt.Sprint("g/", rand.IntN(100)) },
	}
	for i, op := range []string{"put", "get"} {
		for _, clients := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/clients=%d", op, clients), func(b *testing.B) {
				// The kinds take turns, so that all of them see the same machine.
				names := []string{"raw", "s3", "dir", "16 in one"}
				rounds := make(map[string][]float64)
				for n := range b.N {
					for k := range names {
						kind := names[(n+k)%len(names)]
						began := time.Now()
						var wg sync.WaitGroup
						for range clients {
							wg.Go(func() {
								for range 4 {
									if err := kinds[kind][i](b, key[op]()); err != nil {
										b.Error(err)
										return
									}
								}
							})
						}
						wg.Wait()
						rounds[kind] = append(rounds[kind], float64(4*clients)/time.Since(began).Seconds())
					}
				}
				for _, kind := range names {
					slices.Sort(rounds[kind])
					b.ReportMetric(rounds[kind][len(rounds[kind])/2], strings.ReplaceAll(kind, " ", "-")+"/s")
				}
				b.ReportMetric(rounds["s3"][b.N/2]/rounds["raw"][b.N/2], "s3/raw")
			})
		}
	}
}
