package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// HTTP returns an http.Server with the timeouts and bounds that a place that
// strangers reach needs. The caller serves with it, on what Listen returns, and
// shuts it down. With TLS it speaks HTTP/2 too.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      s.limits.Patience + s.limits.Time, // those that take longer extend it
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    s.limits.HeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 128, MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 256 << 10},
		ErrorLog:          s.httpLog(),
	}
}

// Listen is net.Listen for TCP, with Limits.Connections open at most: more wait
// to be accepted.
func (s *Server) Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, free: make(chan struct{}, s.limits.Connections), closed: make(chan struct{})}, nil
}

type listener struct {
	net.Listener
	free   chan struct{} // holds one for each connection
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

// conn is a connection that makes place for another when it is closed.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
