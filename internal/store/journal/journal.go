// Package journal reads the log and the manifests of the database behind a store in a
// directory, without the database. It finds the records behind damage, which the
// database would take for the end of the file.
package journal

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The database writes its log and its manifest as chunks in blocks of 32 KiB. Each
// chunk has a checksum. After a crash the last chunks may be torn, so the database
// takes a bad chunk for the end. Scanner tells a torn end from damage that has records
// behind it, which must not be lost.
const (
	recordBlock  = 32 << 10
	plainHead    = 7  // checksum, size, kind: in a manifest
	recycledHead = 11 // also the number of the log, because files of old logs are used again
	syncedHead   = 19 // also how much was synced before
	lastPlain    = 4
	lastRecycled = 8
	lastSynced   = 12
	chunkWhole   = 1 // kinds of chunks, modulo 4: a record, or its first, middle or last part
	chunkFirst   = 2
	chunkLast    = 0
)

// EmptyLog is the size of a log that was closed without a record: one chunk that ends it.
const EmptyLog = recycledHead

var le = binary.LittleEndian

// Scanner finds the records of a log or a manifest.
type Scanner struct {
	Number   uint32              // of the log; 0 for a manifest
	Manifest bool                // a manifest, not a log
	Each     func(record []byte) // called with each record; it may keep it
	End      int64               // end of the last record before any damaged or torn chunk
	Bad      bool                // a damaged or torn chunk was found
}

// chunkAt returns the chunk at the beginning of b, the rest of a block, and its
// size. The size is 0 if there is no valid chunk.
func (r *Scanner) chunkAt(b []byte) (kind int, data []byte, size int) {
	if len(b) < plainHead {
		return 0, nil, 0
	}
	kind = int(b[6])
	head := syncedHead
	switch {
	case r.Manifest && (kind == 0 || kind > lastPlain), !r.Manifest && (kind <= lastPlain || kind > lastSynced):
		return 0, nil, 0
	case r.Manifest:
		head = plainHead
	case kind <= lastRecycled:
		head = recycledHead
	}
	size = head + int(le.Uint16(b[4:]))
	if size > len(b) || !r.Manifest && le.Uint32(b[7:]) != r.Number || Sum(b[6:size]) != le.Uint32(b) {
		return 0, nil, 0
	}
	return kind, b[head:size], size
}

// ended reports whether b, the rest of a block, begins with the end of a closed
// log.
func (r *Scanner) ended(b []byte) bool {
	return !r.Manifest && len(b) >= recycledHead && le.Uint32(b) == 0 && le.Uint16(b[4:]) == 0 && le.Uint32(b[7:]) == r.Number+1
}

// Scan finds the records of a file: all records up to the end or to the first bad
// chunk, and the records behind bad chunks.
func (r *Scanner) Scan(file []byte) {
	var record []byte // the parts found so far
	for at := 0; at < len(file); {
		rest := file[at:min(len(file), (at/recordBlock+1)*recordBlock)]
		kind, data, size := r.chunkAt(rest)
		switch {
		case size > 0:
			at += size
		case !r.Bad && r.ended(rest):
			return
		case len(rest) < syncedHead && isZero(rest):
			at += len(rest) // no chunk fitted into the rest of the block
			continue
		default:
			r.Bad, record = true, nil
			at++
			continue
		}
		switch kind % 4 {
		case chunkWhole, chunkFirst:
			record = append([]byte{}, data...) // not nil: only the head of a record may fit into a block
		default:
			if record == nil {
				continue
			}
			record = append(record, data...)
		}
		if kind%4 == chunkWhole || kind%4 == chunkLast {
			r.Each(record)
			record = nil
			if !r.Bad {
				r.End = int64(at)
			}
		}
	}
	r.Bad = r.Bad || record != nil
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum is the checksum that the database uses in its files.
func Sum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// ReadAll returns the bytes of a file.
func ReadAll(on vfs.FS, path string) ([]byte, error) {
	f, err := on.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
