package parts

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// These pause and continue a process.
const (
	stopped = syscall.SIGSTOP
	goesOn  = syscall.SIGCONT
)

// bind makes a process end with this one, and run as user.
func bind(cmd *exec.Cmd, user *account) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if user != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user.uid, Gid: user.gid}
	}
}

// descendants returns the processes that a process has started, and those that they
// have.
func descendants(pid int) (out []int) {
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil // it has ended
	}
	for word := range strings.FieldsSeq(string(list)) {
		if child, err := strconv.Atoi(word); err == nil {
			out = append(append(out, child), descendants(child)...)
		}
	}
	return out
}

// unprivileged returns the user that PostgreSQL runs as, or nil for ours.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("parts: PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("parts: user postgres: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("parts: user postgres: %w", err)
	}
	return &account{uint32(uid), uint32(gid)}, nil
}

// reserve makes a file longer by n bytes of the disk, without writing them.
func reserve(f *os.File, n int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return syscall.Fallocate(int(f.Fd()), 0, info.Size(), n)
}
