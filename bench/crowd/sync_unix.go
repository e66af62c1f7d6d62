//go:build unix

package crowd

import "syscall"

// syncDisks has everything written that was given to files.
func syncDisks() { syscall.Sync() }
