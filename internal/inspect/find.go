// Package inspect answers questions about the versions of a world in a store: which version a text
// names, the cells of a box of any level, which version changed a cell last, which volume is solid,
// and how much memory a version takes.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// ErrVersion says that a text does not name a version.
var ErrVersion = errors.New("not a version")

// minPrefix is the least number of digits of an id that name a commit.
const minPrefix = 4

// Find returns the commit of a world that version names. version is a number, the first digits
// of an id, or a time; a time names the newest commit up to then, and "" the head. Errors wrap
// history.ErrNoCommit if there is no such commit, and ErrVersion if version is malformed or
// names two commits. Errors with history.ErrNoCommit do not contain the version.
func Find(ctx context.Context, st history.Store, name, version string) (history.Commit, error) {
	if version == "" {
		return newest(ctx, st, name)
	}
	if n, err := strconv.ParseUint(version, 10, 64); err == nil {
		c, err := world.CommitNumber(ctx, st, name, n)
		switch {
		case !errors.Is(err, history.ErrNoCommit):
			return c, err
		case len(version) < minPrefix:
			return c, history.ErrNoCommit
		}
	}
	if isHex(version) {
		return byPrefix(ctx, st, name, strings.ToLower(version))
	}
	t, err := ParseTime(version)
	if err != nil {
		return history.Commit{}, err
	}
	return world.CommitAt(ctx, st, name, t)
}

func isHex(s string) bool {
	const digits = "0123456789abcdefABCDEF"
	return len(s) <= 2*len(history.ID{}) && strings.Trim(s, digits) == ""
}

// ParseTime parses a date or a time. A time without a zone is UTC. Errors wrap ErrVersion.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, versionError(fmt.Sprintf("version %q: want a number, the beginning of an id, or a time in UTC such as 2026-11-20T10:00", s))
}

// versionError is an ErrVersion with its own text.
type versionError string

func (e versionError) Error() string { return string(e) }

func (e versionError) Is(target error) bool { return target == ErrVersion }

func newest(ctx context.Context, st history.Store, name string) (history.Commit, error) {
	log, err := st.Log(ctx, name, history.ID{}, 1)
	if err == nil && len(log) == 0 {
		err = history.ErrNoCommit
	}
	if err != nil {
		return history.Commit{}, err
	}
	return log[0], nil
}

func byPrefix(ctx context.Context, st history.Store, name, prefix string) (found history.Commit, err error) {
	if len(prefix) < minPrefix {
		return found, versionError(fmt.Sprintf("version %q: at least %d digits of an id", prefix, minPrefix))
	}
	for c, err := range world.Commits(ctx, st, name) {
		switch {
		case err != nil:
			return found, err
		case !strings.HasPrefix(c.ID().String(), prefix):
		case found.Number != 0:
			return found, versionError(fmt.Sprintf("versions %d and %d: both ids begin with %s", found.Number, c.Number, prefix))
		default:
			found = c
		}
	}
	if found.Number == 0 {
		err = history.ErrNoCommit
	}
	return found, err
}
