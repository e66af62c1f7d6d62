// Package nbt reads and writes NBT, Mojang's binary format of named, typed tags. It
// has a Reader that walks a document in memory without allocating, functions that
// append tags, ordered trees, and a comparison of documents.
//
// The form is the uncompressed big-endian one of Java Edition on disk:
// https://minecraft.wiki/w/NBT_format. Documents may be hostile: every length is
// checked against the remaining bytes before anything is sliced or allocated, and
// depth and size are bounded.
//
// The package does not compress. It does not read the little-endian forms of Bedrock
// Edition, which package bedrock turns into this one, or the nameless roots of the network protocol; see NewPayload for the
// latter.
package nbt

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// Type is the type of a tag, the byte that denotes it in a document.
type Type uint8

// The types. End has no payload. It closes a compound, and an empty list may have it
// as its element type.
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
	if t.Valid() {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

var names = [...]string{"end", "byte", "short", "int", "long", "float", "double", "byte array", "string", "list", "compound", "int array", "long array"}

// fixed holds by type the bytes of a payload of fixed size, else 0.
const fixed = "\x00\x01\x02\x04\x08\x04\x08\x00\x00\x00\x00\x00\x00"

// least holds by type the least bytes of a payload.
const least = "\x00\x01\x02\x04\x08\x04\x08\x04\x02\x05\x01\x04\x04"

// Limits bounds what is read. Fields that are not above 0 have their default.
type Limits struct {
	Depth int // nested compounds and lists. Default 512, the game's limit
	Bytes int // size of a document. Default 256 MiB
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
