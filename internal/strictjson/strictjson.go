// Package strictjson reads JSON from outside: exactly what is expected, and errors in
// words that callers may read.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode reads one JSON value into what to points to. Each key must be that of a field, letter
// by letter, and stand there once; a field may be missing if its tag lets it be left out. A list
// of fixed length has that length, and null is taken only for an element of a list of pointers.
// Errors do not contain names of Go types.
func Decode(text []byte, to any) error {
	if err := json.Unmarshal(text, to); err != nil {
		return worded(err)
	}
	return checker{json.NewDecoder(bytes.NewReader(text))}.value(reflect.TypeOf(to).Elem(), false)
}

// checker goes through JSON that was read.
type checker struct{ *json.Decoder }

var (
	fromJSON = reflect.TypeFor[json.Unmarshaler]()
	fromText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value checks the next value, which was read into a t.
func (c checker) value(t reflect.Type, element bool) error {
	optional := element && t.Kind() == reflect.Pointer
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var token any
	var err error
	if own := reflect.PointerTo(t); own.Implements(fromJSON) || own.Implements(fromText) {
		var raw json.RawMessage
		if err = c.Decode(&raw); string(raw) != "null" {
			token = raw
		}
	} else {
		token, err = c.Token()
	}
	switch {
	case err != nil:
		return worded(err)
	case token == nil && !optional:
		return errors.New("null is no value: leave it out")
	case token == json.Delim('{'):
		return c.object(t)
	case token == json.Delim('['):
		return c.list(t)
	}
	return nil
}

// list checks the elements of a list whose first token was read.
func (c checker) list(t reflect.Type) error {
	n := 0
	for ; c.More(); n++ {
		if err := c.value(t.Elem(), true); err != nil {
			return fmt.Errorf("element %d: %w", n+1, err)
		}
	}
	if t.Kind() == reflect.Array && n != t.Len() {
		return fmt.Errorf("a list of %d elements, want %d", n, t.Len())
	}
	_, err := c.Token()
	return err
}

// object checks the keys and values of an object whose first token was read.
func (c checker) object(t reflect.Type) error {
	seen, types := make(map[string]bool), make(map[string]reflect.Type)
	var required []string
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				if types[name] = f.Type; !strings.Contains(options, "omit") {
					required = append(required, name)
				}
			}
		}
	}
	for c.More() {
		token, err := c.Token()
		if err != nil {
			return worded(err)
		}
		key, _ := token.(string)
		of := types[key]
		if t.Kind() == reflect.Map {
			of = t.Elem()
		}
		switch {
		case of == nil:
			return fmt.Errorf("unknown field %.40q", key)
		case seen[key]:
			return fmt.Errorf("%.40q stands there twice", key)
		}
		seen[key] = true
		if err := c.value(of, false); err != nil {
			return fmt.Errorf("%.40s: %w", key, err)
		}
	}
	for _, name := range required {
		if !seen[name] {
			return fmt.Errorf("%s is required", name)
		}
	}
	_, err := c.Token()
	return err
}

// worded describes what is wrong with JSON.
func worded(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && strings.HasPrefix(err.Error(), "unexpected end"):
		return errors.New("it is empty, or ends too early")
	case errors.As(err, &syntax) && strings.HasSuffix(err.Error(), "after top-level value"):
		return errors.New("more than one value")
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", syntax, syntax.Offset)
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:] // types may stand before it
		return fmt.Errorf("%s cannot be of type %s", cmp.Or(field, "all of it"), kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
