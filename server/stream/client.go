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
	"sync/atomic"

	"github.com/cairnvoxel/cairn/voxel"
)

// Client keeps a viewer's copy of a world up to date. Any number of goroutines may use it.
type Client struct {
	// Changed, if set, is called after each frame that changes the copy, by who runs Run.
	Changed func(keys []Key)
	// Told, if set, is called with each frame after it was used, by who runs Run.
	Told func(Frame)
	// Memory bounds the bytes of the copy as Viewpoint.Memory counts them. The server is told so, and if there
	// is more all the same, what earlier sessions left goes first, then what seems smallest from the last Viewpoint. 0 is no bound.
	Memory int

	writing sync.Mutex // held while a frame is written
	conn    io.Writer

	changes atomic.Uint64 // rises with each change of what follows

	mu       sync.Mutex
	welcome  *Welcome
	moment   Moment
	names    []clientNames
	number   [][]voxel.Cell // by volume: from the session's numbers to names
	cubes    map[Key]*cube
	lost     []Key // that the server must be told of
	bytes    int
	position [3]float64 // of the last Viewpoint
	last     uint64     // sequence
	acked    int        // bytes since the last Ack
	ackable  int        // frames since
	synced   uint8
}

// Run opens a session on a connection and keeps the copy up to date until the connection ends. The error is
// a *Failure if the server said why. A Client may Run again, on another connection: it claims
// what it still has.
func (c *Client) Run(conn io.ReadWriter, hello Hello, view Viewpoint) error {
	hello.Protocol = Protocol
	if err := c.open(conn, &hello, &view); err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 64<<10)
	var buf []byte
	for {
		kind, payload, err := readFrame(r, &buf, maxServerFrame)
		if err != nil {
			return err
		}
		f, changed, err := c.handle(kind, payload)
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
		if err := c.acknowledge(len(payload), r.Buffered() == 0); err != nil {
			return err
		}
	}
}

// open sends what opens a session. Claims are sent before anything is read.
func (c *Client) open(conn io.Writer, hello *Hello, view *Viewpoint) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.conn = conn
	c.mu.Lock()
	c.endSession()
	c.changes.Add(1)
	c.last, c.acked, c.ackable, c.synced, c.lost = 0, 0, 0, 0, nil
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
	b = Append(b, c.withMemory(view), nil)
	c.mu.Unlock()
	_, err := conn.Write(b)
	return err
}

// withMemory returns a Viewpoint that asks for no more memory than there is.
func (c *Client) withMemory(f Frame) Frame {
	v, ok := f.(*Viewpoint)
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

// acknowledge acknowledges what was read, if it is time to, and drops what is too much.
func (c *Client) acknowledge(n int, idle bool) error {
	c.mu.Lock()
	if c.acked += n; c.welcome == nil || !idle && c.acked < int(c.welcome.Window/4) {
		c.mu.Unlock()
		return nil
	}
	b := c.dropExcess(nil)
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

// distance returns how far away a cube is from the viewer, in edges of the cube.
func (c *Client) distance(k Key) float64 {
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

// dropExcess takes away cubes until the copy fits, and tells of all that are lost.
func (c *Client) dropExcess(b []byte) []byte {
	lost := slices.DeleteFunc(c.lost, func(k Key) bool { return c.cubes[k] != nil })
	c.lost = nil
	if c.Memory > 0 && c.bytes > c.Memory {
		keys := slices.Collect(maps.Keys(c.cubes))
		slices.SortFunc(keys, func(a, b Key) int {
			if old := c.cubes[a].old; old != c.cubes[b].old {
				return map[bool]int{true: -1, false: 1}[old]
			}
			return cmp.Compare(c.distance(b), c.distance(a))
		})
		for n := 0; n < len(keys) && c.bytes > c.Memory/10*9; n++ {
			c.remove(keys[n])
			lost = append(lost, keys[n])
		}
		c.changes.Add(1)
	}
	for some := range slices.Chunk(lost, 4000) {
		b = Append(b, &Dropped{c.last, some}, nil)
	}
	return b
}

// Send sends a Viewpoint or an At.
func (c *Client) Send(f Frame) error {
	if v, ok := f.(*Viewpoint); ok {
		c.mu.Lock()
		c.position = v.Position
		c.mu.Unlock()
	}
	return c.write(Append(nil, c.withMemory(f), nil))
}

// handle uses a frame.
func (c *Client) handle(kind byte, payload []byte) (Frame, []Key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var volumes []ShownVolume
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
	changed, err := c.apply(f)
	c.changes.Add(1)
	return f, changed, err
}

func (c *Client) apply(f Frame) (changed []Key, err error) {
	switch f := f.(type) {
	case *Welcome:
		return c.applyWelcome(f)
	case *NumberNames:
		return c.applyNames(f), nil
	case *Cubes:
		for i := range f.Cubes {
			if err := c.applyCube(&f.Cubes[i]); err != nil {
				return nil, err
			}
			changed = append(changed, f.Cubes[i].Key)
		}
		return changed, c.checkSequence(f.Sequence)
	case *Edits:
		for i := range f.Edits {
			if err := c.applyEdit(&f.Edits[i]); err != nil {
				return nil, err
			}
			changed = append(changed, f.Edits[i].Key)
		}
		return changed, c.checkSequence(f.Sequence)
	case *Forget:
		for _, k := range f.Keys {
			c.remove(k)
		}
		return f.Keys, c.checkSequence(f.Sequence)
	case *Now:
		c.moment, c.synced = f.Moment, 0
	case *Synced:
		c.synced = max(c.synced, f.Stage)
	}
	return nil, nil
}

func (c *Client) checkSequence(sequence uint64) error {
	if sequence != c.last+1 {
		return &CorruptError{Part: "sequence", Err: fmt.Errorf("%d after %d", sequence, c.last)}
	}
	c.last = sequence
	c.ackable++
	return nil
}
