package nbt_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

func TestEmpty(t *testing.T) {
	items := func(elem nbt.Type, v ...nbt.Value) nbt.Items { return nbt.Items{Elem: elem, Values: v} }
	for _, c := range []struct {
		name  string
		value nbt.Value
		want  bool
	}{
		{"zero", int8(0), false},
		{"a zero float", float32(0), false},
		{"text", "x", false},
		{"no text", "", true},
		{"an array", []int32{0}, false},
		{"an empty array", []byte{}, true},
		{"empty longs", []int64{}, true},
		{"a list of zeros", items(nbt.Byte, int8(0)), false},
		{"an empty list", items(nbt.End), true},
		{"a typed empty list", items(nbt.Compound), true},
		{"lists that are empty", items(nbt.List, items(nbt.End), items(nbt.Short)), true},
		{"a list that is not", items(nbt.List, items(nbt.End), items(nbt.Short, int16(1))), false},
		{"an empty compound", nbt.Entries{}, true},
		{"compounds that are empty", nbt.Entries{{Name: "starts", Value: nbt.Entries{}}, {Name: "References", Value: nbt.Entries{}}}, true},
		{"a compound that is not", nbt.Entries{{Name: "a", Value: nbt.Entries{}}, {Name: "b", Value: nbt.Entries{{Name: "c", Value: int64(0)}}}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			payload := nbt.Append(nil, "", c.value)[3:]
			if got := nbt.Empty(nbt.TypeOf(c.value), payload); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			for n := range payload {
				if nbt.Empty(nbt.TypeOf(c.value), payload[:n]) {
					t.Errorf("%d of %d bytes are empty", n, len(payload))
				}
			}
			if nbt.Empty(nbt.TypeOf(c.value), append(payload, 0)) {
				t.Error("a byte too many is empty")
			}
		})
	}
}
