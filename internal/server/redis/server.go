// Package redis speaks the protocol of Redis (RESP 2 and 3) to game servers that keep their worlds there:
// it has the commands that they use, over keys that stand for worlds. FORMAT.md lists both.
//
// A save is answered when its bytes are durable in the inbox of the world (package inbox); a load gives
// these bytes, or the file that the world's newest version is. The package reads the protocol itself: it must
// bound what strangers send before it has room for it.
package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/inbox"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/server/versions"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Door. The zero value is the default.
type Options struct {
	// Prefix is that of the worlds' names: Escape of a name follows it. Default DefaultPrefix.
	Prefix string
	// Tokens say who may do what. Without them only programs of this machine may call, and may do everything.
	Tokens *token.Set
	Limits limits.Limits
	// Log receives what callers must not see. Default none.
	Log *slog.Logger
	// Delay is that of the inbox.
	Delay time.Duration
	// Observe is called after each command of the table. It must not keep the event.
	Observe func(*metrics.CallEvent)
}

// DefaultPrefix is the beginning of the names of worlds.
const DefaultPrefix = "slime/"

// Door serves connections. All methods are safe for any number of goroutines.
type Door struct {
	st        history.Store
	o         Options
	commands  map[string]command
	inbox     *inbox.Inbox
	made      *versions.Made // files of versions
	heavy     *limits.Queue  // those that read and write whole worlds
	room      limits.Memory  // of arguments
	rates     *limits.Rates
	strangers *limits.Rates
	greetings limits.Greetings
	locks     sync.Mutex // held while a lock is taken: whether it is free is another call

	mu     sync.Mutex // guards what follows
	conns  map[net.Conn]bool
	closed bool
	work   sync.WaitGroup
}

// New returns a Door of a Store, with the Store's Inbox.
func New(st history.Store, o Options) *Door {
	o.Limits = o.Limits.Filled()
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := o.Limits
	s := &Door{st: st, o: o, commands: table(), made: versions.NewMade(l.CacheBytes), heavy: limits.NewQueue(l.Heavy, int(l.Calls), 0),
		rates: limits.NewRates(l.Rate), strangers: limits.NewRates(l.StrangerRate), conns: map[net.Conn]bool{}}
	s.room.Set(l.BodyMemory)
	s.inbox = inbox.New(st, inbox.Options{Make: s.makeVersion, Delay: o.Delay, Log: o.Log})
	return s
}

// Inbox returns what keeps saves until versions are made of them.
func (s *Door) Inbox() *inbox.Inbox { return s.inbox }

// Serve serves connections that l accepts, until l is closed.
func (s *Door) Serve(l net.Listener) error {
	var late time.Duration
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil { // too many files are open, for example
			late = min(max(2*late, 5*time.Millisecond), time.Second)
			s.o.Log.Error("redis: a connection cannot be accepted", "err", err)
			time.Sleep(late)
			continue
		}
		late = 0
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = conn.Close() // nobody has heard of it
			continue
		}
		s.conns[conn] = true
		s.work.Go(func() { s.serve(conn) })
		s.mu.Unlock()
	}
}

// Close lets commands in progress end, until ctx ends. The caller has closed the listeners.
func (s *Door) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		_ = conn.SetReadDeadline(time.Now()) // else the connection is gone
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for conn := range s.conns {
		_ = conn.Close() // it is given up
	}
	s.mu.Unlock()
	<-done
	return fmt.Errorf("redis: commands were cut: %w", ctx.Err())
}

// session is a connection. One goroutine uses it.
type session struct {
	s      *Door
	conn   net.Conn
	remote string
	r      reader
	w      writer
	grant  *token.Grant // nil without tokens, and before AUTH
	named  bool         // it may call
	greet  func()       // it has said who it is
	name   string       // CLIENT SETNAME
	queued [][][]byte   // since MULTI
	bytes  int64        // of queued
	multi  bool
	broken bool // a command after MULTI was wrong
	bye    bool
}

func (s *Door) serve(conn net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
		_ = conn.Close() // what was to be said was said
	}()
	c := &session{s: s, conn: conn, remote: conn.RemoteAddr().String(), greet: func() {}}
	c.w = writer{bufio.NewWriterSize(conn, 16<<10), 2}
	c.r = reader{Reader: bufio.NewReaderSize(conn, maxLine), room: &s.room, most: min(s.o.Limits.WorldBytes, s.o.Limits.BodyMemory), stranger: func() bool { return !c.named }, within: c.within}
	defer c.r.release()
	if err := c.welcome(); err != nil {
		c.w.reply(err)
		c.flush()
		return
	}
	defer func() { c.greet() }()
	for !c.bye && c.one() {
	}
	c.flush()
}

// welcome says whether the caller may speak at all.
func (c *session) welcome() error {
	s := c.s
	if s.o.Tokens == nil {
		if !near(c.remote) {
			return errors.New("DENIED a server without tokens serves only this machine")
		}
		c.named = true
		return nil
	}
	leave, err := s.greetings.Enter(limits.AddressKey(c.remote), max(1, s.o.Limits.Calls/8))
	if err != nil {
		return errors.New("ERR " + err.Error())
	}
	c.greet = leave
	return nil
}

// near reports whether an address is this machine's.
func near(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// within says how long the next bytes of a command may take.
func (c *session) within(bytes int64) { c.wait(patience(c.s.o.Limits, bytes)) }

// wait sets how long to wait for the caller, 0 for any time. A server that closes waits no more.
func (c *session) wait(d time.Duration) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	at := time.Time{}
	if d > 0 {
		at = time.Now().Add(d)
	}
	if c.s.closed {
		at = time.Now()
	}
	_ = c.conn.SetReadDeadline(at) // else the connection is gone
}

func (c *session) flush() bool {
	_ = c.conn.SetWriteDeadline(time.Now().Add(patience(c.s.o.Limits, int64(c.w.Buffered())))) // else the connection is gone
	return c.w.Flush() == nil
}

// one serves one command. It reports whether there may be more.
func (c *session) one() bool {
	if c.r.Buffered() == 0 {
		if !c.flush() {
			return false
		}
		if c.wait(0); !c.named {
			c.wait(c.s.o.Limits.Patience)
		}
	}
	args, err := c.r.next()
	var large tooLarge
	var wrong protocolError
	switch {
	case errors.As(err, &large):
		c.broken = c.multi
		c.w.reply(errors.New("ERR " + large.Error()))
	case errors.As(err, &wrong):
		c.w.reply(errors.New("ERR " + wrong.Error()))
		return false
	case err != nil:
		return false
	default:
		v := c.run(args)
		_ = c.conn.SetWriteDeadline(time.Now().Add(patience(c.s.o.Limits, size(v)))) // else the connection is gone
		c.w.reply(v)
	}
	if !c.multi {
		c.r.release()
	}
	return true
}

// size is how many bytes a reply may have that is one value.
func size(v any) int64 {
	b, _ := v.([]byte)
	return int64(len(b))
}

// run runs a command, or queues it.
func (c *session) run(args [][]byte) any {
	name := strings.ToUpper(string(args[0]))
	cmd, ok := c.s.commands[name]
	switch {
	case !ok:
		c.broken = c.multi
		return fmt.Errorf("ERR unknown command '%.64q'", name)
	case len(args)-1 < cmd.min || cmd.max >= 0 && len(args)-1 > cmd.max:
		c.broken = c.multi
		return fmt.Errorf("ERR wrong number of arguments for '%s' command", strings.ToLower(name))
	}
	if err := c.admit(cmd); err != nil {
		c.broken = c.multi
		return err
	}
	if c.multi && !cmd.now {
		return c.enqueue(args)
	}
	return c.call(name, cmd, args[1:])
}

// call runs a command of the table.
func (c *session) call(name string, cmd command, args [][]byte) (v any) {
	began := time.Now()
	e := metrics.CallEvent{Route: "RESP " + name, Status: http.StatusOK}
	long := c.s.o.Limits.Time
	if cmd.long {
		long = c.s.o.Limits.Longest
	}
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			c.s.o.Log.Error("redis: panic", "command", name, "panic", p, "stack", string(debug.Stack()))
			v, e.Code = errors.New("ERR the server failed"), wire.Internal
		}
		e.Took = time.Since(began)
		if c.s.o.Observe != nil {
			c.s.o.Observe(&e)
		}
	}()
	v, err := cmd.do(c, ctx, args)
	if err != nil {
		e.Code, err = c.s.fault(name, err)
		return err
	}
	e.Out = size(v)
	return v
}

// admit says whether the caller may call a command.
func (c *session) admit(cmd command) error {
	now := time.Now()
	switch {
	case c.s.o.Tokens == nil || cmd.role == token.Nobody:
		return nil
	case c.grant == nil || !c.s.o.Tokens.Has(c.grant):
		c.named = false
		return reply("NOAUTH Authentication required.")
	case !c.s.rates.Allow(c.grant.Hash, now):
		return errors.New("ERR too many calls with this token")
	case c.grant.Bound() || c.grant.Role < cmd.role:
		return errors.New("NOPERM the token's role does not permit this")
	}
	return nil
}

// login makes the token with a secret the caller's.
func (c *session) login(secret string) error {
	if c.s.o.Tokens == nil {
		return nil // loaders send a password that was once needed
	}
	g := c.s.o.Tokens.Find(secret)
	switch {
	case g == nil && !c.s.strangers.Allow(limits.AddressKey(c.remote), time.Now()):
		return errors.New("ERR too many calls without a known token")
	case g == nil:
		return errors.New("WRONGPASS this server has no such token")
	}
	c.grant, c.named = g, true
	c.greet()
	c.greet = func() {}
	return nil
}

// store is the Store under the limits of the caller's token.
func (c *session) store() history.Store {
	if c.grant == nil {
		return c.s.st
	}
	return c.grant.Within(c.s.st, time.Now())
}
