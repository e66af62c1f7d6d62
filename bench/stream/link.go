package stream

import (
	"net"
	"sync/atomic"
	"time"
)

// link is a connection that counts what it reads, and reads no faster than rate bytes a second, if that
// is not 0.
type link struct {
	net.Conn
	rate  float64
	free  time.Time // when the next byte may come
	bytes atomic.Int64
}

// burst is how much of its time a link may lag behind: it is the accuracy of sleeping.
const burst = 2 * time.Millisecond

func (l *link) Read(p []byte) (int, error) {
	if l.rate > 0 {
		p = p[:min(len(p), 1500)]
	}
	n, err := l.Conn.Read(p)
	l.bytes.Add(int64(n))
	if l.rate == 0 {
		return n, err
	}
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * 1e9))
	if wait := l.free.Sub(now); wait > burst {
		time.Sleep(wait)
	}
	return n, err
}
