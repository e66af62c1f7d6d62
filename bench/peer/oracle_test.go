package peer_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/bench/peer"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// ours is a tree as the peers would give it: compounds as maps, arrays and
// lists as slices, strings as raw bytes, floats as bits.
func ours(v nbt.Value) any {
	switch v := v.(type) {
	case nbt.Entries:
		m := map[string]any{}
		for _, e := range v {
			m[raw(e.Name)] = ours(e.Value)
		}
		return m
	case nbt.Items:
		list := make([]any, len(v.Values))
		for i, x := range v.Values {
			list[i] = ours(x)
		}
		return list
	case string:
		return raw(v)
	}
	return theirs(v)
}

// raw is a string as the peers have it, who do not decode modified UTF-8.
func raw(s string) string { return string(nbt.AppendStringPayload(nil, s)[2:]) }

// theirs brings a peer's value to the same form.
func theirs(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, x := range v {
			m[name] = theirs(x)
		}
		return m
	case uint8:
		return int8(v)
	case float32:
		return math.Float32bits(v)
	case float64:
		return math.Float64bits(v)
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return v
	}
	list := make([]any, r.Len())
	for i := range list {
		list[i] = theirs(r.Index(i).Interface())
	}
	return list
}

func checkDocument(t *testing.T, from string, doc []byte) {
	t.Helper()
	_, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	want := ours(v)
	for name, decode := range map[string]func([]byte) (any, error){"go-mc": peer.DecodeTnze, "gophertunnel": peer.DecodeSandertv} {
		got, err := decode(doc)
		if err != nil {
			t.Errorf("%s: %s: %v", from, name, err)
			continue
		}
		if !reflect.DeepEqual(theirs(got), want) {
			t.Errorf("%s: %s reads it differently", from, name)
		}
	}
}

func TestOracle(t *testing.T) {
	d := nbt.AppendCompound(nil, "root")
	d = nbt.AppendByte(d, "byte", -128)
	d = nbt.AppendShort(d, "short", 32767)
	d = nbt.AppendInt(d, "int", -2147483648)
	d = nbt.AppendLong(d, "long", 9223372036854775807)
	d = nbt.AppendFloat(d, "float", float32(math.NaN()))
	d = nbt.Append(d, "double", math.Copysign(0, -1))
	d = nbt.AppendByteArray(d, "bytes", []byte{1, 0xFF})
	d = nbt.AppendString(d, "\u77F3", "\x00 \U0001F5FF")
	d = nbt.AppendIntArray(d, "ints", []int32{1, -1})
	d = nbt.Append(d, "longs", []int64{1, -1})
	d = nbt.AppendList(d, "empty", nbt.Compound, 0)
	d = nbt.AppendList(d, "lists", nbt.List, 1)
	d = nbt.AppendListPayload(d, nbt.Compound, 1)
	d = nbt.AppendInt(d, "x", 1)
	d = nbt.AppendEnd(d)
	checkDocument(t, "every type", nbt.AppendEnd(d))
}

// TestOracleWorlds compares what all three read in some chunks of every region.
func TestOracleWorlds(t *testing.T) {
	for _, file := range regions(t) {
		docs, err := peer.Documents(file)
		if err != nil {
			t.Fatal(err)
		}
		left := 3
		for _, doc := range docs {
			if doc != nil && left > 0 {
				checkDocument(t, file, doc)
				left--
			}
		}
	}
}

// regions returns the region files of real worlds, of each world one.
func regions(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	worlds, err := peer.Worlds(filepath.Join(dir, "anvil"))
	if err != nil || len(worlds) == 0 {
		t.Fatalf("%d worlds, %v", len(worlds), err)
	}
	var files []string
	for _, world := range worlds {
		found, err := peer.Regions(world)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found[:min(1, len(found))]...)
	}
	return files
}
