package convert

import (
	"fmt"
	"slices"
)

// firsts bounds Difference.First.
const firsts = 10

// notes are the first differences of each kind, as text.
type notes struct{ kinds []kindNotes }

type kindNotes struct {
	kind  string
	lines []string
}

// expect puts kinds, unless they are there already, behind those that are.
func (n *notes) expect(kinds ...string) {
	for _, kind := range kinds {
		if n.index(kind) < 0 {
			n.kinds = append(n.kinds, kindNotes{kind: kind})
		}
	}
}

// full reports whether there are enough notes of a kind.
func (n *notes) full(kind string) bool {
	i := n.index(kind)
	return i >= 0 && len(n.kinds[i].lines) == firsts
}

func (n *notes) index(kind string) int {
	return slices.IndexFunc(n.kinds, func(k kindNotes) bool { return k.kind == kind })
}

// add notes a difference unless there are enough notes of its kind. It reports whether there
// are enough now.
func (n *notes) add(kind, format string, args ...any) (full bool) {
	n.expect(kind)
	k := &n.kinds[n.index(kind)]
	if len(k.lines) < firsts {
		k.lines = append(k.lines, fmt.Sprintf(format, args...))
	}
	return len(k.lines) == firsts
}

// first returns the first few notes, kind by kind. It takes one of each kind in turn.
func (n *notes) first() []string {
	took := make([]int, len(n.kinds))
	for left, any := firsts, true; any && left > 0; {
		any = false
		for i, k := range n.kinds {
			if took[i] < len(k.lines) && left > 0 {
				took[i]++
				left--
				any = true
			}
		}
	}
	out := make([]string, 0, firsts)
	for i, k := range n.kinds {
		out = append(out, k.lines[:took[i]]...)
	}
	return out
}
