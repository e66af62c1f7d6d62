package server

import (
	"net/http"
	"strings"
)

// pages are Options.Pages. They contain no data and need no token.
type pages struct {
	handler http.Handler
	local   bool // the server has no tokens
}

func (h *pages) route() *route {
	return &route{method: http.MethodGet, label: "GET /", handler: plain(h.page, nothing)}
}

// isPage reports whether a call may be for a page.
func isPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path+"/", apiPrefix)
}

// page serves a page. Without tokens it serves only this machine, but a link on a
// page of another place may lead to it.
func (h *pages) page(c *call) error {
	if h.local {
		if err := onThisMachine(c.r); err != nil {
			return err
		}
	}
	if c.r.TLS != nil {
		c.w.Header()["Strict-Transport-Security"] = onlyTLS
	}
	h.handler.ServeHTTP(c, c.r)
	return nil
}
