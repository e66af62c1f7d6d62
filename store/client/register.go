package client

import (
	"context"
	"errors"
	"fmt"
	"os"

	schemes "github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
)

const (
	// TokenEnv is the environment variable that holds the token for a Store that package store opens.
	TokenEnv = "CAIRN_TOKEN"
	// plainTokenEnv allows that token over plain HTTP to other machines, if it is 1: in a network
	// that nobody else listens to.
	plainTokenEnv = "CAIRN_PLAIN_TOKEN"
)

// A program that imports this package opens "http:" and "https:" URLs.
func init() {
	for _, scheme := range []string{"http", "https"} {
		schemes.Register(scheme, func(ctx context.Context, url string) (history.Store, error) {
			s, err := Open(ctx, url, Options{Token: os.Getenv(TokenEnv), PlainToken: os.Getenv(plainTokenEnv) == "1"})
			if errors.Is(err, ErrPlainToken) {
				err = fmt.Errorf("%w; %s=1 allows it", err, plainTokenEnv)
			}
			return s, err
		})
	}
}
