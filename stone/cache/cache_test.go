package cache_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/stone/cache"
)

// page asks for a page of so many bytes and returns whether it was filled.
func page(t *testing.T, l *cache.LRU[int], key int, bytes int64) (filled bool) {
	t.Helper()
	got, err := l.Page(context.Background(), key, func() (any, int64, error) {
		filled = true
		return key, bytes, nil
	})
	if err != nil || got != key {
		t.Fatalf("page %v of key %d, %v", got, key, err)
	}
	return filled
}

func TestLeastRecentlyUsed(t *testing.T) {
	const budget, size = 10_000, 3_000 // three pages
	l := cache.New[int](budget)
	for n, tt := range []struct {
		key   int
		bytes int64
		fills bool
	}{
		{1, size, true}, {2, size, true}, {3, size, true},
		{1, size, false}, // now 2 is the oldest
		{4, size, true},  // which 4 drives out
		{1, size, false}, {3, size, false}, {4, size, false},
		{2, size, true},                      // in the place of 1
		{5, budget, true}, {5, budget, true}, // too large to be kept
		{2, size, false}, {3, size, false},
	} {
		if got := page(t, l, tt.key, tt.bytes); got != tt.fills {
			t.Errorf("call %d: page %d filled: %v", n, tt.key, got)
		}
	}
	if s := l.Stats(); s.Hits != 6 || s.Fills != 7 || s.Pages != 3 || s.Bytes > budget || s.Bytes < 3*size {
		t.Errorf("%+v", s)
	}
}

func TestFailedFill(t *testing.T) {
	l, broken := cache.New[int](1<<20), errors.New("broken")
	if _, err := l.Page(context.Background(), 1, func() (any, int64, error) { return nil, 0, broken }); err != broken {
		t.Error(err)
	}
	if !page(t, l, 1, 1) || page(t, l, 1, 1) {
		t.Error("a page that could not be filled is not filled next")
	}
}

// TestFillsOnce has many goroutines ask for one page, and one that does not wait.
func TestFillsOnce(t *testing.T) {
	l := cache.New[int](1 << 20)
	begun, end := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		l.Page(context.Background(), 1, func() (any, int64, error) {
			close(begun)
			<-end
			return "one", 1, nil
		})
	})
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Page(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for range 8 {
		all.Go(func() {
			if got, err := l.Page(context.Background(), 1, nil); got != "one" || err != nil {
				t.Error(got, err)
			}
		})
	}
	close(end)
	all.Wait()
	if s := l.Stats(); s.Fills != 1 || s.Hits != 9 {
		t.Errorf("%+v", s)
	}
}
