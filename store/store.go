// Package store opens a history.Store by its URL. It knows "memory:" and servers. Others a
// program imports: store/local for "local:", store/cluster for "cluster:".
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// TokenEnv is the environment variable that holds the token for servers.
const TokenEnv = "CAIRN_TOKEN"

// PlainTokenEnv is the environment variable that allows a token over plain HTTP to other
// machines, if it is 1: in a network that nobody else listens to.
const PlainTokenEnv = "CAIRN_PLAIN_TOKEN"

// Options of a Store. The zero value is the default.
type Options struct {
	// Token is the token for a server; other Stores ignore it. Default: the value
	// of the environment variable TokenEnv.
	Token string
}

// opener opens the Store that a URL names, by what follows the scheme and its colon.
type opener = func(ctx context.Context, rest string) (history.Store, error)

var openers sync.Map // opener by scheme

// homes are the packages that register a scheme.
var homes = map[string]string{"local": "store/local", "cluster": "store/cluster"}

// Register lets Open take the URLs of a scheme. Packages of Stores call it when a
// program imports them. It panics if the scheme is registered already.
func Register(scheme string, open func(ctx context.Context, rest string) (history.Store, error)) {
	if _, twice := openers.LoadOrStore(scheme, open); twice {
		panic(fmt.Sprintf("store: scheme %s is registered twice", scheme))
	}
}

// Open opens the Store that url names. "memory:" is a new Store in memory, which Close
// discards. "http://HOST" or "https://HOST" is the Store of a server, or several of them with
// commas between, servers of one Store, of which any may die; Open does not call it yet, so
// the first call fails if no server listens there. "local:DIR" is a Store in a directory, which is
// made if it does not exist, for programs that import package store/local. "cluster:FILE" is the
// Store that a cluster file describes, for programs that import package store/cluster. The caller
// closes the Store.
func Open(ctx context.Context, url string, o Options) (history.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(url, ":")
	open, registered := openers.Load(scheme)
	switch {
	case ok && registered && rest != "":
		return open.(opener)(ctx, rest)
	case ok && homes[scheme] != "" && rest != "":
		return nil, fmt.Errorf("store: %q: import _ \"github.com/cairnvoxel/cairn/%s\" to open it", url, homes[scheme])
	case ok && scheme == "memory" && rest == "":
		return memory.New(memory.Options{}), nil
	case ok && (scheme == "http" || scheme == "https"):
		s, err := client.Open(ctx, url, client.Options{Token: cmp.Or(o.Token, os.Getenv(TokenEnv)), PlainToken: os.Getenv(PlainTokenEnv) == "1"})
		if errors.Is(err, client.ErrPlainToken) {
			err = fmt.Errorf("%w; %s=1 allows it", err, PlainTokenEnv)
		}
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	return nil, fmt.Errorf("store: %q: want memory:, local:DIR, cluster:FILE, http://HOST or https://HOST", url)
}
