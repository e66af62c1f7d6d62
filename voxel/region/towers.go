package region

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Towers cuts a polygon between chunks. It calls visit with each part and the chunk at y 0 of the
// tower in which the part lies, until visit returns false. A tower has several parts if the
// polygon leaves it between them. The order is always the same. It fails as Split does, and with
// an error that wraps geom.ErrOutOfRange if the polygon, or a line that has cut it, is out of
// range.
//
// The polygon is halved again and again, so each vertex takes part in few splits.
func Towers(p Polygon, visit func(tower geom.ChunkPos, part Polygon) bool) error {
	_, b, err := p.edges()
	if err != nil {
		return fmt.Errorf("region: towers: %w", err)
	}
	if len(p.vertices) == 0 {
		return nil
	}
	b.Min.Y, b.Max.Y = 0, geom.ChunkEdge
	_, err = towers(p, b, visit)
	return err
}

// towers visits the parts of p, which lies within the box b, and reports whether to go on.
func towers(p Polygon, b geom.Box, visit func(geom.ChunkPos, Polygon) bool) (bool, error) {
	size := chunksOf(b)
	if size.X <= 1 && size.Z <= 1 {
		return visit(b.Min.Chunk(), p), nil
	}
	low, high := halve(b, size)
	cut := Line{Corner{high.Min.X, high.Min.Z}, Corner{high.Min.X, high.Max.Z}}
	if size.X < size.Z {
		cut = Line{Corner{high.Max.X, high.Min.Z}, Corner{high.Min.X, high.Min.Z}}
	}
	parts, err := Split(p, cut) // high is to the left
	if err != nil {
		return false, err
	}
	for _, part := range parts {
		half := low
		if part.Side == Left {
			half = high
		}
		if more, err := towers(part.Polygon, half, visit); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}
