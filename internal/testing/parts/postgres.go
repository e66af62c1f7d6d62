package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// PostgresOptions is how PostgreSQL runs. The zero value is one server that does not
// wait for its disk.
type PostgresOptions struct {
	Standby bool      // a second server receives every change before a commit returns
	Async   bool      // with Standby: a commit does not wait for it
	Fsync   bool      // a commit waits for the disk
	Log     io.Writer // gets what the servers print; may be nil

	// Link returns the address where a standby finds the server at addr, for a proxy
	// between them. Default: addr.
	Link func(ctx context.Context, addr string) (string, error)
}

// Postgres is a PostgreSQL server with at most one standby, and the database cairn of
// the user cairn, who has no password.
type Postgres struct {
	o      PostgresOptions
	mu     sync.Mutex // is held by calls that start or end servers
	nodes  []*node
	first  int  // index of the primary
	synced bool // the standby has every acknowledged commit
	jumps  bool // Jump was called
}

// node is one server.
type node struct {
	*Process
	dir, addr string
}

const database = "cairn"

// StartPostgres starts the database in dir. It makes one if there is none.
func StartPostgres(ctx context.Context, dir string, o PostgresOptions) (*Postgres, error) {
	p := &Postgres{o: o}
	if o.Link == nil {
		p.o.Link = func(_ context.Context, addr string) (string, error) { return addr, nil }
	}
	err := p.create(ctx, dir)
	if err == nil && o.Standby {
		err = p.Rebuild(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Postgres) create(ctx context.Context, dir string) error {
	for i := range 2 {
		n, err := p.node(filepath.Join(dir, fmt.Sprintf("postgres%d", i)))
		if err != nil {
			return err
		}
		p.nodes = append(p.nodes, n)
		if !p.o.Standby {
			break
		}
	}
	if first, ok := p.found(); ok {
		p.first = first
		return p.primary().Start(ctx)
	}
	n := p.nodes[0]
	if err := n.clear(); err != nil {
		return err
	}
	if _, err := output(ctx, n.user, "initdb", "-D", n.dir, "-U", database, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	if err := n.Start(ctx); err != nil {
		return err
	}
	_, err := n.query(ctx, "postgres", "CREATE DATABASE "+database)
	return err
}

func (p *Postgres) node(dir string) (*node, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(addr, ":")
	settings := []string{"listen_addresses=127.0.0.1", "port=" + port, "unix_socket_directories=", "max_connections=200",
		"shared_buffers=64MB", "wal_level=replica", "hot_standby=on", "max_wal_size=256MB", "wal_sender_timeout=10s", "logging_collector=off"}
	if !p.o.Fsync {
		settings = append(settings, "fsync=off", "full_page_writes=off")
	}
	args := []string{"-D", dir}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	process, err := newProcess("postgres", args...)
	if err != nil {
		return nil, err
	}
	n := &node{process, dir, addr}
	process.log = p.o.Log
	process.ready = func(ctx context.Context) error {
		_, err := n.query(ctx, "postgres", "SELECT 1")
		return err
	}
	process.user, err = unprivileged()
	return n, err
}

// found returns which server was the primary when the folder was left; false if there is none.
// If both take writes, one was promoted: it has a history of one more timeline.
func (p *Postgres) found() (first int, ok bool) {
	most := -1
	for i, n := range p.nodes {
		histories, err := filepath.Glob(filepath.Join(n.dir, "pg_wal", "*.history"))
		if err == nil && isFile(filepath.Join(n.dir, "PG_VERSION")) && !isFile(filepath.Join(n.dir, "standby.signal")) && len(histories) > most {
			first, ok, most = i, true, len(histories)
		}
	}
	return first, ok
}

// clear makes the folder of the server anew.
func (n *node) clear() error {
	if err := os.RemoveAll(n.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	if n.user == nil {
		return nil
	}
	for dir := filepath.Dir(n.dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode()&1 == 0 {
			if err := os.Chmod(dir, 0o711); err != nil {
				return err
			}
		}
	}
	return os.Chown(n.dir, int(n.user.uid), int(n.user.gid))
}

func (n *node) query(ctx context.Context, db, sql string) (string, error) {
	host, port, _ := strings.Cut(n.addr, ":")
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	out, err := output(ctx, nil, "psql", "-X", "-q", "-A", "-t", "-h", host, "-p", port, "-U", database, "-d", db, "-c", sql)
	return strings.TrimSpace(out), err
}

// URL returns the database's URL. With a standby it names both servers, and only the
// primary is used. The addresses of proxies, in the order of Addrs, take the place
// of the servers' if there are any.
func (p *Postgres) URL(proxies ...string) string {
	addrs := proxies
	if len(addrs) == 0 {
		addrs = p.Addrs()
	}
	u := fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", database, strings.Join(addrs, ","), database)
	if len(addrs) > 1 {
		u += "&target_session_attrs=read-write"
	}
	return u
}

// Addrs returns the addresses of the servers. They stay the same.
func (p *Postgres) Addrs() (out []string) {
	for _, n := range p.nodes {
		out = append(out, n.addr)
	}
	return out
}

// Pids returns the numbers of the servers' first processes.
func (p *Postgres) Pids() (out []int) {
	for _, n := range p.nodes {
		if n.Running() {
			out = append(out, n.Pid())
		}
	}
	return out
}

// Query runs SQL at the primary, and returns what psql prints.
func (p *Postgres) Query(ctx context.Context, sql string) (string, error) {
	return p.primary().query(ctx, database, sql)
}

func (p *Postgres) primary() *node { return p.nodes[p.first] }

func (p *Postgres) standby() *node {
	if len(p.nodes) < 2 {
		return nil
	}
	return p.nodes[1-p.first]
}

// KillPrimary ends the primary and its processes by SIGKILL.
func (p *Postgres) KillPrimary() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.primary().Kill()
}

// KillStandby ends the standby by SIGKILL. Commits wait until Alone is called or the
// standby is back.
func (p *Postgres) KillStandby() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standby().Kill()
}

// Pause stops the primary where it is, until Continue. Nothing may be promoted
// meanwhile.
func (p *Postgres) Pause() error { return p.primary().Pause() }

// Continue continues a primary that Pause stopped.
func (p *Postgres) Continue() error { return p.primary().Continue() }

// Restart starts the primary, which was killed.
func (p *Postgres) Restart(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.primary().Start(ctx)
}

// Promote makes the standby the primary. The old primary must not run. Commits do
// not wait for a standby then until Rebuild has made one.
func (p *Postgres) Promote(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.primary().Running() {
		return errors.New("parts: promote: the primary runs")
	}
	n := p.standby()
	if n == nil || !n.Running() {
		return errors.New("parts: promote: no standby runs")
	}
	if _, err := n.query(ctx, "postgres", "SELECT pg_promote(true, 30)"); err != nil {
		return err
	}
	p.first, p.synced = 1-p.first, false
	return p.alone(ctx)
}

// Lose loses two machines: it kills the standby, calls during, kills the primary, and then
// starts the standby and makes it the primary. What was acknowledged while there was no
// standby is lost. Nothing else is done to the servers meanwhile.
func (p *Postgres) Lose(ctx context.Context, during func()) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.standby()
	if err := n.Kill(); err != nil {
		return err
	}
	during()
	if err := errors.Join(p.primary().Kill(), n.Start(ctx)); err != nil {
		return err
	}
	if _, err := n.query(ctx, "postgres", "SELECT pg_promote(true, 30)"); err != nil {
		return err
	}
	p.first = 1 - p.first
	return p.alone(ctx)
}

// Jump lets the clock that clients see be ahead by d from now on. There must be a primary,
// and a standby if commits wait for one.
func (p *Postgres) Jump(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.jumps {
		for _, sql := range []string{
			"CREATE SCHEMA jump", "CREATE TABLE jump.by (ahead interval)", "INSERT INTO jump.by VALUES ('0')",
			"CREATE FUNCTION jump.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM jump.by)'",
			"ALTER DATABASE " + database + " SET search_path = jump, pg_catalog, public",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
		} {
			if _, err := p.primary().query(ctx, database, sql); err != nil {
				return err
			}
		}
		p.jumps = true
	}
	_, err := p.primary().query(ctx, database, fmt.Sprintf("UPDATE jump.by SET ahead = '%d s'", int(d.Seconds())))
	return err
}

// Revive starts the old primary after a promotion as it was, as a machine does that comes
// back. It takes writes, beside the new primary.
func (p *Postgres) Revive(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standby().Start(ctx)
}

// Alone makes commits not wait for the standby.
func (p *Postgres) Alone(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alone(ctx)
}

func (p *Postgres) alone(ctx context.Context) error {
	p.synced = false
	return p.set(ctx, "synchronous_standby_names", "")
}

func (p *Postgres) set(ctx context.Context, name, value string) error {
	n := p.primary()
	if _, err := n.query(ctx, "postgres", fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", name, value)); err != nil {
		return err
	}
	_, err := n.query(ctx, "postgres", "SELECT pg_reload_conf()")
	return err
}

// Rebuild makes a standby from a copy of the primary, where no standby runs, and
// waits until it has everything.
func (p *Postgres) Rebuild(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.standby()
	if n == nil {
		return errors.New("parts: rebuild: started without a standby")
	}
	if err := n.Kill(); err != nil {
		return err
	}
	if err := p.alone(ctx); err != nil {
		return err
	}
	if err := n.clear(); err != nil {
		return err
	}
	addr, err := p.o.Link(ctx, p.primary().addr)
	if err != nil {
		return err
	}
	host, port, _ := strings.Cut(addr, ":")
	if _, err := output(ctx, n.user, "pg_basebackup", "-D", n.dir, "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-d", fmt.Sprintf("host=%s port=%s user=%s application_name=standby", host, port, database)); err != nil {
		return err
	}
	if err := n.Start(ctx); err != nil {
		return err
	}
	return p.sync(ctx)
}

// sync waits until the standby has everything, and makes commits wait for it.
func (p *Postgres) sync(ctx context.Context) error {
	if !p.o.Async {
		if err := p.set(ctx, "synchronous_standby_names", "*"); err != nil {
			return err
		}
	}
	err := until(ctx, readyLimit, func(ctx context.Context) error {
		state, err := p.primary().query(ctx, "postgres", "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
		if err == nil && state != "sync" && !(p.o.Async && state == "async") {
			err = fmt.Errorf("parts: the standby is in state %q", state)
		}
		return err
	})
	p.synced = err == nil
	return err
}

// Supervise keeps the database running until ctx is over: it promotes the standby
// when the primary has ended, and makes a new standby. It restarts the primary if
// the standby does not have everything. It calls told, if that is not nil, with what
// it did.
func (p *Postgres) Supervise(ctx context.Context, told func(what string, err error)) {
	if told == nil {
		told = func(string, error) {}
	}
	tell := func(what string, f func(context.Context) error) {
		if err := f(ctx); ctx.Err() == nil {
			told(what, err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
		switch first, second, whole := p.state(); {
		case !first && second && (whole || p.o.Async):
			tell("promoted the standby of PostgreSQL", p.Promote)
		case !first:
			tell("restarted PostgreSQL", p.Restart)
		case !second && whole:
			tell("PostgreSQL goes on without its standby", p.Alone)
		case !second && p.o.Standby:
			tell("made a new standby of PostgreSQL", p.Rebuild)
		}
	}
}

func (p *Postgres) state() (first, second, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.standby()
	return p.primary().Running(), n != nil && n.Running(), p.synced
}

// Whole reports whether a standby runs that has every acknowledged commit.
func (p *Postgres) Whole() bool {
	first, second, whole := p.state()
	return first && second && whole
}

// Close ends the servers at once. It keeps their files.
func (p *Postgres) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, n := range p.nodes {
		errs = append(errs, n.stop(syscall.SIGQUIT))
	}
	return errors.Join(errs...)
}
