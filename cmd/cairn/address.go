package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/store/history"
)

// address names a world in the store, or one version of it: @name, @name@version.
type address struct {
	name    string
	version string // a number, the first digits of an id, or a time; "" for the newest
}

// isAddress reports whether an argument is an address and not a path.
func isAddress(arg string) bool { return strings.HasPrefix(arg, "@") }

func parseAddress(arg string) (address, error) {
	name, version, versioned := strings.Cut(strings.TrimPrefix(arg, "@"), "@")
	switch err := history.CheckName(name); {
	case !isAddress(arg):
		return address{}, usagef("%s: want a world in the store, written @name", arg)
	case err != nil:
		return address{}, usagef("%s: a name consists of parts joined by /; a part has a to z, 0 to 9, dot, dash and underscore", arg)
	case versioned && version == "":
		return address{}, usagef("%s: after the second @ comes a number, the first digits of an id, or a time", arg)
	}
	return address{name, version}, nil
}

// parseName parses an address without a version and returns the name.
func parseName(arg string) (string, error) {
	a, err := parseAddress(arg)
	if err == nil && a.version != "" {
		err = usagef("%s: this takes a whole world: write @%s", arg, a.name)
	}
	return a.name, err
}

// commit finds the commit of the address.
func (a address) commit(ctx context.Context, st history.Store) (history.Commit, error) {
	c, err := inspect.Find(ctx, st, a.name, a.version)
	switch {
	case errors.Is(err, inspect.ErrVersion):
		err = usagef("@%s: %v", a.name, err)
	case !errors.Is(err, history.ErrNoCommit):
	case a.version == "":
		err = fmt.Errorf("@%s: the world has no version yet", a.name)
	default:
		err = fmt.Errorf("@%s: version %s: %w; cairn log @%[1]s lists its versions", a.name, describeVersion(a.version), history.ErrNoCommit)
	}
	return c, err
}

// find finds the commit of an address in the store.
func (sf *storeFlag) find(ctx context.Context, arg string) (a address, st history.Store, c history.Commit, err error) {
	if a, err = parseAddress(arg); err == nil {
		st, err = sf.open(ctx)
	}
	if err == nil {
		c, err = a.commit(ctx, st)
	}
	return a, st, c, err
}

// describeVersion describes a version in an error: a time stands for the newest version of
// then.
func describeVersion(version string) string {
	if _, err := inspect.ParseTime(version); err != nil {
		return version
	}
	return "of " + version + " or before"
}
