package port

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
)

//go:embed names
var tables embed.FS

// NameTable says what blocks of one game are in another. It is read from TOML:
//
//	names = [
//	  ["minecraft:oak_log[axis=y]", "Wood_Oak_Trunk"],
//	  ["minecraft:*_wool", "Cloth_Block_Wool"],
//	]
//
// The first row that fits a block counts. A * in the left name stands for any letters, and the same * of the right one
// for what these were. Properties on the left must be among those of the block; without any, those of the block do not
// matter. [*] at the right end repeats the properties of the block. "reverse = true" reads the rows from right to left.
type NameTable struct {
	rows  []pair
	plain map[string][]int // rows without * by their name without properties
	stars []int            // the other rows
}

type pair struct {
	like       *regexp.Regexp // nil without *
	properties []string
	to         string
}

// Shipped returns the names of the tables that cairn has, sorted.
func Shipped() []string {
	all := []string{numbersNames}
	list, _ := fs.ReadDir(tables, "names")
	for _, e := range list {
		name, _, _ := strings.Cut(e.Name(), ".")
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// AboutNames returns what a table says of itself: its first line.
func AboutNames(name string) string {
	text, _ := NamesText(name)
	first, _, _ := strings.Cut(text, "\n")
	first, _, _ = strings.Cut(strings.TrimPrefix(first, "# "), ", made by")
	return first
}

// numbersNames is the table that package block knows.
const numbersNames = "numbers-names"

// numberTable returns that table. Still water and lava come before those that flow, for who reads it from right to left.
func numberTable() string {
	text := []byte("# Blocks of Minecraft Java up to 1.12, which have numbers, as they are from 1.13 on\nnames = [\n")
	for id := range 256 {
		if swap := map[int]int{8: 9, 9: 8, 10: 11, 11: 10}; swap[id] > 0 {
			id = swap[id]
		}
		for data := range 16 {
			name := block.LegacyName(id, uint8(data))
			if now := block.Flat(name); now != name {
				text = fmt.Appendf(text, "  [%q, %q],\n", name, now)
			}
		}
	}
	return string(append(text, "]\n"...))
}

// NamesText returns the text of a table that cairn has.
func NamesText(name string) (string, error) {
	if name == numbersNames {
		return numberTable(), nil
	}
	text, err := tables.ReadFile("names/" + name + ".toml")
	if packed, none := tables.ReadFile("names/" + name + ".toml.gz"); none == nil {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			text, err = io.ReadAll(z)
		}
	}
	if err != nil {
		return "", fmt.Errorf("port: no table of names %q: there are %s", name, strings.Join(Shipped(), ", "))
	}
	return string(text), nil
}

// ReadNames reads the table in a file, or the one that cairn has by that name. "reverse:" before it reads its rows from right to left.
func ReadNames(file string) (*NameTable, error) {
	file, back := strings.CutPrefix(file, "reverse:")
	text, err := NamesText(file)
	if err != nil {
		b, why := os.ReadFile(file)
		if errors.Is(why, fs.ErrNotExist) && !strings.ContainsAny(file, `./\`) {
			return nil, err
		}
		if why != nil {
			return nil, why
		}
		text = string(b)
	}
	n, err := parseNames(text, back)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return n, nil
}

func parseNames(text string, back bool) (*NameTable, error) {
	var doc struct {
		Reverse bool
		Names   [][]string
	}
	meta, err := toml.Decode(text, &doc)
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	if more := meta.Undecoded(); len(more) > 0 {
		return nil, fmt.Errorf("names: %s: there are only names and reverse", more[0])
	}
	n := &NameTable{plain: map[string][]int{}}
	for i, two := range doc.Names {
		if len(two) != 2 {
			return nil, fmt.Errorf("names: row %d: %d names, want two", i+1, len(two))
		}
		if doc.Reverse != back {
			two[0], two[1] = two[1], two[0]
		}
		if err := n.add(two[0], two[1]); err != nil {
			return nil, fmt.Errorf("names: row %d: %w", i+1, err)
		}
	}
	if len(n.rows) == 0 {
		return nil, errors.New("names: no row")
	}
	return n, nil
}

func (n *NameTable) add(from, to string) error {
	base, properties, err := splitName(from)
	switch {
	case err != nil:
		return err
	case strings.Count(strings.TrimSuffix(to, "[*]"), "*") > strings.Count(base, "*"):
		return fmt.Errorf("%q has more * than %q", to, from)
	case to == "":
		return fmt.Errorf("no name for %q", from)
	}
	r := pair{properties: properties, to: to}
	if strings.Contains(base, "*") {
		r.like = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(base), `\*`, "(.*)") + "$")
		n.stars = append(n.stars, len(n.rows))
	} else {
		n.plain[base] = append(n.plain[base], len(n.rows))
	}
	n.rows = append(n.rows, r)
	return nil
}

// splitName returns a name without its properties, and these.
func splitName(name string) (base string, properties []string, err error) {
	base, list, ok := strings.Cut(name, "[")
	if ok && !strings.HasSuffix(list, "]") || base == "" {
		return "", nil, fmt.Errorf("%q is no name of a block", name)
	}
	return base, strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ']' }), nil
}

// Of returns what a block is. It reports false if no row fits.
func (n *NameTable) Of(name string) (string, bool) {
	if name == format.Air {
		return name, true
	}
	base, properties, err := splitName(name)
	if err != nil {
		base = name
	}
	for _, i := range slices.SortedFunc(slices.Values(slices.Concat(n.plain[base], n.stars)), cmp.Compare[int]) {
		if to, ok := n.rows[i].of(base, properties); ok {
			if rest, all := strings.CutSuffix(to, "[*]"); all {
				to = rest + strings.TrimPrefix(name, base)
			}
			if to == "minecraft:"+format.Air {
				to = format.Air
			}
			return to, true
		}
	}
	if now := block.Flat(name); now != name { // a table of names is one of numbers, too
		return n.Of(now)
	}
	return "", false
}

func (r *pair) of(base string, properties []string) (string, bool) {
	for _, p := range r.properties {
		if !slices.Contains(properties, p) {
			return "", false
		}
	}
	if r.like == nil {
		return r.to, true
	}
	found := r.like.FindStringSubmatch(base)
	if found == nil {
		return "", false
	}
	to, keep := strings.CutSuffix(r.to, "[*]")
	for _, part := range found[1:] {
		to = strings.Replace(to, "*", part, 1)
	}
	if keep {
		to += "[*]"
	}
	return to, true
}
