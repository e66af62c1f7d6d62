package convert

import (
	"fmt"
	"slices"
)

// firsts bounds Difference.First.
const firsts = 10

// notes are the first differences of each kind, as text.
type notes struct {
	kinds []kindNotes
	count int
}

type kindNotes struct {
	kind  string
	lines []note
}

type note struct {
	at   int // how many notes came before
	text string
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
	i := n.index(kind)
	if i < 0 {
		i = len(n.kinds)
		n.kinds = append(n.kinds, kindNotes{kind: kind})
	}
	k := &n.kinds[i]
	if len(k.lines) < firsts {
		k.lines = append(k.lines, note{n.count, fmt.Sprintf(format, args...)})
		n.count++
	}
	return len(k.lines) == firsts
}

// first returns the first few notes in the order they came. It takes one of each kind in turn.
func (n *notes) first() []string {
	var taken []note
	for turn := range firsts {
		for _, k := range n.kinds {
			if turn < len(k.lines) && len(taken) < firsts {
				taken = append(taken, k.lines[turn])
			}
		}
	}
	slices.SortFunc(taken, func(a, b note) int { return a.at - b.at })
	out := make([]string, 0, len(taken))
	for _, t := range taken {
		out = append(out, t.text)
	}
	return out
}
