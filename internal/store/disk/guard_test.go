package disk_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/stone"
)

func TestGuard(t *testing.T) {
	s := mustOpen(t, "store", disk.Options{FS: vfs.NewMem()})
	defer mustClose(t, s)
	var g disk.Guard
	var ids [4]stone.ID
	for i := range ids {
		ids[i] = stone.ID{byte(i)}
	}
	want := func(when string, want ...bool) {
		t.Helper()
		for i, w := range want {
			if got := g.Needs(ids[i]); got != w {
				t.Errorf("%s: stone %d: got %v, want %v", when, i, got, w)
			}
		}
	}
	g.Hold(ids[0])()
	before := g.Hold(ids[1])
	if err := g.Begin(s); err != nil {
		t.Fatal(err)
	}
	want("at the beginning", false, true, false, false)
	since := g.Hold(ids[2])
	want("held", false, true, true, false)
	before()
	since()
	want("let go", false, true, true, false)
	one, two := g.Hold(ids[3]), g.Hold(ids[3])
	g.End()
	want("at the end", false, false, false, true)
	one()
	want("held twice", false, false, false, true)
	two()
	want("let go twice", false, false, false, false)
}
