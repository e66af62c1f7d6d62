package blob_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
)

func TestCanBegin(t *testing.T) {
	for prefix, want := range map[string]bool{
		"": true, "a": true, "a/": true, "a/b": true, ".": true, "..": true, "a/.": true, "...": true, "/": false, "a//": false, "./": false, "a/../": false,
		"a b": false, "\xff": false, "a\x00": false, strings.Repeat("a", 200): true, strings.Repeat("a", 201): false,
		strings.Repeat("a/", 255): true, strings.Repeat("a/", 256): false, strings.Repeat("a/", 255) + "aa": true, strings.Repeat("a/", 255) + "aaa": false,
	} {
		if got := blob.CanBegin(prefix); got != want {
			t.Errorf("%q: got %v, want %v", prefix, got, want)
		}
	}
}
