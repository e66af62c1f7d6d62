package world_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// flaky is a Store of which some calls fail and that counts stones that are open.
type flaky struct {
	history.Store
	// trouble says what goes wrong with call n, counted from 0: a call that fails
	// late has done its work. nil: nothing.
	trouble func(n int, method string) (err error, late bool)

	mu    sync.Mutex
	calls int
	open  int
}

func (f *flaky) call(method string, do func() error) error {
	f.mu.Lock()
	n := f.calls
	f.calls++
	trouble := f.trouble
	f.mu.Unlock()
	if trouble == nil {
		return do()
	}
	err, late := trouble(n, method)
	if err == nil {
		return do()
	}
	if late {
		return errors.Join(err, do())
	}
	return err
}

// after fails call n.
func after(n int, late bool) func(int, string) (error, bool) {
	return func(i int, _ string) (error, bool) {
		if i == n {
			return errTrouble, late
		}
		return nil, false
	}
}

var errTrouble = errors.New("trouble")

// count notes n more open stones and returns how many there are.
func (f *flaky) count(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += n
	return f.open
}

// noneOpen checks that every stone was closed.
func (f *flaky) noneOpen(t testing.TB, where any) {
	t.Helper()
	if n := f.count(0); n != 0 {
		t.Errorf("%v: %d stones are open", where, n)
	}
}

func (f *flaky) Create(ctx context.Context, name string) error {
	return f.call("create", func() error { return f.Store.Create(ctx, name) })
}

func (f *flaky) Head(ctx context.Context, name string) (h history.Head, err error) {
	err = f.call("head", func() error { h, err = f.Store.Head(ctx, name); return err })
	return h, err
}

func (f *flaky) Log(ctx context.Context, name string, from history.ID, n int) (log []history.Commit, err error) {
	err = f.call("log", func() error { log, err = f.Store.Log(ctx, name, from, n); return err })
	return log, err
}

func (f *flaky) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (done history.Commit, err error) {
	err = f.call("commit", func() error { done, err = f.Store.Commit(ctx, name, base, c, stones...); return err })
	if err != nil {
		return history.Commit{}, err
	}
	return done, nil
}

func (f *flaky) Fork(ctx context.Context, from string, at history.ID, name string) error {
	return f.call("fork", func() error { return f.Store.Fork(ctx, from, at, name) })
}

func (f *flaky) Stack(ctx context.Context, name string, at history.ID) (l []history.Layer, err error) {
	err = f.call("stack", func() error { l, err = f.Store.Stack(ctx, name, at); return err })
	return l, err
}

func (f *flaky) PutPack(ctx context.Context, name string, p history.Pack, s history.Stone) error {
	return f.call("pack", func() error { return f.Store.PutPack(ctx, name, p, s) })
}

func (f *flaky) Open(ctx context.Context, name string, id stone.ID) (o *history.Opened, err error) {
	err = f.call("open", func() error { o, err = f.Store.Open(ctx, name, id); return err })
	switch {
	case err == nil:
		f.count(1)
		return &history.Opened{Reader: o.Reader, Closer: &counted{f: f, Closer: o.Closer}}, nil
	case o != nil:
		err = errors.Join(err, o.Close())
	}
	return nil, err
}

// counted is an open stone that must be closed once.
type counted struct {
	f *flaky
	io.Closer
	closed bool
}

func (c *counted) Close() error {
	if c.closed {
		panic("a stone is closed twice")
	}
	c.closed = true
	c.f.count(-1)
	return c.Closer.Close()
}
