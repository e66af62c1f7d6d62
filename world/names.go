package world

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// names is what the cells of a volume index: it never changes; add returns
// another. Cells keep their meaning in it.
type names struct {
	list  []string
	index map[string]voxel.Cell
}

func newNames(list []string) *names {
	n := &names{list: list, index: make(map[string]voxel.Cell, len(list))}
	for i, name := range list {
		n.index[name] = voxel.Cell(i)
	}
	return n
}

// add returns names with name and its cell.
func (n *names) add(name string) (*names, voxel.Cell, error) {
	if c, ok := n.index[name]; ok {
		return n, c, nil
	}
	c := voxel.Cell(len(n.list))
	if c > voxel.MaxCell {
		return n, 0, fmt.Errorf("world: name %q: a volume has at most %d", name, int(voxel.MaxCell)+1)
	}
	more := &names{list: append(slices.Clip(n.list), name), index: maps.Clone(n.index)}
	more.index[name] = c
	return more, c, nil
}

// translation returns names that have all of list, and for each cell of list
// the cell here; nil if they are the same.
func (n *names) translation(list []string) (*names, []voxel.Cell, error) {
	var fresh []string
	for _, name := range list {
		if _, ok := n.index[name]; !ok {
			fresh = append(fresh, name)
		}
	}
	if len(n.list)+len(fresh) > int(voxel.MaxCell)+1 {
		return n, nil, fmt.Errorf("world: %d names: a volume has at most %d", len(n.list)+len(fresh), int(voxel.MaxCell)+1)
	}
	if len(fresh) > 0 {
		n = newNames(append(slices.Clip(n.list), fresh...))
	}
	table := make([]voxel.Cell, len(list))
	same := true
	for i, name := range list {
		table[i] = n.index[name]
		same = same && table[i] == voxel.Cell(i)
	}
	if same {
		table = nil
	}
	return n, table, nil
}
