package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Target is where an edit works.
type Target struct {
	Dimension *world.Dimension
	Volume    *world.Volume
}

// Find finds the dimension and the volume that are meant. By default they are the first
// dimension that has matter, and its matter; for a sea, the liquid if there is one.
func (o *Options) Find(v *world.View, dimension, volume string) (Target, error) {
	var names []string
	for _, d := range v.Dimensions() {
		names = append(names, d.Name())
		if dimension != "" && d.Name() != dimension {
			continue
		}
		if vol := o.volumeOf(d, volume); vol != nil {
			return Target{d, vol}, nil
		}
		if dimension != "" || volume != "" {
			return Target{}, o.wrong("volume", "%.100s: dimension %s has %s", volume, d.Name(), strings.Join(volumesOf(d), ", "))
		}
	}
	if dimension != "" {
		return Target{}, o.wrong("dimension", "%.100s: the world has %s", dimension, strings.Join(names, ", "))
	}
	return Target{}, errors.New("the world has no blocks to edit")
}

func (o *Options) volumeOf(d *world.Dimension, volume string) *world.Volume {
	if volume != "" {
		return d.Volume(volume)
	}
	if v := d.Volume("liquid"); v != nil && kinds()[o.Brush].liquid {
		return v
	}
	for _, v := range d.Volumes() {
		if inspect.IsMatter(v.Volume.Name) {
			return v
		}
	}
	return nil
}

func volumesOf(d *world.Dimension) []string {
	var names []string
	for _, v := range d.Volumes() {
		names = append(names, v.Volume.Name)
	}
	return names
}

// Apply loads the bounds of a brush, checks that the columns there can have the Name, and
// applies the brush in one update. A box of bounds with more than maxCells is a WordError.
func (o *Options) Apply(ctx context.Context, w *world.World, in Target, b brush.Brush, maxCells int) (*world.Change, error) {
	bounds := b.Bounds()
	if s := bounds.Size(); max(s.X, s.Y, s.Z) > maxCells || s.X*s.Y > maxCells || s.X*s.Y*s.Z > maxCells {
		return nil, wrong("the box of the edit has more than %s cells", grouped(maxCells))
	}
	var names []string
	if o.Name != "" && !o.AnyName {
		names = append(names, in.spaced(o.Name))
	}
	change, err := in.Update(ctx, w, bounds, names, o.Places, func(tx *world.DimensionTx, v *world.VolumeTx) error {
		if sea, ok := b.(brush.Sea); ok && in.Volume.Volume.Name == "liquid" {
			sea.Solid = tx.Volume("solid")
			b = sea
		}
		if err := b.Apply(v); err != nil {
			return err
		}
		o.keep(v, w.View().Dimension(in.Dimension.Name()).Volume(v.Name), bounds)
		return nil
	})
	var unknown *block.NameError
	var state *block.StateError
	switch {
	case errors.As(err, &unknown):
		err = wrong("%s: %w; %s allows it", o.word("name"), unknown, o.word("any_name"))
	case errors.As(err, &state):
		err = wrong("%s: %w", o.word("name"), state)
	}
	return change, o.noPlace(err)
}

// keep puts back what the brush changed in a box of the volume outside of the Region and the Mask.
// was is the volume before.
func (o *Options) keep(v *world.VolumeTx, was *world.Volume, b geom.Box) {
	admits, in := masks.Admitted(o.Mask, v.Schema, was.Names()), region.Region(b)
	if o.Region != nil {
		in = masks.Scaled(o.Region, v.Scale)
	} else if admits == nil {
		return
	}
	for pos := range region.Chunks(b) {
		before, _ := was.Chunk(pos)
		if after, ok := v.Chunk(pos); ok && before != after {
			before = before.Or(v.Default)
			v.SetChunk(pos, masks.Within(pos, in, admits, before, after.Or(v.Default), before))
		}
	}
}

// Replace puts what Name says in the place of the cells that Mask names, in Region. Terrain stays
// as full as it is.
func (o *Options) Replace(ctx context.Context, w *world.World, in Target) error {
	name, err := in.Named(o.Name)
	if err != nil {
		return wrong("%w", err)
	}
	r, admits := o.Region, masks.Admitted(o.Mask, in.Volume.Schema, in.Volume.Names())
	if r == nil {
		if int(in.Volume.Default()) < len(admits) && admits[in.Volume.Default()] {
			return wrong("%s is without end: it is replaced in a %s alone", in.Volume.CellName(in.Volume.Default()), o.word("region"))
		}
		r = world.Everywhere
	}
	var box geom.Box
	for pos := range in.Dimension.Columns(r.Bounds()) { // one tells the data version
		box = geom.Box{Min: pos.Min(0), Max: pos.Min(1).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
		break
	}
	held, err := w.Load(ctx, in.Dimension.Name(), box, world.Columns)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := in.checkColumns(w, box, []string{name}); err != nil && !o.AnyName {
		return wrong("%w; %s allows it", err, o.word("any_name"))
	}
	at := &edit.Arena{World: w, Dimension: in.Dimension.Name(), Light: edit.WorldLight{}, AnyHeight: o.AnyHeight, OldColumns: !o.NewColumns}
	_, err = edit.Do(ctx, at, &edit.Fill{Region: masks.Scaled(r, in.Volume.Scale), Mask: o.Mask, Volume: in.Volume.Volume.Name, Name: name})
	return o.noPlace(err)
}

// NoPlace makes an error about blocks that have no place in a world a WordError that says which word
// allows them. Words begin with dash.
func NoPlace(err error, dash string) error { return (&Options{Dash: dash}).noPlace(err) }

func (o *Options) noPlace(err error) error {
	var height *world.HeightError
	var columns *world.ColumnsError
	switch {
	case errors.As(err, &height):
		return wrong("%w; %s allows it", height, o.word("any_height"))
	case errors.As(err, &columns):
		return wrong("%w; %s allows it", columns, o.word("new_columns"))
	}
	return err
}

// Update loads a box of the volume with its columns, and calls do in one update. Before that it
// checks that the columns in the box can have some new names; the error is then a
// *block.NameError. Blocks that have no place are a *world.HeightError or a *world.ColumnsError.
func (in Target) Update(ctx context.Context, w *world.World, box geom.Box, names []string, allow Places, do func(*world.DimensionTx, *world.VolumeTx) error) (*world.Change, error) {
	box = box.Scale(in.Volume.Scale)
	held, err := w.Load(ctx, in.Dimension.Name(), box.Intersect(world.Everywhere))
	if err != nil {
		return nil, err
	}
	defer held.Release()
	near, err := holdNear(ctx, w, in.Dimension.Name(), box)
	if err != nil {
		return nil, err
	}
	defer near.Release()
	if err := in.checkColumns(w, box, names); err != nil {
		return nil, err
	}
	return w.Update(func(tx *world.Tx) error {
		d := tx.Dimension(in.Dimension.Name())
		if allow.AnyHeight {
			d.AnyHeight()
		}
		if !allow.NewColumns {
			d.OldColumns()
		}
		return errors.Join(do(d, d.Volume(in.Volume.Volume.Name)), ctx.Err())
	})
}

// checkColumns checks names against each data version of the columns in a box, or against any
// version if the box has no columns.
func (in Target) checkColumns(w *world.World, box geom.Box, names []string) error {
	if err := in.checkOwn(names); err != nil {
		return err
	}
	t := map[string]*block.Table{voxel.Block: block.Blocks(), voxel.Biome: block.Biomes()}[in.Volume.Volume.Name]
	if t == nil || !in.ofGame() {
		return nil
	}
	versions := w.View().Dimension(in.Dimension.Name()).Versions(box)
	if len(versions) == 0 {
		versions = []int32{0}
	}
	for _, version := range versions {
		for _, name := range names {
			if err := t.Check(name, version, in.Volume.Names()); err != nil && (version == 0 || version >= block.FirstNamed) { // else it has a number
				return err
			}
		}
	}
	return nil
}

// Named returns the name that a word means in the volume: with the namespace of the game, if the
// volume has names of the game. The error says why the volume cannot have it.
func (in Target) Named(word string) (string, error) {
	v := in.Volume
	if v.Schema == voxel.Palette {
		if v.Volume.Name == voxel.Block && block.Numbered(v.Names()) {
			return block.Number(word)
		}
		name := in.spaced(word)
		if _, err := block.AppendEntry(nil, name, false); err != nil && in.ofGame() && !strings.HasPrefix(name, "legacy:") && !slices.Contains(v.Names(), name) {
			return "", fmt.Errorf("%.100s: not a block state such as %soak_log[axis=y]", word, block.Space)
		}
		return name, nil
	}
	named := slices.DeleteFunc(slices.Clone(v.Names()), func(s string) bool { return s == "" })
	switch {
	case len(named) == 0:
		return "", fmt.Errorf("%.100s: the cells of the volume %s have no names; they have numbers", word, v.Volume.Name)
	case !slices.Contains(named, word):
		return "", fmt.Errorf("%.100s: the volume %s has %s", word, v.Volume.Name, strings.Join(named, ", "))
	}
	return word, nil
}

// spaced adds the namespace of the volume's names to a name that has none.
func (in Target) spaced(name string) string {
	if !slices.Contains(in.Volume.Names(), name) && !strings.Contains(name, ":") && in.ofGame() {
		return block.Space + name
	}
	return name
}

// ofGame reports whether the volume has names of Minecraft 1.13 or later.
func (in Target) ofGame() bool {
	return in.Volume.Schema == voxel.Palette && slices.ContainsFunc(in.Volume.Names(), func(name string) bool { return strings.HasPrefix(name, block.Space) })
}

// checkOwn checks the names of blocks in a world of Hytale, whose names have capitals and no namespace: each is, but for its
// properties, one that the world has.
func (in Target) checkOwn(names []string) error {
	own := map[string]bool{}
	for _, name := range in.Volume.Names() {
		base, _, _ := strings.Cut(name, "[")
		own[base] = true
		if strings.Contains(name, ":") {
			return nil
		}
	}
	if in.Volume.Volume.Name != voxel.Block || in.Dimension.Volume("fluid_level") == nil {
		return nil
	}
	for _, name := range names {
		if base, _, _ := strings.Cut(name, "["); !own[base] {
			return &block.NameError{Kind: "block", Name: name}
		}
	}
	return nil
}

// grouped writes a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// Changed counts the cells of the volume that a change changed.
func (in Target) Changed(c *world.Change) (n int) {
	for i := range c.Volumes {
		if v := &c.Volumes[i]; v.Dimension == in.Dimension.Name() && v.Volume == in.Volume.Volume.Name {
			n += v.Cells()
		}
	}
	return n
}
