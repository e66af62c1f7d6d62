package server

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// door decides who may make which call, and how many calls there are at a time.
type door struct {
	tokens    *Tokens         // nil: callers are of this machine alone
	sessions  *token.Sessions // nil without tokens
	rates     *limits.Rates   // of tokens
	strangers *limits.Rates   // of addresses without a token
	greetings limits.Greetings
	readOnly  bool
	st        history.Store
	most      int64 // calls at a time
	calls     atomic.Int64
}

// stranger is a caller who has shown no token.
func (d *door) stranger() caller {
	if d.tokens != nil {
		return caller{st: d.st}
	}
	return caller{role: d.capped(token.Admin), st: d.st}
}

// capped is what a role permits here.
func (d *door) capped(role token.Role) token.Role {
	if d.readOnly {
		return min(role, token.Read)
	}
	return role
}

// admit checks the caller's token, role and names, and whether there is room for
// the call.
func (d *door) admit(c *call) error {
	if c.route.role == token.Nobody {
		return nil
	}
	if err := d.identify(c); err != nil {
		return err
	}
	if c.role < c.route.role {
		if d.readOnly {
			return refuse("worlds are only shown here, and cannot be changed")
		}
		return refuse("the token's role does not permit this")
	}
	if c.token != nil && c.token.Bound() && !c.route.part {
		return refuse("the token is for looking at a part of a world")
	}
	switch {
	case c.route.named():
		if err := c.other(c.name); err != nil {
			return err
		}
	case c.route.role == token.Admin && !c.everywhere():
		return refuse("this call is about all worlds, and the token is for some")
	}
	return d.count(c)
}

// identify finds the token of the call: that of the header, or that of the cookie's
// session if there is no such header.
func (d *door) identify(c *call) error {
	if d.tokens == nil {
		return local(c.r)
	}
	h := c.r.Header["Authorization"]
	if id := session(c.r); len(h) == 0 && id != "" {
		if err := d.accept(c, d.sessions.Find(id, c.began)); err != nil {
			return err
		}
		return fromOurPage(c.r, c.route.changes() || c.route.socket)
	}
	var found *token.Grant
	if len(h) == 1 {
		if scheme, secret, ok := strings.Cut(h[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			found = d.tokens.Find(secret)
		}
	}
	return d.accept(c, found)
}

// accept makes a token the caller's, or refuses the call.
func (d *door) accept(c *call, g *token.Grant) error {
	if err := d.check(g, c.r.RemoteAddr, c.began); err != nil {
		return err
	}
	c.caller = caller{token: g, role: d.capped(g.Role), st: g.Within(d.st, c.began)}
	return nil
}

var (
	errStrangers = fault(wire.Busy, "too many calls without a known token")
	errUnknown   = fault(wire.Unauthorized, "this server needs a known token")
)

// check refuses a call if its token is nil, which means unknown. It bounds the rate of callers, and
// of strangers who guess.
func (d *door) check(g *token.Grant, remote string, now time.Time) error {
	switch {
	case g == nil:
		return cmp.Or(d.guess(remote, now), errUnknown)
	case !d.rates.Allow(g.Hash, now):
		return fault(wire.Busy, "too many calls with this token")
	}
	return nil
}

// guess refuses a stranger whose address makes too many calls.
func (d *door) guess(remote string, now time.Time) error {
	if !d.strangers.Allow(limits.AddressKey(remote), now) {
		return errStrangers
	}
	return nil
}

// place is a place among the calls at a time.
type place struct{ all, mine *atomic.Int64 }

// count counts the call as in progress and refuses it if there are too many.
func (d *door) count(c *call) error {
	c.place.all = &d.calls
	n, mine := d.calls.Add(1), int64(0)
	if c.token != nil {
		c.place.mine = &c.token.Calls
		mine = c.token.Calls.Add(1)
	}
	if n > d.most || mine > d.most/2 {
		return fault(wire.Busy, "too many calls at a time")
	}
	return nil
}

// leave gives up the place, if there is one.
func (p *place) leave() {
	for _, n := range []*atomic.Int64{p.all, p.mine} {
		if n != nil {
			n.Add(-1)
		}
	}
	*p = place{}
}

// greet counts a connection that has not named its token yet, unless there are too many, or
// too many of its address. They take no room from callers with tokens. The caller calls leave.
func (d *door) greet(remote string) (leave func(), err error) {
	return d.greetings.Enter(limits.AddressKey(remote), max(1, d.most/8))
}

// good returns what reports whether a token is still in the server's file, unchanged; nil on a
// server without tokens.
func (d *door) good(t *token.Grant) func() bool {
	if t == nil {
		return nil
	}
	return func() bool { return d.tokens.Has(t) }
}

// staysGood returns what reports whether the caller's token or session is still good; nil on a
// server without tokens.
func (d *door) staysGood(c *call) func() bool {
	if id, t := session(c.r), c.token; t != nil && len(c.r.Header["Authorization"]) == 0 && id != "" {
		return func() bool { return d.sessions.Find(id, time.Now()) == t }
	}
	return d.good(c.token)
}

// fromOurPage returns an error if a browser says that a page of another place made the
// call. With proof the browser must say that a page of this server made it. Every
// browser sends Origin with changes, and Sec-Fetch-Site where it trusts the connection.
func fromOurPage(r *http.Request, proof bool) error {
	if site := r.Header["Sec-Fetch-Site"]; len(site) > 0 {
		if len(site) == 1 && (site[0] == "same-origin" || site[0] == "none" && !proof) {
			return nil
		}
		return refuse("pages of other places are not served")
	}
	origin := r.Header["Origin"]
	if len(origin) == 0 && !proof {
		return nil
	}
	if len(origin) == 1 {
		if u, err := url.Parse(origin[0]); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) && (r.TLS == nil || u.Scheme == "https") {
			return nil
		}
	}
	return refuse("pages of other places are not served; a call with a cookie needs Origin or Sec-Fetch-Site")
}
