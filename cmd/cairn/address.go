package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/world"
)

// address is a world in the store, or one version of it: @name, @name@version.
type address struct {
	name    string
	version string // a number, the beginning of an id, or a time; "": the newest
}

func (a address) String() string {
	if a.version == "" {
		return "@" + a.name
	}
	return "@" + a.name + "@" + a.version
}

// isAddress reports whether an argument is an address, and no path.
func isAddress(arg string) bool { return strings.HasPrefix(arg, "@") }

func parseAddress(arg string) (address, error) {
	name, version, versioned := strings.Cut(strings.TrimPrefix(arg, "@"), "@")
	switch err := world.CheckName(name); {
	case !isAddress(arg):
		return address{}, usagef("%s: a world in the store is written @name", arg)
	case err != nil:
		return address{}, usagef("%s: a name is parts of a to z, 0 to 9, dot, dash and underscore, joined by /", arg)
	case versioned && version == "":
		return address{}, usagef("%s: behind the second @ stands a number, the beginning of an id, or a time", arg)
	}
	return address{name, version}, nil
}

// parseName is parseAddress for what concerns a whole world.
func parseName(arg string) (string, error) {
	a, err := parseAddress(arg)
	if err == nil && a.version != "" {
		err = usagef("%s: the whole world is meant: write @%s", arg, a.name)
	}
	return a.name, err
}

// commit returns the commit that the address means.
func (a address) commit(ctx context.Context, st world.Store) (world.Commit, error) {
	if a.version == "" {
		return newest(ctx, st, a.name)
	}
	if n, err := strconv.ParseUint(a.version, 10, 64); err == nil {
		c, err := byNumber(ctx, st, a.name, n)
		if !errors.Is(err, world.ErrNoCommit) || len(a.version) < minPrefix {
			return c, err
		}
	}
	if isHex(a.version) {
		return byPrefix(ctx, st, a.name, strings.ToLower(a.version))
	}
	t, err := parseTime(a.version)
	if err != nil {
		return world.Commit{}, err
	}
	c, err := world.CommitAt(ctx, st, a.name, t)
	if errors.Is(err, world.ErrNoCommit) {
		err = noVersion(a.name, "of "+a.version+" or before")
	}
	return c, err
}

func noVersion(name, which string) error {
	return fmt.Errorf("@%s: version %s: %w; cairn log @%[1]s lists its versions", name, which, world.ErrNoCommit)
}

// minPrefix is how much of an id names a commit at least.
const minPrefix = 4

func isHex(s string) bool {
	const digits = "0123456789abcdefABCDEF"
	return len(s) <= 2*len(world.ID{}) && strings.Trim(s, digits) == ""
}

// parseTime reads a time as people write it; without a zone it is UTC.
func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("version %q: want a number, the beginning of an id, or a time such as 2026-11-20T10:00", s)
}

// commits yields the log of a world, newest first. An error is the last.
func commits(ctx context.Context, st world.Store, name string) iter.Seq2[world.Commit, error] {
	const page = 256
	return func(yield func(world.Commit, error) bool) {
		var from world.ID
		for {
			log, err := st.Log(ctx, name, from, page)
			if err != nil {
				yield(world.Commit{}, err)
				return
			}
			full := len(log) == page
			if from != (world.ID{}) && len(log) > 0 {
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

func newest(ctx context.Context, st world.Store, name string) (world.Commit, error) {
	log, err := st.Log(ctx, name, world.ID{}, 1)
	if err == nil && len(log) == 0 {
		err = fmt.Errorf("@%s: nothing was committed yet", name)
	}
	if err != nil {
		return world.Commit{}, err
	}
	return log[0], nil
}

func byNumber(ctx context.Context, st world.Store, name string, n uint64) (world.Commit, error) {
	for c, err := range commits(ctx, st, name) {
		if err != nil || c.Number == n {
			return c, err
		}
		if c.Number < n {
			break
		}
	}
	return world.Commit{}, noVersion(name, strconv.FormatUint(n, 10))
}

func byPrefix(ctx context.Context, st world.Store, name, prefix string) (found world.Commit, err error) {
	if len(prefix) < minPrefix {
		return found, usagef("version %q: at least %d digits of an id", prefix, minPrefix)
	}
	for c, err := range commits(ctx, st, name) {
		switch {
		case err != nil:
			return found, err
		case !strings.HasPrefix(c.ID().String(), prefix):
		case found.Number != 0:
			return found, usagef("@%s: the ids of versions %d and %d both begin with %s", name, found.Number, c.Number, prefix)
		default:
			found = c
		}
	}
	if found.Number == 0 {
		err = noVersion(name, prefix)
	}
	return found, err
}
