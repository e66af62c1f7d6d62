package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// HTTP returns an http.Server with timeouts and bounds for a public address. The
// caller serves with it, on the result of Listen, and shuts it down. With TLS it
// also uses HTTP/2.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      s.limits.Patience + s.limits.Time, // longer calls extend it
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    s.limits.HeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 128, MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 256 << 10},
		ErrorLog:          s.httpLog(),
	}
}

// Listen is net.Listen for TCP with at most Limits.Connections open connections.
// More connections wait to be accepted.
func (s *Server) Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, free: make(chan struct{}, s.limits.Connections), closed: make(chan struct{})}, nil
}

type listener struct {
	net.Listener
	free   chan struct{} // one element for each open connection
	once   sync.Once
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &conn{Conn: c, leave: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// conn is a connection that makes room for another when it is closed.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
