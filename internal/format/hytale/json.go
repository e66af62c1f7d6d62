package hytale

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Extended JSON of BSON, relaxed, as the game writes it: numbers are plain, and bytes are {"$binary": {"base64", "subType"}}.
const jsonBinary = "$binary"

// jsonReader reads JSON token by token. Numbers stay text.
type jsonReader struct{ *json.Decoder }

func newJSONReader(r io.Reader) jsonReader {
	d := json.NewDecoder(r)
	d.UseNumber()
	return jsonReader{d}
}

// fail says where it went wrong.
func (r jsonReader) fail(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return corrupt(int(r.InputOffset()), "json", err)
}

// each calls f for each element of the array or object that begins here, with open as its first sign. f reads the value. key is "" in an array.
func (r jsonReader) each(open json.Delim, f func(key string) error) error {
	if t, err := r.Token(); err != nil || t != open {
		return r.fail(cmp.Or(err, fmt.Errorf("%v where %v begins", t, open)))
	}
	return r.rest(open, f)
}

// rest is each behind the first sign.
func (r jsonReader) rest(open json.Delim, f func(key string) error) error {
	for r.More() {
		key := ""
		if open == '{' {
			t, err := r.Token()
			if err != nil {
				return r.fail(err)
			}
			key, _ = t.(string)
			if strings.Contains(key, "\x00") || key == rawName {
				return r.fail(fmt.Errorf("a name %q", key))
			}
		}
		if err := f(key); err != nil {
			return err
		}
	}
	if _, err := r.Token(); err != nil {
		return r.fail(err)
	}
	return nil
}

// element appends the BSON element of the value that begins here.
func (r jsonReader) element(dst []byte, name string, depth int) ([]byte, error) {
	t, err := r.Token()
	if err == nil && depth == 0 {
		err = fmt.Errorf("more than %d values in each other", maxDepth)
	}
	if err != nil {
		return nil, r.fail(err)
	}
	le := binary.LittleEndian
	switch v := t.(type) {
	case json.Delim:
		kind, from := byte(bsonDocument), len(dst)
		if v == '[' {
			kind = bsonArray
		}
		dst, at := beginDocument(appendElement(dst, kind, name))
		n := 0
		err := r.rest(v, func(key string) (err error) {
			if v == '[' {
				key = strconv.Itoa(n)
			}
			n++
			dst, err = r.element(dst, key, depth-1)
			return err
		})
		if err != nil {
			return nil, err
		}
		dst = endDocument(dst, at)
		if b, subtype, ok := binaryIn(dst[at:]); ok {
			dst = append(le.AppendUint32(appendElement(dst[:from], bsonBinary, name), uint32(len(b))), subtype)
			dst = append(dst, b...)
		}
		return dst, nil
	case string:
		dst = le.AppendUint32(appendElement(dst, bsonString, name), uint32(len(v)+1))
		return append(append(dst, v...), 0), nil
	case bool:
		dst = append(appendElement(dst, bsonBool, name), 0)
		if v {
			dst[len(dst)-1] = 1
		}
		return dst, nil
	case json.Number:
		if n, err := v.Int64(); err == nil && n == int64(int32(n)) {
			return le.AppendUint32(appendElement(dst, bsonInt32, name), uint32(n)), nil
		} else if err == nil {
			return le.AppendUint64(appendElement(dst, bsonInt64, name), uint64(n)), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, r.fail(err)
		}
		return le.AppendUint64(appendElement(dst, bsonDouble, name), math.Float64bits(f)), nil
	}
	return appendElement(dst, bsonNull, name), nil
}

const bsonNull = 0x0A

// binaryIn returns the bytes that a document {"$binary": {"base64", "subType"}} stands for.
func binaryIn(doc []byte) (b []byte, subtype byte, ok bool) {
	inner, ok := member(element{value: doc}, jsonBinary)
	if !ok || inner.kind != bsonDocument {
		return nil, 0, false
	}
	text := func(name string) string {
		e, ok := member(inner, name)
		if !ok || e.kind != bsonString {
			return "!"
		}
		return string(e.value[4 : len(e.value)-1])
	}
	b, err := base64.StdEncoding.DecodeString(text("base64"))
	sub, err2 := hex.DecodeString(text("subType"))
	if err != nil || err2 != nil || len(sub) != 1 {
		return nil, 0, false
	}
	return b, sub[0], true
}

// appendJSON appends the value of an element as the game indents it. What JSON has not is an error.
func appendJSON(dst []byte, e element, indent int) ([]byte, error) {
	le := binary.LittleEndian
	switch e.kind {
	case bsonDocument, bsonArray:
		signs := "{}"
		if e.kind == bsonArray {
			signs = "[]"
		}
		dst = append(dst, signs[0])
		d := elementsOf(e.value, e.at)
		n := 0
		for el, ok := d.next(); ok; el, ok = d.next() {
			if n++; n > 1 {
				dst = append(dst, ',')
			}
			dst = appendLine(dst, indent+1)
			if e.kind == bsonDocument {
				dst = append(appendText(dst, string(el.name)), ": "...)
			}
			var err error
			if dst, err = appendJSON(dst, el, indent+1); err != nil {
				return nil, err
			}
		}
		if n > 0 {
			dst = appendLine(dst, indent)
		}
		return append(dst, signs[1]), d.err
	case bsonString:
		return appendText(dst, string(e.value[4:len(e.value)-1])), nil
	case bsonBinary:
		b, subtype := binaryOf(e.value)
		dst = fmt.Appendf(appendLine(append(dst, '{'), indent+1), "%q: {", jsonBinary)
		dst = fmt.Appendf(appendLine(dst, indent+2), `"base64": %q,`, base64.StdEncoding.EncodeToString(b))
		dst = append(appendLine(fmt.Appendf(appendLine(dst, indent+2), `"subType": "%02x"`, subtype), indent+1), '}')
		return append(appendLine(dst, indent), '}'), nil
	case bsonBool:
		return strconv.AppendBool(dst, e.value[0] != 0), nil
	case bsonInt32:
		return strconv.AppendInt(dst, int64(int32(le.Uint32(e.value))), 10), nil
	case bsonInt64:
		return strconv.AppendInt(dst, int64(le.Uint64(e.value)), 10), nil
	case bsonDouble:
		return appendDouble(dst, math.Float64frombits(le.Uint64(e.value))), nil
	case bsonNull:
		return append(dst, "null"...), nil
	}
	return nil, fmt.Errorf("%q: a value of the BSON type %#x, which JSON has not", e.name, e.kind)
}

func appendLine(dst []byte, indent int) []byte {
	return append(append(dst, '\n'), strings.Repeat("  ", indent)...)
}

// appendText appends a string in quotes.
func appendText(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("hytale: a string is JSON: " + err.Error())
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// appendDouble appends a number as Java writes it: with a point, and from 1e7 and below 1e-3 on with an exponent.
func appendDouble(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Appendf(dst, `{"$numberDouble": "%s"}`, strings.TrimPrefix(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "Inf", "Infinity", 1), "+"))
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-3 || a >= 1e7) {
		form = 'E'
	}
	mantissa, exponent, has := strings.Cut(strconv.FormatFloat(f, form, -1, 64), "E")
	if dst = append(dst, mantissa...); !strings.Contains(mantissa, ".") {
		dst = append(dst, ".0"...)
	}
	if has {
		n, _ := strconv.Atoi(exponent)
		dst = strconv.AppendInt(append(dst, 'E'), int64(n), 10)
	}
	return dst
}
