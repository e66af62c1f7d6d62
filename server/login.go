package server

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/store/history"
)

// logins are sessions of people.
type logins struct{ *door }

func (h *logins) routes() []route {
	return []route{
		{method: "POST", path: "/v1/login", own: true, part: true, secret: true, about: "begins a session of a person with a token; the answer sets a cookie", status: 200, handler: gives(h.begin).from(jsonOf(loginCall{}))},
		{method: "GET", path: "/v1/login", role: token.Read, own: true, part: true, secret: true, about: "what the caller's token permits", status: 200, handler: gives(h.show)},
		{method: "DELETE", path: "/v1/login", own: true, part: true, secret: true, about: "ends the session of the cookie", status: 204, handler: done(h.end)},
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

// begin reads the body late: who may call is checked before.
func (h *logins) begin(c *call) (a loginAnswer, err error) {
	if h.tokens == nil {
		if err := cmp.Or(local(c.r), h.count(c)); err != nil {
			return a, err
		}
	} else {
		if err := fromOurPage(c.r, false); err != nil { // a page of others must not choose who a person is
			return a, err
		}
		if err := h.guess(c.r.RemoteAddr, c.began); err != nil {
			return a, err
		}
		leave, err := h.greet(c.r.RemoteAddr) // the token comes with the body, which may not come
		if err != nil {
			return a, err
		}
		defer leave()
	}
	var with loginCall
	if err := c.json(c.limits.JSONBytes, &with); err != nil {
		return a, err
	}
	if h.tokens != nil {
		g := h.tokens.Find(with.Token)
		if g == nil {
			return a, errUnknown // its rate was asked for
		}
		if err := h.accept(c, g); err != nil {
			return a, err
		}
		h.sessions.End(session(c.r))
		setCookie(c, h.sessions.Begin(c.token, c.began), int(token.SessionTime.Seconds()))
	}
	return h.show(c)
}

func (h *logins) show(c *call) (loginAnswer, error) {
	a := loginAnswer{Role: c.role.String(), Prefixes: []string{}}
	if t := c.token; t != nil {
		a = loginAnswer{a.Role, append(a.Prefixes, t.Prefixes...), t.Note, t.Dimension, t.Box, t.Limits}
	}
	return a, nil
}

func (h *logins) end(c *call) error {
	if err := fromOurPage(c.r, false); err != nil {
		return err
	}
	if h.sessions != nil {
		h.sessions.End(session(c.r))
	}
	setCookie(c, "", -1)
	return nil
}

// session returns the id in the call's cookie, "" if there is none.
func session(r *http.Request) string {
	cookie, err := r.Cookie(hostCookie)
	if err != nil && !overTLS(r) {
		cookie, err = r.Cookie(plainCookie)
	}
	if err != nil {
		return ""
	}
	return cookie.Value
}

// overTLS reports whether the browser is known to speak TLS, which may end at a proxy.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" || strings.HasPrefix(r.Header.Get("Origin"), "https:")
}

// setCookie sets the cookie for a number of seconds, or removes it. A browser sends it
// to this server alone, from pages of this server alone, and shows it to no script.
func setCookie(c *call, id string, seconds int) {
	name, secure := plainCookie, overTLS(c.r)
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
