package hytale

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// lightVolumes are the volumes of both lights: what the game computes within a section, and what is there with all that comes
// from around. Each has four channels of 4 bits, the lowest first.
var lightVolumes = [2][4]string{
	{"local_red", "local_green", "local_blue", "local_sky"},
	{"global_red", "global_green", "global_blue", "global_sky"},
}

// lightCells is the light of a section's cells.
type lightCells [sectionCells]uint16

var errTree = errors.New("a tree of light that is none")

// treeRun is how many cells a child of the root has.
const treeRun = sectionCells / 8

// unpackTree reads a tree of light: eight children in the order of the cells, of which each is a value of two bytes or, where
// the bit of its number is set in the byte that begins the node, a node of the same kind.
func unpackTree(b []byte, to *lightCells) error {
	at, cell := 0, 0
	var node func(run int) bool
	node = func(run int) bool {
		if at >= len(b) {
			return false
		}
		mask := b[at]
		at++
		for i := range 8 {
			if mask>>i&1 != 0 {
				if run == 1 || !node(run/8) {
					return false
				}
				continue
			}
			if at+2 > len(b) {
				return false
			}
			v := binary.BigEndian.Uint16(b[at:])
			at += 2
			for k := range to[cell : cell+run] {
				to[cell+k] = v
			}
			cell += run
		}
		return true
	}
	if !node(treeRun) || at != len(b) {
		return errTree
	}
	return nil
}

// appendTree appends the tree that the game writes: one in which no node but the root has eight equal values.
func appendTree(dst []byte, cells []uint16, run int) []byte {
	at := len(dst)
	dst = append(dst, 0)
	for i := range 8 {
		part := cells[i*run : (i+1)*run]
		if isSame(part) {
			dst = binary.BigEndian.AppendUint16(dst, part[0])
			continue
		}
		dst[at] |= 1 << i
		dst = appendTree(dst, part, run/8)
	}
	return dst
}

func isSame(cells []uint16) bool {
	first := cells[0]
	return !slices.ContainsFunc(cells, func(c uint16) bool { return c != first })
}

// appendLights appends what volumes do not say of a section's lights, and notes their cells.
func (d *decoder) appendLights(dst []byte) ([]byte, error) {
	for which, l := range d.block.lights {
		tag := []string{tagLocal, tagGlobal}[which]
		if l.tree == nil {
			continue
		}
		if err := unpackTree(l.tree, &d.light); err != nil {
			return nil, err
		}
		d.buf = appendTree(d.buf[:0], d.light[:], treeRun)
		if string(d.buf) != string(l.tree) || d.light == (lightCells{}) {
			dst = nbt.AppendByteArray(dst, tag, l.tree)
		}
		for channel, volume := range lightVolumes[which] {
			cells, any := &d.section.cells, voxel.Cell(0)
			for i, v := range d.light {
				cells[i] = voxel.Cell(v >> (4 * channel) & 15)
				any |= cells[i]
			}
			if any != 0 {
				d.addChunk(volume, cells)
			}
		}
	}
	return dst, nil
}

// lightOf makes the light of a section of its volumes. It reports whether there is any.
func (e *encoder) lightOf(number, which int) (any bool) {
	e.light = lightCells{}
	for channel, volume := range lightVolumes[which] {
		c := e.c.volumes[number][volume]
		if c == nil {
			continue
		}
		any = true
		c.Flat(&e.extras[0])
		for i, v := range e.extras[0] {
			e.light[i] |= uint16(v&15) << (4 * channel)
		}
	}
	return any
}

// appendLight appends one light of a section behind the id of its change. raw is its tree where that is otherwise than the game's.
func (e *encoder) appendLight(dst []byte, number, which int, raw []byte) []byte {
	any := e.lightOf(number, which)
	var old lightCells
	if raw != nil && unpackTree(raw, &old) == nil && old == e.light {
		dst = binary.BigEndian.AppendUint32(append(dst, 1), uint32(len(raw)))
		return append(dst, raw...)
	}
	if !any {
		return append(dst, 0)
	}
	dst = append(dst, 1, 0, 0, 0, 0)
	at := len(dst)
	dst = appendTree(dst, e.light[:], treeRun)
	binary.BigEndian.PutUint32(dst[at-4:], uint32(len(dst)-at))
	return dst
}
