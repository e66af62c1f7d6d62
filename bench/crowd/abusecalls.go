package crowd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
)

// call is a call that is right, or was.
type call struct {
	method, path string
	headers      []string
	body         []byte
}

// bytes returns the call as it is sent.
func (c *call) bytes(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", c.method, c.path, host)
	for _, h := range c.headers {
		fmt.Fprintf(&b, "%s\r\n", h)
	}
	if c.body != nil || c.method != http.MethodGet {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(c.body))
	}
	b.WriteString("\r\n")
	b.Write(c.body)
	return b.Bytes()
}

// openAPI is what is needed of such a document.
type openAPI struct {
	Paths map[string]map[string]operation // by path and method
}

type operation struct {
	Parameters  []struct{ In, Name string }
	RequestBody struct{ Content map[string]any }
}

// validCalls returns calls of all routes that the server says it has.
func (a *abuse) validCalls(ctx context.Context, url string) ([]call, error) {
	resp, err := fetch(ctx, url+"/v1/openapi.json")
	if err != nil {
		return nil, err
	}
	var doc openAPI
	err = json.NewDecoder(resp.Body).Decode(&doc)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("crowd: what the server can do: %w", err)
	}
	var out []call
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			for range callsOfRoute {
				out = append(out, a.validCall(strings.ToUpper(method), path, doc.Paths[path][method], len(out)))
			}
		}
	}
	for i := range callsOfRoute { // what is outside of the API
		for _, page := range []string{"/", "/login", "/numbers", "/world/" + nameOf(i), "/map/" + nameOf(i), "/3d/" + nameOf(i) + "?at=1", "/assets/main.js"} {
			out = append(out, call{method: "GET", path: page, headers: []string{"Accept-Encoding: gzip", `If-None-Match: "0"`}})
		}
	}
	return out, nil
}

// callsOfRoute is how many calls there are of each route, of different worlds and
// with different parameters.
const callsOfRoute = 6

// validCall returns the call of a number.
func (a *abuse) validCall(method, path string, op operation, n int) call {
	v := a.values(n)
	c := call{method: method, path: strings.NewReplacer("{name}", v["name"], "{id}", v["id"]).Replace(path)}
	mark := "?"
	for i, p := range op.Parameters {
		value, ok := v[p.Name]
		switch {
		case !ok || (n+i)%3 == 0: // it is left out
		case p.In == "query":
			c.path += mark + p.Name + "=" + value
			mark = "&"
		case p.In == "header":
			c.headers = append(c.headers, p.Name+": "+value)
		}
	}
	for media := range op.RequestBody.Content {
		c.headers = append(c.headers, "Content-Type: "+media)
		c.body = a.validBody(path, n)
	}
	return c
}

// values returns what parameters may be, by name.
func (a *abuse) values(n int) map[string]string {
	i := n % abuseWorlds
	head := a.crowd.accounts[i].head.String()
	stone := sha256.Sum256(a.crowd.of(i).Stone)
	return map[string]string{
		"name": nameOf(i), "id": hex.EncodeToString(stone[:]), "with": nameOf((i + 1) % abuseWorlds),
		"at": "2", "a": "1", "b": head, "from": head, "n": "10", "prefix": "island/", "after": nameOf(i),
		"format": []string{"cairn", "slime", "anvil"}[n%3], "dimension": "overworld", "volume": voxel.Block,
		"level": "0", "x": "1", "y": "2", "z": "1", "size": "64", "inline": "100000", "deleted": "1", "salvage": "1", "message": "m", "author": "a",
		"If-Match": `"` + head + `"`, "If-None-Match": `"0"`, wire.FenceHeader: "force", wire.RetryHeader: "1",
	}
}

// validBody returns what the route at path takes.
func (a *abuse) validBody(path string, n int) []byte {
	i := n % abuseWorlds
	head := a.crowd.accounts[i].head
	data := a.crowd.stamp(nil, i)
	ref := history.StoneRef{ID: sha256.Sum256(data), Size: int64(len(data))}
	var b bytes.Buffer
	var records *wire.Body
	switch path, _, _ = strings.Cut(strings.TrimPrefix(path, "/v1/"), "/"); path {
	case "commits":
		records = wire.CommitBody(history.Commit{Parent: head, Base: a.crowd.base(i), Stones: []history.StoneRef{ref}}, history.Stone{ID: ref.ID, Data: data})
	case "packs":
		records = wire.PackBody(history.Pack{Upto: head, Stone: ref}, data) // an empty body will do too
	case "import":
		return a.crowd.of(i).Stone
	default:
		return []byte(cmp.Or(map[string]string{
			"rename":     fmt.Sprintf(`{"to":"abuse/%d"}`, n),
			"fork":       fmt.Sprintf(`{"from":%q,"at":"1"}`, nameOf((i+1)%abuseWorlds)),
			"restore":    `{"at":"1","message":"m","author":"a"}`,
			"properties": `{"set":{"key":"value"},"remove":["other"],"message":"m"}`,
			"leases":     `{"holder":"h","seconds":1}`,
			"cells":      `{}`,
			"textures":   `{"names":["minecraft:stone"]}`,
			"login":      `{"token":"none"}`,
			"collect":    `{"keep":{"newest":16},"grace_seconds":3600}`,
		}[path], `{}`))
	}
	if records != nil {
		_, _ = records.WriteTo(&b) // a Buffer takes everything
	}
	return b.Bytes()
}
