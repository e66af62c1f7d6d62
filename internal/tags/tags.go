// Package tags makes NBT and names small. It splits many documents into streams in
// which values under the same names lie side by side, so a general compressor sees
// ten thousand chests as one. It has a number for each known name and block state of
// the game (words.txt). Documents come back byte for byte. The package does not
// compress; stone compresses the streams.
package tags

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/codec"
)

// The streams of a Writer.
const (
	streamTags  = iota // all but the following
	streamTexts        // strings, and documents that are not NBT
	streamBlobs        // the bytes that base64 strings encode
	// NumStreams is the number of streams.
	NumStreams
)

// Sections of the stream of tags.
const (
	sizes   = iota // how much each place has in the other sections
	heads          // new shapes and strings
	shapes         // numbers of shapes, lengths of lists and arrays
	picks          // numbers of strings
	numbers        // numbers
	numSections
)

// Limits of splitting. A Writer reports when it reaches one.
const (
	maxDepth  = 64      // levels of tags; deeper documents are kept raw
	maxPlaces = 1 << 14 // places of values
	maxNew    = 1 << 20 // members of shapes, and strings of places
	// maxGrowth is how much larger than their streams documents may be.
	maxGrowth = 1 << 12
	maxString = 1<<16 - 1
)

var (
	errShort = errors.New("ends too early")
	errLong  = errors.New("bytes left over")
)

func corrupt(off int, part string, err error) error {
	return &codec.CorruptError{Offset: int64(off), Part: part, Err: err}
}

func corruptf(off int, part, format string, args ...any) error {
	return corrupt(off, part, fmt.Errorf(format, args...))
}
