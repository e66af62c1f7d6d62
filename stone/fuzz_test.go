package stone_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// readsAs reports whether f holds data.
func readsAs(f io.Reader, data []byte) error {
	got, err := io.ReadAll(f)
	if err == nil && !bytes.Equal(got, data) {
		err = fmt.Errorf("%d bytes that differ", len(got))
	}
	return err
}

// patience is a context that ends when it has been asked n times: what a small
// stone says can be long, as a page may be named any number of times.
type patience struct {
	context.Context
	n int
}

func (p *patience) Err() error {
	if p.n--; p.n < 0 {
		return context.Canceled
	}
	return nil
}

// fuzzStone opens and checks whatever b is.
func fuzzStone(t *testing.T, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 512<<20 {
		t.Errorf("open took %d bytes of memory for %d", took, len(b))
	}
	if err != nil {
		return
	}
	err = r.Check(&patience{context.Background(), 2000})
	var c *stone.CorruptError
	if err != nil && !errors.As(err, &c) && !errors.Is(err, context.Canceled) {
		t.Errorf("check: %v", err)
	}
	if err != nil {
		return
	}
	if err := r.Dump(io.Discard); err != nil {
		t.Errorf("a stone that is sound: dump: %v", err)
	}
	s, err := readSpec(r)
	if err != nil {
		t.Fatalf("a stone that is sound: %v", err)
	}
	for _, d := range s.Dimensions {
		for _, v := range d.Volumes {
			for _, l := range v.Levels {
				var want []geom.ChunkPos
				for pos := range r.Entries(d.Name, v.Name, l.Level) {
					want = append(want, pos)
				}
				if got := read(t, r, d.Name, v.Name, l.Level, want); !reflect.DeepEqual(got, l.Chunks) {
					t.Errorf("a stone that is sound: %d chunks read together, want %d", len(got), len(l.Chunks))
				}
			}
		}
		checkSpokenColumns(t, r, d)
	}
	if _, err := s.Write(io.Discard, stone.Options{Effort: stone.Quick}); err != nil {
		t.Errorf("what was read is not written: %v", err)
	}
}

// talliedSpec has light and height maps that follow from blocks.
func talliedSpec() stonetest.Spec {
	s := house(1, 3, at(0, 0, 0))
	s.Dimensions = append(s.Dimensions, ruled(1).Dimensions...)
	return s
}

// FuzzTallies puts another end behind a directory: matters and tallies.
func FuzzTallies(f *testing.F) {
	f.Add([]byte(soundTally()))
	f.Fuzz(func(t *testing.T, after []byte) { fuzzStone(t, tallied(after)) })
}

func FuzzOpen(f *testing.F) {
	f.Add(mustWrite(f, tiny(), stone.Options{}))
	f.Add(mustWrite(f, stonetest.Spec{}, stone.Options{}))
	f.Add(mustWrite(f, house(1, 3, at(0, 0, 0), at(1, 0, 0)), stone.Options{Effort: stone.Best}))
	f.Add(mustWrite(f, talliedSpec(), stone.Options{Effort: stone.Quick, Tally: true}))
	f.Fuzz(fuzzStone)
}

// FuzzDirectory puts sound checksums around a directory and the pages of the example.
func FuzzDirectory(f *testing.F) {
	pages, dir := stone.Parts(mustWrite(f, tiny(), stone.Options{}))
	f.Add(dir)
	_, dir = stone.Parts(mustWrite(f, tiny(), stone.Options{Tally: true}))
	f.Add(dir)
	f.Fuzz(func(t *testing.T, dir []byte) { fuzzStone(t, stone.Assemble(pages, dir)) })
}

// FuzzPage puts another page in the place of one of the example's.
func FuzzPage(f *testing.F) { fuzzPages(f, mustWrite(f, tiny(), stone.Options{})) }

// FuzzLight does so where light follows from blocks.
func FuzzLight(f *testing.F) {
	fuzzPages(f, mustWrite(f, house(1, 3, at(0, 0, 0), at(1, 0, 0)), stone.Options{}))
}

func fuzzPages(f *testing.F, b []byte) {
	pages, dir := stone.Parts(b)
	for i, p := range pages {
		f.Add(uint8(i), p)
	}
	f.Fuzz(func(t *testing.T, which uint8, page []byte) {
		fuzzStone(t, withPage(pages, dir, int(which)%len(pages), page))
	})
}
