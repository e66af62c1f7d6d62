package move

import (
	"context"
	"database/sql"

	"github.com/cairnvoxel/cairn/internal/port"
)

// Put puts a world there.
func (m *Made) Put(ctx context.Context, was string) (string, error) { return m.put(ctx, was) }

// Drop ends a Made.
func (m *Made) Drop() { m.drop() }

// Compare says how two worlds differ.
var Compare = compare

// OpenTable returns the place in a table of db.
func OpenTable(db *sql.DB) (Depot, error) {
	t, err := openTable(db, "")
	return &database{t, "mysql://twin/slime"}, err
}

// FileName is the name of a file for a world.
var FileName = fileName

// Aside is how the names of folders begin that others replace.
const Aside = aside

// ReadAs makes what is read back of a Made another world.
func (m *Made) ReadAs(w *Loaded) *Made {
	m.open = func(port.Options) (*Loaded, error) { return w, nil }
	return m
}
