// Package store opens a history.Store by its URL.
//
// It keeps nothing itself: the packages below it do.
package store

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
)

// TokenEnv is the environment variable with the token for servers.
const TokenEnv = "CAIRN_TOKEN"

// Options of a Store. The zero value is the default.
type Options struct {
	// Token is what a server is shown; other Stores need none. Default: the value of
	// the environment variable TokenEnv.
	Token string
}

// Open opens the Store that url names with the default Options.
func Open(ctx context.Context, url string) (history.Store, error) {
	return OpenWith(ctx, url, Options{})
}

// OpenWith opens the Store that url names: "local:DIR" for one in a directory,
// which it makes if there is none, "memory:" for a new one in memory, which Close
// forgets, or "http://HOST" or "https://HOST" for that of a server, which it does
// not call yet: if nobody listens there the first call says so. The caller closes
// it.
func OpenWith(ctx context.Context, url string, o Options) (history.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(url, ":")
	switch {
	case ok && scheme == "local" && rest != "":
		s, err := local.Open(rest, local.Options{})
		if err != nil {
			return nil, err // not a Store that is nil
		}
		return s, nil
	case ok && scheme == "memory" && rest == "":
		return memory.New(memory.Options{}), nil
	case ok && (scheme == "http" || scheme == "https"):
		s, err := client.Open(ctx, url, client.Options{Token: cmp.Or(o.Token, os.Getenv(TokenEnv))})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	return nil, fmt.Errorf("store: %q: want memory:, local:DIR, http://HOST or https://HOST", url)
}
