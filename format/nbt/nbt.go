// Package nbt reads and writes NBT, Mojang's binary format of named, typed
// tags: a Reader that walks a document in memory without allocating, functions
// that append tags, ordered trees, and a comparison of documents.
//
// It is the uncompressed big-endian form of Java Edition on disk:
// https://minecraft.wiki/w/NBT_format. Documents may come from anywhere: every
// length is checked against the bytes that remain before anything is sliced or
// allocated, and depth and size are bounded.
//
// The package does not compress, does not read the little-endian forms of
// Bedrock Edition or the nameless roots of the network protocol (but see
// NewPayload), and knows nothing of what tags mean.
package nbt

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// Type is a tag's type, the byte that stands for it in a document.
type Type uint8

// The types. End has no payload: it closes a compound, and is what an empty
// list may give as the type of its elements.
const (
	End Type = iota
	Byte
	Short
	Int
	Long
	Float
	Double
	ByteArray
	String
	List
	Compound
	IntArray
	LongArray
)

// Valid reports whether t is one of the types above.
func (t Type) Valid() bool { return t <= LongArray }

func (t Type) String() string {
	switch t {
	case End:
		return "end"
	case Byte:
		return "byte"
	case Short:
		return "short"
	case Int:
		return "int"
	case Long:
		return "long"
	case Float:
		return "float"
	case Double:
		return "double"
	case ByteArray:
		return "byte array"
	case String:
		return "string"
	case List:
		return "list"
	case Compound:
		return "compound"
	case IntArray:
		return "int array"
	case LongArray:
		return "long array"
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// fixed holds by type the bytes of a payload that always has as many, else 0.
const fixed = "\x00\x01\x02\x04\x08\x04\x08\x00\x00\x00\x00\x00\x00"

// least holds by type the bytes that a payload has at least.
const least = "\x00\x01\x02\x04\x08\x04\x08\x04\x02\x05\x01\x04\x04"

// Limits bounds what is read. A field that is not above 0 has its default.
type Limits struct {
	Depth int // compounds and lists within each other. Default 512, the game's own limit
	Bytes int // of a document. Default 256 MiB
}

func (l Limits) resolve() Limits {
	if l.Depth <= 0 {
		l.Depth = 512
	}
	if l.Bytes <= 0 {
		l.Bytes = 256 << 20
	}
	return l
}

// CorruptError says where a document is wrong: its Part is "nbt: " and the type of the
// tag, "root" or "name".
type CorruptError = voxel.CorruptError

// prefix begins the Part of errors.
const prefix = "nbt: "
