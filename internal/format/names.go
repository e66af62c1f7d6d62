package format

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// Air is the name of cell 0 of every volume of names.
const Air = "air"

// Names is the growing list of names of a Palette volume's cells. Name 0 is always
// Air, the empty cell. Goroutines must not use it at the same time.
//
// A block's name is the game's name with its properties sorted by key:
// "minecraft:oak_stairs[facing=east,half=bottom]". Blocks with numeric ids are
// "legacy:ID/DATA", and biomes with numeric ids "legacy:ID". "minecraft:air" and
// "legacy:0/0" are cell 0; a format writes the name that it needs.
type Names struct {
	list []string
	cell map[string]voxel.Cell
}

// NewNames returns names with Air alone.
func NewNames() *Names {
	return &Names{list: []string{Air}, cell: map[string]voxel.Cell{Air: 0}}
}

// NamesOf returns names whose cells are the indexes of a list: different names, Air first, or none.
func NamesOf(list []string) (*Names, error) {
	n := NewNames()
	for i, name := range list {
		if c, err := n.Cell(name); err != nil || int(c) != i {
			return nil, fmt.Errorf("format: cell %d cannot be %q", i, name)
		}
	}
	return n, nil
}

// Cell returns the cell of name and adds a new name. It fails if there would be more
// than 32,768 names.
func (n *Names) Cell(name string) (voxel.Cell, error) {
	if c, ok := n.cell[name]; ok {
		return c, nil
	}
	if len(n.list) > int(voxel.MaxCell) {
		return 0, fmt.Errorf("format: name %q: a volume holds at most %d names", name, len(n.list))
	}
	c := voxel.Cell(len(n.list))
	n.list = append(n.list, name)
	n.cell[name] = c
	return c, nil
}

// Name returns the name of c, or "" if there is none.
func (n *Names) Name(c voxel.Cell) string {
	if int(c) >= len(n.list) {
		return ""
	}
	return n.list[c]
}

// Len returns the number of names.
func (n *Names) Len() int { return len(n.list) }

// List returns the names by cell. The caller must not change the list.
func (n *Names) List() []string { return n.list }
