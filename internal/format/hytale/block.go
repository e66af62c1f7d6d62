package hytale

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	// blockVersion is the version of block data that the package knows.
	blockVersion = 6
	// migration is the version of the blocks' names that the game writes.
	migration = 11
)

// light is one of the two lights of a section.
type light struct {
	change int    // id of the change
	tree   []byte // nil if there is none
}

// blockData is what a section says of its blocks.
type blockData struct {
	migration                 int
	names, fillers, rotations palette
	ticks                     []byte // which blocks tick, as it is stored; nil if none does
	lights                    [2]light
	counters                  [2]int
}

// noTicks is the ticking blocks of a section where none ticks.
const noTicks = "\x00\x00\x00\x00"

func (b *blockData) read(r *cursor.Cursor) error {
	b.migration = int(r.Big32())
	b.names.read(r, nameKeys)
	b.ticks = nil
	if b.names.kind != paletteEmpty {
		from := r.Offset()
		r.Big16()
		r.Bytes(8 * int(r.Big16()))
		if r.Err() == nil && string(r.Since(from)) != noTicks {
			b.ticks = r.Since(from)
		}
	}
	b.fillers.read(r, fillerKeys)
	b.rotations.read(r, rotationKeys)
	for i := range b.lights {
		b.lights[i] = light{change: int(r.Big16())}
		if r.Flag() {
			b.lights[i].tree = r.Bytes(int(r.Big32()))
		}
	}
	b.counters = [2]int{int(r.Big16()), int(r.Big16())}
	return r.End()
}

// Properties that rotation and filler of a block are in its name.
const (
	fillerProperty   = "filler"
	rotationProperty = "rotation"
)

// blockKey is what a block is: the keys of its entries in the three palettes.
type blockKey struct{ name, filler, rotation string }

// text returns the name of a block as cairn has it.
func (k blockKey) text() string {
	var properties []string
	if k.filler != "" {
		properties = append(properties, fillerProperty+"="+strconv.Itoa(int(int16(binary.BigEndian.Uint16([]byte(k.filler))))))
	}
	if k.rotation != "" {
		properties = append(properties, rotationProperty+"="+strconv.Itoa(int(k.rotation[0])))
	}
	name := cmp.Or(k.name, emptyBlock)
	if len(properties) > 0 {
		return name + "[" + strings.Join(properties, ",") + "]"
	}
	if k.name == "" {
		return format.Air
	}
	return name
}

// blockOf is the inverse of text. Of a name with other properties it takes all as the name of the block.
func blockOf(text string) (k blockKey) {
	if text == format.Air {
		return k
	}
	name, properties, ok := strings.Cut(text, "[")
	if ok {
		properties, ok = strings.CutSuffix(properties, "]")
	}
	if ok && properties != "" {
		for part := range strings.SplitSeq(properties, ",") {
			key, value, _ := strings.Cut(part, "=")
			n, err := strconv.Atoi(value)
			switch {
			case err == nil && key == fillerProperty && n == int(int16(n)) && n != 0:
				k.filler = string(binary.BigEndian.AppendUint16(nil, uint16(n)))
			case err == nil && key == rotationProperty && n == int(uint8(n)) && n != 0:
				k.rotation = string([]byte{byte(n)})
			default:
				ok = false
			}
		}
	}
	if k.name = name; !ok || k.text() != text {
		k = blockKey{name: text}
	}
	if k.name == emptyBlock {
		k.name = ""
	}
	return k
}

// bareRoom is how many names of a volume are left for blocks without rotation and filler, if there are too many with them.
const bareRoom = 1 << 13

// blocks turns blocks into cells of a volume and back.
type blocks struct {
	names *format.Names
	cells map[blockKey]cellOf
	bare  int                          // where names with rotation and filler end
	empty [int(voxel.MaxCell) + 1]bool // by cell: the empty block, perhaps with a filler
}

// cellOf is the cell of a block, and whether its name lacks rotation and filler.
type cellOf struct {
	cell voxel.Cell
	bare bool
}

func newBlocks(names *format.Names) *blocks {
	b := &blocks{names: names, cells: map[blockKey]cellOf{}, bare: int(voxel.MaxCell) + 1 - bareRoom}
	b.empty[0] = true
	return b
}

// cell returns the cell of a block. Where names have become too many, it is that of the block alone, and bare is true.
func (b *blocks) cell(k blockKey) (cellOf, error) {
	if c, ok := b.cells[k]; ok {
		return c, nil
	}
	c := cellOf{bare: (k.filler != "" || k.rotation != "") && b.names.Len() >= b.bare}
	named := k
	if c.bare {
		named = blockKey{name: k.name}
	}
	var err error
	if c.cell, err = b.names.Cell(named.text()); err == nil {
		b.cells[k], b.empty[c.cell] = c, k.name == ""
	}
	return c, err
}

// section is a section's blocks as cells.
type section struct {
	uniform bool
	cell    voxel.Cell // of all of it
	cells   [sectionCells]voxel.Cell
	// fillers and rotations are those of blocks whose names lack them, as cells of their volumes; nil if there are none.
	fillers, rotations *[sectionCells]voxel.Cell
	regular            bool // the palettes are such as the game writes
}

// unpack makes cells of block data.
func (d *decoder) unpack(b *blockData, s *section) (err error) {
	s.fillers, s.rotations = nil, nil
	s.uniform = b.names.uniform() && b.fillers.uniform() && b.rotations.uniform()
	if s.uniform {
		var c cellOf
		c, err = d.blocks.cell(blockKey{b.names.entries[0].key, b.fillers.entries[0].key, b.rotations.entries[0].key})
		s.cell = c.cell
		s.uniform = !c.bare
		s.regular = b.names.entries[0].count == sectionCells && b.fillers.entries[0].count == sectionCells && b.rotations.entries[0].count == sectionCells
		if s.uniform || err != nil {
			return err
		}
	}
	parts := [3]*palette{&b.names, &b.fillers, &b.rotations}
	s.regular = true
	size := 1
	for i, p := range parts {
		if p.kind == paletteEmpty {
			continue
		}
		regular, err := p.unpack(&d.numbers[i])
		if err != nil {
			return err
		}
		s.regular = s.regular && regular
		size *= len(p.entries)
	}
	if b.fillers.kind == paletteEmpty && b.rotations.kind == paletteEmpty {
		table := make([]voxel.Cell, len(b.names.entries))
		for i, e := range b.names.entries {
			c, err := d.blocks.cell(blockKey{name: e.key})
			if err != nil {
				return err
			}
			table[i] = c.cell
		}
		for i, n := range d.numbers[0] {
			s.cells[i] = table[n]
		}
		return nil
	}
	return d.combine(b, s)
}

// combine makes cells of the entries of three palettes, which unpack has unpacked.
func (d *decoder) combine(b *blockData, s *section) error {
	known := map[[3]uint16]cellOf{}
	for i := range s.cells {
		var at [3]uint16
		for k, p := range [3]*palette{&b.names, &b.fillers, &b.rotations} {
			if p.kind != paletteEmpty {
				at[k] = d.numbers[k][i]
			}
		}
		c, ok := known[at]
		k := blockKey{b.names.entries[at[0]].key, b.fillers.entries[at[1]].key, b.rotations.entries[at[2]].key}
		if !ok {
			var err error
			if c, err = d.blocks.cell(k); err != nil {
				return err
			}
			known[at] = c
		}
		s.cells[i] = c.cell
		if c.bare {
			if err := d.setExtra(s, i, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// setExtra notes rotation and filler of a block whose name lacks them.
func (d *decoder) setExtra(s *section, i int, k blockKey) error {
	set := func(cells **[sectionCells]voxel.Cell, names *format.Names, key string) error {
		if key == "" {
			return nil
		}
		if *cells == nil {
			*cells = new([sectionCells]voxel.Cell)
		}
		n := int(key[0])
		if len(key) == 2 {
			n = int(int16(binary.BigEndian.Uint16([]byte(key))))
		}
		c, err := names.Cell(strconv.Itoa(n))
		(*cells)[i] = c
		return err
	}
	return cmp.Or(set(&s.fillers, d.volume(fillerVolume).Names, k.filler), set(&s.rotations, d.volume(rotationVolume).Names, k.rotation))
}

// Entries of the compound that stands for a field of a section. What the rule of order says is left out.
const (
	tagRaw       = "raw" // the field as it is stored, alone
	tagVersion   = "version"
	tagNames     = "names"
	tagFillers   = "fillers"
	tagRotations = "rotations"
	tagTicks     = "ticks"
	tagChanges   = "changes"
	tagLocal     = "local"
	tagGlobal    = "global"
)

// appendRest appends what cells do not say of block data, as the entries of a compound.
func (b *blockData) appendRest(dst []byte) []byte {
	if b.migration != migration {
		dst = nbt.AppendInt(dst, tagVersion, int32(b.migration))
	}
	dst = appendSome(dst, tagNames, b.names.order())
	dst = appendSome(dst, tagFillers, b.fillers.order())
	dst = appendSome(dst, tagRotations, b.rotations.order())
	dst = appendSome(dst, tagTicks, b.ticks)
	if c := [4]int32{int32(b.lights[0].change), int32(b.lights[1].change), int32(b.counters[0]), int32(b.counters[1])}; c != [4]int32{} {
		dst = nbt.AppendIntArray(dst, tagChanges, c[:])
	}
	return dst
}

// appendSome appends a byte array that is not empty.
func appendSome(dst []byte, name string, b []byte) []byte {
	if len(b) > 0 {
		dst = nbt.AppendByteArray(dst, name, b)
	}
	return dst
}

// rest is the compound that stands for a field, read again.
type rest struct {
	arrays  map[string][]byte
	lists   map[string][]int32
	numbers map[string]int
}

func readRest(payload []byte) (o rest, err error) {
	o = rest{map[string][]byte{}, map[string][]int32{}, map[string]int{tagVersion: migration}}
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		switch name := string(name); t {
		case nbt.ByteArray:
			o.arrays[name] = r.ByteArray()
		case nbt.Int:
			o.numbers[name] = int(r.Int())
		case nbt.Byte:
			o.numbers[name] = int(r.Byte())
		case nbt.IntArray:
			for b := r.IntArray(); len(b) > 0; b = b[4:] {
				o.lists[name] = append(o.lists[name], int32(binary.BigEndian.Uint32(b)))
			}
		default:
			return o, fmt.Errorf("%q: %w", name, errNotOurs)
		}
	}
	return o, r.Err()
}

// appendBlock appends the data of a section's blocks.
func (e *encoder) appendBlock(dst []byte, number int, s *section, o *rest) ([]byte, error) {
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.numbers[tagVersion]))
	e.count(s)
	names, fillers, rotations := &e.tallies[0], &e.tallies[1], &e.tallies[2]
	dst = appendPalette(dst, names.entries, &e.numbers[0], o.arrays[tagNames], nameKeys)
	if len(names.entries) > 1 || names.entries[0].key != "" || len(o.arrays[tagNames]) > 0 {
		ticks := o.arrays[tagTicks]
		if ticks == nil {
			ticks = []byte(noTicks)
		}
		dst = append(dst, ticks...)
	}
	dst = appendPalette(dst, fillers.entries, &e.numbers[1], o.arrays[tagFillers], fillerKeys)
	dst = appendPalette(dst, rotations.entries, &e.numbers[2], o.arrays[tagRotations], rotationKeys)
	var changes [4]int32
	copy(changes[:], o.lists[tagChanges])
	for i, tag := range []string{tagLocal, tagGlobal} {
		dst = binary.BigEndian.AppendUint16(dst, uint16(changes[i]))
		dst = e.appendLight(dst, number, i, o.arrays[tag])
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(changes[2]))
	return binary.BigEndian.AppendUint16(dst, uint16(changes[3])), nil
}

// count makes the entries of a section's three palettes, and the entry of each cell.
func (e *encoder) count(s *section) {
	for i := range e.tallies {
		e.tallies[i].reset()
	}
	if s.uniform && s.fillers == nil && s.rotations == nil {
		k := e.block(s.cell)
		for i, key := range []string{k.name, k.filler, k.rotation} {
			e.tallies[i].all(key, &e.numbers[i])
		}
		return
	}
	for i := range sectionCells {
		c := s.cell
		if !s.uniform {
			c = s.cells[i]
		}
		of := func(uint16) blockKey { return e.keyAt(s, i, c) }
		values := [3]uint16{uint16(c), uint16(c), uint16(c)}
		if s.fillers != nil && s.fillers[i] != 0 {
			values[1] = 1<<15 | uint16(s.fillers[i])
		}
		if s.rotations != nil && s.rotations[i] != 0 {
			values[2] = 1<<15 | uint16(s.rotations[i])
		}
		e.numbers[0][i] = e.tallies[0].entryOf(values[0], func(v uint16) string { return of(v).name })
		e.numbers[1][i] = e.tallies[1].entryOf(values[1], func(v uint16) string { return of(v).filler })
		e.numbers[2][i] = e.tallies[2].entryOf(values[2], func(v uint16) string { return of(v).rotation })
	}
	for i := range e.tallies {
		e.tallies[i].sort(&e.numbers[i])
	}
}
