package dragonfly

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	bedrock "github.com/sandertv/gophertunnel/minecraft/nbt"
)

// compound returns a map of dragonfly as tags, sorted by name.
func compound(m map[string]any) (entries nbt.Entries, err error) {
	for name, v := range m {
		value, err := tag(reflect.ValueOf(v))
		if err != nil {
			return nil, fmt.Errorf("tag %q: %w", name, err)
		}
		entries = append(entries, nbt.Entry{Name: name, Value: value})
	}
	slices.SortFunc(entries, func(a, b nbt.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// tag returns a value of a map as a tag, as gophertunnel encodes it.
func tag(v reflect.Value) (nbt.Value, error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return int8(1), nil
		}
		return int8(0), nil
	case reflect.Uint8:
		return int8(v.Uint()), nil
	case reflect.Int16:
		return int16(v.Int()), nil
	case reflect.Int32:
		return int32(v.Int()), nil
	case reflect.Int64:
		return v.Int(), nil
	case reflect.Float32:
		return float32(v.Float()), nil
	case reflect.Float64:
		return v.Float(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Array:
		return array(v)
	case reflect.Slice:
		return list(v)
	case reflect.Map, reflect.Struct:
		return inner(v)
	}
	return nil, fmt.Errorf("NBT has no tag for a %v", v.Kind())
}

// array returns an array of bytes or numbers as a tag.
func array(v reflect.Value) (nbt.Value, error) {
	s := reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), v.Len(), v.Len())
	reflect.Copy(s, v)
	switch s := s.Interface().(type) {
	case []byte, []int32, []int64:
		return s, nil
	}
	return nil, fmt.Errorf("NBT has no tag for %v", v.Type())
}

func list(v reflect.Value) (nbt.Value, error) {
	items := nbt.Items{Elem: nbt.Byte}
	for i := range v.Len() {
		value, err := tag(v.Index(i))
		if err != nil {
			return nil, err
		}
		if t := nbt.TypeOf(value); i == 0 {
			items.Elem = t
		} else if t != items.Elem {
			return nil, fmt.Errorf("a list of %v holds a %v", items.Elem, t)
		}
		items.Values = append(items.Values, value)
	}
	return items, nil
}

// inner returns a map or a struct as a tag. gophertunnel knows how to read a struct.
func inner(v reflect.Value) (nbt.Value, error) {
	if m, ok := v.Interface().(map[string]any); ok {
		return compound(m)
	}
	b, err := bedrock.MarshalEncoding(v.Interface(), bedrock.LittleEndian)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := bedrock.UnmarshalEncoding(b, &m, bedrock.LittleEndian); err != nil {
		return nil, err
	}
	return compound(m)
}

// payload returns a compound as the payload of an object.
func payload(entries nbt.Entries) []byte {
	const head = 3 // type and an empty name
	return nbt.Append(nil, "", entries)[head:]
}

// values undoes payload and compound: it returns what gophertunnel decodes.
func values(payload []byte) (map[string]any, error) {
	_, v, err := nbt.Parse(append(nbt.AppendCompound(nil, ""), payload...), nbt.Limits{})
	if err != nil {
		return nil, err
	}
	return goMap(v.(nbt.Entries)), nil
}

func goMap(entries nbt.Entries) map[string]any {
	m := make(map[string]any, len(entries))
	for _, e := range entries {
		m[e.Name] = goValue(e.Value)
	}
	return m
}

func goValue(v nbt.Value) any {
	switch v := v.(type) {
	case int8:
		return uint8(v)
	case nbt.Entries:
		return goMap(v)
	case nbt.Items:
		return goList(v)
	case []byte, []int32, []int64:
		s := reflect.ValueOf(v)
		a := reflect.New(reflect.ArrayOf(s.Len(), s.Type().Elem())).Elem()
		reflect.Copy(a, s)
		return a.Interface()
	}
	return v
}

func goList(items nbt.Items) any {
	switch items.Elem {
	case nbt.Byte:
		if len(items.Values) > 0 {
			return typed[uint8](items)
		}
	case nbt.Int:
		return typed[int32](items)
	case nbt.Long:
		return typed[int64](items)
	}
	return typed[any](items)
}

func typed[T any](items nbt.Items) []T {
	out := make([]T, len(items.Values))
	for i, v := range items.Values {
		out[i] = goValue(v).(T)
	}
	return out
}

// placed returns an entity as an object at its position, three floats.
func placed(entries nbt.Entries) voxel.Object {
	o := voxel.Object{Payload: payload(entries)}
	at, _ := entries.Get("Pos").(nbt.Items)
	if at.Elem != nbt.Float || len(at.Values) != 3 {
		return o
	}
	var p [3]int
	for i, v := range at.Values {
		f := math.Floor(float64(v.(float32)))
		if !(f >= math.MinInt32 && f <= math.MaxInt32) {
			return o
		}
		p[i] = int(f)
	}
	o.Place, o.At = voxel.Indexed, geom.Point{X: p[0], Y: p[1], Z: p[2]}
	return o
}
