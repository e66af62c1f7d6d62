package block

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/format"
)

//go:embed numbers.txt
var numbersText string

// numbered is a block of up to 1.12: a number with data, and the state that it is now.
type numbered struct {
	id, data   int
	old        string // its name then
	base       string
	properties []string
}

// numberTables are numbers.txt.
type numberTables struct {
	by  map[string][]numbered // by name without Space, and by number in digits; ascending
	old map[string]int        // numbers by names up to 1.12
}

var numbers = sync.OnceValue(func() numberTables {
	t := numberTables{map[string][]numbered{}, map[string]int{}}
	for line := range strings.Lines(numbersText) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		id, err := strconv.Atoi(words[0])
		if err != nil {
			panic("block: numbers.txt: no number: " + line)
		}
		t.old[words[1]] = id
		for data, state := range words[2:] {
			base, list, _ := strings.Cut(strings.TrimSuffix(state, "]"), "[")
			n := numbered{id, data, words[1], base, strings.FieldsFunc(list, func(r rune) bool { return r == ',' })}
			if state != "-" {
				t.by[base] = append(t.by[base], n)
				t.by[words[0]] = append(t.by[words[0]], n)
			}
		}
	}
	return t
})

// Flat returns the name from 1.13 on of a block "legacy:ID/DATA", with the properties that its
// number says. Data that the game did not use counts as the block's first. Other names, and
// numbers of mods, stay as they are.
func Flat(name string) string {
	if !isNumber(name) {
		return name
	}
	id, data, err := ParseShort(name)
	all := numbers().by[strconv.Itoa(int(id))]
	if err != nil || len(all) == 0 {
		return name
	}
	n := all[max(0, slices.IndexFunc(all, func(n numbered) bool { return n.data == int(data) }))]
	return joined(Space+n.base, slices.Clone(n.properties))
}

// Shown is how people are shown a name: as it is, but "minecraft:coarse_dirt (3:1)" for a number.
func Shown(name string) string {
	flat := Flat(name)
	if flat == name {
		return name
	}
	return flat + " (" + strings.ReplaceAll(strings.TrimPrefix(name, legacyPrefix), "/", ":") + ")"
}

// Number returns the name "legacy:ID/DATA" of the block of up to 1.12 that a word means: a number
// such as legacy:1/0, 1:0 or 1; a name from 1.13 on such as red_wool or oak_log[axis=x]; or a name
// of then, with its data or without, such as wool:14. Of the properties of a name some are not in
// numbers: they follow from what is beside the block, and may have any value. The error is a *StateError.
func Number(word string) (string, error) {
	word = strings.TrimPrefix(word, Space)
	if word == format.Air {
		return word, nil
	}
	t := numbers()
	first, data, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(word, legacyPrefix), "/", ":"), ":")
	base, list, _ := strings.Cut(word, "[")
	id, known := t.old[first]
	if n, err := strconv.Atoi(first); err == nil {
		id, known = n, true
	}
	switch all := t.by[base]; {
	case len(all) > 0 && base != strconv.Itoa(id):
		return pick(word, base, list, all)
	case known:
		n, d, err := ParseLegacy(fmt.Sprintf("%s%d/%s", legacyPrefix, id, cmp.Or(data, "0")))
		if err != nil {
			return "", &StateError{word, "the game has numbers up to 4095:15"}
		}
		return LegacyName(n, d), nil
	}
	why := "the game has none before 1.13, and the blocks of this world have numbers: " + legacyPrefix + "ID/DATA"
	return "", noState(word, why, base, slices.Values(slices.Sorted(maps.Keys(t.by))))
}

// last113 is the data version of 1.13.2, whose properties numbers have.
const last113 = 1631

// pick returns the number whose state is nearest to a word: what the word says, then the game's
// defaults, then the block that was called so.
func pick(word, base, list string, all []numbered) (string, error) {
	given, err := propertiesOf(word, list)
	if err != nil {
		return "", err
	}
	full, err := whole(word, last113, nil)
	if err != nil {
		return "", err
	}
	defaults, _ := whole(base, last113, nil)
	best, most := all[0], -1
	for _, n := range all {
		score := 0
		if strings.ReplaceAll(base, "_", "") == n.old {
			score = 1
		}
		for _, p := range n.properties {
			if hasProperty(full, p) {
				score += 2
			}
		}
		for _, p := range given {
			key, _, _ := strings.Cut(p, "=")
			said := values(all, key)
			if len(said) > 1 && !slices.Contains(n.properties, p) || len(said) == 0 && !hasProperty(defaults, p) {
				score = math.MinInt
				break
			}
		}
		if score > most {
			best, most = n, score
		}
	}
	if most < 0 {
		return "", &StateError{word, "before 1.13 the game has no such state of it"}
	}
	return LegacyName(best.id, uint8(best.data)), nil
}

// values returns the values of a property in the states of numbers.
func values(all []numbered, key string) (out []string) {
	for _, n := range all {
		for _, p := range n.properties {
			if k, v, _ := strings.Cut(p, "="); k == key && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// hasProperty reports whether a name has a property.
func hasProperty(name, p string) bool {
	_, list, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	return slices.Contains(strings.Split(list, ","), p)
}
