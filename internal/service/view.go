package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/web"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// ViewSettings say what View shows.
type ViewSettings struct {
	Listen   string           // an address of this machine
	Path     string           // of the page to open
	Browser  bool             // open the page in a browser, if there is one
	Textures *server.Textures // of blocks; nil for none
	// Passed are files that are not shown, and why.
	Passed []string
	// CacheBytes bounds the memory of decoded pages. 0 is the server's default.
	CacheBytes int64
}

// Bounds of View. A call may wait until a large world has been read.
const (
	viewTime  = 30 * time.Minute
	viewDrain = 2 * time.Second
)

// View serves the worlds of a store to a browser on this machine until ctx ends. It prints the
// URL of the page to out, and what fails to log.
func View(ctx context.Context, st history.Store, v ViewSettings, out, log io.Writer) error {
	if err := server.Loopback(v.Listen); err != nil {
		return err
	}
	s, err := server.New(st, server.Options{
		ReadOnly: true,
		Packs:    true,
		Pages:    web.Handler(),
		Textures: v.Textures,
		Passed:   v.Passed,
		Log:      slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Limits:   server.Limits{Time: viewTime, CacheBytes: v.CacheBytes},
	})
	if err != nil {
		return err
	}
	l, err := s.Listen(v.Listen)
	if err != nil {
		return err
	}
	h := s.HTTP()
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	url := fmt.Sprintf("http://%s%s", l.Addr(), v.Path)
	fmt.Fprintln(out, url)
	fmt.Fprintln(log, "Ctrl-C ends it")
	if v.Browser {
		openPage(url)
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = ctx.Err()
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), viewDrain)
	defer stop()
	if cut := errors.Join(s.Drain(end), h.Shutdown(end)); cut != nil && !errors.Is(cut, context.DeadlineExceeded) {
		err = errors.Join(err, cut)
	}
	if cut := h.Close(); cut != nil && !errors.Is(cut, http.ErrServerClosed) {
		err = errors.Join(err, cut)
	}
	return err
}

// openPage opens a URL in the browser of the user. Without one nothing happens: the URL is
// printed.
func openPage(url string) {
	args := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	c := exec.Command(args[0], args[1:]...)
	if c.Start() == nil {
		go c.Wait() // or it would stay as a zombie
	}
}
