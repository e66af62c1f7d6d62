package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/store/local"
)

// served is a process of the server with a store of its own.
type served struct {
	program *exec.Cmd
	url     string
	debug   string // "" without
	log     tail
}

// serve starts the server on a store, with the options that it has by default and
// some more, and waits until it takes calls.
func serve(ctx context.Context, command []string, dir string, more ...string) (*served, error) {
	args := append(command[1:len(command):len(command)], "serve", "--listen", "127.0.0.1:0", "--store", "local:"+dir)
	s := &served{program: exec.CommandContext(ctx, command[0], append(args, more...)...)}
	s.program.Stderr = &s.log
	s.program.Cancel = func() error { return s.program.Process.Signal(syscall.SIGTERM) }
	s.program.WaitDelay = patience
	out, err := s.program.StdoutPipe()
	if err == nil {
		err = s.program.Start()
	}
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); s.url == "" && lines.Scan(); {
		switch what, url, _ := strings.Cut(lines.Text(), " "); what {
		case "debug":
			s.debug = url
		case "ready":
			s.url = url
		}
	}
	if s.url == "" {
		return nil, errors.Join(s.program.Process.Kill(), s.program.Wait(), fmt.Errorf("measure: the server is not ready: %s", s.log.last))
	}
	return s, nil
}

// stop drains the server.
func (s *served) stop() error {
	err := stopProcess(s.program, syscall.SIGTERM)
	if err != nil {
		err = fmt.Errorf("measure: the server: %w: %s", err, s.log.last)
	}
	return err
}

func (s *served) used() usage { return usageOf(s.program.Process.Pid) }

// tail is a Writer that keeps what was written last.
type tail struct{ last []byte }

const tailBytes = 4 << 10

// Write is for io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-tailBytes):]
	return len(p), nil
}

// remote is islands in a store behind a server.
type remote struct {
	stored
	dir     string
	crowd   *crowd
	command []string
	server  *served
}

func (r *remote) fill(ctx context.Context, o Options) error {
	return fillStore(ctx, r.dir, r.crowd, o, 0)
}

func (r *remote) open(ctx context.Context) (err error) {
	if r.server, err = serve(ctx, r.command, r.dir, "--log-format", "json"); err != nil {
		return err
	}
	st, err := client.Open(ctx, r.server.url, client.Options{})
	if err == nil {
		r.stored = stored{st}
	}
	return err
}

func (r *remote) used() usage {
	u := r.server.used()
	u.cpu += usageOf(os.Getpid()).cpu
	return u
}

func (r *remote) close(ctx context.Context, c *crowd) (int, error) {
	if r.server == nil {
		return 0, nil
	}
	err := r.server.stop()
	if r.Store != nil {
		err = errors.Join(err, r.Close())
	}
	if err != nil {
		return 0, err
	}
	st, err := local.Open(r.dir, local.Options{})
	if err != nil {
		return 0, err
	}
	n, err := stored{st}.highest(ctx, c)
	return n, errors.Join(err, st.Close())
}
