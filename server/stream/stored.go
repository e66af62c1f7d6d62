package stream

import (
	"context"
	"iter"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Version is a stored version of a world.
type Version struct {
	*world.Snapshot
	Commit history.Commit
	Closed func() // called after the Server closed the version; nil: not
}

// Stored is a Source of the stored versions of a world.
type Stored struct {
	open func(ctx context.Context, version string) (Version, error)

	mu    sync.Mutex
	now   *storedState
	taken bool // by the Server
}

// NewStored returns a Source that shows head until Move shows another. open opens a
// version that a viewer asks for; its error wraps fs.ErrNotExist if there is none. Snapshots
// should share a page cache. The Server closes all of them.
func NewStored(head Version, open func(ctx context.Context, version string) (Version, error)) *Stored {
	return &Stored{open: open, now: newStoredState(head)}
}

// Move shows another version to those who see the newest one, from the next Tick on.
func (s *Stored) Move(head Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taken {
		s.now.Close() // no Tick came since the last Move; all that is read can be let go
	}
	s.now, s.taken = newStoredState(head), false
}

// Now implements Source.
func (s *Stored) Now() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = true
	return s.now, nil
}

// At implements Source.
func (s *Stored) At(ctx context.Context, version string) (State, error) {
	v, err := s.open(ctx, version)
	if err != nil {
		return nil, err
	}
	return newStoredState(v), nil
}

type storedState struct {
	Version
	about stone.About

	mu     sync.Mutex
	bounds map[string]geom.Box
}

func newStoredState(v Version) *storedState {
	return &storedState{Version: v, about: v.About(), bounds: make(map[string]geom.Box)}
}

func (s *storedState) Moment() Moment {
	m := Moment{Number: s.Commit.Number, Time: s.Commit.Time.UnixMilli()}
	if id := s.Snapshot.ID(); id != (history.ID{}) {
		m.ID = id.String()
	} else {
		m.Time = 0
	}
	return m
}

func (s *storedState) Close() error {
	if s.Closed != nil {
		defer s.Closed()
	}
	return s.Snapshot.Close()
}

func (s *storedState) Dimensions() []stone.DimensionInfo { return s.about.Dimensions }

func (s *storedState) Bounds(dimension string) geom.Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.bounds[dimension]
	if !ok {
		for _, d := range s.about.Dimensions {
			for i := 0; i < len(d.Volumes) && d.Name == dimension; i++ {
				v := &d.Volumes[i].Volume
				for pos, full := range s.Entries(dimension, v.Name, 0) {
					if full && !voxel.IsLight(v.Name) {
						b = b.Union(pos.Box().Scale(v.Scale))
					}
				}
			}
		}
		s.bounds[dimension] = b
	}
	return b
}

func (s *storedState) ReadBox(ctx context.Context, dimension, volume string, level int, b geom.Box, dst []voxel.Cell) error {
	return s.Snapshot.ReadBox(ctx, dimension, volume, level, b, dst)
}

// ReadNow is false: ticks do not wait for a disk.
func (s *storedState) ReadNow(string, string, int, geom.Box, []voxel.Cell) bool { return false }

func (s *storedState) Apart(old State, dimension, volume string) iter.Seq[geom.Box] {
	o, ok := old.(*storedState)
	if !ok {
		return nil
	}
	return chunkBoxes(s.Snapshot.Apart(o.Snapshot).Chunks(dimension, volume))
}

func chunkBoxes(at []geom.ChunkPos) iter.Seq[geom.Box] {
	return func(yield func(geom.Box) bool) {
		for _, pos := range at {
			if !yield(pos.Box()) {
				return
			}
		}
	}
}
