package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Code is the code of a refusal. Callers branch on it.
type Code string

// The codes of server/API.md.
const (
	NoWorld      Code = "no_world"
	NoCommit     Code = "no_commit"
	NoChunk      Code = "no_chunk"
	NoRoute      Code = "no_route"
	BadMethod    Code = "bad_method"
	Exists       Code = "exists"
	InUse        Code = "in_use"
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
	Limit        Code = "limit"
	Away         Code = "away"
	Timeout      Code = "timeout"
	Internal     Code = "internal"
)

// codes is the one table of codes, statuses and errors. For an error that wraps
// several of them, the first in the table counts.
var codes = []struct {
	code   Code
	status int
	err    error
}{
	{Away, http.StatusServiceUnavailable, history.ErrAway}, // first: it is unknown what was done
	{NoWorld, http.StatusNotFound, history.ErrNoWorld},
	{NoCommit, http.StatusNotFound, history.ErrNoCommit},
	{Exists, http.StatusConflict, history.ErrExists},
	{Conflict, http.StatusPreconditionFailed, history.ErrConflict},
	{Fenced, http.StatusPreconditionFailed, history.ErrFenced},
	{Leased, http.StatusLocked, history.ErrLeased},
	{Gone, http.StatusGone, history.ErrGone},
	{BadName, http.StatusBadRequest, history.ErrName},
	{Full, http.StatusInsufficientStorage, syscall.ENOSPC},
	{Limit, http.StatusForbidden, nil},
	{InUse, http.StatusConflict, nil},
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

// Codes returns all codes.
func Codes() []Code {
	var all []Code
	for _, row := range codes {
		all = append(all, row.code)
	}
	return all
}

// Status returns the HTTP status of a code, 500 for an unknown code.
func (c Code) Status() int {
	for _, row := range codes {
		if row.code == c {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// Err returns the error of package history that a code stands for, or nil if there
// is none.
func (c Code) Err() error {
	for _, row := range codes {
		if row.code == c {
			return row.err
		}
	}
	return nil
}

// CodeOf returns the code of an error. The result is false for an error that the
// table does not have; such an error is Internal to strangers. An *Error has its
// own code.
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

// Error is a refusal: the server sends it and the client returns it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // for people
}

// Error returns the code and the message, or the code if there is no message.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the error that the code stands for. For Corrupt that is a
// *stone.CorruptError.
func (e *Error) Unwrap() error {
	if e.Code == Corrupt {
		return &stone.CorruptError{Part: "answer", Err: errors.New(e.Message)}
	}
	return e.Code.Err()
}

// OfCaller marks damage in the bytes that a caller sent, so that it is not taken for damage of the
// store.
func OfCaller(err error) error {
	if c := (*stone.CorruptError)(nil); errors.As(err, &c) {
		return &Error{Corrupt, c.Error()}
	}
	return err
}
