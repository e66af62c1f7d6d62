//go:build !unix

package rcon

import "syscall"

// apart starts a process like any other.
func apart() *syscall.SysProcAttr { return nil }
