package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// migrations bring the tables from one version to the next: see FORMAT.md. What has
// been released never changes.
var migrations = []string{
	"CREATE TABLE cairn_records (key bytea PRIMARY KEY, value bytea NOT NULL)",
}

// ErrNewer says that a newer program has changed the tables.
var ErrNewer = errors.New("a newer program has changed the tables; run that version here too")

// migrate brings the tables up to date. Several processes may do so at a time: the
// row of cairn_schema is the lock.
func (c *Database) migrate(ctx context.Context) error {
	var version int
	err := c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
		return false, conn.QueryRow(ctx, "SELECT version FROM cairn_schema").Scan(&version)
	})
	const noTable = "42P01"
	if code(err) != noTable && !errors.Is(err, pgx.ErrNoRows) && err != nil {
		return err
	}
	if err == nil && version == len(migrations) {
		return nil
	}
	if err == nil && version > len(migrations) {
		return newer(version)
	}
	// Two processes that create the same table at the same time get errors of
	// several kinds, so only the last error counts.
	for range 5 {
		err = c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) { return false, upgrade(ctx, conn) })
		if err == nil || errors.Is(err, ErrNewer) || away(err) {
			return err
		}
	}
	return err
}

func newer(version int) error {
	return fmt.Errorf("tables of version %d, this program knows versions up to %d: %w", version, len(migrations), ErrNewer)
}

func upgrade(ctx context.Context, conn *pgxpool.Conn) error {
	for _, sql := range []string{
		"CREATE TABLE IF NOT EXISTS cairn_schema (one int PRIMARY KEY, version int NOT NULL)",
		"INSERT INTO cairn_schema (one, version) VALUES (1, 0) ON CONFLICT (one) DO NOTHING",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var version int
		if err := tx.QueryRow(ctx, "SELECT version FROM cairn_schema WHERE one = 1 FOR UPDATE").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return newer(version)
		}
		for _, sql := range migrations[version:] {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return fmt.Errorf("to version %d: %w", version+1, err)
			}
		}
		_, err := tx.Exec(ctx, "UPDATE cairn_schema SET version = $1 WHERE one = 1", len(migrations))
		return err
	})
}
