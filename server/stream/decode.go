package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// DecodeClient decodes the first frame of b, which a client sent, and returns how
// many bytes it takes. The error is a *CorruptError.
func DecodeClient(b []byte) (Frame, int, error) {
	kind, p, n, err := split(b, maxClientFrame)
	if err != nil {
		return nil, 0, err
	}
	f, err := decodeClient(kind, p)
	return f, n, err
}

// DecodeServer decodes the first frame of b, which a server sent, and returns how
// many bytes it takes. volumes are those of the session's Welcome, nil before it.
// The error is a *CorruptError.
func DecodeServer(b []byte, volumes []ShownVolume) (Frame, int, error) {
	kind, p, n, err := split(b, maxServerFrame)
	if err != nil {
		return nil, 0, err
	}
	f, err := decodeServer(kind, p, volumes)
	return f, n, err
}

// split returns the parts of the frame that b begins with, and its bytes.
func split(b []byte, limit int) (kind byte, payload []byte, n int, err error) {
	r := reader{b: b, part: "length of a frame"}
	size := r.uint()
	if r.err == nil && (size == 0 || size > uint64(limit)) {
		r.fail(fmt.Errorf("%d bytes, of 1 to %d", size, limit))
	}
	if r.err == nil && size > uint64(len(b)-r.at) {
		r.at = len(b)
		r.fail(io.ErrUnexpectedEOF)
	}
	if r.err != nil {
		return 0, nil, 0, r.err
	}
	n = r.at + int(size)
	return b[r.at], b[r.at+1 : n], n, nil
}

func decodeClient(kind byte, payload []byte) (Frame, error) {
	r := reader{b: payload}
	var f Frame
	switch kind {
	case 1:
		f = r.hello()
	case 2:
		f = r.view()
	case 3:
		f = r.have()
	case 4:
		r.part = "Dropped"
		f = &Dropped{r.uint(), r.keys()}
	case 5:
		r.part = "Ack"
		f = &Ack{r.uint()}
	case 6:
		r.part = "At"
		f = &At{r.str(maxVersion)}
	default:
		r.unknown(kind)
	}
	return f, r.end()
}

func decodeServer(kind byte, payload []byte, volumes []ShownVolume) (Frame, error) {
	r := reader{b: payload, volumes: volumes}
	var f Frame
	switch kind {
	case 16:
		f = r.welcome()
	case 17:
		f = r.names()
	case 18:
		f = r.cubes()
	case 19:
		f = r.edits()
	case 20:
		r.part = "Forget"
		f = &Forget{r.uint(), r.keys()}
	case 21:
		r.part = "Now"
		f = &Now{r.moment()}
	case 22:
		r.part = "Synced"
		s := &Synced{r.u8()}
		r.check(s.Stage == 1 || s.Stage == 2, "stage %d", s.Stage)
		f = s
	case 23:
		r.part = "Failure"
		f = &Failure{r.str(256), r.str(4096)}
	default:
		r.unknown(kind)
	}
	return f, r.end()
}

// reader reads the fields of a frame. After the first error it reads zeros.
type reader struct {
	b       []byte
	at      int
	part    string
	volumes []ShownVolume
	err     error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = &CorruptError{Offset: int64(r.at), Part: r.part, Err: err}
	}
}

func (r *reader) check(ok bool, format string, args ...any) {
	if !ok {
		r.fail(fmt.Errorf(format, args...))
	}
}

func (r *reader) unknown(kind byte) {
	r.part = "type of a frame"
	r.fail(fmt.Errorf("%d is not known here", kind))
}

// more reports whether a list goes on.
func (r *reader) more() bool { return r.err == nil && r.at < len(r.b) }

func (r *reader) end() error {
	r.check(r.at == len(r.b), "%d bytes are left", len(r.b)-r.at)
	return r.err
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.b)-r.at {
		r.fail(io.ErrUnexpectedEOF)
	}
	if r.err != nil {
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) u8() uint8 {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		r.fail(io.ErrUnexpectedEOF)
	case n < 0:
		r.fail(errors.New("a number of more than 64 bits"))
	case n != max(1, (bits.Len64(v)+6)/7):
		r.fail(errors.New("a number with more bytes than it needs"))
	default:
		r.at += n
		return v
	}
	return 0
}

func (r *reader) sint() int64 {
	v := r.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) f64() float64 {
	v := math.Float64frombits(r.u64())
	r.check(!math.IsNaN(v) && !math.IsInf(v, 0), "%v is not a number", v)
	return v
}

func (r *reader) f32() float32 {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(b))
	r.check(!math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0), "%v is not a number", v)
	return v
}

func (r *reader) str(limit int) string {
	n := r.uint()
	if n > uint64(limit) {
		r.fail(fmt.Errorf("a string of %d bytes, of at most %d", n, limit))
		return ""
	}
	return string(r.bytes(int(n)))
}

func (r *reader) key() Key {
	k := Key{Level: r.u8()}
	if r.check(k.Level <= MaxLevel, "level %d", k.Level); r.err != nil {
		return Key{}
	}
	most := int64(1) << (21 - k.Level)
	for _, to := range [3]*int32{&k.X, &k.Y, &k.Z} {
		v := r.sint()
		r.check(v >= -most && v < most, "position %d at level %d", v, k.Level)
		*to = int32(v)
	}
	return k
}

func (r *reader) keys() []Key {
	var keys []Key
	for r.more() {
		keys = append(keys, r.key())
	}
	return keys
}

func (r *reader) hello() Frame {
	r.part = "Hello"
	f := &Hello{Protocol: r.uint()}
	r.check(f.Protocol == Protocol, "protocol %d, and this is %d", f.Protocol, Protocol)
	f.Token, f.World, f.At, f.Dimension = r.str(maxToken), r.str(maxWord), r.str(maxVersion), r.str(maxWord)
	n := r.uint()
	r.check(n <= maxVolumes, "%d volumes", n)
	for i := uint64(0); i < n && r.err == nil; i++ {
		v := r.str(maxVolume)
		r.check(!slices.Contains(f.Volumes, v), "volume %q twice", v)
		f.Volumes = append(f.Volumes, v)
	}
	return f
}

func (r *reader) view() Frame {
	r.part = "View"
	f := new(Viewpoint)
	for i := range f.Position {
		f.Position[i] = r.f64()
		r.check(math.Abs(f.Position[i]) <= maxPosition, "position %v", f.Position[i])
	}
	for _, v := range [2]*[3]float32{&f.Direction, &f.Velocity} {
		*v = [3]float32{r.f32(), r.f32(), r.f32()}
	}
	for _, v := range [3]*float32{&f.Pixels, &f.Error, &f.Radius} {
		*v = r.f32()
		r.check(*v >= 0, "%v is negative", *v)
	}
	f.Rate, f.Memory = r.uint(), r.uint()
	return f
}

func (r *reader) have() Frame {
	r.part = "Have"
	f := new(Have)
	for r.more() {
		f.Claims = append(f.Claims, Claim{r.key(), r.u64()})
	}
	return f
}

func (r *reader) moment() Moment {
	live := r.u8()
	r.check(live <= 1, "live %d", live)
	m := Moment{Live: live == 1, ID: r.str(maxVersion), Number: r.uint(), Time: r.sint()}
	for _, p := range [2]*geom.Point{&m.Bounds.Min, &m.Bounds.Max} {
		for _, to := range [3]*int{&p.X, &p.Y, &p.Z} {
			v := r.sint()
			r.check(v >= -maxPosition && v <= maxPosition, "bound %d", v)
			*to = int(v)
		}
	}
	m.Top = int(r.u8())
	r.check(m.Top <= MaxLevel, "level %d", m.Top)
	return m
}

func (r *reader) welcome() Frame {
	r.part = "Welcome"
	f := &Welcome{Protocol: r.uint()}
	r.check(f.Protocol == Protocol, "protocol %d, and this is %d", f.Protocol, Protocol)
	f.World, f.Dimension, f.Window, f.Moment = r.str(maxWord), r.str(maxWord), r.uint(), r.moment()
	n := r.uint()
	r.check(n >= 1 && n <= maxVolumes, "%d volumes", n)
	for i := uint64(0); i < n && r.err == nil; i++ {
		v := ShownVolume{Name: r.str(maxVolume), Schema: voxel.Schema(r.u8()), Scale: int(r.u8())}
		def := r.uint()
		r.check(v.Schema <= voxel.Level, "schema %d", v.Schema)
		r.check(v.Scale == 1 || v.Scale == 2 || v.Scale == 4, "scale %d", v.Scale)
		r.check(def <= uint64(voxel.MaxCell) && (r.err != nil || v.Schema.Valid(voxel.Cell(def), int(voxel.MaxCell)+1)), "default %d", def)
		v.Default = voxel.Cell(def)
		f.Volumes = append(f.Volumes, v)
	}
	return f
}

// volume reads the index of a volume.
func (r *reader) volume() (uint8, *ShownVolume) {
	i := r.u8()
	if r.check(int(i) < len(r.volumes), "volume %d of %d", i, len(r.volumes)); r.err != nil {
		return 0, nil
	}
	return i, &r.volumes[i]
}

func (r *reader) names() Frame {
	r.part = "Names"
	i, v := r.volume()
	f := &NumberNames{Volume: i}
	if r.err != nil {
		return f
	}
	most := [3]uint64{voxel.Palette: uint64(voxel.MaxCell), voxel.Terrain: 63}[v.Schema]
	for r.more() {
		n := Name{Number: r.uint(), Name: r.str(maxName), Look: Look{r.u8(), r.u8(), r.u8(), r.u8(), r.u8()}}
		r.check(n.Number <= most && v.Schema != voxel.Level, "number %d in a volume of %v", n.Number, v.Schema)
		r.check(n.Look.Kind <= Transparent, "kind %d", n.Look.Kind)
		f.Names = append(f.Names, n)
	}
	return f
}

// cells reads the cells of a box.
func (r *reader) cells(dst []voxel.Cell, edge int, s voxel.Schema) {
	if r.err != nil {
		return
	}
	n, err := codec.DecodeBitRLE(dst, edge, s, r.b[r.at:])
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		r.at += int(max(corrupt.Offset, 0))
		err = corrupt.Err
	}
	if err != nil {
		r.fail(err)
	}
	r.at += n
}

func (r *reader) cubes() Frame {
	r.part = "Cubes"
	r.check(len(r.volumes) > 0, "before Welcome")
	f := &Cubes{Sequence: r.uint()}
	for r.more() {
		r.check(len(f.Cubes) < maxCubes, "more than %d cubes", maxCubes)
		c := Cube{Key: r.key(), Version: r.u64()}
		for i := 0; i < len(r.volumes) && c.Version != 0 && r.err == nil; i++ {
			e := r.volumes[i].edge()
			cells := make([]voxel.Cell, e*e*e)
			r.cells(cells, e, r.volumes[i].Schema)
			c.Cells = append(c.Cells, cells)
		}
		f.Cubes = append(f.Cubes, c)
	}
	return f
}

func (r *reader) edits() Frame {
	r.part = "Edits"
	r.check(len(r.volumes) > 0, "before Welcome")
	f := &Edits{Sequence: r.uint()}
	for r.more() {
		r.check(len(f.Edits) < maxEdits, "more than %d edits", maxEdits)
		e := Edit{Key: r.key(), Version: r.u64()}
		n := r.uint()
		r.check(n <= maxParts && (n > 0 || e.Version == 0), "%d parts", n)
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.partOf(&e)
		}
		f.Edits = append(f.Edits, e)
	}
	return f
}

func (r *reader) partOf(e *Edit) {
	i, v := r.volume()
	p := CubePart{Volume: i, Part: r.u8()}
	if r.err != nil {
		return
	}
	m := v.edge() / PartEdge
	r.check(int(p.Part) < m*m*m, "part %d of %d", p.Part, m*m*m)
	r.cells(p.Cells[:], PartEdge, v.Schema)
	e.Parts = append(e.Parts, p)
}
