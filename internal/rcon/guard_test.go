package rcon_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/rcon"
	"github.com/cairnvoxel/cairn/internal/testing/rcontest"
)

func TestHold(t *testing.T) {
	g := rcontest.Start(t, rcontest.Echo)
	h, err := rcon.Off(t.Context(), os.Args[0], door(g), rcon.SaveAll)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Heard(); !slices.Equal(got, []string{"save-off", "save-all"}) {
		t.Errorf("heard %q", got)
	}
	if late, err := h.On(t.Context()); late || err != nil {
		t.Errorf("late %t, %v", late, err)
	}
	if got := g.Heard(); !slices.Equal(got, []string{"save-off", "save-all", "save-on"}) {
		t.Errorf("heard %q", got)
	}
}

// TestHoldRefused is a server that takes no login: nothing was turned off.
func TestHoldRefused(t *testing.T) {
	g := rcontest.Start(t, rcontest.Echo)
	d := door(g)
	d.Password = "wrong"
	if _, err := rcon.Off(t.Context(), os.Args[0], d, ""); err == nil || !strings.Contains(err.Error(), rcon.ErrPassword.Error()) {
		t.Errorf("got %v", err)
	}
	d.Addr = "127.0.0.1:1"
	if _, err := rcon.Off(t.Context(), os.Args[0], d, ""); err == nil {
		t.Error("no error without a server")
	}
	if got := g.Heard(); len(got) > 0 {
		t.Errorf("heard %q", got)
	}
}

// TestHoldUnanswered is a server that does not answer: the hold fails, and the guard turns saves on.
func TestHoldUnanswered(t *testing.T) {
	off := true
	g := rcontest.Start(t, func(c string) []rcontest.Answer {
		if c == "save-off" && off {
			off = false
			return nil
		}
		return rcontest.Echo(c)
	})
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if _, err := rcon.Off(ctx, os.Args[0], door(g), ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	g.Await(t, "save-off", "save-on")
}

// TestHoldKilled kills the guard: the program itself turns saves on.
func TestHoldKilled(t *testing.T) {
	g := rcontest.Start(t, rcontest.Echo)
	h, err := rcon.Off(t.Context(), os.Args[0], door(g), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := rcon.Kill(h); err != nil {
		t.Fatal(err)
	}
	if _, err := h.On(t.Context()); err != nil {
		t.Errorf("got %v", err)
	}
	g.Await(t, "save-off", "save-on")
}

// TestParentKilled kills the program that holds saves off.
func TestParentKilled(t *testing.T) {
	g := rcontest.Start(t, rcontest.Echo)
	guard := exec.Command(os.Args[0], rcon.GuardVerb)
	in, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(rcon.Order(door(g), "")); err != nil {
		t.Fatal(err)
	}
	g.Await(t, "save-off")
	in.Close() // as the system does
	if err := guard.Wait(); err != nil {
		t.Error(err)
	}
	g.Await(t, "save-off", "save-on")
}

func TestGuardAlone(t *testing.T) {
	if err := rcon.Guard(t.Context(), strings.NewReader("hello\n"), os.Stderr); err == nil {
		t.Error("no error")
	}
}
