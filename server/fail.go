package server

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/store/client"
)

// fault returns an error with a code and a message that the caller may read.
func fault(code client.Code, format string, args ...any) error {
	return &client.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func bad(format string, args ...any) error { return fault(client.BadRequest, format, args...) }

func refuse(why string) error { return fault(client.Forbidden, "%s", why) }

// said has the messages for errors whose text the server did not write itself.
var said = map[client.Code]string{
	client.NoWorld:  "there is no world of that name",
	client.NoCommit: "the world has no such version, or no version yet",
	client.Exists:   "a world of that name exists",
	client.Conflict: "the head is another commit: someone changed the world",
	client.Fenced:   "the lease of this world was lost, or Cairn-Fence is not its number",
	client.Leased:   "someone else holds a lease of this world",
	client.Gone:     "the stone is gone: ask for the stack again",
	client.BadName:  "a name is parts of 1 to 64 of a-z 0-9 . _ - joined by /, at most 8",
	client.Full:     "the disk is full",
	client.TooLarge: "the call is too large",
	client.Timeout:  "the call took too long",
	client.Internal: "the server failed: its log has the reason under the number of this request",
}

// answered returns the error as the caller sees it.
func answered(err error) *client.Error {
	if e := (*client.Error)(nil); errors.As(err, &e) {
		return e
	}
	if over := (*token.OverError)(nil); errors.As(err, &over) {
		return &client.Error{Code: client.Limit, Message: over.Error()}
	}
	code, _ := client.CodeOf(err)
	if c := (*stone.CorruptError)(nil); code == client.Corrupt && errors.As(err, &c) {
		return &client.Error{Code: code, Message: c.Error()}
	}
	if code == client.Away || away.Full(err) {
		return &client.Error{Code: code, Message: away.Words(err)}
	}
	return &client.Error{Code: code, Message: said[code]}
}

// theirs marks damage in the caller's bytes, so that it is not taken for damage of
// the store.
func theirs(err error) error {
	if c := (*stone.CorruptError)(nil); errors.As(err, &c) {
		return fault(client.Corrupt, "%v", c)
	}
	return err
}
