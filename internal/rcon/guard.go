package rcon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/retry"
)

// Commands of a game server about its saves.
const (
	SaveOff   = "save-off"
	SaveOn    = "save-on"
	SaveAll   = "save-all"
	SaveFlush = "save-all flush" // it may hold up the server for more than a minute
)

// Door is where a console listens.
type Door struct {
	Addr     string // HOST:PORT
	Password string
}

// GuardVerb is the argument with which a program starts itself again as the guard of a hold. That
// process calls Guard with its standard input and output, and does nothing else.
const GuardVerb = "guard-saves"

const (
	// longest is how long saves stay off.
	longest = 10 * time.Second
	// patience is how long a guard tries to turn saves on again.
	patience = 10 * time.Minute
	// callTime is how long one call of a guard takes at most.
	callTime = 30 * time.Second
)

// ready is what a guard says when saves are off.
const ready = "saves are off"

// Hold has a server not save, so that its folder stays as it is: for at most 10 s, whatever dies.
type Hold struct {
	guard *exec.Cmd
	in    io.WriteCloser // when it ends the guard turns saves on
	out   *bufio.Reader
	door  Door
	begun time.Time
}

// Off turns saves off, by a guard in a process of its own, and returns when the server has
// answered. save is then sent, unless it is "": SaveAll or SaveFlush. self is the program to
// start as the guard. If the server does not answer, saves are as they were, or the guard goes on
// turning them on.
func Off(ctx context.Context, self string, d Door, save string) (*Hold, error) {
	h := &Hold{guard: exec.Command(self, GuardVerb), door: d, begun: time.Now()}
	h.guard.SysProcAttr = apart()
	in, err := h.guard.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.guard.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.guard.Stderr = os.Stderr
	h.in, h.out = in, bufio.NewReader(out)
	if err := h.guard.Start(); err != nil {
		return nil, fmt.Errorf("rcon: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = h.in.Close() }) // the guard ends
	defer stop()
	err = json.NewEncoder(h.in).Encode(order{d, save})
	line := ""
	if err == nil {
		line, err = h.out.ReadString('\n')
	}
	if text := strings.TrimSpace(line); text != ready {
		if err == nil || text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("rcon: %w", errors.Join(context.Cause(ctx), err, h.in.Close(), ended(h.guard)))
	}
	return h, nil
}

// ended waits for the end of a guard that said what was wrong.
func ended(guard *exec.Cmd) error {
	err := guard.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

// On turns saves on again and returns when the server has answered. late says that the guard did
// so before, because the hold took too long. When ctx ends, the guard goes on alone.
func (h *Hold) On(ctx context.Context) (late bool, err error) {
	late = time.Since(h.begun) >= longest
	told := make(chan error, 1)
	go func() {
		err := h.in.Close()
		line, _ := h.out.ReadString('\n')
		if text := strings.TrimSpace(line); text != "" {
			err = errors.Join(err, errors.New(text))
		}
		if ended := h.guard.Wait(); ended != nil { // somebody killed it
			err = errors.Join(err, h.door.on(ctx))
		}
		told <- err
	}()
	select {
	case err = <-told:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("rcon: %s may not have been done yet: %w", SaveOn, err)
	}
	return late, err
}

// order is what a guard is told.
type order struct {
	Door Door
	Save string
}

// Guard is the guard of a hold: it turns saves off, says so to out, and turns them on again when
// in ends, or after 10 s. It tries that for 10 minutes, also where it is not sure that saves are
// off. What is wrong it says to out.
func Guard(ctx context.Context, in io.Reader, out io.Writer) error {
	from := bufio.NewReader(in)
	var o order
	line, err := from.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		return fmt.Errorf("rcon: a guard is started by cairn alone: %w", err)
	}
	held, done := context.WithTimeout(ctx, longest)
	defer done()
	go func() { // ends with the process, or with in
		_, _ = io.Copy(io.Discard, from)
		done()
	}()
	sent, err := o.begin(held)
	if err == nil {
		fmt.Fprintln(out, ready)
		<-held.Done()
	} else {
		fmt.Fprintln(out, oneLine(err))
	}
	if !sent {
		return nil
	}
	if on := o.Door.on(ctx); on != nil && err == nil {
		fmt.Fprintln(out, oneLine(on))
	}
	return nil
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// begin turns saves off. sent says that the server may have been told so.
func (o order) begin(ctx context.Context) (sent bool, err error) {
	c, err := Dial(ctx, o.Door.Addr, o.Door.Password)
	if err != nil {
		return false, err
	}
	defer c.Close()
	_, err = c.Command(ctx, SaveOff)
	if err == nil && o.Save != "" {
		_, err = c.Command(ctx, o.Save)
	}
	return true, err
}

// on turns saves on. It tries again while the server does not answer, for 10 minutes.
func (d Door) on(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for n := 0; ; n++ {
		err := d.Say(ctx, SaveOn)
		if err == nil || errors.Is(err, ErrPassword) || !retry.Backoff(ctx, time.Second/4, n, 4) {
			return err
		}
	}
}

// Say has the server run one command, within 30 s.
func (d Door) Say(ctx context.Context, command string) error {
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	c, err := Dial(ctx, d.Addr, d.Password)
	if err != nil {
		return err
	}
	_, err = c.Command(ctx, command)
	return errors.Join(err, c.Close())
}
