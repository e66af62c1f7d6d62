package streams

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// lastWords is how long a connection that ends may take to send what was written, and to
// say goodbye.
const lastWords = time.Second

// pingEvery is how often a viewer is asked whether it is still there. Proxies close
// connections that are silent.
const pingEvery = 25 * time.Second

// Socket is the connection of a WebSocket. A Write is one binary message; a message of text
// is an error. Close ends Reads and Writes under way, at the latest after a second.
type Socket struct {
	net.Conn
	ws     *websocket.Conn
	raw    *ending
	cancel context.CancelFunc
	once   sync.Once
	closed chan struct{}
}

// Accept makes the connection of a call a WebSocket. The caller has checked who calls and
// closes the Socket. If it fails, it has answered.
func Accept(w http.ResponseWriter, r *http.Request) (*Socket, error) {
	catch := &catcher{ResponseWriter: w}
	// The caller has checked Origin.
	ws, err := websocket.Accept(catch, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Socket{Conn: websocket.NetConn(ctx, ws, websocket.MessageBinary), ws: ws, raw: catch.conn, cancel: cancel, closed: make(chan struct{})}, nil
}

// catcher keeps the connection that a WebSocket takes over.
type catcher struct {
	http.ResponseWriter
	conn *ending
}

func (c *catcher) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(c.ResponseWriter).Hijack()
	c.conn = &ending{Conn: conn}
	c.conn.left.Store(lastBytes)
	return c.conn, rw, err
}

// lastBytes is how much is read of a peer while it is told goodbye: its own goodbye, and what
// was under way.
const lastBytes = 64 << 10

// ending is a connection of which little is read once it ends, so that a peer that goes on sending
// costs nothing.
type ending struct {
	net.Conn
	ends atomic.Bool
	left atomic.Int64
}

// Read reads up to len(b) bytes.
func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Conn.Read(b)
	if e.ends.Load() && e.left.Add(-int64(n)) < 0 {
		return 0, net.ErrClosed
	}
	return n, err
}

// Close is for io.Closer.
func (s *Socket) Close() error {
	s.once.Do(func() {
		s.raw.ends.Store(true)
		cut := time.AfterFunc(lastWords, func() { _ = s.raw.Close() })
		go func() {
			defer close(s.closed)
			_ = s.ws.Close(websocket.StatusNormalClosure, "") // the peer may be gone
			cut.Stop()
			s.cancel()
			_ = s.raw.Close()
		}()
	})
	return nil
}

// Wait waits until nothing of a closed Socket is left.
func (s *Socket) Wait() { <-s.closed }

// Ping asks the peer now and then whether it is there, until ctx ends, and closes the Socket if
// it does not answer within patience. Somebody must read meanwhile.
func (s *Socket) Ping(ctx context.Context, patience time.Duration) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		in, cancel := context.WithTimeout(ctx, patience)
		err := s.ws.Ping(in)
		cancel()
		if err != nil {
			_ = s.Close()
			return
		}
	}
}
