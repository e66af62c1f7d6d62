package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/strictjson"
	"github.com/cairnvoxel/cairn/internal/zipped"
	"github.com/cairnvoxel/cairn/store/history"
)

// call is one call in progress. One goroutine uses it. It is the
// http.ResponseWriter that routes write their answer to.
type call struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	route *route
	allow string        // methods of the path, if the call uses another
	token *token.Grant  // nil without tokens
	st    history.Store // the Server's, under the limits of the token
	name  string        // of the world
	id    string        // in the path
	query url.Values
	began time.Time
	// ctx ends when the caller has gone or the call takes too long.
	ctx        context.Context
	cancel     context.CancelFunc
	started    time.Time
	counted    bool         // it is in Server.calls
	countedFor *token.Grant // whose Calls count it, nil for none

	in      body
	held    int64        // of the Server's memory
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

// work is serve, but it turns a panic into an error.
func (c *call) work() (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			err = fmt.Errorf("server: panic: %v\n%s", v, debug.Stack())
		}
	}()
	return c.serve()
}

// serve finds the route, checks the caller and runs the route.
func (c *call) serve() error {
	c.permit()
	if err := c.find(); err != nil {
		if c.allow != "" && c.preflight() {
			return nil
		}
		return err
	}
	if err := c.admit(); err != nil {
		return err
	}
	c.negotiate()
	if c.r.URL.RawQuery != "" && c.route != &pageRoute {
		if err := c.parseQuery(); err != nil {
			return err
		}
	}
	if c.route.changes() {
		if !c.enter() {
			return fault(wire.Draining, "the server is shutting down")
		}
		defer c.leave()
	}
	c.start()
	defer func() { c.cancel() }()
	c.step("admit")
	return c.route.serve(c)
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

// parseQuery accepts only parameters that the route knows, each at most once.
func (c *call) parseQuery() (err error) {
	c.query, err = url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return bad("the query cannot be read")
	}
	for key, values := range c.query {
		switch {
		case !c.route.knows(key):
			return bad("this route has no query parameter %.40q", key)
		case len(values) != 1:
			return bad("query parameter %.40q is given more than once", key)
		}
	}
	return nil
}

func (r *route) knows(key string) bool {
	for _, p := range r.query {
		if p.Name == key {
			return true
		}
	}
	return false
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

// match returns the commit in If-Match, and whether the header is there. It may be any ETag that
// names the commit.
func (c *call) match() (id history.ID, given bool, err error) {
	h := c.r.Header["If-Match"]
	if len(h) == 0 {
		return id, false, nil
	}
	s, ok := strings.CutPrefix(h[0], `"`)
	s, closed := strings.CutSuffix(s, `"`)
	s, _, _ = strings.Cut(s, "-")
	if ok && closed && len(h) == 1 {
		if s == none {
			return id, true, nil
		}
		if id, err = history.ParseID(s); err == nil {
			return id, true, nil
		}
	}
	return id, false, bad(`If-Match: want one commit's id in quotes, "0" for none`)
}

// fence returns the fence in Cairn-Fence, 0 if the header is missing.
func (c *call) fence() (uint64, error) {
	h := c.r.Header[wire.FenceHeader]
	switch {
	case len(h) == 0:
		return 0, nil
	case len(h) > 1:
		return 0, bad("%s is given more than once", wire.FenceHeader)
	case h[0] == wire.ForceFence && !c.may(Admin):
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

// expect compares If-Match, if it is there, with the head.
func (c *call) expect() error {
	want, given, err := c.match()
	if err != nil || !given {
		return err
	}
	h, err := c.st.Head(c.ctx, c.name)
	if err == nil && h.Commit != want {
		err = history.ErrConflict
	}
	return err
}

// json reads the body: one JSON value without unknown fields.
func (c *call) json(to any) error { return c.jsonWithin(c.limits.JSONBytes, to) }

// jsonWithin is json for a body of at most that many bytes.
func (c *call) jsonWithin(most int64, to any) error {
	from, err := c.body(most, true)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return bad("the body is not UTF-8") // encoding/json would change the text silently
	}
	if err := strictjson.Decode(text, to); err != nil {
		return bad("the body is not the expected JSON: %v", err)
	}
	return nil
}

// step records how long a part of the work took, for Observe.
func (c *call) step(name string) {
	if c.o.Observe == nil {
		return
	}
	now := time.Now()
	c.steps = append(c.steps, metrics.Timing{Name: name, Took: now.Sub(c.lastStep)})
	c.lastStep = now
}
