package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Stats is what is known of the connections and of the server's replicas.
type Stats struct {
	Connections, InUse, Most int           // open connections, those in use, and the limit
	Waits                    int64         // how often a call waited for a connection
	Waited                   time.Duration // how long calls waited in all
	Synchronous              bool          // an acknowledged Swap is on a standby too
	Replicas                 []Replica     // nil also if the role may not see them
	Timeline                 int64         // of the primary, 0 if it is not known; a promotion raises it
	Primaries                int64         // how many hosts of the URL take writes; 0 if it names one
	Ahead                    time.Duration // of the server's clock, compared with this machine's
}

// Replica is a standby of the server.
type Replica struct {
	Name, State, Sync string        // as in pg_stat_replication: application_name, state, sync_state
	LagBytes          int64         // of the log that it has not applied
	Lag               time.Duration // until a commit was applied there; 0 if the server is idle
}

const replicasSQL = `SELECT coalesce(application_name, ''), coalesce(state, ''), coalesce(sync_state, ''),
	coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::bigint,
	coalesce(extract(epoch FROM replay_lag), 0)::float8 FROM pg_stat_replication ORDER BY 1`

// Pool returns what is known of the connections. It makes no call.
func (c *Database) Pool() Stats {
	p := c.pool.Stat()
	return Stats{
		Connections: int(p.TotalConns()), InUse: int(p.AcquiredConns()), Most: int(p.MaxConns()),
		Waits: p.EmptyAcquireCount(), Waited: p.EmptyAcquireWaitTime(),
	}
}

// Stats returns what is known of connections and replicas. It makes two calls, and once a
// minute one of each host. A
// server that has no pg_stat_replication, or does not show it, has no replicas here.
func (c *Database) Stats(ctx context.Context) (Stats, error) {
	c.survey(ctx)
	s := c.Pool()
	var names, commit string
	err := c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
		return false, conn.QueryRow(ctx, synchronousSQL).Scan(&names, &commit)
	})
	if err == nil {
		s.Synchronous = synchronous(names, commit)
		err = c.read(ctx, query{sql: replicasSQL}, func(rows pgx.Rows) (err error) {
			s.Replicas, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Replica, err error) {
				var seconds float64
				err = row.Scan(&r.Name, &r.State, &r.Sync, &r.LagBytes, &seconds)
				r.Lag = time.Duration(seconds * float64(time.Second))
				return r, err
			})
			return err
		})
	}
	if c := code(err); c != "" && !away(err) {
		err = nil // not PostgreSQL, or not permitted
	}
	if err != nil {
		return s, fmt.Errorf("postgres: stats: %w", err)
	}
	s.Timeline, s.Primaries = c.timeline.Load(), c.primaries.Load()
	s.Ahead = c.Ahead()
	return s, nil
}

const synchronousSQL = "SELECT coalesce(current_setting('synchronous_standby_names', true), ''), current_setting('synchronous_commit')"

func synchronous(names, commit string) bool {
	return names != "" && commit != "off" && commit != "local"
}

// ErrNotSynchronous says that the server does not wait for a standby.
var ErrNotSynchronous = errors.New("the server has no synchronous standby, so the loss of its machine loses acknowledged saves")

func (c *Database) checkSynchronous(ctx context.Context) error {
	var names, commit string
	err := c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
		return false, conn.QueryRow(ctx, synchronousSQL).Scan(&names, &commit)
	})
	if err == nil && !synchronous(names, commit) {
		err = fmt.Errorf("synchronous_standby_names is %q and synchronous_commit is %q: %w", names, commit, ErrNotSynchronous)
	}
	return err
}
