package pages

import (
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/tags"
)

// Spelling is how strings stand in the directory, whose form it is, and in pages
// of columns.
type Spelling byte

// The spellings.
const (
	ByBytes Spelling = 0
	ByWords Spelling = 1 // words of package tags by their number
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
func (s Spelling) Text(c *Cursor) string {
	if s == ByBytes {
		return c.Text()
	}
	n := c.Size()
	if n&1 == 0 {
		return string(c.Bytes(n >> 1))
	}
	text, ok := tags.Word(n >> 1)
	if !ok {
		c.Fail(fmt.Errorf("word %d, which nobody knows", n>>1))
	}
	return text
}
