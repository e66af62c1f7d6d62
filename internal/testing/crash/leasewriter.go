package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

const writerArg = "writer of crash"

// writer is a process that makes calls of a store on demand. It can be stopped.
type writer struct {
	number int
	cmd    *exec.Cmd
	in     io.WriteCloser
	to     *gob.Encoder
	from   *gob.Decoder
	faults bytes.Buffer

	calling atomic.Bool
}

func startWriter(ctx context.Context, number int, url string) (*writer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &writer{number: number, cmd: exec.CommandContext(ctx, program, writerArg, url)}
	w.cmd.Stderr = &w.faults
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.to, w.from = gob.NewEncoder(w.in), gob.NewDecoder(out)
	return w, w.cmd.Start()
}

// do makes the writer do d. Its times enclose those of the call, even while the
// writer is stopped.
func (w *writer) do(d deed) (done, error) {
	out := done{deed: d, writer: w.number, span: span{From: time.Now()}}
	w.calling.Store(true)
	err := w.to.Encode(d)
	if err == nil {
		err = w.from.Decode(&out.answer)
	}
	w.calling.Store(false)
	out.Upto = time.Now()
	if err != nil {
		err = fmt.Errorf("writer %d: %w: %s", w.number, err, w.faults.String())
	}
	return out, err
}

// stop stops the process and reports whether it is in a call.
func (w *writer) stop() (called bool, err error) {
	err = pause(w.cmd.Process)
	return w.calling.Load(), err
}

func (w *writer) goOn() error { return resume(w.cmd.Process) }

// close ends the process.
func (w *writer) close() error {
	return errors.Join(w.goOn(), w.in.Close(), w.cmd.Wait())
}

// obeyDeeds does the deeds that it reads from in and writes answers to out.
func obeyDeeds(ctx context.Context, st history.Store, in io.Reader, out io.Writer) error {
	from, to := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var d deed
		if err := from.Decode(&d); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a, err := d.do(ctx, st)
		if err != nil {
			a.Fault = faultOf(err)
		}
		if err := to.Encode(a); err != nil {
			return err
		}
	}
}

func faultOf(err error) string {
	switch {
	case errors.Is(err, history.ErrLeased):
		return leased
	case errors.Is(err, history.ErrFenced):
		return fenced
	case errors.Is(err, history.ErrConflict):
		return conflict
	}
	return err.Error()
}

// do makes the call.
func (d deed) do(ctx context.Context, st history.Store) (a answer, err error) {
	var l history.Lease
	switch d.Kind {
	case take:
		l, err = st.Lease(ctx, d.World, d.Holder, d.For)
		a.Head.Fence, a.Until = l.Fence, l.Until
	case renew:
		l, err = st.Renew(ctx, d.World, d.Base.Fence, d.For)
		a.Until = l.Until
	case give:
		err = st.Release(ctx, d.World, d.Base.Fence)
	case look:
		a.Head, err = st.Head(ctx, d.World)
	default:
		a.Head.Commit, err = d.commit(ctx, st)
	}
	return a, err
}

// commit saves a small stone.
func (d deed) commit(ctx context.Context, st history.Store) (history.ID, error) {
	var b bytes.Buffer
	spec := stonetest.Spec{Properties: []stone.Property{{Key: note, Value: d.Message}}}
	id, err := spec.Write(&b, stone.Options{Effort: stone.Quick})
	if err != nil {
		return history.ID{}, err
	}
	c := history.Commit{Parent: d.Base.Commit, Base: d.Base.Commit, Author: "crash", Message: d.Message,
		Stones: []history.StoneRef{{ID: id, Size: int64(b.Len())}}}
	if d.Kind == goBack {
		c.Base = history.ID{}
	}
	c, err = st.Commit(ctx, d.World, d.Base, c, history.Stone{ID: id, Data: b.Bytes()})
	return c.ID(), err
}

func obeyWriter(url string) error {
	ctx := context.Background()
	st, err := client.Open(ctx, url, client.Options{Token: os.Getenv(client.TokenEnv)})
	if err != nil {
		return err
	}
	return errors.Join(obeyDeeds(ctx, st, os.Stdin, os.Stdout), st.Close())
}
