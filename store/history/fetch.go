package history

import (
	"context"
	"errors"
	"io"
)

// Fetched is a stack with the bytes of its stones.
type Fetched struct {
	Head   Head // of the world; if the call named a commit, only the field Commit is set
	Layers []Layer
	// Data holds the bytes of each layer's stone, or nil if there was no room.
	// Layers with the same stone share the bytes. Nobody may change them.
	Data [][]byte
}

// A Fetcher is a Store that loads a world in one call.
type Fetcher interface {
	// Fetch returns the stack of the commit at, or of the head if at is zero. It
	// adds the bytes of the stones, from the top down, until they would take more
	// than room bytes together.
	Fetch(ctx context.Context, name string, at ID, room int64) (Fetched, error)
}

// fetchTries is how often Fetch asks for a stack again because stones of it were
// collected meanwhile.
const fetchTries = 3

// Fetch is Fetcher.Fetch for any Store.
func Fetch(ctx context.Context, st Store, name string, at ID, room int64) (Fetched, error) {
	if f, ok := st.(Fetcher); ok {
		return f.Fetch(ctx, name, at, room)
	}
	for try := 1; ; try++ {
		f, err := fetch(ctx, st, name, at, room)
		if !errors.Is(err, ErrGone) || try == fetchTries {
			return f, err
		}
	}
}

func fetch(ctx context.Context, st Store, name string, at ID, room int64) (f Fetched, err error) {
	if f.Head.Commit = at; at == (ID{}) {
		if f.Head, err = st.Head(ctx, name); err != nil {
			return f, err
		}
	}
	if f.Layers, err = st.Stack(ctx, name, f.Head.Commit); err != nil || room <= 0 {
		f.Data = make([][]byte, len(f.Layers))
		return f, err
	}
	f.Data, err = DataOf(f.Layers, room, func(l Layer) ([]byte, error) {
		o, err := st.Open(ctx, name, l.Stone.ID)
		if err != nil {
			return nil, err
		}
		data := make([]byte, o.Size())
		_, err = io.ReadFull(io.NewSectionReader(o, 0, o.Size()), data)
		return data, errors.Join(err, o.Close())
	})
	return f, err
}

// DataOf returns Fetched.Data for layers. Stores call it. read returns the bytes of
// a layer's stone.
func DataOf(layers []Layer, room int64, read func(Layer) ([]byte, error)) ([][]byte, error) {
	data := make([][]byte, len(layers))
	for i := len(layers) - 1; i >= 0; i-- {
		ref := layers[i].Stone
		for j := i + 1; j < len(layers) && data[i] == nil; j++ {
			if layers[j].Stone.ID == ref.ID {
				data[i] = data[j]
			}
		}
		if data[i] != nil {
			continue
		}
		if room -= ref.Size; room < 0 {
			break
		}
		var err error
		if data[i], err = read(layers[i]); err != nil {
			return nil, err
		}
	}
	return data, nil
}
