package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// anyOrigin permits the pages of every place.
const anyOrigin = "*"

// CheckOrigin returns an error unless a text can be one of Options.Origins: "*", or the scheme,
// host and port of pages, such as https://tool.example.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if origin != anyOrigin && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != origin || strings.ToLower(origin) != origin) {
		return fmt.Errorf("server: origin %.100q: want such as https://tool.example, without a path, or *", origin)
	}
	return nil
}

// What pages of a permitted origin may send, and what of an answer they may read.
var (
	sentHeaders = []string{strings.Join([]string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "Range", "If-Range",
		"Last-Event-ID", wire.FenceHeader, wire.RetryHeader, wire.StaleHeader}, ", ")}
	readHeaders = []string{strings.Join([]string{"ETag", "Content-Range", "Accept-Ranges", "Content-Disposition", "Retry-After",
		wire.FenceHeader, wire.StaleHeader, wire.LostHeader, wire.PacksHeader, boxHeader, scaleHeader, requestHeader}, ", ")}
)

// requestHeader has the number of a call in the log.
const requestHeader = "Cairn-Request"

// origin returns the origin of the page that made the call if Options.Origins permit it. Such a
// page shows a token, because its browser is never told that it may send the cookie.
func (c *call) origin() string {
	if from := c.r.Header["Origin"]; len(from) == 1 && strings.HasPrefix(c.r.URL.Path, apiPrefix) && (slices.Contains(c.origins, from[0]) || slices.Contains(c.origins, anyOrigin)) {
		return from[0]
	}
	return ""
}

// permit lets a page of a permitted origin read the answer.
func (c *call) permit() {
	if len(c.origins) == 0 {
		return
	}
	c.varyBy("Origin")
	if from := c.origin(); from != "" {
		h := c.w.Header()
		h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = []string{from}, readHeaders
	}
}

// preflight answers a browser that asks what pages of a permitted origin may do. It reports
// false for other calls.
func (c *call) preflight() bool {
	if c.r.Method != http.MethodOptions || len(c.r.Header["Access-Control-Request-Method"]) == 0 || c.origin() == "" {
		return false
	}
	h := c.w.Header()
	h["Access-Control-Allow-Methods"], h["Access-Control-Allow-Headers"] = []string{c.allow}, sentHeaders
	h["Access-Control-Max-Age"] = []string{"600"}
	c.secure(h)
	c.WriteHeader(http.StatusNoContent)
	return true
}
