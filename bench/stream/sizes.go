package stream

import (
	"math/rand/v2"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// SizeRow is what boxes of an edge take: all cells around the middle at level 0, and edits of one cell.
type SizeRow struct {
	Edge   int     `json:"edge"`
	Boxes  int     `json:"boxes"` // not empty
	Bytes  int64   `json:"bytes"` // with cubeHead for each box
	Edit   float64 `json:"bytes_per_edit"`
	Edited int     `json:"edits"`
}

const (
	sizesReach = 192
	sizesEdits = 2000
	// partHead is what an edit takes besides the cells: the cube, its version, and which part.
	partHead = cubeHead + 3
)

// sizes measures boxes of 4, 8, 16 and 32 cells an edge.
func (l *land) sizes(seed uint64) (out []SizeRow) {
	for _, edge := range []int{4, 8, 16, 32} {
		row := SizeRow{Edge: edge}
		cells := make([]voxel.Cell, edge*edge*edge)
		var buf []byte
		box := func(low geom.Point) bool {
			l.view.ReadBox(geom.Box{Min: low, Max: low.Add(geom.Point{X: edge, Y: edge, Z: edge})}, 0, cells)
			for _, c := range cells {
				if c != 0 {
					return true
				}
			}
			return false
		}
		for y := 0; y < l.bounds.Max.Y; y += edge {
			for z := -sizesReach; z < sizesReach; z += edge {
				for x := -sizesReach; x < sizesReach; x += edge {
					if box(geom.Point{X: x, Y: y, Z: z}) {
						buf = codec.AppendBitRLE(buf[:0], cells, edge, voxel.Terrain)
						row.Boxes++
						row.Bytes += int64(len(buf)) + cubeHead
					}
				}
			}
		}
		r := rand.New(rand.NewPCG(seed, 9)) // the same edits for each size
		sum := 0
		for range sizesEdits {
			p := geom.Point{X: r.IntN(2*sizesReach) - sizesReach, Y: l.bounds.Max.Y - 1, Z: r.IntN(2*sizesReach) - sizesReach}
			for c, ok := l.view.Cell(p); ok && c == 0 && p.Y > 0; c, ok = l.view.Cell(p) {
				p.Y--
			}
			low := geom.Point{X: geom.FloorDiv(p.X, edge) * edge, Y: geom.FloorDiv(p.Y, edge) * edge, Z: geom.FloorDiv(p.Z, edge) * edge}
			box(low)
			at := p.Sub(low)
			cells[(at.Y*edge+at.Z)*edge+at.X] = voxel.TerrainCell(5, 255)
			buf = codec.AppendBitRLE(buf[:0], cells, edge, voxel.Terrain)
			sum += len(buf) + partHead
			row.Edited++
		}
		row.Edit = float64(sum) / sizesEdits
		out = append(out, row)
	}
	return out
}
