// Package clip holds a piece of a world as a value: a Clip has cells with their names,
// biomes, block entities and entities, and what a file said besides. Schematics are clips in
// files, copy and paste move clips between worlds, and Turn turns one. The leaves
// format/sponge, format/mcedit, format/structure, format/litematic, format/vox,
// format/maptemplate and format/hytale read and write them; a Leaf makes a
// leaf's two functions a format of worlds.
//
// Begin with Clip. From copies one of an open world. Cells lie in chunks, as in a world, so a clip of a billion equal blocks is
// small.
package clip

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Void is the name of the block that stands for no block: a paste keeps what is there. The
// game's structures and WorldEdit treat it so. A structure file leaves such cells out.
const Void = "minecraft:structure_void"

// MaxEdge bounds the edges of a clip in a file, and maxCells its blocks: an array of NBT has no
// more bytes.
const (
	MaxEdge  = 1<<16 - 1
	maxCells = 1<<31 - 1
)

// fits reports whether a file could hold a clip of that size.
func fits(size geom.Point) bool {
	return max(size.X, size.Y, size.Z) <= MaxEdge && size.X*size.Y*size.Z <= maxCells
}

// ErrTooLarge is wrapped if a file takes more memory than ReadOptions allow.
var ErrTooLarge = document.ErrTooLarge

// Clip is a piece of a world. Nobody changes one that is shared.
type Clip struct {
	// Format and FormatVersion are those of the file that the clip was read from; "" and 0
	// if it was copied from a world.
	Format        string
	FormatVersion int
	// Version is the data version of the game that the names are of, 0 if it is unknown or
	// the blocks have numbers.
	Version int32
	Size    geom.Point // edges in blocks
	// Offset is where the least corner lies from the point at which a player pastes.
	Offset geom.Point
	// Min is where the least corner lay in the world that the clip was copied from.
	Min geom.Point
	// Inner is the box that a file names, if blocks lie outside of it: its least corner is pasted at a
	// place, not that of all blocks.
	Inner geom.Box
	Block Contents
	Biome *Contents // nil if there are none
	// Beside are volumes beside the blocks, by name, with one cell a block: of Hytale the fluids, their levels and the
	// distances of support. A level has no Names. Where the block is Void or outside of the box they say nothing.
	Beside map[string]*Contents
	// Lists are voxel.BlockEntities and voxel.Entities in the form of a column of a block
	// world. Positions count from the least corner, those in payloads too.
	Lists []voxel.List
	// Tags is the payload of an NBT compound: what the file has besides. It belongs to the
	// leaf of Format, which writes it back.
	Tags []byte
	// Lost is what the reader of the file left out, by name and count.
	Lost map[string]int
	// Notes say what else is odd in the file, and lost nothing.
	Notes []string
}

// Contents is the cells of a clip and their names.
type Contents struct {
	// Names are by cell. Cell 0 is format.Air, for biomes it is none.
	Names []string
	View  *grid.View
	// At is where the clip's least corner lies in View, in blocks.
	At geom.Point
	// Scale is the edge of a cell in blocks: 1 or 4.
	Scale int
	// Flat says that all blocks of a column have the cell at height At.Y. Scale is 1.
	Flat bool
}

// Air returns a clip of that size that is all air.
func Air(size geom.Point) *Clip {
	return &Clip{Size: size, Block: Contents{Names: []string{format.Air}, View: grid.New(grid.Options{}), Scale: 1}, Lost: map[string]int{}}
}

// Area returns the number of blocks of a slice.
func (c *Clip) Area() int { return c.Size.X * c.Size.Z }

// Box returns the blocks of the clip in the space of v's View.
func (c *Clip) Box(v *Contents) geom.Box { return geom.Box{Min: v.At, Max: v.At.Add(c.Size)} }

// Slice writes the cells of v at a height, one for each block, to dst: x fastest, then z. dst
// must hold Area cells.
func (c *Clip) Slice(v *Contents, y int, dst []voxel.Cell) { c.rows(v, y, 0, c.Size.Z, dst) }

// bandCells is about how many cells Cells gives at once.
const bandCells = 1 << 20

// Cells calls f with all cells of v, one for each block, in the order of schematics: x fastest,
// then z, then y; of a flat volume, one slice. f gets whole rows, and must not keep them. Cells
// returns the first error of f.
func (c *Clip) Cells(v *Contents, f func(cells []voxel.Cell) error) error {
	height := c.Size.Y
	if v.Flat {
		height = 1
	}
	if c.Area() == 0 {
		return nil
	}
	rows := min(max(bandCells/c.Size.X, 1), c.Size.Z)
	band := make([]voxel.Cell, rows*c.Size.X)
	for y := range height {
		for z := 0; z < c.Size.Z; z += rows {
			end := min(z+rows, c.Size.Z)
			part := band[:(end-z)*c.Size.X]
			c.rows(v, y, z, end, part)
			if err := f(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows writes the cells of the rows from z0 up to z1 at a height.
func (c *Clip) rows(v *Contents, y, z0, z1 int, dst []voxel.Cell) {
	if v.Flat {
		y = 0
	}
	b := c.Box(v)
	b.Min.Y += y
	b.Max.Y = b.Min.Y + 1
	b.Min.Z, b.Max.Z = b.Min.Z+z0, b.Min.Z+z1
	if v.Scale == 1 {
		mustRead(v.View, b, dst)
		return
	}
	wide := geom.Box{Min: quarter(b.Min), Max: quarter(b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1})).Add(geom.Point{X: 1, Y: 1, Z: 1})}
	cells := make([]voxel.Cell, wide.Cells())
	mustRead(v.View, wide, cells)
	w := wide.Size().X
	for z := range z1 - z0 {
		row := cells[((b.Min.Z+z)>>2-wide.Min.Z)*w:]
		for x := range c.Size.X {
			dst[z*c.Size.X+x] = row[(b.Min.X+x)>>2-wide.Min.X]
		}
	}
}

func quarter(p geom.Point) geom.Point { return geom.Point{X: p.X >> 2, Y: p.Y >> 2, Z: p.Z >> 2} }

func mustRead(v *grid.View, b geom.Box, dst []voxel.Cell) {
	if !v.ReadBox(b, 0, dst) {
		panic("clip: a clip's view holds all of its cells: " + fmt.Sprint(b))
	}
}

// Counts returns how many blocks have each cell of v; of a flat one, how many columns.
func (c *Clip) Counts(v *Contents) []int {
	counts := make([]int, len(v.Names))
	if c.Area() == 0 || c.Size.Y == 0 && !v.Flat {
		return counts
	}
	if v.Scale == 1 && !v.Flat && v.At.InChunk() == (geom.Point{}) {
		left, b := c.Size.X*c.Size.Y*c.Size.Z, c.Box(v)
		all := make([]int, max(len(v.Names), int(v.View.Default())+1))
		for pos, chunk := range v.View.ChunksIn(b) {
			in := pos.Box().Intersect(b)
			if n := in.Cells(); n == voxel.ChunkCells {
				chunk.AddCounts(all)
			} else {
				cells := make([]voxel.Cell, n)
				mustRead(v.View, in, cells)
				for _, cell := range cells {
					all[cell]++
				}
			}
			left -= in.Cells()
		}
		all[v.View.Default()] += left
		return all[:len(v.Names)]
	}
	count := func(cells []voxel.Cell) error {
		for _, cell := range cells {
			counts[cell]++
		}
		return nil
	}
	if err := c.Cells(v, count); err != nil {
		panic("clip: counting does not fail: " + err.Error())
	}
	return counts
}

// TagsOf returns the tags that belong to a format. It counts those of another as lost.
func (c *Clip) TagsOf(format string, lost map[string]int) ([]document.Field, error) {
	if len(c.Tags) == 0 {
		return nil, nil
	}
	fields, err := document.Fields(c.Tags)
	if err != nil || c.Format == format {
		return fields, err
	}
	for _, f := range fields {
		if !strings.HasPrefix(f.Name, Note) {
			lost["tag "+f.Name+" of "+c.Format]++
		}
	}
	return nil, nil
}

// Note begins the names of tags by which a leaf remembers how a file was written. They are in
// no file.
const Note = "cairn "

// List returns the objects of the list of that name.
func (c *Clip) List(name string) []voxel.Object {
	for _, l := range c.Lists {
		if l.Name == name {
			return l.Objects
		}
	}
	return nil
}

// Inside returns the clip without the objects that lie outside of its box, as some programs wrote
// them, and counts these by name.
func (c *Clip) Inside() (_ *Clip, lost map[string]int) {
	out, lost := *c, map[string]int{}
	out.Lists = nil
	for _, l := range c.Lists {
		in := slices.DeleteFunc(slices.Clone(l.Objects), func(o voxel.Object) bool {
			return o.Place != voxel.Nowhere && !geom.Box{Max: c.Size}.Contains(o.At)
		})
		lose(lost, l.Name+" outside of the box", len(l.Objects)-len(in))
		if len(in) > 0 {
			out.Lists = append(out.Lists, voxel.List{Name: l.Name, Objects: in})
		}
	}
	return &out, lost
}

// lose counts what is left out.
func lose(lost map[string]int, name string, n int) {
	if n > 0 {
		lost[name] += n
	}
}

// Difference returns where two clips differ, as text, or "" if they are equal. The order of
// objects does not matter, nor do the numbers of cells and the format.
func Difference(a, b *Clip) string {
	for _, p := range []struct {
		what string
		a, b any
	}{
		{"data version", a.Version, b.Version}, {"size", a.Size, b.Size}, {"offset", a.Offset, b.Offset}, {"least corner", a.Min, b.Min},
		{"biomes", a.Biome != nil, b.Biome != nil}, {"tags", string(a.Tags), string(b.Tags)},
	} {
		if p.a != p.b {
			return fmt.Sprintf("%s: %v, %v", p.what, p.a, p.b)
		}
	}
	if d := differentCells(a, b, &a.Block, &b.Block); d != "" {
		return "block " + d
	}
	if a.Biome != nil {
		if d := differentCells(a, b, a.Biome, b.Biome); d != "" {
			return "biome " + d
		}
	}
	for _, name := range beside {
		if v, w := a.Beside[name], b.Beside[name]; v != nil && w != nil {
			if d := differentCells(a, b, v, w); d != "" {
				return name + " " + d
			}
		} else if v != w {
			return fmt.Sprintf("%s: %v, %v", name, v != nil, w != nil)
		}
	}
	for _, name := range []string{voxel.BlockEntities, voxel.Entities} {
		x, y := sortedObjects(a.List(name)), sortedObjects(b.List(name))
		if len(x) != len(y) {
			return fmt.Sprintf("%s: %d, %d", name, len(x), len(y))
		}
		for i := range x {
			if x[i].Place != y[i].Place || x[i].At != y[i].At || !bytes.Equal(x[i].Payload, y[i].Payload) {
				return fmt.Sprintf("%s at %v: %q, %v: %q", name, x[i].At, x[i].Payload, y[i].At, y[i].Payload)
			}
		}
	}
	return ""
}

func differentCells(a, b *Clip, v, w *Contents) string {
	if a.Area() == 0 {
		return ""
	}
	x, y := make([]voxel.Cell, a.Area()), make([]voxel.Cell, a.Area())
	for h := range a.Size.Y {
		a.Slice(v, h, x)
		b.Slice(w, h, y)
		for i := range x {
			if v.name(x[i]) != w.name(y[i]) {
				at := geom.Point{X: i % a.Size.X, Y: h, Z: i / a.Size.X}
				return fmt.Sprintf("at %v: %s, %s", at, v.name(x[i]), w.name(y[i]))
			}
		}
	}
	return ""
}

// name returns the name of a cell, its number if cells have none.
func (v *Contents) name(c voxel.Cell) string {
	if len(v.Names) == 0 {
		return fmt.Sprint(c)
	}
	return v.Names[c]
}

func sortedObjects(list []voxel.Object) []voxel.Object {
	return slices.SortedStableFunc(slices.Values(list), func(a, b voxel.Object) int {
		return cmp.Or(cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.Z, b.At.Z), cmp.Compare(a.At.X, b.At.X), bytes.Compare(a.Payload, b.Payload))
	})
}
