package gallery

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Reads are the methods of a history.Store that change nothing.
type Reads interface {
	Head(ctx context.Context, name string) (history.Head, error)
	Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error)
	Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error)
	Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error)
	Leased(ctx context.Context, name string) (history.Lease, error)
	List(ctx context.Context, prefix, after string, n int) ([]string, error)
	Close() error
}

// ReadOnly returns a Store that reads from r. Its other methods change nothing and return a
// *wire.Error with the code wire.Forbidden.
func ReadOnly(r Reads) history.Store { return readOnly{r} }

type readOnly struct{ Reads }

var errReadOnly = &wire.Error{Code: wire.Forbidden, Message: "worlds are only shown here, and cannot be changed: cairn serve serves a store that can be"}

func (readOnly) Create(context.Context, string) error                 { return errReadOnly }
func (readOnly) Rename(context.Context, string, string, uint64) error { return errReadOnly }
func (readOnly) Delete(context.Context, string, uint64) error         { return errReadOnly }
func (readOnly) Undelete(context.Context, string) error               { return errReadOnly }
func (readOnly) Release(context.Context, string, uint64) error        { return errReadOnly }

func (readOnly) Commit(context.Context, string, history.Head, history.Commit, ...history.Stone) (history.Commit, error) {
	return history.Commit{}, errReadOnly
}

func (readOnly) Fork(context.Context, string, history.ID, string) error { return errReadOnly }

func (readOnly) PutPack(context.Context, string, history.Pack, history.Stone) error {
	return errReadOnly
}

func (readOnly) Lease(context.Context, string, string, time.Duration) (history.Lease, error) {
	return history.Lease{}, errReadOnly
}

func (readOnly) Renew(context.Context, string, uint64, time.Duration) (history.Lease, error) {
	return history.Lease{}, errReadOnly
}

func (readOnly) Purge(context.Context, string, uint64) (history.Purged, error) {
	return history.Purged{}, errReadOnly
}

func (readOnly) Collect(context.Context, history.Policy) (history.Collected, error) {
	return history.Collected{}, errReadOnly
}

// Packs reports true, so that nobody tries to pack.
func (readOnly) Packs() bool { return true }
