package history

import (
	"context"
	"errors"
	"io"
)

// Fetched is a stack with the bytes of its stones.
type Fetched struct {
	Head   Head // the world's; if a commit was asked for, of that only the Commit
	Layers []Layer
	// Data is the bytes of the layers' stones, nil where there was no room. Layers
	// of one stone share them. Nobody may change them.
	Data [][]byte
}

// A Fetcher is a Store that loads a world in one call.
type Fetcher interface {
	// Fetch returns the stack of the commit at, of the head if at is zero, with the
	// bytes of its stones: from the top down as long as they take at most room
	// bytes together.
	Fetch(ctx context.Context, name string, at ID, room int64) (Fetched, error)
}

// fetchTries is how often a stack is asked for of which stones were collected
// meanwhile.
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

// DataOf returns Fetched.Data of layers, for Stores. read returns the bytes of a
// layer's stone.
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
