package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/tags"
)

// Spelling is how strings are written in a directory of a form, and in pages of
// columns.
type Spelling byte

// The spellings.
const (
	ByBytes Spelling = 0
	ByWords Spelling = 1 // words of package tags as their numbers
)

// Append appends a string.
func (s Spelling) Append(dst []byte, text string) []byte {
	if s == ByBytes {
		return AppendString(dst, text)
	}
	if n, ok := tags.WordNumber(text); ok {
		return binary.AppendUvarint(dst, uint64(n)<<1|1)
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))<<1), text...)
}

// Text reads what Append appended.
func (s Spelling) Text(c *cursor.Cursor) string {
	if s == ByBytes {
		return c.Text()
	}
	n := c.Size()
	if n&1 == 0 {
		return string(c.Bytes(n >> 1))
	}
	text, ok := tags.Word(n >> 1)
	if !ok {
		c.Fail(fmt.Errorf("unknown word %d", n>>1))
	}
	return text
}

// AppendNames appends the names of a volume. The names of a set, a palette, that have
// numbers are written as a sorted set, after the empty cell's name.
func (s Spelling) AppendNames(dst []byte, set bool, names []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	if s == ByBytes || !set || len(names) == 0 {
		return appendShared(dst, names)
	}
	dst = s.Append(dst, names[0])
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

// appendShared appends names, each without the prefix that it shares with the
// previous one.
func appendShared(dst []byte, names []string) []byte {
	prev := ""
	for _, n := range names {
		same := 0
		for same < len(n) && same < len(prev) && n[same] == prev[same] {
			same++
		}
		dst = binary.AppendUvarint(dst, uint64(same))
		dst = AppendString(dst, n[same:])
		prev = n
	}
	return dst
}

// Names reads what AppendNames appended, at most so many names. room gets the bytes of
// each name, and says whether there may be so many; else it fails c.
func (s Spelling) Names(c *cursor.Cursor, set bool, most int, room func(int) bool) []string {
	if s == ByBytes || !set {
		return shared(c, c.Count(2, most), room)
	}
	n := c.Count(1, most)
	if n == 0 {
		return nil
	}
	names := []string{s.Text(c)}
	names = append(names, numbered(c, n-1, room)...)
	rest := shared(c, n-len(names), room)
	if !Ascending(rest) {
		c.Fail(errors.New("spelled names not in strictly ascending order"))
	}
	names = append(names, rest...)
	if c.Err() != nil {
		return nil
	}
	slices.Sort(names[1:])
	return names
}

// numbered reads the names that have numbers.
func numbered(c *cursor.Cursor, n int, room func(int) bool) []string {
	names := Some[string](c.AtMost(n))
	last := -1
	for i := range names {
		last += 1 + c.Size()
		name, ok := tags.Name(last)
		if !ok || !room(len(name)) {
			c.Fail(fmt.Errorf("unknown name %d", last))
			return nil
		}
		names[i] = name
	}
	return names
}

// shared reads n names.
func shared(c *cursor.Cursor, n int, room func(int) bool) []string {
	names := Some[string](n)
	prev := ""
	for i := range names {
		same, tail := c.Size(), c.Text()
		if same > len(prev) {
			c.Fail(errors.New("a name shares more than the name before it has"))
			return nil
		}
		if !room(same + len(tail)) {
			return nil
		}
		prev = prev[:same] + tail
		names[i] = prev
	}
	return names
}

// Ascending reports whether names are sorted, none twice.
func Ascending(names []string) bool {
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			return false
		}
	}
	return true
}
