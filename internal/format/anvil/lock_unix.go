//go:build unix

package anvil

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkLock fails where another process holds session.lock as the game does,
// by a lock of fcntl on the file. It takes no lock itself: closing the file
// would release one that this process holds elsewhere.
func checkLock(root *os.Root) error {
	info, err := root.Lstat(sessionLock)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.Open(sessionLock)
	if err != nil {
		return err
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err == nil && lock.Type != syscall.F_UNLCK {
		return ErrInUse
	}
	return nil
}
