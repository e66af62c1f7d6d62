package journal_test

import (
	"encoding/binary"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/journal"
)

// chunk returns a chunk of log 7 with a synced offset.
func chunk(kind byte, data []byte) []byte {
	const head = 19
	b := make([]byte, head, head+len(data))
	binary.LittleEndian.PutUint16(b[4:], uint16(len(data)))
	b[6] = kind
	binary.LittleEndian.PutUint32(b[7:], 7)
	b = append(b, data...)
	binary.LittleEndian.PutUint32(b, journal.Sum(b[6:]))
	return b
}

// TestBlockEnds has records begin in the last bytes of a block, down to where only the head
// of their first chunk fits, and none.
func TestBlockEnds(t *testing.T) {
	const block, head, whole, first, last = 32 << 10, 19, 9, 10, 12
	for room := range 3 * head {
		file := chunk(whole, make([]byte, block-head-room))
		second := make([]byte, 150)
		for i := range second {
			second[i] = byte(i)
		}
		if room < head {
			file = append(file, make([]byte, room)...)
			file = append(file, chunk(whole, second)...)
		} else {
			file = append(file, chunk(first, second[:room-head])...)
			file = append(file, chunk(last, second[room-head:])...)
		}
		file = append(file, chunk(whole, []byte("third"))...)
		var got []int
		r := journal.Scanner{Number: 7, Each: func(b []byte) { got = append(got, len(b)) }}
		r.Scan(file)
		if len(got) != 3 || got[1] != 150 || got[2] != 5 || r.Bad || r.End != int64(len(file)) {
			t.Errorf("%d bytes left: records of %v bytes, bad %v, end %d of %d", room, got, r.Bad, r.End, len(file))
		}
	}
}
