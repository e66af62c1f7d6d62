// Package block holds what the Anvil and Slime formats share: the names of block states, and
// the packed longs of Minecraft's sections.
//
// The name of a block state is "minecraft:oak_stairs[facing=east,half=bottom]", with keys
// sorted by their bytes. A block with numeric ids is "legacy:ID/DATA"; a biome with a numeric
// id is "legacy:ID". minecraft:air and legacy:0/0 are format.Air. A compound Properties without
// entries does not change the name; the type Properties tells it apart. An entry that these
// forms cannot hold exactly (other tags, characters beyond printable ASCII) is "nbt:" and its
// payload in hex, with the entries of each compound sorted by name. AppendEntry is the inverse.
//
// The package knows no sections, chunks or files. It does not upgrade names from one game
// version to another, and keeps no cells.
package block

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// Sizes of the arrays of sections and columns.
const (
	SectionCells = 4096 // blocks of a section
	LightBytes   = SectionCells / 2
	BiomeCells   = 64   // of a section
	BiomeColumn  = 1024 // of a column that has biomes in three dimensions
	MapCells     = 256
)

const (
	airState     = "minecraft:air"
	legacyPrefix = "legacy:"
	escapePrefix = "nbt:"
)

// ErrName is wrapped if a name is not one that this package makes.
var ErrName = errors.New("not a name of this kind")

// Properties says what a palette entry has in its tag "Properties".
type Properties uint8

// The kinds of Properties. Those of an escaped entry count as SomeProperties,
// since its name holds them.
const (
	NoProperties    Properties = iota // no such tag
	EmptyProperties                   // a compound without entries
	SomeProperties                    // a compound with entries
)

// Name returns the name of a palette entry, which is the payload of a compound
// {Name, Properties}. Two entries have the same name only if they hold the same
// tags, in whatever order, an empty Properties aside. It fails only where payload
// is no compound.
func Name(payload []byte) (string, Properties, error) {
	if name, has, ok := plainName(payload); ok {
		return name, has, nil
	}
	r := nbt.NewPayload(payload, nbt.Limits{})
	r.Skip(nbt.Compound)
	if err := r.Err(); err != nil {
		return "", 0, err
	}
	if r.Rest() != 0 {
		return "", 0, fmt.Errorf("block: palette entry: %d bytes follow it", r.Rest())
	}
	r = nbt.NewPayload(payload, nbt.Limits{})
	return escapePrefix + hex.EncodeToString(appendSorted(nil, &r, nbt.Compound)), SomeProperties, nil
}

// appendSorted appends the payload of type t that r is at, a reader that cannot
// fail, with the entries of every compound in it sorted by name. Entries of one
// name keep their order.
func appendSorted(dst []byte, r *nbt.Reader, t nbt.Type) []byte {
	switch t {
	case nbt.List:
		whole := *r
		elem, n := r.List()
		if n == 0 {
			return append(dst, whole.Raw(t)...) // its length may be negative
		}
		dst = nbt.AppendListPayload(dst, elem, n)
		for range n {
			dst = appendSorted(dst, r, elem)
		}
		return dst
	case nbt.Compound:
		type entry struct{ name, bytes []byte }
		var entries []entry
		for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
			entries = append(entries, entry{name, appendSorted(nbt.AppendRawHeader(nil, t, name), r, t)})
		}
		slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.name, b.name) })
		for _, e := range entries {
			dst = append(dst, e.bytes...)
		}
		return nbt.AppendEnd(dst)
	}
	return append(dst, r.Raw(t)...)
}

type property struct{ key, value []byte }

// plainName is Name for entries that need no escape.
func plainName(payload []byte) (string, Properties, bool) {
	r := nbt.NewPayload(payload, nbt.Limits{})
	var name []byte
	var props []property
	has := NoProperties
	for {
		t, key := r.Next()
		switch {
		case t == nbt.End:
			if r.Err() != nil || r.Rest() != 0 || name == nil {
				return "", 0, false
			}
			s, ok := joinName(name, props)
			return s, has, ok
		case t == nbt.String && name == nil && string(key) == "Name":
			name = r.String()
			if !isPlain(name) || isReserved(name) {
				return "", 0, false
			}
		case t == nbt.Compound && has == NoProperties && string(key) == "Properties":
			var ok bool
			if props, ok = readProperties(&r); !ok {
				return "", 0, false
			}
			if has = EmptyProperties; len(props) > 0 {
				has = SomeProperties
			}
		default:
			return "", 0, false
		}
	}
}

// readProperties says false where a property is no plain string.
func readProperties(r *nbt.Reader) (props []property, ok bool) {
	for {
		t, key := r.Next()
		if t == nbt.End {
			return props, true
		}
		if t != nbt.String {
			return nil, false
		}
		value := r.String()
		if len(key) == 0 || !isPlain(key) || !isPlain(value) {
			return nil, false
		}
		props = append(props, property{key, value})
	}
}

func joinName(name []byte, props []property) (string, bool) {
	if len(props) == 0 {
		if string(name) == airState {
			return format.Air, true
		}
		return string(name), true
	}
	slices.SortFunc(props, func(a, b property) int { return bytes.Compare(a.key, b.key) })
	s := append(make([]byte, 0, 64), name...)
	sep := byte('[')
	for i, p := range props {
		if i > 0 && bytes.Equal(p.key, props[i-1].key) {
			return "", false
		}
		s = append(append(s, sep), p.key...)
		s = append(append(s, '='), p.value...)
		sep = ','
	}
	return string(append(s, ']')), true
}

// isPlain reports whether s is printable ASCII without the marks of a name.
func isPlain(s []byte) bool {
	for _, c := range s {
		if c <= ' ' || c > '~' || c == '[' || c == ']' || c == ',' || c == '=' {
			return false
		}
	}
	return true
}

// isReserved reports whether s, written as it is, would be read as another form of name.
func isReserved(s []byte) bool {
	return len(s) == 0 || string(s) == format.Air ||
		bytes.HasPrefix(s, []byte(legacyPrefix)) || bytes.HasPrefix(s, []byte(escapePrefix))
}

// AppendEntry appends the palette entry for a name: the payload of a compound with its End tag.
// It is the inverse of Name, except for the order of tags. With empty it adds an empty
// Properties if the name has none. A numeric name is an error that wraps ErrName.
func AppendEntry(dst []byte, name string, empty bool) ([]byte, error) {
	if h, ok := strings.CutPrefix(name, escapePrefix); ok {
		return appendEscaped(dst, h, nbt.Compound)
	}
	if name == format.Air {
		name = airState
	}
	base, list, has := strings.Cut(name, "[")
	if isReserved([]byte(base)) || !fits(base) || has && !strings.HasSuffix(list, "]") {
		return dst, fmt.Errorf("block: state %q: %w", name, ErrName)
	}
	dst = nbt.AppendString(dst, "Name", base)
	if empty && !has {
		dst = nbt.AppendEnd(nbt.AppendCompound(dst, "Properties"))
	}
	if has {
		dst = nbt.AppendCompound(dst, "Properties")
		for p := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
			key, value, ok := strings.Cut(p, "=")
			if !ok || !fits(key) || !fits(value) {
				return dst, fmt.Errorf("block: state %q: %w", name, ErrName)
			}
			dst = nbt.AppendString(dst, key, value)
		}
		dst = nbt.AppendEnd(dst)
	}
	return nbt.AppendEnd(dst), nil
}

// AppendNamed is AppendEntry for formats that hold names alone. Its errors wrap format.ErrHolds.
func AppendNamed(dst []byte, name string) ([]byte, error) {
	if isNumber(name) {
		return dst, fmt.Errorf("%w: block %q has a number and no name; .schematic files hold numbers", format.ErrHolds, name)
	}
	dst, err := AppendEntry(dst, name, false)
	if err != nil {
		err = fmt.Errorf("%w: %w", format.ErrHolds, err)
	}
	return dst, err
}

// fits reports whether s can stand unescaped in an NBT string.
func fits(s string) bool { return len(s) <= math.MaxUint16 && isPlain([]byte(s)) }

// appendEscaped appends the payload of type t that h holds in hex.
func appendEscaped(dst []byte, h string, t nbt.Type) ([]byte, error) {
	raw, err := hex.DecodeString(h)
	if err != nil {
		return dst, fmt.Errorf("block: escaped name: %w: %w", ErrName, err)
	}
	r := nbt.NewPayload(raw, nbt.Limits{})
	if r.Skip(t); r.Err() != nil || r.Rest() != 0 {
		return dst, fmt.Errorf("block: escaped name of %d bytes: %w", len(raw), ErrName)
	}
	return append(dst, raw...), nil
}

// BiomeName returns the name of a biome palette entry, given as raw modified
// UTF-8.
func BiomeName(raw []byte) string {
	if isPlain(raw) && !isReserved(raw) {
		return string(raw)
	}
	payload := append([]byte{byte(len(raw) >> 8), byte(len(raw))}, raw...)
	return escapePrefix + hex.EncodeToString(payload)
}

// AppendBiome appends the payload of the NBT string for the name of a biome. A numeric name,
// and the name of the empty cell, is an error that wraps ErrName.
func AppendBiome(dst []byte, name string) ([]byte, error) {
	if h, ok := strings.CutPrefix(name, escapePrefix); ok {
		return appendEscaped(dst, h, nbt.String)
	}
	if isReserved([]byte(name)) || !fits(name) {
		return dst, fmt.Errorf("block: biome %q: %w", name, ErrName)
	}
	return nbt.AppendStringPayload(dst, name), nil
}

// LegacyName returns the name of the block with a numeric id (0..4095) and
// data value (0..15).
func LegacyName(id int, data uint8) string { return ShortName(uint16(id), uint16(data)) }

// ParseLegacy is the inverse of LegacyName.
func ParseLegacy(name string) (id int, data uint8, err error) {
	i, d, err := ParseShort(name)
	if err == nil && (i >= 1<<12 || d >= 1<<4) {
		err = fmt.Errorf("block: state %q has numbers beyond the game's: %w", name, ErrName)
	}
	if err != nil {
		return 0, 0, err
	}
	return int(i), uint8(d), nil
}

// ShortName is LegacyName for numbers of 16 bits, which mods have.
func ShortName(id, data uint16) string {
	if id == 0 && data == 0 {
		return format.Air
	}
	return legacyPrefix + strconv.Itoa(int(id)) + "/" + strconv.Itoa(int(data))
}

// ParseShort is the inverse of ShortName.
func ParseShort(name string) (id, data uint16, err error) {
	if name == format.Air {
		return 0, 0, nil
	}
	s, ok := strings.CutPrefix(name, legacyPrefix)
	a, b, ok2 := strings.Cut(s, "/")
	i, err := strconv.ParseUint(a, 10, 16)
	d, err2 := strconv.ParseUint(b, 10, 16)
	if !ok || !ok2 || err != nil || err2 != nil {
		return 0, 0, fmt.Errorf("block: state %q has no numeric id: %w", name, ErrName)
	}
	return uint16(i), uint16(d), nil
}

// LegacyBiomeName returns the name of the biome with a numeric id.
func LegacyBiomeName(id int32) string { return legacyPrefix + strconv.Itoa(int(id)) }

// ParseLegacyBiome undoes LegacyBiomeName.
func ParseLegacyBiome(name string) (int32, error) {
	s, ok := strings.CutPrefix(name, legacyPrefix)
	id, err := strconv.ParseInt(s, 10, 32)
	if !ok || err != nil {
		return 0, fmt.Errorf("block: biome %q has no numeric id: %w", name, ErrName)
	}
	return int32(id), nil
}
