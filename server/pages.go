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

// page serves a page. Without tokens it serves only this machine, but a link on a
// page of another place may lead to it.
func (c *call) page() error {
	if c.o.Tokens == nil {
		if err := onThisMachine(c.r); err != nil {
			return err
		}
	}
	if c.r.TLS != nil {
		c.w.Header()["Strict-Transport-Security"] = onlyTLS
	}
	c.o.Pages.ServeHTTP(c, c.r)
	return nil
}
