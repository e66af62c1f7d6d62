package sponge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// table turns indices of a palette into cells. An index gets its cell when it first occurs, so
// entries that nothing uses cost nothing.
type table struct {
	cells *cells
	names *format.Names
	dense []int32         // cell by index below len(dense); -1 if it has none yet
	far   map[int32]int32 // the same for greater indices
}

// maxDense bounds the indices that a table holds as a list.
const maxDense = 1 << 16

func newTable(c *cells) (*table, error) {
	t := &table{cells: c, names: format.NewNames(), far: map[int32]int32{}}
	ids := c.ids()
	if len(ids) == 0 {
		return t, nil
	}
	t.dense = make([]int32, min(int(ids[len(ids)-1])+1, maxDense))
	for i := range t.dense {
		t.dense[i] = -1
	}
	return t, nil
}

// cell returns the cell of an index.
func (t *table) cell(id uint32) (voxel.Cell, error) {
	if int(id) < len(t.dense) {
		if c := t.dense[id]; c >= 0 {
			return voxel.Cell(c), nil
		}
	} else if c, ok := t.far[int32(id)]; ok {
		return voxel.Cell(c), nil
	}
	text, ok := t.cells.palette[int32(id)]
	if !ok {
		return 0, fmt.Errorf("index %d is not in the palette", int32(id))
	}
	name, err := t.cells.name(text)
	if err != nil {
		return 0, err
	}
	c, err := t.names.Cell(name)
	if err != nil {
		return 0, err
	}
	if int(id) < len(t.dense) {
		t.dense[id] = int32(c)
	} else {
		t.far[int32(id)] = int32(c)
	}
	return c, nil
}

var errVarint = errors.New("a varint of more than 5 bytes")

// decode reads n bytes of varints into b.
func (t *table) decode(s *nbt.Stream, n int64, b *clip.Builder) error {
	var id uint32
	var shift uint
	last := ^uint32(0)
	var cell voxel.Cell
	for n > 0 {
		buf := s.Bytes(n)
		if buf == nil {
			return s.Err()
		}
		n -= int64(len(buf))
		for i := 0; i < len(buf); {
			c := buf[i]
			id |= uint32(c&0x7F) << shift
			if c >= 0x80 {
				if shift += 7; shift > 28 {
					return errVarint
				}
				i++
				continue
			}
			if id != last {
				var err error
				if cell, err = t.cell(id); err != nil {
					return err
				}
				last = id
			}
			k := 1
			if shift == 0 {
				k = sameBytes(buf[i:])
			}
			b.Run(cell, k)
			i += k
			id, shift = 0, 0
		}
		if b.Err() != nil {
			return b.Err()
		}
	}
	if shift != 0 {
		return errors.New("it ends within a varint")
	}
	return nil
}

// sameBytes returns how many bytes at the start of b are equal.
func sameBytes(b []byte) int {
	c := uint64(b[0]) * 0x0101010101010101
	i := 1
	for ; i+8 <= len(b); i += 8 {
		if d := binary.LittleEndian.Uint64(b[i:]) ^ c; d != 0 {
			return i + bits.TrailingZeros64(d)>>3
		}
	}
	for ; i < len(b) && b[i] == b[0]; i++ {
	}
	return i
}

// appendVarints appends a varint n times.
func appendVarints(dst []byte, id uint32, n int) []byte {
	from := len(dst)
	for id >= 0x80 {
		dst = append(dst, byte(id)|0x80)
		id >>= 7
	}
	dst = append(dst, byte(id))
	for end := from + n*(len(dst)-from); len(dst) < end; {
		dst = append(dst, dst[from:min(len(dst), from+end-len(dst))]...)
	}
	return dst
}

// varintLen returns the bytes of a varint.
func varintLen(id int) int { return (bits.Len32(uint32(id)|1) + 6) / 7 }
