package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/calls"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	// Token is for the header Authorization; "" for none. Over plain HTTP it goes to this
	// machine alone, unless PlainToken is set: everyone on the way can read it there.
	Token      string
	PlainToken bool
	// HTTP makes the calls; the caller closes it. Default: connections of the
	// Store's own, which Close closes.
	HTTP http.RoundTripper
	// Cache keeps blocks of large stones. It may be the one that worlds read their
	// pages through, so that both share its budget. Default: one of stone.CacheBytes.
	Cache stone.PageCache
	// Tries is how often a repeatable call is made at most. Default 8, about five
	// seconds, in which a server can restart. It is 1 until something has answered
	// at the address. With several addresses each try asks all of them. A store that
	// does not answer costs its servers' patience each time; Patience ends that.
	Tries int
	// Patience is how long after its beginning a call is repeated. Default a
	// minute.
	Patience time.Duration
	// Timeout bounds the time of one try, plus a second for each MiB of the body or
	// answer. Default 40 seconds, more than the server allows itself. Purge and
	// Collect have no timeout.
	Timeout time.Duration
	// Stale is how old the head and the stack of a world may be if no server can reach
	// the place where the worlds are kept. Default: they must be true now. An old
	// head is good for showing a world; a save on it fails if somebody saved since.
	Stale time.Duration
	// OnStale is called, from any goroutine, for each answer that is old.
	OnStale func(name string, age time.Duration)

	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Wait returns after d, or with ctx.Err(). Default a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Rand returns numbers of [0, 1), from any goroutine. Default math/rand/v2.
	Rand func() float64
	// Unique returns numbers that nobody else gets, from any goroutine. Default
	// math/rand/v2.
	Unique func() uint64
}

func (o Options) withDefaults() Options {
	if o.Cache == nil {
		o.Cache = stone.NewCache(stone.CacheBytes)
	}
	if o.Tries <= 0 {
		o.Tries = 8
	}
	if o.Patience <= 0 {
		o.Patience = time.Minute
	}
	if o.Timeout <= 0 {
		o.Timeout = 40 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Unique == nil {
		o.Unique = rand.Uint64
	}
	return o
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// store is a Store on a server.
type store struct {
	o       Options
	sites   sites
	auth    []string // the header, nil without a token
	own     *http.Transport
	records sync.Pool   // of *wire.RecordReader
	met     atomic.Bool // something has answered at the address
	packs   atomic.Bool // value of PacksHeader in the last answer

	life   context.Context // for reads of open stones
	die    context.CancelFunc
	active calls.Calls
}

var (
	_ history.Store    = (*store)(nil)
	_ history.Fetcher  = (*store)(nil)
	_ history.Archiver = (*store)(nil)
)

// Error is a refusal of the server. Its Code is one of the table of server/API.md; errors.Is
// knows the error of package history that it stands for.
type Error = wire.Error

// ErrPlainToken is the error of a token that would go over plain HTTP to another machine.
var ErrPlainToken = errors.New("a token is not sent over plain HTTP to another machine, where others can read it: use https")

// Open returns the Store of the server at address, "http://HOST" or "https://HOST"
// with or without a path. The address may be several with commas between them, of
// servers that serve the same worlds. The Store then calls one of them, chosen by
// chance, and goes on with the next when that does not answer. Open makes no call yet.
// The caller closes the Store.
//
// The Store is a history.Fetcher and a history.Archiver too. A refusal of the server is
// an *Error. After any other error it is unknown what the server did.
func Open(ctx context.Context, address string, o Options) (history.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := parseAddresses(address)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(u url.URL) bool { return u.Scheme == "http" && !wire.IsLoopback(u.Hostname()) }); i >= 0 && o.Token != "" && !o.PlainToken {
		return nil, fmt.Errorf("client: open: %w: %s", ErrPlainToken, all[i].Host)
	}
	s := &store{o: o.withDefaults()}
	s.sites = sites{all: all, health: make([]health, len(all)), home: int(s.o.Rand()*float64(len(all))) % len(all)}
	s.records.New = func() any { return wire.NewRecordReader(nil, 0) }
	s.life, s.die = context.WithCancel(context.Background())
	if o.Token != "" {
		s.auth = []string{"Bearer " + o.Token}
	}
	if s.o.HTTP == nil {
		s.own = transport(len(all) > 1)
		s.o.HTTP = s.own
	}
	return s, nil
}

// Packs returns what the last answer said.
func (s *store) Packs() bool { return s.packs.Load() }

// transport requests no compression, because stones are compressed. If there are
// several sites, it soon gives up one that does not accept connections.
func transport(several bool) *http.Transport {
	d := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	shake := d.Timeout
	if several {
		d.Timeout, shake = time.Second, 2*time.Second
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}, // otherwise dead connections are used again
		TLSHandshakeTimeout:    shake,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    1024,
		IdleConnTimeout:        30 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// Close is for history.Store. Reads of open stones end, and open stones cannot be read
// any more.
func (s *store) Close() error {
	s.die()
	if s.active.Close() && s.own != nil {
		s.own.CloseIdleConnections()
	}
	return nil
}
