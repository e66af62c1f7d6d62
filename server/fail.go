package server

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
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

// told are the errors whose own text is for the caller.
var told = []struct {
	err  error
	code wire.Code
}{
	{arena.ErrArea, wire.BadRequest}, {history.ErrTime, wire.BadRequest}, {inspect.ErrVersion, wire.BadRequest},
	{port.ErrHolds, wire.Unsupported}, {inspect.ErrNoMatter, wire.Unsupported},
	{picture.ErrTooWide, wire.Unsupported}, {picture.ErrTall, wire.TooLarge},
}

// refusalOf returns the error as the caller sees it.
func refusalOf(err error) *wire.Error {
	var said *wire.Error
	if errors.As(err, &said) || errors.As(worded(err), &said) {
		return said
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

// worded gives codes and texts to errors that packages below the server mean for callers; nil for
// others.
func worded(err error) error {
	for _, row := range told {
		if errors.Is(err, row.err) {
			return fault(row.code, "%v", err)
		}
	}
	var (
		over   *token.OverError
		call   *cells.CallError
		none   arena.NoSnapshotError
		which  *inspect.DimensionError
		volume *inspect.VolumeError
	)
	switch {
	case errors.As(err, &over):
		return fault(wire.Limit, "%v", over)
	case errors.As(err, &call):
		return fault(call.Code, "%v", call)
	case errors.As(err, &none):
		return fault(wire.NoWorld, "there is no snapshot %q of %s", none.Snapshot, none.World)
	case errors.As(err, &which) && which.Want == "":
		return bad("a Slime file holds one dimension: name one of %s", few(which.Have))
	case errors.As(err, &which):
		return bad("there is no dimension %.100q; there are %s", which.Want, few(which.Have))
	case errors.As(err, &volume):
		return bad("%s has no volume %.100q; there are %s", volume.Dimension, volume.Want, few(volume.Have))
	case errors.Is(err, convert.ErrTooLarge), errors.Is(err, port.ErrTooLarge), errors.Is(err, world.ErrPart), errors.Is(err, streams.ErrTooWide):
		return fault(wire.TooLarge, "the world does not fit into the memory limit of the server")
	}
	return nil
}

// few returns the first elements of a list, for people.
func few(list []string) string {
	const most = 16
	if len(list) == 0 {
		return "none"
	}
	if len(list) > most {
		list = append(slices.Clone(list[:most]), "and others")
	}
	return strings.Join(list, ", ")
}

// faultLog is the log of what callers must not see.
type faultLog struct {
	to      *slog.Logger
	born    string // prefix of the numbers
	numbers atomic.Uint64
}

// open makes the log one that writes to a Logger, which may be nil.
func (l *faultLog) open(to *slog.Logger) {
	if l.to, l.born = to, fmt.Sprintf("%08x", uint32(time.Now().UnixNano())); to == nil {
		l.to = slog.New(slog.DiscardHandler)
	}
}

// add logs an error of a call and returns its number in the log.
func (l *faultLog) add(c *call, level slog.Level, what string, err error) string {
	number := l.born + "-" + strconv.FormatUint(l.numbers.Add(1), 10)
	route := ""
	if c.route != nil {
		route = c.route.label
	}
	l.to.Log(c.r.Context(), level, what, "request", number, "route", route, "world", c.name, "err", err)
	return number
}

// ours reports whether an error belongs into the log: the caller can do nothing
// about it, and the answer says less than the error.
func ours(err error, code wire.Code) bool {
	if said := (*wire.Error)(nil); errors.As(err, &said) {
		return false
	}
	return code.Status() >= 500 && code != wire.Away || code == wire.Corrupt // away.Guard logs that
}
