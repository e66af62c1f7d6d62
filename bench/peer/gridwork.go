package peer

import (
	"github.com/Tnze/go-mc/level"
	"github.com/df-mc/dragonfly/server/world/chunk"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// gridWork is one kind of work, done n times on each form; it returns a sum that
// is the same for all.
type gridWork struct {
	what                            string
	n                               int
	cairn, dragonfly, storage, goMC func() int
}

const (
	gridReads = 1 << 18
	inChunk   = 64 // reads in one chunk before the next
	setCells  = 1000
)

// spot is a block: that at x, y, z of the sub chunk of a strip's column i.
type spot struct {
	s       *strip
	i       uint8
	x, y, z uint8
}

// point returns where the spot is.
func (p spot) point() geom.Point {
	return p.s.min.Add(geom.Point{X: int(p.i)<<4 + int(p.x), Y: int(p.y), Z: int(p.z)})
}

// cell returns the block of the chunk as it was loaded.
func (p spot) cell() voxel.Cell {
	q := p.point().InChunk()
	return p.s.chunk.Cell(q.X, q.Y, q.Z)
}

// spots returns n blocks at random, some after each other in one chunk.
func (g *Grids) spots(n, some int) []spot {
	out := make([]spot, n)
	for i := range out {
		if i%some == 0 {
			out[i].s, out[i].i = &g.strips[g.random.IntN(len(g.strips))], uint8(g.random.IntN(2))
		} else {
			out[i].s, out[i].i = out[i-1].s, out[i-1].i
		}
		out[i].x, out[i].y, out[i].z = uint8(g.random.IntN(16)), uint8(g.random.IntN(16)), uint8(g.random.IntN(16))
	}
	return out
}

// place is a position in a world.
type place struct {
	in *dimension
	at geom.Point
}

func placesOf(spots []spot) []place {
	out := make([]place, len(spots))
	for i, p := range spots {
		out[i] = place{p.s.in, p.point()}
	}
	return out
}

func (g *Grids) work() []gridWork {
	near, far := g.spots(gridReads, inChunk), g.spots(gridReads, 1)
	places := placesOf(far)
	rows := len(g.strips) * 256
	return []gridWork{
		{"row of 32 in order", rows,
			func() int { return scanCairn(g.strips) }, func() int { return scanDragonfly(g.strips) },
			func() int { return scanStorages(g.strips) }, func() int { return scanLevels(g.strips) }},
		{"block at random in a loaded chunk, 64 in each", len(near),
			func() int { return readCairn(near) }, func() int { return readDragonfly(near) },
			func() int { return readStorages(near) }, func() int { return readLevels(near) }},
		{"block at random in a loaded chunk, 1 in each", len(far),
			func() int { return readCairn(far) }, func() int { return readDragonfly(far) },
			func() int { return readStorages(far) }, func() int { return readLevels(far) }},
		{"block by world position", len(places),
			func() int { return findCairn(places) }, func() int { return findDragonfly(places) },
			nil, func() int { return findLevels(places) }},
		g.setting("block set and published", 1, g.spots(2000, 1)),
		g.setting("block set, 1000 of a chunk published", setCells, g.spots(40*setCells, setCells)),
	}
}

// setting is the writing of blocks, some in one update: in turns that of another
// place of the same strip, and the one that was there.
func (g *Grids) setting(what string, some int, spots []spot) gridWork {
	at := placesOf(spots)
	var values [2][]voxel.Cell
	for _, p := range spots {
		values[0] = append(values[0], p.cell())
		p.x, p.y, p.z = uint8(g.random.IntN(16)), uint8(g.random.IntN(16)), uint8(g.random.IntN(16))
		values[1] = append(values[1], p.cell())
	}
	next := func(write func(values []voxel.Cell)) func() int {
		round := 0
		return func() int {
			round++
			write(values[round&1])
			return 0
		}
	}
	return gridWork{what, len(at),
		next(func(values []voxel.Cell) { setCairn(at, values, some) }),
		next(func(values []voxel.Cell) { setDragonfly(at, values) }), nil,
		next(func(values []voxel.Cell) { setLevels(at, values) })}
}

// What is timed are plain functions: a closure would cost more than a read.

func scanCairn(strips []strip) (sum int) {
	var buf [64]voxel.Cell
	for i := range strips {
		s := &strips[i]
		low := s.min.InChunk()
		for y := low.Y; y < low.Y+16; y++ {
			for z := low.Z; z < low.Z+16; z++ {
				for _, v := range s.chunk.Row(y, z, &buf) {
					sum += int(v)
				}
			}
		}
	}
	return sum
}

func scanDragonfly(strips []strip) (sum int) {
	for i := range strips {
		s := &strips[i]
		for y := int16(s.min.Y); y < int16(s.min.Y)+16; y++ {
			for z := range uint8(16) {
				for _, c := range s.columns {
					for x := range uint8(16) {
						sum += int(c.Block(x, y, z, 0))
					}
				}
			}
		}
	}
	return sum
}

func scanStorages(strips []strip) (sum int) {
	for i := range strips {
		for y := range uint8(16) {
			for z := range uint8(16) {
				for _, st := range strips[i].storages {
					sum += storageRow(st, y, z)
				}
			}
		}
	}
	return sum
}

func storageRow(s *chunk.PalettedStorage, y, z uint8) (sum int) {
	if s == nil {
		return 0
	}
	for x := range uint8(16) {
		sum += int(s.At(x, y, z))
	}
	return sum
}

func scanLevels(strips []strip) (sum int) {
	for i := range strips {
		for y := range 16 {
			for z := range 16 {
				for _, s := range strips[i].sections {
					for x := range 16 {
						sum += int(s.GetBlock(y<<8 | z<<4 | x))
					}
				}
			}
		}
	}
	return sum
}

func readCairn(at []spot) (sum int) {
	for _, p := range at {
		low := p.s.min.InChunk()
		sum += int(p.s.chunk.Cell(int(p.i)<<4+int(p.x), low.Y+int(p.y), low.Z+int(p.z)))
	}
	return sum
}

func readDragonfly(at []spot) (sum int) {
	for _, p := range at {
		sum += int(p.s.columns[p.i&1].Block(p.x, int16(p.s.min.Y)+int16(p.y), p.z, 0))
	}
	return sum
}

func readStorages(at []spot) (sum int) {
	for _, p := range at {
		if s := p.s.storages[p.i&1]; s != nil {
			sum += int(s.At(p.x, p.y, p.z))
		}
	}
	return sum
}

func readLevels(at []spot) (sum int) {
	for _, p := range at {
		sum += int(p.s.levels[p.i&1].block(int(p.x), p.s.min.Y+int(p.y), int(p.z)))
	}
	return sum
}

func columnOf(p geom.Point) geom.ColumnPos {
	return geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)}
}

func findCairn(at []place) (sum int) {
	for _, p := range at {
		c, _ := p.in.grid.View().Cell(p.at)
		sum += int(c)
	}
	return sum
}

func findDragonfly(at []place) (sum int) {
	for _, p := range at {
		sum += int(p.in.columns[columnOf(p.at)].Block(uint8(p.at.X&15), int16(p.at.Y), uint8(p.at.Z&15), 0))
	}
	return sum
}

func findLevels(at []place) (sum int) {
	for _, p := range at {
		sum += int(p.in.levels[columnOf(p.at)].block(p.at.X&15, p.at.Y, p.at.Z&15))
	}
	return sum
}

func setCairn(at []place, values []voxel.Cell, some int) {
	for from := 0; from < len(at); from += some {
		_, err := at[from].in.grid.Update(func(d *grid.Draft) error {
			for i := from; i < min(len(at), from+some); i++ {
				d.Set(at[i].at, values[i])
			}
			return nil
		})
		if err != nil {
			panic("peer: a block of the volume itself is refused: " + err.Error())
		}
	}
}

func setDragonfly(at []place, values []voxel.Cell) {
	for i, p := range at {
		p.in.columns[columnOf(p.at)].SetBlock(uint8(p.at.X&15), int16(p.at.Y), uint8(p.at.Z&15), 0, uint32(values[i]))
	}
}

func setLevels(at []place, values []voxel.Cell) {
	for i, p := range at {
		c := p.in.levels[columnOf(p.at)]
		c.Sections[p.at.Y>>4-c.low].SetBlock(p.at.Y&15<<8|p.at.Z&15<<4|p.at.X&15, level.BlocksState(values[i]))
	}
}
