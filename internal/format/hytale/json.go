package hytale

import (
	"bytes"
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

	"github.com/cairnvoxel/cairn/internal/format/document"
)

// Extended JSON of BSON, relaxed, as the game writes it: numbers are plain, and bytes are {"$binary": {"base64", "subType"}}.
const jsonBinary = "$binary"

// jsonReader reads JSON as BSON, token by token. Numbers stay text.
type jsonReader struct {
	*json.Decoder
	limit *document.Limit
}

// readJSON returns the BSON document of an object.
func readJSON(src io.Reader, limit *document.Limit) ([]byte, error) {
	r := jsonReader{json.NewDecoder(src), limit}
	r.UseNumber()
	doc, err := r.element(nil, "", maxDepth+2) // an object of a list has maxDepth
	if err == nil {
		if _, end := r.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("more behind the end")
		} else if doc[0] != bsonDocument {
			err = errors.New("no object")
		}
	}
	switch {
	case errors.Is(err, document.ErrTooLarge):
		return nil, err
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
		fallthrough
	case err != nil:
		return nil, corrupt(int(r.InputOffset()), "json", err)
	}
	return doc[2:], nil
}

// element appends the BSON element of the value that begins here.
func (r jsonReader) element(dst []byte, name string, depth int) ([]byte, error) {
	t, err := r.Token()
	if err == nil && depth == 0 {
		err = fmt.Errorf("more than %d values in each other", maxDepth)
	}
	if err == nil {
		err = r.limit.Take(int64(16 + len(name)))
	}
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	switch v := t.(type) {
	case json.Delim:
		return r.elements(dst, name, v == '[', depth)
	case string:
		return appendString(dst, name, v), r.limit.Take(int64(len(v)))
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
		return le.AppendUint64(appendElement(dst, bsonDouble, name), math.Float64bits(f)), err
	}
	return appendElement(dst, bsonNull, name), nil
}

// elements appends the BSON element of an array or an object, whose first sign has been read.
func (r jsonReader) elements(dst []byte, name string, array bool, depth int) ([]byte, error) {
	kind, from := byte(bsonDocument), len(dst)
	if array {
		kind = bsonArray
	}
	dst, at := beginDocument(appendElement(dst, kind, name))
	for n := 0; r.More(); n++ {
		key := strconv.Itoa(n)
		if !array {
			t, err := r.Token()
			if err != nil {
				return nil, err
			}
			if key, _ = t.(string); strings.Contains(key, "\x00") || key == rawName {
				return nil, fmt.Errorf("a name %q", key)
			}
		}
		var err error
		if dst, err = r.element(dst, key, depth-1); err != nil {
			return nil, err
		}
	}
	if _, err := r.Token(); err != nil {
		return nil, err
	}
	dst = endDocument(dst, at)
	if binary := binaryIn(element{kind: kind, value: dst[at:]}); binary != nil {
		return append(appendElement(dst[:from], bsonBinary, name), binary...), nil
	}
	return dst, nil
}

func appendString(dst []byte, name, v string) []byte {
	dst = binary.LittleEndian.AppendUint32(appendElement(dst, bsonString, name), uint32(len(v)+1))
	return append(append(dst, v...), 0)
}

const bsonNull = 0x0A

// binaryIn returns the value that a document {"$binary": {"base64", "subType"}} stands for, nil if it is no such document.
func binaryIn(doc element) []byte {
	inner, ok := member(doc, jsonBinary)
	if !ok || inner.kind != bsonDocument {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(textOf(inner, "base64"))
	subtype, err2 := hex.DecodeString(textOf(inner, "subType"))
	if err != nil || err2 != nil || len(subtype) != 1 {
		return nil
	}
	value := append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), subtype...), b...)
	was, err := appendJSON(nil, doc)
	if again, _ := appendJSON(nil, element{kind: bsonBinary, value: value}); err != nil || !bytes.Equal(was, again) {
		return nil // it has more, or is written otherwise
	}
	return value
}

// textOf returns a string of a document, "" if it has none.
func textOf(e element, name string) string {
	e, ok := member(e, name)
	if !ok || e.kind != bsonString {
		return ""
	}
	return string(e.value[4 : len(e.value)-1])
}

// appendJSON appends the value of an element, in one line. What JSON has not is an error.
func appendJSON(dst []byte, e element) ([]byte, error) {
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
			if e.kind == bsonDocument {
				dst = append(appendText(dst, string(el.name)), ':')
			}
			var err error
			if dst, err = appendJSON(dst, el); err != nil {
				return nil, err
			}
		}
		return append(dst, signs[1]), d.err
	case bsonString:
		return appendText(dst, string(e.value[4:len(e.value)-1])), nil
	case bsonBinary:
		b, subtype := binaryOf(e.value)
		return fmt.Appendf(dst, `{%q:{"base64":%q,"subType":"%02x"}}`, jsonBinary, base64.StdEncoding.EncodeToString(b), subtype), nil
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
		return fmt.Appendf(dst, `{"$numberDouble":"%s"}`, strings.TrimPrefix(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "Inf", "Infinity", 1), "+"))
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
