package pages_test

import (
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
)

// known returns a name that has a number.
func known(t testing.TB) string {
	name, ok := tags.Name(0)
	if !ok {
		t.Fatal("no name has a number")
	}
	return name
}

func TestNames(t *testing.T) {
	for _, s := range []pages.Spelling{pages.ByBytes, pages.ByWords} {
		for _, set := range []bool{false, true} {
			for _, names := range [][]string{nil, {"air"}, {"air", "made:up", "made:up_too", known(t)}, {"id", "zebra"}} {
				if len(names) > 1 {
					slices.Sort(names[1:])
				}
				b := s.AppendNames(nil, set, names)
				c := cursor.New(b, "names")
				got := s.Names(&c, set, 99, func(int) bool { return true })
				if err := c.End(); err != nil || !slices.Equal(got, names) {
					t.Errorf("spelling %d, set %v: %q, want %q, %v", s, set, got, names, err)
				}
				for n := range b {
					c := cursor.New(b[:n], "names")
					if s.Names(&c, set, 99, func(int) bool { return true }); !refused(c.Err()) {
						t.Errorf("spelling %d, set %v: %v for %d of %d bytes of %q", s, set, c.Err(), n, len(b), names)
					}
				}
			}
		}
	}
}
