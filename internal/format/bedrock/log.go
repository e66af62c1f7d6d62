package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Files of a database.
const (
	dbFolder    = "db"
	currentFile = "CURRENT"
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

// maxLog bounds the logs of a database, which are held in memory. The game keeps some 4 MB in one.
const maxLog = 64 << 20

// records calls take for each record of a log. cut says that it ends within one, which is what a stopped game leaves.
func records(name string, b []byte, take func(at int, record []byte) error) (cut bool, err error) {
	var record []byte
	at, begun := 0, false
	for at < len(b) {
		if left := logBlock - at%logBlock; left < pieceHead {
			at += left
			continue
		}
		if len(b)-at < pieceHead {
			return true, nil
		}
		n, kind := int(binary.LittleEndian.Uint16(b[at+4:])), b[at+6]
		switch end := at + pieceHead + n; {
		case kind == pieceNone && n == 0:
			at = (at/logBlock + 1) * logBlock
			continue
		case end > (at/logBlock+1)*logBlock:
			return false, corrupt(at, name, errors.New("a piece beyond its block"))
		case end > len(b):
			return true, nil
		case checksum(b[at+6:end]) != binary.LittleEndian.Uint32(b[at:]):
			return false, corrupt(at, name, errors.New("checksum differs"))
		case kind < pieceFull || kind > pieceLast || begun != (kind == pieceMiddle || kind == pieceLast):
			return false, corrupt(at, name, fmt.Errorf("a piece of kind %d out of order", kind))
		}
		record, begun = append(record, b[at+pieceHead:at+pieceHead+n]...), kind == pieceFirst || kind == pieceMiddle
		if !begun {
			if err := take(at, record); err != nil {
				return false, corrupt(at, name, err)
			}
			record = nil
		}
		at += pieceHead + n
	}
	return begun, nil
}

// files says which files of a database are part of it.
type files struct {
	tables map[uint64]bool
	log    uint64 // the lowest number of a log
	before uint64 // a log before that, 0 for none
}

// Fields of a manifest.
const (
	fieldComparator = 1
	fieldLog        = 2
	fieldNext       = 3
	fieldSequence   = 4
	fieldCompacted  = 5
	fieldDeleted    = 6
	fieldNew        = 7
	fieldLogBefore  = 9
)

// readManifest reads which files are part of a database in a folder.
func readManifest(fsys fs.FS) (files, error) {
	f := files{tables: map[uint64]bool{}}
	current, err := fs.ReadFile(fsys, currentFile)
	if err != nil {
		return f, err
	}
	name := strings.TrimSpace(string(current))
	if !strings.HasPrefix(name, "MANIFEST-") || !fs.ValidPath(name) || strings.Contains(name, "/") {
		return f, corrupt(0, dbFolder+"/"+currentFile, fmt.Errorf("names %.40q, no manifest", name))
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return f, err
	}
	_, err = records(dbFolder+"/"+name, b, func(_ int, record []byte) error { return f.edit(record) })
	return f, err
}

// edit takes a record of a manifest.
func (f *files) edit(b []byte) error {
	var bad bool
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if bad = bad || n <= 0; bad {
			b = nil
			return 0
		}
		b = b[n:]
		return v
	}
	text := func() []byte {
		n := number()
		if bad = bad || n > uint64(len(b)); bad {
			b = nil
			return nil
		}
		s := b[:n]
		b = b[n:]
		return s
	}
	for len(b) > 0 {
		switch field := number(); field {
		case fieldComparator:
			if name := text(); string(name) != "leveldb.BytewiseComparator" {
				return fmt.Errorf("keys in the order of %.40q, which is unknown", name)
			}
		case fieldLog:
			f.log = number()
		case fieldLogBefore:
			f.before = number()
		case fieldNext, fieldSequence:
			number()
		case fieldCompacted:
			number()
			text()
		case fieldDeleted:
			number()
			delete(f.tables, number())
		case fieldNew:
			number()
			table := number()
			number()
			text()
			text()
			f.tables[table] = true
		default:
			return fmt.Errorf("a field of kind %d", field)
		}
	}
	if bad {
		return errors.New("a field is cut short")
	}
	return nil
}

// logged is a key in a log.
type logged struct {
	key    []byte
	value  []byte
	number uint64 // the higher the newer
	gone   bool
}

// appendBatch reads a record of a log: changes of keys.
func appendBatch(list []logged, b []byte) ([]logged, error) {
	const head = 12
	if len(b) < head {
		return nil, errors.New("a batch without a head")
	}
	number, count := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	text := func() ([]byte, bool) {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, false
		}
		s := b[size : size+int(n)]
		b = b[size+int(n):]
		return s, true
	}
	for b = b[head:]; len(b) > 0; number++ {
		kind := b[0]
		b = b[1:]
		e := logged{number: number, gone: kind == 0}
		var ok, ok2 bool
		if e.key, ok = text(); kind > 1 || !ok {
			return nil, fmt.Errorf("a change of kind %d that is unknown or cut short", kind)
		}
		if kind == 1 {
			if e.value, ok2 = text(); !ok2 {
				return nil, errors.New("a value is cut short")
			}
		}
		list, count = append(list, e), count-1
	}
	if count != 0 {
		return nil, errors.New("other changes than it counts")
	}
	return list, nil
}

// sortLogged sorts by key, the newest first.
func sortLogged(list []logged) {
	slices.SortFunc(list, func(a, b logged) int {
		if n := strings.Compare(string(a.key), string(b.key)); n != 0 {
			return n
		}
		return int(min(max(int64(b.number-a.number), -1), 1))
	})
}
