package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Protocol is the version of FORMAT.md.
const Protocol = 1

// The limits of FORMAT.md.
const (
	maxClientFrame = 1 << 16
	maxServerFrame = 1 << 20
	maxToken       = 4096
	maxWord        = 1024 // names of worlds and dimensions
	maxVersion     = 128  // texts that name a commit
	maxVolume      = 256
	maxVolumes     = 8
	maxName        = 4096
	maxParts       = 512
	maxCubes       = 1024 // in a frame
	maxEdits       = 1 << 13
	maxClaims      = 1 << 16
	maxPosition    = 1 << 30
)

// CorruptError says where a frame is wrong.
type CorruptError = voxel.CorruptError

// Frame is one of the frames of FORMAT.md, all of which are types of this package.
type Frame interface {
	kind() byte
	fields(w *writer)
}

// Hello opens a session.
type Hello struct {
	Protocol                    uint64
	Token, World, At, Dimension string
	Volumes                     []string // nil: the server's choice
}

// View says where a viewer is and what it wants.
type View struct {
	Position            [3]float64 // in blocks
	Direction, Velocity [3]float32 // velocity in blocks per second
	Pixels              float32    // of the screen, per radian
	Error               float32    // in pixels
	Radius              float32    // in blocks
	Rate                uint64     // bytes per second; 0 has no bound
	Memory              uint64     // bytes of the client's copy
}

// Claim is a cube that a client has.
type Claim struct {
	Key
	Version uint64
}

// Have claims cubes of an earlier session.
type Have struct{ Claims []Claim }

// Dropped says what a client threw away.
type Dropped struct {
	Sequence uint64 // of the last frame that it had read
	Keys     []Key
}

// Ack says that a client has read all frames up to one.
type Ack struct{ Sequence uint64 }

// At moves a session to another version.
type At struct{ Version string }

// Moment says which version of a world a session shows.
type Moment struct {
	Live   bool
	ID     string // of the commit, "" if more was changed since
	Number uint64 // of the last commit
	Time   int64  // of that commit, in milliseconds since 1970
	Bounds geom.Box
	Top    int // the coarsest level
}

// Volume is a volume as a session streams it.
type Volume struct {
	Name    string
	Schema  voxel.Schema
	Scale   int
	Default voxel.Cell // by the session's numbers
}

// edge returns how many of the volume's cells an edge of a cube has.
func (v *Volume) edge() int { return CubeEdge / v.Scale }

// Welcome answers a Hello.
type Welcome struct {
	Protocol         uint64
	World, Dimension string
	Window           uint64 // bytes that may be sent without an Ack
	Moment           Moment
	Volumes          []Volume
}

// Look says how a cell looks from afar.
type Look struct{ R, G, B, A, Kind uint8 }

// The kinds of a Look.
const (
	Nothing uint8 = iota
	Opaque
	CutOut
	Transparent
)

// Name is the name of a cell of a palette, or of a material of a terrain.
type Name struct {
	Number uint64
	Name   string
	Look   Look
}

// Names gives numbers their names.
type Names struct {
	Volume uint8
	Names  []Name
}

// Cube is the content of a cube. Cells has by volume the cells, index (y*e+z)*e+x,
// and is nil if Version is 0.
type Cube struct {
	Key
	Version uint64
	Cells   [][]voxel.Cell
}

// Cubes are cubes that the client has not, or has otherwise.
type Cubes struct {
	Sequence uint64
	Cubes    []Cube
}

// Part is 4x4x4 cells of a cube.
type Part struct {
	Volume, Part uint8
	Cells        [PartCells]voxel.Cell
}

// Edit is how a cube of the client changed.
type Edit struct {
	Key
	Version uint64 // from now on
	Parts   []Part
}

// Edits are changes of cubes that the client has.
type Edits struct {
	Sequence uint64
	Edits    []Edit
}

// Forget names cubes that the viewer needs no longer.
type Forget struct {
	Sequence uint64
	Keys     []Key
}

// Now says that the session shows another moment.
type Now struct{ Moment Moment }

// Synced says that the client has what it needs: at the coarsest level (Stage 1) or
// all of it (Stage 2).
type Synced struct{ Stage uint8 }

// Failure ends a session.
type Failure struct{ Code, Words string }

func (f *Failure) Error() string { return "stream: " + f.Code + ": " + f.Words }

func (*Hello) kind() byte   { return 1 }
func (*View) kind() byte    { return 2 }
func (*Have) kind() byte    { return 3 }
func (*Dropped) kind() byte { return 4 }
func (*Ack) kind() byte     { return 5 }
func (*At) kind() byte      { return 6 }
func (*Welcome) kind() byte { return 16 }
func (*Names) kind() byte   { return 17 }
func (*Cubes) kind() byte   { return 18 }
func (*Edits) kind() byte   { return 19 }
func (*Forget) kind() byte  { return 20 }
func (*Now) kind() byte     { return 21 }
func (*Synced) kind() byte  { return 22 }
func (*Failure) kind() byte { return 23 }

// Append appends a frame to dst. volumes are those of the session's Welcome, for
// frames with cells.
func Append(dst []byte, f Frame, volumes []Volume) []byte {
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
	volumes []Volume
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

func (f *View) fields(w *writer) {
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

func (f *Names) fields(w *writer) {
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
func DecodeServer(b []byte, volumes []Volume) (Frame, int, error) {
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

func decodeServer(kind byte, payload []byte, volumes []Volume) (Frame, error) {
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
	volumes []Volume
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
	f := new(View)
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
		v := Volume{Name: r.str(maxVolume), Schema: voxel.Schema(r.u8()), Scale: int(r.u8())}
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
func (r *reader) volume() (uint8, *Volume) {
	i := r.u8()
	if r.check(int(i) < len(r.volumes), "volume %d of %d", i, len(r.volumes)); r.err != nil {
		return 0, nil
	}
	return i, &r.volumes[i]
}

func (r *reader) names() Frame {
	r.part = "Names"
	i, v := r.volume()
	f := &Names{Volume: i}
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
	p := Part{Volume: i, Part: r.u8()}
	if r.err != nil {
		return
	}
	m := v.edge() / PartEdge
	r.check(int(p.Part) < m*m*m, "part %d of %d", p.Part, m*m*m)
	r.cells(p.Cells[:], PartEdge, v.Schema)
	e.Parts = append(e.Parts, p)
}
