package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Code is what an answer that refuses is branched on.
type Code string

// The codes of server/API.md.
const (
	NoWorld      Code = "no_world"
	NoCommit     Code = "no_commit"
	NoChunk      Code = "no_chunk"
	NoRoute      Code = "no_route"
	BadMethod    Code = "bad_method"
	Exists       Code = "exists"
	Conflict     Code = "conflict"
	Fenced       Code = "fenced"
	Leased       Code = "leased"
	Gone         Code = "gone"
	BadName      Code = "bad_name"
	BadRequest   Code = "bad_request"
	Corrupt      Code = "corrupt"
	Unsupported  Code = "unsupported"
	TooLarge     Code = "too_large"
	NeedsMatch   Code = "needs_match"
	Unauthorized Code = "unauthorized"
	Forbidden    Code = "forbidden"
	Busy         Code = "busy"
	Draining     Code = "draining"
	Full         Code = "full"
	Timeout      Code = "timeout"
	Internal     Code = "internal"
)

// codes is the one table of codes, statuses and errors. Of errors that wrap
// several, the first in it counts.
var codes = []struct {
	code   Code
	status int
	err    error
}{
	{NoWorld, http.StatusNotFound, history.ErrNoWorld},
	{NoCommit, http.StatusNotFound, history.ErrNoCommit},
	{Exists, http.StatusConflict, history.ErrExists},
	{Conflict, http.StatusPreconditionFailed, history.ErrConflict},
	{Fenced, http.StatusPreconditionFailed, history.ErrFenced},
	{Leased, http.StatusLocked, history.ErrLeased},
	{Gone, http.StatusGone, history.ErrGone},
	{BadName, http.StatusBadRequest, history.ErrName},
	{Full, http.StatusInsufficientStorage, syscall.ENOSPC},
	{NoChunk, http.StatusNotFound, nil},
	{NoRoute, http.StatusNotFound, nil},
	{BadMethod, http.StatusMethodNotAllowed, nil},
	{BadRequest, http.StatusBadRequest, nil},
	{Corrupt, http.StatusUnprocessableEntity, nil},
	{Unsupported, http.StatusUnprocessableEntity, nil},
	{TooLarge, http.StatusRequestEntityTooLarge, nil},
	{NeedsMatch, http.StatusPreconditionRequired, nil},
	{Unauthorized, http.StatusUnauthorized, nil},
	{Forbidden, http.StatusForbidden, nil},
	{Busy, http.StatusTooManyRequests, nil},
	{Draining, http.StatusServiceUnavailable, nil},
	{Timeout, http.StatusGatewayTimeout, nil},
	{Internal, http.StatusInternalServerError, nil},
}

// Status returns the HTTP status of a code, 500 if it is none of the table.
func (c Code) Status() int {
	for _, row := range codes {
		if row.code == c {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// Err returns what a code stands for in Go, nil if that is no error that callers
// of a Store branch on.
func (c Code) Err() error {
	for _, row := range codes {
		if row.code == c {
			return row.err
		}
	}
	return nil
}

// CodeOf returns the code of an error, and false for one that the table does not
// know: to a stranger that is Internal. An *Error has its own.
func CodeOf(err error) (Code, bool) {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code, true
	}
	for _, row := range codes {
		if row.err != nil && errors.Is(err, row.err) {
			return row.code, true
		}
	}
	if e := (*stone.CorruptError)(nil); errors.As(err, &e) {
		return Corrupt, true
	}
	if e := (*http.MaxBytesError)(nil); errors.As(err, &e) {
		return TooLarge, true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout, true
	}
	return Internal, false
}

// Error is a refusal: what a server answers, and what a client makes of that.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // for people
}

// Error returns the code and the message, the code alone if there is none.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns what the code stands for, a *stone.CorruptError for Corrupt.
func (e *Error) Unwrap() error {
	if e.Code == Corrupt {
		return &stone.CorruptError{Part: "answer", Err: errors.New(e.Message)}
	}
	return e.Code.Err()
}
