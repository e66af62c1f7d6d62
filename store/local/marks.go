package local

import (
	"encoding/binary"
	"math/bits"
)

const (
	markBits  = 16 // for each thing there is: one garbage thing in 2,000 stays
	markHash  = 6
	maxMarks  = 64 << 20 // bytes
	doneLimit = 1 << 17  // what logs share is near in them
)

// marks are the things that are needed, as a Bloom filter: all that was added
// is in it, and of what was not very little, other things each time.
type marks struct {
	words []uint64
	shift uint
	salt  uint64
}

func newMarks(things int, salt uint64) *marks {
	n := min(max(things*markBits, 1<<10), maxMarks*8)
	log := bits.Len(uint(n - 1))
	return &marks{words: make([]uint64, 1<<log/64), shift: uint(64 - log), salt: salt<<1 | 1}
}

// bit is the i-th bit of a thing, whose name is a hash already.
func (m *marks) bit(t *thing, i uint64) (word, mask uint64) {
	a, b := binary.LittleEndian.Uint64(t[1:]), binary.LittleEndian.Uint64(t[9:])
	at := (a + i*b + uint64(t[0])<<17) * m.salt >> m.shift
	return at / 64, 1 << (at % 64)
}

func (m *marks) add(t thing) {
	for i := range uint64(markHash) {
		word, mask := m.bit(&t, i)
		m.words[word] |= mask
	}
}

func (m *marks) has(t thing) bool {
	for i := range uint64(markHash) {
		if word, mask := m.bit(&t, i); m.words[word]&mask == 0 {
			return false
		}
	}
	return true
}
