// Package terrain makes worlds for tests, measurements and demonstrations. The same
// seed gives the same world on machines of one kind (some round a product and a sum
// at once). A Level is a terrain of materials and occupancies, cell by cell.
// Survival, Island, Arena and Plots are block worlds, as Sources. The package does
// not imitate the generator of any game.
package terrain

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options of a block world.
type Options struct {
	Seed uint64
	// Size is the edge of the world in columns of 16 blocks. 0 is the default:
	// Survival 16, Island 10, Arena 8, Plots 24.
	Size int
	// Version is the data version of the columns. 0 means numeric ids as in 1.8 and
	// 16 sections from height 0. Modern, and others from 2860 on, mean 24 sections
	// from height -64.
	Version int32
}

// Modern is the data version of 1.21.
const Modern int32 = 3953

// scene paints one world. It paints the same blocks on every canvas.
type scene interface {
	paint(c *canvas)
	biome(x, z int) biome
	spawn() geom.Point
}

type biome struct {
	name string
	id   uint8 // before 1.13
}

// world is the Source of a scene.
type world struct {
	name  string
	opts  Options
	scene scene
}

func newWorld(name string, o Options, size int, build func(Options) scene) *world {
	if o.Size <= 0 {
		o.Size = size
	}
	return &world{name: name, opts: o, scene: build(o)}
}

// Survival returns a wild land: several biomes, cliffs, canyons, caves, trees,
// water, ores, animals and a few huts.
func Survival(o Options) format.Source { return newWorld("Survival", o, 16, newSurvival) }

// Island returns a floating island of one player: a base, a farm, chests, animals.
func Island(o Options) format.Source { return newWorld("Island", o, 10, newIsland) }

// Arena returns a walled battlefield with spawn platforms. Its four quarters are
// mirror images.
func Arena(o Options) format.Source { return newWorld("Arena", o, 8, newArena) }

// Plots returns a grid of building plots with roads between them and many copies of
// a few buildings.
func Plots(o Options) format.Source { return newWorld("Plots", o, 24, newPlots) }

// Head says that the format is "terrain".
func (w *world) Head() format.Head {
	return format.Head{Format: "terrain", Properties: map[string]string{
		"name": w.name, "seed": strconv.FormatUint(w.opts.Seed, 10),
	}}
}

// Close does nothing.
func (w *world) Close() error { return nil }

// regionEdge is the edge of a region file in footprints.
const regionEdge = 16

// Read paints the world region by region and in a region footprint by footprint, so that a
// writer of regions holds one of them.
func (w *world) Read(ctx context.Context, s format.Sink) error {
	if v := w.opts.Version; v != 0 && v < 2860 {
		return fmt.Errorf("terrain: data version %d: neither 0 nor 2860 or above", v)
	}
	d := format.BlockDimension("overworld", "")
	if err := s.Dimension(d); err != nil {
		return err
	}
	c := newCanvas(newBlockTable(), w.opts)
	f := framer{canvas: c, dim: d, version: w.opts.Version, biomeAt: w.scene.biome}
	lo := -w.opts.Size / 2
	hi := lo + w.opts.Size // columns lo..hi-1
	low, high := geom.FloorDiv(lo, 2), geom.FloorDiv(hi+1, 2)
	first := geom.FloorDiv(low, regionEdge) * regionEdge
	for rz := first; rz < high; rz += regionEdge {
		for rx := first; rx < high; rx += regionEdge {
			for fz := max(rz, low); fz < min(rz+regionEdge, high); fz++ {
				for fx := max(rx, low); fx < min(rx+regionEdge, high); fx++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					c.move(fx, fz)
					w.scene.paint(c)
					c.shine()
					if err := f.footprint(s, fx, fz, lo, hi); err != nil {
						return err
					}
				}
			}
		}
	}
	return s.File(levelDat(w.name, w.opts, w.scene.spawn()))
}

// footprint passes on the columns of a footprint that are in the world.
func (f *framer) footprint(s format.Sink, fx, fz, lo, hi int) error {
	for i := range 4 {
		x, z := fx*2+i&1, fz*2+i>>1
		if x < lo || x >= hi || z < lo || z >= hi {
			continue
		}
		col, err := f.column(geom.ColumnPos{X: int32(x), Z: int32(z)})
		if err != nil {
			return fmt.Errorf("terrain: column (%d,%d): %w", x, z, err)
		}
		if err := s.Column(col); err != nil {
			return err
		}
	}
	return nil
}
