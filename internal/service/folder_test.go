package service_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/cairnvoxel/cairn/internal/service"
)

// TestFolder: what others want of a folder waits until a put has ended.
func TestFolder(t *testing.T) {
	for name, dry := range map[string]bool{"a dry put": true, "a look": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := service.NewFolder(filepath.Join(t.TempDir(), "gone"))
				release := make(chan struct{})
				var first, second error
				ended := false
				go func() { first = f.Put(t.Context(), true, func(string) error { <-release; return nil }) }()
				synctest.Wait()
				go func() {
					second = f.Put(t.Context(), dry, func(string) error { return fs.ErrNotExist })
					ended = true
				}()
				synctest.Wait()
				if ended {
					t.Error("it did not wait")
				}
				gone, cancel := context.WithCancel(t.Context())
				cancel()
				if err := f.Put(gone, true, nil); !errors.Is(err, context.Canceled) {
					t.Errorf("a caller that has gone: %v", err)
				}
				close(release)
				synctest.Wait()
				if !ended || first != nil || !errors.Is(second, fs.ErrNotExist) {
					t.Errorf("%v, then %v, %v", first, ended, second)
				}
			})
		})
	}
}
