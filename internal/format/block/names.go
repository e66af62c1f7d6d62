package block

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Space is how the names of the game's own blocks and biomes begin.
const Space = "minecraft:"

// Table is what the game names, and since when: blocks or biomes.
type Table struct {
	kind  string
	spans map[string]span // by name without Space
	names []string        // sorted
}

// span is the data versions of a name: from the release that brought it up to the one
// that took it away, 0 if none has.
type span struct{ first, gone release }

// release is a version of the game.
type release struct {
	name string
	data int32
}

//go:embed names.txt
var namesText string

type tables struct {
	blocks, biomes *Table
	releases       []release // ascending
}

// parsed is names.txt, read when it is first needed.
var parsed = sync.OnceValue(func() tables { return parseNames(namesText) })

// Blocks are the names of blocks from 1.13 on.
func Blocks() *Table { return parsed().blocks }

// Biomes are the names of biomes from 1.18 on.
func Biomes() *Table { return parsed().biomes }

// Names returns all names without Space, sorted; none of nil. They must not be changed.
func (t *Table) Names() []string {
	if t == nil {
		return nil
	}
	return t.names
}

// parseNames reads the form of names.txt, whose head describes it.
func parseNames(text string) tables {
	t := tables{blocks: &Table{kind: "block", spans: map[string]span{}}, biomes: &Table{kind: "biome", spans: map[string]span{}}}
	var to *Table
	var at release
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 1 && words[0] == "blocks":
			to = t.blocks
		case len(words) == 1 && words[0] == "biomes":
			to = t.biomes
		case len(words) == 1 && words[0] == "releases":
			to = nil
		case words[0] == "=":
			at = parseRelease(words[1], words[2])
		case to == nil:
			for _, w := range words {
				name, data, _ := strings.Cut(w, "=")
				t.releases = append(t.releases, parseRelease(name, data))
			}
		case words[0] == "-":
			for _, w := range words[1:] {
				to.spans[w] = span{to.spans[w].first, at}
			}
		default:
			for _, w := range words {
				to.spans[w] = span{first: at}
				to.names = append(to.names, w)
			}
		}
	}
	slices.Sort(t.blocks.names)
	slices.Sort(t.biomes.names)
	return t
}

func parseRelease(name, data string) release {
	n, err := strconv.ParseInt(data, 10, 32)
	if err != nil {
		panic("block: names.txt: a release without a data version: " + name)
	}
	return release{name, int32(n)}
}

// DataVersion returns the data version of a release of the game from 1.13 on:
// "1.21.1" is 3955.
func DataVersion(release string) (int32, bool) {
	for _, r := range parsed().releases {
		if r.name == release {
			return r.data, true
		}
	}
	return 0, false
}

// NameError says that the game has no such name, or not at that data version.
type NameError struct {
	Kind, Name string // "block" or "biome", and the name as it was given
	Version    int32  // the data version that was asked for, 0 if none was
	Near       string // the nearest name that there is; "" if none is near
	// Since and Until are the release that brought the name and the one that took it
	// away, where the version is outside of them.
	Since, Until string
}

func (e *NameError) Error() string {
	s := fmt.Sprintf("the game has no %s %q", e.Kind, e.Name)
	switch {
	case e.Since != "":
		s = fmt.Sprintf("%s %q is of %s and later, the world is of data version %d", e.Kind, e.Name, e.Since, e.Version)
	case e.Until != "":
		s = fmt.Sprintf("%s %q is gone since %s, the world is of data version %d", e.Kind, e.Name, e.Until, e.Version)
	}
	if e.Near != "" {
		s += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return s
}

// Check returns a *NameError where a name, of a block with its properties or without,
// is none that the game of a data version has and none of own, the names that the world
// has already. Version 0 is any. A name whose space is not the game's must be one of a
// space that own has.
func (t *Table) Check(name string, version int32, own []string) error {
	base := baseOf(name)
	space := base[:strings.Index(base, ":")+1]
	spaces := false
	for _, o := range own {
		if baseOf(o) == base {
			return nil
		}
		spaces = spaces || strings.HasPrefix(o, space)
	}
	word, ours := strings.CutPrefix(base, Space)
	if !ours && space != "" && spaces {
		return nil
	}
	e := &NameError{Kind: t.kind, Name: name, Version: version}
	if s, ok := t.spans[word]; ok && (ours || space == "") {
		switch {
		case version == 0 || !s.isBefore(version) && !s.isAfter(version):
			return nil
		case s.isBefore(version):
			e.Since = s.first.name
		default:
			e.Until = s.gone.name
		}
	}
	e.Near = t.near(word, version)
	return e
}

// baseOf is a name without its properties.
func baseOf(name string) string {
	base, _, _ := strings.Cut(name, "[")
	return base
}

// isBefore reports whether a data version is before the name. A snapshot after the
// last release without it may have it.
func (s span) isBefore(version int32) bool {
	last := int32(0)
	for _, r := range parsed().releases {
		if r.data < s.first.data {
			last = r.data
		}
	}
	return version <= last
}

// isAfter reports whether a data version is after the name.
func (s span) isAfter(version int32) bool { return s.gone.data != 0 && version >= s.gone.data }

// near returns the name of a version that is Near word.
func (t *Table) near(word string, version int32) string {
	found := Near(word, func(yield func(string) bool) {
		for _, name := range t.names {
			s := t.spans[name]
			if (version == 0 || !s.isBefore(version) && !s.isAfter(version)) && !yield(name) {
				return
			}
		}
	})
	if found == "" {
		return ""
	}
	return Space + found
}

// Near returns the one of names that takes the fewest changes to become word, of several the
// first, or "" where all take too many: what to ask for after a slip. Large letters are as
// small ones.
func Near(word string, names iter.Seq[string]) string {
	word = strings.ToLower(word)
	best, found := 2+len(word)/3, ""
	for name := range names {
		if d := distance(word, strings.ToLower(name), best); d < best {
			best, found = d, name
		}
	}
	return found
}

// distance is how many letters must be put in, taken out, replaced or swapped with the next
// to make a of b; most and above are the same.
func distance(a, b string, most int) int {
	if d := len(a) - len(b); d >= most || -d >= most || len(a) > maxName {
		return most
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	least := 0
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		above := least
		least = row[0]
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = min(d, row[j]+1, last[j+1]+1)
			least = min(least, row[j+1])
		}
		if min(least, above+1) >= most {
			return most
		}
	}
	return min(row[len(b)], most)
}

// maxName bounds the names that near ones are looked for.
const maxName = 256
