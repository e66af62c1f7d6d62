package crowd

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/server/stream"
)

// socket is the client's end of a WebSocket, for viewers that do what they should not. Read
// returns the bytes of binary messages. Write sends one.
type socket struct {
	net.Conn
	in   *bufio.Reader
	left int64 // of the message that is being read
}

// upgrade makes a connection a WebSocket.
func (a *abuse) upgrade(ctx context.Context) (*socket, error) {
	c, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(a.until) // an error shows when it is used
	_, err = fmt.Fprintf(c, "GET /v1/stream HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n", a.host)
	s := &socket{Conn: c, in: bufio.NewReaderSize(c, 4<<10)}
	var resp *http.Response
	if err == nil {
		resp, err = http.ReadResponse(s.in, nil)
	}
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		err = fmt.Errorf("crowd: /v1/stream answers %s", resp.Status)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return s, nil
}

// The kinds of a WebSocket's messages.
const (
	wsBinary = 2
	wsClose  = 8
	wsPing   = 9
)

// Write sends a message. Its mask is 0.
func (s *socket) Write(b []byte) (int, error) {
	if _, err := s.Conn.Write(append(wsHead(wsBinary, len(b)), b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// wsHead begins a masked message.
func wsHead(kind byte, n int) []byte {
	out := []byte{0x80 | kind, 0x80 | 126}
	switch {
	case n < 126:
		out[1] = 0x80 | byte(n)
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(out, uint16(n))
	default:
		out[1] = 0x80 | 127
		out = binary.BigEndian.AppendUint64(out, uint64(n))
	}
	return append(out, 0, 0, 0, 0)
}

// Read reads of the binary messages, and answers pings.
func (s *socket) Read(b []byte) (int, error) {
	for s.left == 0 {
		var head [2]byte
		if _, err := io.ReadFull(s.in, head[:]); err != nil {
			return 0, err
		}
		n := int64(head[1] & 127)
		if n >= 126 {
			long := make([]byte, 2+6*(n-126))
			if _, err := io.ReadFull(s.in, long); err != nil {
				return 0, err
			}
			n = int64(binary.BigEndian.Uint64(append(make([]byte, 8-len(long)), long...)))
		}
		switch head[0] & 15 {
		case wsClose:
			return 0, io.EOF
		case wsPing:
			text := make([]byte, n)
			if _, err := io.ReadFull(s.in, text); err != nil {
				return 0, err
			}
			if _, err := s.Conn.Write(append(wsHead(wsPing+1, len(text)), text...)); err != nil {
				return 0, err
			}
		default:
			s.left = n
		}
	}
	n, err := s.in.Read(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	return n, err
}

// AbuseViews is what became of hostile viewers.
type AbuseViews struct {
	Viewers int `json:"viewers"` // at a time
	Begun   int `json:"begun"`   // sessions
	Refused int `json:"refused"` // sessions that the server did not begin
	Ended   int `json:"ended"`   // sessions that the server ended
	// A good viewer begins a session each second, and waits until it has seen the whole.
	Probes      int     `json:"probes"`
	ProbeErrors int     `json:"probe_errors"`
	ProbeError  string  `json:"probe_error,omitempty"` // the first
	ProbeP50    float64 `json:"probe_p50_ms"`
	ProbeP99    float64 `json:"probe_p99_ms"`
}

// views has n hostile viewers at a time until ctx ends.
func (a *abuse) views(ctx context.Context, n int) AbuseViews {
	v := AbuseViews{Viewers: n}
	var begun, refused, ended atomic.Int64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			random := rand.New(rand.NewPCG(a.o.Seed, uint64(1<<32+i)))
			for ctx.Err() == nil {
				s, err := a.upgrade(ctx)
				switch {
				case ctx.Err() != nil:
				case err != nil:
					refused.Add(1)
				default:
					begun.Add(1)
					hostile[i%len(hostile)](ctx, a, s, random)
					if ctx.Err() == nil {
						ended.Add(1)
					}
				}
				if s != nil {
					_ = s.Close() // nothing is wanted of it any more
				}
				sleep(ctx, time.Second/4)
			}
		})
	}
	all.Wait()
	v.Begun, v.Refused, v.Ended = int(begun.Load()), int(refused.Load()), int(ended.Load())
	return v
}

// abuseSeen is how many worlds hostile viewers look at. A server shows 64 at a time, and a token
// may take half of its viewers; here all callers are admins.
const abuseSeen = 24

// opening returns the frames that open a session of a world.
func (a *abuse) opening(random *rand.Rand) []byte {
	b := stream.Append(nil, &stream.Hello{Protocol: stream.Protocol, World: nameOf(random.IntN(abuseSeen))}, nil)
	return stream.Append(b, wideView(random), nil)
}

func wideView(random *rand.Rand) *stream.Viewpoint {
	return &stream.Viewpoint{Position: [3]float64{random.Float64() * 64, 70, random.Float64() * 64}, Direction: [3]float32{1, 0, 0},
		Pixels: 1000, Error: 1, Radius: 4096, Memory: 1 << 30}
}

// hostile are the ways of bad viewers. Each returns when the server has ended the session, or ctx.
var hostile = []func(ctx context.Context, a *abuse, s *socket, random *rand.Rand){
	// It says nothing.
	func(_ context.Context, _ *abuse, s *socket, _ *rand.Rand) { _, _ = io.Copy(io.Discard, s) },
	// It reads a byte a second.
	func(ctx context.Context, a *abuse, s *socket, random *rand.Rand) {
		_, err := s.Write(a.opening(random))
		for b := make([]byte, 1); err == nil && ctx.Err() == nil; sleep(ctx, time.Second) {
			_, err = s.Read(b)
		}
	},
	// It reads everything and acknowledges nothing.
	func(_ context.Context, a *abuse, s *socket, random *rand.Rand) {
		if _, err := s.Write(a.opening(random)); err == nil {
			_, _ = io.Copy(io.Discard, s)
		}
	},
	// It garbles frames.
	func(ctx context.Context, a *abuse, s *socket, random *rand.Rand) {
		b := a.opening(random)
		if random.IntN(2) == 0 {
			b = mutated(random, b)
		}
		a.pour(ctx, s, b, func() []byte {
			b := stream.Append(nil, wideView(random), nil)
			b = stream.Append(b, &stream.Ack{Sequence: random.Uint64N(1 << 20)}, nil)
			return mutated(random, stream.Append(b, &stream.At{Version: "1"}, nil))
		})
	},
	// It claims what nobody has, and is where nobody can be.
	func(ctx context.Context, a *abuse, s *socket, random *rand.Rand) {
		a.pour(ctx, s, a.opening(random), func() []byte {
			have := &stream.Have{}
			for range 2500 {
				have.Claims = append(have.Claims, stream.Claim{Key: keyOf(random), Version: random.Uint64()})
			}
			b := stream.Append(nil, have, nil)
			b = stream.Append(b, &stream.Dropped{Sequence: random.Uint64(), Keys: []stream.Key{keyOf(random)}}, nil)
			v := wideView(random)
			far := []float64{math.MaxFloat64, math.Inf(1), math.NaN(), -1e300, 1e9, 0}
			v.Position = [3]float64{far[random.IntN(len(far))], far[random.IntN(len(far))], 0}
			v.Radius, v.Pixels, v.Memory, v.Rate = float32(far[random.IntN(len(far))]), math.MaxFloat32, math.MaxUint64, random.Uint64N(2)
			return stream.Append(b, v, nil)
		})
	},
	// It announces a frame, or a message, of an exabyte.
	func(ctx context.Context, a *abuse, s *socket, random *rand.Rand) {
		if random.IntN(2) == 0 {
			a.pour(ctx, s, binary.AppendUvarint(nil, 1<<60), func() []byte { return make([]byte, 64<<10) })
			return
		}
		head := wsHead(wsBinary, math.MaxInt64)
		if _, err := s.Conn.Write(head); err == nil {
			for zeros := make([]byte, 64<<10); err == nil && ctx.Err() == nil; {
				_, err = s.Conn.Write(zeros)
			}
		}
	},
	// It looks elsewhere, and at another version, as often as it can.
	func(ctx context.Context, a *abuse, s *socket, random *rand.Rand) {
		a.pour(ctx, s, a.opening(random), func() []byte {
			b := stream.Append(nil, wideView(random), nil)
			return stream.Append(b, &stream.At{Version: []string{"", "1", "2", "none"}[random.IntN(4)]}, nil)
		})
	},
}

func keyOf(random *rand.Rand) stream.Key {
	n := func() int32 { return random.Int32N(1<<20) - 1<<19 }
	return stream.Key{Level: uint8(random.IntN(stream.MaxLevel + 1)), X: n(), Y: n(), Z: n()}
}

// pour sends first, and then what next returns, until the connection or ctx ends. It reads
// everything.
func (a *abuse) pour(ctx context.Context, s *socket, first []byte, next func() []byte) {
	go io.Copy(io.Discard, s) // ends when s is closed
	_, err := s.Write(first)
	for err == nil && ctx.Err() == nil {
		_, err = s.Write(next())
		sleep(ctx, time.Second/50)
	}
}

// look is a good viewer each second, until ctx ends.
func (a *abuse) look(ctx context.Context, v *AbuseViews) (times []float64) {
	random := rand.New(rand.NewPCG(a.o.Seed, 3))
	for ctx.Err() == nil {
		start := time.Now()
		err := a.see(ctx, nameOf(abuseWorlds+random.IntN(abuseWorlds)))
		if ctx.Err() != nil {
			break // it was under way
		}
		v.Probes++
		times = append(times, time.Since(start).Seconds()*1000)
		if err != nil {
			if v.ProbeErrors++; v.ProbeError == "" {
				v.ProbeError = err.Error()
			}
		}
		sleep(ctx, time.Second-time.Since(start))
	}
	return times
}

// see shows a world until the viewer has all of it.
func (a *abuse) see(ctx context.Context, name string) error {
	s, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	c := &stream.Client{}
	seen := false
	c.Told = func(f stream.Frame) {
		if f, ok := f.(*stream.Synced); ok && f.Stage == 2 {
			seen = true
			_ = s.Conn.SetReadDeadline(time.Now()) // ends Run
		}
	}
	err = c.Run(s, stream.Hello{World: name}, stream.Viewpoint{Position: [3]float64{32, 80, 32}, Direction: [3]float32{0, -1, 0}, Pixels: 1000, Error: 4, Radius: 256, Memory: 64 << 20})
	if seen {
		return nil
	}
	return fmt.Errorf("crowd: the view of %s is never whole: %w", name, err)
}
