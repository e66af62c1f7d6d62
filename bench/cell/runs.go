package cell

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// runsForm is a form to compare the forms of stones with. It stores each column of a page as
// runs upwards, with values and lengths in separate streams. It compresses the streams and adds
// a head as a stone does for its pages.
type runsForm struct {
	enc    *zstd.Encoder
	packed []byte
}

func newRunsForm() *runsForm {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true))
	if err != nil {
		panic("cell: zstd encoder options: " + err.Error())
	}
	return &runsForm{enc: enc}
}

// volume returns the bytes of a volume's pages of at most so many chunks that are
// not uniform; equal pages count once.
func (f *runsForm) volume(v *convert.LoadedVolume, pageChunks int) (n int64) {
	known := map[string]bool{}
	for _, page := range pagesOf(v, pageChunks) {
		b := f.page(v, page)
		if !known[string(b)] {
			known[string(b)] = true
			n += int64(len(b))
		}
	}
	return n
}

// pagesOf returns the chunks of each page that a stone.Writer makes of v: whole
// cubes of 4 chunks an edge, but those of one cell throughout.
func pagesOf(v *convert.LoadedVolume, most int) (pages [][]geom.ChunkPos) {
	var page, cube []geom.ChunkPos
	inPage, inCube := 0, 0
	end := func() {
		if inPage > 0 && inPage+inCube > most {
			pages, page, inPage = append(pages, page), nil, 0
		}
		if !alike(v, cube) {
			page, inPage = append(page, cube...), inPage+inCube
		}
		cube, inCube = nil, 0
	}
	for _, pos := range v.Positions() {
		if len(cube) > 0 && cubeOf(pos) != cubeOf(cube[0]) {
			end()
		}
		cube = append(cube, pos)
		if _, uniform := v.Chunks[pos].Uniform(); !uniform {
			inCube++
		}
	}
	if end(); len(page) > 0 {
		pages = append(pages, page)
	}
	return pages
}

func cubeOf(pos geom.ChunkPos) geom.ChunkPos {
	return geom.ChunkPos{X: pos.X >> 2, Y: pos.Y >> 2, Z: pos.Z >> 2}
}

// alike reports whether all chunks are of the same one cell.
func alike(v *convert.LoadedVolume, at []geom.ChunkPos) bool {
	for _, pos := range at {
		first, _ := v.Chunks[at[0]].Uniform()
		if c, uniform := v.Chunks[pos].Uniform(); !uniform || c != first {
			return false
		}
	}
	return true
}

// page returns the page of chunks.
func (f *runsForm) page(v *convert.LoadedVolume, at []geom.ChunkPos) []byte {
	var kinds, uniform, table, values, lengths []byte
	towers := map[geom.ChunkPos][]*voxel.Chunk{}
	for _, pos := range at {
		c, ok := v.Chunks[pos].Uniform()
		if ok {
			kinds, uniform = append(kinds, 1), binary.AppendUvarint(uniform, uint64(c))
			continue
		}
		kinds = append(kinds, 2)
		footprint := geom.ChunkPos{X: pos.X, Z: pos.Z}
		towers[footprint] = append(towers[footprint], v.Chunks[pos])
	}
	var columns []yRun
	for _, footprint := range slices.SortedFunc(maps.Keys(towers), compareFootprints) {
		columns = appendRuns(columns, towers[footprint])
	}
	ranks := map[voxel.Cell]int{}
	for _, r := range columns {
		ranks[r.cell] = 0
	}
	for i, c := range slices.Sorted(maps.Keys(ranks)) {
		ranks[c] = i
		table = binary.AppendUvarint(table, uint64(c))
	}
	for _, r := range columns {
		values, lengths = binary.AppendUvarint(values, uint64(ranks[r.cell])), binary.AppendUvarint(lengths, uint64(r.cells))
	}
	return f.compress(kinds, uniform, table, values, lengths)
}

func compareFootprints(a, b geom.ChunkPos) int {
	return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
}

// yRun is cells of one kind above each other; the topmost of a column has 0 cells.
type yRun struct {
	cell  voxel.Cell
	cells int
}

// appendRuns appends the runs of all columns of chunks above each other.
func appendRuns(dst []yRun, stack []*voxel.Chunk) []yRun {
	var columns [voxel.SliceCells][]yRun
	var buf [64]voxel.Cell
	for _, c := range stack {
		for y := range voxel.ChunkEdge {
			for z := range voxel.ChunkEdge {
				for x, cell := range c.Row(y, z, &buf) {
					col := &columns[z*voxel.ChunkEdge+x]
					if n := len(*col); n > 0 && (*col)[n-1].cell == cell {
						(*col)[n-1].cells++
						continue
					}
					*col = append(*col, yRun{cell, 1})
				}
			}
		}
	}
	for i := range columns {
		columns[i][len(columns[i])-1].cells = 0
		dst = append(dst, columns[i]...)
	}
	return dst
}

// compress returns the page for streams, in the layout of a stone.
func (f *runsForm) compress(streams ...[]byte) (page []byte) {
	var body []byte
	page = append(page, 0, byte(len(streams)))
	for _, s := range streams {
		f.packed = f.enc.EncodeAll(s, f.packed[:0])
		if packed := f.packed[min(4, len(f.packed)):]; len(s) > 6 && len(packed) < len(s) {
			page = binary.AppendUvarint(binary.AppendUvarint(page, uint64(len(s))<<1|1), uint64(len(packed)))
			body = append(body, packed...)
			continue
		}
		page = binary.AppendUvarint(page, uint64(len(s))<<1)
		body = append(body, s...)
	}
	return append(page, body...)
}
