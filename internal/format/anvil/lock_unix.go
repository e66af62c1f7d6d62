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
	return takeLock(f, true)
}

// takeLock takes the game's lock on a session.lock until the file is closed, or only looks whether
// it could.
func takeLock(f *os.File, look bool) error {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK}
	if look {
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err == nil && lock.Type != syscall.F_UNLCK {
			return ErrInUse
		}
		return nil
	}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return ErrInUse
	}
	return nil // a file system without locks has no game that holds one
}

// own gives a file the owner of another, and its mode if both are files, as far as this process may.
func own(root *os.Root, name string, like fs.FileInfo) (err error) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 && s.Uid != 0 { // only root may
		err = root.Lchown(name, int(s.Uid), int(s.Gid))
	}
	if like.Mode().IsRegular() {
		err = errors.Join(err, root.Chmod(name, like.Mode().Perm()))
	}
	return err
}
