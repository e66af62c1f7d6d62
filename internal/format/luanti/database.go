package luanti

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	db   *sql.DB
	get  *sql.Stmt
	size int64 // of the file in bytes
	read int64 // bytes of map blocks
	xyz  bool  // positions are columns x, y, z
	temp string
}

// The two tables of map blocks. The second one is that of Luanti 5.12 and later for new worlds.
const (
	tablePos = "CREATE TABLE `blocks` (\n\t`pos` INT PRIMARY KEY,\n\t`data` BLOB\n)"
	tableXYZ = "CREATE TABLE `blocks` (\n\t`x` INTEGER,\n\t`y` INTEGER,\n\t`z` INTEGER,\n\t`data` BLOB NOT NULL,\n\tPRIMARY KEY (`x`, `z`, `y`)\n)"
)

// How a map block is found in them.
const (
	getPos = "SELECT data FROM blocks WHERE pos = ?"
	getXYZ = "SELECT data FROM blocks WHERE x = ? AND y = ? AND z = ?"
)

// driverName is the name of the driver of SQLite.
const driverName = "sqlite"

// Companions of a database, which SQLite writes beside it.
const (
	journalSuffix = "-journal"
	walSuffix     = "-wal"
	shmSuffix     = "-shm"
)

// dsn returns the name of a database for the driver.
func dsn(path string, parameters url.Values) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: parameters.Encode()}
	return u.String()
}

// openDatabase opens the database at path, which a game may be using: nothing is ever written, neither to it nor beside it.
func openDatabase(path string) (*database, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	parameters := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", "busy_timeout(5000)"}}
	switch wal, err := isWAL(path); {
	case err != nil:
		return nil, err
	case wal: // SQLite would make files beside it
		if _, err := os.Stat(path + walSuffix); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s lies beside it, so a game has it open or has not closed it", filepath.Base(path)+walSuffix)
		}
		parameters.Set("immutable", "1")
	}
	db, err := sql.Open(driverName, dsn(path, parameters))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	d := &database{db: db, size: info.Size()}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return d, nil
}

// isWAL reports whether a database has a log beside it, which its header says.
func isWAL(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [20]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return false, corrupt(0, "database", errors.New("shorter than its header"))
	}
	return head[19] == 2, nil
}

// damaged says of an error of SQLite that the file is damaged.
func damaged(part string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return corrupt(-1, part, err)
}

// prepare finds the table. Anything but a plain table with an index could make its rows up, or need a look at all for each.
func (d *database) prepare() (err error) {
	plain := false
	err = d.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'blocks' AND type = 'table' AND rootpage > 0)
		AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo('blocks') WHERE hidden > 0)`).Scan(&plain)
	if err != nil {
		return damaged("database", err)
	}
	if !plain {
		return errors.New("it has no table of map blocks")
	}
	if d.get, err = d.db.Prepare(getPos); err != nil {
		d.xyz = true
		d.get, err = d.db.Prepare(getXYZ)
	}
	if err != nil {
		return damaged("database", err)
	}
	query, keys := getPos, 1
	if d.xyz {
		query, keys = getXYZ, 3
	}
	var plan string
	if err := d.db.QueryRow("EXPLAIN QUERY PLAN "+query, 0, 0, 0).Scan(new(int), new(int), new(int), &plan); err != nil {
		return damaged("database", err)
	}
	if strings.Count(plan, "=?") != keys {
		return damaged("database", errors.New("its table of map blocks has no index"))
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
func (d *database) places(ctx context.Context) (all []blockPos, err error) {
	query := "SELECT pos, 0, 0 FROM blocks"
	if d.xyz {
		query = "SELECT x, y, z FROM blocks"
	}
	rows, err := d.db.QueryContext(ctx, query)
	if err != nil {
		return nil, damaged("database", err)
	}
	defer rows.Close()
	for rows.Next() {
		var a, b, c int64
		if err := rows.Scan(&a, &b, &c); err != nil {
			return nil, damaged("database", err)
		}
		p, ok := blockPos{int32(a), int32(b), int32(c)}, a == int64(int32(a)) && b == int64(int32(b)) && c == int64(int32(c))
		if !d.xyz {
			p, ok = posOf(a)
		}
		if !ok || !p.valid() {
			return nil, damaged("database", fmt.Errorf("a map block at %d,%d,%d, where none can be", a, b, c))
		}
		if all = append(all, p); int64(len(all)) > d.size/leastRow {
			return nil, damaged("database", errors.New("more rows than it has room for"))
		}
	}
	if err := rows.Err(); err != nil {
		return nil, damaged("database", err)
	}
	slices.SortFunc(all, blockPos.compare)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return nil, damaged("database", fmt.Errorf("map block %v comes twice", all[i]))
		}
	}
	return all, nil
}

// compare orders map blocks by footprint, then by chunk.
func (p blockPos) compare(q blockPos) int {
	return cmp.Or(cmp.Compare(p.z>>1, q.z>>1), cmp.Compare(p.x>>1, q.x>>1), cmp.Compare(p.y, q.y), cmp.Compare(p.z, q.z), cmp.Compare(p.x, q.x))
}

// posOf returns what a key of a row stands for: the sum of x, y << 12 and z << 24, each with a sign.
func posOf(key int64) (p blockPos, ok bool) {
	next := func() int32 {
		v := int32(key&(2*maxBlock-1)^maxBlock) - maxBlock
		key = (key - int64(v)) / (2 * maxBlock)
		return v
	}
	p = blockPos{x: next(), y: next(), z: next()}
	return p, key == 0
}

// key is the inverse of posOf.
func (p blockPos) key() int64 { return int64(p.x) + int64(p.y)<<12 + int64(p.z)<<24 }

// keys returns the values of the columns for the place of a map block.
func (p blockPos) keys(xyz bool) []any {
	if xyz {
		return []any{p.x, p.y, p.z}
	}
	return []any{p.key()}
}

// block returns the bytes of a map block. All together they cannot be longer than the file.
func (d *database) block(ctx context.Context, p blockPos) (b []byte, err error) {
	if err := d.get.QueryRowContext(ctx, p.keys(d.xyz)...).Scan(&b); err != nil {
		return nil, damaged("database", err)
	}
	if b == nil {
		b = []byte{}
	}
	if d.read += int64(len(b)); d.read > d.size {
		return nil, damaged("database", errors.New("map blocks that share their bytes"))
	}
	return b, nil
}
