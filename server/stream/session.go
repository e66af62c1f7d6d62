package stream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// asFailure returns what a viewer is told of an error.
func asFailure(err error) *Failure {
	var f *Failure
	var corrupt *CorruptError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &corrupt):
		return &Failure{"bad_frame", corrupt.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return &Failure{"no_version", "there is no such version"}
	}
	return &Failure{"internal", "the world cannot be read"}
}

// ReadHello reads the first frame of a connection, and no byte more. Bound how long it may take.
func ReadHello(conn io.Reader) (*Hello, error) {
	var b []byte
	for n := 0; ; {
		b = append(b, 0)
		if _, err := io.ReadFull(conn, b[len(b)-1:]); err != nil {
			return nil, fmt.Errorf("stream: %w", err)
		}
		if n++; b[n-1] < 0x80 || n > 3 {
			break
		}
	}
	r := reader{b: b, part: "length of a frame"}
	n := r.uint()
	if r.err != nil || n == 0 || n > maxClientFrame {
		return nil, &CorruptError{Part: "Hello", Err: fmt.Errorf("a frame of %d bytes", n)}
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	f, err := decodeClient(body[0], body[1:])
	if err != nil {
		return nil, err
	}
	hello, ok := f.(*Hello)
	if !ok {
		return nil, &CorruptError{Part: "Hello", Err: fmt.Errorf("the first frame is of type %d", body[0])}
	}
	return hello, nil
}

// Refuse writes a Failure that says why a connection ends.
func Refuse(conn io.Writer, err error) error {
	_, err = conn.Write(Append(nil, asFailure(err), nil))
	return err
}

// Serve is the session of a viewer whose Hello was read. It returns when the session has ended and
// nothing of it is left, and closes conn. The error is nil if the viewer left. Who calls it checks the
// token of the Hello, and that its world is this one.
func (s *Server) Serve(ctx context.Context, conn Conn, hello *Hello, a Access) error {
	defer conn.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	v, err := s.addViewer(stop, conn, hello, a)
	if err != nil {
		return errors.Join(err, Refuse(conn, err))
	}
	stopped := context.AfterFunc(ctx, func() { conn.Close() })
	defer stopped()
	var wrote error
	done := make(chan struct{})
	go func() {
		defer close(done)
		wrote = v.write(ctx)
		conn.Close()
	}()
	r := bufio.NewReaderSize(conn, 16<<10)
	read := v.read(r)
	if read != nil {
		v.end(asFailure(read))
		io.Copy(io.Discard, r) // until it has read why, or is cut off
	} else {
		stop()
	}
	<-done
	s.removeViewer(v)
	if f := v.reason(); f != nil {
		return f
	}
	return errors.Join(read, wrote)
}

// reason returns why the session ended, nil if the viewer left.
func (v *viewer) reason() *Failure {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failure
}

// addViewer makes the viewer of a session.
func (s *Server) addViewer(stop func(), conn Conn, hello *Hello, a Access) (*viewer, error) {
	if a.Dimension != "" && hello.Dimension != "" && hello.Dimension != a.Dimension {
		return nil, &Failure{"no_dimension", "the token is for another dimension"}
	}
	dimension := hello.Dimension
	if dimension == "" {
		dimension = a.Dimension
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &Failure{"closing", "the server is closing"}
	}
	if len(s.viewers) >= s.o.Viewers {
		return nil, &Failure{"busy", fmt.Sprintf("there are %d viewers already", len(s.viewers))}
	}
	d, err := dimensionOf(s.head.State, dimension)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q", append([]string{d.Name}, hello.Volumes...)) // names may hold any bytes
	g := s.feeds[key]
	if g == nil {
		if g, err = s.openFeed(key, d.Name, hello.Volumes); err != nil {
			return nil, err
		}
		s.feeds[key] = g
		s.shareCache()
	}
	g.viewers++
	v := newViewer(s, g, conn, a.Box)
	v.stop = stop
	if hello.At != "" {
		v.wantVersion, v.wantMove = hello.At, true
	} else {
		v.setScene(g.head.ref())
		v.follow = true
		v.sendWelcome()
	}
	s.viewers = append(s.viewers, v)
	return v, nil
}
