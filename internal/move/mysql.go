package move

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// table is the table of AdvancedSlimePaper's loader.
type table struct {
	db   *sql.DB
	name string
}

// defaultName is the table, and the bucket of MongoDB, of the loaders. The fragment of a URL is another.
const defaultName = "worlds"

// answers is how long a database may take to answer when it is opened.
const answers = 10 * time.Second

func openMySQL(ctx context.Context, u *url.URL) (files, error) {
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr = "tcp", net.JoinHostPort(cmp.Or(u.Hostname(), "127.0.0.1"), cmp.Or(u.Port(), "3306"))
	c.DBName = strings.Trim(u.Path, "/")
	c.TLSConfig = u.Query().Get("tls") // as the driver has it: true, skip-verify, preferred
	c.Timeout = answers
	made, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(made)
	db.SetMaxOpenConns(1)
	t, err := openTable(db, u.Fragment)
	if err == nil {
		err = db.PingContext(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return t, nil
}

func openTable(db *sql.DB, name string) (*table, error) {
	name = cmp.Or(name, defaultName)
	if !regexp.MustCompile(`^[A-Za-z0-9_$]+$`).MatchString(name) {
		return nil, fmt.Errorf("table %q: want letters, digits and _", name)
	}
	return &table{db, name}, nil
}

func (t *table) close() error { return t.db.Close() }

// holds is the size of a MEDIUMBLOB.
func (t *table) holds() int64 { return 1<<24 - 1 }

// noTable is the error of a table that is not there.
func noTable(err error) bool {
	var no *mysql.MySQLError
	return errors.As(err, &no) && no.Number == 1146
}

func (t *table) list(ctx context.Context) (names []string, err error) {
	rows, err := t.db.QueryContext(ctx, "SELECT name FROM `"+t.name+"`")
	if noTable(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names) // the table has an order of its own
	return names, rows.Err()
}

// row reads a column of a world's row. A table may take Hub and hub for one name: is is the one that it has.
func (t *table) row(ctx context.Context, column, name string, to any) (is string, err error) {
	err = t.db.QueryRowContext(ctx, "SELECT name, "+column+" FROM `"+t.name+"` WHERE name = ?", name).Scan(&is, to)
	if errors.Is(err, sql.ErrNoRows) || noTable(err) || err == nil && is != name {
		err = fs.ErrNotExist
	}
	return is, err
}

func (t *table) sign(ctx context.Context, name string) (sum string, err error) {
	_, err = t.row(ctx, "SHA1(world)", name, &sum)
	return sum, err
}

func (t *table) get(ctx context.Context, name string, most int64) ([]byte, string, error) {
	var size int64
	_, err := t.row(ctx, "LENGTH(world)", name, &size)
	if err == nil && size > most {
		err = tooLarge(size, most)
	}
	var data []byte
	if err == nil {
		_, err = t.row(ctx, "world", name, &data)
	}
	return data, signOf(data), err
}

func (t *table) put(ctx context.Context, name string, data []byte) error {
	var size int64
	is, err := t.row(ctx, "LENGTH(world)", name, &size)
	if is != "" && is != name {
		return fmt.Errorf("the table takes it for %q, which is there", is)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	const into, columns = "INSERT INTO `", "` (name, world) VALUES (?, ?) ON DUPLICATE KEY UPDATE world = VALUES(world)"
	_, err = t.db.ExecContext(ctx, into+t.name+columns, name, data)
	if noTable(err) {
		_, err = t.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS `"+t.name+"` (`id` INT NOT NULL AUTO_INCREMENT, `name` VARCHAR(255) UNIQUE, `locked` BIGINT, `world` MEDIUMBLOB, PRIMARY KEY (id))")
		if err == nil {
			_, err = t.db.ExecContext(ctx, into+t.name+columns, name, data)
		}
	}
	return err
}
