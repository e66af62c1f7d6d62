package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/block"
)

// Difference says how two worlds differ. Cells of a volume with names are compared by name,
// others by number.
type Difference struct {
	Cells      int            `json:"cells"`
	Volumes    map[string]int `json:"volumes"` // cells by volume
	Objects    int            `json:"objects"` // each object that differs counts
	Columns    int            `json:"columns"`
	Properties int            `json:"properties"` // of the world, its dimensions and its volumes; the folder of a dimension does not count
	Files      int            `json:"files"`
	First      []string       `json:"first"` // the first few differences as text, some of each kind and volume
	// Blocks counts the cells that differ of the volumes "block" and "solid" by name, those that differ most first, at most
	// 1,000 names. A cell of a Terrain volume counts if its material differs.
	Blocks []BlockCount `json:"blocks"`
}

// BlockCount says how many cells of a name the second world has where the first has another
// (Added), and the other way round (Removed). Air counts too.
type BlockCount struct {
	Name    string `json:"name"`
	Shown   string `json:"shown,omitempty"` // the name as people are shown it, if that is another
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Same reports whether nothing differs.
func (d *Difference) Same() bool {
	return d.Cells+d.Objects+d.Columns+d.Properties+d.Files == 0
}

// blockCounts counts by name.
type blockCounts map[string]*BlockCount

func (b blockCounts) of(name string) *BlockCount {
	if b[name] == nil {
		b[name] = &BlockCount{Name: name}
	}
	return b[name]
}

// list returns the counts, those that differ most first.
func (b blockCounts) list() []BlockCount {
	const most = 1000
	out := []BlockCount{}
	for _, c := range b {
		if c.Shown = block.Shown(c.Name); c.Shown == c.Name {
			c.Shown = ""
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(c, d BlockCount) int {
		return cmp.Or(cmp.Compare(d.Added+d.Removed, c.Added+c.Removed), cmp.Compare(c.Name, d.Name))
	})
	return out[:min(len(out), most)]
}

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
