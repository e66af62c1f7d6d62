package crowd

import (
	"context"
	"errors"
	"os"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/local"
)

// remote is islands in a store behind a server.
type remote struct {
	stored
	dir    string
	crowd  *crowd
	cairn  string
	server *lab.Server
}

func (r *remote) fill(ctx context.Context, o lab.Options) error {
	return fillStore(ctx, r.dir, r.crowd, o, 0)
}

func (r *remote) open(ctx context.Context) (err error) {
	if r.server, err = lab.Serve(ctx, r.cairn, r.dir, "--log-format", "json"); err != nil {
		return err
	}
	st, err := client.Open(ctx, r.server.URL, client.Options{})
	if err == nil {
		r.stored = stored{st}
	}
	return err
}

func (r *remote) used() lab.Usage {
	u := r.server.Used()
	u.CPU += lab.UsageOf(os.Getpid()).CPU
	return u
}

func (r *remote) close(ctx context.Context, c *crowd) (int, error) {
	if r.server == nil {
		return 0, nil
	}
	err := r.server.Stop()
	if r.Store != nil {
		err = errors.Join(err, r.Close())
	}
	if err != nil {
		return 0, err
	}
	st, err := local.Open(r.dir, local.Options{})
	if err != nil {
		return 0, err
	}
	n, err := stored{st}.highest(ctx, c)
	return n, errors.Join(err, st.Close())
}
