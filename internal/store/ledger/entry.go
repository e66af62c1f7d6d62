package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/store/history"
)

// The sizes and magic numbers of FORMAT.md.
const (
	entryMagic  = "cairnLe\x01"
	entryHeader = 8 + 8 + 8 + idBytes + nonceBytes + 4 + 4
	sumBytes    = 4
	idBytes     = 16
	nonceBytes  = 16

	flagClaim = 1 // the author writes a checkpoint of the state after this entry

	maxEntry  = 15 << 20 // bytes of an entry; a document of MongoDB has at most 16 MiB
	fullEntry = 1 << 20  // an entry of this size takes no further Swap
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// CorruptError is that of package cursor. Its part is a key of the bucket.
type CorruptError = cursor.CorruptError

// id names an entry: the hash of its bytes. An entry has the id of the one before,
// so an id stands for the whole log up to its entry.
type id [idBytes]byte

func idOf(entry []byte) id {
	sum := sha256.Sum256(entry)
	return id(sum[:])
}

// entry is the head of an entry of the log.
type entry struct {
	number uint64
	millis int64 // when it was written, by the ledger's time
	before id    // the entry before
	nonce  [nonceBytes]byte
	claim  bool
}

// change is a change of a record: a new value, or that the record is deleted.
type change struct {
	key, value []byte
	deleted    bool
}

// appendChange appends a change to the body of an entry.
func appendChange(b []byte, r history.Record) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.Key)))
	b = append(b, r.Key...)
	if r.Value == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Value))+1)
	return append(b, r.Value...)
}

// encode returns the bytes of an entry with a body of so many changes.
func (e entry) encode(changes int, body []byte) []byte {
	b := make([]byte, 0, entryHeader+len(body)+sumBytes)
	b = append(b, entryMagic...)
	b = le.AppendUint64(b, e.number)
	b = le.AppendUint64(b, uint64(e.millis))
	b = append(b, e.before[:]...)
	b = append(b, e.nonce[:]...)
	flags := uint32(0)
	if e.claim {
		flags |= flagClaim
	}
	b = le.AppendUint32(b, flags)
	b = le.AppendUint32(b, uint32(changes))
	b = append(b, body...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeEntry returns the entry in b, and calls each for its changes in their
// order. The slices lie in b. The part is for errors.
func decodeEntry(part string, b []byte, each func(change) error) (entry, error) {
	var e entry
	r, err := open(part, b, entryMagic, entryHeader)
	if err != nil {
		return e, err
	}
	e.number = r.Uint64()
	e.millis = int64(r.Uint64())
	e.before = id(r.Bytes(idBytes))
	e.nonce = [nonceBytes]byte(r.Bytes(nonceBytes))
	flags := r.Uint32()
	e.claim = flags&flagClaim != 0
	if flags&^uint32(flagClaim) != 0 || e.number == 0 || e.number > math.MaxInt64 || e.millis < 0 || e.millis > maxMillis {
		r.Fail(errors.New("the header has an unknown flag, or a number or time out of range"))
	}
	for n := r.Uint32(); n > 0 && r.Err() == nil; n-- {
		c := change{key: r.Bytes(r.AtMost(maxEntry))}
		if size := r.AtMost(maxEntry); size == 0 {
			c.deleted = true
		} else {
			c.value = r.Bytes(size - 1)
		}
		if r.Err() == nil {
			if err := each(c); err != nil {
				return e, err
			}
		}
	}
	return e, r.End()
}

// maxMillis is the last time that an entry may have, about the year 2255.
const maxMillis = 9e12

// open returns what is between the magic number and the checksum of an entry, a part of a
// checkpoint, or a mark. It has at least the header.
func open(part string, b []byte, magic string, header int) (*cursor.Cursor, error) {
	c := cursor.New(b, part)
	c.Magic(magic)
	if c.Err() == nil && len(b) < header+sumBytes {
		c.Fail(cursor.ErrShort)
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	end := len(b) - sumBytes
	if got, want := crc32.Checksum(b[:end], castagnoli), le.Uint32(b[end:]); got != want {
		return nil, &CorruptError{Offset: int64(end), Part: part, Err: fmt.Errorf("the checksum is %08x, not %08x", got, want)}
	}
	c = cursor.New(b[:end], part)
	c.Magic(magic)
	return &c, nil
}
