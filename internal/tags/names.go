package tags

import (
	"strconv"
	"strings"
)

// The numbers of names, in this order: block states, blocks and biomes with numeric
// ids, words with the prefix.
const (
	legacyPrefix = "legacy:"
	legacyIDs    = 1 << 12
	legacyBlocks = legacyIDs * 16
	legacyBiomes = 1 << 8
)

// NameNumber returns the number of the name of a block state or biome. It returns
// false if the name has none.
func NameNumber(name string) (int, bool) {
	w := known()
	if n, ok := w.state(name); ok {
		return n, true
	}
	if rest, ok := strings.CutPrefix(name, legacyPrefix); ok {
		n, ok := legacyNumber(rest)
		return w.count + n, ok
	}
	if n, ok := w.word(name); ok && n%2 == 1 {
		return w.count + legacyBlocks + legacyBiomes + n/2, true
	}
	return 0, false
}

func legacyNumber(s string) (n int, ok bool) {
	id, data, isBlock := strings.Cut(s, "/")
	if !isBlock {
		n, ok = number(id, legacyBiomes)
		return legacyBlocks + n, ok
	}
	n, ok = number(id, legacyIDs)
	d, isData := number(data, 16)
	return n*16 + d, ok && isData
}

// number parses a number below n in the form that strconv writes.
func number(s string, n int) (int, bool) {
	v, err := strconv.Atoi(s)
	return v, err == nil && v >= 0 && v < n && strconv.Itoa(v) == s
}

// Name undoes NameNumber.
func Name(n int) (string, bool) {
	w := known()
	if n < 0 {
		return "", false
	}
	if n < w.count {
		return w.stateName(n), true
	}
	n -= w.count
	if n < legacyBlocks {
		return legacyPrefix + strconv.Itoa(n/16) + "/" + strconv.Itoa(n%16), true
	}
	n -= legacyBlocks
	if n < legacyBiomes {
		return legacyPrefix + strconv.Itoa(n), true
	}
	n -= legacyBiomes
	if n < len(w.list) {
		return w.list[n], true
	}
	return "", false
}

// WordNumber returns the number of a word. It returns false for other strings.
func WordNumber(s string) (int, bool) { return known().word(s) }

// Word undoes WordNumber.
func Word(n int) (string, bool) {
	if w := known(); n >= 0 && n < w.strings() {
		return w.string(n), true
	}
	return "", false
}
