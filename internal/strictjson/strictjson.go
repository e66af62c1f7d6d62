// Package strictjson reads JSON from outside: exactly what is expected, and errors in
// words that callers may read.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Decode reads one JSON value without unknown fields. Its errors do not contain names
// of Go types.
func Decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return worded(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
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
		return fmt.Errorf("%s cannot be of type %s", cmp.Or(kind.Field, "all of it"), kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
