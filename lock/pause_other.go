//go:build !amd64 && !arm64

package lock

// pause passes some time: this processor has no PAUSE that an assembler can be asked for.
func pause(n int) {
	for range n {
	}
}
