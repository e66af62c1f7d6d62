package hytale

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// lightVolumes are the volumes of the lights: local light, which the game computes within a section, and how much more global
// light is, which has all that comes from around. Each has four channels of 4 bits, the lowest first; a sum wraps at 16.
var lightVolumes = [2][4]string{
	{"local_red", "local_green", "local_blue", "local_sky"},
	{"spread_red", "spread_green", "spread_blue", "spread_sky"},
}

// lightCells is the light of a section's cells.
type lightCells [sectionCells]uint16

var errTree = errors.New("a tree of light that is none")

// treeRun is how many cells a child of the root has.
const treeRun = sectionCells / 8

// unpackTree reads a tree of light: eight children in the order of the cells, of which each is a value of two bytes or, where
// the bit of its number is set in the byte that begins the node, a node of the same kind. It returns all bits that are set
// in a cell, and whether the tree is the one that appendTree makes.
func unpackTree(b []byte, to *lightCells) (bits uint16, plain bool, err error) {
	at, cell := 0, 0
	plain = true
	var node func(run int) bool
	node = func(run int) bool {
		if at >= len(b) {
			return false
		}
		mask, same := b[at], b[at] == 0
		at++
		first := at
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
			same = same && v == binary.BigEndian.Uint16(b[first:])
			bits |= v
			at += 2
			part := to[cell : cell+run]
			for k := range part {
				part[k] = v
			}
			cell += run
		}
		plain = plain && (!same || run == treeRun)
		return true
	}
	if !node(treeRun) || at != len(b) {
		return 0, false, errTree
	}
	return bits, plain, nil
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
	var used uint16 // the bits of both lights
	for which, l := range d.block.lights {
		light, bits, plain := &d.lights[which], uint16(0), true
		if l.tree == nil {
			*light = lightCells{}
		} else {
			var err error
			if bits, plain, err = unpackTree(l.tree, light); err != nil {
				return nil, err
			}
			plain = plain && bits != 0
		}
		if !plain {
			dst = nbt.AppendByteArray(dst, []string{tagLocal, tagGlobal}[which], l.tree)
		}
		used |= bits
		for channel := range lightVolumes[which] {
			if used>>(4*channel)&15 != 0 {
				d.addChannel(which, channel)
			}
		}
	}
	return dst, nil
}

// addChannel adds a channel of local light, or how much more global light has.
func (d *decoder) addChannel(which, channel int) {
	cells, any, shift := &d.section.cells, voxel.Cell(0), 4*channel
	for i, v := range d.lights[which] {
		c := v >> shift
		if which == 1 {
			c -= d.lights[0][i] >> shift
		}
		cells[i] = voxel.Cell(c & 15)
		any |= cells[i]
	}
	if any != 0 {
		d.addChunk(lightVolumes[which][channel], cells)
	}
}

// lightOf makes a light of a section of its volumes, global light after local light. It reports whether there is any.
func (e *encoder) lightOf(number, which int) bool {
	light := &e.lights[which]
	*light = lightCells{}
	if which == 1 {
		*light = e.lights[0]
	}
	for channel, volume := range lightVolumes[which] {
		c := e.c.volumes[number][volume]
		if c == nil {
			continue
		}
		c.Flat(&e.extras[0])
		shift := 4 * channel
		for i, v := range e.extras[0] {
			sum := light[i]>>shift + uint16(v)
			light[i] = light[i]&^(15<<shift) | sum&15<<shift
		}
	}
	return *light != lightCells{}
}

// appendLight appends one light of a section behind the id of its change. raw is its tree where that is otherwise than the game's.
func (e *encoder) appendLight(dst []byte, number, which int, raw []byte) []byte {
	any := e.lightOf(number, which)
	var old lightCells
	if _, _, err := unpackTree(raw, &old); raw != nil && err == nil && old == e.lights[which] {
		dst = binary.BigEndian.AppendUint32(append(dst, 1), uint32(len(raw)))
		return append(dst, raw...)
	}
	if !any {
		return append(dst, 0)
	}
	dst = append(dst, 1, 0, 0, 0, 0)
	at := len(dst)
	dst = appendTree(dst, e.lights[which][:], treeRun)
	binary.BigEndian.PutUint32(dst[at-4:], uint32(len(dst)-at))
	return dst
}
