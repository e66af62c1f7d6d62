package server

import (
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
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
	s, err := New(memory.New(memory.Options{}), Options{})
	if err != nil {
		panic(err)
	}
	var out []RouteInfo
	for _, r := range s.table.all {
		out = append(out, RouteInfo{r.method, r.path, r.role, r.status, r.part, r.own, r.takes.media, r.gives.media})
	}
	return out
}

// Strangers returns how many addresses are remembered.
func (s *Server) Strangers() int { return s.door.strangers.Known() }

// Streams returns what the streams counted, and how many worlds are looked at.
func (s *Server) Streams() (stream.Stats, int) { return s.streams.hub.Stats() }

// Calls returns how many calls are in progress, and connections without a token.
func (s *Server) Calls() int64 { return s.door.calls.Load() + s.door.greetings.Waiting() }
