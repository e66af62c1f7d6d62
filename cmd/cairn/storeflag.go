package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/internal/service"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// Where the store is if --store is not set.
const (
	storeEnv     = "CAIRN_STORE"
	defaultStore = localScheme + "cairn-data"
)

const (
	localScheme   = "local:"
	clusterScheme = "cluster:"
	memoryStore   = "memory:"
)

// storeFlag is the store that --store names. It is opened once, when a verb first needs
// it, because a local store can be open only once at a time.
// busyFor is how long a verb waits for a store that another program has open, such as cairn watch during a look.
const busyFor = 2 * time.Second

type storeFlag struct {
	url    string // --store
	writes bool   // open it for writing
	damage bool   // open it even if it is damaged
	live   bool   // a game may be writing the folder that is read
	shown  int    // the palette of a structure with several that is shown
	cache  int64  // what its database may keep in memory; 0 is the store's default
	st     history.Store
	memory memoryFlag // --memory
	temp   string     // the folder of temporary files; "" for the system's

	warnings io.Writer // nil for none
}

// isSet reports whether the user named a store.
func (sf *storeFlag) isSet() bool { return sf.url != "" || os.Getenv(storeEnv) != "" }

// location returns the URL of the store.
func (sf *storeFlag) location() string {
	for _, url := range []string{sf.url, os.Getenv(storeEnv)} {
		if url != "" {
			return url
		}
	}
	return defaultStore
}

// open opens the store, which must exist.
func (sf *storeFlag) open(ctx context.Context) (history.Store, error) { return sf.get(ctx, false) }

// openWritable opens the store, which must exist, for writing.
func (sf *storeFlag) openWritable(ctx context.Context) (history.Store, error) {
	sf.writes = true
	return sf.open(ctx)
}

// named parses the address of a whole world and opens the store for writing.
func (sf *storeFlag) named(ctx context.Context, arg string) (name string, st history.Store, err error) {
	if name, err = parseName(arg); err == nil {
		st, err = sf.openWritable(ctx)
	}
	return name, st, err
}

// openOrCreate opens the store for writing. It creates the store if it does not exist.
func (sf *storeFlag) openOrCreate(ctx context.Context) (history.Store, error) {
	return sf.get(ctx, true)
}

func (sf *storeFlag) get(ctx context.Context, make bool) (_ history.Store, err error) {
	if sf.st != nil {
		return sf.st, ctx.Err()
	}
	dir, isLocal := strings.CutPrefix(sf.location(), localScheme)
	file, isCluster := strings.CutPrefix(sf.location(), clusterScheme)
	switch {
	case !isStore(sf.location()):
		return nil, usagef("store %q: want %sDIR, %sFILE, %s or the http:// or https:// of a server", sf.location(), localScheme, clusterScheme, memoryStore)
	case isCluster:
		st, err := cluster.Open(ctx, file, cluster.Options{Existing: !make})
		if lost := (*ledger.CorruptError)(nil); sf.damage && errors.As(err, &lost) {
			st, err = cluster.Open(ctx, file, cluster.Options{Existing: !make, Damaged: true})
		}
		if err == nil {
			sf.st = st
		}
		return sf.st, err
	case !isLocal:
		st, err := store.Open(ctx, sf.location())
		if err == nil {
			sf.st = st
		}
		return sf.st, err
	case !make:
		if err := checkStoreDir(dir); err != nil {
			return nil, err
		}
	}
	var st *local.Store
	for end := time.Now().Add(busyFor); ; {
		st, err = local.Open(filepath.Clean(dir), local.Options{ReadOnly: !sf.writes, Damaged: sf.damage, CacheBytes: sf.cache})
		if !errors.Is(err, local.ErrInUse) || time.Now().After(end) || !retry.Wait(ctx, busyFor/40) {
			break
		}
	}
	if err == nil {
		sf.st = st
		warn(sf.warnings, dir)
	}
	return sf.st, err
}

// warn says that others may use a file or folder of secrets.
func warn(to io.Writer, path string) {
	if why := service.Exposed(path); why != "" && to != nil {
		fmt.Fprintln(to, "cairn: warning:", why)
	}
}

func (sf *storeFlag) close() error {
	if sf.st == nil {
		return nil
	}
	return sf.st.Close()
}

// other opens another store than --store for writing, and creates it if make is set.
func (sf *storeFlag) other(ctx context.Context, url string, make bool) (backup.Moving, func() error, error) {
	if url == memoryStore {
		return nil, nil, usagef("%s: this store ends with the command, and so would the worlds in it", url)
	}
	one := &storeFlag{url: url, writes: true, memory: sf.memory, cache: sf.cache, temp: sf.temp}
	st, err := one.get(ctx, make)
	if err != nil {
		return nil, nil, err
	}
	m, ok := st.(backup.Moving)
	if !ok {
		return nil, nil, errors.Join(usagef("%s: this store does not give out whole worlds", url), one.close())
	}
	return m, one.close, nil
}

// localDir returns the directory of a store that must be local:DIR.
func localDir(url string) (string, error) {
	dir, isLocal := strings.CutPrefix(url, localScheme)
	if !isLocal || dir == "" {
		return "", usagef("store %q: want %sDIR", url, localScheme)
	}
	return dir, nil
}

// checkStoreDir checks that a directory exists and is not empty.
func checkStoreDir(dir string) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return fmt.Errorf("%s%s: no store is there; cairn import SRC @NAME makes one", localScheme, dir)
	}
	if err != nil {
		return pathError(localScheme+dir, err)
	}
	return nil
}

// isStore reports whether an argument is the URL of a store.
func isStore(arg string) bool {
	for _, scheme := range []string{localScheme, clusterScheme} {
		if rest, ok := strings.CutPrefix(arg, scheme); ok {
			return rest != ""
		}
	}
	return arg == memoryStore || isServed(arg)
}

// isServed reports whether a URL names a server.
func isServed(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// withWorld opens a world for an author to change, calls do, and closes the world.
func (sf *storeFlag) withWorld(ctx context.Context, name, author string, do func(*world.World) error) error {
	st, err := sf.openWritable(ctx)
	if err != nil {
		return err
	}
	w, err := world.Open(ctx, st, name, world.Options{Author: author, Relight: true, Cache: sf.memory.cache()})
	if err != nil {
		return err
	}
	return errors.Join(do(w), w.Close())
}

// outside checks that the store does not lie in the folder src, because a source is never
// written to.
func (sf *storeFlag) outside(src string) error {
	dir, isLocal := strings.CutPrefix(sf.location(), localScheme)
	if !isLocal || isAddress(src) {
		return nil
	}
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	return outside(filepath.Join(dir, "store"), src)
}
