package world

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// UpdateContext is Update that brings in what f needs: when something is not in memory, it
// loads that with what is around, and calls f again, whatever f returned. So f may be called several times, and
// must not keep anything of a call that failed. What it brought in is let go afterwards.
// The error is ctx.Err() if ctx ends while it loads.
func (w *World) UpdateContext(ctx context.Context, f func(*Tx) error) (*Change, error) {
	var held []*Held
	defer func() {
		for _, h := range held {
			h.Release()
		}
	}()
	var had []absent
	for {
		change, need, err := w.update(func(tx *Tx) error {
			tx.EndWith(ctx)
			return f(tx)
		})
		need = slices.DeleteFunc(need, func(a absent) bool { return slices.Contains(had, a) })
		if len(need) == 0 { // if err says that something is not loaded, it is nothing that Load brings
			return change, err
		}
		for _, a := range need {
			if slices.Contains(had, a) { // it was needed twice
				continue
			}
			had = append(had, a)
			volumes := []string{a.volume, Columns}
			h, err := w.Load(ctx, a.dimension, a.box, slices.Compact(volumes)...)
			if err != nil {
				return nil, err
			}
			held = append(held, h)
		}
	}
}

// absent is what an update needed and what was not in memory, with what is around: a
// volume, or Columns.
type absent struct {
	dimension, volume string
	box               geom.Box // in cells of the dimension
}

// around is the edge in chunks of what is loaded around a chunk: that of a page.
const around = 4

// squareBox returns the cells of the 8x8 columns around one, which lie in one page.
func squareBox(pos geom.ColumnPos) geom.Box {
	least := geom.ColumnPos{X: pos.X &^ 7, Z: pos.Z &^ 7}
	return columnBox(least).Union(columnBox(geom.ColumnPos{X: least.X + 7, Z: least.Z + 7}))
}

// needed returns what the Tx needed and what was not in memory.
func (tx *Tx) needed() []absent {
	out := tx.absent
	for d, v := range tx.opened() {
		var e *grid.NotLoadedError
		if !errors.As(v.edit.Err(), &e) {
			continue
		}
		const mask = ^int32(around - 1)
		least := geom.ChunkPos{X: e.Pos.X & mask, Y: e.Pos.Y & mask, Z: e.Pos.Z & mask}
		most := geom.ChunkPos{X: least.X + around - 1, Y: least.Y + around - 1, Z: least.Z + around - 1}
		out = append(out, absent{d.d.name, v.Name, overChunk(least, v.Scale).Union(overChunk(most, v.Scale))})
	}
	return out
}
