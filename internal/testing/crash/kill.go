package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cairnvoxel/cairn/store/local"
)

const childArg = "child of crash"

// order is the task of a child.
type order struct {
	Seed  uint64
	Dir   string
	Model *model
	Work  bool // work until killed; otherwise it only compares
}

// killDirectory lets children work in a directory, kills them, and finally compares
// what they left. It keeps a directory with losses.
func killDirectory(ctx context.Context, parent string, seed uint64, left *budget, t *table) error {
	base, err := os.MkdirTemp(parent, "crash")
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	o := order{Dir: filepath.Join(base, "store"), Model: newModel(), Work: true}
	for range 1 + rng.IntN(maxKills) {
		if !left.take() {
			break
		}
		o.Seed = rng.Uint64()
		row, err := o.kill(ctx, rng)
		if err != nil {
			return fmt.Errorf("in %s, -seed %d: %w", base, seed, err)
		}
		t.add(row, kills)
	}
	o.Work = false
	if _, err := o.start(ctx, func(func()) {}, func(func()) {}); err != nil {
		return fmt.Errorf("in %s, -seed %d: %w", base, seed, err)
	}
	return os.RemoveAll(base)
}

const (
	maxKills = 20 // of one directory
	maxLife  = 300
	hangs    = 5 * time.Minute
)

// kill runs a child and kills it a while after it starts to work or, sometimes, to
// open the store. It returns what was in progress.
func (o *order) kill(ctx context.Context, rng *rand.Rand) (row string, err error) {
	later := func(kill func()) { time.AfterFunc(time.Duration(rng.IntN(maxLife))*time.Millisecond, kill) }
	never := func(func()) {}
	if rng.IntN(4) == 0 {
		return o.start(ctx, later, never)
	}
	return o.start(ctx, never, later)
}

// start runs a child until it ends or is killed, and updates the model with its
// events. It passes begun and working a function that kills the child.
func (o *order) start(ctx context.Context, begun, working func(kill func())) (row string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hangs, errHangs)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	var in, faults bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(o); err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, program, childArg)
	c.Stdin, c.Stderr = &in, &faults
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	kill := func() { _ = c.Process.Kill() } // an error says that it has ended
	begun(kill)
	row = o.readEvents(out, func() { working(kill) })
	err = c.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit) && exit.Exited():
		return "", errors.New(faults.String())
	case o.Work && err == nil:
		return "", errors.New("the child ended by itself")
	case !o.Work && err != nil:
		return "", fmt.Errorf("looking at what is left: %w", err)
	}
	return row, nil
}

var errHangs = errors.New("the child hangs")

// readEvents reads a child's events until it ends, and returns what was in progress
// then. It calls working when the child starts to work.
func (o *order) readEvents(out io.Reader, working func()) (row string) {
	settled := false
	events := gob.NewDecoder(out)
	for {
		var e event
		if events.Decode(&e) != nil { // the end, possibly within an event
			break
		}
		switch {
		case e.Settled != nil:
			o.Model = e.Settled.clone() // gob leaves out empty maps
			settled = true
			working()
		case e.Begun != nil:
			o.Model.begin(*e.Begun)
		case e.Ended != nil:
			o.Model.end(*e.Ended)
		}
	}
	if !settled {
		return opening
	}
	return o.Model.doing()
}

const (
	workers = 3
	forever = 1 << 30
)

// obey carries out the order that it reads from in and writes events to out.
func obey(in io.Reader, out io.Writer) error {
	var o order
	if err := gob.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	m := o.Model.clone()
	ctx := context.Background()
	st, err := local.Open(o.Dir, local.Options{LogBytes: 1 << 20})
	if err != nil {
		return err
	}
	if err := reconcile(ctx, st, m); err != nil {
		return fmt.Errorf("lost: %w", err)
	}
	if err := checkAll(ctx, st); err != nil {
		return err
	}
	if !o.Work {
		return errors.Join(dig(ctx, st, m), st.Close())
	}
	events := gob.NewEncoder(out)
	tell := func(e event) error { return events.Encode(e) }
	if err := tell(event{Settled: m}); err != nil {
		return err
	}
	return work(ctx, st, &journal{m: m, tell: tell, large: st.FileBytes}, o.Seed, workers, forever)
}
