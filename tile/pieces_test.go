package tile_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/tile"
)

// temp is a temporary file in memory that can fail.
type temp struct {
	bytes.Buffer
	full, changed, closed bool
}

var errFull = errors.New("no space left on device")

func (f *temp) Write(b []byte) (int, error) {
	if f.full {
		return 0, errFull
	}
	return f.Buffer.Write(b)
}

func (f *temp) ReadAt(b []byte, off int64) (int, error) {
	n, err := bytes.NewReader(f.Bytes()).ReadAt(b, off)
	if f.changed && n > 0 {
		b[n/2] ^= 1
	}
	return n, err
}

func (f *temp) Close() error { f.closed = true; return nil }

// Pieces come back, those that LZ4 makes smaller and others, and in any order.
func TestPieces(t *testing.T) {
	f, r := &temp{}, rand.New(rand.NewPCG(1, 2))
	p := tile.NewPieces(f)
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	want := [][]byte{nil, []byte("a"), bytes.Repeat([]byte("ab"), 50_000), noise}
	for i, b := range want {
		if n, err := p.Add(b); n != i || err != nil {
			t.Fatalf("piece %d has the number %d: %v", i, n, err)
		}
	}
	if f.Len() > 10_000 {
		t.Errorf("%d bytes in the file", f.Len())
	}
	for _, i := range []int{3, 0, 2, 1, 2} {
		if got, err := p.Read(i); err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("piece %d: %d bytes, %v", i, len(got), err)
		}
	}
	f.changed = true
	for i := 1; i < len(want); i++ {
		if _, err := p.Read(i); err == nil {
			t.Errorf("piece %d: the file has changed, and no error", i)
		}
	}
	f.full = true
	for range 2 {
		if _, err := p.Add(noise); !errors.Is(err, errFull) {
			t.Errorf("a full disk: %v", err)
		}
		f.full = false // the error sticks
	}
	if err := p.Close(); err != nil || !f.closed {
		t.Errorf("closed %v, %v", f.closed, err)
	}
}

// word is a value that lies in a file, unless it is empty.
type word string

func (w word) Spill(dst []byte) ([]byte, func([]byte) any) {
	if w == "" {
		return dst, nil
	}
	return append(dst, w...), func(b []byte) any { return word(b) }
}

// Values that left are read from the file. Where that fails they are filled again.
func TestPagesSpill(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget int64
		file   *temp // nil: it cannot be made
		word   word
		least  int // fills of ten keys that are asked for three times
		most   int
	}{
		{name: "all fit", budget: 1 << 20, file: &temp{}, word: "w", least: 10, most: 10},
		{name: "none fits", file: &temp{}, word: "w", least: 10, most: 10},
		{name: "some fit", budget: 4 * 1256, file: &temp{}, word: "w", least: 10, most: 15},
		{name: "values that must not", file: &temp{}, least: 30, most: 30},
		{name: "a full disk", file: &temp{full: true}, word: "w", least: 30, most: 30},
		{name: "a file that changes", file: &temp{changed: true}, word: "w", least: 30, most: 30},
		{name: "no file", word: "w", least: 30, most: 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fills, made := 0, 0
			p := tile.NewPages[num](tile.Options{Budget: tt.budget}).Spill(func() (tile.TempFile, error) {
				if made++; tt.file == nil {
					return nil, errFull
				}
				return tt.file, nil
			})
			for range 3 {
				for key := range num(10) {
					want := tt.word
					if want != "" {
						want += word(rune('a' + key))
					}
					got, err := p.Page(context.Background(), key, func() (any, int64, error) { fills++; return want, 1000, nil })
					if err != nil || got != want {
						t.Fatalf("key %d: %q, %v, want %q", key, got, err, want)
					}
				}
			}
			if s := p.Stats(); fills < tt.least || fills > tt.most || int(s.Reads) != fills || int(s.Reads+s.Unpacked+s.Hits) != 30 {
				t.Errorf("%d fills, want %d to %d: %+v", fills, tt.least, tt.most, s)
			}
			if err := p.Close(); err != nil || made > 1 || made > 0 && tt.file != nil && !tt.file.closed {
				t.Errorf("%d files made, %v", made, err)
			}
		})
	}
}
