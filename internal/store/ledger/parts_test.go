package ledger_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// minio starts a MinIO and returns a function that opens buckets in it.
func minio(t testing.TB) (*parts.MinIO, func(prefix string) blob.Bucket) {
	t.Helper()
	parts.Need(t, "minio")
	m, err := parts.StartMinIO(t.Context(), t.TempDir(), parts.MinIOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, func(prefix string) blob.Bucket {
		b, err := s3.Open(t.Context(), s3.Options{
			Endpoint: m.URL(), Bucket: "cairn", Prefix: prefix, AccessKey: parts.AccessKey, SecretKey: parts.SecretKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestPartsLinear(t *testing.T) {
	_, in := minio(t)
	storetest.Linear(t, storetest.Kind{Open: func(t *testing.T, now func() time.Time) history.Store {
		b := in("linear")
		return pair.New(&both{replicas: [2]*ledger.Ledger{open(t, b, quick), open(t, b, quick)}}, b, pair.Options{Now: now})
	}}, 8)
}

// TestPartsKilled kills MinIO again and again, while four replicas count. What was
// acknowledged stays.
func TestPartsKilled(t *testing.T) {
	m, in := minio(t)
	o := quick
	o.Timeout, o.Trust, o.Grace = 2*time.Second, -1, 1
	var replicas []*ledger.Ledger
	for range 4 {
		replicas = append(replicas, open(t, in("killed"), o))
	}
	var sure, maybe [1]int
	var mu sync.Mutex
	var all sync.WaitGroup
	stop := make(chan struct{})
	for _, l := range replicas {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := increment(t, l, "n0")
				mu.Lock()
				if err == nil {
					sure[0]++
				} else if maybe[0]++; !errors.Is(err, history.ErrAway) {
					t.Error(err)
				}
				mu.Unlock()
				_ = l.Maintain(t.Context()) // it fails while MinIO is away
			}
		})
	}
	progress := func(than int) int {
		for {
			mu.Lock()
			n := sure[0]
			mu.Unlock()
			if n > than+20 || t.Failed() {
				return n
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	n := 0
	for range 3 {
		n = progress(n)
		if err := m.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := m.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	progress(n)
	close(stop)
	all.Wait()
	got := counts(t, open(t, in("killed"), o), 1)[0]
	if t.Logf("%d sure, %d maybe, %d there", sure[0], maybe[0], got); got < sure[0] || got > sure[0]+maybe[0] {
		t.Error("saves are lost, or made twice")
	}
}

// BenchmarkPartsSwap makes Swaps over MinIO.
func BenchmarkPartsSwap(b *testing.B) {
	_, in := minio(b)
	for i, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("%d clients", clients), func(b *testing.B) {
			swaps(b, in(fmt.Sprintf("bench%d-%d", i, b.N)), 1, clients)
		})
	}
}
