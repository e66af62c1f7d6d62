package codec

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// The lead byte of a run. Source: the voxel-terrain article, "Disk format".
const (
	rleMaterial  = 0x3F // bits 0-5: the material
	rleOccupancy = 0x40 // an occupancy byte follows
	rleCount     = 0x80 // a byte with the run's length - 1 follows, 1..255
	rleMaxRun    = 256
)

// AppendRLE appends the byte RLE of a Terrain chunk to dst and returns the
// extended slice. Cells go x fastest, then z, then y. A run is a lead byte
// (material, whether an occupancy follows, whether a count follows), the
// occupancy unless the cell is full or air, and count-1 for runs of 2 to 256.
// A chunk of one full material or of air takes 256 bytes.
func AppendRLE(dst []byte, c *voxel.Chunk) []byte {
	var buf [64]voxel.Cell
	run := run{cell: c.Cell(0, 0, 0)}
	for y := range voxel.ChunkEdge {
		if cell, ok := c.SliceUniform(y); ok {
			dst = run.add(dst, cell, voxel.SliceCells)
			continue
		}
		for z := range voxel.ChunkEdge {
			for _, cell := range c.Row(y, z, &buf) {
				if cell == run.cell && run.n < rleMaxRun {
					run.n++
					continue
				}
				dst = run.append(dst)
				run.cell, run.n = cell, 1
			}
		}
	}
	return run.append(dst)
}

type run struct {
	cell voxel.Cell
	n    int
}

// add adds n cells, possibly more than one run can hold.
func (r *run) add(dst []byte, cell voxel.Cell, n int) []byte {
	if cell != r.cell {
		dst = r.append(dst)
		r.cell, r.n = cell, 0
	}
	for r.n += n; r.n > rleMaxRun; r.n -= rleMaxRun {
		dst = (&run{cell, rleMaxRun}).append(dst)
	}
	return dst
}

func (r *run) append(dst []byte) []byte {
	if r.n == 0 {
		return dst
	}
	lead, occ := byte(r.cell>>8)&rleMaterial, byte(r.cell)
	withOcc := lead != 0 && occ != 0xFF
	if withOcc {
		lead |= rleOccupancy
	}
	if r.n > 1 {
		lead |= rleCount
	}
	dst = append(dst, lead)
	if withOcc {
		dst = append(dst, occ)
	}
	if r.n > 1 {
		dst = append(dst, byte(r.n-1))
	}
	return dst
}

// DecodeRLE decodes one chunk from the start of src. It returns the chunk and the
// number of bytes read. It fails with a *CorruptError if src ends within the chunk,
// a run crosses the chunk's end, air has an occupancy, or a count byte is the
// reserved 0.
func DecodeRLE(src []byte) (*voxel.Chunk, int, error) {
	var (
		b          voxel.ChunkBuilder
		slice      [voxel.SliceCells]voxel.Cell
		at, filled int
		changed    uint32
	)
	for y := 0; y < voxel.ChunkEdge; {
		cell, n, size, err := decodeRun(src[at:])
		if err != nil {
			return nil, 0, corrupt(at, "rle", err)
		}
		for n > 0 {
			m := min(n, voxel.SliceCells-filled)
			changed |= fillRows(&slice, filled, m, cell)
			filled += m
			n -= m
			if filled < voxel.SliceCells {
				break
			}
			b.Slice(&slice, changed)
			filled, changed = 0, 0
			if y++; y == voxel.ChunkEdge && n > 0 {
				return nil, 0, corrupt(at, "rle", errors.New("a run crosses the end of the chunk"))
			}
		}
		at += size
	}
	return b.Chunk(), at, nil
}

// fillRows sets n cells from index i and returns the rows that changed.
func fillRows(slice *[voxel.SliceCells]voxel.Cell, i, n int, cell voxel.Cell) (changed uint32) {
	for j := i; j < i+n; j++ {
		if slice[j] != cell {
			slice[j] = cell
			changed |= 1 << (j / voxel.ChunkEdge)
		}
	}
	return changed
}

func decodeRun(src []byte) (cell voxel.Cell, n, size int, err error) {
	if len(src) == 0 {
		return 0, 0, 0, errShort
	}
	lead, occ, n, size := src[0], byte(0xFF), 1, 1
	material := lead & rleMaterial
	if lead&rleOccupancy != 0 {
		if len(src) < 2 {
			return 0, 0, 0, errShort
		}
		if material == 0 {
			return 0, 0, 0, errors.New("air with an occupancy")
		}
		occ, size = src[1], 2
	}
	if lead&rleCount != 0 {
		if len(src) <= size {
			return 0, 0, 0, errShort
		}
		if src[size] == 0 {
			return 0, 0, 0, fmt.Errorf("reserved count %d", src[size])
		}
		n = int(src[size]) + 1
		size++
	}
	return voxel.TerrainCell(material, occ), n, size, nil
}
