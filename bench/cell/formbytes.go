package cell

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// FormBytes are the sizes of cells in pages of stones.
type FormBytes struct {
	Runs int64 `json:"runs"` // plain runs along y, compressed by zstd, in the same pages; not a form of stones
	// Alone is what each form takes alone, by name; what it cannot hold is columns.
	Alone map[string]int64 `json:"alone"`
	Stone int64            `json:"stone"` // each page in the form that a Writer chooses
	Taken map[string]int64 `json:"taken"` // parts of Stone by form
}

func (b *FormBytes) add(c FormBytes) {
	b.Runs += c.Runs
	b.Stone += c.Stone
	b.Alone, b.Taken = addTo(b.Alone, c.Alone), addTo(b.Taken, c.Taken)
}

func addTo(sum, m map[string]int64) map[string]int64 {
	if sum == nil {
		sum = map[string]int64{}
	}
	for k, v := range m {
		sum[k] += v
	}
	return sum
}

// FormWeights are the sizes of a world's cells: of its light, and of all others.
type FormWeights struct {
	Blocks FormBytes `json:"blocks"`
	Light  FormBytes `json:"light"`
}

// Add adds the sizes of other cells.
func (f *FormWeights) Add(g FormWeights) {
	f.Blocks.add(g.Blocks)
	f.Light.add(g.Light)
}

// of returns the part that a volume belongs to.
func (f *FormWeights) of(volume string) *FormBytes {
	if voxel.IsLight(volume) {
		return &f.Light
	}
	return &f.Blocks
}

// cellForms are the forms of cells.
func cellForms() []stone.Form {
	return slices.DeleteFunc(stone.Forms(), func(f stone.Form) bool { return f.Holds != "cells" })
}

// holds reports whether pages of v can be of a form.
func holds(form int, v *convert.LoadedVolume) bool {
	switch codec.Form(form) {
	case codec.Relief:
		return v.Schema == voxel.Terrain
	case codec.Images, codec.Odds:
		return v.Schema != voxel.Terrain
	case codec.Form(litForm):
		return voxel.IsLight(v.Volume.Name)
	}
	return true
}

const columnsName = "columns"

// litForm is the number of the form of light.
var litForm = func() int {
	i := slices.IndexFunc(stone.Forms(), func(f stone.Form) bool { return f.Name == "lit" })
	return stone.Forms()[i].Number
}()

// WeighForms writes the cells of w in every form.
func WeighForms(ctx context.Context, w *convert.Loaded) (f FormWeights, err error) {
	f.Add(FormWeights{}) // make maps
	cells := cellsOf(w)
	o := stone.Options{PageChunks: chunksAPage(w)}
	err = eachCellPage(ctx, cells, o, func(p stone.PageInfo) {
		part := f.of(p.Name)
		part.Stone += int64(p.Size)
		part.Taken[p.FormName] += int64(p.Size)
	})
	for _, form := range cellForms() {
		o.Only = form.Number
		err = cmp.Or(err, f.alone(ctx, cells, form, o))
	}
	if err != nil {
		return f, fmt.Errorf("cell: forms: %w", err)
	}
	runs := newRunsForm()
	for _, d := range cells.Dimensions {
		for _, v := range d.Volumes {
			f.of(v.Volume.Name).Runs += runs.volume(v, o.PageChunks)
		}
	}
	return f, ctx.Err()
}

// alone fills in what a form takes alone.
func (f *FormWeights) alone(ctx context.Context, w *convert.Loaded, form stone.Form, o stone.Options) error {
	f.Blocks.Alone[form.Name], f.Light.Alone[form.Name] = 0, 0
	some := slices.ContainsFunc(w.Dimensions, func(d *convert.LoadedDimension) bool {
		return slices.ContainsFunc(d.Volumes, func(v *convert.LoadedVolume) bool { return holds(form.Number, v) })
	})
	if !some {
		f.Blocks.Alone[form.Name], f.Light.Alone[form.Name] = f.Blocks.Alone[columnsName], f.Light.Alone[columnsName]
		return nil
	}
	return eachCellPage(ctx, w, o, func(p stone.PageInfo) { f.of(p.Name).Alone[form.Name] += int64(p.Size) })
}

// chunksAPage is how many chunks that are not uniform a page of w has at most:
// convert.WriteStone has small worlds in one.
func chunksAPage(w *convert.Loaded) int {
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			n := 0
			for _, c := range v.Chunks {
				if _, uniform := c.Uniform(); !uniform {
					n++
				}
			}
			if n > 256 {
				return 64
			}
		}
	}
	return 256
}

// cellsOf returns w with nothing but cells.
func cellsOf(w *convert.Loaded) *convert.Loaded {
	out := &convert.Loaded{Head: w.Head}
	for _, d := range w.Dimensions {
		out.Dimensions = append(out.Dimensions, &convert.LoadedDimension{Name: d.Name, Folder: d.Folder, Volumes: d.Volumes})
	}
	return out
}

// eachCellPage writes w and calls f with every page of cells.
func eachCellPage(ctx context.Context, w *convert.Loaded, o stone.Options, f func(stone.PageInfo)) error {
	var out bytes.Buffer
	_, n, err := convert.WriteStone(ctx, w, &out, o)
	if err != nil {
		return err
	}
	r, err := stone.Open(bytes.NewReader(out.Bytes()), n)
	if err != nil {
		return err
	}
	pages, err := r.Pages()
	for _, p := range pages {
		if p.Holds == "cells" {
			f(p)
		}
	}
	return err
}
