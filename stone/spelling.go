package stone

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/tags"
	"github.com/cairnvoxel/cairn/voxel"
)

// spelling is how strings are written in a directory of a form, and in pages of
// columns.
type spelling byte

const (
	byBytes spelling = 0
	byWords spelling = 1 // words of package tags as their numbers
)

func (s spelling) appendString(dst []byte, text string) []byte {
	if s == byBytes {
		return appendString(dst, text)
	}
	if n, ok := tags.WordNumber(text); ok {
		return binary.AppendUvarint(dst, uint64(n)<<1|1)
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))<<1), text...)
}

// string undoes appendString.
func (s spelling) string(c *cursor) string {
	if s == byBytes {
		return c.string()
	}
	n := c.size()
	if n&1 == 0 {
		return string(c.bytes(n >> 1))
	}
	text, ok := tags.Word(n >> 1)
	if !ok {
		c.fail(fmt.Errorf("unknown word %d", n>>1))
	}
	return text
}

// appendNames appends the names of a volume. The names of a palette that have
// numbers are written as a sorted set, after the empty cell's name.
func (s spelling) appendNames(dst []byte, schema voxel.Schema, names []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	if s == byBytes || schema != voxel.Palette || len(names) == 0 {
		return appendShared(dst, names)
	}
	dst = s.appendString(dst, names[0])
	var numbers []int
	var rest []string
	for _, name := range names[1:] {
		if n, ok := tags.NameNumber(name); ok {
			numbers = append(numbers, n)
		} else {
			rest = append(rest, name)
		}
	}
	slices.Sort(numbers)
	dst = binary.AppendUvarint(dst, uint64(len(numbers)))
	last := -1
	for _, n := range numbers {
		dst = binary.AppendUvarint(dst, uint64(n-last-1))
		last = n
	}
	return appendShared(dst, rest)
}

// numbered reads the names that have numbers.
func (p *parser) numbered(n int) []string {
	names := some[string](p.atMost(n))
	last := -1
	for i := range names {
		last += 1 + p.size()
		name, ok := tags.Name(last)
		if !ok || !p.room(len(name)) {
			p.fail(fmt.Errorf("unknown name %d", last))
			return nil
		}
		names[i] = name
	}
	return names
}
