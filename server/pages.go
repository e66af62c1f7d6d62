package server

import (
	"net/http"
	"strings"
)

// pageRoute is the route of the pages. They contain no data and need no token.
var pageRoute = route{method: http.MethodGet, label: "GET /", serve: (*call).page}

// isPage reports whether a call is for Options.Pages.
func (c *call) isPage() bool {
	if c.o.Pages == nil || c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return false
	}
	path := c.r.URL.Path
	return path != strings.TrimSuffix(apiPrefix, "/") && !strings.HasPrefix(path, apiPrefix)
}

// pageHeaders are the headers of all pages: they run no code and load nothing from
// other places, and no other page may embed them or learn their addresses.
var pageHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
		"worker-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// page serves a page. Without tokens it serves only this machine, but a link on a
// page of another place may lead to it.
func (c *call) page() error {
	if c.o.Tokens == nil {
		if err := onThisMachine(c.r); err != nil {
			return err
		}
	}
	for name, value := range pageHeaders {
		c.w.Header().Set(name, value)
	}
	c.o.Pages.ServeHTTP(c, c.r)
	return nil
}
