// Package store opens a history.Store by its URL. The packages below it implement
// the stores.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
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

// Open opens the Store that url names, with the default Options.
func Open(ctx context.Context, url string) (history.Store, error) {
	return OpenWith(ctx, url, Options{})
}

// OpenWith opens the Store that url names. "local:DIR" is a Store in a directory,
// which OpenWith creates if it does not exist. "cluster:FILE" is the Store that a
// cluster file describes. "memory:" is a new Store in memory,
// which Close discards. "http://HOST" or "https://HOST" is the Store of a server,
// or several of them with commas between, servers of one Store, of which any may die;
// OpenWith does not call it yet, so the first call fails if no server listens
// there. The caller closes the Store.
func OpenWith(ctx context.Context, url string, o Options) (history.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(url, ":")
	switch {
	case ok && scheme == "local" && rest != "":
		s, err := local.Open(rest, local.Options{})
		if err != nil {
			return nil, err // not a nil *local.Store as a history.Store
		}
		return s, nil
	case ok && scheme == "cluster" && rest != "":
		s, err := cluster.Open(ctx, rest, cluster.Options{})
		if err != nil {
			return nil, err
		}
		return s, nil
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
