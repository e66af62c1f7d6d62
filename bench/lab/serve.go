package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Patience is how long a process may take to stop.
const Patience = 20 * time.Second

// Server is a process of the server with a store of its own.
type Server struct {
	Program *exec.Cmd
	URL     string
	Debug   string // "" without
	log     tail
}

// Serve starts the server on a store, with the options that it has by default and
// some more, and waits until it takes calls.
func Serve(ctx context.Context, cairn, dir string, more ...string) (*Server, error) {
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "local:" + dir}, more...)
	s := &Server{Program: exec.CommandContext(ctx, cairn, args...)}
	s.Program.Stderr = &s.log
	s.Program.Cancel = func() error { return s.Program.Process.Signal(syscall.SIGTERM) }
	s.Program.WaitDelay = Patience
	out, err := s.Program.StdoutPipe()
	if err == nil {
		err = s.Program.Start()
	}
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); s.URL == "" && lines.Scan(); {
		switch what, url, _ := strings.Cut(lines.Text(), " "); what {
		case "debug":
			s.Debug = url
		case "ready":
			s.URL = url
		}
	}
	if s.URL == "" {
		return nil, errors.Join(s.Program.Process.Kill(), s.Program.Wait(), fmt.Errorf("lab: the server is not ready: %s", s.log.last))
	}
	return s, nil
}

// Stop drains the server.
func (s *Server) Stop() error {
	err := StopProcess(s.Program, syscall.SIGTERM)
	if err != nil {
		err = fmt.Errorf("lab: the server: %w: %s", err, s.log.last)
	}
	return err
}

// Used returns what the process has used so far.
func (s *Server) Used() Usage { return UsageOf(s.Program.Process.Pid) }

// tail is a Writer that keeps the last bytes.
type tail struct{ last []byte }

const tailBytes = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-tailBytes):]
	return len(p), nil
}

// StopProcess asks a process to end and waits for it. If it does not end, StopProcess kills it.
func StopProcess(p *exec.Cmd, ask os.Signal) error {
	if err := p.Process.Signal(ask); err != nil {
		return errors.Join(err, p.Process.Kill(), p.Wait())
	}
	late := time.AfterFunc(Patience, func() { _ = p.Process.Kill() })
	defer late.Stop()
	return p.Wait()
}
