package stone_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
)

// faultOf opens and checks a stone and returns what is wrong with it.
func faultOf(b []byte) error {
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return r.Check(context.Background())
}

func TestEveryTruncation(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	for n := range b {
		if err := faultOf(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a stone", n, len(b))
		}
		if err := faultOf(b[n+1:]); err == nil {
			t.Errorf("the last %d of %d bytes are taken for a stone", len(b)-n-1, len(b))
		}
	}
	if err := faultOf(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many is not seen")
	}
}

func TestEveryFlip(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			var c *stone.CorruptError
			if err := faultOf(b); !errors.As(err, &c) && !errors.Is(err, stone.ErrNewer) {
				t.Errorf("byte %d bit %d flipped: %v", i, bit, err)
			}
			b[i] ^= 1 << bit
		}
	}
	if err := faultOf(b); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedPages flips bytes of pages of a larger stone: the error says where,
// and all else can still be read.
func TestDamagedPages(t *testing.T) {
	b := mustWrite(t, big(), stone.Options{})
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		b[p.Offset+int64(p.Size)/2] ^= 1
		r := mustOpen(t, b)
		var c *stone.CorruptError
		if err := r.Check(context.Background()); !errors.As(err, &c) || c.Offset != p.Offset {
			t.Errorf("page %d at %d: %v", p.Number, p.Offset, err)
		}
		if f, err := r.OpenFile("icon"); p.Name != "icon" {
			if err = errors.Join(err, readsAs(f, []byte{1, 2, 3})); err != nil {
				t.Errorf("page %d wrong: file icon: %v", p.Number, err)
			}
		}
		b[p.Offset+int64(p.Size)/2] ^= 1
	}
}

// TestRehashed changes every byte of every page and of the directory and makes
// the checksums right again: no panic, and no error but about bytes.
func TestRehashed(t *testing.T) {
	long.Alone(t)
	pages, dir := stone.Parts(mustWrite(t, tiny(), stone.Options{}))
	try := func(what string, n int, pages [][]byte, dir []byte) {
		var c *stone.CorruptError
		if err := faultOf(stone.Assemble(pages, dir)); err != nil && !errors.As(err, &c) {
			t.Errorf("%s %d: %v", what, n, err)
		}
	}
	for n := range append(pages, dir) {
		part := dir
		if n < len(pages) {
			part = pages[n]
		}
		for i := range part {
			for _, by := range []byte{1, 2, 4, 16, 128, 255} {
				part[i] ^= by
				try("part", n, pages, dir)
				part[i] ^= by
			}
		}
	}
	if err := faultOf(stone.Assemble(pages, dir)); err != nil {
		t.Fatal(err)
	}
}
