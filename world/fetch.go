package world

import (
	"bytes"
	"context"
	"io"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// fetchStack returns the stack of the commit at, of the head if at is zero, with bytes
// of stones only if they come in the same call.
func fetchStack(ctx context.Context, st history.Store, name string, at history.ID, room int64) (history.Fetched, error) {
	if _, ok := st.(history.Fetcher); !ok {
		room = 0
	}
	return history.Fetch(ctx, st, name, at, room)
}

// layersOf returns the layers of f from from on and below to.
func layersOf(f history.Fetched, from, to int) history.Fetched {
	f.Layers, f.Data = f.Layers[from:to], f.Data[from:to]
	return f
}

// openLayer opens the stone of a layer of f.
func openLayer(ctx context.Context, st history.Store, name string, f history.Fetched, layer int) (*history.Opened, error) {
	data := f.Data[layer]
	if data == nil {
		return st.Open(ctx, name, f.Layers[layer].Stone.ID)
	}
	r, err := stone.Open(bytes.NewReader(data), int64(len(data)))
	return &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, err
}
