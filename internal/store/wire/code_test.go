package wire_test

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

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want wire.Code
		ok   bool
	}{
		{history.ErrNoWorld, wire.NoWorld, true},
		{history.ErrConflict, wire.Conflict, true},
		{history.ErrGone, wire.Gone, true},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, wire.Full, true},
		{&stone.CorruptError{Part: "page", Err: errors.New("x")}, wire.Corrupt, true},
		{&http.MaxBytesError{Limit: 1}, wire.TooLarge, true},
		{context.DeadlineExceeded, wire.Timeout, true},
		{&wire.Error{Code: wire.NeedsMatch}, wire.NeedsMatch, true},
		{&wire.Error{Code: wire.Conflict}, wire.Conflict, true},
		{errors.New("x"), wire.Internal, false},
		{context.Canceled, wire.Internal, false},
		{nil, wire.Internal, false},
	} {
		if tt.err != nil {
			tt.err = fmt.Errorf("store: a: %w", tt.err)
		}
		if got, ok := wire.CodeOf(tt.err); got != tt.want || ok != tt.ok {
			t.Errorf("%v: got %s, %v, want %s, %v", tt.err, got, ok, tt.want, tt.ok)
		}
	}
}

func TestError(t *testing.T) {
	err := fmt.Errorf("x: %w", &wire.Error{Code: wire.Fenced, Message: "a"})
	if !errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrConflict) || err.Error() != "x: fenced: a" {
		t.Errorf("got %v", err)
	}
	corrupt := (*stone.CorruptError)(nil)
	if !errors.As(&wire.Error{Code: wire.Corrupt, Message: "m"}, &corrupt) {
		t.Error("a corrupt answer is no CorruptError")
	}
	if wire.Internal.Err() != nil || wire.Code("new").Status() != http.StatusInternalServerError || wire.Code("new").Err() != nil {
		t.Error("a code that is not known stands for something")
	}
}

// The table is the page's.
func TestCodes(t *testing.T) {
	page, err := os.ReadFile("../../../server/API.md")
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
		code := wire.Code(strings.Trim(cells[1], " `"))
		if got, want := strconv.Itoa(code.Status()), strings.TrimSpace(cells[2]); got != want {
			t.Errorf("%s: got status %s, want %s", code, got, want)
		}
		in, named := strings.CutPrefix(strings.Trim(cells[3], " `"), "world.Err")
		if err := code.Err(); named && (err == nil || in == "") {
			t.Errorf("%s: got %v, want world.Err%s", code, err, in)
		}
	}
	if rows != 26 {
		t.Errorf("%d rows of codes", rows)
	}
}
