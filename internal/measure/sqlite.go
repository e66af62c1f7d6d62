package measure

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// sqliteRows is a SQLite database in memory, of which tables with rowids are read:
// the format of sqlite.org/fileformat2.html, without a journal.
type sqliteRows struct {
	file []byte
	page int // bytes
	use  int // bytes of a page that are not reserved
	seen []bool
}

var errSQLite = errors.New("measure: not a sound SQLite database")

const sqliteMagic = "SQLite format 3\x00"

// sqliteTable calls f with the first two columns of each row of a table: a number
// (the rowid where the column holds none) and bytes, which are f's only until it returns.
func sqliteTable(file []byte, table string, f func(number int64, blob []byte) error) error {
	if len(file) < 512 || string(file[:len(sqliteMagic)]) != sqliteMagic {
		return errSQLite
	}
	s := &sqliteRows{file: file, page: int(binary.BigEndian.Uint16(file[16:]))}
	if s.page == 1 {
		s.page = 1 << 16
	}
	if s.use = s.page - int(file[20]); s.page < 512 || s.use < 480 {
		return errSQLite
	}
	s.seen = make([]bool, len(file)/s.page+1)
	root := int64(0)
	err := s.walk(1, func(_ int64, row []sqliteValue) error {
		if len(row) >= 4 && string(row[0].blob) == "table" && string(row[1].blob) == table {
			root = row[3].number
		}
		return nil
	})
	if err == nil && root == 0 {
		err = fmt.Errorf("measure: no table %q", table)
	}
	if err != nil {
		return err
	}
	return s.walk(root, func(id int64, row []sqliteValue) error {
		if len(row) < 2 {
			return errSQLite
		}
		if row[0].null {
			row[0].number = id
		}
		return f(row[0].number, row[1].blob)
	})
}

// sqliteValue is a column of a row: a number, or the bytes of a text or a blob.
type sqliteValue struct {
	null   bool
	number int64
	blob   []byte
}

func (s *sqliteRows) pageAt(n int64) []byte {
	if n < 1 || n > int64(len(s.file)/s.page) {
		return nil
	}
	return s.file[(n-1)*int64(s.page):][:s.page]
}

// walk calls f with every row of the tree at page n.
func (s *sqliteRows) walk(n int64, f func(int64, []sqliteValue) error) error {
	p := s.pageAt(n)
	if p == nil || s.seen[n] {
		return errSQLite
	}
	s.seen[n] = true
	head := p
	if n == 1 {
		head = p[100:]
	}
	cells := int(binary.BigEndian.Uint16(head[3:]))
	size := map[byte]int{0x0D: 8, 0x05: 12}[head[0]]
	if size == 0 || size+2*cells > len(head) {
		return errSQLite
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(head[size+2*i:]))
		if at+4 > len(p) {
			return errSQLite
		}
		var err error
		if size == 12 {
			err = s.walk(int64(binary.BigEndian.Uint32(p[at:])), f)
		} else {
			err = s.leaf(p[at:], f)
		}
		if err != nil {
			return err
		}
	}
	if size == 12 {
		return s.walk(int64(binary.BigEndian.Uint32(head[8:])), f)
	}
	return nil
}

// leaf calls f with the row of a cell.
func (s *sqliteRows) leaf(b []byte, f func(int64, []sqliteValue) error) error {
	size, b := sqliteVarint(b)
	id, b := sqliteVarint(b)
	if size < 0 || size > int64(len(s.file)) {
		return errSQLite
	}
	local := int(size)
	if most := s.use - 35; local > most {
		least := (s.use-12)*32/255 - 23
		if local = least + (int(size)-least)%(s.use-4); local > most {
			local = least
		}
	}
	if local > len(b) || local < int(size) && local+4 > len(b) {
		return errSQLite
	}
	payload := b[:local:local]
	for b = b[local:]; len(payload) < int(size); {
		p := s.pageAt(int64(binary.BigEndian.Uint32(b)))
		if p == nil {
			return errSQLite
		}
		payload = append(payload, p[4:4+min(s.use-4, int(size)-len(payload))]...)
		b = p
	}
	row, err := sqliteRow(payload)
	if err != nil {
		return err
	}
	return f(id, row)
}

func sqliteRow(b []byte) (row []sqliteValue, err error) {
	size, types := sqliteVarint(b)
	if size < 1 || size > int64(len(b)) || len(types) < len(b)-int(size) {
		return nil, errSQLite
	}
	types, b = types[:len(types)-(len(b)-int(size))], b[size:]
	for len(types) > 0 {
		var kind int64
		if kind, types = sqliteVarint(types); kind < 0 {
			return nil, errSQLite
		}
		v := sqliteValue{null: kind == 0}
		n := int64(0)
		switch {
		case kind >= 12:
			n = (kind - 12) / 2
		case kind >= 8:
			v.number = kind - 8
		case kind > 4:
			n = map[int64]int64{5: 6, 6: 8, 7: 8}[kind]
		default:
			n = kind
		}
		if n > int64(len(b)) {
			return nil, errSQLite
		}
		v.blob, b = b[:n], b[n:]
		if kind > 0 && kind <= 6 {
			for i, c := range v.blob {
				if i == 0 {
					v.number = int64(int8(c))
					continue
				}
				v.number = v.number<<8 | int64(c)
			}
		}
		row = append(row, v)
	}
	return row, nil
}

// sqliteVarint reads a number of seven bits a byte, the high ones first; -1 at the
// end of b. Those of nine bytes are none that are looked for here.
func sqliteVarint(b []byte) (n int64, rest []byte) {
	for i, c := range b {
		if i == 8 {
			break
		}
		if n = n<<7 | int64(c&0x7F); c < 0x80 {
			return n, b[i+1:]
		}
	}
	return -1, nil
}
