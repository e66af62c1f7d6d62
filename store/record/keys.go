package record

import (
	"encoding/binary"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// The first byte of a key is its kind.
const (
	Names   = 'n' // worlds by their names
	Graves  = 't' // deleted worlds
	Heads   = 'h'
	Leases  = 'o'
	Logs    = 'l'
	Commits = 'c'
	Packs   = 'p'
	Stones  = 'i' // what is known of stones without reading them
)

var be = binary.BigEndian

// NameKey is where a world's number is.
func NameKey(name string) []byte { return append([]byte{Names}, name...) }

// GravesOf is what the keys begin with of the worlds that were deleted under a name.
func GravesOf(name string) []byte { return append(append([]byte{Graves}, name...), 0) }

// GraveKey is where the nth deleted world of a name is.
func GraveKey(name string, n uint64) []byte { return be.AppendUint64(GravesOf(name), n) }

// NameOfGrave returns the name in a key of GraveKey.
func NameOfGrave(key []byte) string { return string(key[1 : len(key)-9]) }

// HeadKey is where the head of a world is.
func HeadKey(w uint64) []byte { return be.AppendUint64([]byte{Heads}, w) }

// LeaseKey is where the lease of a world is.
func LeaseKey(w uint64) []byte { return be.AppendUint64([]byte{Leases}, w) }

// LogOf is what the keys of a world's log begin with.
func LogOf(w uint64) []byte { return be.AppendUint64([]byte{Logs}, w) }

// LogKey is where the commit with a number is in a log.
func LogKey(w, number uint64) []byte {
	return be.AppendUint64(be.AppendUint64(append(make([]byte, 0, logKeyBytes), Logs), w), number)
}

const logKeyBytes = 1 + 8 + 8

// CommitKey is where a commit is.
func CommitKey(id history.ID) []byte { return append([]byte{Commits}, id[:]...) }

// PackKey is where the pack for a commit is.
func PackKey(upto history.ID) []byte { return append([]byte{Packs}, upto[:]...) }

// StoneKey is where the Info of a stone is.
func StoneKey(id stone.ID) []byte { return append([]byte{Stones}, id[:]...) }

// Number returns the number that a key ends with.
func Number(key []byte) uint64 { return be.Uint64(key[len(key)-8:]) }

// End returns the first key after all that begin with prefix, nil if there is none.
func End(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// Thing is a commit, a pack or a stone: its key.
type Thing [33]byte

// CommitThing is a commit.
func CommitThing(id history.ID) Thing { return Thing(CommitKey(id)) }

// PackThing is the pack for a commit.
func PackThing(upto history.ID) Thing { return Thing(PackKey(upto)) }

// StoneThing is a stone.
func StoneThing(id stone.ID) Thing { return Thing(StoneKey(id)) }

// Kind returns Commits, Packs or Stones.
func (t Thing) Kind() byte { return t[0] }
