package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/operations"
)

// eventStream is the type of a stream of server-sent events.
const eventStream = "text/event-stream"

// EventsRoute is the route of Events whose calls are long because they wait.
const EventsRoute = "GET /v1/events/NAME"

// eventsEvery is how often a stream looks what operations did. What happens in between is one
// event, so that a stream costs an operation nothing.
const eventsEvery = 100 * time.Millisecond

// events sends a stream of events. One that begins, or begins again, first tells how the
// operations are now, so that a caller who lost it has missed nothing that counts.
func (h *restores) events(c *call) error {
	id := c.query.Get("operation")
	if id != "" && h.running.Find(c.name, id) == nil {
		return noOperation(id)
	}
	if _, err := c.st.Head(c.ctx, c.name); id == "" && err != nil {
		return err
	}
	if c.r.Method == http.MethodHead {
		return c.finish(http.StatusOK, eventStream, nil)
	}
	s := eventWriter{c: c, of: h.running, told: make(map[*operations.Operation][]byte)}
	for _, op := range h.running.Of(c.name) {
		if op.Ended() && op.ID != id {
			s.told[op] = nil // it ended before
		}
	}
	s.buf.WriteString("retry: 1000\n\n")
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	good := h.door.staysGood(c)
	for {
		ended, err := s.look(id)
		if err == nil {
			err = s.send()
		}
		if err != nil || ended {
			return err
		}
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			return nil // the caller has gone, or asks again
		}
		if h.draining.Load() || good != nil && !good() {
			return nil // who asks again is told why
		}
	}
}

// eventWriter writes a stream of events.
type eventWriter struct {
	c      *call
	of     *operations.List
	told   map[*operations.Operation][]byte // what was said last; nil: nothing is to be said
	failed map[*operations.Operation]int
	number int
	buf    bytes.Buffer
	sent   time.Time
}

// look adds what has changed since the last look. It reports whether the operation that the
// caller asks for has ended.
func (s *eventWriter) look(id string) (ended bool, err error) {
	for _, op := range s.of.Of(s.c.name) {
		last, known := s.told[op]
		if id != "" && id != op.ID || known && last == nil {
			continue
		}
		over := op.Ended() // before the answer, which then is the last one
		a := answerOf(op)
		now, err := json.Marshal(a)
		if err != nil {
			return false, err
		}
		if !known {
			s.add("begun", now)
		}
		switch {
		case over:
			s.add("done", now)
			s.told[op] = nil
			ended = ended || id != ""
			continue
		case known && a.Failed > s.failed[op]:
			s.add("failed", now)
		case known && !bytes.Equal(now, last):
			s.add("chunk", now)
		}
		s.told[op] = now
		if s.failed == nil {
			s.failed = make(map[*operations.Operation]int)
		}
		s.failed[op] = a.Failed
	}
	return ended, nil
}

func (s *eventWriter) add(event string, data []byte) {
	s.number++
	fmt.Fprintf(&s.buf, "id: %d\nevent: %s\ndata: %s\n\n", s.number, event, data)
}

// send sends what was added, or a heartbeat if it is time for one.
func (s *eventWriter) send() error {
	c := s.c
	if s.buf.Len() == 0 {
		if time.Since(s.sent) < c.limits.Heartbeat {
			return nil
		}
		s.buf.WriteString(": still here\n\n")
	}
	s.sent = time.Now()
	b := s.buf.Bytes()
	c.writeBy(s.sent.Add(c.limits.Patience))
	err := c.part(eventStream, &b)
	s.buf.Reset()
	if err == nil {
		err = http.NewResponseController(c.w).Flush()
	}
	return err
}
