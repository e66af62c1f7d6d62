package local

import (
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/cairnvoxel/cairn/world"
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

// marker walks down from every commit of every log.
type marker struct {
	r     reads
	marks *marks
	done  map[world.ID]struct{} // walked down from; forgotten when it is large
}

// count returns how many things there are.
func (r reads) count(ctx context.Context) (n int, err error) {
	for _, kind := range []byte{'c', 'i'} {
		err := r.keys(func([]byte) error {
			n++
			return ctx.Err()
		}, kind)
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// mark marks what the Store needs.
func (r reads) mark(ctx context.Context, salt uint64) (*marks, error) {
	n, err := r.count(ctx)
	if err != nil {
		return nil, err
	}
	m := &marker{r: r, marks: newMarks(n, salt), done: make(map[world.ID]struct{})}
	return m.marks, r.each(func(key, value []byte) (bool, error) {
		e, err := parseEntry(key, value)
		if err == nil {
			err = m.down(e.commit)
		}
		if err == nil {
			err = ctx.Err()
		}
		return true, err
	}, 'l')
}

// down marks what the stack of a commit of a log needs, and its record.
func (m *marker) down(at world.ID) error {
	for at != (world.ID{}) {
		if _, ok := m.done[at]; ok {
			return nil
		}
		if len(m.done) == doneLimit {
			clear(m.done)
		}
		m.done[at] = struct{}{}
		m.marks.add(commitThing(at))
		p, ok, err := m.r.pack(at)
		if err != nil {
			return err
		}
		if ok {
			m.marks.add(packThing(at))
			m.marks.add(stoneThing(p.Stone.ID))
			at = p.After
			continue
		}
		c, err := m.r.commit(at)
		if err != nil {
			return err
		}
		for _, ref := range c.Stones {
			m.marks.add(stoneThing(ref.ID))
		}
		at = c.Base
	}
	return nil
}
