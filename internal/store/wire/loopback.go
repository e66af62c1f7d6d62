package wire

import (
	"net/netip"
	"strings"
)

// IsLoopback reports whether a host, of an address or of the Host header, is this machine. No
// name except localhost counts: someone else may control the name.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
