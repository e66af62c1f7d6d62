package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/strictjson"
)

type inner struct {
	N     int    `json:"n,omitempty"`
	Quiet string `json:"-"`
}

type form struct {
	inner
	Name  string            `json:"name,omitempty"`
	At    *[3]int           `json:"at,omitempty"`
	Names []*string         `json:"names,omitempty"`
	Deep  []inner           `json:"deep,omitempty"`
	Set   map[string]string `json:"set,omitempty"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	Must  []struct {
		Be bool `json:"be"`
	} `json:"must,omitempty"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a\"]}","n":-1 , "at":[1,2,3],"names":["x",null],"deep":[{"n":1},{}],"set":{"k":"v","K":"w"},"raw":{"a":[1,"}",{"a":1}],"a":null}}`: "",
		` {} `:                           "",
		"{\n\t\"name\" : \"\\u00e9\"\n}": "",
		`{"n\u0061me":"x"}`:              "",
		`{"Name":"x"}`:                   `unknown field "Name"`,
		`{"NAME":"x"}`:                   `unknown field "NAME"`,
		`{"-":"x"}`:                      `unknown field "-"`,
		`{"Quiet":"x"}`:                  `unknown field "Quiet"`,
		`{"":"x"}`:                       `unknown field ""`,
		`{"deep":[{"n":1},{"N":1}]}`:     `deep: element 2: unknown field "N"`,
		`{"name":"a","name":"b"}`:        `"name" stands there twice`,
		`{"name":"a","n\u0061me":"b"}`:   `"name" stands there twice`,
		`{"set":{"k":"a","k":"b"}}`:      `set: "k" stands there twice`,
		`null`:                           "null is no value",
		`{"name":null}`:                  "name: null is no value",
		`{"at":null}`:                    "at: null is no value",
		`{"names":null}`:                 "names: null is no value",
		`{"set":{"k":null}}`:             "set: k: null is no value",
		`{"deep":[null]}`:                "deep: element 1: null is no value",
		`{"raw":null}`:                   "raw: null is no value",
		`{"at":[1,2]}`:                   "at: a list of 2 elements, want 3",
		`{"at":[1,2,3,4]}`:               "at: a list of 4 elements, want 3",
		`{"must":[{"be":false},{}]}`:     "must: element 2: be is required",
		`{"name":"a"} {}`:                "more than one value",
		`{"n":"x"}`:                      "n cannot be of type string",
		`{"name":1}`:                     "name cannot be of type number",
		``:                               "it is empty, or ends too early",
	} {
		err := strictjson.Decode([]byte(text), new(form))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzDecode: what encoding/json takes is taken or refused in words.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a\"]}","at":[1,2,3],"names":["x",null],"deep":[{"n":1},{}],"set":{"k":"v"},"raw":{"a":[1,"}"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got form
		if err := strictjson.Decode(text, &got); err == nil && !json.Valid(text) {
			t.Errorf("%q is taken", text)
		}
	})
}
