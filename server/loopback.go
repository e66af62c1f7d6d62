package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Loopback returns an error unless addr, host:port as for net.Listen, is reached
// from this machine alone: only there may a server listen without tokens.
func Loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("server: listen on %q: %w", addr, err)
	}
	if !loopbackHost(host) {
		return fmt.Errorf("server: listen on %q: other machines reach it: that needs tokens", addr)
	}
	return nil
}

// loopbackHost reports whether a host, as it stands in an address or in Host, is
// this machine. Names but localhost are not: who answers for them is unknown.
func loopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// proxied are headers of calls that a proxy passes on for whoever reaches it.
var proxied = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"}

// local returns an error unless a call without a token came from a program on
// this machine, and not from a proxy or a page that a browser shows. A page of
// elsewhere is known by Host if a name of its own was made to point here, else by
// Origin or Sec-Fetch-Site.
func local(r *http.Request) error {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if !ok || !at.IP.IsLoopback() || err != nil || !from.Addr().Unmap().IsLoopback() {
		return refuse("without tokens only this machine is served")
	}
	for _, h := range proxied {
		if len(r.Header[h]) > 0 {
			return refuse("without tokens nobody is served through a proxy")
		}
	}
	if !sameHost(r.Host, at.Port, r.TLS != nil) {
		return refuse("the Host header names another place than this server")
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

// sameHost reports whether a Host header is a name of this machine with port,
// which may be left out where it is the scheme's own.
func sameHost(hostport string, port int, tls bool) bool {
	host, p, err := net.SplitHostPort(hostport)
	if err == nil {
		return loopbackHost(host) && p == fmt.Sprint(port)
	}
	host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	return loopbackHost(host) && (port == 80 && !tls || port == 443 && tls)
}
