package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// document is what the tests read of openapi.json.
type document struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct {
		Responses map[string]response
	}
}

type operation struct {
	OperationID string
	Role        string `json:"x-role"`
	Parameters  []parameter
	RequestBody *response
	Responses   map[string]response
}

type parameter struct {
	In, Name string
	Required bool
	Schema   schema
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *schema }
	Headers map[string]any
}

// schema is what the document uses of JSON Schema.
type schema struct {
	Type       string
	Pattern    string
	Enum       []string
	Minimum    *int64
	Maximum    *int64
	Format     string
	Items      *schema
	AnyOf      []*schema
	Properties map[string]*schema
	Required   []string
	Additional any `json:"additionalProperties"`
}

// fault says what is wrong with a value of JSON, "" if nothing is.
func (s *schema) fault(at string, v any) string {
	if s == nil { // anything
		return ""
	}
	if len(s.AnyOf) > 0 {
		faults := ""
		for _, one := range s.AnyOf {
			f := one.fault(at, v)
			if f == "" {
				return ""
			}
			faults += f + "; "
		}
		return faults
	}
	switch v := v.(type) {
	case map[string]any:
		return s.objectFault(at, v)
	case []any:
		for i, e := range v {
			if f := s.Items.fault(fmt.Sprintf("%s[%d]", at, i), e); f != "" {
				return f
			}
		}
		return s.kindFault(at, "array")
	case string:
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
			return at + ": " + v + " is not " + s.Pattern
		}
		return s.kindFault(at, "string")
	case bool:
		return s.kindFault(at, "boolean")
	case nil:
		return s.kindFault(at, "null")
	case json.Number:
		if _, err := v.Int64(); err != nil {
			return s.kindFault(at, "number")
		}
		return s.kindFault(at, "integer", "number")
	}
	return at + ": what is it?"
}

func (s *schema) kindFault(at string, kinds ...string) string {
	if s.Type != "" && !slices.Contains(kinds, s.Type) {
		return fmt.Sprintf("%s: got %v, want %s", at, kinds, s.Type)
	}
	return ""
}

func (s *schema) objectFault(at string, v map[string]any) string {
	for _, r := range s.Required {
		if _, ok := v[r]; !ok {
			return at + ": no " + r
		}
	}
	for key, e := range v {
		p := s.Properties[key]
		if p == nil && s.Additional == false {
			return at + ": what is " + key + "?"
		}
		if p != nil {
			if f := p.fault(at+"."+key, e); f != "" {
				return f
			}
		}
	}
	return s.kindFault(at, "object")
}

// example is how a route is called with success: on a world a of two commits.
type example struct {
	query, body string
	header      []string
	before      func(*site) []byte // prepares, and may give the body
	operation   bool               // of an operation that has ended, whose id ends the query
}

// leaseOfA takes a lease of a, whose number is 1.
func leaseOfA(s *site) []byte {
	s.want(201, request{"POST", "/v1/leases/a", []byte(`{"seconds":10}`), nil}, nil)
	return nil
}

// snapshotOfA makes a snapshot x of a.
func snapshotOfA(s *site) []byte {
	s.post(201, "/v1/snapshots/a", `{"snapshot":"x"}`, nil)
	return nil
}

// operationOnA does an operation on a and returns its id.
func operationOnA(s *site) string {
	snapshotOfA(s)
	var op operationJSON
	s.post(201, "/v1/operations/a", `{"restore":"x"}`, &op)
	s.events("/v1/events/a?operation="+op.ID, nil)
	return op.ID
}

// examples are by method and path; what is not here needs nothing.
func examples(s *site, head history.ID) map[string]example {
	return map[string]example{
		"PUT /v1/worlds/NAME":    {before: func(s *site) []byte { s.want(204, request{method: "DELETE", path: "/v1/worlds/a"}, nil); return nil }},
		"POST /v1/undelete/NAME": {before: func(s *site) []byte { s.want(204, request{method: "DELETE", path: "/v1/worlds/a"}, nil); return nil }},
		"POST /v1/rename/NAME":   {body: `{"to":"b"}`},
		"POST /v1/fork/NAME": {body: `{"from":"from","at":"1"}`, before: func(s *site) []byte {
			s.want(204, request{"POST", "/v1/rename/a", []byte(`{"to":"from"}`), nil}, nil)
			return nil
		}},
		"POST /v1/restore/NAME":  {body: `{"at":"1","message":"back"}`, header: []string{"If-Match", tag(head)}},
		"POST /v1/leases/NAME":   {body: `{"holder":"me","seconds":0.5}`},
		"PUT /v1/leases/NAME":    {body: `{"seconds":1}`, header: []string{"Cairn-Fence", "1"}, before: leaseOfA},
		"DELETE /v1/leases/NAME": {header: []string{"Cairn-Fence", "1"}, before: leaseOfA},
		"POST /v1/login":         {body: `{"token":"any"}`},
		"POST /v1/textures":      {body: `{"names":["minecraft:stone","air"]}`},
		"POST /v1/archives":      {query: "?do=lacks", before: func(*site) []byte { return append([]byte{40}, make([]byte, 40)...) }},
		"POST /v1/collect":       {body: `{"keep":{"newest":1},"grace_seconds":-1}`},
		"GET /v1/log/NAME":       {query: "?n=1&from=" + head.String()},
		"GET /v1/deleted":        {query: "?prefix=a&n=10"},
		"GET /v1/worlds":         {query: "?prefix=a&after=&n=10"},
		"GET /v1/stack/NAME":     {query: "?inline=0&at=" + head.String()},
		"POST /v1/commits/NAME": {header: []string{"If-Match", tag(head)}, before: func(s *site) []byte {
			st := mustStone(s.t, 9)
			return commitRequest("a", commitOf(head, "", st), st).body
		}},
		"POST /v1/import/NAME":       {before: func(s *site) []byte { return mustStone(s.t, 7).Data }, query: "?message=m&author=a&salvage=0&sparse=0"},
		"GET /v1/export/NAME":        {query: "?format=cairn&at=1"},
		"GET /v1/diff/NAME":          {query: "?a=1&b=2&with=a"},
		"POST /v1/savings":           {before: func(s *site) []byte { return zipOf(s.t, map[string]string{"w/level.dat": "x"}) }},
		"GET /v1/blame/NAME":         {query: "?at=2&dimension=a&volume=block&x=33&y=0&z=0&from=" + head.String()},
		"GET /v1/diffmap/NAME":       {query: "?a=1&b=2&with=a&dimension=a&size=64"},
		"PATCH /v1/properties/NAME":  {body: `{"set":{"k":"v"},"remove":["n"],"message":"m","author":"a"}`},
		"GET /v1/chunks/NAME":        {query: "?dimension=a&volume=block&level=0&x=1&y=0&z=0"},
		"GET /v1/cells/NAME":         {query: "?dimension=a&volume=block&level=0&box=1,0,0..4,2,0"},
		"PUT /v1/cells/NAME":         {body: `{"dimension":"a","volume":"block","schema":"palette","level":0,"box":"1,0,0..4,0,0","names":["stone",null],"any_name":true,"cells":[0,[1,2],0],"message":"m","author":"a"}`, header: []string{"If-Match", tag(head)}},
		"POST /v1/brush/NAME":        {body: `{"brush":"ball","at":[0,0,0],"r":3,"name":"stone","dimension":"a","volume":"block","message":"m","author":"a"}`, header: []string{"If-Match", tag(head)}},
		"GET /v1/map/NAME":           {query: "?dimension=a&at=1"},
		"GET /v1/tiles/NAME":         {query: "?dimension=a&layer=blocks&zoom=0&x=0&z=0&from=0&to=63"},
		"POST /v1/snapshots/NAME":    {body: `{"snapshot":"x","at":"1","message":"m","author":"a","dimension":"a","region":"box:0,0,0..1,1,1","mask":"air","replace":true}`},
		"DELETE /v1/snapshots/NAME":  {query: "?snapshot=x", before: snapshotOfA},
		"POST /v1/operations/NAME":   {body: `{"restore":"x","without":["objects"],"message":"m","author":"a","dimension":"a","region":"box:0,0,0..1,1,1","mask":"air"}`, before: snapshotOfA},
		"GET /v1/operations/NAME":    {operation: true},
		"PATCH /v1/operations/NAME":  {operation: true, body: `{"operation":"%s","paused":false}`},
		"DELETE /v1/operations/NAME": {operation: true},
		"GET /v1/events/NAME":        {operation: true},
		"POST /v1/put/NAME":          {body: `{"at":"3","file":"playerdata/x.dat","dry_run":true}`, before: playerOfA(head)},
		"GET /v1/players/NAME":       {query: "?at=3", before: playerOfA(head)},
		"POST /v1/packs/NAME":        {before: func(s *site) []byte { return packBody(s.t, history.Pack{Upto: head}, mustStone(s.t, 5)) }},
	}
}

func packBody(t testing.TB, p history.Pack, s history.Stone) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := wire.PackBody(p, s.Data).WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDocument calls every route as openapi.json says, and holds the answer to it.
func TestDocument(t *testing.T) {
	long.Alone(t)
	var doc document
	s := newSite(t, withMetrics())
	s.want(200, request{method: "GET", path: "/v1/openapi.json"}, &doc)
	rows := 0
	for _, r := range server.Routes() {
		rows++
		path := strings.NewReplacer("NAME", "{name}", "ID", "{id}").Replace(r.Path)
		op, ok := doc.Paths[path][strings.ToLower(r.Method)]
		if !ok {
			t.Errorf("%s %s is not in the document", r.Method, r.Path)
			continue
		}
		if r.Status == http.StatusSwitchingProtocols {
			continue // TestStream calls it
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) { tryOperation(t, r, op) })
	}
	described := 0
	called := make(map[string]string)
	for path, ops := range doc.Paths {
		described += len(ops)
		for method, op := range ops {
			if other := called[op.OperationID]; op.OperationID == "" || other != "" {
				t.Errorf("%s %s is called %q, as is %s", method, path, op.OperationID, other)
			}
			called[op.OperationID] = method + " " + path
		}
	}
	if doc.OpenAPI != "3.1.0" || described != rows {
		t.Errorf("got OpenAPI %q with %d operations, want 3.1.0 with %d", doc.OpenAPI, described, rows)
	}
	refused := s.get("/v1/head/none")
	if f := schemaFault(doc.Components.Responses["refused"], refused); f != "" {
		t.Errorf("a refusal: %s", f)
	}
}

func withMetrics() server.Options {
	return server.Options{Folders: map[string]server.GameFolder{"a": madeFolder{}}, Weigh: weighFiles, Textures: stoneTextures(), Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "cairn_up 1")
	})}
}

func tryOperation(t *testing.T, r server.RouteInfo, op operation) {
	s := newArenaSite(t, memory.New(memory.Options{}), withMetrics())
	head := s.mustCommit("a", 2)
	e := examples(s, head)[r.Method+" "+r.Path]
	body := []byte(e.body)
	switch {
	case e.operation && e.body == "":
		e.query = "?operation=" + operationOnA(s)
	case e.operation:
		body = fmt.Appendf(nil, e.body, operationOnA(s))
	}
	if e.before != nil {
		if b := e.before(s); b != nil {
			body = b
		}
	}
	if (op.RequestBody != nil) != (len(body) > 0) {
		t.Errorf("a body of %d bytes is sent; the document's body: %v", len(body), op.RequestBody)
	}
	path := strings.NewReplacer("ID", mustStone(t, 1).ID.String(), "NAME", "a").Replace(r.Path) + e.query
	got := s.do(request{r.Method, path, body, e.header})
	success, ok := op.Responses[strconv.Itoa(got.status)]
	if !ok {
		t.Fatalf("%d %s is not in the document", got.status, got.body)
	}
	if f := schemaFault(success, got); f != "" {
		t.Errorf("%s: %s", f, got.body)
	}
	s.wantNeeded(r, path, body, e.header, op)
	s.wantRequired(request{r.Method, path, body, e.header}, op)
	s.wantTyped(request{r.Method, path, body, e.header}, op)
	if r.Method == "GET" {
		s.wantOthers(request{r.Method, path, body, e.header}, op, success, got)
	}
}

// wantRequired checks that a call is refused without what the document requires.
func (s *site) wantRequired(r request, op operation) {
	s.t.Helper()
	for _, p := range op.Parameters {
		without := r
		switch i := slices.Index(r.header, p.Name); {
		case !p.Required || p.In == "path":
			continue
		case p.In == "query":
			without.path = regexp.MustCompile(`\b`+p.Name+`=[^&]*&?`).ReplaceAllString(r.path, "")
		case i >= 0:
			without.header = slices.Delete(slices.Clone(r.header), i, i+2)
		}
		if without.path == r.path && len(without.header) == len(r.header) {
			s.t.Errorf("%s is not in the call", p.Name)
		}
		s.do(without).wantRefused(s.t, op)
	}
}

// wantTyped checks that a call is refused if a parameter is not what the document says it is, and
// is not for the least and the greatest that it says.
func (s *site) wantTyped(r request, op operation) {
	s.t.Helper()
	for _, p := range op.Parameters {
		var wrong, right []string
		switch {
		case p.In != "query":
			continue
		case p.Schema.Type == "integer" && p.Schema.Minimum != nil && p.Schema.Maximum != nil:
			wrong = []string{"x", "", "1.5", fmt.Sprint(*p.Schema.Minimum - 1), fmt.Sprint(*p.Schema.Maximum + 1), "99999999999999999999"}
			right = []string{fmt.Sprint(*p.Schema.Minimum), fmt.Sprint(*p.Schema.Maximum)}
		case len(p.Schema.Enum) > 0:
			wrong, right = []string{"surely", p.Schema.Enum[0] + "s"}, p.Schema.Enum
		case p.Schema.Pattern != "":
			wrong = []string{"surely", strings.Repeat("0", 63) + "g"}
		}
		base, query, _ := strings.Cut(r.path, "?")
		query = regexp.MustCompile(`(^|&)`+p.Name+`=[^&]*`).ReplaceAllString(query, "")
		for i, value := range append(wrong, right...) {
			tried := r
			tried.path = base + "?" + strings.TrimPrefix(query+"&", "&") + p.Name + "=" + value
			got := s.do(tried)
			if named := strings.Contains(string(got.body), p.Name+"="+value+": want"); i < len(wrong) {
				got.wantRefused(s.t, op)
				got.wantCode(s.t, wire.BadRequest)
			} else if named && got.status == 400 && !strings.HasPrefix(r.path, "/v1/tiles") { // of which fewer are right at most zooms
				s.t.Errorf("%s=%s is refused: %s", p.Name, value, got.body)
			}
		}
	}
}

// wantOthers checks the other answers of the document: that the caller has what it
// asks for, and the type that it asks for.
func (s *site) wantOthers(r request, op operation, success response, got reply) {
	s.t.Helper()
	if tag := got.header.Get("ETag"); tag != "" {
		known := r
		known.header = append(slices.Clone(r.header), "If-None-Match", tag)
		_, told := op.Responses["304"]
		if again := s.do(known); told != (again.status == http.StatusNotModified) {
			s.t.Errorf("got %d, in the document 304: %v", again.status, told)
		}
	}
	if _, ok := success.Content[wire.RecordsType]; ok {
		r.header = append(slices.Clone(r.header), "Accept", wire.RecordsType)
		again := s.do(r)
		if f := schemaFault(success, again); f != "" || again.header.Get("Content-Type") != wire.RecordsType {
			s.t.Errorf("as records: got %d %s: %s", again.status, again.header.Get("Content-Type"), f)
		}
	}
}

// schemaFault says what of an answer is not as the document describes it.
func schemaFault(want response, got reply) string {
	media, _, _ := mime.ParseMediaType(got.header.Get("Content-Type"))
	c, ok := want.Content[media]
	if !ok && media != "" && len(want.Content) > 0 {
		return "content type " + media + " is not in the document"
	}
	for _, h := range []string{"ETag", wire.FenceHeader, wire.LostHeader} {
		if got.header.Get(h) != "" && want.Headers[h] == nil {
			return "header " + h + " is not in the document"
		}
	}
	if len(want.Content) == 0 && len(got.body) > 0 || len(want.Content) > 0 && len(got.body) == 0 {
		return "a body where there is none, or none where there is one"
	}
	if c.Schema == nil {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(got.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	return c.Schema.fault("", v)
}

// wantNeeded checks that a call that is not as the table says is refused.
func (s *site) wantNeeded(r server.RouteInfo, path string, body []byte, header []string, op operation) {
	s.t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	s.do(request{r.Method, path + sep + "surely=not", body, header}).wantCode(s.t, wire.BadRequest)
	if r.Takes != "" {
		for _, body := range []string{"", `{"surely":"not"}`, "null", "[]"} {
			s.do(request{r.Method, path, []byte(body), header}).wantRefused(s.t, op)
		}
	}
	if r.Takes == "application/json" {
		s.wantStrict(request{r.Method, path, body, header}, op)
	}
	if strings.HasSuffix(r.Path, "/NAME") {
		s.do(request{r.Method, strings.Replace(path, "/a", "/.", 1), body, header}).wantRefused(s.t, op)
		s.do(request{r.Method, strings.Replace(path, "/a", "/b/none", 1), body, header}).wantStatus(s.t, op)
	}
	got := s.do(request{"OPTIONS", path, nil, nil})
	got.wantCode(s.t, wire.BadMethod)
	if !slices.Contains(strings.Split(got.header.Get("Allow"), ", "), r.Method) {
		s.t.Errorf("got Allow %q", got.header.Get("Allow"))
	}
}

// wantStrict checks that a body is refused whose keys are written otherwise, stand there twice or
// have no value.
func (s *site) wantStrict(r request, op operation) {
	s.t.Helper()
	for _, key := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(string(r.body), -1) {
		whole := string(r.body)
		for _, body := range []string{
			strings.Replace(whole, key[0], `"`+strings.ToUpper(key[1])+`":`, 1),
			strings.Replace(whole, key[0], key[0]+"null,"+key[0], 1),
			regexp.MustCompile(key[0]+`("[^"]*"|[0-9.a-z]+|\[[^\]]*\]|\{[^}]*\})`).ReplaceAllString(whole, key[0]+"null"),
			regexp.MustCompile(key[0]+`("[^"]*"|[0-9.a-z]+|\[[^\]]*\]|\{[^}]*\})`).ReplaceAllString(whole, "$0,$0"),
		} {
			tried := r
			if tried.body = []byte(body); body == whole || strings.Contains(whole, `"set":{"k"`) && key[1] == "k" {
				continue
			}
			s.do(tried).wantRefused(s.t, op)
			s.do(tried).wantCode(s.t, wire.BadRequest)
		}
	}
}

// wantStatus checks that the document has the status of an answer.
func (r reply) wantStatus(t testing.TB, op operation) {
	t.Helper()
	if _, ok := op.Responses[strconv.Itoa(r.status)]; !ok {
		t.Errorf("%d %s is not in the document", r.status, r.body)
	}
}

// wantRefused is wantRefusal with a status of the document.
func (r reply) wantRefused(t testing.TB, op operation) {
	t.Helper()
	r.wantStatus(t, op)
	r.wantRefusal(t)
}

// wantRefusal checks that the caller is told what they did wrong.
func (r reply) wantRefusal(t testing.TB) {
	t.Helper()
	var got wire.Refusal
	if err := json.Unmarshal(r.body, &got); err != nil || r.status < 400 || r.status >= 500 || got.Error.Message == "" {
		t.Errorf("got %d %s, want a refusal", r.status, r.body)
	}
}
