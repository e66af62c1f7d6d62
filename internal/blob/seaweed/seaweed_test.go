package seaweed_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
	"github.com/cairnvoxel/cairn/internal/testing/weedtest"
)

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

func mustOpen(t *testing.T, c *weedtest.Cluster, names seaweed.Records, o seaweed.Options) *seaweed.Volumes {
	t.Helper()
	o.Masters = c.Masters()
	b, err := seaweed.Open(t.Context(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func start(t *testing.T, o weedtest.Options) *weedtest.Cluster {
	t.Helper()
	c := weedtest.New(o)
	t.Cleanup(c.Close)
	return c
}

func TestBucket(t *testing.T) {
	c := start(t, weedtest.Options{Growing: 3})
	blobtest.Run(t, func(t *testing.T) blob.Bucket {
		return mustOpen(t, c, new(memory), seaweed.Options{IDs: 20, PartBytes: 1 << 20})
	})
	if n := c.Unsynced(); n > 0 {
		t.Errorf("%d puts without fsync", n)
	}
}

// TestWire is the contract over a network that damages every tenth request.
func TestWire(t *testing.T) {
	var mu sync.Mutex
	script := blobtest.Every(10)
	c := start(t, weedtest.Options{Wrap: func(h http.Handler) http.Handler {
		return blobtest.Wire(h, func(r *http.Request) blobtest.Damage {
			mu.Lock()
			defer mu.Unlock()
			return script(r)
		})
	}})
	blobtest.Run(t, func(t *testing.T) blob.Bucket {
		return mustOpen(t, c, new(memory), seaweed.Options{IDs: 20, PartBytes: 8 << 20, Timeout: 400 * time.Millisecond, Within: 20 * time.Second, Tries: 20})
	})
}

// files checks that the named files have so many copies, and that there are no others.
func files(t *testing.T, c *weedtest.Cluster, want ...int) {
	t.Helper()
	var got []int
	for _, n := range c.Files() {
		got = append(got, n)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("copies of files: got %v, want %v", got, want)
	}
}

func TestDeleted(t *testing.T) {
	c := start(t, weedtest.Options{})
	b := mustOpen(t, c, new(memory), seaweed.Options{PartBytes: 4})
	for i := range 3 {
		if err := b.Put(t.Context(), fmt.Sprint("k", i), section("body of 3")); err != nil {
			t.Fatal(err)
		}
	}
	files(t, c, 3, 3, 3, 3, 3, 3, 3, 3, 3)
	if err := b.Delete(t.Context(), "k1"); err != nil {
		t.Fatal(err)
	}
	files(t, c, 3, 3, 3, 3, 3, 3)
}
