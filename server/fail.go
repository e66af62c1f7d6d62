package server

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
)

// fault returns an error with a code and a message that the caller may read.
func fault(code wire.Code, format string, args ...any) error {
	return &wire.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func bad(format string, args ...any) error { return fault(wire.BadRequest, format, args...) }

func refuse(why string) error { return fault(wire.Forbidden, "%s", why) }

// messages has the messages for errors whose text the server did not write itself.
var messages = map[wire.Code]string{
	wire.NoWorld:  "there is no world of that name",
	wire.NoCommit: "the world has no such version, or no version yet",
	wire.Exists:   "a world of that name exists",
	wire.Conflict: "the head is another commit: someone changed the world",
	wire.Fenced:   "the lease of this world was lost, or Cairn-Fence is not its number",
	wire.Leased:   "someone else holds a lease of this world",
	wire.Gone:     "the stone is gone: ask for the stack again",
	wire.BadName:  "a name is parts of 1 to 64 of a-z 0-9 . _ - joined by /, at most 8",
	wire.Full:     "the disk is full",
	wire.TooLarge: "the call is too large",
	wire.Timeout:  "the call took too long",
	wire.Internal: "the server failed: its log has the reason under the number of this request",
}

// refusalOf returns the error as the caller sees it.
func refusalOf(err error) *wire.Error {
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		return e
	}
	if over := (*token.OverError)(nil); errors.As(err, &over) {
		return &wire.Error{Code: wire.Limit, Message: over.Error()}
	}
	code, _ := wire.CodeOf(err)
	if c := (*stone.CorruptError)(nil); code == wire.Corrupt && errors.As(err, &c) {
		return &wire.Error{Code: code, Message: c.Error()}
	}
	if code == wire.Away || away.Full(err) {
		return &wire.Error{Code: code, Message: away.Words(err)}
	}
	return &wire.Error{Code: code, Message: messages[code]}
}

// ofCaller marks damage in the caller's bytes, so that it is not taken for damage of
// the store.
func ofCaller(err error) error {
	if c := (*stone.CorruptError)(nil); errors.As(err, &c) {
		return fault(wire.Corrupt, "%v", c)
	}
	return err
}
