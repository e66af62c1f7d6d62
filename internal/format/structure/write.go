package structure

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// maxArea bounds the blocks of a slice, which the writer holds.
const maxArea = 1 << 26

// writer writes a structure.
type writer struct {
	document.Output
	c       *clip.Clip
	lost    map[string]int
	full    map[string]bool // nil: nobody knows
	tiles   map[geom.Point]*voxel.Object
	size    geom.Point // what the file says
	least   geom.Point // corner
	void    int        // the cell of clip.Void, or -1
	states  []int      // by cell: its state plus one, 0 if it has none yet
	palette []voxel.Cell
	// Of a clip from a file with several palettes: their states, the names of the one that is shown, and
	// states of places that are not the first of their name.
	kept   [][][]byte
	shown  []string
	others map[geom.Point]int
}

// Write writes a clip. Blocks come in three runs as the game writes them: those that fill a
// block, the rest, and those with a tag nbt; each by y, x and z. For a clip from another format
// a block counts as full if its state has no properties. It returns by name and count what the
// format cannot hold.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	w := &writer{c: c, lost: map[string]int{}, tiles: map[geom.Point]*voxel.Object{}, void: -1, states: make([]int, len(c.Block.Names))}
	return w.lost, w.WriteGzip(to, w.write)
}

func (w *writer) write() error {
	c := w.c
	if c.Biome != nil {
		w.lost["biomes"]++
	}
	tags, err := w.tags()
	if err != nil {
		return err
	}
	w.size = c.Size
	if !c.Inner.Empty() && c.Inner.Min == (geom.Point{}).Sub(c.Offset) {
		w.size, w.least = c.Inner.Size(), c.Offset
	}
	if c.Offset != w.least || c.Min != (geom.Point{}) {
		w.lost["offset"]++
	}
	for i, name := range c.Block.Names {
		if name == clip.Void {
			w.void = i
		}
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.Compound, "")
	w.Buf = appendPoint(nbt.AppendHeader(w.Buf, nbt.List, tagSize), w.size)
	for _, f := range tags {
		w.Buf = f.Append(w.Buf)
	}
	if err := w.entities(); err != nil {
		return err
	}
	counts, n := c.Counts(&c.Block), 0
	for cell, k := range counts {
		if cell != w.void {
			n += k
		}
	}
	if n > math.MaxInt32 || c.Area() > maxArea {
		return fmt.Errorf("%w: %d blocks in %d x %d x %d", format.ErrHolds, n, c.Size.X, c.Size.Y, c.Size.Z)
	}
	w.findTiles()
	w.Buf = nbt.AppendList(w.Buf, tagBlocks, nbt.Compound, n)
	for run := range 3 {
		if err := w.run(run); err != nil {
			return err
		}
	}
	var added []byte
	for _, cell := range w.palette {
		if added, err = block.AppendNamed(added, c.Block.Names[cell]); err != nil {
			return err
		}
	}
	if len(w.kept) == 0 {
		w.Buf = append(nbt.AppendList(w.Buf, tagPalette, nbt.Compound, len(w.palette)), added...)
	} else {
		w.Buf = nbt.AppendList(w.Buf, tagPalettes, nbt.List, len(w.kept))
	}
	for _, states := range w.kept {
		w.Buf = nbt.AppendListPayload(w.Buf, nbt.Compound, len(states)+len(w.palette))
		w.Buf = append(append(w.Buf, bytes.Join(states, nil)...), added...)
	}
	if c.Version != 0 {
		w.Buf = nbt.AppendInt(w.Buf, tagVersion, c.Version)
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return nil
}

// tags returns the tags that are not ours, and takes the reader's notes out of them.
func (w *writer) tags() ([]document.Field, error) {
	tags, err := w.c.TagsOf(formatName, w.lost)
	if err != nil {
		return nil, err
	}
	if note := document.Find(tags, tagFull, nbt.List); note != nil {
		w.full = map[string]bool{}
		r := nbt.NewPayload(note, nbt.Limits{})
		for _, n := r.List(); n > 0; n-- {
			w.full[string(r.String())] = true
		}
	}
	if all := document.Find(tags, tagPalettes, nbt.List); all != nil {
		if err := w.keep(all, document.Find(tags, tagShown, nbt.Int), document.Find(tags, tagOthers, nbt.IntArray)); err != nil {
			return nil, err
		}
		if w.kept != nil {
			tags = document.Without(tags, tagPalettes)
		}
	}
	return document.Without(tags, tagFull, tagShown, tagOthers), nil
}

// keep takes over the palettes that were read: cells have the states of the one that is shown.
func (w *writer) keep(raw, shown, others []byte) (err error) {
	if shown == nil {
		return nil
	}
	if w.kept, err = palettesOf(raw); err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint32(shown))
	if n >= len(w.kept) {
		return fmt.Errorf("palette %d of %d is shown", n, len(w.kept))
	}
	first := map[string]int{}
	for i, raw := range w.kept[n] {
		name, _, err := block.Name(raw)
		if err != nil {
			return err
		}
		if w.shown = append(w.shown, name); first[name] == 0 {
			first[name] = i + 1
		}
	}
	for cell, name := range w.c.Block.Names {
		w.states[cell] = first[name]
	}
	if others == nil {
		return nil
	}
	w.others = map[geom.Point]int{}
	r := nbt.NewPayload(others, nbt.Limits{})
	for k := r.Int() / 4; k > 0 && r.Err() == nil; k-- {
		p := geom.Point{X: int(r.Int()), Y: int(r.Int()), Z: int(r.Int())}
		w.others[p.Sub(w.c.Offset)] = int(r.Int())
	}
	return r.Err()
}

// findTiles finds the block entities that have a block.
func (w *writer) findTiles() {
	list := w.c.List(voxel.BlockEntities)
	for i := range list {
		o := &list[i]
		cell, _ := w.c.Block.View.Cell(o.At.Add(w.c.Block.At))
		switch {
		case o.Place != voxel.Moved || !(geom.Box{Max: w.c.Size}).Contains(o.At) || int(cell) == w.void:
			w.lost["block entities without a block"]++
		case w.tiles[o.At] != nil:
			w.lost["second block entities of a place"]++
		default:
			w.tiles[o.At] = o
		}
	}
}

// isFull reports whether a block belongs to the first run.
func (w *writer) isFull(cell voxel.Cell) bool {
	name := w.c.Block.Names[cell]
	if w.full != nil {
		return w.full[name]
	}
	return name != format.Air && !strings.Contains(name, "[") && !strings.HasSuffix(name, "_air")
}

// run writes one of the three runs: full blocks, the rest, blocks with a tag nbt.
func (w *writer) run(run int) error {
	slice := make([]voxel.Cell, w.c.Area())
	class := make([]int8, len(w.c.Block.Names)) // of blocks without nbt: 1 + run
	for y := range w.c.Size.Y {
		w.c.Slice(&w.c.Block, y, slice)
		for x := range w.c.Size.X {
			for z := range w.c.Size.Z {
				cell := slice[z*w.c.Size.X+x]
				if int(cell) == w.void {
					continue
				}
				p := geom.Point{X: x, Y: y, Z: z}
				var o *voxel.Object
				if len(w.tiles) > 0 {
					o = w.tiles[p]
				}
				if class[cell] == 0 {
					if class[cell] = 2; w.isFull(cell) {
						class[cell] = 1
					}
				}
				if o != nil && run != 2 || o == nil && int(class[cell]) != run+1 {
					continue
				}
				w.block(p, cell, o)
				if len(w.Buf) > 1<<16 {
					if err := w.Emit(); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (w *writer) block(p geom.Point, cell voxel.Cell, o *voxel.Object) {
	if w.states[cell] == 0 {
		w.palette = append(w.palette, cell)
		w.states[cell] = len(w.shown) + len(w.palette)
	}
	state := w.states[cell] - 1
	if other, ok := w.others[p]; ok && other < len(w.shown) && w.shown[other] == w.c.Block.Names[cell] {
		state = other
	}
	w.Buf = appendPoint(nbt.AppendHeader(w.Buf, nbt.List, tagPos), p.Add(w.least))
	w.Buf = nbt.AppendInt(w.Buf, tagState, int32(state))
	if o != nil {
		w.Buf = append(nbt.AppendCompound(w.Buf, tagNBT), o.Payload...)
	}
	w.Buf = nbt.AppendEnd(w.Buf)
}

// entities appends the list of entities. Those without a position are lost.
func (w *writer) entities() error {
	var list []voxel.Object
	for _, o := range w.c.List(voxel.Entities) {
		if o.Place == voxel.Indexed {
			list = append(list, clip.Move(o, w.least))
		} else {
			w.lost["entities without a position"]++
		}
	}
	elem := nbt.Compound
	if len(list) == 0 {
		elem = nbt.End // as the game writes it
	}
	w.Buf = nbt.AppendList(w.Buf, tagEntities, elem, len(list))
	for _, o := range list {
		fields, err := document.Fields(o.Payload)
		if err != nil {
			return err
		}
		at := o.At
		if p, ok := clip.Hangs(&o); ok {
			at = p
		}
		w.Buf = append(nbt.AppendHeader(w.Buf, nbt.List, tagPos), document.Find(fields, "Pos", nbt.List)...)
		w.Buf = appendPoint(nbt.AppendHeader(w.Buf, nbt.List, tagBlockPos), at)
		w.Buf = append(nbt.AppendCompound(w.Buf, tagNBT), o.Payload...)
		w.Buf = nbt.AppendEnd(w.Buf)
	}
	return nil
}

// appendPoint appends the payload of a list of three ints.
func appendPoint(dst []byte, p geom.Point) []byte {
	dst = nbt.AppendListPayload(dst, nbt.Int, 3)
	for _, v := range [...]int{p.X, p.Y, p.Z} {
		dst = binary.BigEndian.AppendUint32(dst, uint32(int32(v)))
	}
	return dst
}
