package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// host says which server to run, and where.
type host struct {
	dir   string // of the store
	cairn string // the program; "" for the server in this process's program
	plant string // a fault of the latter that must be found
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	out    io.Reader
	ready  time.Duration // from its start until it accepted calls
	faults bytes.Buffer
	gone   chan struct{} // closed when it has ended
}

// start starts a server.
func (h host) start(ctx context.Context) (*process, error) {
	program, args := h.cairn, []string{"serve", "--listen", "127.0.0.1:0", "--store", "local:" + h.dir}
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
		args = []string{serverArg, h.dir, h.plant}
	}
	p := &process{cmd: exec.CommandContext(ctx, program, args...), gone: make(chan struct{})}
	p.cmd.Stderr = &p.faults
	var err error
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// open starts a server, waits until it accepts calls, and returns a Store for it.
func (h host) open(ctx context.Context) (*process, string, history.Store, error) {
	began := time.Now()
	p, err := h.start(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	url, err := p.await(ctx)
	if err == nil {
		var st history.Store
		if st, err = client.Open(ctx, url, client.Options{Wait: p.wait}); err == nil {
			p.ready = time.Since(began)
			return p, url, st, nil
		}
	}
	return nil, "", nil, errors.Join(err, p.kill(), errors.New(p.faults.String()))
}

// await returns the address that the server prints when it is ready.
func (p *process) await(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hangs, errHangs)
	defer cancel()
	line, err := bufio.NewReader(p.out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		return "", fmt.Errorf("the server says %q: %w", line, err)
	}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return "", err
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		if err := a.Body.Close(); err != nil || a.StatusCode == http.StatusOK {
			return url, err
		}
		time.Sleep(time.Millisecond)
	}
}

// wait makes clients retry while the process lives.
func (p *process) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.gone:
		return os.ErrProcessDone
	}
}

// kill kills the process, if it has not ended.
func (p *process) kill() error {
	select {
	case <-p.gone:
		return nil
	default:
	}
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	close(p.gone)
	return err
}

// stop makes the process end by itself.
func (p *process) stop() error {
	err := errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait())
	close(p.gone)
	if err != nil {
		return fmt.Errorf("the server at its end: %w: %s", err, p.faults.String())
	}
	return nil
}
