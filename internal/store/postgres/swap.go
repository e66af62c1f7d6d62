package postgres

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/cairnvoxel/cairn/store/history"
)

func (c *Database) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := newSwap(conditions, changes)
	if err == nil {
		err = c.call(ctx, false, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) { return false, c.swap(ctx, conn, s) })
	}
	if code(err) == diskFull {
		err = fmt.Errorf("%w: %w", history.ErrFull, err)
	}
	if err != nil {
		err = fmt.Errorf("postgres: swap: %w", err)
	}
	return err
}

// part is the records of a Swap for which the server does the same thing.
type part struct {
	keys, was, next [][]byte
}

// swap is a Swap sorted by what the server does. A statement that changes a record
// also checks its condition.
type swap struct {
	share  part // there and not changed
	update part // there
	drop   part // there
	insert part // not there
	put    part // without a condition
	remove part // without a condition
	absent part // not there, and it stays so
}

// step is a condition and a change of one key.
type step struct {
	was, next      []byte
	checks, writes bool
}

// newSwap returns history.ErrChanged if the conditions contradict each other.
func newSwap(conditions, changes []history.Record) (*swap, error) {
	steps := make(map[string]step, len(conditions)+len(changes))
	for _, r := range conditions {
		have, twice := steps[r.Key]
		if twice && (!bytes.Equal(have.was, r.Value) || (have.was == nil) != (r.Value == nil)) {
			return nil, history.ErrChanged
		}
		steps[r.Key] = step{was: r.Value, checks: true}
	}
	for _, r := range changes {
		st := steps[r.Key]
		st.next, st.writes = r.Value, true
		steps[r.Key] = st
	}
	s := new(swap)
	for _, key := range slices.Sorted(maps.Keys(steps)) { // all Swaps lock in the same order
		st := steps[key]
		p := &s.share
		switch {
		case !st.checks && st.next != nil:
			p = &s.put
		case !st.checks:
			p = &s.remove
		case st.was == nil && st.next != nil:
			p = &s.insert
		case st.was == nil:
			p = &s.absent
		case st.writes && st.next != nil:
			p = &s.update
		case st.writes:
			p = &s.drop
		}
		p.keys, p.was, p.next = append(p.keys, []byte(key)), append(p.was, st.was), append(p.next, st.next)
	}
	return s, nil
}

// statement returns one statement that does everything but the parts absent and
// remove. It ends in an error of the server, which undoes it, if a condition does
// not hold.
//
// The parts run in this order. Rows of several parts are locked first, in the order
// of their keys. Locks of share come last and do not wait. So Swaps hardly ever wait
// for each other in a circle; the server finds such circles only after a second.
func (s *swap) statement() (sql string, args []any) {
	var parts, counts []string
	want := 0
	add := func(name string, rows int, text string, lists ...[][]byte) {
		if len(lists[0]) == 0 {
			return
		}
		for _, list := range lists {
			args = append(args, list)
			text = strings.Replace(text, "?", fmt.Sprintf("$%d::bytea[]", len(args)), 1)
		}
		parts = append(parts, name+" AS ("+text+")")
		counts = append(counts, fmt.Sprintf("%d * (SELECT count(*) FROM %s)", rows, name))
		want += rows * len(lists[0])
	}
	if several := s.several(); len(several) > 0 {
		add("l", 0, "SELECT 1 FROM cairn_records r JOIN unnest(?) c (key) ON r.key = c.key ORDER BY r.key FOR UPDATE OF r", several)
	}
	add("u", 1, "UPDATE cairn_records r SET value = c.next FROM unnest(?, ?, ?) c (key, was, next) WHERE r.key = c.key AND r.value = c.was RETURNING 1", s.update.keys, s.update.was, s.update.next)
	add("d", 1, "DELETE FROM cairn_records r USING unnest(?, ?) c (key, was) WHERE r.key = c.key AND r.value = c.was RETURNING 1", s.drop.keys, s.drop.was)
	add("i", 1, "INSERT INTO cairn_records (key, value) SELECT key, next FROM unnest(?, ?) c (key, next) ON CONFLICT (key) DO NOTHING RETURNING 1", s.insert.keys, s.insert.next)
	add("p", 1, "INSERT INTO cairn_records (key, value) SELECT key, next FROM unnest(?, ?) c (key, next) ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING 1", s.put.keys, s.put.next)
	add("s", 1, "SELECT 1 FROM cairn_records r JOIN unnest(?, ?) c (key, was) ON r.key = c.key AND r.value = c.was FOR SHARE OF r NOWAIT", s.share.keys, s.share.was)
	if len(parts) == 0 {
		return "SELECT clock_timestamp(), 0::bigint", nil
	}
	args = append(args, want)
	return "WITH " + strings.Join(parts, ", ") + " SELECT clock_timestamp(), " + fmt.Sprintf(unless, strings.Join(counts, " + "), len(args)), args
}

// several returns the keys of rows that change, in order, if there are several parts
// of them.
func (s *swap) several() (keys [][]byte) {
	n := 0
	for _, p := range []part{s.update, s.drop, s.put} {
		keys = append(keys, p.keys...)
		n += min(1, len(p.keys))
	}
	if n < 2 {
		return nil
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys
}

// unless is an expression that is an error, with code failed, unless a count is what
// it must be.
const (
	unless = "(SELECT CASE WHEN n = $%[2]d::bigint THEN 0 ELSE CAST('cairn: a record was changed, ' || CAST(n AS text) AS bigint) END FROM (SELECT %[1]s AS n) q)"
	failed = "22P02"
)

// For absent keys that stay absent there is nothing to lock. So rows are made for
// them and for the new keys, all in order, and what must stay absent is deleted again.
const reserve = "WITH i AS (INSERT INTO cairn_records (key, value) SELECT key, '' FROM unnest($1::bytea[]) c (key) ON CONFLICT (key) DO NOTHING RETURNING 1) SELECT "

// A statement does not delete rows that others have made since it began. So rows that
// are deleted without a condition are first set, and then deleted by a statement that
// begins later.
const erase = "DELETE FROM cairn_records WHERE key = ANY($1::bytea[])"

// queue returns the statements of a Swap in one transaction, if it needs several.
func (s *swap) queue(scan func(pgx.Row) error) *pgx.Batch {
	b, own := new(pgx.Batch), *s
	if len(s.absent.keys) > 0 {
		keys := slices.SortedFunc(slices.Values(slices.Concat(s.absent.keys, s.insert.keys)), bytes.Compare)
		b.Queue(reserve+fmt.Sprintf(unless, "(SELECT count(*) FROM i)", 2), keys, len(keys))
		own.insert = part{}
		own.put.keys, own.put.next = slices.Concat(own.put.keys, s.insert.keys), slices.Concat(own.put.next, s.insert.next)
	}
	own.put.keys = slices.Concat(own.put.keys, s.remove.keys)
	own.put.next = slices.Concat(own.put.next, slices.Repeat([][]byte{{}}, len(s.remove.keys)))
	sql, args := own.statement()
	b.Queue(sql, args...).QueryRow(scan)
	b.Queue(erase, slices.Concat(s.absent.keys, s.remove.keys))
	return b
}

func (c *Database) swap(ctx context.Context, conn *pgxpool.Conn, s *swap) error {
	data := conn.Conn().PgConn().CustomData()
	delete(data, warned)
	var at time.Time
	var zero int64
	var err error
	scan := func(row pgx.Row) error { return row.Scan(&at, &zero) }
	if len(s.absent.keys)+len(s.remove.keys) > 0 {
		err = conn.SendBatch(ctx, s.queue(scan)).Close()
	} else {
		sql, args := s.statement()
		err = scan(conn.QueryRow(ctx, sql, args...))
	}
	if code(err) == failed {
		return history.ErrChanged
	}
	if err != nil {
		return err
	}
	// A server that was told to stop waiting for its standby says so in a warning
	// and reports success.
	if text, ok := data[warned]; ok {
		return fmt.Errorf("the server warned: %v: %w", text, history.ErrAway)
	}
	c.heard(at)
	return nil
}
