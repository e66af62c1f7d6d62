package port

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/world"
)

// ErrVersion says that a text does not name a version.
var ErrVersion = errors.New("not a version")

// MinPrefix is the least number of digits of an id that name a commit.
const MinPrefix = 4

// Find returns the commit of a world that version names. version is a number, the first digits
// of an id, or a time; a time names the newest commit up to then, and "" the head. Errors wrap
// history.ErrNoCommit if there is no such commit, and ErrVersion if version is malformed or
// names two commits. Errors with history.ErrNoCommit do not contain the version.
func Find(ctx context.Context, st history.Store, name, version string) (history.Commit, error) {
	if version == "" {
		return newest(ctx, st, name)
	}
	if n, err := strconv.ParseUint(version, 10, 64); err == nil {
		c, err := byNumber(ctx, st, name, n)
		if !errors.Is(err, history.ErrNoCommit) || len(version) < MinPrefix {
			return c, err
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
	return time.Time{}, versionError(fmt.Sprintf("version %q: want a number, the beginning of an id, or a time such as 2026-11-20T10:00", s))
}

// versionError is an ErrVersion with its own text.
type versionError string

func (e versionError) Error() string { return string(e) }

func (e versionError) Is(target error) bool { return target == ErrVersion }

// Commits yields the log of a world, newest first. An error ends it.
func Commits(ctx context.Context, st history.Store, name string) iter.Seq2[history.Commit, error] {
	const page = 256
	return func(yield func(history.Commit, error) bool) {
		var from history.ID
		for {
			log, err := st.Log(ctx, name, from, page)
			if err != nil {
				yield(history.Commit{}, err)
				return
			}
			full := len(log) == page
			if from != (history.ID{}) && len(log) > 0 {
				log = log[1:] // it begins with from
			}
			for _, c := range log {
				if !yield(c, nil) {
					return
				}
				from = c.ID()
			}
			if !full {
				return
			}
		}
	}
}

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

func byNumber(ctx context.Context, st history.Store, name string, n uint64) (history.Commit, error) {
	for c, err := range Commits(ctx, st, name) {
		if err != nil || c.Number == n {
			return c, err
		}
		if c.Number < n {
			break
		}
	}
	return history.Commit{}, history.ErrNoCommit
}

func byPrefix(ctx context.Context, st history.Store, name, prefix string) (found history.Commit, err error) {
	if len(prefix) < MinPrefix {
		return found, versionError(fmt.Sprintf("version %q: at least %d digits of an id", prefix, MinPrefix))
	}
	for c, err := range Commits(ctx, st, name) {
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
