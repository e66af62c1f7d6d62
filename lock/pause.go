//go:build amd64 || arm64

package lock

// pause executes n PAUSE instructions, which are YIELD on ARM; n is at least 1.
//
//go:noescape
func pause(n int)
