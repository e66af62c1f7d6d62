package light

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// TranslateRules returns rules for other cells: table[c] stands for cell c. Cells that
// the table lacks or makes empty do not count. A nil table changes nothing.
func TranslateRules(rules []Rule, table []voxel.Cell) []Rule {
	if table == nil {
		return rules
	}
	out := slices.Clone(rules)
	for i, r := range out {
		var cells []voxel.Cell
		for _, c := range r.Cells {
			if int(c) < len(table) && table[c] != voxel.Empty {
				cells = append(cells, table[c])
			}
		}
		slices.Sort(cells)
		out[i].Cells = cells
	}
	return out
}

// Translate returns m for other cells, as TranslateRules does. A nil m stays nil.
func (m Matters) Translate(table []voxel.Cell) Matters {
	if table == nil || m == nil {
		return m
	}
	var out Matters
	for c, v := range m[:min(len(m), len(table))] {
		if c > 0 && table[c] == voxel.Empty {
			continue
		}
		for len(out) <= int(table[c]) {
			out = append(out, Opaque)
		}
		out[table[c]] = v
	}
	return out
}
