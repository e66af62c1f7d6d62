package record

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Sizes of values.
const (
	headBytes    = 32 + 8
	entryBytes   = 32 + 8
	deletedBytes = 8 + 8
	packBytes    = 32 + 32 + 8
	infoBytes    = 8 + 1 + 8 // and 8 more if the stone has a number
)

// NumberValue is the value of NameKey.
func NumberValue(n uint64) []byte { return be.AppendUint64(nil, n) }

// ParseNumber is the inverse of NumberValue.
func ParseNumber(b []byte) (uint64, error) {
	if len(b) != 8 {
		return 0, wrongSize("number", b)
	}
	return be.Uint64(b), nil
}

// HeadValue is the value of HeadKey.
func HeadValue(h history.Head) []byte {
	return be.AppendUint64(append(make([]byte, 0, headBytes), h.Commit[:]...), h.Fence)
}

// ParseHead is the inverse of HeadValue.
func ParseHead(b []byte) (history.Head, error) {
	if len(b) != headBytes {
		return history.Head{}, wrongSize("head", b)
	}
	return history.Head{Commit: history.ID(b[:32]), Fence: be.Uint64(b[32:])}, nil
}

// LeaseValue is the value of LeaseKey: the fields of a lease that are not in the
// head.
func LeaseValue(l history.Lease) []byte {
	return append(be.AppendUint64(nil, uint64(l.Until.UnixMilli())), l.Holder...)
}

// ParseLease returns the lease with this fence and the LeaseValue b.
func ParseLease(fence uint64, b []byte) (history.Lease, error) {
	if len(b) < 8 || len(b) > 8+history.MaxHolder {
		return history.Lease{}, wrongSize("lease", b)
	}
	return history.Lease{Fence: fence, Holder: string(b[8:]), Until: millis(b)}, nil
}

// Entry is a commit in a log.
type Entry struct {
	Number uint64 // stored in the key
	Commit history.ID
	Time   time.Time
}

// Value is the value of LogKey.
func (e Entry) Value() []byte {
	return be.AppendUint64(append(make([]byte, 0, entryBytes), e.Commit[:]...), uint64(e.Time.UnixMilli()))
}

// ParseEntry is the inverse of LogKey and Value.
func ParseEntry(key, b []byte) (Entry, error) {
	if len(key) != logKeyBytes || len(b) != entryBytes {
		return Entry{}, wrongSize("log", b)
	}
	return Entry{be.Uint64(key[9:]), history.ID(b[:32]), millis(b[32:])}, nil
}

// DeletedWorld is a deleted world.
type DeletedWorld struct {
	World   uint64
	Deleted time.Time
}

// Value is the value of DeletedKey.
func (g DeletedWorld) Value() []byte {
	return be.AppendUint64(be.AppendUint64(make([]byte, 0, deletedBytes), g.World), uint64(g.Deleted.UnixMilli()))
}

// ParseDeleted is the inverse of Value.
func ParseDeleted(b []byte) (DeletedWorld, error) {
	if len(b) != deletedBytes {
		return DeletedWorld{}, wrongSize("deleted world", b)
	}
	return DeletedWorld{be.Uint64(b), millis(b[8:])}, nil
}

// PackValue is the value of PackKey.
func PackValue(p history.Pack) []byte {
	b := append(append(make([]byte, 0, packBytes), p.After[:]...), p.Stone.ID[:]...)
	return be.AppendUint64(b, uint64(p.Stone.Size))
}

// ParsePack returns the pack for a commit with the PackValue b.
func ParsePack(upto history.ID, b []byte) (history.Pack, error) {
	if len(b) != packBytes {
		return history.Pack{}, wrongSize("pack", b)
	}
	ref := history.StoneRef{ID: stone.ID(b[32:64]), Size: int64(be.Uint64(b[64:]))}
	return history.Pack{After: history.ID(b[:32]), Upto: upto, Stone: ref}, nil
}

// ParseCommit returns the commit with the record b. A nil record means that there
// is none.
func ParseCommit(id history.ID, b []byte) (history.Commit, error) {
	if b == nil {
		return history.Commit{}, fmt.Errorf("%v: %w", id, history.ErrNoCommit)
	}
	c, err := history.ParseCommit(b)
	if err == nil && sha256.Sum256(b) != id {
		err = &stone.CorruptError{Part: "commit", Err: fmt.Errorf("%v is stored as %v", c.ID(), id)}
	}
	return c, err
}

// Info is what a store knows of a stone without reading its bytes.
type Info struct {
	Size      int64
	File      bool      // store/disk keeps its bytes in a file
	Number    uint64    // in the key of its bytes; 0 for files, and for the small stones of a pair
	Condemned bool      // by Collect
	Since     time.Time // when it was condemned
}

const (
	flagFile      = 1
	flagCondemned = 2
	flagNumbered  = 4
)

// Value is the value of StoneKey.
func (i Info) Value() []byte {
	var flags byte
	if i.File {
		flags |= flagFile
	}
	var since int64
	if i.Condemned {
		flags |= flagCondemned
		since = i.Since.UnixMilli()
	}
	if i.Number > 0 {
		flags |= flagNumbered
	}
	b := make([]byte, 0, infoBytes+8)
	b = be.AppendUint64(append(be.AppendUint64(b, uint64(i.Size)), flags), uint64(since))
	if i.Number > 0 {
		b = be.AppendUint64(b, i.Number)
	}
	return b
}

// ParseInfo is the inverse of Value.
func ParseInfo(b []byte) (Info, error) {
	if len(b) < infoBytes || b[8] > flagFile|flagCondemned|flagNumbered {
		return Info{}, wrongSize("stone", b)
	}
	want, numbered := infoBytes, b[8]&flagNumbered != 0
	if numbered {
		want += 8
	}
	if len(b) != want {
		return Info{}, wrongSize("stone", b)
	}
	i := Info{Size: int64(be.Uint64(b)), File: b[8]&flagFile != 0, Condemned: b[8]&flagCondemned != 0}
	if i.Condemned {
		i.Since = millis(b[9:])
	}
	if numbered {
		i.Number = be.Uint64(b[infoBytes:])
	}
	return i, nil
}

func millis(b []byte) time.Time { return time.UnixMilli(int64(be.Uint64(b))).UTC() }

// wrongSize returns a *stone.CorruptError.
func wrongSize(part string, b []byte) error {
	return &stone.CorruptError{Part: part, Err: fmt.Errorf("%w: %x", errRecord, b)}
}

var errRecord = errors.New("not a record of this kind")
