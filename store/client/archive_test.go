package client_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// FuzzArchiveRecords parses the records of POST /v1/archives. What is parsed is
// written as it was.
func FuzzArchiveRecords(f *testing.F) {
	f.Add(client.AppendOutline(nil, history.Outline{World: 1, Name: "a/b", Deleted: time.UnixMilli(5)}))
	f.Add(client.AppendRefs(nil, make([]history.StoneRef, 2)))
	f.Add(client.Piece{Off: 1, N: 2}.Append(nil))
	f.Add(client.AppendHead(nil, history.Head{Fence: 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again [][]byte
		if m, err := client.ParseOutline(b); err == nil {
			again = append(again, client.AppendOutline(nil, m))
		}
		if refs, err := client.ParseRefs(b); err == nil {
			again = append(again, client.AppendRefs(nil, refs))
		}
		if p, err := client.ParsePiece(b); err == nil {
			again = append(again, p.Append(nil))
		}
		if h, err := client.ParseHead(b); err == nil {
			again = append(again, client.AppendHead(nil, h))
		}
		for _, got := range again {
			if !bytes.Equal(got, b) {
				t.Errorf("got %x, want %x", got, b)
			}
		}
	})
}
