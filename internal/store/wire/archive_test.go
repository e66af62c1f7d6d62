package wire_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// FuzzArchiveRecords parses the records of POST /v1/archives. What is parsed is
// written as it was.
func FuzzArchiveRecords(f *testing.F) {
	f.Add(wire.AppendOutline(nil, history.Outline{World: 1, Name: "a/b", Deleted: time.UnixMilli(5)}))
	f.Add(wire.AppendRefs(nil, make([]history.StoneRef, 2)))
	f.Add(wire.Piece{Off: 1, N: 2}.Append(nil))
	f.Add(wire.AppendHead(nil, history.Head{Fence: 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again [][]byte
		if m, err := wire.ParseOutline(b); err == nil {
			again = append(again, wire.AppendOutline(nil, m))
		}
		if refs, err := wire.ParseRefs(b); err == nil {
			again = append(again, wire.AppendRefs(nil, refs))
		}
		if p, err := wire.ParsePiece(b); err == nil {
			again = append(again, p.Append(nil))
		}
		if h, err := wire.ParseHead(b); err == nil {
			again = append(again, wire.AppendHead(nil, h))
		}
		for _, got := range again {
			if !bytes.Equal(got, b) {
				t.Errorf("got %x, want %x", got, b)
			}
		}
	})
}
