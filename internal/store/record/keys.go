package record

import (
	"encoding/binary"
	"hash/fnv"
	"strings"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// The first byte of a key is the kind of its record.
const (
	Names         = 'n' // of worlds
	DeletedWorlds = 't'
	Heads         = 'h'
	Leases        = 'o'
	Spent         = 'f' // numbers of leases
	Logs          = 'l'
	Commits       = 'c'
	Packs         = 'p'
	Stones        = 'i' // the Info of each stone
)

var be = binary.BigEndian

// NameKey is the key of the number of a world.
func NameKey(name string) []byte { return append([]byte{Names}, name...) }

// DeletedPrefix is the beginning of the keys of the worlds that were deleted under
// a name.
func DeletedPrefix(name string) []byte { return append(append([]byte{DeletedWorlds}, name...), 0) }

// DeletedKey is the key of the nth deleted world of a name.
func DeletedKey(name string, n uint64) []byte { return be.AppendUint64(DeletedPrefix(name), n) }

// Nameless reports whether a key of DeletedKey is that of a world without a name, which is
// being purged or taken in, or is shorter. Nobody can restore it.
func Nameless(key []byte) bool { return len(key) <= len(DeletedKey("", 0)) }

// NameOfDeleted returns the name in a key of DeletedKey, none if it is Nameless.
func NameOfDeleted(key []byte) string { return string(key[1:max(1, len(key)-9)]) }

// HeadKey is the key of the head of a world.
func HeadKey(w uint64) []byte { return be.AppendUint64([]byte{Heads}, w) }

// LeaseKey is the key of the lease of a world.
func LeaseKey(w uint64) []byte { return be.AppendUint64([]byte{Leases}, w) }

// SpentKey is the key of the highest fence that worlds had which lost this name. Names
// share the keys, so that they do not grow in number.
func SpentKey(name string) []byte {
	h := fnv.New32a()
	h.Write([]byte(name))
	return be.AppendUint16([]byte{Spent}, uint16(h.Sum32()%spentKeys))
}

const spentKeys = 4096

// LogOf is the beginning of the keys of a world's log.
func LogOf(w uint64) []byte { return be.AppendUint64([]byte{Logs}, w) }

// LogKey is the key of the entry with a number in a log.
func LogKey(w, number uint64) []byte {
	return be.AppendUint64(be.AppendUint64(append(make([]byte, 0, logKeyBytes), Logs), w), number)
}

const logKeyBytes = 1 + 8 + 8

// WorldOfLog returns the number of the world in a key of LogKey.
func WorldOfLog(key []byte) uint64 { return be.Uint64(key[1:]) }

// CommitKey is the key of a commit.
func CommitKey(id history.ID) []byte { return append([]byte{Commits}, id[:]...) }

// PackKey is the key of the pack for a commit.
func PackKey(upto history.ID) []byte { return append([]byte{Packs}, upto[:]...) }

// StoneKey is the key of the Info of a stone.
func StoneKey(id stone.ID) []byte { return append([]byte{Stones}, id[:]...) }

// Number returns the number at the end of a key.
func Number(key []byte) uint64 { return be.Uint64(key[len(key)-8:]) }

// End returns the first key after all keys that begin with prefix, or nil if there
// is none.
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

// Thing names a commit, a pack or a stone by its key.
type Thing [33]byte

// CommitThing returns the Thing of a commit.
func CommitThing(id history.ID) Thing { return Thing(CommitKey(id)) }

// PackThing returns the Thing of the pack for a commit.
func PackThing(upto history.ID) Thing { return Thing(PackKey(upto)) }

// StoneThing returns the Thing of a stone.
func StoneThing(id stone.ID) Thing { return Thing(StoneKey(id)) }

// Kind returns Commits, Packs or Stones.
func (t Thing) Kind() byte { return t[0] }

// inbox is the part of a name that stands after a world's.
const inbox = "/.inbox"

// Moved is the part of a name before the worlds that keep what is known of other places, such as isles/.moved/ID.
const Moved = ".moved"

// Hidden reports whether a name is that of a world which lists do not show: an inbox, or what is known of a place.
func Hidden(name string) bool {
	_, in := InboxOf(name)
	parts := strings.Split(name, "/")
	return in || len(parts) > 1 && parts[len(parts)-2] == Moved
}

// InboxName returns the name of the world that holds what was saved for a world and is no commit of it yet.
func InboxName(world string) string { return world + inbox }

// InboxOf undoes InboxName. ok is false if name is not that of an inbox.
func InboxOf(name string) (world string, ok bool) {
	world, ok = strings.CutSuffix(name, inbox)
	return world, ok && world != ""
}
