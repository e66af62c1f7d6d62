package limits

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Listen is net.Listen for TCP with at most so many open connections, of
// which one address has at most half. A new connection beyond that takes the place of the
// oldest one that waits for a call, of its own address or of the one with the most; if
// none waits, it is closed, or waits itself to be accepted.
func Listen(addr string, most int) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	own := &listener{Listener: l, most: most, each: max(most/2, min(most, fewConnections)), by: make(map[Caller]*address)}
	own.room.L = &own.mu
	return own, nil
}

// fewConnections are so few that one address may have all of them.
const fewConnections = 16

type listener struct {
	net.Listener
	most, each int

	mu     sync.Mutex // guards what follows
	room   sync.Cond  // a connection was closed, or the listener
	open   int
	by     map[Caller]*address
	closed bool
}

// address is an address with open connections.
type address struct {
	open    int
	waiting list.List // of *conn, those that wait for a call; the oldest first
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		own := &conn{Conn: c, l: l, key: AddressKey(c.RemoteAddr().String())}
		if l.admit(own) {
			return own, nil
		}
		_ = c.Close() // nobody has heard of it
	}
}

// admit makes room for a connection, unless its address has too many.
func (l *listener) admit(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		from := l.by[c.key]
		switch {
		case l.closed:
			return false
		case from != nil && from.open >= l.each && l.each < l.most:
			if !l.end(from) {
				return false
			}
		case l.open < l.most:
			if from == nil {
				from = new(address)
				l.by[c.key] = from
			}
			from.open++
			l.open++
			return true
		default:
			var largest *address
			for _, a := range l.by {
				if a.waiting.Len() > 0 && (largest == nil || a.open > largest.open) {
					largest = a
				}
			}
			if largest == nil {
				l.room.Wait()
			} else {
				l.end(largest)
			}
		}
	}
}

// end closes the oldest connection of an address that waits for a call. It reports
// whether there was one.
func (l *listener) end(a *address) bool {
	oldest := a.waiting.Front()
	if oldest == nil {
		return false
	}
	c := oldest.Value.(*conn)
	l.wait(c, false)
	l.mu.Unlock()
	_ = c.Close() // it is given up
	l.mu.Lock()
	return true
}

// wait notes whether a connection waits for a call.
func (l *listener) wait(c *conn, waits bool) {
	a := l.by[c.key]
	if c.at != nil {
		a.waiting.Remove(c.at)
		c.at = nil
	}
	if waits && a != nil && !c.gone {
		c.at = a.waiting.PushBack(c)
	}
}

func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.gone {
		return
	}
	l.wait(c, false)
	c.gone = true
	l.open--
	if a := l.by[c.key]; a.open > 1 {
		a.open--
	} else {
		delete(l.by, c.key)
	}
	l.room.Broadcast()
}

func (l *listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// conn is a connection that makes room for another when it is closed.
type conn struct {
	net.Conn
	l    *listener
	key  Caller
	at   *list.Element // in the waiting ones of its address; guarded by the listener
	gone bool          // guarded by the listener
}

func (c *conn) Close() error {
	defer c.l.leave(c)
	return c.Conn.Close()
}

// ConnState is for http.Server.ConnState of a server on such a listener.
func ConnState(c net.Conn, state http.ConnState) {
	if over, is := c.(*tls.Conn); is {
		c = over.NetConn()
	}
	if own, is := c.(*conn); is {
		own.l.mu.Lock()
		defer own.l.mu.Unlock()
		own.l.wait(own, state == http.StateNew || state == http.StateIdle)
	}
}
