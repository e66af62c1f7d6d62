package cell

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// CodecForm is what one way to write cells takes. MB are of flat cells, two
// bytes each; seconds are of processors.
type CodecForm struct {
	Name    string  `json:"name"`
	Bytes   int64   `json:"bytes"`
	PerCell float64 `json:"bytes_per_cell"` // that is not empty
	Encode  float64 `json:"encode_mb_per_s"`
	Decode  float64 `json:"decode_mb_per_s"`

	encoding, decoding float64 // seconds
}

// CodecVolume is what the chunks of one volume take.
type CodecVolume struct {
	Name   string      `json:"name"`
	Chunks int         `json:"chunks"`
	Cells  int         `json:"cells"` // that are not empty
	Forms  []CodecForm `json:"forms"`
}

// CodecReport is what writing cells takes, and what the size of pages costs.
type CodecReport struct {
	Volumes []CodecVolume          `json:"volumes"`
	Pages   []PageCost             `json:"pages"`
	Skipped []savings.SkippedWorld `json:"skipped"`
}

// BenchCodec writes and reads the cells of a made terrain, and of all worlds
// below dirs, or of made ones without dirs, in cairn's forms and in plain ones;
// and writes some of the worlds with pages of several sizes.
func BenchCodec(ctx context.Context, dirs []string, o lab.Options) (r *CodecReport, err error) {
	err = lab.OrMade(ctx, dirs, func(dirs []string) error {
		r, err = benchCodec(ctx, dirs, o)
		return err
	})
	return r, err
}

func benchCodec(ctx context.Context, dirs []string, o lab.Options) (*CodecReport, error) {
	places, err := savings.Find(dirs)
	if err != nil {
		return nil, err
	}
	b := &codecBench{forms: newForms(), volumes: map[string]*CodecVolume{}}
	r := &CodecReport{Volumes: []CodecVolume{}, Pages: []PageCost{}, Skipped: []savings.SkippedWorld{}}
	o.Step(0, len(places)+1, "terrain")
	w, err := convert.Load(ctx, lab.Land(o))
	if err == nil {
		err = b.world(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	var sized []sizedPlace
	for i, p := range places {
		o.Step(i+1, len(places)+1, p.Path)
		w, err := lab.LoadPlace(ctx, p)
		if err == nil {
			sized = append(sized, sizedPlace{p, countChunks(w)})
			err = b.world(ctx, w)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Skipped = append(r.Skipped, savings.SkippedWorld{Path: p.Path, Why: err.Error()})
		}
	}
	if r.Pages, err = pageCosts(ctx, sized); err != nil {
		return nil, err
	}
	r.Volumes = b.report()
	o.Step(len(places)+1, len(places)+1, "")
	return r, nil
}

type sizedPlace struct {
	savings.Place
	chunks int
}

func countChunks(w *convert.Loaded) (n int) {
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			n += len(v.Chunks)
		}
	}
	return n
}

// codecBench sums up by the name of the volume.
type codecBench struct {
	forms   []form
	volumes map[string]*CodecVolume
}

func (b *codecBench) world(ctx context.Context, w *convert.Loaded) error {
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			if err := b.volume(ctx, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *codecBench) volume(ctx context.Context, v *convert.LoadedVolume) error {
	sum := b.volumes[v.Volume.Name]
	if sum == nil {
		sum = &CodecVolume{Name: v.Volume.Name}
		b.volumes[v.Volume.Name] = sum
	}
	sum.Chunks += len(v.Chunks)
	sum.Cells += v.Count()
	for _, f := range b.forms {
		if f.only == 0 || f.only == v.Schema {
			if err := sum.form(f.name).time(ctx, f, v); err != nil {
				return fmt.Errorf("cell: %s of volume %q: %w", f.name, v.Volume.Name, err)
			}
		}
	}
	return nil
}

// form returns the sum of that name.
func (v *CodecVolume) form(name string) *CodecForm {
	i := slices.IndexFunc(v.Forms, func(f CodecForm) bool { return f.Name == name })
	if i < 0 {
		i = len(v.Forms)
		v.Forms = append(v.Forms, CodecForm{Name: name})
	}
	return &v.Forms[i]
}

func (c *CodecForm) time(ctx context.Context, f form, v *convert.LoadedVolume) error {
	for _, batch := range batches(v) {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.prepare(batch)
		start := lab.ProcessorTime()
		n, err := f.encode()
		middle := lab.ProcessorTime()
		if err == nil {
			err = f.decode()
		}
		if err != nil {
			return err
		}
		c.Bytes += n
		c.encoding += (middle - start).Seconds()
		c.decoding += (lab.ProcessorTime() - middle).Seconds()
	}
	return nil
}

func (b *codecBench) report() []CodecVolume {
	out := []CodecVolume{}
	for _, name := range slices.Sorted(maps.Keys(b.volumes)) {
		v := *b.volumes[name]
		for i := range v.Forms {
			f := &v.Forms[i]
			flat := int64(v.Chunks) * lab.FlatChunkBytes
			f.Encode, f.Decode = megabytes(flat, f.encoding), megabytes(flat, f.decoding)
			f.PerCell = float64(f.Bytes) / float64(max(1, v.Cells))
		}
		out = append(out, v)
	}
	return out
}

// batch is the chunks of a volume within a cube of 4 chunks an edge, what a
// page of a stone holds at most.
type batch struct {
	volume *convert.LoadedVolume // with these chunks alone
	at     []geom.ChunkPos       // by z, x, y
}

func batches(v *convert.LoadedVolume) (out []batch) {
	cubes := map[geom.ChunkPos][]geom.ChunkPos{}
	for pos := range v.Chunks {
		key := geom.ChunkPos{X: pos.X >> 2, Y: pos.Y >> 2, Z: pos.Z >> 2}
		cubes[key] = append(cubes[key], pos)
	}
	for _, key := range slices.SortedFunc(maps.Keys(cubes), compareTowers) {
		b := batch{volume: &convert.LoadedVolume{Volume: v.Volume, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}, at: cubes[key]}
		if v.Schema == voxel.Palette {
			b.volume.Names = v.Names
		}
		slices.SortFunc(b.at, compareTowers)
		for _, pos := range b.at {
			b.volume.Chunks[pos] = v.Chunks[pos]
		}
		out = append(out, b)
	}
	return out
}

func compareTowers(a, b geom.ChunkPos) int {
	return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
}

// Table prints a line for each form of each volume, and for each size of pages.
func (r *CodecReport) Table(w io.Writer) {
	t := table.New(w, "volume: form", "chunks", "cells", "bytes", "B/cell", "encode MB/s", "decode MB/s")
	for _, v := range r.Volumes {
		for _, f := range v.Forms {
			t.Row(v.Name+": "+f.Name, fmt.Sprint(v.Chunks), fmt.Sprint(v.Cells), table.Size(f.Bytes), fmt.Sprintf("%.4f", f.PerCell),
				fmt.Sprintf("%.0f", f.Encode), fmt.Sprintf("%.0f", f.Decode))
		}
	}
	t.Flush()
	pagesTable(w, r.Pages)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}
