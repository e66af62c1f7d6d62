package server

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/zipped"
	"github.com/cairnvoxel/cairn/store/history"
)

// transport is what calls need to receive their bodies and to send their answers.
type transport struct {
	limits  Limits
	memory  limits.Memory // of bodies, and of stones that come with stacks
	log     faultLog
	observe func(*Event) // nil for none
	origins []string     // Options.Origins
	// settle makes versions of what waits in the inbox of a world.
	settle func(ctx context.Context, world string) error
}

// call is one call in progress. One goroutine uses it. It is the
// http.ResponseWriter that routes write their answer to.
type call struct {
	*transport
	caller
	w     http.ResponseWriter
	r     *http.Request
	route *route
	allow string // methods of the path, if the call uses another
	name  string // of the world
	id    string // in the path
	query url.Values
	began time.Time
	// ctx ends when the caller has gone or the call takes too long.
	ctx     context.Context
	cancel  context.CancelFunc
	started time.Time
	place   place // among the calls at a time

	in      body
	held    int64        // of the memory
	spooled atomic.Int64 // bytes of this call in files
	sent    bool         // the answer's header
	status  int
	code    wire.Code      // of a refusal
	out     int64          // bytes of the answer
	zip     *zipped.Stream // of an answer in parts, if it is compressed
	paced   int64          // value of out when the deadline was last moved

	steps    []metrics.Timing
	lastStep time.Time // end of the last Timing
	stones   int
	stale    bool // the answer is old, because the Store is away
}

// negotiate says which headers of the call the form of an answer depends on.
func (c *call) negotiate() {
	if c.route.also.media == wire.RecordsType {
		c.varyBy("Accept")
	}
	if media := c.route.gives.media; media == jsonType || media == text.media {
		c.varyBy("Accept-Encoding")
	}
}

// start starts the time limit of the call.
func (c *call) start() {
	limit := c.limits.Time
	if c.route.long {
		limit = c.limits.Longest
		c.writeBy(time.Now().Add(limit + c.limits.Patience)) // HTTP/2 ends a call whose write is late
	}
	c.started = time.Now()
	c.ctx, c.cancel = context.WithTimeout(c.r.Context(), limit)
}

// restart starts the time limit again after the body has arrived; the body has a
// limit of its own.
func (c *call) restart() {
	if time.Since(c.started) > time.Second {
		c.cancel()
		c.start()
	}
}

// parseQuery accepts only parameters that the route knows, each at most once, and numbers within
// their bounds.
func (c *call) parseQuery() (err error) {
	if c.r.URL.RawQuery == "" || c.route.path == "" { // pages read their own
		return nil
	}
	c.query, err = url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return bad("the query cannot be read")
	}
	for key, values := range c.query {
		p := c.route.param(key)
		switch {
		case p == nil:
			return bad("this route has no query parameter %.40q", key)
		case len(values) != 1:
			return bad("query parameter %.40q is given more than once", key)
		case p.Least != p.Most:
			if n, err := strconv.ParseInt(values[0], 10, 64); err != nil || n < p.Least || n > p.Most {
				return bad("%s=%.40q: want a number from %d to %d", key, values[0], p.Least, p.Most)
			}
		}
	}
	return nil
}

// number returns a parameter of the query that is a number, or standard if it is missing.
func (c *call) number(key string, standard int64) int64 {
	if n, err := strconv.ParseInt(c.query.Get(key), 10, 64); err == nil {
		return n
	}
	return standard // parseQuery refused all other texts
}

// commitID returns a query parameter that is the whole id of a commit, or zero if
// it is missing.
func (c *call) commitID(key string) (history.ID, error) {
	s := c.query.Get(key)
	if s == "" {
		return history.ID{}, nil
	}
	id, err := history.ParseID(s)
	switch {
	case err != nil:
		return id, bad("%s=%.80q: want the %d hex digits of a commit", key, s, 2*len(id))
	case id == (history.ID{}): // zero means that the parameter is missing
		return id, history.ErrNoCommit
	}
	return id, nil
}

// match returns the commit in If-Match, nil if the header is missing. It may be any ETag that
// names the commit.
func (c *call) match() (*history.ID, error) {
	h := c.r.Header["If-Match"]
	if len(h) == 0 {
		return nil, nil
	}
	s, ok := strings.CutPrefix(h[0], `"`)
	s, closed := strings.CutSuffix(s, `"`)
	s, _, _ = strings.Cut(s, "-")
	if ok && closed && len(h) == 1 {
		if s == none {
			return new(history.ID), nil
		}
		if id, err := history.ParseID(s); err == nil {
			return &id, nil
		}
	}
	return nil, bad(`If-Match: want one commit's id in quotes, "0" for none`)
}

// fence returns the fence in Cairn-Fence, 0 if the header is missing.
func (c *call) fence() (uint64, error) {
	h := c.r.Header[wire.FenceHeader]
	switch {
	case len(h) == 0:
		return 0, nil
	case len(h) > 1:
		return 0, bad("%s is given more than once", wire.FenceHeader)
	case h[0] == wire.ForceFence && c.role < token.Admin:
		return 0, refuse("only admins may force a change")
	case h[0] == wire.ForceFence:
		return history.Force, nil
	}
	n, err := strconv.ParseUint(h[0], 10, 64)
	if err != nil || n == history.Force {
		return 0, bad("%s: want the number of a lease", wire.FenceHeader)
	}
	return n, nil
}

// conditions returns match and fence.
func (c *call) conditions() (on *history.ID, fence uint64, err error) {
	if fence, err = c.fence(); err == nil {
		on, err = c.match()
	}
	return on, fence, err
}

// expect compares If-Match, if it is there, with the head.
func (c *call) expect() error {
	want, err := c.match()
	if err != nil || want == nil {
		return err
	}
	h, err := c.st.Head(c.ctx, c.name)
	if err == nil && h.Commit != *want {
		err = history.ErrConflict
	}
	return err
}

// fenced returns the fence of a call, after it checked If-Match.
func (c *call) fenced() (uint64, error) {
	fence, err := c.fence()
	if err == nil {
		err = c.expect()
	}
	return fence, err
}

// json reads the body: one JSON value without unknown fields, of at most that many bytes.
func (c *call) json(most int64, to any) error {
	text, err := c.readAll(most)
	if err != nil {
		return err
	}
	return cells.DecodeJSON(text, to)
}

// step records how long a part of the work took, for Observe.
func (c *call) step(name string) {
	if c.observe == nil {
		return
	}
	now := time.Now()
	c.steps = append(c.steps, metrics.Timing{Name: name, Took: now.Sub(c.lastStep)})
	c.lastStep = now
}

// end releases what the call holds.
func (c *call) end() {
	c.release()
	if c.r.ContentLength != 0 && !c.in.ended {
		// Read a little of the rest of the body, so that the connection stays
		// usable.
		c.readBy(time.Now().Add(c.limits.Patience))
	}
	c.place.leave()
	if c.observe == nil {
		return
	}
	e := Event{
		World: c.name, Status: c.status, Code: c.code, Took: time.Since(c.began),
		In: c.in.n, Out: c.out, Steps: c.steps, Stones: c.stones, Stale: c.stale,
	}
	if c.route != nil {
		e.Route = c.route.label
	}
	c.observe(&e)
}

// caller is who makes a call.
type caller struct {
	token *token.Grant  // nil without tokens
	role  token.Role    // what the caller may do
	st    history.Store // under the limits of the token
}

// who is whom queues count the call for: its token, or zero without tokens.
func (c *caller) who() (h limits.Caller) {
	if c.token != nil {
		h = c.token.Hash
	}
	return h
}

// everywhere reports whether the caller may use all names.
func (c *caller) everywhere() bool { return c.token == nil || len(c.token.Prefixes) == 0 }

// reach returns an error unless the caller's token is for this world.
func (c *caller) reach(name string) error {
	if c.token != nil && !c.token.Reaches(name) {
		return refuse("the token is for other names")
	}
	return nil
}

// other checks a name in a body.
func (c *caller) other(name string) error {
	if err := history.CheckName(name); err != nil {
		return err
	}
	return c.reach(name)
}

// other checks the name of a world that the call is about, and makes a version of what waits for it.
func (c *call) other(name string) error {
	if err := c.caller.other(name); err != nil {
		return err
	}
	return c.settle(c.r.Context(), name)
}

// note checks the message and the author of a commit, and returns who it is by: whom the call
// names, else the note of its token.
func (c *caller) note(message, author string) (by string, err error) {
	if author == "" && c.token != nil {
		author = strings.ToValidUTF8(c.token.Note[:min(len(c.token.Note), history.MaxAuthor)], "")
	}
	if len(message) > history.MaxMessage || len(author) > history.MaxAuthor {
		return "", bad("message at most %d bytes, author at most %d", history.MaxMessage, history.MaxAuthor)
	}
	if !utf8.ValidString(message) || !utf8.ValidString(author) {
		return "", bad("message and author must be UTF-8")
	}
	return author, nil
}
