package block

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/format"
)

//go:embed states.txt
var statesText string

// propertyOf is a property of a block: its values, and the one that it has by default.
type propertyOf struct {
	key, byDefault string
	values         []string
}

// form is the properties that a block has from a data version on, by key.
type form struct {
	since      int32
	properties []propertyOf
}

// states is states.txt: the forms of blocks by name without Space, ascending.
var states = sync.OnceValue(func() map[string][]form {
	out := make(map[string][]form)
	var at form
	for line := range strings.Lines(statesText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "=":
			since, err := strconv.Atoi(words[1])
			if err != nil {
				panic("block: states.txt: no data version: " + line)
			}
			at = form{since: int32(since)}
			for _, w := range words[2:] {
				key, rest, _ := strings.Cut(w, "=")
				values, byDefault, _ := strings.Cut(rest, ":")
				at.properties = append(at.properties, propertyOf{key, byDefault, strings.Split(values, ",")})
			}
		default:
			for _, name := range words {
				out[name] = append(out[name], at)
			}
		}
	}
	return out
})

// StateError says that a word means no state of a block, and why. Its text has what is near.
type StateError struct {
	Word string // as it was given
	Why  string
}

func (e *StateError) Error() string { return fmt.Sprintf("block %.100q: %s", e.Word, e.Why) }

// noState returns a *StateError about something that none of words is.
func noState(word, why, what string, words iter.Seq[string]) error {
	if near := Near(what, words); near != "" {
		why += fmt.Sprintf("; did you mean %q?", near)
	}
	return &StateError{word, why}
}

// FirstNamed is the first data version of blocks with names: 17w47a.
const FirstNamed = 1451

// State returns the name of the block state that a word means in columns of some data versions,
// ascending, as a person or a program says it: with the space of the game and all properties,
// sorted, those that it leaves out as the game's default. In columns of before 1.13 it is a number;
// see Number. own are the names that the world has.
//
// A block that no game of those versions has keeps its properties, in their order. A word that is
// no name of a game stays as it is, and so does every name where versions is empty or the world is of another game. The error is a
// *StateError.
func State(word string, versions []int32, own []string) (string, error) {
	switch named := slices.ContainsFunc(own, isNamed); {
	case word == "" && !slices.Contains(own, ""):
		return "", &StateError{word, `want a name; that of no block is "air"`}
	case word == format.Air || strings.HasPrefix(word, escapePrefix):
		return word, nil
	case !named && slices.ContainsFunc(own, isNumber):
		return Number(word)
	case len(versions) == 0 || !named && len(own) > 1:
		return word, nil
	}
	first, last := versions[0], versions[len(versions)-1]
	switch {
	case first < FirstNamed && last >= FirstNamed:
		return "", &StateError{word, fmt.Sprintf("some columns have numbers for blocks, of data version %d, and some have names, of %d: edit them apart", first, last)}
	case last < FirstNamed && (last > 0 || slices.ContainsFunc(own, isNumber)):
		return Number(word)
	case last == 0:
		return word, nil
	}
	return whole(word, last, own)
}

// Numbered reports whether the blocks of a world with those names have numbers alone, as before 1.13.
func Numbered(own []string) bool {
	return !slices.ContainsFunc(own, isNamed) && slices.ContainsFunc(own, isNumber)
}

func isNumber(name string) bool { return strings.HasPrefix(name, legacyPrefix) }

func isNamed(name string) bool { return strings.HasPrefix(name, Space) }

// pathLetters are what names of the game consist of, without their space.
const pathLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-./"

// whole is State for blocks with names.
func whole(word string, version int32, own []string) (string, error) {
	base, list, _ := strings.Cut(word, "[")
	var of []propertyOf // at the nearest version that is known
	known := false
	for _, f := range states()[strings.TrimPrefix(base, Space)] {
		if !known || f.since <= version {
			of, known = f.properties, true
		}
	}
	switch {
	case !known && (slices.Contains(own, word) || strings.Trim(base, pathLetters) != "" && !strings.Contains(base, ":")):
		return word, nil // the world's own, or no name of a game
	case isNumber(word):
		return "", &StateError{word, fmt.Sprintf("the blocks there have names; did you mean %q?", Flat(word))}
	case !strings.Contains(base, ":"):
		base = Space + base
	}
	given, err := propertiesOf(word, list)
	if err != nil {
		return "", err
	}
	has := func(p string) bool { // the world has the block with it
		return slices.ContainsFunc(own, func(name string) bool { return baseOf(name) == base && hasProperty(name, p) })
	}
	for _, p := range given {
		key, value, _ := strings.Cut(p, "=")
		i := slices.IndexFunc(of, func(o propertyOf) bool { return o.key == key })
		switch {
		case !known || i >= 0 && slices.Contains(of[i].values, value) || has(p):
		case len(of) == 0:
			return "", &StateError{word, "it has no properties"}
		case i < 0:
			keys := make([]string, len(of))
			for i, o := range of {
				keys[i] = o.key
			}
			return "", noState(word, fmt.Sprintf("it has no property %q, but %s", key, strings.Join(keys, ", ")), key, slices.Values(keys))
		default:
			why := fmt.Sprintf("its property %s has no value %q, but %s", key, value, strings.Join(of[i].values, ", "))
			return "", noState(word, why, value, slices.Values(of[i].values))
		}
	}
	for _, o := range of {
		if !slices.ContainsFunc(given, func(p string) bool { return strings.HasPrefix(p, o.key+"=") }) {
			given = append(given, o.key+"="+o.byDefault)
		}
	}
	return joined(base, given), nil
}

// propertiesOf returns the properties in what follows the bracket of a name.
func propertiesOf(word, list string) (out []string, err error) {
	inner, closed := strings.CutSuffix(list, "]")
	seen := make(map[string]bool)
	for p := range strings.SplitSeq(inner, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(p), "=")
		switch {
		case inner == "" && closed == strings.Contains(word, "["):
			continue
		case !ok || key == "" || value == "" || !closed:
			return nil, &StateError{word, "not a block state such as " + Space + "oak_log[axis=y]"}
		case seen[key]:
			return nil, &StateError{word, "it has two values of " + key}
		}
		seen[key] = true
		out = append(out, key+"="+value)
	}
	return out, nil
}

// joined is a name with its properties, sorted by key.
func joined(base string, properties []string) string {
	if len(properties) == 0 {
		return base
	}
	slices.SortFunc(properties, func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return strings.Compare(a, b)
	})
	return base + "[" + strings.Join(properties, ",") + "]"
}
