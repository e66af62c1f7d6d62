package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// A log is blocks of that many bytes, in which records are cut into pieces that do not cross a block.
const (
	logBlock  = 32 << 10
	pieceHead = 7
)

// Kinds of pieces.
const (
	pieceNone   = 0 // room that was reserved
	pieceFull   = 1
	pieceFirst  = 2
	pieceMiddle = 3
	pieceLast   = 4
)

// records calls take for each record of a log. cut says that it ends within one, which is what a stopped game leaves.
func records(name string, b []byte, take func(c *cursor.Cursor)) (cut bool, err error) {
	var record []byte
	at, begun := 0, false
	for at < len(b) {
		blockEnd := (at/logBlock + 1) * logBlock
		if blockEnd-at < pieceHead {
			at = blockEnd
			continue
		}
		if len(b)-at < pieceHead {
			return true, nil
		}
		end, kind := at+pieceHead+int(binary.LittleEndian.Uint16(b[at+4:])), b[at+6]
		switch {
		case kind == pieceNone && end == at+pieceHead:
			at = blockEnd
			continue
		case end > blockEnd:
			return false, corrupt(at, name, errors.New("a piece beyond its block"))
		case end > len(b):
			return true, nil
		case checksum(b[at+6:end]) != binary.LittleEndian.Uint32(b[at:]):
			return false, corrupt(at, name, errors.New("checksum differs"))
		case kind < pieceFull || kind > pieceLast || begun != (kind == pieceMiddle || kind == pieceLast):
			return false, corrupt(at, name, fmt.Errorf("a piece of kind %d out of order", kind))
		}
		record, begun = append(record, b[at+pieceHead:end]...), kind == pieceFirst || kind == pieceMiddle
		if !begun {
			c := cursor.New(record, fmt.Sprintf("%s, record at %d", name, at))
			if take(&c); c.Err() != nil {
				return false, c.Err()
			}
			record = nil
		}
		at = end
	}
	return begun, nil
}

// manifest says which files are part of a database.
type manifest struct {
	tables map[uint64]bool
	log    uint64 // the lowest number of a log
	before uint64 // of a log before that, 0 for none
}

// Fields of a manifest.
const (
	fieldOrder     = 1
	fieldLog       = 2
	fieldNext      = 3
	fieldSequence  = 4
	fieldCompacted = 5
	fieldDeleted   = 6
	fieldNew       = 7
	fieldLogBefore = 9
)

// readManifest reads which files are part of the database in a folder.
func readManifest(fsys fs.FS) (manifest, error) {
	m := manifest{tables: map[uint64]bool{}}
	current, err := fs.ReadFile(fsys, currentFile)
	if err != nil {
		return m, err
	}
	name := strings.TrimSpace(string(current))
	if !strings.HasPrefix(name, manifestPrefix) || !fs.ValidPath(name) || strings.Contains(name, "/") {
		return m, corrupt(0, dbFolder+"/"+currentFile, fmt.Errorf("names %.40q, no manifest", name))
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return m, err
	}
	_, err = records(dbFolder+"/"+name, b, m.edit)
	return m, err
}

// edit takes a record of a manifest.
func (m *manifest) edit(c *cursor.Cursor) {
	for c.Left() > 0 {
		switch field := c.Uvarint(); field {
		case fieldOrder:
			if order := c.Text(); order != "leveldb.BytewiseComparator" {
				c.Fail(fmt.Errorf("keys in the order of %.40q, which is unknown", order))
			}
		case fieldLog:
			m.log = c.Uvarint()
		case fieldLogBefore:
			m.before = c.Uvarint()
		case fieldNext, fieldSequence:
			c.Uvarint()
		case fieldCompacted:
			_, _ = c.Uvarint(), c.Text()
		case fieldDeleted:
			c.Uvarint()
			delete(m.tables, c.Uvarint())
		case fieldNew:
			c.Uvarint()
			m.tables[c.Uvarint()] = true
			_, _, _ = c.Uvarint(), c.Text(), c.Text()
		default:
			c.Fail(fmt.Errorf("unknown field %d", field))
		}
	}
}

// appendBatch reads a record of a log: changes of keys.
func appendBatch(list []entry, c *cursor.Cursor) []entry {
	number, count := c.Uint64(), c.Uint32()
	for ; count > 0 && c.Err() == nil; count-- {
		kind := c.Byte()
		e := entry{key: c.Bytes(c.Size()), number: number, gone: kind == 0}
		switch kind {
		case 0:
		case 1:
			e.value = c.Bytes(c.Size())
		default:
			c.Fail(fmt.Errorf("unknown change %d", kind))
		}
		list, number = append(list, e), number+1
	}
	c.End()
	return list
}
