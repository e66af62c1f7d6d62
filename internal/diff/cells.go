package diff

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Chunk is a chunk that differs. The cells of a palette are those of Names, which has the names of both worlds: first
// those of the first. Names is nil for other volumes.
type Chunk struct {
	Pos   geom.ChunkPos
	A, B  *voxel.Chunk
	Names []string
}

// Chunks calls f with the chunks of a volume that differ, in ascending order of code. A world that lacks the volume has its default everywhere.
// Cells of a volume that is not of the same kind in both are not compared.
func (p Pair) Chunks(ctx context.Context, dim, vol string, f func(Chunk) error) error {
	return p.ChunksAt(ctx, dim, vol, p.list(dim, vol), f)
}

// ChunksAt is Chunks of some positions, which ascend by code.
func (p Pair) ChunksAt(ctx context.Context, dim, vol string, at []geom.ChunkPos, f func(Chunk) error) error {
	a, b := volumeIn(p.a.About(), dim, vol), volumeIn(p.b.About(), dim, vol)
	if a == nil && b == nil {
		return nil
	}
	v, err := matched(a, b)
	if err != nil || !v.sameKind() {
		return err
	}
	for some := range slices.Chunk(at, chunksAtOnce) {
		if err := p.chunks(ctx, dim, v, some, f); err != nil {
			return err
		}
	}
	return nil
}

// chunksAtOnce is how many chunks of each world are compared at once.
const chunksAtOnce = 1024

// chunks calls f with those of some chunks that differ.
func (p Pair) chunks(ctx context.Context, dim string, v *volume, at []geom.ChunkPos, f func(Chunk) error) error {
	have := [2]map[geom.ChunkPos]*voxel.Chunk{}
	for side, c := range []stone.Content{p.a, p.b} {
		have[side] = make(map[geom.ChunkPos]*voxel.Chunk, len(at))
		err := c.ReadChunks(ctx, dim, v.a.Volume.Name, 0, at, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			have[side][pos] = c
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	for _, pos := range at {
		c := Chunk{pos, translated(have[0][pos], v.a, v.tableA), translated(have[1][pos], v.b, v.tableB), v.names}
		if c.A.Equal(c.B) {
			continue
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// volume is a volume of both worlds.
type volume struct {
	a, b           *stone.VolumeInfo
	tableA, tableB []voxel.Cell // from the cells of a world to those of both; nil: they stay
	names          []string     // of both, of a palette
}

// matched matches the names of a volume in both worlds. If a world does not have it, its cells are the default there.
func matched(a, b *stone.VolumeInfo) (*volume, error) {
	if a == nil {
		a = empty(b)
	}
	if b == nil {
		b = empty(a)
	}
	v := &volume{a: a, b: b}
	if a.Schema != voxel.Palette || b.Schema != voxel.Palette {
		return v, nil
	}
	var err error
	if v.names, v.tableA, v.tableB, err = Names(a.Names, b.Names); err != nil {
		err = fmt.Errorf("diff: volume %q: %w", a.Volume.Name, err)
	}
	return v, err
}

// Names returns the names of two palettes as one list, first those of a, and what the cells of each are in it; nil if
// they stay the same.
func Names(a, b []string) (names []string, tableA, tableB []voxel.Cell, err error) {
	cells := map[string]voxel.Cell{}
	add := func(list []string) (table []voxel.Cell) {
		same := true
		for i, n := range list {
			c, ok := cells[n]
			if !ok {
				c = voxel.Cell(len(names))
				cells[n], names = c, append(names, n)
			}
			same = same && int(c) == i
			table = append(table, c)
		}
		if same {
			return nil
		}
		return table
	}
	tableA, tableB = add(a), add(b)
	if most := int(voxel.MaxCell) + 1; len(names) > most {
		err = fmt.Errorf("%d names: a volume has at most %d", len(names), most)
	}
	return names, tableA, tableB, err
}

// empty returns a volume like v without chunks.
func empty(v *stone.VolumeInfo) *stone.VolumeInfo {
	names := v.Names
	if v.Schema == voxel.Palette {
		names = names[:min(1, len(names))]
	}
	return &stone.VolumeInfo{Volume: v.Volume, Names: names}
}

// sameKind reports whether the cells of both worlds can be compared.
func (v *volume) sameKind() bool { return v.a.Schema == v.b.Schema && v.a.Scale == v.b.Scale }

// translated returns a chunk of a volume in the cells of both worlds. nil is the default.
func translated(c *voxel.Chunk, v *stone.VolumeInfo, table []voxel.Cell) *voxel.Chunk {
	c = c.Or(v.Default)
	if table != nil {
		c = c.Translate(table)
	}
	return c
}
