package voxel

// wide says that the processor has AVX-512 with BW and BITALG and that the system
// saves its registers. The kernels of read_amd64.s need that. Without it they jump
// to their Go twins.
var wide = hasWide()

func hasWide() bool {
	const (
		popcnt, osxsave = 1 << 23, 1 << 27
		bmi2, f, bw     = 1 << 8, 1 << 16, 1 << 30
		bitalg          = 1 << 12
		registers       = 0xE6
	)
	if _, c := cpuid(1, 0); c&(popcnt|osxsave) != popcnt|osxsave || xgetbv()&registers != registers {
		return false
	}
	b, c := cpuid(7, 0)
	return b&(bmi2|f|bw) == bmi2|f|bw && c&bitalg != 0
}

// readRow does what plainRow does, without a branch for each run. The slice of buf
// is made here: if the assembly made it, the compiler would keep on the stack the
// buf of a function that returns the row.
//
//go:noinline
func readRow(c *Chunk, y, z int, buf *[64]Cell) []Cell {
	if !wide || len(c.data) == ChunkCells || c.slices[y] == patchMark {
		return plainRow(c, y, z, buf)
	}
	if h := expandWide(c, y, z, buf); h < refBit {
		return filled[h][:]
	}
	return buf[:ChunkEdge]
}

// expandWide returns the header of a row in a chunk that is not flat. If the header
// has refBit, it writes the row to buf.
//
//go:noescape
func expandWide(c *Chunk, y, z int, buf *[64]Cell) Cell

// readCell does what plainCell does. It fetches the list while it fetches the row.
//
//go:noescape
func readCell(c *Chunk, x, y, z int) Cell

func cpuid(leaf, sub uint32) (b, c uint32)

func xgetbv() uint32
