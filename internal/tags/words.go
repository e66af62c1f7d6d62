package tags

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// WordsVersion is the version of this package's words. Everything written with them
// holds it.
const WordsVersion = 1

//go:embed words.txt
var wordsFile string

// prefix is the namespace that a string may have before a word.
const prefix = "minecraft:"

// words are the strings and block states that have numbers.
type words struct {
	list   []string // words with the prefix: string 2n is word n without it, 2n+1 with it
	number map[string]int
	states []state // by first
	blocks map[string][]int
	count  int                      // of all states
	names  []atomic.Pointer[string] // of states, as far as they were asked for: stones share them
}

// state is all states of a block that have the same properties.
type state struct {
	block string
	props []property
	first int
}

type property struct {
	name   string
	values []string
}

var known = sync.OnceValue(func() *words { return parseWords(wordsFile) })

// parseWords reads the file. It is part of this package, so it is not checked.
func parseWords(file string) *words {
	w := &words{number: map[string]int{}, blocks: map[string][]int{}}
	kind, props := "", []property(nil)
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "= "):
			fields := strings.Fields(line)[1:]
			kind, props = fields[0], parseProperties(fields[1:])
		case kind == "lines":
			w.add(line)
		default:
			for _, word := range strings.Fields(line) {
				w.add(word)
				if kind == "states" {
					w.addStates(word, props)
				}
			}
		}
	}
	w.names = make([]atomic.Pointer[string], w.count)
	return w
}

func parseProperties(fields []string) (props []property) {
	for _, f := range fields {
		name, values, _ := strings.Cut(f, ":")
		props = append(props, property{name, strings.Split(values, ",")})
	}
	return props
}

func (w *words) add(word string) {
	if _, ok := w.number[word]; !ok {
		w.number[word] = len(w.list)
		w.list = append(w.list, prefix+word)
	}
}

func (w *words) addStates(block string, props []property) {
	n := 1
	for _, p := range props {
		n *= len(p.values)
	}
	w.blocks[block] = append(w.blocks[block], len(w.states))
	w.states = append(w.states, state{block, props, w.count})
	w.count += n
}

// word returns the number of a string. It returns false if it has none.
func (w *words) word(s string) (int, bool) {
	bare := strings.TrimPrefix(s, prefix)
	n, ok := w.number[bare]
	n *= 2
	if len(bare) != len(s) {
		n++
	}
	return n, ok
}

// strings returns how many strings have numbers.
func (w *words) strings() int { return 2 * len(w.list) }

// string undoes word; n is below strings.
func (w *words) string(n int) string {
	return w.list[n/2][len(prefix)*(1-n%2):]
}

// state returns the number of a block state. It returns false if it has none.
func (w *words) state(name string) (int, bool) {
	bare, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	block, rest := bare, ""
	if i := strings.IndexByte(bare, '['); i >= 0 {
		block, rest = bare[:i], bare[i:]
	}
	for _, i := range w.blocks[block] {
		if n, ok := w.states[i].rank(rest); ok {
			return w.states[i].first + n, true
		}
	}
	return 0, false
}

// rank returns the number of a state among those of s. rest is what follows the
// block's name.
func (s *state) rank(rest string) (n int, ok bool) {
	open := byte('[')
	for _, p := range s.props {
		if rest == "" || rest[0] != open || !strings.HasPrefix(rest[1:], p.name) {
			return 0, false
		}
		rest = rest[1+len(p.name):]
		if rest == "" || rest[0] != '=' {
			return 0, false
		}
		end := strings.IndexAny(rest, ",]")
		if end < 0 {
			return 0, false
		}
		i := 0
		for i < len(p.values) && p.values[i] != rest[1:end] {
			i++
		}
		if i == len(p.values) {
			return 0, false
		}
		n, rest, open = n*len(p.values)+i, rest[end:], ','
	}
	return n, rest == "" && len(s.props) == 0 || rest == "]"
}

// stateName undoes state; n is below count.
func (w *words) stateName(n int) string {
	name := w.names[n].Load()
	if name == nil {
		made := w.makeName(n)
		name = &made
		w.names[n].Store(name)
	}
	return *name
}

func (w *words) makeName(n int) string {
	s := &w.states[sort.Search(len(w.states), func(i int) bool { return w.states[i].first > n })-1]
	n -= s.first
	picks := make([]string, len(s.props))
	for i := len(s.props) - 1; i >= 0; i-- {
		p := &s.props[i]
		picks[i] = p.name + "=" + p.values[n%len(p.values)]
		n /= len(p.values)
	}
	if len(picks) == 0 {
		return prefix + s.block
	}
	return prefix + s.block + "[" + strings.Join(picks, ",") + "]"
}
