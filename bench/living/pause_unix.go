//go:build unix

package living

import (
	"os"
	"syscall"
)

func pause(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func goOn(p *os.Process) error  { return p.Signal(syscall.SIGCONT) }
