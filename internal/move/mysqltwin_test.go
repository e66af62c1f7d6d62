package move_test

import (
	"context"
	"crypto/sha1"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-sql-driver/mysql"
)

// mysqlTwin is a driver of database/sql with one table, which takes Hub and hub for one name.
type mysqlTwin struct {
	mu   sync.Mutex
	rows map[string]mysqlRow // nil: there is no table
}

type mysqlRow struct {
	name string
	data []byte
}

func (m *mysqlTwin) Connect(context.Context) (driver.Conn, error) { return m, nil }
func (m *mysqlTwin) Driver() driver.Driver                        { return nil }
func (m *mysqlTwin) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("not here") }
func (m *mysqlTwin) Begin() (driver.Tx, error)                    { return nil, errors.New("not here") }
func (m *mysqlTwin) Close() error                                 { return nil }

var errNoTable = &mysql.MySQLError{Number: 1146, Message: "Table 'slime.worlds' doesn't exist"}

func (m *mysqlTwin) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		return nil, errNoTable
	}
	out := &mysqlRows{columns: []string{"name"}}
	if query == "SELECT name FROM `worlds`" {
		for _, key := range slices.Sorted(maps.Keys(m.rows)) {
			out.left = append(out.left, []driver.Value{m.rows[key].name})
		}
		return out, nil
	}
	what, ok := strings.CutSuffix(strings.TrimPrefix(query, "SELECT name, "), " FROM `worlds` WHERE name = ?")
	if !ok {
		return nil, fmt.Errorf("the twin does not know %s", query)
	}
	out.columns = append(out.columns, what)
	if r, ok := m.rows[strings.ToLower(args[0].Value.(string))]; ok {
		value := map[string]driver.Value{"SHA1(world)": fmt.Sprintf("%x", sha1.Sum(r.data)), "LENGTH(world)": int64(len(r.data)), "world": r.data}[what]
		out.left = append(out.left, []driver.Value{r.name, value})
	}
	return out, nil
}

func (m *mysqlTwin) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case strings.HasPrefix(query, "CREATE TABLE IF NOT EXISTS `worlds`"):
		m.rows = map[string]mysqlRow{}
	case query != "INSERT INTO `worlds` (name, world) VALUES (?, ?) ON DUPLICATE KEY UPDATE world = VALUES(world)":
		return nil, fmt.Errorf("the twin does not know %s", query)
	case m.rows == nil:
		return nil, errNoTable
	default:
		name, key := args[0].Value.(string), strings.ToLower(args[0].Value.(string))
		if r, ok := m.rows[key]; ok {
			name = r.name
		}
		m.rows[key] = mysqlRow{name, slices.Clone(args[1].Value.([]byte))}
	}
	return driver.RowsAffected(1), nil
}

type mysqlRows struct {
	columns []string
	left    [][]driver.Value
}

func (r *mysqlRows) Columns() []string { return r.columns }
func (r *mysqlRows) Close() error      { return nil }

func (r *mysqlRows) Next(to []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	copy(to, r.left[0])
	r.left = r.left[1:]
	return nil
}
