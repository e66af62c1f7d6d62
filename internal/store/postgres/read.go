package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/cairnvoxel/cairn/store/history"
)

// query is a statement that reads.
type query struct {
	sql  string
	args []any
}

const getSQL = "SELECT r.value, clock_timestamp() FROM unnest($1::bytea[]) WITH ORDINALITY c (key, place) LEFT JOIN cairn_records r ON r.key = c.key ORDER BY c.place"

func getQuery(keys []string) query {
	list := make([][]byte, len(keys))
	for i, key := range keys {
		list[i] = []byte(key)
	}
	return query{getSQL, []any{list}}
}

// scanGet reads the answer to a get of n keys.
func scanGet(rows pgx.Rows, n int) (out [][]byte, at time.Time, err error) {
	for out = make([][]byte, 0, n); rows.Next(); {
		var value []byte
		if err := rows.Scan(&value, &at); err != nil {
			return nil, at, err
		}
		out = append(out, value)
	}
	if err := rows.Err(); err != nil {
		return nil, at, err
	}
	if len(out) != n {
		return nil, at, fmt.Errorf("%d values for %d keys", len(out), n)
	}
	return out, at, nil
}

func scanQuery(from, to string, n int, back bool) query {
	sql := "SELECT key, value FROM cairn_records WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3"
	if back {
		sql = "SELECT key, value FROM cairn_records WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3"
	}
	return query{sql, []any{[]byte(from), []byte(to), n}}
}

func scanRecords(rows pgx.Rows) (out []history.Record, err error) {
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		out = append(out, history.Record{Key: string(key), Value: value})
	}
	return out, rows.Err()
}

func (c *Database) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	return c.get(ctx, c.read, keys)
}

func (c *Database) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	return scan(ctx, c.read, from, to, n, back)
}

// reading makes a call that reads, now or in a snapshot.
type reading func(ctx context.Context, q query, what func(pgx.Rows) error) error

func (c *Database) get(ctx context.Context, read reading, keys []string) (out [][]byte, err error) {
	if len(keys) == 0 || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var at time.Time
	err = read(ctx, getQuery(keys), func(rows pgx.Rows) error {
		out, at, err = scanGet(rows, len(keys))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("postgres: get: %w", err)
	}
	c.heard(at)
	return out, nil
}

func scan(ctx context.Context, read reading, from, to string, n int, back bool) (out []history.Record, err error) {
	if n <= 0 || from >= to || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err = read(ctx, scanQuery(from, to, n, back), func(rows pgx.Rows) error {
		out, err = scanRecords(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("postgres: scan: %w", err)
	}
	return out, nil
}

func (c *Database) read(ctx context.Context, q query, what func(pgx.Rows) error) error {
	return c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
		rows, err := conn.Query(ctx, q.sql, q.args...)
		if err != nil {
			return false, err
		}
		defer rows.Close()
		return false, what(rows)
	})
}

// Snapshot is for history.Catalogue. It makes no call: the moment is that of the
// first read. A snapshot that was read holds a connection until it is released.
func (c *Database) Snapshot(ctx context.Context) (history.Records, func(), error) {
	s := &snapshot{c: c}
	return s, s.release, ctx.Err()
}

// snapshot is a transaction that begins with the first read.
type snapshot struct {
	c *Database

	mu    sync.Mutex // guards what is below, and the connection
	conn  *pgxpool.Conn
	ended bool
}

func (s *snapshot) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	return s.c.get(ctx, s.read, keys)
}

func (s *snapshot) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	return scan(ctx, s.read, from, to, n, back)
}

// errReleased says that a snapshot cannot be read any more.
var errReleased = errors.New("the snapshot was released, or its connection was lost")

func (s *snapshot) read(ctx context.Context, q query, what func(pgx.Rows) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errReleased
	}
	if s.conn == nil {
		return s.c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
			err := begin(ctx, conn, q, what)
			if err == nil {
				s.conn = conn
			}
			return err == nil, err
		})
	}
	limited, cancel := context.WithTimeout(ctx, s.c.timeout)
	defer cancel()
	rows, err := s.conn.Query(limited, q.sql, q.args...)
	if err == nil {
		err = what(rows)
		rows.Close()
	}
	if err == nil {
		s.c.answered(true)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && away(err) {
		err = fmt.Errorf("%w: %w", history.ErrAway, err)
	}
	return err
}

// begin begins a transaction and reads, in one round trip.
func begin(ctx context.Context, conn *pgxpool.Conn, q query, what func(pgx.Rows) error) error {
	var b pgx.Batch
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	b.Queue(q.sql, q.args...).Query(what)
	return conn.SendBatch(ctx, &b).Close()
}

// release ends the transaction. Nobody waits for it but Close.
func (s *snapshot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	conn := s.conn
	s.conn, s.ended = nil, true
	if conn == nil {
		return
	}
	s.c.ending.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.c.timeout)
		defer cancel()
		_, _ = conn.Exec(ctx, "ROLLBACK") // the pool closes a connection whose transaction has not ended
		conn.Release()
	})
}
