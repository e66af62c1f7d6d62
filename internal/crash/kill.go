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

// order is what a child is to do.
type order struct {
	Seed  uint64
	Dir   string
	Model *model
	Work  bool // until it is killed; else it only compares
}

// killDirectory lets children work in a directory and kills them, and looks at
// last at what they left. A directory with losses stays.
func killDirectory(ctx context.Context, parent string, seed uint64, left *budget, t *table) error {
	base, err := os.MkdirTemp(parent, "crash")
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	o := order{Dir: filepath.Join(base, "store"), Model: newModel(), Work: true}
	for range 1 + rng.IntN(20) {
		if !left.take() {
			break
		}
		o.Seed = rng.Uint64()
		after := time.Duration(20+rng.IntN(280)) * time.Millisecond
		row, err := killOne(ctx, &o, after)
		if err != nil {
			return fmt.Errorf("in %s, -seed %d: %w", base, seed, err)
		}
		t.add(row, kills)
	}
	o.Work = false
	if _, err := killOne(ctx, &o, time.Minute); err != nil {
		return fmt.Errorf("in %s, -seed %d: %w", base, seed, err)
	}
	return os.RemoveAll(base)
}

// killOne runs a child until it ends or the time is over, brings the model to
// what it said until then, and returns what was under way.
func killOne(ctx context.Context, o *order, after time.Duration) (row string, err error) {
	ctx, cancel := context.WithCancel(ctx)
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
	timer := time.AfterFunc(after, cancel)
	defer timer.Stop()
	row = o.follow(out)
	err = c.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		return "", errors.New(faults.String())
	case o.Work && err == nil:
		return "", errors.New("the child ended by itself")
	case !o.Work && err != nil:
		return "", fmt.Errorf("looking at what is left: %w", err)
	}
	return row, nil
}

// follow reads what a child says until it ends, and returns what was under way then.
func (o *order) follow(out io.Reader) (row string) {
	settled := false
	events := gob.NewDecoder(out)
	for {
		var e event
		if events.Decode(&e) != nil { // the end, perhaps within an event
			break
		}
		switch {
		case e.Settled != nil:
			o.Model = e.Settled.clone() // for gob leaves out empty maps
			settled = true
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

// child does what it reads from in, tells out, and returns its exit status.
func child(in io.Reader, out io.Writer) int {
	if err := obey(in, out); err != nil {
		fmt.Fprint(os.Stderr, err)
		return 1
	}
	return 0
}

const (
	workers = 3
	forever = 1 << 30
)

func obey(in io.Reader, out io.Writer) error {
	var o order
	if err := gob.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	m := o.Model.clone()
	ctx := context.Background()
	st, err := local.Open(o.Dir, local.Options{})
	if err != nil {
		return err
	}
	if err := settle(ctx, st, m); err != nil {
		return fmt.Errorf("lost: %w", err)
	}
	if !o.Work {
		return errors.Join(dig(ctx, st, m), st.Close())
	}
	events := gob.NewEncoder(out)
	tell := func(e event) error { return events.Encode(e) }
	if err := tell(event{Settled: m}); err != nil {
		return err
	}
	return work(ctx, st, &journal{m: m, tell: tell}, o.Seed, workers, forever)
}
