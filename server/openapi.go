package server

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// object is a JSON object.
type object = map[string]any

// openAPI returns the table of routes as OpenAPI 3.1.
func openAPI(all []route) ([]byte, error) {
	paths := make(map[string]object)
	for _, r := range all {
		path := templateOf(r.path)
		if paths[path] == nil {
			paths[path] = make(object)
		}
		paths[path][strings.ToLower(r.method)] = r.operation()
	}
	b, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "cairn", "version": "1",
			"description": "Worlds of voxels with their history. A slash in a name may be sent as it is or as %2F. Times without a zone are in UTC.",
		},
		"paths": paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}, "session": object{"type": "apiKey", "in": "cookie", "name": hostCookie, "description": "over plain HTTP the name is " + plainCookie}},
			"responses":       object{"refused": object{"description": "refused", "content": jsonOf(wire.Refusal{}).describe()}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("server: openapi: %w", err)
	}
	return b, nil
}

func templateOf(path string) string {
	return strings.NewReplacer("ID", "{id}", "NAME", "{name}").Replace(path)
}

func (r *route) operation() object {
	op := object{
		"operationId": r.operationID(),
		"summary":     r.about,
		"parameters":  r.parameters(),
		"responses":   r.responses(),
	}
	if r.role > token.Nobody {
		op["x-role"] = r.role.String()
		op["security"] = []object{{"token": []string{}}, {"session": []string{}}}
	}
	if r.takes != nothing {
		op["requestBody"] = object{"required": true, "content": r.takes.describe()}
	}
	return op
}

func (r *route) responses() object {
	headers := object{}
	for _, h := range r.tells {
		headers[h] = object{"schema": object{"type": "string"}}
	}
	success := object{"description": r.about, "headers": headers}
	if r.gives != nothing {
		media := r.gives.describe()
		if r.also != nothing {
			maps.Copy(media, r.also.describe())
		}
		success["content"] = media
	}
	all := object{strconv.Itoa(r.status): success}
	for _, status := range r.refusals() {
		all[strconv.Itoa(status)] = object{"$ref": "#/components/responses/refused"}
	}
	if slices.Contains(r.headers, "Range") {
		all["206"] = success
		all["416"] = object{"description": "there is no such range", "content": text.describe()}
	}
	if slices.Contains(r.headers, "If-None-Match") {
		all["304"] = object{"description": "the caller has it", "headers": headers}
	}
	return all
}

// operationID names a route by its method and path, such as "get_worlds_name". It
// contains the whole path, so no two are equal.
func (r *route) operationID() string {
	path := strings.TrimPrefix(strings.TrimPrefix(r.path, "/v1"), "/")
	return strings.ToLower(r.method + "_" + strings.NewReplacer("/", "_", ".", "_").Replace(path))
}

func (r *route) parameters() []object {
	out := []object{}
	add := func(in, name, about string, schema object) {
		p := object{"in": in, "name": name, "schema": schema}
		if in == "path" || slices.Contains(r.needs, name) {
			p["required"] = true
		}
		if about != "" {
			p["description"] = about
		}
		out = append(out, p)
	}
	if strings.Contains(r.path, "/ID/") {
		add("path", "id", "", schemaOf(reflect.TypeFor[wire.HexID]()))
	}
	if r.named() {
		add("path", "name", messages[wire.BadName], object{"type": "string", "pattern": namePattern})
	}
	for _, p := range r.query {
		add("query", p.Name, p.About, paramSchema(&p))
	}
	for _, h := range r.headers {
		add("header", h, "", headerSchema(h))
	}
	return out
}

// describe returns a content in OpenAPI.
func (c content) describe() object {
	media := object{}
	if c.like != nil {
		media["schema"] = schemaOf(c.like)
	}
	kind, _, _ := strings.Cut(c.media, ";")
	return object{kind: media}
}

// schemaOf returns the JSON Schema of what encoding/json writes for a type.
func schemaOf(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[wire.HexID]():
		return object{"type": "string", "pattern": "^([0-9a-f]{64})?$"}
	case t == reflect.TypeFor[wire.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[wire.Code]():
		return object{"type": "string", "enum": wire.Codes()}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return object{"anyOf": []object{schemaOf(t.Elem()), {"type": "null"}}}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Interface:
		return object{}
	}
	if t.Kind() >= reflect.Uint {
		return object{"type": "integer", "minimum": 0}
	}
	return object{"type": "integer"}
}

func structSchema(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		of := f.Type
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		} else if of.Kind() == reflect.Pointer { // nil is left out
			of = of.Elem()
		}
		properties[name] = schemaOf(of)
	}
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
