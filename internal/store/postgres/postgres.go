// Package postgres is a history.Catalogue in PostgreSQL: one table of keys and
// values. FORMAT.md has the table and the SQL that the package relies on.
//
// Begin with Open. A Swap is one statement and one round trip. A Get of many keys is
// one statement. A Snapshot is a read-only transaction.
//
// The package depends on the server for durability: an acknowledged Swap survives
// the loss of the server's machine only if the server has a synchronous standby.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of Open. The zero value is the default.
type Options struct {
	// Password replaces the password of the URL if it is not empty.
	Password string
	// Timeout bounds one call of the server, with the wait for a connection. After
	// it the call returns history.ErrAway. Default 3 s.
	Timeout time.Duration
	// ConnectTimeout bounds the attempt to connect to one host of the URL. Default
	// 1.5 s. The URL's connect_timeout wins.
	ConnectTimeout time.Duration
	// Connections is the largest number of connections. Each Snapshot that was read
	// holds one until it is released. Default 16.
	Connections int
	// Synchronous has Open return an error unless the server has a synchronous
	// standby, because without one an acknowledged Swap can be lost.
	Synchronous bool
	// Now is the local clock. Default time.Now.
	Now func() time.Time
}

// Database is a history.Catalogue, a history.Clock and a history.Pinger. It is safe
// for any number of goroutines.
type Database struct {
	pool    *pgxpool.Pool
	timeout time.Duration
	now     func() time.Time
	clock   atomic.Pointer[answer] // the last good answer with a time
	good    atomic.Int64           // when the server answered last, in nanoseconds since 1970
	swapped atomic.Int64           // when it answered a Swap last
	ending  sync.WaitGroup         // of transactions that are rolled back

	hosts     []*pgconn.Config // of the URL, if there are several
	timeline  atomic.Int64     // the highest that a server had which takes writes; 0 if it is not known
	primaries atomic.Int64     // how many hosts took writes when they were asked last
	surveyed  atomic.Int64     // when that was, in nanoseconds since 1970
}

var (
	_ history.Catalogue = (*Database)(nil)
	_ history.Clock     = (*Database)(nil)
	_ history.Pinger    = (*Database)(nil)
)

// warned is the key in a connection's data that says that the server warned.
const warned = "warned"

// Open connects to the database that url names and brings its tables up to date. The
// URL may name several hosts; the Database uses the one that accepts writes and
// looks for it again after a failure. Of several that accept writes it is the one whose
// timeline is the highest: the others are old primaries that came back after a standby was
// promoted. The caller closes the Database.
func Open(ctx context.Context, url string, o Options) (*Database, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err) // it has no password in it
	}
	if o.Password != "" {
		config.ConnConfig.Password = o.Password
	}
	c := &Database{timeout: cmp.Or(o.Timeout, 3*time.Second), now: o.Now}
	takes := config.ConnConfig.ValidateConnect
	if takes == nil {
		takes = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.ConnConfig.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := takes(ctx, conn); err != nil {
			return err
		}
		return c.checkTimeline(ctx, conn)
	}
	if config.ConnConfig.ConnectTimeout == 0 || config.ConnConfig.ConnectTimeout >= 2*time.Minute { // pgx's own default
		config.ConnConfig.ConnectTimeout = cmp.Or(o.ConnectTimeout, 1500*time.Millisecond)
	}
	config.ConnConfig.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if cmp.Or(n.SeverityUnlocalized, n.Severity) == "WARNING" {
			c.CustomData()[warned] = n.Message
		}
	}
	config.AfterConnect = prepare
	config.MaxConns = int32(cmp.Or(o.Connections, 16))
	config.PingTimeout = time.Second
	config.HealthCheckPeriod = 5 * time.Second
	if c.now == nil {
		c.now = time.Now
	}
	c.hosts = hostsOf(config.ConnConfig, takes)
	c.survey(ctx)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	c.pool = pool
	err = c.migrate(ctx)
	if err == nil && o.Synchronous {
		err = c.checkSynchronous(ctx)
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	return c, nil
}

// prepare tells the server to plan each statement once and to use the index, however
// small the table was then, and not to wait long for a lock, because the server finds
// Swaps that wait for each other in a circle only after a second. The package does
// not need it: a server that does not know these settings does as it likes.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET lock_timeout = '250ms'",
		pgx.QueryExecModeSimpleProtocol)
	if c := code(err); c != "" && !away(err) {
		err = nil
	}
	if err == nil && conn.PgConn().ParameterStatus("crdb_version") != "" {
		// CockroachDB refuses statements that change a table twice, because it would
		// mix up two changes of one row. A Swap changes each row once.
		_, err = conn.Exec(ctx, "SET enable_multiple_modifications_of_table = on", pgx.QueryExecModeSimpleProtocol)
	}
	return err
}

// Close closes the connections. It waits for calls in progress.
func (c *Database) Close() error {
	c.ending.Wait()
	c.pool.Close()
	return nil
}

// call calls what with a connection, which is given back unless keep is set. It tries
// again, within the time of one call, if the server has certainly done nothing, and
// once more after a lost connection if repeat is set.
func (c *Database) call(ctx context.Context, repeat bool, what func(context.Context, *pgxpool.Conn) (keep bool, err error)) error {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for lost, tries := 0, 0; ; {
		conn, err := c.pool.Acquire(limited)
		sent := err == nil
		if sent {
			var keep bool
			if keep, err = what(limited, conn); !keep {
				conn.Release()
			}
		}
		switch {
		case err == nil:
			c.answered(repeat)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case undone(err) && retry.Backoff(limited, time.Millisecond, tries, 5):
			tries++
			continue
		case !undone(err) && !away(err):
			c.answered(repeat)
			return err
		}
		if c.broken(err, limited.Err() != nil, repeat) {
			c.pool.Reset() // the other connections lead to the same server
		}
		if lost++; lost > 1 || limited.Err() != nil || sent && !repeat && !pgconn.SafeToRetry(err) && code(err) != readOnly {
			return fmt.Errorf("%w: %w", history.ErrAway, err)
		}
	}
}

// answered notes that the server answered a read or a Swap.
func (c *Database) answered(read bool) {
	now := c.now().UnixNano()
	c.good.Store(now)
	if !read {
		c.swapped.Store(now)
	}
}

// broken reports whether an error says that connections to the server are of no use. A
// call that took too long says so only if no other call ended well meanwhile: new
// connections do not make a busy server faster. After a Swap only Swaps count: a primary
// that has lost its standby answers reads.
func (c *Database) broken(err error, late, read bool) bool {
	good := &c.good
	if !read {
		good = &c.swapped
	}
	switch code := code(err); {
	case late:
		return c.now().Sub(time.Unix(0, good.Load())) > c.timeout
	case code == "":
		return true
	default:
		return code == readOnly || strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")
	}
}

// readOnly is the code of an error of a server that takes no writes.
const readOnly = "25006"

// unknown is the code of an error that does not say whether a statement took effect.
const unknown = "40003"

// diskFull is the code of a server that undid a statement because its disk is full.
const diskFull = "53100"

// code returns the SQLSTATE of an error of the server, or "".
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// undone reports whether the server rolled a transaction back because of others, so
// that it may succeed when it is repeated.
func undone(err error) bool {
	c := code(err)
	return c == "40001" || c == "40P01" || c == "55P03"
}

// away reports whether an error says that the server cannot be used now.
func away(err error) bool {
	c := code(err)
	if c == "" { // refused, cut off or timed out, if it is not about an answer
		return !errors.Is(err, history.ErrChanged) && !errors.Is(err, ErrNewer) && !errors.Is(err, pgx.ErrNoRows)
	}
	switch c[:2] {
	case "08", "53", "58": // connection, resources (memory, too many connections), input and output
		return c != diskFull
	}
	return c == readOnly || c == unknown || c == "57P01" || c == "57P02" || c == "57P03" || c == "57014"
}

func (c *Database) Ping(ctx context.Context) error {
	if err := c.askTime(ctx); err != nil {
		return fmt.Errorf("postgres: ping: %w", err)
	}
	return nil
}

// Time is for history.Clock. It asks the server if the last answer is older than
// some seconds.
func (c *Database) Time(ctx context.Context) (time.Time, error) {
	now := c.now()
	a := c.clock.Load()
	if a == nil || now.Sub(a.local) > fresh {
		if err := c.askTime(ctx); err != nil {
			return time.Time{}, fmt.Errorf("postgres: time: %w", err)
		}
		a, now = c.clock.Load(), c.now()
	}
	return a.at(now), ctx.Err()
}

func (c *Database) askTime(ctx context.Context) error {
	var t time.Time
	err := c.call(ctx, true, func(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
		return false, conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&t)
	})
	if err == nil {
		c.heard(t)
	}
	return err
}
