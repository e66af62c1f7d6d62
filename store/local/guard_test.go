package local_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/local"
)

func TestGuard(t *testing.T) {
	s := mustOpen(t, "store", local.Options{FS: vfs.NewMem()})
	defer mustClose(t, s)
	var g local.Guard
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

func TestMarks(t *testing.T) {
	const n = 20_000
	idOf := func(i int) stone.ID { return sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i))) }
	kept := make(map[stone.ID]int)
	for salt := range uint64(2) {
		add, has := local.NewMarks(n, salt*12345)
		for i := range n {
			add(idOf(i))
		}
		wrong := 0
		for i := range n {
			if !has(idOf(i)) {
				t.Fatalf("stone %d was added and is not there", i)
			}
			if has(idOf(n + i)) {
				wrong++
				kept[idOf(n+i)]++
			}
		}
		if wrong > n/500 {
			t.Errorf("%d of %d that were not added are there", wrong, n)
		}
	}
	for id, times := range kept {
		if times == 2 {
			t.Errorf("%v is there by every salt", id)
		}
	}
}
