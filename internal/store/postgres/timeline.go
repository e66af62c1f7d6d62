package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A promotion begins a new timeline. So a server that takes writes on a lower one is an old
// primary that came back: what it has is old, and what it is told will be lost.

// timelineSQL is the timeline of a server that takes writes.
const timelineSQL = "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

// timelineOf returns 0 for a server that has no timelines, or does not show them.
func timelineOf(ctx context.Context, conn *pgconn.PgConn) (int64, error) {
	found, err := conn.Exec(ctx, timelineSQL).ReadAll()
	if code(err) != "" && !away(err) {
		return 0, nil
	}
	if err != nil || len(found) == 0 || len(found[0].Rows) == 0 {
		return 0, err
	}
	return strconv.ParseInt(string(found[0].Rows[0][0]), 10, 64)
}

// checkTimeline returns an error if a server that takes writes is an old primary.
func (c *Database) checkTimeline(ctx context.Context, conn *pgconn.PgConn) error {
	own, err := timelineOf(ctx, conn)
	if err != nil {
		return err
	}
	for {
		highest := c.timeline.Load()
		if own > 0 && own < highest {
			return fmt.Errorf("an old primary: its timeline is %d, and that of another server is %d", own, highest)
		}
		if own <= highest || c.timeline.CompareAndSwap(highest, own) {
			return nil
		}
	}
}

// hostsOf returns the hosts of a URL, each alone, if there are several.
func hostsOf(of *pgx.ConnConfig, takes pgconn.ValidateConnectFunc) (out []*pgconn.Config) {
	for _, f := range append([]*pgconn.FallbackConfig{{Host: of.Host, Port: of.Port, TLSConfig: of.TLSConfig}}, of.Fallbacks...) {
		one := of.Config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks, one.ValidateConnect = f.Host, f.Port, f.TLSConfig, nil, takes
		out = append(out, one)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// surveyEvery is how often all hosts are asked.
const surveyEvery = time.Minute

// survey asks all hosts which of them take writes, and learns the highest timeline. Calls go
// to that host from then on. It returns nothing: who does not answer is not there.
func (c *Database) survey(ctx context.Context) {
	last, now := c.surveyed.Load(), c.now().UnixNano()
	if len(c.hosts) == 0 || last != 0 && now-last < int64(surveyEvery) || !c.surveyed.CompareAndSwap(last, now) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	timelines := make([]int64, len(c.hosts))
	seen := make(map[string]bool) // a host may be there with TLS and without
	var mu sync.Mutex
	var all sync.WaitGroup
	primaries := 0
	for i, host := range c.hosts {
		all.Go(func() {
			conn, err := pgconn.ConnectConfig(ctx, host)
			if err != nil {
				return
			}
			timelines[i], _ = timelineOf(ctx, conn)
			_ = conn.Close(ctx)
			mu.Lock()
			defer mu.Unlock()
			if at := fmt.Sprint(host.Host, ":", host.Port); !seen[at] {
				seen[at] = true
				primaries++
			}
		})
	}
	all.Wait()
	c.primaries.Store(int64(primaries))
	for _, t := range timelines {
		if highest := c.timeline.Load(); t > highest && c.timeline.CompareAndSwap(highest, t) && c.pool != nil {
			c.pool.Reset() // the connections lead to an old primary
		}
	}
}
