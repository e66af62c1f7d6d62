package move

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// stateFile is the file of such a world.
const stateFile = "moved.json"

// equal is what both sides were when they were last equal.
type equal struct {
	Name string `json:"name"` // at the place
	// Place and Home are the signs of the world at the place, and in the store.
	Place string `json:"place"`
	Home  string `json:"home"`
}

// state is what is known of a place, by the name of a world in the store.
type state struct {
	Place  string           `json:"place"`
	Worlds map[string]equal `json:"worlds"`

	home    *Worlds
	changed bool
	saved   time.Time
}

// stateEvery is how long a state may wait to be saved: what a crash forgets is compared again.
const stateEvery = 10 * time.Second

// StateName returns the name of the world in which a store keeps what is known of a place.
func (s *Worlds) StateName(place Depot) string {
	sum := sha256.Sum256([]byte(place.String()))
	return fmt.Sprintf("%s%s/%x", s.Prefix, record.Moved, sum[:8])
}

func (s *Worlds) readState(ctx context.Context, place Depot) (*state, error) {
	st, err := s.stateIn(ctx, s.StateName(place))
	if err == nil {
		st.Place, st.home, st.saved = place.String(), s, time.Now()
	}
	return st, err
}

// stateIn reads the state that a world keeps, or an empty one if that is not there.
func (s *Worlds) stateIn(ctx context.Context, name string) (*state, error) {
	st := &state{Worlds: map[string]equal{}}
	head, err := s.Store.Head(ctx, name)
	if errors.Is(err, history.ErrNoWorld) || err == nil && head.Commit == (history.ID{}) {
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	snap, err := world.OpenSnapshot(ctx, s.Store, name, head.Commit, world.Options{})
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	r, err := snap.OpenFile(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err == nil {
		err = json.Unmarshal(data, st)
	}
	if err != nil {
		return nil, fmt.Errorf("move: @%s: %w", name, err)
	}
	return st, nil
}

// set notes that a world is equal on both sides.
func (s *state) set(full string, e equal) {
	if s.Worlds[full] != e {
		s.Worlds[full] = e
		s.changed = true
	}
}

// save saves the state if it changed, and is due or must be saved now.
func (s *state) save(ctx context.Context, place Depot, now bool) error {
	if !s.changed || !now && time.Since(s.saved) < stateEvery {
		return nil
	}
	s.saved = time.Now()
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := s.home.StateName(place)
	if err := s.home.Store.Create(ctx, name); err != nil && !errors.Is(err, history.ErrExists) {
		return err
	}
	w, err := world.Open(ctx, s.home.Store, name, world.Options{Author: "cairn"})
	if err != nil {
		return err
	}
	_, err = w.Update(func(tx *world.Tx) error { tx.SetFile(stateFile, data); return nil })
	if err == nil {
		_, err = w.Commit(ctx, "equal to "+s.Place)
	}
	if err = errors.Join(err, w.Close()); err == nil {
		s.changed = false
	}
	return err
}
