package living

import (
	"context"
	"errors"
	"time"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/rcon"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// History is that of a world's folder that a game is writing, in a world of a store. One goroutine may use it at a time.
type History struct {
	Dir    string
	World  string
	Read   port.Options // how the folder is read; Live is set
	Import port.ImportOptions
	// Door is the server's console, or nil. The server does not save while the folder is read.
	Door *rcon.Door
	// Self is the program to start as the guard of such a hold, and Save a command before it: rcon.SaveAll,
	// rcon.SaveFlush or "".
	Self, Save string
	// Seen is what is known of the folder from the last look at it.
	Seen port.Seen
}

// Looked is what History.Look found.
type Looked struct {
	Time time.Time `json:"time"`
	// Untouched says that the folder is as at the last look; then there is nothing else.
	Untouched bool           `json:"untouched,omitempty"`
	Commit    history.Commit `json:"-"`
	Same      bool           `json:"same"`    // no new version: nothing differs
	Number    uint64         `json:"version"` // of the commit
	Columns   int            `json:"columns"` // that were read, since they may have changed
	Bytes     int64          `json:"bytes"`   // of what was added
	// Torn names what the game was writing all the time. The version has it as the one before.
	Torn []string `json:"torn,omitempty"`
	// Alone says why the server did not help, or may not save yet.
	Alone error `json:"-"`
}

// Look reads the folder and makes what changed the next version of its world. open is called when there is something
// to store.
func (h *History) Look(ctx context.Context, open func(context.Context) (history.Store, error)) (Looked, error) {
	l, err := h.look(ctx, open, h.Seen)
	if errors.Is(err, port.ErrStale) { // somebody else changed the world
		l, err = h.look(ctx, open, port.Seen{})
	}
	return l, err
}

func (h *History) look(ctx context.Context, open func(context.Context) (history.Store, error), seen port.Seen) (l Looked, err error) {
	release := func() {}
	if h.Door != nil {
		hold, err := rcon.Off(ctx, h.Self, *h.Door, h.Save)
		if l.Alone = err; err == nil {
			release = func() { _, l.Alone = hold.On(ctx) }
		}
	}
	l.Time = time.Now()
	src, w, err := h.read(ctx, seen, l.Time)
	release()
	if err != nil {
		return l, err
	}
	defer src.Close()
	if l.Untouched = src.Untouched(); l.Untouched {
		return l, nil
	}
	done, err := src.Import(ctx, open, h.World, w, h.Import)
	if err != nil {
		return l, err
	}
	h.Seen = port.Seen{Head: done.Commit.ID(), Headers: src.Headers()}
	l.Commit, l.Same, l.Number, l.Bytes, l.Torn = done.Commit, done.Same, done.Commit.Number, done.Stone.Size, src.Remarks().Torn
	l.Columns = src.Columns()
	return l, nil
}

// read opens the folder and reads what is not as seen says.
func (h *History) read(ctx context.Context, seen port.Seen, now time.Time) (*port.Opened, stone.Content, error) {
	o := h.Read
	o.Live = true
	src, err := port.Open(h.Dir, o)
	if err != nil {
		return nil, nil, err
	}
	seen.Now = now
	src.Since(seen)
	w, err := src.Parts(ctx, nil)
	if err != nil {
		return nil, nil, errors.Join(err, src.Close())
	}
	return src, w, nil
}
