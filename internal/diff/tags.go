package diff

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// maxTags bounds the files that are compared as tags, in bytes.
const maxTags = 16 << 20

// in is where tags are found.
type in uint8

const (
	inDocument in = iota
	inPayload     // of a compound
	inFile        // perhaps compressed by gzip
)

// same compares the meaning of tags.
func (d *differ) same(where in, a, b []byte) bool {
	if bytes.Equal(a, b) || d.exact {
		return bytes.Equal(a, b)
	}
	switch where {
	case inPayload:
		a, b = document(a), document(b)
	case inFile:
		a, b = inflated(a), inflated(b)
	}
	_, same := nbt.Equal(a, b)
	return same
}

// inflated returns the tags of a file: its bytes, or what they are compressed by gzip. A file that is
// neither stays what it is.
func inflated(file []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return file
	}
	tags, err := io.ReadAll(io.LimitReader(z, maxTags+1))
	if err != nil || len(tags) > maxTags {
		return file
	}
	return tags
}

// document returns the payload of a compound as a document.
func document(payload []byte) []byte {
	return append(nbt.AppendCompound(make([]byte, 0, len(payload)+3), ""), payload...)
}
