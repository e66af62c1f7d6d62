package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// The keys of FORMAT.md. The first byte is the kind.

var be = binary.BigEndian

func nameKey(name string) []byte { return append([]byte{'n'}, name...) }

func gravesOf(name string) []byte { return append(append([]byte{'t'}, name...), 0) }

func graveKey(name string, n uint64) []byte { return be.AppendUint64(gravesOf(name), n) }

func headKey(w uint64) []byte { return be.AppendUint64([]byte{'h'}, w) }

func leaseKey(w uint64) []byte { return be.AppendUint64([]byte{'o'}, w) }

func logOf(w uint64) []byte { return be.AppendUint64([]byte{'l'}, w) }

func logKey(w, number uint64) []byte { return be.AppendUint64(logOf(w), number) }

func commitKey(id history.ID) []byte { return append([]byte{'c'}, id[:]...) }

func packKey(id history.ID) []byte { return append([]byte{'p'}, id[:]...) }

func infoKey(id stone.ID) []byte { return append([]byte{'i'}, id[:]...) }

// dataKey is where the bytes of a stone are that is no file.
func (i info) dataKey(id stone.ID) []byte {
	if i.number == 0 {
		return append([]byte{'s'}, id[:]...)
	}
	return append(be.AppendUint64([]byte{'d'}, i.number), id[:]...)
}

// span is all keys that begin with prefix.
func span(prefix ...byte) *pebble.IterOptions {
	o := &pebble.IterOptions{LowerBound: prefix}
	for i := len(prefix) - 1; i >= 0 && o.UpperBound == nil; i-- {
		if prefix[i] < 0xff {
			o.UpperBound = append([]byte(nil), prefix[:i+1]...)
			o.UpperBound[i]++
		}
	}
	return o
}

// A value is one of these, whose sizes do not vary.

const (
	headBytes  = 32 + 8
	entryBytes = 32 + 8
	graveBytes = 8 + 8
	packBytes  = 32 + 32 + 8
	infoBytes  = 8 + 1 + 8 // and 8 if the stone has a number
)

func headValue(h history.Head) []byte {
	return be.AppendUint64(h.Commit[:len(h.Commit):len(h.Commit)], h.Fence)
}

func parseHead(b []byte) (history.Head, error) {
	if len(b) != headBytes {
		return history.Head{}, wrongSize("head", b)
	}
	return history.Head{Commit: history.ID(b[:32]), Fence: be.Uint64(b[32:])}, nil
}

// leaseValue is what of a lease is not in the head.
func leaseValue(l history.Lease) []byte {
	return append(be.AppendUint64(nil, uint64(l.Until.UnixMilli())), l.Holder...)
}

func parseLease(fence uint64, b []byte) (history.Lease, error) {
	if len(b) < 8 || len(b) > 8+history.MaxHolder {
		return history.Lease{}, wrongSize("lease", b)
	}
	return history.Lease{Fence: fence, Holder: string(b[8:]), Until: millis(b)}, nil
}

// entry is a commit in a log.
type entry struct {
	number uint64
	commit history.ID
	time   time.Time
}

func (e entry) value() []byte {
	return be.AppendUint64(append([]byte(nil), e.commit[:]...), uint64(e.time.UnixMilli()))
}

func parseEntry(key, b []byte) (entry, error) {
	if len(key) != 17 || len(b) != entryBytes {
		return entry{}, wrongSize("log", b)
	}
	return entry{be.Uint64(key[9:]), history.ID(b[:32]), millis(b[32:])}, nil
}

// grave is a deleted world.
type grave struct {
	world   uint64
	deleted time.Time
}

func (g grave) value() []byte {
	return be.AppendUint64(be.AppendUint64(nil, g.world), uint64(g.deleted.UnixMilli()))
}

func parseGrave(b []byte) (grave, error) {
	if len(b) != graveBytes {
		return grave{}, wrongSize("deleted world", b)
	}
	return grave{be.Uint64(b), millis(b[8:])}, nil
}

func packValue(p history.Pack) []byte {
	b := append(append([]byte(nil), p.After[:]...), p.Stone.ID[:]...)
	return be.AppendUint64(b, uint64(p.Stone.Size))
}

func parsePack(upto history.ID, b []byte) (history.Pack, error) {
	if len(b) != packBytes {
		return history.Pack{}, wrongSize("pack", b)
	}
	ref := history.StoneRef{ID: stone.ID(b[32:64]), Size: int64(be.Uint64(b[64:]))}
	return history.Pack{After: history.ID(b[:32]), Upto: upto, Stone: ref}, nil
}

// parseCommit returns the commit whose record is b; there is none if that is nil.
func parseCommit(id history.ID, b []byte) (history.Commit, error) {
	if b == nil {
		return history.Commit{}, fmt.Errorf("%v: %w", id, history.ErrNoCommit)
	}
	c, err := history.ParseCommit(b)
	if err == nil && sha256.Sum256(b) != id {
		err = &stone.CorruptError{Part: "commit", Err: fmt.Errorf("%v is kept as %v", c.ID(), id)}
	}
	return c, err
}

// info is what is known of a stone without reading it.
type info struct {
	size   int64
	file   bool   // its bytes are a file
	number uint64 // of its bytes in the order in which they came; 0 of files and in old stores
	doomed bool   // condemned, since when
	since  time.Time
}

const (
	flagFile     = 1
	flagDoomed   = 2
	flagNumbered = 4
)

func (i info) value() []byte {
	var flags byte
	if i.file {
		flags |= flagFile
	}
	var since int64
	if i.doomed {
		flags |= flagDoomed
		since = i.since.UnixMilli()
	}
	if i.number > 0 {
		flags |= flagNumbered
	}
	b := be.AppendUint64(append(be.AppendUint64(nil, uint64(i.size)), flags), uint64(since))
	if i.number > 0 {
		b = be.AppendUint64(b, i.number)
	}
	return b
}

func parseInfo(b []byte) (info, error) {
	if len(b) < infoBytes || b[8] > flagFile|flagDoomed|flagNumbered {
		return info{}, wrongSize("stone", b)
	}
	want, numbered := infoBytes, b[8]&flagNumbered != 0
	if numbered {
		want += 8
	}
	if len(b) != want {
		return info{}, wrongSize("stone", b)
	}
	i := info{size: int64(be.Uint64(b)), file: b[8]&flagFile != 0, doomed: b[8]&flagDoomed != 0}
	if i.doomed {
		i.since = millis(b[9:])
	}
	if numbered {
		i.number = be.Uint64(b[infoBytes:])
	}
	return i, nil
}

func millis(b []byte) time.Time { return time.UnixMilli(int64(be.Uint64(b))).UTC() }

// wrongSize is a *stone.CorruptError.
func wrongSize(part string, b []byte) error {
	return &stone.CorruptError{Part: part, Err: fmt.Errorf("%w: %x", errRecord, b)}
}

var errRecord = errors.New("not a record of this kind")

func parseStone(s string) (stone.ID, bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(stone.ID{}) {
		return stone.ID{}, false
	}
	return stone.ID(b), true
}
