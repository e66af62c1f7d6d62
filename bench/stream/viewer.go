package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/voxel"
)

// viewer is a client that keeps its copy and checks it. It decodes frames and does nothing else with
// them, so that many fit beside the server.
type viewer struct {
	link *link
	pool *pool

	mu      sync.Mutex // guards what follows
	copy    map[lod.Key]*content
	volumes []stream.ShownVolume
	stages  [3]time.Time // when each stage was first complete; the first is the start
	at      [3]int64     // the bytes by then
	synced  uint8        // the last stage that was told, 0 after a View that needs more
	heard   time.Time
	ages    []float64 // of edits when they arrived, in milliseconds
	edits   int64
	cubes   int64
	fault   error

	writing  sync.Mutex // guards writes to link
	sequence uint64
	acked    uint64
}

// content is a cube of copies, shared by all viewers that have it. It never changes.
type content struct {
	id    contentID
	cells []voxel.Cell
	uses  int    // guarded by the pool
	from  uint64 // the version that an edit made this one of
}

type contentID struct {
	key     lod.Key
	version uint64
}

// pool is what viewers of one process have. It finds versions whose cells differ.
type pool [64]struct {
	mu  sync.Mutex
	all map[contentID]*content
}

func newPool() *pool {
	p := new(pool)
	for i := range p {
		p[i].all = make(map[contentID]*content)
	}
	return p
}

var errTwoContents = errors.New("two viewers have different cells in the same version")

// take returns the content of a version. cells returns its cells; it may be nil if an edit made
// them of the version from, and then take looks whether another viewer had that edit.
func (p *pool) take(id contentID, from uint64, cells func() []voxel.Cell) (*content, error) {
	s := &p[uint(id.key.X*7^id.key.Z*3^id.key.Y)%64]
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[id]
	switch {
	case c == nil:
		c = &content{id: id, cells: cells(), from: from}
		s.all[id] = c
	case from != 0 && from == c.from:
	case !slices.Equal(c.cells, cells()):
		return nil, fmt.Errorf("%v: %w", id.key, errTwoContents)
	}
	c.uses++
	return c, nil
}

func (p *pool) drop(c *content) {
	s := &p[uint(c.id.key.X*7^c.id.key.Z*3^c.id.key.Y)%64]
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.uses--; c.uses == 0 {
		delete(s.all, c.id)
	}
}

// dial connects to a server and says hello. claims are what it has from before.
func dial(addr string, rate float64, p *pool, had map[lod.Key]*content, v stream.Viewpoint, claims []stream.Claim) (*viewer, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if rate > 0 { // a link has no room for what did not arrive
		_ = c.(*net.TCPConn).SetReadBuffer(64 << 10)
	}
	w := &viewer{link: &link{Conn: c, rate: rate}, pool: p, copy: had}
	w.stages[0] = time.Now()
	frames := []stream.Frame{&stream.Hello{Protocol: stream.Protocol}, &v}
	for from := range slices.Chunk(claims, 2000) {
		frames = append(frames, &stream.Have{Claims: from})
	}
	if err := w.write(frames...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return w, nil
}

func (w *viewer) write(frames ...stream.Frame) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	var b []byte
	for _, f := range frames {
		b = stream.Append(b, f, nil)
	}
	_, err := w.link.Conn.Write(b)
	return err
}

// look says where the viewer is.
func (w *viewer) look(v stream.Viewpoint) error { return w.write(&v) }

// read reads frames until the connection ends.
func (w *viewer) read() error {
	var buf []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := w.link.Read(chunk)
		buf = append(buf, chunk[:n]...)
		used, fault := w.frames(buf)
		buf = append(buf[:0], buf[used:]...)
		if fault != nil {
			return fault
		}
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				err = io.EOF
			}
			return err
		}
	}
}

// frames uses the whole frames of b.
func (w *viewer) frames(b []byte) (used int, err error) {
	w.mu.Lock()
	ack := uint64(0)
	for err == nil {
		size, n := binary.Uvarint(b[used:])
		if n <= 0 || len(b)-used < n+int(size) {
			break
		}
		var f stream.Frame
		var took int
		if f, took, err = stream.DecodeServer(b[used:], w.volumes); err == nil {
			used += took
			err = w.use(f)
		}
	}
	if w.sequence > w.acked {
		ack, w.acked = w.sequence, w.sequence
	}
	if err != nil {
		w.fault = err
	}
	w.mu.Unlock()
	if ack > 0 && err == nil {
		_ = w.write(&stream.Ack{Sequence: ack}) // what comes next says why it failed
	}
	return used, err
}

// use applies a frame to the copy.
func (w *viewer) use(f stream.Frame) error {
	w.heard = time.Now()
	switch f := f.(type) {
	case *stream.Welcome:
		w.volumes = f.Volumes
	case *stream.Cubes:
		w.sequence = f.Sequence
		for _, c := range f.Cubes {
			w.cubes++
			var cells []voxel.Cell
			if c.Version != 0 {
				cells = c.Cells[0]
			}
			if err := w.put(c.Key, c.Version, 0, func() []voxel.Cell { return cells }); err != nil {
				return err
			}
		}
	case *stream.Edits:
		w.sequence = f.Sequence
		for i := range f.Edits {
			if err := w.edit(&f.Edits[i]); err != nil {
				return err
			}
		}
	case *stream.Forget:
		w.sequence = f.Sequence
		for _, k := range f.Keys {
			if c := w.copy[k]; c != nil {
				w.pool.drop(c)
			}
			delete(w.copy, k)
		}
	case *stream.Synced:
		w.synced = f.Stage
		if w.stages[f.Stage].IsZero() {
			w.stages[f.Stage], w.at[f.Stage] = w.heard, w.link.bytes.Load()
		}
	case *stream.Failure:
		return f
	}
	return nil
}

func (w *viewer) put(k lod.Key, version, from uint64, cells func() []voxel.Cell) error {
	old := w.copy[k]
	c, err := w.pool.take(contentID{k, version}, from, cells)
	if old != nil {
		w.pool.drop(old)
	}
	if w.copy[k] = c; err != nil {
		delete(w.copy, k)
	}
	return err
}

// edit changes a cube of the copy and notes how old the edits in it are.
func (w *viewer) edit(e *stream.Edit) error {
	old := w.copy[e.Key]
	if old == nil {
		return nil
	}
	w.edits++
	if e.Version == 0 {
		return w.put(e.Key, 0, 0, func() []voxel.Cell { return nil })
	}
	now := w.heard.UnixMilli()
	for _, part := range e.Parts {
		for i, c := range part.Cells {
			if e.Level == 0 && stamped(c) && (old.cells == nil || old.cells[cellOf(part.Part, i)] != c) {
				w.ages = append(w.ages, age(c, now))
			}
		}
	}
	return w.put(e.Key, e.Version, old.id.version, func() []voxel.Cell {
		cells := make([]voxel.Cell, cubeCells)
		copy(cells, old.cells)
		for _, part := range e.Parts {
			for i, c := range part.Cells {
				cells[cellOf(part.Part, i)] = c
			}
		}
		return cells
	})
}

// cellOf returns which cell of a cube is cell i of a part.
func cellOf(part uint8, i int) int {
	x, z, y := int(part&3)*4, int(part>>2&3)*4, int(part>>4)*4
	return (y+i>>4)<<8 | (z+i>>2&3)<<4 | x + i&3
}

const (
	cubeCells = lod.Edge * lod.Edge * lod.Edge
	// stampMaterial is the first of the materials of cells that say when they were written.
	stampMaterial = 32
	stampRange    = 32 << 8 // milliseconds
)

// stamp returns a cell that says when it was written.
func stamp(at time.Time) voxel.Cell {
	s := at.UnixMilli() % stampRange
	return voxel.TerrainCell(uint8(stampMaterial+s>>8), uint8(s))
}

func stamped(c voxel.Cell) bool { return c>>8 >= stampMaterial }

// age returns how many milliseconds ago a stamped cell was written.
func age(c voxel.Cell, now int64) float64 {
	s := int64(c) - stampMaterial<<8
	return float64(((now-s)%stampRange + stampRange) % stampRange)
}

// close ends the session and lets go of the copy.
func (w *viewer) close() error {
	err := w.link.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.copy {
		w.pool.drop(c)
	}
	clear(w.copy)
	return err
}
