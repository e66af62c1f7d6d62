package spool_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/spool"
	"github.com/cairnvoxel/cairn/store/history"
)

// spooling is a Store of which only SpoolFile is called.
type spooling struct {
	history.Store
	made   int
	open   int
	refuse error
}

type memoryFile struct {
	bytes.Buffer
	of *spooling
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(f.Bytes()).ReadAt(p, off)
}

func (f *memoryFile) Close() error { f.of.open--; return nil }

func (s *spooling) SpoolFile() (history.SpoolFile, error) {
	if s.refuse != nil {
		return nil, s.refuse
	}
	s.made++
	s.open++
	return &memoryFile{of: s}, nil
}

func TestSpool(t *testing.T) {
	part := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, tt := range []struct {
		name         string
		st           history.Store
		parts, files int
	}{
		{"nothing", &spooling{}, 0, 0},
		{"small", &spooling{}, 4, 0},
		{"large", &spooling{}, 9, 1},
		{"large without files", nil, 9, 0},
	} {
		s := spool.New(tt.st)
		var want []byte
		for range tt.parts {
			want = append(want, part...)
			if n, err := s.Write(part); n != len(part) || err != nil {
				t.Fatalf("%s: write: %d, %v", tt.name, n, err)
			}
		}
		st := s.Stone([32]byte{1})
		for range 2 { // a stone is read more than once
			if got, err := io.ReadAll(st.Open()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: read %d bytes, %v, want %d", tt.name, len(got), err, len(want))
			}
		}
		got, err := st.Bytes()
		if err != nil || !bytes.Equal(got, want) || st.Ref() != (history.StoneRef{ID: [32]byte{1}, Size: int64(len(want))}) {
			t.Errorf("%s: %d bytes, %v, %v", tt.name, len(got), err, st.Ref())
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", tt.name, err)
		}
		if st, ok := tt.st.(*spooling); ok && (st.made != tt.files || st.open != 0) {
			t.Errorf("%s: %d files made, %d left, want %d made", tt.name, st.made, st.open, tt.files)
		}
	}
	full := errors.New("no room")
	s := spool.New(&spooling{refuse: full})
	if _, err := s.Write(make([]byte, 5<<20)); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}
