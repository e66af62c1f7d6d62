package undo

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// step is what updates replaced, in their order. It is taken back from the last one to the first.
type step struct {
	name    string
	seq     uint64
	updates []update
	unknown int  // replaced chunks and columns that were not loaded
	relit   bool // stale light was computed
	bytes   int
}

// update is what one update replaced.
type update struct {
	volumes []volume
	columns []column
}

// volume is what an update replaced in a volume.
type volume struct {
	volumeName
	schema voxel.Schema
	scale  int
	names  []string // what the cells index; nil: as in the World
	chunks []chunk  // in ascending order of code
}

// alike reports whether a cell that two lists of names have is the same in both.
func alike(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// chunk is a chunk before and after an update, or the runs of cells that differ if these are few.
type chunk struct {
	pos      geom.ChunkPos
	old, new *voxel.Chunk
	runs     []run // in ascending order; nil: old and new are set
}

// run is cells after each other that were one cell and became one other.
type run struct {
	at, n    uint16 // the index of the first in the chunk, and how many
	old, new voxel.Cell
}

// cell is one cell before and after an update.
type cell struct {
	at       uint16 // the index in the chunk
	old, new voxel.Cell
}

// mostRuns and mostCells bound the runs of a chunk that are kept as a list, and their cells: these are taken back
// one by one.
const mostRuns, mostCells = 48, 2 * voxel.SliceCells

// newChunk returns what differs, and whether something does.
func newChunk(pos geom.ChunkPos, old, new *voxel.Chunk) (chunk, bool) {
	c := chunk{pos: pos, old: old, new: new}
	var few [mostRuns]run
	n, cells := 0, 0
	for one := range c.all {
		if cells++; cells > mostCells {
			return c, true
		}
		if n > 0 {
			if r := &few[n-1]; one.at == r.at+r.n && one.old == r.old && one.new == r.new {
				r.n++
				continue
			}
		}
		if n == len(few) {
			return c, true
		}
		few[n] = run{one.at, 1, one.old, one.new}
		n++
	}
	return chunk{pos: pos, runs: slices.Clone(few[:n])}, n > 0
}

// all yields the cells that differ, in ascending order.
func (c *chunk) all(yield func(cell) bool) {
	if c.runs != nil {
		for _, r := range c.runs {
			for i := range r.n {
				if !yield(cell{r.at + i, r.old, r.new}) {
					return
				}
			}
		}
		return
	}
	var a, b [64]voxel.Cell
	for y, rows := range c.old.Differing(c.new) {
		for ; rows != 0; rows &= rows - 1 {
			z := bits.TrailingZeros32(rows)
			was, is := c.old.Row(y, z, &a), c.new.Row(y, z, &b)
			for x, v := range was {
				if v != is[x] && !yield(cell{uint16((y*voxel.ChunkEdge+z)*voxel.ChunkEdge + x), v, is[x]}) {
					return
				}
			}
		}
	}
}

// point returns the place of a cell in the volume.
func (c *chunk) point(at uint16) geom.Point {
	const edge = voxel.ChunkEdge
	return c.pos.Min().Add(geom.Point{X: int(at) % edge, Y: int(at) / (edge * edge), Z: int(at) / edge % edge})
}

// bytes returns the memory of the chunk, as if nobody else held old and new.
func (c *chunk) bytes() int {
	n := int(unsafe.Sizeof(*c)) + cap(c.runs)*int(unsafe.Sizeof(run{}))
	if c.runs == nil {
		n += c.old.Bytes() + c.new.Bytes()
	}
	return n
}

// newStep returns what can be taken back of a change. v is a view of the changed world.
func newStep(v *world.View, name string, change *world.Change) *step {
	s := &step{name: name}
	var u update
	var blocks map[footprint]bool // made if there are columns to ask for
	if len(change.Columns) > 0 {
		blocks = make(map[footprint]bool)
	}
	for _, c := range change.Volumes {
		in := viewOf(v, c.Dimension, c.Volume)
		if in == nil {
			s.unknown += len(c.Chunks)
			continue
		}
		var filler *voxel.Chunk // made if it is needed
		out := volume{chunks: make([]chunk, 0, len(c.Chunks)), volumeName: volumeName{c.Dimension, c.Volume}, schema: in.Schema, scale: in.Scale, names: c.Names}
		for _, r := range c.Chunks {
			if c.Volume == voxel.Block && blocks != nil {
				blocks[footprint{c.Dimension, r.Pos.X, r.Pos.Z}] = true
			}
			if r.Unknown {
				s.unknown++
				continue
			}
			if filler == nil && (r.Old == nil || r.New == nil) {
				filler = voxel.Uniform(in.Default())
			}
			if c, ok := newChunk(r.Pos, cmp.Or(r.Old, filler), cmp.Or(r.New, filler)); ok {
				out.chunks = append(out.chunks, c)
			}
		}
		u.addVolume(out)
	}
	for _, c := range change.Columns {
		s.addColumn(&u, c, blocks[footprintOf(c.Dimension, c.Pos)])
	}
	s.add(u)
	return s
}

// viewOf returns a volume, or nil: the world may have gone back to a time before the volume
// existed.
func viewOf(v *world.View, dimension, volume string) *world.Volume {
	if d := v.Dimension(dimension); d != nil {
		return d.Volume(volume)
	}
	return nil
}

// footprint is the x and z of a chunk. If blocks of a footprint changed, the maps of its
// columns are derived from them.
type footprint struct {
	dimension string
	x, z      int32
}

func footprintOf(dimension string, pos geom.ColumnPos) footprint {
	c := pos.Chunk(0)
	return footprint{dimension, c.X, c.Z}
}

func (u *update) addVolume(v volume) {
	if len(v.chunks) > 0 {
		u.volumes = append(u.volumes, v)
	}
}

func (s *step) addColumn(u *update, c world.ColumnChange, derived bool) {
	if c.Unknown {
		s.unknown++
		return
	}
	if c.Old != nil && c.New != nil && c.Old.Stale&^c.New.Stale != 0 {
		s.relit = true
	}
	if one, ok := replacedColumn(c, derived); ok {
		u.columns = append(u.columns, one)
	}
}

// add adds an update to the step, and its bytes.
func (s *step) add(u update) {
	s.bytes += 128
	for _, v := range u.volumes {
		s.bytes += 96
		for i := range v.chunks {
			s.bytes += v.chunks[i].bytes()
		}
	}
	for i := range u.columns {
		s.bytes += u.columns[i].bytes()
	}
	s.updates = append(s.updates, u)
}

func (s *step) empty() bool {
	u := s.updates[0]
	return len(u.volumes)+len(u.columns)+s.unknown == 0
}

// join adds what came after the step.
func (s *step) join(t *step) {
	s.updates = append(s.updates, t.updates...)
	s.unknown += t.unknown
	s.relit = s.relit || t.relit
	s.bytes += t.bytes
}
