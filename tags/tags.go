// Package tags makes NBT and names small: it splits many documents into streams
// in which what lies under the same names lies side by side, so that a general
// compressor sees ten thousand chests as one, and it has a number for each name
// and block state of the game that is known (words.txt), so that these need no
// spelling. Documents come back byte for byte.
//
// The package compresses nothing, and it knows no meaning of tags and no
// versions of the game: stone frames and packs the streams.
package tags

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/codec"
)

// The streams of a Writer.
const (
	streamTags  = iota // all but the following
	streamTexts        // strings, and documents that are no NBT
	streamBlobs        // what base64 strings stand for
	// NumStreams is how many streams there are.
	NumStreams
)

// Sections of the stream of tags.
const (
	sizes   = iota // of what each place has in the others
	heads          // shapes and strings when they are new
	shapes         // numbers of shapes, lengths of lists and arrays
	picks          // numbers of strings
	numbers        // numbers
	numSections
)

// Limits of what is split; a Writer says when it meets one.
const (
	maxDepth  = 64      // of tags within each other; what is deeper is kept as it is
	maxPlaces = 1 << 14 // that values lie at
	maxNew    = 1 << 20 // members of shapes, and strings of places
	// maxGrowth is by how much documents may be larger than their streams.
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
