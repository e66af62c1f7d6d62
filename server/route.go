package server

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// route is a row of the API's table. Every call that is answered has a route.
type route struct {
	method string
	label  string // method and path
	// path ends with NAME if the route is about a world; ID may stand before NAME.
	path   string
	role   token.Role
	long   bool // a call may take Limits.Longest
	part   bool // a token that is bound to a part of a world may call it; serve checks the part
	secret bool // it tells of a token
	own    bool // it is about the caller or the server, not about worlds
	// socket says that the call becomes a WebSocket, which a cookie alone must not open.
	socket bool
	about  string
	query  []param
	// headers are the request headers that the route uses, besides Authorization.
	headers []string
	needs   []string // required query parameters and headers
	status  int      // of a successful answer
	also    content  // a content that the caller may ask for instead
	tells   []string // headers that a successful answer may have
	handler
}

// handler is what serves a route: a function, and what it takes and gives.
type handler struct {
	serve        func(*call) error
	gives, takes content
}

// from returns a handler that takes a body, which its function reads.
func (h handler) from(takes content) handler {
	h.takes = takes
	return h
}

// plain is a handler whose function sends the answer.
func plain(serve func(*call) error, gives content) handler {
	return handler{serve: serve, gives: gives}
}

// done is a handler whose answer has no body.
func done(serve func(*call) error) handler {
	return handler{serve: func(c *call) error {
		if err := serve(c); err != nil {
			return err
		}
		c.secure(c.w.Header())
		c.WriteHeader(http.StatusNoContent)
		return nil
	}}
}

// gives is a handler that answers with an Out in JSON.
func gives[Out any](serve func(*call) (Out, error)) handler {
	return plain(func(c *call) error {
		out, err := serve(c)
		if err != nil {
			return err
		}
		return c.answer(c.route.status, out)
	}, contentOf[Out]())
}

// takes is a handler that begins with an In in JSON, and answers with an Out.
func takes[In, Out any](serve func(*call, *In) (Out, error)) handler {
	return gives(func(c *call) (out Out, err error) {
		in := new(In)
		if err := c.json(c.limits.JSONBytes, in); err != nil {
			return out, err
		}
		return serve(c, in)
	}).from(contentOf[In]())
}

// headHeaders are the headers of an answer that shows a head or a version.
var headHeaders = []string{"ETag", wire.FenceHeader}

// stale and staleHeaders are the headers of a call whose answer may be old while the
// Store is away, and of its answer.
// known are those of a call whose caller may have the answer already.
var (
	stale        = []string{wire.StaleHeader}
	known        = []string{"If-None-Match", wire.StaleHeader}
	staleHeaders = append([]string{wire.StaleHeader}, headHeaders...)
)

// content is the type of a body: a media type, and for JSON the type in Go.
type content struct {
	media string
	like  reflect.Type
}

const jsonType = "application/json"

// jsonOf is the JSON content of values like v.
func jsonOf(v any) content { return content{jsonType, reflect.TypeOf(v)} }

// contentOf is the JSON content of a type.
func contentOf[T any]() content { return content{jsonType, reflect.TypeFor[T]()} }

// bytesOf is a content that is not JSON.
func bytesOf(media string) content { return content{media, nil} }

var (
	nothing  = content{}
	text     = bytesOf("text/plain; charset=utf-8")
	octets   = bytesOf("application/octet-stream")
	records  = bytesOf(wire.RecordsType)
	imagePNG = bytesOf("image/png")
)

// changes reports whether a route may change something.
func (r *route) changes() bool { return r.method != http.MethodGet }

// named reports whether the route is about a world.
func (r *route) named() bool { return strings.HasSuffix(r.path, "/NAME") }

// param returns the parameter of the query with a name, nil if the route has none.
func (r *route) param(name string) *param {
	if i := slices.IndexFunc(r.query, func(p param) bool { return p.Name == name }); i >= 0 {
		return &r.query[i]
	}
	return nil
}

// table is all routes.
type table struct {
	all   []route
	paths map[string]*methods // the key of a path with NAME is the part before ID and NAME
	page  *route              // of the pages; nil for none
}

// methods holds the routes of one path.
type methods struct {
	withID  bool // an id stands before the name
	byName  map[string]*route
	allowed string
}

// tableOf returns the table of routes.
func tableOf(all []route) table {
	t := table{all: all, paths: make(map[string]*methods)}
	for i := range all {
		r := &all[i]
		r.label = r.method + " " + r.path
		path := strings.TrimSuffix(r.path, "NAME")
		path, withID := strings.CutSuffix(path, "ID/")
		m := t.paths[path]
		if m == nil {
			m = &methods{withID: withID, byName: make(map[string]*route)}
			t.paths[path] = m
		}
		m.add(r)
	}
	return t
}

func (m *methods) add(r *route) {
	m.byName[r.method] = r
	if r.method == http.MethodGet {
		m.byName[http.MethodHead] = r
	}
	var all []string
	for method := range m.byName {
		all = append(all, method)
	}
	slices.Sort(all)
	m.allowed = strings.Join(all, ", ")
}

const nowhere = "this path has no route: GET /v1/openapi.json lists the routes"

// find finds the route of a call. http.ServeMux would redirect paths that are not
// clean; here such a path is a bad name, like any other name that is not written
// exactly.
func (t *table) find(c *call) error {
	path := c.r.URL.Path
	m := t.paths[path]
	if at := strings.IndexByte(strings.TrimPrefix(path, apiPrefix), '/'); m == nil && at >= 0 && strings.HasPrefix(path, apiPrefix) {
		at += len(apiPrefix) + 1
		m, c.name = t.paths[path[:at]], path[at:]
	}
	if m == nil && t.page != nil && isPage(c.r) {
		c.route, c.name = t.page, ""
		return nil
	}
	if m == nil {
		return fault(wire.NoRoute, nowhere)
	}
	if m.withID {
		c.id, c.name, _ = strings.Cut(c.name, "/")
	}
	c.route = m.byName[c.r.Method]
	if c.route == nil {
		c.allow = m.allowed
		return fault(wire.BadMethod, "this path allows: %s", m.allowed)
	}
	if raw := c.r.URL.RawPath; raw != "" {
		// Programs that are made from openapi.json escape a name's slashes, and nothing else of it.
		fixed := len(path) - len(c.name)
		if len(raw) < fixed || raw[:fixed]+escapedSlash.Replace(raw[fixed:]) != path {
			return fault(wire.BadName, "%s; nothing but its slashes may be escaped", messages[wire.BadName])
		}
	}
	return nil
}

var escapedSlash = strings.NewReplacer("%2F", "/", "%2f", "/")

const apiPrefix = "/v1/"
