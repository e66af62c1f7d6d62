package codec_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// symmetric are pages with images: made ones, and every tenth of the real worlds
// that have some where CAIRN_WORLDS says where they are.
func symmetric(b *testing.B) map[string][]plan {
	b.Helper()
	made := plan{}
	for i := range 8 {
		a := arena(uint64(i), 60, func(x, z int) (int, int) { return z, 31 - x })
		for k := range a.tops {
			a.tops[k].Z += int32(i)
		}
		made.page, made.tops = append(made.page, a.page...), append(made.tops, a.tops...)
	}
	pages := map[string][]plan{"made": {made}}
	dirs, err := filepath.Glob(filepath.Join(os.Getenv("CAIRN_WORLDS"), "anvil", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(dirs); i += 10 {
		if p := planOf(b, dirs[i]); encodeImages(p) != nil {
			pages["worlds"] = append(pages["worlds"], p)
		}
	}
	return pages
}

// planOf returns the blocks of a real world, at most 256 chunks, in the order of pages.
func planOf(b *testing.B, dir string) (p plan) {
	b.Helper()
	src, err := anvil.Open(dir, anvil.Options{Salvage: true})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	w, err := convert.Load(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	v := w.Dimensions[0].Volume(voxel.Block)
	at := v.Positions()
	slices.SortStableFunc(at, func(p, q geom.ChunkPos) int {
		return geom.ColumnPos{X: p.X, Z: p.Z}.Compare(geom.ColumnPos{X: q.X, Z: q.Z})
	})
	for i, pos := range at[:min(len(at), 256)] {
		if i == 0 || pos.X != at[i-1].X || pos.Z != at[i-1].Z {
			p.page, p.tops = append(p.page, nil), append(p.tops, pos)
		}
		n := len(p.page) - 1
		p.page[n], p.tops[n] = append(p.page[n], v.Chunks[pos]), pos
	}
	return p
}

// BenchmarkImages compares the form Images with Columns, page by page; its MB are
// of flat cells.
func BenchmarkImages(b *testing.B) {
	for name, plans := range symmetric(b) {
		var columns, images [][][]byte
		cells := 0
		for _, p := range plans {
			columns, images = append(columns, encode(p.page)), append(images, encodeImages(p))
			cells += len(slices.Concat(p.page...)) * voxel.ChunkCells
		}
		run := func(what string, f func(i int, p plan) error) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.SetBytes(int64(cells) * 2)
				for b.Loop() {
					for i, p := range plans {
						if err := f(i, p); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
		var e codec.Encoder
		var d codec.Decoder
		run("encode columns", func(_ int, p plan) error { e.Encode(p.page); return nil })
		run("encode both", func(_ int, p plan) error { e.Encode(p.page); e.EncodeImages(p.tops); return nil })
		run("decode columns", func(i int, p plan) error {
			_, err := d.Decode(nil, codec.Columns, columns[i], p.heights(), nil)
			return err
		})
		run("decode images", func(i int, p plan) error {
			_, err := d.Decode(nil, codec.Images, images[i], p.heights(), p.tops)
			return err
		})
	}
}
