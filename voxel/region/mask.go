package region

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxMask bounds the text of a mask in bytes.
const maxMask = 4096

// Mask says which cells an operation may touch, by what is there now. The zero Mask admits
// every cell. A mask does not change.
type Mask struct {
	names   []nameTerm
	changes []Changed
}

// Changed is a term of a Mask that admits the cells which a history has changed: after a
// version or by an author. One of Since and By is set.
type Changed struct {
	Since string // what stands behind @name@: a number, the beginning of an id, or a time
	By    string // the name of an author
	Not   bool   // the term admits all other cells
}

// nameTerm admits a cell whose name one of the patterns matches, or with not all others.
type nameTerm struct {
	not      bool
	patterns []pattern
}

// pattern matches names of blocks.
type pattern struct {
	text       string
	name       string   // with its namespace; * stands for any letters
	properties []string // each "key=value", where * stands for any letters
}

// airs are the names that the pattern "air" matches.
var airs = []string{"minecraft:air", "minecraft:cave_air", "minecraft:void_air"}

// ParseMask reads a mask. Its terms are joined by "&", and all of them must hold:
//
//	stone*,oak_log     the name of the cell matches one of the patterns
//	*_log[axis=y]      also the properties
//	air                air, cave_air or void_air
//	35:14              a block of before 1.13 by its number, which * may stand for
//	since:12           an operation changed the cell after this version
//	by:ann             this author changed the cell
//	!stone             the term does not hold
//
// In a pattern * stands for any letters, also for none. A pattern or name without a namespace
// has the namespace minecraft, so "*:*" matches the names of all. A pattern without properties
// matches any; one with properties matches the names that have these and perhaps others.
// An author with one of the letters "&,!" or with spaces at an end stands in double quotes, as in Go.
// There may be spaces around terms and patterns. An empty text is the zero Mask. A text
// has at most 4,096 bytes. An error says at which byte of the text it is.
func ParseMask(text string) (Mask, error) {
	if len(text) > maxMask {
		return Mask{}, fmt.Errorf("region: mask: %d bytes, want at most %d", len(text), maxMask)
	}
	var m Mask
	if strings.TrimSpace(text) == "" {
		return m, nil
	}
	for at := 0; at <= len(text); {
		term := text[at : at+until(text[at:], '&')]
		if where, err := m.add(term); err != nil {
			return Mask{}, fmt.Errorf("region: mask: offset %d: %w", at+where, err)
		}
		at += len(term) + 1
	}
	return m, nil
}

// add reads a term. An error is at the offset where.
func (m *Mask) add(term string) (where int, err error) {
	rest := strings.TrimLeftFunc(term, unicode.IsSpace)
	not := strings.HasPrefix(rest, "!")
	rest = strings.TrimLeftFunc(strings.TrimPrefix(rest, "!"), unicode.IsSpace)
	where = len(term) - len(rest)
	kind, value, _ := strings.Cut(strings.TrimSpace(rest), ":")
	if kind == "since" || kind == "by" {
		if value, err = unquoted(value); err != nil {
			return where + len(kind) + 1, err
		}
		c := Changed{Not: not, Since: value}
		if kind == "by" {
			c.Since, c.By = "", value
		}
		m.changes = append(m.changes, c)
		return 0, nil
	}
	t := nameTerm{not: not}
	for {
		n := until(rest, ',')
		p, err := patternOf(strings.TrimSpace(rest[:n]))
		if err != nil {
			return where, err
		}
		t.patterns = append(t.patterns, p)
		if n == len(rest) {
			break
		}
		where, rest = where+n+1, rest[n+1:]
	}
	m.names = append(m.names, t)
	return 0, nil
}

// until returns the offset of the first separator in text that stands neither in
// double quotes nor in brackets, or the length of text.
func until(text string, separator byte) int {
	quoted, bracket := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == ']':
			bracket = c == '['
		case c == separator && !bracket:
			return i
		}
	}
	return len(text)
}

// unquoted returns a version or an author as it is meant.
func unquoted(value string) (string, error) {
	var err error
	switch {
	case strings.HasPrefix(value, `"`):
		if value, err = strconv.Unquote(value); err != nil {
			return "", fmt.Errorf("double quotes: %w", err)
		}
	case strings.ContainsAny(value, `,!"[]`) || value != strings.TrimSpace(value):
		return "", fmt.Errorf("%q: want it in double quotes", value)
	}
	if value == "" {
		return "", fmt.Errorf("the text ends, want a version or an author")
	}
	return value, nil
}

func patternOf(text string) (pattern, error) {
	name, properties, err := splitName(text)
	if err != nil {
		return pattern{}, err
	}
	name = numbered(name)
	if name == "" || strings.ContainsAny(name, " !\"]&,=") {
		return pattern{}, fmt.Errorf("%q: want a name, such as stone* or oak_log[axis=y]", text)
	}
	for _, p := range properties {
		if key, value, ok := strings.Cut(p, "="); !ok || key == "" || value == "" || strings.ContainsAny(p, " !\"[]&") || strings.Contains(value, "=") {
			return pattern{}, fmt.Errorf("%q: property %q: want key=value", text, p)
		}
	}
	return pattern{text, name, properties}, nil
}

// numbered returns "legacy:ID/DATA" for a block that is said by its number: 1:0, legacy:1/0, or
// legacy:1 for any data.
func numbered(name string) string {
	number, legacy := strings.CutPrefix(strings.TrimPrefix(name, "minecraft:"), "legacy:")
	id, data, ok := strings.Cut(strings.ReplaceAll(number, "/", ":"), ":")
	if _, err := strconv.ParseUint(id, 10, 16); err != nil || !ok && !legacy {
		return name
	}
	if !ok {
		data = "*"
	}
	return "legacy:" + id + "/" + data
}

// splitName returns the name of a block with its namespace, and its properties.
func splitName(text string) (name string, properties []string, err error) {
	name, list, ok := strings.Cut(text, "[")
	if ok {
		inner, closed := strings.CutSuffix(list, "]")
		if !closed {
			return "", nil, fmt.Errorf("%q: want \"]\" at the end", text)
		}
		if inner != "" {
			properties = strings.Split(inner, ",")
		}
	}
	if name != "" && !strings.Contains(name, ":") {
		name = "minecraft:" + name
	}
	return name, properties, nil
}

// String returns a text from which ParseMask makes the mask again: names first, then
// what a history decides.
func (m Mask) String() string {
	var terms []string
	for _, t := range m.names {
		var texts []string
		for _, p := range t.patterns {
			texts = append(texts, p.text)
		}
		terms = append(terms, bang(t.not)+strings.Join(texts, ","))
	}
	for _, c := range m.changes {
		kind, value := "since:", c.Since
		if c.By != "" {
			kind, value = "by:", c.By
		}
		if strings.ContainsAny(value, "&,!\"[]\\") || value != strings.TrimSpace(value) || strconv.Quote(value) != `"`+value+`"` {
			value = strconv.Quote(value)
		}
		terms = append(terms, bang(c.Not)+kind+value)
	}
	return strings.Join(terms, " & ")
}

func bang(not bool) string {
	if not {
		return "!"
	}
	return ""
}

// Cells returns for each name, which is that of the cell of its index, whether the terms about
// names admit it: a pattern may match the name, or what one of also makes of it. It returns nil if
// the mask has no such terms: then they admit every cell.
func (m Mask) Cells(names []string, also ...func(name string) string) []bool {
	if len(m.names) == 0 {
		return nil
	}
	out := make([]bool, len(names))
	for i, text := range names {
		matches := []func(pattern) bool{matching(text)}
		for _, other := range also {
			if name := other(text); name != text {
				matches = append(matches, matching(name))
			}
		}
		out[i] = !slices.ContainsFunc(m.names, func(t nameTerm) bool {
			return t.not == slices.ContainsFunc(t.patterns, func(p pattern) bool {
				return slices.ContainsFunc(matches, func(m func(pattern) bool) bool { return m(p) })
			})
		})
	}
	return out
}

// matching returns which patterns match a name.
func matching(text string) func(pattern) bool {
	name, properties, err := splitName(text)
	if err != nil {
		name, properties = text, nil
	}
	return func(p pattern) bool { return p.matches(name, properties) }
}

// Unmatched returns the patterns of which no name has the name and, if it has properties, their
// keys, in the order of the text: those that match nothing, whatever the values are.
func (m Mask) Unmatched(names []string) (patterns []string) {
	for _, t := range m.names {
		for _, p := range t.patterns {
			loose := pattern{text: p.text, name: p.name}
			for _, property := range p.properties {
				key, _, _ := strings.Cut(property, "=")
				loose.properties = append(loose.properties, key+"=*")
			}
			if !slices.ContainsFunc(names, func(text string) bool {
				name, properties, err := splitName(text)
				return err == nil && (loose.matches(name, properties) || len(properties) == 0 && pattern{name: p.name}.matches(name, nil))
			}) {
				patterns = append(patterns, p.text)
			}
		}
	}
	return patterns
}

// Names returns the mask without the terms that a history decides.
func (m Mask) Names() Mask { return Mask{names: m.names} }

// Changes returns the terms that a history decides, in the order of the text. A cell must
// hold to all of them and to Cells.
func (m Mask) Changes() []Changed { return slices.Clone(m.changes) }

// matches reports whether p matches a name with its namespace and properties.
func (p pattern) matches(name string, properties []string) bool {
	if p.text == "air" {
		return slices.Contains(airs, name)
	}
	if !wild(p.name, name) {
		return false
	}
	for _, want := range p.properties {
		if !slices.ContainsFunc(properties, func(has string) bool { return wild(want, has) }) {
			return false
		}
	}
	return true
}

// wild reports whether text is the pattern, in which each * stands for any letters.
// After a star the rest of the pattern is tried at each letter, and only the last star counts:
// what an earlier one took has matched already.
func wild(pattern, text string) bool {
	star, retry := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star < 0:
			return false
		default:
			retry++
			p, t = star+1, retry
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
