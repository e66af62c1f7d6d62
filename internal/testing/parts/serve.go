package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
)

// Server is a cairn serve.
type Server struct {
	*Process
	addr, debug string
}

// BuildCairn builds the command cairn of the module in the current directory, in dir,
// and returns its path.
func BuildCairn(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "cairn")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/cairnvoxel/cairn/cmd/cairn").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("parts: build cairn: %w: %s", err, out)
	}
	return path, nil
}

// StartServer starts the program cairn, which serves a store. Its log goes to log,
// which may be nil.
func StartServer(ctx context.Context, cairn, store string, log io.Writer, flags ...string) (*Server, error) {
	s, err := newServer(cairn, store, log, flags...)
	if err != nil {
		return nil, err
	}
	return s, s.Start(ctx)
}

func newServer(cairn, store string, log io.Writer, flags ...string) (*Server, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	debug, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	s := &Server{addr: addr, debug: debug}
	s.Process = &Process{name: "cairn serve", path: cairn, log: log,
		args: append([]string{"serve", "--store", store, "--listen", addr, "--debug", debug}, flags...)}
	s.ready = func(ctx context.Context) error { return Healthy(ctx, s.URL()+"/readyz") }
	return s, nil
}

// URL returns the server's address for clients.
func (s *Server) URL() string { return "http://" + s.addr }

// Addr returns the server's address, for a proxy.
func (s *Server) Addr() string { return s.addr }

// Debug returns the address of /metrics.
func (s *Server) Debug() string { return s.debug }

// Healthy returns an error unless a GET of url is answered with 200.
func Healthy(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if a.StatusCode != http.StatusOK {
		err = fmt.Errorf("parts: %s: %s", url, a.Status)
	}
	return errors.Join(err, a.Body.Close())
}
