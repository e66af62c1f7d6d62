package bedrock

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// Names of entries that the brackets of a name cannot hold are their tags in hex, as in package block.
const escapePrefix = "nbt:"

// airNames are the blocks that are cell 0.
var airNames = []string{"minecraft:air", "minecraft:air[val=0]", "bedrock:0[data=0]"}

// Bounds of what is remembered of entries.
const (
	maxKnown      = 1 << 16
	maxKnownBytes = 1 << 10
)

// known is a palette entry that was read.
type known struct {
	cell    voxel.Cell
	version int32
}

// states turns palette entries into cells of one volume.
type states struct {
	names *format.Names
	known map[string]known // by bytes
}

// cell returns the cell for a name.
func (s *states) cell(name string) (voxel.Cell, error) {
	if slices.Contains(airNames, name) {
		name = format.Air
	}
	return s.names.Cell(name)
}

// entry returns the cell of a palette entry, and the version of its names, which is no part of its own.
func (s *states) entry(stored, payload []byte) (known, error) {
	if k, ok := s.known[string(stored)]; ok {
		return k, nil
	}
	name, version := stateName(payload)
	c, err := s.cell(name)
	k := known{c, version}
	if err == nil && len(s.known) < maxKnown && len(stored) <= maxKnownBytes {
		s.known[string(stored)] = k
	}
	return k, err
}

// numeric returns the cell of a block with numbers. They are not those of Java.
func (s *states) numeric(id, data byte) (voxel.Cell, error) {
	return s.cell(fmt.Sprintf("bedrock:%d[data=%d]", id, data))
}

// stateName returns the name of a palette entry {name, states, version}, or {name, val, version} of versions before 1.13: states
// sorted by name, bytes as false and true.
func stateName(payload []byte) (name string, version int32) {
	var list []string
	seen := map[string]bool{}
	plain := true
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		plain = plain && !seen[string(key)]
		seen[string(key)] = true
		switch {
		case string(key) == "name" && t == nbt.String:
			raw := r.String()
			name, plain = string(raw), plain && isPlain(raw)
		case string(key) == "states" && t == nbt.Compound:
			var ok bool
			list, ok = stateList(&r)
			plain = plain && ok
		case string(key) == "val" && t == nbt.Short:
			list = append(list, "val="+strconv.Itoa(int(r.Short())))
		case string(key) == "version" && t == nbt.Int:
			version = r.Int()
		default:
			plain = false
			r.Skip(t)
		}
	}
	if !plain || name == format.Air || !strings.Contains(name, ":") || strings.HasPrefix(name, escapePrefix) || seen["val"] && seen["states"] {
		return escapePrefix + hex.EncodeToString(payload), version
	}
	if slices.Sort(list); len(list) > 0 {
		name += "[" + strings.Join(list, ",") + "]"
	}
	return name, version
}

// stateList reads the states of an entry. It says false of one that a name cannot hold.
func stateList(r *nbt.Reader) (list []string, ok bool) {
	ok = true
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		value := ""
		switch t {
		case nbt.Byte:
			b := r.Byte()
			value, ok = strconv.FormatBool(b == 1), ok && b|1 == 1
		case nbt.Int:
			value = strconv.Itoa(int(r.Int()))
		case nbt.String:
			value = string(r.String())
			_, err := strconv.Atoi(value)
			ok = ok && err != nil && value != "true" && value != "false" // which would be those of other types
		default:
			r.Skip(t)
			ok = false
		}
		ok = ok && len(key) > 0 && isPlain(key) && isPlain([]byte(value))
		list = append(list, string(key)+"="+value)
	}
	return list, ok
}

// isPlain reports whether s is printable ASCII without the marks of a name.
func isPlain(s []byte) bool {
	return !slices.ContainsFunc(s, func(c byte) bool { return c <= ' ' || c > '~' || strings.IndexByte("[],=", c) >= 0 })
}
