//go:build unix

package measure

import "syscall"

// syncDisks has everything written that was given to files.
func syncDisks() { syscall.Sync() }

// raiseFiles lets this process, and those it starts, have as many files and
// connections as the system allows.
func raiseFiles() error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	l.Cur = l.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l)
}
