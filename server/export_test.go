package server

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/server/stream"
)

// RouteInfo is a row of the table.
type RouteInfo struct {
	Method, Path string
	Role         token.Role
	Status       int
	Part, Own    bool
	Takes, Gives string // media types
}

// Routes is the table.
func Routes() []RouteInfo {
	var out []RouteInfo
	for _, r := range routes() {
		out = append(out, RouteInfo{r.method, r.path, r.role, r.status, r.part, r.own, r.takes.media, r.gives.media})
	}
	return out
}

// Strangers returns how many addresses are remembered.
func (s *Server) Strangers() int { return s.strangers.Known() }

// Streams returns what the streams counted, and how many worlds are looked at.
func (s *Server) Streams() (stream.Stats, int) { return s.streams.Stats() }

// Calls returns how many calls are in progress, and connections without a token.
func (s *Server) Calls() int64 {
	s.greeting.mu.Lock()
	defer s.greeting.mu.Unlock()
	return s.calls.Load() + s.greeting.all
}

// Queue is a queue of calls, for its test.
type Queue = queue

// NewQueue is newQueue.
var NewQueue = newQueue

// Enter is enter.
func (q *queue) Enter(ctx context.Context, who token.Hash, need int64) (func(), error) {
	return q.enter(ctx, who, need)
}

// Waits returns how many wait.
func (q *queue) Waits() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waits
}

// Busy reports whether the queue holds anything.
func (q *queue) Busy() bool {
	return q.used != share{} || len(q.by)+len(q.turns)+len(q.order)+q.waits > 0
}
