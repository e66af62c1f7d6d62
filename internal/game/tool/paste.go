package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// PasteOptions say where and how a clip is pasted. The zero value is the default.
type PasteOptions struct {
	// Dimension is the name of a dimension. Default: the first that has blocks.
	Dimension string
	// At is where the least corner of the turned clip goes, or that of its Inner.
	At   geom.Point
	Turn clip.Turn
	// NoAir keeps what is there where the clip has air.
	NoAir bool
	// AnyName allows names of blocks that neither the world nor its game knows.
	AnyName bool
	// AnyHeight allows blocks beyond the heights of the world's game.
	AnyHeight bool
	// NewColumns allows blocks where a dimension of a game has no column. They become finished
	// columns, in which the game generates nothing.
	NewColumns bool
	// Mask and Region say which cells may change; objects come into the Region alone. nil is everywhere.
	Mask   region.Mask
	Region region.Region
}

// Paste writes a clip into an open world: blocks, biomes, block entities and entities. It does
// not commit. It returns by name and count what does not turn, what lies outside of the clip's box
// and is left out, and items that the game of the world reads as others. Unknown names of blocks are an error of joined *block.NameErrors; blocks without a
// place in the world are a *world.HeightError or a *world.ColumnsError. Of an interrupted paste some chunks may be done.
func Paste(ctx context.Context, w *world.World, c *clip.Clip, o PasteOptions) (lost map[string]int, err error) {
	dim, err := pasteDimension(w, o.Dimension)
	if err != nil {
		return nil, err
	}
	c, lost = c.Turn(o.Turn)
	c, outside := c.Inside()
	maps.Copy(lost, outside)
	o.At = o.At.Sub(c.Inner.Min)
	box := geom.Box{Min: o.At, Max: o.At.Add(c.Size)}
	held, err := w.Load(ctx, dim.Name(), box.Intersect(world.Everywhere))
	if err != nil {
		return nil, err
	}
	defer held.Release()
	near, err := holdNear(ctx, w, dim.Name(), box)
	if err != nil {
		return nil, err
	}
	defer near.Release()
	if !o.AnyName {
		if err := checkNames(w, dim.Name(), box, c); err != nil {
			return nil, err
		}
	}
	dim = w.View().Dimension(dim.Name()) // with what is loaded now
	names, versions, own := slices.Clone(c.Block.Names), dim.Versions(box), dim.Volume(voxel.Block).Names()
	for i, name := range names { // files of many programs leave properties out
		if state, err := block.State(name, versions, own); err == nil && name != clip.Void {
			names[i] = state
		}
	}
	full := *c
	full.Block.Names, c = names, &full
	if model := dim.Model(o.At.Column()); model != nil && model.OfGame() {
		if n := c.Items(model.Version); n > 0 {
			lost[fmt.Sprintf("items in the form of data version %d, which the game of %d reads as others", c.Version, model.Version)] += n
		}
	}
	at := &edit.Arena{World: w, Dimension: dim.Name(), Light: edit.WorldLight{}, AnyHeight: o.AnyHeight, OldColumns: !o.NewColumns}
	_, err = edit.Do(ctx, at, &edit.Paste{Clip: c, At: o.At, Mask: o.Mask, Region: o.Region, NoAir: o.NoAir, Biomes: true, Objects: true})
	return lost, cmp.Or(ctx.Err(), err)
}

// holdNear loads the column nearest to a loaded box that has none, and holds it: new columns have
// its heights and its data version. Else it holds nothing.
func holdNear(ctx context.Context, w *world.World, dimension string, box geom.Box) (*world.Held, error) {
	d := w.View().Dimension(dimension)
	for range d.Columns(box) {
		return w.Load(ctx, dimension, geom.Box{})
	}
	if err := w.LoadColumns(dimension); err != nil {
		return nil, err
	}
	d = w.View().Dimension(dimension)
	var near geom.ColumnPos
	best := math.Inf(1)
	for pos := range d.Columns(world.Everywhere) {
		at := pos.Min(0).Sub(box.Min)
		if d := math.Hypot(float64(at.X), float64(at.Z)); d < best {
			near, best = pos, d
		}
	}
	if box = (geom.Box{}); !math.IsInf(best, 1) {
		box = geom.Box{Min: near.Min(0), Max: near.Min(1).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
	}
	return w.Load(ctx, dimension, box, world.Columns)
}

func pasteDimension(w *world.World, name string) (*world.Dimension, error) {
	e := &inspect.DimensionError{Want: name}
	for _, d := range w.View().Dimensions() {
		e.Have = append(e.Have, d.Name())
		if v := d.Volume(voxel.Block); (name == "" || d.Name() == name) && v != nil && v.Schema == voxel.Palette {
			return d, nil
		}
	}
	if name == "" {
		return nil, errors.New("the world has no volume of blocks with names")
	}
	return nil, e
}

// maxUnknown bounds the names that an error lists.
const maxUnknown = 8

// checkNames checks the names of a clip against the world's own and the game's of the columns
// in a box.
func checkNames(w *world.World, dim string, box geom.Box, c *clip.Clip) error {
	d := w.View().Dimension(dim)
	own := d.Volume(voxel.Block).Names()
	versions := map[int32]bool{}
	for _, column := range d.Columns(box) {
		if column != nil {
			versions[column.Version] = true
		}
	}
	if len(versions) == 0 {
		versions[0] = true
	}
	var unknown []error
	for cell, n := range c.Counts(&c.Block) {
		name := c.Block.Names[cell]
		if n == 0 || name == format.Air || name == clip.Void {
			continue
		}
		for _, version := range slices.Sorted(maps.Keys(versions)) {
			if err := checkName(name, version, own); err != nil {
				if unknown = append(unknown, err); len(unknown) == maxUnknown {
					return errors.Join(unknown...)
				}
				break
			}
		}
	}
	return errors.Join(unknown...)
}

// checkName checks a name against the game of a data version. A world of blocks with numbers
// takes numbers, and no other world does.
func checkName(name string, version int32, own []string) error {
	numbered := strings.HasPrefix(name, "legacy:")
	if !numbered && block.Numbered(own) {
		return fmt.Errorf("block %q has a name, and the blocks of the world have numbers", name)
	}
	if numbered && version >= block.FirstNamed && !slices.Contains(own, name) {
		return fmt.Errorf("block %q has a number, as before 1.13, and the blocks of the world have names", name)
	}
	return block.Blocks().Check(name, version, own)
}
