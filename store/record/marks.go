package record

import (
	"encoding/binary"
	"math/bits"
)

const (
	markBits = 16 // for each thing there is: one garbage thing in 2,000 stays
	markHash = 6
	maxMarks = 64 << 20 // bytes
)

// Marks are the things that are needed, as a Bloom filter: all that was added
// is in it, and of what was not very little, other things each time.
type Marks struct {
	words []uint64
	shift uint
	salt  uint64
}

// NewMarks makes marks for so many things. The salt decides which things are taken
// for needed by mistake.
func NewMarks(things int, salt uint64) *Marks {
	n := min(max(things*markBits, 1<<10), maxMarks*8)
	log := bits.Len(uint(n - 1))
	return &Marks{words: make([]uint64, 1<<log/64), shift: uint(64 - log), salt: salt<<1 | 1}
}

// bit is the i-th bit of a thing, whose name is a hash already.
func (m *Marks) bit(t *Thing, i uint64) (word, mask uint64) {
	a, b := binary.LittleEndian.Uint64(t[1:]), binary.LittleEndian.Uint64(t[9:])
	at := (a + i*b + uint64(t[0])<<17) * m.salt >> m.shift
	return at / 64, 1 << (at % 64)
}

// Add adds a thing.
func (m *Marks) Add(t Thing) {
	for i := range uint64(markHash) {
		word, mask := m.bit(&t, i)
		m.words[word] |= mask
	}
}

// Has reports whether a thing was added. Of others it says so of one in 2,000.
func (m *Marks) Has(t Thing) bool {
	for i := range uint64(markHash) {
		if word, mask := m.bit(&t, i); m.words[word]&mask == 0 {
			return false
		}
	}
	return true
}
