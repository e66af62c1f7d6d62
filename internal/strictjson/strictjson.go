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
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Decode reads one JSON value into what to points to. Each key must be that of a field, letter
// by letter, and stand there once; a field may be missing if its tag lets it be left out. A list of fixed length has that length, and null is taken only
// for an element of a list of pointers. Errors do not contain names of Go types.
func Decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return worded(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return (&checker{text: text}).value(reflect.TypeOf(to).Elem(), false)
}

// checker goes through JSON that was read.
type checker struct {
	text []byte
	at   int
}

var (
	fromJSON = reflect.TypeFor[json.Unmarshaler]()
	fromText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value checks the next value, which was read into a t.
func (c *checker) value(t reflect.Type, element bool) error {
	optional := element && t.Kind() == reflect.Pointer
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	own := reflect.PointerTo(t)
	switch first := c.peek(); {
	case first == 'n' && !optional:
		return errors.New("null is no value: leave it out")
	case own.Implements(fromJSON) || own.Implements(fromText):
		c.skip()
	case first == '{':
		return c.object(t)
	case first == '[':
		return c.list(t)
	default:
		c.skip()
	}
	return nil
}

// list checks the elements of a list.
func (c *checker) list(t reflect.Type) error {
	n := 0
	for c.at++; c.peek() != ']'; n++ {
		if err := c.value(t.Elem(), true); err != nil {
			return fmt.Errorf("element %d: %w", n+1, err)
		}
	}
	c.at++
	if t.Kind() == reflect.Array && n != t.Len() {
		return fmt.Errorf("a list of %d elements, want %d", n, t.Len())
	}
	return nil
}

// object checks the keys and values of an object.
func (c *checker) object(t reflect.Type) error {
	seen, fields := make(map[string]bool), fieldsOf(t)
	for c.at++; c.peek() != '}'; {
		var key string
		if err := json.Unmarshal(c.skip(), &key); err != nil {
			return worded(err)
		}
		f, ok := fields[key]
		if t.Kind() == reflect.Map {
			f, ok = field{of: t.Elem()}, true
		}
		switch {
		case !ok:
			return fmt.Errorf("unknown field %.40q", key)
		case seen[key]:
			return fmt.Errorf("%.40q stands there twice", key)
		}
		seen[key] = true
		if err := c.value(f.of, false); err != nil {
			return fmt.Errorf("%.40s: %w", key, err)
		}
	}
	c.at++
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name].required && !seen[name] {
			return fmt.Errorf("%s is required", name)
		}
	}
	return nil
}

// field is what a key of an object means.
type field struct {
	of       reflect.Type
	required bool
}

// known has the fields of types that were seen.
var known sync.Map

// fieldsOf returns the fields of a struct by their keys, none of a map.
func fieldsOf(t reflect.Type) map[string]field {
	if had, ok := known.Load(t); ok {
		return had.(map[string]field)
	}
	out := make(map[string]field)
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				out[name] = field{f.Type, !strings.Contains(options, "omit")}
			}
		}
	}
	known.Store(t, out)
	return out
}

// peek returns the first byte of what comes next, behind spaces, commas and colons.
func (c *checker) peek() byte {
	for strings.IndexByte(" \t\r\n,:", c.text[c.at]) >= 0 {
		c.at++
	}
	return c.text[c.at]
}

// skip returns the next value.
func (c *checker) skip() []byte {
	c.peek()
	from, depth, quoted := c.at, 0, false
	for ; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case quoted && b == '\\':
			c.at++
		case b == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				c.at++
				return c.text[from:c.at]
			}
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth--; depth <= 0 {
				if depth == 0 {
					c.at++
				}
				return c.text[from:c.at]
			}
		case depth == 0 && strings.IndexByte(" \t\r\n,:", b) >= 0:
			return c.text[from:c.at]
		}
	}
	return c.text[from:]
}

// worded describes what is wrong with JSON.
func worded(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", syntax, syntax.Offset)
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:] // types may stand before it
		return fmt.Errorf("%s cannot be of type %s", cmp.Or(field, "all of it"), kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
