//go:build unix

package disk

import (
	"io/fs"
	"syscall"
)

// usedBy returns how many bytes of the disk a file or a directory takes, which may be more than
// its size: logs reserve room for what is saved next.
func usedBy(in fs.FileInfo) int64 {
	if on, ok := in.Sys().(*syscall.Stat_t); ok {
		return int64(on.Blocks) * 512
	}
	return in.Size()
}
