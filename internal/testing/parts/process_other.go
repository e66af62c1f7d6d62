//go:build !linux

package parts

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

const (
	stopped = syscall.SIGINT
	goesOn  = syscall.SIGINT
)

func bind(*exec.Cmd, *account) {}

func descendants(int) []int { return nil }

func unprivileged() (*account, error) {
	return nil, errors.New("parts: servers are started on Linux alone")
}

func reserve(*os.File, int64) error { return errors.New("parts: servers are started on Linux alone") }
