package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	readyLimit = 3 * time.Minute // on a machine that is busy
	askLimit   = 5 * time.Second
	stopLimit  = 10 * time.Second
)

// Process is a server that can be killed and started again. It cannot be used by
// several goroutines at the same time.
type Process struct {
	name, path string
	args, env  []string
	user       *account
	ready      func(context.Context) error
	log        io.Writer // also gets what the server prints; may be nil

	cmd  *exec.Cmd
	said *tail
	gone chan struct{} // closed when the process has ended
}

// account is a user of the operating system.
type account struct{ uid, gid uint32 }

// newProcess returns a Process that does not run.
func newProcess(name string, args ...string) (*Process, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	return &Process{name: name, path: path, args: args}, nil
}

// Start starts the server, which must not run, and waits until it is ready.
func (p *Process) Start(ctx context.Context) error {
	if p.Running() {
		return fmt.Errorf("parts: start %s: it runs", p.name)
	}
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.Dir = "/"
	p.said = &tail{to: p.log}
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	bind(p.cmd, p.user)
	if _, err := onThread(func() (struct{}, error) { return struct{}{}, p.cmd.Start() }); err != nil {
		return fmt.Errorf("parts: start %s: %w", p.name, err)
	}
	gone, cmd := make(chan struct{}), p.cmd
	p.gone = gone
	go func() {
		_ = cmd.Wait() // it may have been killed
		close(gone)
	}()
	if p.ready == nil {
		return nil
	}
	err := until(ctx, readyLimit, func(ctx context.Context) error {
		if !p.Running() {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		return p.ready(ctx)
	})
	if err == nil && !p.Running() {
		err = errors.New("it ended")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("parts: start %s: %w: it printed:\n%s", p.name, err, p.said), p.Kill())
	}
	return nil
}

// Running reports whether the server was started and has not ended.
func (p *Process) Running() bool {
	if p.gone == nil {
		return false
	}
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// Gone returns a channel that is closed when the server, which was started, has
// ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Said returns the end of what the server printed since its last start.
func (p *Process) Said() string { return p.said.String() }

// Kill ends the server and the processes it started by SIGKILL. It does nothing
// after the end.
func (p *Process) Kill() error {
	if !p.Running() {
		return nil
	}
	err := killAll(p.cmd.Process)
	<-p.gone
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// killAll ends a process and those that it started.
func killAll(p *os.Process) error {
	family := descendants(p.Pid)
	err := p.Kill()
	for _, pid := range family {
		if child, err := os.FindProcess(pid); err == nil {
			_ = child.Kill() // it may have ended
		}
	}
	return err
}

// Stop lets the server end by SIGTERM. It kills one that does not.
func (p *Process) Stop() error { return p.stop(syscall.SIGTERM) }

func (p *Process) stop(by os.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.Signal(by); err != nil {
		return err
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("parts: %s did not end within %v: it printed:\n%s", p.name, stopLimit, p.said), p.Kill())
	}
}

// Signal sends a signal to the server.
func (p *Process) Signal(s os.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("parts: %s: %w", p.name, err)
	}
	return nil
}

// Pause stops the server and the processes it started where they are, until Continue.
func (p *Process) Pause() error { return p.all(stopped) }

// Continue continues what Pause stopped.
func (p *Process) Continue() error { return p.all(goesOn) }

func (p *Process) all(s os.Signal) error {
	err := p.Signal(s)
	for _, pid := range descendants(p.Pid()) {
		if child, e := os.FindProcess(pid); e == nil {
			_ = child.Signal(s) // it may have ended
		}
	}
	return err
}

// onThread calls f on one thread of the operating system that never ends: a process
// is told of the end of the thread that started it.
func onThread[T any](f func() (T, error)) (out T, err error) {
	thread.once.Do(func() {
		thread.calls = make(chan func())
		go func() {
			runtime.LockOSThread()
			for call := range thread.calls {
				call()
			}
		}()
	})
	done := make(chan struct{})
	thread.calls <- func() {
		defer close(done)
		out, err = f()
	}
	<-done
	return out, err
}

var thread struct {
	once  sync.Once
	calls chan func()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
	to  io.Writer
}

const maxTail = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if len(t.end) > maxTail {
		t.end = append([]byte(nil), t.end[len(t.end)-maxTail/2:]...)
	}
	if t.to == nil {
		return len(b), nil
	}
	return t.to.Write(b)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
