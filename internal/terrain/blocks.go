package terrain

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

// kind is a block as its line number in the catalogue; 0 is air.
type kind uint16

// block is one line of the catalogue.
type block struct {
	modern  string // name from 1.13 on
	numeric string // "ID/DATA" before
	opacity uint8  // how much it weakens light: 0, 1 or 15
	glow    uint8  // the light it emits
	stops   bool   // counts for MOTION_BLOCKING
	leaves  bool
	fluid   bool
}

// catalogue has a line for each block that the worlds use: key, id and data, class,
// and the modern name if it is not the key. A key ending in @x is the block facing
// that way, so that mirrored buildings can turn it. Classes: s opaque, c
// transparent, t passable, l leaves, w water, v lava; a number after the class is
// the light it emits.
//
//go:embed blocks.txt
var catalogue string

// blockTable is the catalogue as one world uses it: kinds by key, and the cell of
// each kind in the world's block volume.
type blockTable struct {
	blocks []block
	kinds  map[string]kind
	cells  []voxel.Cell // 0: not named yet, or air
}

func newBlockTable() *blockTable {
	b := &blockTable{kinds: map[string]kind{}}
	for line := range strings.SplitSeq(strings.TrimSpace(catalogue), "\n") {
		f := strings.Fields(line)
		name := f[0]
		if len(f) == 4 {
			name = f[3]
		}
		b.kinds[f[0]] = kind(len(b.blocks))
		b.blocks = append(b.blocks, newBlock("minecraft:"+name, f[1], f[2]))
	}
	b.cells = make([]voxel.Cell, len(b.blocks))
	return b
}

func newBlock(modern, numeric, class string) block {
	b := block{modern: modern, numeric: numeric, stops: class[0] != 't'}
	switch class[0] {
	case 's':
		b.opacity = 15
	case 'l':
		b.opacity, b.leaves = 1, true
	case 'w':
		b.opacity, b.fluid = 1, true
	case 'v':
		b.fluid = true
	}
	if len(class) > 1 {
		if _, err := fmt.Sscan(class[1:], &b.glow); err != nil {
			panic(fmt.Sprintf("terrain: class %q of the catalogue: %v", class, err))
		}
	}
	return b
}

// kind returns the block with a key. It panics if the catalogue lacks it.
func (b *blockTable) kind(key string) kind {
	k, ok := b.kinds[key]
	if !ok {
		panic("terrain: the catalogue lacks " + key)
	}
	return k
}

// cell returns the cell of k in the volume with these names. It adds the name on
// first use.
func (b *blockTable) cell(k kind, names *format.Names, numeric bool) (voxel.Cell, error) {
	if c := b.cells[k]; c != 0 || k == 0 {
		return c, nil
	}
	name := b.blocks[k].modern
	if numeric {
		name = "legacy:" + b.blocks[k].numeric
	}
	c, err := names.Cell(name)
	b.cells[k] = c
	return c, err
}
