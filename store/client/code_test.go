package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want client.Code
		ok   bool
	}{
		{history.ErrNoWorld, client.NoWorld, true},
		{history.ErrConflict, client.Conflict, true},
		{history.ErrGone, client.Gone, true},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, client.Full, true},
		{&stone.CorruptError{Part: "page", Err: errors.New("x")}, client.Corrupt, true},
		{&http.MaxBytesError{Limit: 1}, client.TooLarge, true},
		{context.DeadlineExceeded, client.Timeout, true},
		{&client.Error{Code: client.NeedsMatch}, client.NeedsMatch, true},
		{&client.Error{Code: client.Conflict}, client.Conflict, true},
		{errors.New("x"), client.Internal, false},
		{context.Canceled, client.Internal, false},
		{nil, client.Internal, false},
	} {
		if tt.err != nil {
			tt.err = fmt.Errorf("store: a: %w", tt.err)
		}
		if got, ok := client.CodeOf(tt.err); got != tt.want || ok != tt.ok {
			t.Errorf("%v: got %s, %v, want %s, %v", tt.err, got, ok, tt.want, tt.ok)
		}
	}
}

func TestError(t *testing.T) {
	err := fmt.Errorf("x: %w", &client.Error{Code: client.Fenced, Message: "a"})
	if !errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrConflict) || err.Error() != "x: fenced: a" {
		t.Errorf("got %v", err)
	}
	corrupt := (*stone.CorruptError)(nil)
	if !errors.As(&client.Error{Code: client.Corrupt, Message: "m"}, &corrupt) {
		t.Error("a corrupt answer is no CorruptError")
	}
	if client.Internal.Err() != nil || client.Code("new").Status() != http.StatusInternalServerError || client.Code("new").Err() != nil {
		t.Error("a code that is not known stands for something")
	}
}

// The table is the page's.
func TestCodes(t *testing.T) {
	page, err := os.ReadFile("../../server/API.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| code | status | in Go |\n|---|---|---|\n")
	if !ok {
		t.Fatal("no table")
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			break
		}
		rows++
		code := client.Code(strings.Trim(cells[1], " `"))
		if got, want := strconv.Itoa(code.Status()), strings.TrimSpace(cells[2]); got != want {
			t.Errorf("%s: got status %s, want %s", code, got, want)
		}
		in, named := strings.CutPrefix(strings.Trim(cells[3], " `"), "world.Err")
		if err := code.Err(); named && (err == nil || in == "") {
			t.Errorf("%s: got %v, want world.Err%s", code, err, in)
		}
	}
	if rows != 25 {
		t.Errorf("%d rows of codes", rows)
	}
}
