package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

const serverArg = "server of crash"

// obeyCalls serves the store in dir until the process is told to end. It packs
// saves, as cairn serve does.
func obeyCalls(dir, plant string, out io.Writer) error {
	var o local.Options
	if plant == plantEarly {
		o.FS = newEarlyFS()
	}
	kept, err := local.Open(dir, o)
	if err != nil {
		return err
	}
	var st history.Store = kept
	if plant == plantUnfenced {
		st = unfenced{kept}
	}
	keeper := keeper.New(st, time.Now(), keeper.Options{CollectEvery: -1})
	ctx := context.Background()
	err = serveUntil(signalled(), st, keeper.Saved, out)
	return errors.Join(err, keeper.Close(ctx), kept.Close())
}

// signalled ends when the process is told to end.
func signalled() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	return ctx
}

func serveUntil(ctx context.Context, st history.Store, saved func(string, uint64), out io.Writer) error {
	s, err := server.New(st, server.Options{Saved: saved})
	if err != nil {
		return err
	}
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	h := s.HTTP()
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	if _, err := fmt.Fprintf(out, "ready http://%s\n", l.Addr()); err != nil {
		return err
	}
	<-ctx.Done()
	ctx = context.Background()
	err = errors.Join(s.Drain(ctx), h.Shutdown(ctx))
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
