package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// Loopback returns an error unless only this machine can reach addr, which is
// host:port as for net.Listen. A server may listen without tokens only there.
func Loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("server: listen on %q: %w", addr, err)
	}
	if !wire.IsLoopback(host) {
		return fmt.Errorf("server: listen on %q: other machines can reach it: tokens are needed", addr)
	}
	return nil
}

// proxied lists the headers that a proxy adds to the calls of others.
var proxied = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"}

// local returns an error unless a call without a token came from a program or a page
// of this machine. Origin and Sec-Fetch-Site show a page of another site.
func local(r *http.Request) error {
	if err := onThisMachine(r); err != nil {
		return err
	}
	if origin := r.Header["Origin"]; len(origin) > 0 {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		if len(origin) > 1 || !strings.EqualFold(origin[0], scheme+r.Host) {
			return refuse("pages of other places are not served")
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return refuse("pages of other places are not served")
		}
	}
	return nil
}

// onThisMachine returns an error unless a call came from this machine and not through
// a proxy. The Host header shows whether another site's name points here.
func onThisMachine(r *http.Request) error {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if !ok || !at.IP.IsLoopback() || err != nil || !from.Addr().Unmap().IsLoopback() {
		return refuse("a server without tokens serves only this machine")
	}
	for _, h := range proxied {
		if len(r.Header[h]) > 0 {
			return refuse("a server without tokens serves no proxy")
		}
	}
	if !sameHost(r.Host, at.Port, r.TLS != nil) {
		return refuse("the Host header names another host")
	}
	return nil
}

// sameHost reports whether a Host header names this machine and port. The port may
// be missing if it is the default of the scheme.
func sameHost(hostport string, port int, tls bool) bool {
	host, p, err := net.SplitHostPort(hostport)
	if err == nil {
		return wire.IsLoopback(host) && p == fmt.Sprint(port)
	}
	host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	return wire.IsLoopback(host) && (port == 80 && !tls || port == 443 && tls)
}
