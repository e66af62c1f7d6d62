package stream

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/lod"
	"github.com/cairnvoxel/cairn/voxel"
)

// Client keeps a viewer's copy of a world up to date. Any number of goroutines may use it.
type Client struct {
	// Changed, if set, is called after each frame that changes the copy, by who runs Run.
	Changed func(keys []Key)
	// Told, if set, is called with each frame after it was used, by who runs Run.
	Told func(Frame)
	// Memory bounds the bytes of the copy as View.Memory counts them. The server is told so, and if there
	// is more all the same, what earlier sessions left goes first, then what seems smallest from the last View. 0 is no bound.
	Memory int

	writing sync.Mutex // held while a frame is written
	conn    io.Writer

	mu       sync.Mutex
	welcome  *Welcome
	moment   Moment
	hollow   bool
	names    []clientNames
	number   [][]voxel.Cell // by volume: from the session's numbers to names
	cubes    map[Key]*cube
	bytes    int
	position [3]float64 // of the last View
	last     uint64     // sequence
	acked    int        // bytes since the last Ack
	ackable  int        // frames since
	synced   uint8
}

// clientNames are the names of a volume by the client's own numbers, which stay when a session ends.
type clientNames struct {
	volume Volume
	list   []Name
	number map[string]voxel.Cell
}

// cube is a cube of the copy: cells by volume in the client's numbers, of length 1 if all are equal.
type cube struct {
	version uint64
	old     bool // not sent in this session
	cells   [][]voxel.Cell
}

func (c *cube) bytes() int {
	n := emptyBytes
	for _, cells := range c.cells {
		if len(cells) > 1 {
			n += 2 * len(cells)
		}
	}
	return n
}

// Run opens a session on a connection and keeps the copy up to date until the connection ends. The error is
// a *Failure if the server said why. A Client may Run again, on another connection: it claims
// what it still has.
func (c *Client) Run(conn io.ReadWriter, hello Hello, view View) error {
	hello.Protocol = Protocol
	if err := c.begin(conn, &hello, &view); err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 64<<10)
	var buf []byte
	for {
		kind, payload, err := readFrame(r, &buf, maxServerFrame)
		if err != nil {
			return err
		}
		f, changed, err := c.take(kind, payload)
		if err != nil {
			return err
		}
		if len(changed) > 0 && c.Changed != nil {
			c.Changed(changed)
		}
		if c.Told != nil {
			c.Told(f)
		}
		if failure, ok := f.(*Failure); ok {
			return failure
		}
		if err := c.answer(len(payload), r.Buffered() == 0); err != nil {
			return err
		}
	}
}

// begin sends what opens a session. Claims are sent before anything is read.
func (c *Client) begin(conn io.Writer, hello *Hello, view *View) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.conn = conn
	c.mu.Lock()
	c.leave()
	c.last, c.acked, c.ackable, c.synced = 0, 0, 0, 0
	if c.cubes == nil {
		c.cubes = make(map[Key]*cube)
	}
	c.position = view.Position
	for _, x := range c.cubes {
		x.old = true
	}
	b := Append(nil, hello, nil)
	for claims := c.claims(); len(claims) > 0; {
		n := min(len(claims), 2500)
		b = Append(b, &Have{claims[:n]}, nil)
		claims = claims[n:]
	}
	b = Append(b, c.bounded(view), nil)
	c.mu.Unlock()
	_, err := conn.Write(b)
	return err
}

// bounded returns a View that asks for no more memory than there is.
func (c *Client) bounded(f Frame) Frame {
	v, ok := f.(*View)
	if !ok || c.Memory <= 0 || v.Memory > 0 && v.Memory <= uint64(c.Memory) {
		return f
	}
	w := *v
	w.Memory = uint64(c.Memory)
	return &w
}

// claims returns what the copy has, coarse cubes first.
func (c *Client) claims() []Claim {
	out := make([]Claim, 0, len(c.cubes))
	for k, x := range c.cubes {
		out = append(out, Claim{k, x.version})
	}
	slices.SortFunc(out, func(a, b Claim) int { return a.Key.Compare(b.Key) })
	return out[:min(len(out), maxClaims)]
}

// answer acknowledges what was read, if it is time to, and drops what is too much.
func (c *Client) answer(n int, idle bool) error {
	c.mu.Lock()
	if c.acked += n; c.welcome == nil || !idle && c.acked < int(c.welcome.Window/4) {
		c.mu.Unlock()
		return nil
	}
	b := c.drop(nil)
	if c.ackable > 0 {
		b = Append(b, &Ack{c.last}, nil)
	}
	c.acked, c.ackable = 0, 0
	c.mu.Unlock()
	if len(b) == 0 {
		return nil
	}
	return c.write(b)
}

// far returns how far away a cube is from the viewer, in edges of the cube.
func (c *Client) far(k Key) float64 {
	edge, sum := float64(int(CubeEdge)<<k.Level), 0.0
	for i, at := range [3]int32{k.X, k.Y, k.Z} {
		d := c.position[i]/edge - float64(at) - 0.5
		sum += d * d
	}
	return sum
}

func (c *Client) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.conn == nil {
		return errors.New("stream: there is no session")
	}
	_, err := c.conn.Write(b)
	return err
}

// drop takes away cubes until the copy fits.
func (c *Client) drop(b []byte) []byte {
	if c.Memory <= 0 || c.bytes <= c.Memory {
		return b
	}
	keys := make([]Key, 0, len(c.cubes))
	for k := range c.cubes {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		if old := c.cubes[a].old; old != c.cubes[b].old {
			return map[bool]int{true: -1, false: 1}[old]
		}
		return cmp.Compare(c.far(b), c.far(a))
	})
	n := 0
	for ; n < len(keys) && c.bytes > c.Memory/10*9; n++ {
		c.remove(keys[n])
	}
	for keys = keys[:n]; len(keys) > 0; {
		m := min(len(keys), 4000)
		b = Append(b, &Dropped{c.last, keys[:m]}, nil)
		keys = keys[m:]
	}
	return b
}

// Send sends a View or an At.
func (c *Client) Send(f Frame) error {
	if v, ok := f.(*View); ok {
		c.mu.Lock()
		c.position = v.Position
		c.mu.Unlock()
	}
	return c.write(Append(nil, c.bounded(f), nil))
}

// take uses a frame.
func (c *Client) take(kind byte, payload []byte) (Frame, []Key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var volumes []Volume
	if c.welcome != nil {
		volumes = c.welcome.Volumes
	}
	f, err := decodeServer(kind, payload, volumes)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := f.(*Welcome); !ok && c.welcome == nil {
		if _, ok := f.(*Failure); !ok {
			return nil, nil, &CorruptError{Part: "session", Err: errors.New("a frame before Welcome")}
		}
	}
	changed, err := c.use(f)
	return f, changed, err
}

func (c *Client) use(f Frame) (changed []Key, err error) {
	switch f := f.(type) {
	case *Welcome:
		return c.greet(f)
	case *Names:
		return nil, c.learn(f)
	case *Cubes:
		for i := range f.Cubes {
			if err := c.set(&f.Cubes[i]); err != nil {
				return nil, err
			}
			changed = append(changed, f.Cubes[i].Key)
		}
		return changed, c.next(f.Sequence)
	case *Edits:
		for i := range f.Edits {
			if err := c.edit(&f.Edits[i]); err != nil {
				return nil, err
			}
			changed = append(changed, f.Edits[i].Key)
		}
		return changed, c.next(f.Sequence)
	case *Forget:
		for _, k := range f.Keys {
			c.remove(k)
		}
		return f.Keys, c.next(f.Sequence)
	case *Now:
		c.moment, c.synced = f.Moment, 0
	case *Synced:
		c.synced = max(c.synced, f.Stage)
	}
	return nil, nil
}

func (c *Client) next(sequence uint64) error {
	if sequence != c.last+1 {
		return &CorruptError{Part: "sequence", Err: fmt.Errorf("%d after %d", sequence, c.last)}
	}
	c.last = sequence
	c.ackable++
	return nil
}

// greet begins a session. If its volumes are others than those of the session before, what the copy has is of no use.
func (c *Client) greet(f *Welcome) (changed []Key, err error) {
	if c.welcome != nil {
		return nil, &CorruptError{Part: "Welcome", Err: errors.New("a second one")}
	}
	c.welcome, c.moment = f, f.Moment
	same := len(c.names) == len(f.Volumes)
	for i := 0; same && i < len(f.Volumes); i++ {
		v, w := c.names[i].volume, f.Volumes[i]
		v.Default, w.Default = 0, 0
		same = v == w
	}
	if !same {
		for k := range c.cubes {
			changed = append(changed, k)
		}
		clear(c.cubes)
		c.names, c.bytes = nil, 0
		for _, v := range f.Volumes {
			c.names = append(c.names, clientNames{v, []Name{{}}, make(map[string]voxel.Cell)})
		}
	}
	c.number = make([][]voxel.Cell, len(f.Volumes))
	c.hollow = true
	for i, v := range f.Volumes {
		c.number[i] = []voxel.Cell{0}
		c.hollow = c.hollow && v.Default == 0
	}
	return changed, nil
}

// learn gives the session's numbers their names.
func (c *Client) learn(f *Names) error {
	n := &c.names[f.Volume]
	for _, x := range f.Names {
		own, ok := n.number[x.Name]
		switch {
		case x.Number == 0:
			own = 0
			n.list[0] = x
		case !ok && len(n.list) > int(voxel.MaxCell):
			return &CorruptError{Part: "Names", Err: errors.New("more names than there are cells")}
		case !ok:
			own = voxel.Cell(len(n.list))
			n.number[x.Name] = own
			n.list = append(n.list, Name{uint64(own), x.Name, x.Look})
		default:
			n.list[own].Look = x.Look
		}
		to := &c.number[f.Volume]
		for len(*to) <= int(x.Number) {
			*to = append(*to, noCell)
		}
		(*to)[x.Number] = own
	}
	return nil
}

// noCell stands for a number without a name.
const noCell = voxel.MaxCell + 1

// own replaces the session's numbers by the client's.
func (c *Client) own(i int, cells []voxel.Cell) error {
	v, to := &c.welcome.Volumes[i], c.number[i]
	if v.Schema == voxel.Level {
		return nil
	}
	for j, x := range cells {
		n, rest := int(x), voxel.Cell(0)
		if v.Schema == voxel.Terrain {
			n, rest = int(x>>8), x&0xFF
		}
		if n >= len(to) || to[n] == noCell {
			return &CorruptError{Part: "cells", Err: fmt.Errorf("number %d of volume %q has no name", n, v.Name)}
		}
		if cells[j] = to[n]; v.Schema == voxel.Terrain {
			cells[j] = to[n]<<8 | rest
		}
	}
	return nil
}

// set puts a cube into the copy.
func (c *Client) set(f *Cube) error {
	x := &cube{version: f.Version, cells: f.Cells}
	for i, cells := range x.cells {
		if err := c.own(i, cells); err != nil {
			return err
		}
		x.cells[i] = folded(cells)
	}
	c.put(f.Key, x)
	return nil
}

func (c *Client) put(k Key, x *cube) {
	c.remove(k)
	c.cubes[k] = x
	c.bytes += x.bytes()
}

func (c *Client) remove(k Key) {
	if x := c.cubes[k]; x != nil {
		c.bytes -= x.bytes()
		delete(c.cubes, k)
	}
}

// folded returns one cell if all are equal.
func folded(cells []voxel.Cell) []voxel.Cell {
	for _, x := range cells {
		if x != cells[0] {
			return cells
		}
	}
	return []voxel.Cell{cells[0]}
}

// edit changes a cube of the copy.
func (c *Client) edit(f *Edit) error {
	x := c.cubes[f.Key]
	if x == nil {
		return nil
	}
	if f.Version == 0 {
		c.put(f.Key, &cube{})
		return nil
	}
	whole := &cube{version: f.Version}
	for i := range c.names {
		whole.cells = append(whole.cells, c.unfolded(x, i))
	}
	for j := range f.Parts {
		p := &f.Parts[j]
		if err := c.own(int(p.Volume), p.Cells[:]); err != nil {
			return err
		}
		e := c.names[p.Volume].volume.edge()
		m := e / PartEdge
		at := (int(p.Part)/(m*m)*PartEdge*e+int(p.Part)/m%m*PartEdge)*e + int(p.Part)%m*PartEdge
		for r := range PartEdge * PartEdge {
			copy(whole.cells[p.Volume][at+(r/PartEdge*e+r%PartEdge)*e:], p.Cells[r*PartEdge:(r+1)*PartEdge])
		}
	}
	for i := range whole.cells {
		whole.cells[i] = folded(whole.cells[i])
	}
	c.put(f.Key, whole)
	return nil
}

// unfolded returns a copy of the cells of a volume of a cube.
func (c *Client) unfolded(x *cube, i int) []voxel.Cell {
	e := c.names[i].volume.edge()
	out := make([]voxel.Cell, e*e*e)
	one := c.ownDefault(i)
	if x.cells != nil {
		if len(x.cells[i]) > 1 {
			copy(out, x.cells[i])
			return out
		}
		one = x.cells[i][0]
	}
	for j := range out {
		out[j] = one
	}
	return out
}

// ownDefault returns the default of a volume in the client's numbers.
func (c *Client) ownDefault(i int) voxel.Cell {
	if c.welcome == nil {
		return c.names[i].volume.Default
	}
	one := []voxel.Cell{c.welcome.Volumes[i].Default}
	if c.own(i, one) != nil {
		return 0
	}
	return one[0]
}

// leave ends what the copy has of a session: it then counts in the client's numbers alone.
func (c *Client) leave() {
	for i := range c.names {
		c.names[i].volume.Default = c.ownDefault(i)
	}
	c.welcome = nil
}

// Moment returns what the session shows.
func (c *Client) Moment() Moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moment
}

// Volumes returns the volumes of the session, nil before Welcome.
func (c *Client) Volumes() []Volume {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.welcome == nil {
		return nil
	}
	return c.welcome.Volumes
}

// Synced returns the stage of the last Synced, 0 if something is missing since.
func (c *Client) Synced() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.synced)
}

// Len returns how many cubes the copy has, and the bytes that they take as View.Memory counts them.
func (c *Client) Len() (cubes, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.cubes), c.bytes
}

// Keys returns the cubes of the copy, those of higher levels first.
func (c *Client) Keys() []Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.cubes), Key.Compare)
}

// Cube returns the cells of a cube of a volume of the session, index (y*e+z)*e+x, and its version. ok is false if the
// copy lacks it.
func (c *Client) Cube(k Key, volume int) (cells []voxel.Cell, version uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.cubes[k]
	if x == nil || volume >= len(c.names) {
		return nil, 0, false
	}
	return c.unfolded(x, volume), x.version, true
}

// Name returns the name and the look of a cell.
func (c *Client) Name(volume int, cell voxel.Cell) (Name, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if volume >= len(c.names) {
		return Name{}, false
	}
	if c.names[volume].volume.Schema == voxel.Terrain {
		cell >>= 8
	}
	if int(cell) >= len(c.names[volume].list) {
		return Name{}, false
	}
	return c.names[volume].list[cell], true
}

// Cell returns the cell of a volume at a block, and the level that it is of: the finest that the copy has there. A part of a
// cube that is empty in a coarser one is empty. ok is false if the copy has nothing there.
func (c *Client) Cell(volume int, p geom.Point) (cell voxel.Cell, level int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if volume >= len(c.names) || p.Check() != nil {
		return 0, 0, false
	}
	for level := 0; level <= c.moment.Top; level++ {
		k := lod.KeyOf(p, level)
		x := c.cubes[k]
		if x == nil {
			continue
		}
		if x.cells == nil {
			return c.ownDefault(volume), level, true
		}
		cells := x.cells[volume]
		if len(cells) == 1 {
			return cells[0], level, true
		}
		e := c.names[volume].volume.edge()
		wide := c.names[volume].volume.Scale << level
		q := geom.Point{X: geom.FloorDiv(p.X, wide) - int(k.X)*e, Y: geom.FloorDiv(p.Y, wide) - int(k.Y)*e, Z: geom.FloorDiv(p.Z, wide) - int(k.Z)*e}
		return cells[(q.Y*e+q.Z)*e+q.X], level, true
	}
	return 0, 0, false
}

// AppendCopy appends the copy and its names to dst, for LoadCopy in another process.
func (c *Client) AppendCopy(dst []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.names) == 0 {
		return dst
	}
	w := Welcome{Protocol: Protocol, Moment: c.moment}
	for i, n := range c.names {
		v := n.volume
		v.Default = c.ownDefault(i)
		w.Volumes = append(w.Volumes, v)
	}
	dst = Append(dst, &w, nil)
	for i, n := range c.names {
		for list := n.list; len(list) > 0 && n.volume.Schema != voxel.Level; {
			m := min(len(list), 200)
			dst = Append(dst, &Names{uint8(i), list[:m]}, nil)
			list = list[m:]
		}
	}
	sequence := uint64(0)
	keys := slices.SortedFunc(maps.Keys(c.cubes), Key.Compare) // same copy, same bytes
	for _, k := range keys {
		x := c.cubes[k]
		f := Cube{Key: k, Version: x.version}
		for i := 0; i < len(c.names) && x.version != 0; i++ {
			f.Cells = append(f.Cells, c.unfolded(x, i))
		}
		sequence++
		dst = Append(dst, &Cubes{sequence, []Cube{f}}, w.Volumes)
	}
	return dst
}

// LoadCopy makes the copy what AppendCopy wrote. Run claims it. The error is a *CorruptError, and the
// copy is then empty.
func (c *Client) LoadCopy(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.loadCopy(b)
	if err != nil {
		c.cubes, c.names, c.bytes = make(map[Key]*cube), nil, 0
	}
	c.leave()
	return err
}

func (c *Client) loadCopy(b []byte) error {
	c.cubes, c.names, c.welcome, c.bytes, c.last = make(map[Key]*cube), nil, nil, 0, 0
	for at := 0; at < len(b); {
		var volumes []Volume
		if c.welcome != nil {
			volumes = c.welcome.Volumes
		}
		f, n, err := DecodeServer(b[at:], volumes)
		if err != nil {
			return fmt.Errorf("stream: a copy, frame at byte %d: %w", at, err)
		}
		switch f.(type) {
		case *Welcome, *Names, *Cubes:
		default:
			return &CorruptError{Offset: int64(at), Part: "copy", Err: errors.New("a frame that does not belong here")}
		}
		if _, ok := f.(*Welcome); !ok && c.welcome == nil {
			return &CorruptError{Offset: int64(at), Part: "copy", Err: errors.New("a frame before Welcome")}
		}
		if _, err := c.use(f); err != nil {
			return err
		}
		at += n
	}
	return nil
}
