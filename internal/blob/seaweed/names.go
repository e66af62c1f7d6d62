package seaweed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// ErrChanged says that a condition of a Swap does not hold.
var ErrChanged = errors.New("the names were changed meanwhile")

// Name is a record of Names: FORMAT.md has the kinds. A nil value is no record.
type Name struct {
	Key   string // of the bytes of a blob key and at most 40 more
	Value []byte
}

// Records says where the bytes of keys are, because SeaweedFS chooses the names of its
// files itself. It must be at least as safe as the bytes: a catalogue. It may be a
// blob.Clock too; then the age of records is by this clock.
type Records interface {
	// Get returns the value of a record, or nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Scan returns up to n records whose keys begin with prefix and are greater
	// than after, in ascending order of bytes.
	Scan(ctx context.Context, prefix, after string, n int) ([]Name, error)
	// Swap makes all changes if all conditions hold: that a record has this value,
	// or that there is none. Otherwise it makes none and returns ErrChanged. After
	// another error it is unknown whether the changes are made, now or later.
	Swap(ctx context.Context, conditions, changes []Name) error
}

// Prefixes of the kinds of records: see FORMAT.md.
const (
	nameOf    = "n/" // KEY: where its bytes are
	fewerOf   = "f/" // KEY: its bytes have fewer copies than they should
	batchOf   = "b/" // FILE: file ids that a process may write to
	usedOf    = "u/" // FILE/INDEX: an id of a batch that has a name
	garbageOf = "g/" // FILE: bytes to delete
)

var be = binary.BigEndian

// set is the value of records whose key says everything.
var set = []byte{1}

// file is the name that SeaweedFS gives to bytes: the volume, the number in it, and a
// number that cannot be guessed.
type file struct {
	volume uint32
	number uint64
	cookie uint32
}

// String is the file id in a URL.
func (f file) String() string {
	return fmt.Sprintf("%d,%x%08x", f.volume, be.AppendUint64(nil, f.number)[zeros(f.number):], f.cookie)
}

// zeros is the number of bytes before the first one that is not 0.
func zeros(n uint64) int {
	i := 0
	for i < 8 && byte(n>>(56-8*i)) == 0 {
		i++
	}
	return i
}

// parseFile is the inverse of String.
func parseFile(s string) (file, error) {
	vol, rest, ok := strings.Cut(s, ",")
	cut := len(rest) - 8
	if !ok || cut < 1 {
		return file{}, fmt.Errorf("file id %q", s)
	}
	v, err1 := strconv.ParseUint(vol, 10, 32)
	n, err2 := strconv.ParseUint(rest[:cut], 16, 64)
	c, err3 := strconv.ParseUint(rest[cut:], 16, 32)
	if err := errors.Join(err1, err2, err3); err != nil {
		return file{}, fmt.Errorf("file id %q: %w", s, err)
	}
	return file{uint32(v), n, uint32(c)}, nil
}

// CorruptError is that of package cursor. Its part is the key of a record.
type CorruptError = cursor.CorruptError

// bad returns an error about a part of a record.
func bad(key string, offset int64, part string) error {
	return &CorruptError{Offset: offset, Part: fmt.Sprintf("record %q", key), Err: errors.New("bad " + part)}
}

// place is where the bytes of a key are: the value of its record.
type place struct {
	modified time.Time // to the second
	size     int64
	copies   int
	partSize int64 // of each part but the last
	parts    []part
}

type part struct {
	file
	sum uint32 // CRC-32C
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	version   = 1
	placeHead = 22
	partBytes = 20
)

func (p *place) value() []byte {
	b := append(make([]byte, 0, placeHead+partBytes*len(p.parts)), version, byte(p.copies))
	b = be.AppendUint64(b, uint64(p.modified.Unix()))
	b = be.AppendUint64(b, uint64(p.size))
	b = be.AppendUint32(b, uint32(p.partSize))
	for _, q := range p.parts {
		b = be.AppendUint32(b, q.volume)
		b = be.AppendUint64(b, q.number)
		b = be.AppendUint32(b, q.cookie)
		b = be.AppendUint32(b, q.sum)
	}
	return b
}

// decodePlace is the inverse of value.
func decodePlace(key string, b []byte) (*place, error) {
	refuse := func(offset int64, part string) (*place, error) { return nil, bad(key, offset, part) }
	switch {
	case len(b) < placeHead:
		return refuse(int64(len(b)), "length")
	case b[0] != version:
		return refuse(0, "version")
	case b[1] == 0:
		return refuse(1, "number of copies")
	}
	p := &place{copies: int(b[1]), modified: time.Unix(int64(be.Uint64(b[2:])), 0).UTC(), size: int64(be.Uint64(b[10:])), partSize: int64(be.Uint32(b[18:]))}
	if p.size < 0 {
		return refuse(10, "size")
	}
	if p.partSize == 0 {
		return refuse(18, "size of parts")
	}
	n := p.size / p.partSize
	if p.size%p.partSize != 0 {
		n++
	}
	if n != int64(len(b)-placeHead)/partBytes || (len(b)-placeHead)%partBytes != 0 {
		return refuse(placeHead, "number of parts")
	}
	for b = b[placeHead:]; len(b) > 0; b = b[partBytes:] {
		p.parts = append(p.parts, part{file{be.Uint32(b), be.Uint64(b[4:]), be.Uint32(b[12:])}, be.Uint32(b[16:])})
	}
	return p, nil
}

// grant is the value of the record of a batch.
type grant struct {
	ended  bool // nobody may use its ids any more
	copies int
	count  int
	began  time.Time
}

const grantBytes = 13

func (g grant) value() []byte {
	b := []byte{version, 0, byte(g.copies)}
	if g.ended {
		b[1] = 1
	}
	b = be.AppendUint16(b, uint16(g.count))
	return be.AppendUint64(b, uint64(g.began.Unix()))
}

func decodeGrant(key string, b []byte) (grant, error) {
	switch {
	case len(b) != grantBytes:
		return grant{}, bad(key, int64(len(b)), "length")
	case b[0] != version:
		return grant{}, bad(key, 0, "version")
	case b[1] > 1:
		return grant{}, bad(key, 1, "state")
	}
	return grant{b[1] == 1, int(b[2]), int(be.Uint16(b[3:])), time.Unix(int64(be.Uint64(b[5:])), 0)}, nil
}

// usedKey is the key of the record of one id of a batch.
func usedKey(f file, i int) string { return fmt.Sprintf("%s%v/%04x", usedOf, f, i) }
