package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

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

// CorruptError says where the bytes of an entry or of a checkpoint are wrong.
type CorruptError struct {
	Part   string // the key of the bytes, or what they are
	Offset int64  // from the start of the bytes
	Err    error  // the cause, never nil; io.ErrUnexpectedEOF where bytes are missing
}

// Error names the part, the offset and the cause.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("ledger: %s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

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
	r := &reader{part: part, b: b}
	if err := r.frame(entryMagic, entryHeader); err != nil {
		return e, err
	}
	e.number = le.Uint64(r.take(8))
	e.millis = int64(le.Uint64(r.take(8)))
	e.before = id(r.take(idBytes))
	e.nonce = [nonceBytes]byte(r.take(nonceBytes))
	flags := le.Uint32(r.take(4))
	e.claim = flags&flagClaim != 0
	if flags&^uint32(flagClaim) != 0 || e.number == 0 || e.number > math.MaxInt64 || e.millis < 0 || e.millis > maxMillis {
		return e, r.fail(errors.New("the header has an unknown flag, or a number or time out of range"))
	}
	for n := le.Uint32(r.take(4)); n > 0; n-- {
		c, err := r.change()
		if err == nil {
			err = each(c)
		}
		if err != nil {
			return e, err
		}
	}
	return e, r.end()
}

// maxMillis is the last time that an entry may have, about the year 2255.
const maxMillis = 9e12

// reader reads an entry, a part of a checkpoint, or a mark. All begin with a magic
// number and end with a checksum.
type reader struct {
	part string
	b    []byte // without the checksum, once frame was called
	at   int
}

func (r *reader) fail(err error) error { return &CorruptError{r.part, int64(r.at), err} }

// frame checks the magic number, the checksum and that the header is there.
func (r *reader) frame(magic string, header int) error {
	if len(r.b) < header+sumBytes {
		r.at = len(r.b)
		return r.fail(io.ErrUnexpectedEOF)
	}
	if !bytes.HasPrefix(r.b, []byte(magic)) {
		return r.fail(fmt.Errorf("it begins with %q, not with %q", r.b[:len(magic)], magic))
	}
	end := len(r.b) - sumBytes
	if got, want := crc32.Checksum(r.b[:end], castagnoli), le.Uint32(r.b[end:]); got != want {
		r.at = end
		return r.fail(fmt.Errorf("the checksum is %08x, not %08x", got, want))
	}
	r.b = r.b[:end]
	r.at = len(magic)
	return nil
}

// take returns the next n bytes of the header.
func (r *reader) take(n int) []byte {
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

// number reads an unsigned varint that is at most limit.
func (r *reader) number(limit uint64) (uint64, error) {
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		return 0, r.fail(io.ErrUnexpectedEOF)
	case n < 0 || v > limit:
		return 0, r.fail(fmt.Errorf("a number is above %d", limit))
	}
	r.at += n
	return v, nil
}

// bytes reads n bytes, of which there may be fewer.
func (r *reader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)-r.at) {
		return nil, r.fail(io.ErrUnexpectedEOF)
	}
	return r.take(int(n)), nil
}

func (r *reader) change() (c change, err error) {
	n, err := r.number(maxEntry)
	if err == nil {
		c.key, err = r.bytes(n)
	}
	if err == nil {
		n, err = r.number(maxEntry)
	}
	switch {
	case err != nil:
		return c, err
	case n == 0:
		c.deleted = true
		return c, nil
	}
	c.value, err = r.bytes(n - 1)
	return c, err
}

// end checks that all bytes were read.
func (r *reader) end() error {
	if r.at != len(r.b) {
		return r.fail(fmt.Errorf("%d bytes follow the end", len(r.b)-r.at))
	}
	return nil
}
