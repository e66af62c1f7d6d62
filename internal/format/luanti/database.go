package luanti

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // registers the driver
)

// database is an open map.sqlite.
type database struct {
	db    *sql.DB
	table table
	get   *sql.Stmt
	size  int64  // of the file in bytes
	read  int64  // bytes of map blocks
	temp  string // the file, if it is a copy
}

// table is how map blocks lie in a database: the statements that make the table, list the places of map blocks, and get and put one.
type table struct{ create, list, get, put string }

// tablePos has one number for x, y and z, 12 bits each, with a sign. The greatest number is what makes all three positive.
var tablePos = table{
	"CREATE TABLE `blocks` (\n\t`pos` INT PRIMARY KEY,\n\t`data` BLOB\n)",
	"SELECT (pos + 34368129024 & 4095) - 2048, (pos + 34368129024 >> 12 & 4095) - 2048, (pos + 34368129024 >> 24) - 2048 FROM blocks",
	"SELECT data FROM blocks WHERE pos = ?1 + ?2 * 4096 + ?3 * 16777216",
	"INSERT INTO blocks VALUES (?1 + ?2 * 4096 + ?3 * 16777216, ?4)",
}

// tableXYZ is that of Luanti 5.12 and later for new worlds.
var tableXYZ = table{
	"CREATE TABLE `blocks` (\n\t`x` INTEGER,\n\t`y` INTEGER,\n\t`z` INTEGER,\n\t`data` BLOB NOT NULL,\n\tPRIMARY KEY (`x`, `z`, `y`)\n)",
	"SELECT x, y, z FROM blocks",
	"SELECT data FROM blocks WHERE x = ?1 AND y = ?2 AND z = ?3",
	"INSERT INTO blocks VALUES (?1, ?2, ?3, ?4)",
}

// openSQLite opens a database of SQLite with parameters of the driver.
func openSQLite(path string, parameters url.Values) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: parameters.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// openDatabase opens the database at path, which a game may be using: nothing is ever written, neither to it nor beside it.
func openDatabase(path string) (*database, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &database{}
	if d.size, err = f.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	var head [20]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, damaged(errors.New("shorter than its header"))
	}
	parameters := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", "busy_timeout(5000)"}}
	if head[19] == 2 { // with a log: SQLite would make files beside it
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s-wal lies beside it, so a game has it open or has not closed it", filepath.Base(path))
		}
		parameters.Set("immutable", "1")
	}
	if d.db, err = openSQLite(path, parameters); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, d.db.Close())
	}
	return d, nil
}

// openCopy opens a copy of a database that is not on disk. Close removes it.
func openCopy(r io.Reader) (d *database, err error) {
	f, err := os.CreateTemp("", "cairn-map-*.sqlite")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, r)
	if err = cmp.Or(err, f.Close()); err == nil {
		d, err = openDatabase(f.Name())
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	d.temp = f.Name()
	return d, nil
}

func damaged(err error) error { return corrupt(-1, "database", err) }

// prepare finds the table. Anything but a plain table with an index could make its rows up, or need a look at all for each.
func (d *database) prepare() error {
	plain, plan := false, ""
	err := d.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'blocks' AND type = 'table' AND rootpage > 0)
		AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo('blocks') WHERE hidden > 0)`).Scan(&plain)
	if err == nil && !plain {
		return errors.New("it has no table of map blocks")
	}
	if err == nil {
		d.table = tablePos
		if d.get, err = d.db.Prepare(d.table.get); err != nil {
			d.table = tableXYZ
			d.get, err = d.db.Prepare(d.table.get)
		}
	}
	if err == nil {
		err = d.db.QueryRow("EXPLAIN QUERY PLAN "+d.table.get, 0, 0, 0).Scan(new(int), new(int), new(int), &plan)
	}
	if err == nil && strings.HasPrefix(plan, "SCAN") {
		err = errors.New("its table of map blocks has no index")
	}
	if err != nil {
		return damaged(err)
	}
	return nil
}

// Close closes the database, and removes it if it is a copy.
func (d *database) Close() error {
	err := d.db.Close()
	if d.temp != "" {
		err = errors.Join(err, os.Remove(d.temp))
	}
	return err
}

// leastRow is less than a row takes in the file.
const leastRow = 8

// places returns where all map blocks are. Those of a footprint of 32x32 nodes follow each other, those of a chunk too.
func (d *database) places() (all []blockPos, err error) {
	rows, err := d.db.Query(d.table.list)
	if err != nil {
		return nil, damaged(err)
	}
	defer rows.Close()
	for rows.Next() {
		var p blockPos
		if err := rows.Scan(&p.x, &p.y, &p.z); err != nil {
			return nil, damaged(err)
		}
		if !p.valid() {
			return nil, damaged(fmt.Errorf("a map block at %v, where none can be", p))
		}
		if all = append(all, p); int64(len(all)) > d.size/leastRow {
			return nil, damaged(errors.New("more rows than it has room for"))
		}
	}
	if err := rows.Err(); err != nil {
		return nil, damaged(err)
	}
	slices.SortFunc(all, blockPos.compare)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return nil, damaged(fmt.Errorf("map block %v comes twice", all[i]))
		}
	}
	return all, nil
}

// compare orders map blocks by footprint, then by chunk.
func (p blockPos) compare(q blockPos) int {
	return cmp.Or(cmp.Compare(p.z>>1, q.z>>1), cmp.Compare(p.x>>1, q.x>>1), cmp.Compare(p.y, q.y), cmp.Compare(p.z, q.z), cmp.Compare(p.x, q.x))
}

// block returns the bytes of a map block. All together they cannot be longer than the file.
func (d *database) block(ctx context.Context, p blockPos) (b []byte, err error) {
	if err := d.get.QueryRowContext(ctx, p.x, p.y, p.z).Scan(&b); err != nil {
		return nil, damaged(err)
	}
	if d.read += int64(len(b)); d.read > d.size {
		return nil, damaged(errors.New("map blocks that share their bytes"))
	}
	return append([]byte{}, b...), nil // not nil, also of no bytes
}
