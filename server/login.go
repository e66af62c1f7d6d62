package server

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

func loginRoutes() []route {
	who := jsonOf(loginAnswer{})
	return []route{
		{method: "POST", path: "/v1/login", own: true, part: true, secret: true, about: "begins a session of a person with a token; the answer sets a cookie", takes: jsonOf(loginCall{}), status: 200, gives: who, serve: (*call).login},
		{method: "GET", path: "/v1/login", role: Read, own: true, part: true, secret: true, about: "what the caller's token permits", status: 200, gives: who, serve: (*call).showLogin},
		{method: "DELETE", path: "/v1/login", own: true, part: true, secret: true, about: "ends the session of the cookie", status: 204, serve: (*call).logout},
	}
}

type loginCall struct {
	Token string `json:"token"`
}

// loginAnswer says what a token permits.
type loginAnswer struct {
	Role      string         `json:"role"`
	Prefixes  []string       `json:"prefixes"` // none for all names
	Note      string         `json:"note"`
	Dimension string         `json:"dimension,omitempty"`
	Box       token.BlockBox `json:"box,omitzero"`
	// Limits are how much there may be below the prefixes.
	Limits token.Quota `json:"limits,omitzero"`
}

// The names of the cookie with the id of a session. A browser takes the first over TLS from
// this host alone, so that neither a neighbour's page nor a plain connection can plant it.
const (
	hostCookie  = "__Host-cairn"
	plainCookie = "cairn" // without TLS
)

// login is POST /v1/login.
func (c *call) login() error {
	if c.o.Tokens == nil {
		if err := cmp.Or(local(c.r), c.count()); err != nil {
			return err
		}
	} else {
		if err := fromOurPage(c.r, false); err != nil { // a page of others must not choose who a person is
			return err
		}
		if !c.strangers.Allow(token.AddressKey(c.r.RemoteAddr), c.began) {
			return errStrangers
		}
		leave, err := c.greet(c.r.RemoteAddr) // the token comes with the body, which may not come
		if err != nil {
			return err
		}
		defer leave()
	}
	var with loginCall
	if err := c.json(&with); err != nil {
		return err
	}
	if c.o.Tokens != nil {
		g := c.o.Tokens.Find(with.Token)
		if g == nil {
			return errUnknown // its rate was asked for
		}
		if err := c.acceptGrant(g); err != nil {
			return err
		}
		c.endSession()
		c.setCookie(c.sessions.Begin(c.token, c.began), int(token.SessionTime.Seconds()))
	}
	return c.showLogin()
}

// showLogin is GET /v1/login.
func (c *call) showLogin() error {
	a := loginAnswer{Role: Admin.String(), Prefixes: []string{}}
	if t := c.token; t != nil {
		a = loginAnswer{t.Role.String(), append(a.Prefixes, t.Prefixes...), t.Note, t.Dimension, t.Box, t.Limits}
	}
	if c.o.ReadOnly {
		a.Role = Read.String()
	}
	return c.answer(http.StatusOK, a)
}

// logout is DELETE /v1/login.
func (c *call) logout() error {
	if err := fromOurPage(c.r, false); err != nil {
		return err
	}
	c.endSession()
	c.setCookie("", -1)
	return c.noContent(nil)
}

// session returns the id in the call's cookie, "" if there is none.
func (c *call) session() string {
	cookie, err := c.r.Cookie(hostCookie)
	if err != nil && !c.overTLS() {
		cookie, err = c.r.Cookie(plainCookie)
	}
	if err != nil {
		return ""
	}
	return cookie.Value
}

// overTLS reports whether the browser is known to speak TLS, which may end at a proxy.
func (c *call) overTLS() bool {
	return c.r.TLS != nil || c.r.Header.Get("X-Forwarded-Proto") == "https" || strings.HasPrefix(c.r.Header.Get("Origin"), "https:")
}

func (c *call) endSession() {
	if c.sessions != nil {
		c.sessions.End(c.session())
	}
}

// setCookie sets the cookie for a number of seconds, or removes it. A browser sends it
// to this server alone, from pages of this server alone, and shows it to no script.
func (c *call) setCookie(id string, seconds int) {
	name, secure := plainCookie, c.overTLS()
	if secure {
		name = hostCookie
	}
	http.SetCookie(c.w, &http.Cookie{Name: name, Value: id, Path: "/", MaxAge: seconds, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// sessionSecret returns the secret under which sessions are signed. It comes from the
// identity of the Store, so that all servers of one Store have the same, and who has a copy
// of the file of tokens does not.
func sessionSecret(st history.Store) ([]byte, error) {
	identity := rand.Text()
	if a, ok := st.(history.ArchiveReader); ok {
		var err error
		if identity, err = a.Identity(context.Background()); err != nil {
			return nil, fmt.Errorf("server: the secret of sessions: %w", err)
		}
	}
	return hkdf.Key(sha256.New, []byte(identity), nil, "cairn sessions", sha256.Size)
}

// staysValid returns what reports whether the caller's token or session is still good; nil on a
// server without tokens.
func (c *call) staysValid() func() bool {
	if id := c.session(); c.token != nil && len(c.r.Header["Authorization"]) == 0 && id != "" {
		return func() bool { return c.sessions.Find(id, time.Now()) == c.token }
	}
	return c.stillValid(c.token)
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

var (
	errStrangers = fault(wire.Busy, "too many calls without a known token")
	errUnknown   = fault(wire.Unauthorized, "this server needs a known token")
)

// acceptGrant makes a token the caller's, or refuses the call if there is none. It bounds the
// rate of callers, and of strangers who guess.
func (c *call) acceptGrant(g *token.Grant) error {
	switch c.token = g; {
	case g == nil && !c.strangers.Allow(token.AddressKey(c.r.RemoteAddr), c.began):
		return errStrangers
	case g == nil:
		return errUnknown
	case !c.rates.Allow(g.Hash, c.began):
		return fault(wire.Busy, "too many calls with this token")
	}
	c.st = g.Within(c.Server.st, c.began)
	return nil
}
