// Package store opens a history.Store by its URL. It knows "memory:"; a program imports the packages
// of other schemes.
package store

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// Open opens the Store that url names. "memory:" is a new Store in memory, which Close discards.
// Other schemes are for programs that import their package: "local:DIR" is a Store in a directory,
// which is made if it does not exist (store/local); "cluster:FILE" is the Store that a cluster file
// describes (store/cluster); "http://HOST" and "https://HOST" are the Store of a server
// (store/client). The caller closes the Store.
func Open(ctx context.Context, url string) (history.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(url, ":")
	open, registered := openers.Load(scheme)
	switch {
	case ok && registered && rest != "":
		return open.(func(context.Context, string) (history.Store, error))(ctx, url)
	case ok && homes[scheme] != "" && rest != "":
		return nil, fmt.Errorf("store: %q: import _ \"github.com/cairnvoxel/cairn/%s\" to open it", url, homes[scheme])
	case ok && scheme == "memory" && rest == "":
		return memory.New(memory.Options{}), nil
	}
	return nil, fmt.Errorf("store: %q: want memory:, local:DIR, cluster:FILE, http://HOST or https://HOST", url)
}

var openers sync.Map // by scheme

// homes are the packages that register a scheme.
var homes = map[string]string{"local": "store/local", "cluster": "store/cluster", "http": "store/client", "https": "store/client"}

// Register lets Open take the URLs of a scheme, which open gets whole. Packages of Stores call it
// when a program imports them. It panics if the scheme is registered already.
func Register(scheme string, open func(ctx context.Context, url string) (history.Store, error)) {
	if _, twice := openers.LoadOrStore(scheme, open); twice {
		panic(fmt.Sprintf("store: scheme %s is registered twice", scheme))
	}
}
