package stream

import (
	"encoding/binary"
	"math"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Append appends a frame to dst. volumes are those of the session's Welcome, for
// frames with cells.
func Append(dst []byte, f Frame, volumes []ShownVolume) []byte {
	w := writer{volumes: volumes}
	f.fields(&w)
	return appendFrame(dst, f.kind(), w.b)
}

func appendFrame(dst []byte, kind byte, payload ...[]byte) []byte {
	n := 1
	for _, p := range payload {
		n += len(p)
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = append(dst, kind)
	for _, p := range payload {
		dst = append(dst, p...)
	}
	return dst
}

// writer writes the fields of a frame.
type writer struct {
	b       []byte
	volumes []ShownVolume
}

func (w *writer) u8(v uint8)    { w.b = append(w.b, v) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) sint(v int64)  { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) u64(v uint64)  { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *writer) f32(v ...float32) {
	for _, v := range v {
		w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(v))
	}
}

func (w *writer) str(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) key(k Key) {
	w.u8(k.Level)
	w.sint(int64(k.X))
	w.sint(int64(k.Y))
	w.sint(int64(k.Z))
}

func (w *writer) keys(keys []Key) {
	for _, k := range keys {
		w.key(k)
	}
}

func (w *writer) moment(m *Moment) {
	w.u8(flag(m.Live))
	w.str(m.ID)
	w.uint(m.Number)
	w.sint(m.Time)
	for _, p := range [2]geom.Point{m.Bounds.Min, m.Bounds.Max} {
		w.sint(int64(p.X))
		w.sint(int64(p.Y))
		w.sint(int64(p.Z))
	}
	w.u8(uint8(m.Top))
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func (f *Hello) fields(w *writer) {
	w.uint(f.Protocol)
	w.str(f.Token)
	w.str(f.World)
	w.str(f.At)
	w.str(f.Dimension)
	w.uint(uint64(len(f.Volumes)))
	for _, v := range f.Volumes {
		w.str(v)
	}
}

func (f *Viewpoint) fields(w *writer) {
	for _, p := range f.Position {
		w.u64(math.Float64bits(p))
	}
	w.f32(f.Direction[:]...)
	w.f32(f.Velocity[:]...)
	w.f32(f.Pixels, f.Error, f.Radius)
	w.uint(f.Rate)
	w.uint(f.Memory)
}

func (f *Have) fields(w *writer) {
	for _, c := range f.Claims {
		w.key(c.Key)
		w.u64(c.Version)
	}
}

func (f *Dropped) fields(w *writer) {
	w.uint(f.Sequence)
	w.keys(f.Keys)
}

func (f *Ack) fields(w *writer) { w.uint(f.Sequence) }
func (f *At) fields(w *writer)  { w.str(f.Version) }

func (f *Welcome) fields(w *writer) {
	w.uint(f.Protocol)
	w.str(f.World)
	w.str(f.Dimension)
	w.uint(f.Window)
	w.moment(&f.Moment)
	w.uint(uint64(len(f.Volumes)))
	for _, v := range f.Volumes {
		w.str(v.Name)
		w.u8(uint8(v.Schema))
		w.u8(uint8(v.Scale))
		w.uint(uint64(v.Default))
	}
}

func (f *NumberNames) fields(w *writer) {
	w.u8(f.Volume)
	for _, n := range f.Names {
		w.uint(n.Number)
		w.str(n.Name)
		w.b = append(w.b, n.Look.R, n.Look.G, n.Look.B, n.Look.A, n.Look.Kind)
	}
}

func (f *Cubes) fields(w *writer) {
	w.uint(f.Sequence)
	for i := range f.Cubes {
		w.cube(&f.Cubes[i])
	}
}

func (w *writer) cube(c *Cube) {
	w.key(c.Key)
	w.u64(c.Version)
	if c.Version == 0 {
		return
	}
	for i := range w.volumes {
		v := &w.volumes[i]
		w.b = codec.AppendBitRLE(w.b, c.Cells[i], v.edge(), v.Schema)
	}
}

func (f *Edits) fields(w *writer) {
	w.uint(f.Sequence)
	for i := range f.Edits {
		w.edit(&f.Edits[i])
	}
}

func (w *writer) edit(e *Edit) {
	w.key(e.Key)
	w.u64(e.Version)
	w.uint(uint64(len(e.Parts)))
	for i := range e.Parts {
		p := &e.Parts[i]
		w.u8(p.Volume)
		w.u8(p.Part)
		w.b = codec.AppendBitRLE(w.b, p.Cells[:], PartEdge, w.volumes[p.Volume].Schema)
	}
}

func (f *Forget) fields(w *writer) {
	w.uint(f.Sequence)
	w.keys(f.Keys)
}

func (f *Now) fields(w *writer)    { w.moment(&f.Moment) }
func (f *Synced) fields(w *writer) { w.u8(f.Stage) }

func (f *Failure) fields(w *writer) {
	w.str(f.Code)
	w.str(f.Words)
}
