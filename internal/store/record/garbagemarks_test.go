package record_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestMarks(t *testing.T) {
	const n = 20_000
	idOf := func(i int) record.Thing {
		return record.StoneThing(sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i))))
	}
	kept := make(map[record.Thing]int)
	for salt := range uint64(2) {
		marks := record.NewGarbageMarks(n, record.MaxMarks, salt*12345)
		for i := range n {
			marks.Add(idOf(i))
		}
		wrong := 0
		for i := range n {
			if !marks.Has(idOf(i)) {
				t.Fatalf("stone %d was added and is not there", i)
			}
			if marks.Has(idOf(n + i)) {
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

// A small store has no mistakes, so that its garbage never stays.
func TestFewMarks(t *testing.T) {
	long.Alone(t)
	thing := func(s string) record.Thing { return record.StoneThing(sha256.Sum256([]byte(s))) }
	names := []string{"a", "b", "c", "d", "e", "f"}
	for salt := range uint64(200_000) {
		marks := record.NewGarbageMarks(len(names), record.MaxMarks, salt*0x9e3779b97f4a7c15)
		for _, s := range names {
			marks.Add(thing(s))
		}
		if marks.Has(thing("other")) {
			t.Fatalf("salt %d: a thing that was not added is there", salt)
		}
	}
}

// Marks with few bytes are about a part of the things, another part by another salt.
func TestMarksOfAPart(t *testing.T) {
	long.Alone(t)
	const n, most = 40_000, 20_000 // bytes for a quarter of the things
	thing := func(i int) record.Thing {
		return record.StoneThing(sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i))))
	}
	found := make(map[int]bool)
	for salt := range uint64(20) {
		marks := record.NewGarbageMarks(n, most, salt)
		for i := range n {
			marks.Add(thing(i))
		}
		now := 0
		for i := range n {
			if !marks.Has(thing(i)) {
				t.Fatalf("salt %d: thing %d was added and is not there", salt, i)
			}
			if !marks.Has(thing(n + i)) {
				found[i] = true
				now++
			}
		}
		if now < n/20 || now > n/2 {
			t.Errorf("salt %d: %d of %d garbage things are found", salt, now, n)
		}
	}
	if len(found) != n {
		t.Errorf("%d of %d garbage things are ever found", len(found), n)
	}
}
