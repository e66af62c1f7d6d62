package server

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/client"
)

// route is a row of the API's table. Everything that answers is one.
type route struct {
	method string
	label  string // method and path
	// path ends with NAME if it is about a world; before that may stand ID.
	path  string
	role  Role
	long  bool // may take Limits.Longest
	about string
	query []param
	// headers are those of calls that the route looks at, besides Authorization.
	headers []string
	needs   []string // of query and headers, what must be given
	takes   content  // the body
	status  int      // of success
	gives   content
	also    content  // what it gives instead if the caller asks for that
	tells   []string // headers of success that it may have
	serve   func(*call) error
}

// headTold are the headers of an answer that shows a head or a version.
var headTold = []string{"ETag", client.FenceHeader}

// param is a parameter of the query.
type param struct{ name, about string }

// content is the type of a body: a media type, and for JSON the type in Go.
type content struct {
	media string
	like  reflect.Type
}

const jsonType = "application/json"

// jsonOf is the content that encoding/json makes of values like v.
func jsonOf(v any) content { return content{jsonType, reflect.TypeOf(v)} }

// bytesOf is a content that is no JSON.
func bytesOf(media string) content { return content{media, nil} }

var nothing = content{}

// routes is the table.
func routes() []route {
	return slices.Concat(adminRoutes(), nameRoutes(), historyRoutes(), stoneRoutes(), leaseRoutes(), worldRoutes())
}

func (r *route) String() string { return r.label }

// changes reports whether a route may change something.
func (r *route) changes() bool { return r.method != http.MethodGet }

// named reports whether the route is about a world.
func (r *route) named() bool { return strings.HasSuffix(r.path, "/NAME") }

// methods are the routes of one path.
type methods struct {
	withID  bool // an id stands before the name
	byName  map[string]*route
	allowed string
}

// pathsOf returns the routes by path, of paths with something that varies by
// what stands before that.
func pathsOf(all []route) map[string]*methods {
	paths := make(map[string]*methods)
	for i := range all {
		r := &all[i]
		r.label = r.method + " " + r.path
		path := strings.TrimSuffix(r.path, "NAME")
		path, withID := strings.CutSuffix(path, "ID/")
		m := paths[path]
		if m == nil {
			m = &methods{withID: withID, byName: make(map[string]*route)}
			paths[path] = m
		}
		m.add(r)
	}
	return paths
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

const nowhere = "there is nothing at this path: GET /v1/openapi.json says what there is"

// find finds the route of a call. It is no http.ServeMux because that answers
// paths that are not clean by sending the caller elsewhere; here they are no
// names, like all that would be written another way.
func (c *call) find() error {
	path := c.r.URL.Path
	m := c.paths[path]
	if at := strings.IndexByte(strings.TrimPrefix(path, apiPrefix), '/'); m == nil && at >= 0 && strings.HasPrefix(path, apiPrefix) {
		at += len(apiPrefix) + 1
		m, c.name = c.paths[path[:at]], path[at:]
	}
	if m == nil {
		return fault(client.NoRoute, nowhere)
	}
	if m.withID {
		c.id, c.name, _ = strings.Cut(c.name, "/")
	}
	c.route = m.byName[c.r.Method]
	if c.route == nil {
		c.allow = m.allowed
		return fault(client.BadMethod, "here one may: %s", m.allowed)
	}
	if c.r.URL.RawPath != "" {
		return fault(client.BadName, "%s; nothing in it is escaped", said[client.BadName])
	}
	return nil
}

const apiPrefix = "/v1/"
