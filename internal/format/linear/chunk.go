package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// metaSize returns the bytes in front of the tags of a chunk of a size in its frame.
func metaSize(version, size int) int {
	switch {
	case version == V2:
		return 12
	case version == Buffered && size > 0:
		return 20
	case version == Buffered:
		return 4
	}
	return 0
}

// skip passes over the tags of a chunk, and checks their hash if they have one.
func (g *Chunks) skip(slot int) error {
	n := g.Sizes[slot]
	if g.Version != Buffered || n == 0 {
		_, err := io.CopyN(io.Discard, g.dec, int64(n))
		return noEOF(err)
	}
	g.doc = slices.Grow(g.doc[:0], n)[:n]
	if _, err := io.ReadFull(g.dec, g.doc); err != nil {
		return noEOF(err)
	}
	if XXH32(g.doc, bufferedSeed) != binary.BigEndian.Uint32(g.buf[12:]) {
		g.bad[slot] = corrupt(g.Offset(slot), "frame", errors.New("the hash of the chunk differs"))
	}
	return nil
}

// Chunk returns the tags of a chunk that Sizes has, valid until the next call. It is fast, and holds few chunks, if slots
// are asked for in the order of the file or near it: two rows by z, or by x for Chunks that are ByColumn.
func (g *Chunks) Chunk(slot int) ([]byte, error) {
	if err := g.bad[slot]; err != nil || g.Sizes[slot] == 0 {
		return nil, err
	}
	if slot == g.last {
		return g.doc, nil
	}
	g.leave(slot)
	doc, ok := g.held[slot]
	if ok {
		delete(g.held, slot)
		g.waits -= int64(len(doc))
	} else {
		var err error
		if doc, err = g.find(slot); err != nil {
			return nil, err
		}
	}
	g.done[slot], g.last, g.doc = true, slot, doc
	return doc, nil
}

// pair returns which two rows of the region a slot is in.
func (g *Chunks) pair(slot int) int {
	if g.ByColumn {
		return slot & 31 >> 1
	}
	return slot >> 6
}

// leave drops the chunks of rows in front of those of a slot. Nobody asks for them any more.
func (g *Chunks) leave(slot int) {
	if g.last >= 0 && g.pair(slot) <= g.pair(g.last) {
		return
	}
	for s, doc := range g.held {
		if g.pair(s) < g.pair(slot) {
			g.waits -= int64(len(doc))
			delete(g.held, s)
		}
	}
}

// find reads the bucket of a slot, to its end unless it is the whole file. It holds the other chunks, as far as nobody has
// asked for them.
func (g *Chunks) find(slot int) (doc []byte, err error) {
	b := g.at[slot]
	one := g.buckets[b]
	if g.cur != b || g.next > slices.Index(one.slots, slot) {
		if err := g.start(b); err != nil {
			return nil, corrupt(one.start, "frame", err)
		}
	}
	for g.next < len(one.slots) && (doc == nil || len(one.slots) < Slots) {
		s := one.slots[g.next]
		if g.bad[s] != nil && doc != nil {
			break // the rest of the frame cannot be read, or was not
		}
		if _, err := io.CopyN(io.Discard, g.dec, int64(metaSize(g.Version, g.Sizes[s]))); err != nil {
			return nil, corrupt(one.start, "frame", noEOF(err))
		}
		g.next++
		if _, ok := g.held[s]; ok || g.done[s] && s != slot || g.bad[s] != nil {
			_, err = io.CopyN(io.Discard, g.dec, int64(g.Sizes[s]))
		} else if n := g.Sizes[s]; n > 0 {
			d := make([]byte, n)
			if _, err = io.ReadFull(g.dec, d); s == slot {
				doc = d
			} else if g.held[s], g.waits = d, g.waits+int64(n); g.waits > maxHeld+heldRatio*g.size {
				err = fmt.Errorf("%d bytes of chunks wait for others", g.waits)
			}
		}
		if err != nil {
			return nil, corrupt(one.start, "frame", noEOF(err))
		}
	}
	return doc, nil
}
