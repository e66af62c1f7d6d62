package world

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// names is what the cells of a volume index. Once a state has it, it does not change.
// Cells keep their meaning in it.
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

// cell returns the cell of a name. All that games call air is the empty cell where that is one of
// these, as in format.Names, unless it is a cell of its own.
func (n *names) cell(name string) (voxel.Cell, bool) {
	c, ok := n.index[name]
	if !ok && isAir(name) && len(n.list) > 0 && isAir(n.list[0]) {
		return voxel.Empty, true
	}
	return c, ok
}

func isAir(name string) bool { return name == "air" || name == "minecraft:air" || name == "legacy:0/0" }

// clone returns names that no state has yet.
func (n *names) clone() *names { return &names{list: slices.Clip(n.list), index: maps.Clone(n.index)} }

// add adds a name that is new and returns its cell. No state may have the names.
func (n *names) add(name string) (voxel.Cell, error) {
	if len(n.list) > int(voxel.MaxCell) {
		return voxel.Empty, fmt.Errorf("name %q: a volume has at most %d", name, int(voxel.MaxCell)+1)
	}
	c := voxel.Cell(len(n.list))
	n.list = append(n.list, name)
	n.index[name] = c
	return c, nil
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
