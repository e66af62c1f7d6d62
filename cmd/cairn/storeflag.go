package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// Where the store is when --store does not say it.
const (
	storeEnv     = "CAIRN_STORE"
	defaultStore = localScheme + "cairn-data"
)

const (
	localScheme = "local:"
	memoryStore = "memory:"
)

// depot is the store that the command was told of. It is opened when a verb
// first needs it, and once: a local store takes one opener at a time.
type storeFlag struct {
	url    string // --store
	writes bool   // the verb changes it, and says so before it opens
	damage bool   // the verb looks at what can be opened of a damaged one
	st     history.Store
}

// told reports whether the user said where the store is.
func (sf *storeFlag) told() bool { return sf.url != "" || os.Getenv(storeEnv) != "" }

// where returns the store's URL.
func (sf *storeFlag) where() string {
	for _, url := range []string{sf.url, os.Getenv(storeEnv)} {
		if url != "" {
			return url
		}
	}
	return defaultStore
}

// open opens the store, which must be there.
func (sf *storeFlag) open(ctx context.Context) (history.Store, error) { return sf.get(ctx, false) }

// change opens the store, which must be there, to be written to.
func (sf *storeFlag) change(ctx context.Context) (history.Store, error) {
	sf.writes = true
	return sf.open(ctx)
}

// make opens the store to be written to, and makes it if it is not there.
func (sf *storeFlag) make(ctx context.Context) (history.Store, error) { return sf.get(ctx, true) }

func (sf *storeFlag) get(ctx context.Context, make bool) (_ history.Store, err error) {
	if sf.st != nil {
		return sf.st, ctx.Err()
	}
	dir, isLocal := strings.CutPrefix(sf.where(), localScheme)
	switch {
	case !isStore(sf.where()):
		return nil, usagef("store %q: want %sDIR, %s or the http:// or https:// of a server", sf.where(), localScheme, memoryStore)
	case !isLocal:
		st, err := store.Open(ctx, sf.where())
		if err == nil {
			sf.st = st
		}
		return sf.st, err
	case !make:
		if err := isThere(dir); err != nil {
			return nil, err
		}
	}
	st, err := local.Open(filepath.Clean(dir), local.Options{ReadOnly: !sf.writes, Damaged: sf.damage})
	if err == nil {
		sf.st = st
	}
	return sf.st, err
}

// local opens the store, which must be there and a local one.
func (sf *storeFlag) local(ctx context.Context) (*local.Store, error) {
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	if st, ok := st.(*local.Store); ok {
		return st, nil
	}
	return nil, usagef("%s: that is for a store in a directory, %sDIR, on its own machine", sf.where(), localScheme)
}

func (sf *storeFlag) close() error {
	if sf.st == nil {
		return nil
	}
	return sf.st.Close()
}

// isThere checks that a directory may be a store.
func isThere(dir string) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return fmt.Errorf("%s%s: no store is there; cairn import SRC @NAME makes one", localScheme, dir)
	}
	return nil
}

// isStore reports whether an argument is the URL of a store.
func isStore(arg string) bool {
	return arg == memoryStore || strings.HasPrefix(arg, localScheme) && arg != localScheme || isServed(arg)
}

// isServed reports whether a URL is that of a server.
func isServed(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// world opens the world of a name to be changed by an author.
func (sf *storeFlag) world(ctx context.Context, name, author string) (*world.World, error) {
	st, err := sf.change(ctx)
	if err != nil {
		return nil, err
	}
	return world.Open(ctx, st, name, world.Options{Author: author, Relight: true})
}

// outside checks that the store does not lie in the folder src, which is never
// written to.
func (sf *storeFlag) outside(src string) error {
	dir, isLocal := strings.CutPrefix(sf.where(), localScheme)
	if !isLocal || isAddress(src) {
		return nil
	}
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	return outside(filepath.Join(dir, "store"), src)
}
