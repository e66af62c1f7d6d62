package codec_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// corpora are what the benchmarks encode: terrain, and the blocks of a few real
// worlds where CAIRN_WORLDS says where they are.
func corpora(b *testing.B) []corpus {
	b.Helper()
	var level ground
	for z := range int32(6) {
		for x := range int32(6) {
			var s codec.Tower
			for y := range int32(4) {
				s = append(s, terrain.Level{Seed: 2}.Chunk(geom.ChunkPos{X: x, Y: y, Z: z}))
			}
			level.add(x, 0, z, s...)
		}
	}
	var real ground
	dirs, err := filepath.Glob(filepath.Join(os.Getenv("CAIRN_WORLDS"), "anvil", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(dirs) && len(real.page) < 64; i += 10 {
		real.page = append(real.page, blocksOf(b, dirs[i])...)
	}
	for i := range real.page { // in a row without neighbours
		real.tops = append(real.tops, geom.ChunkPos{X: int32(i % 8 * 2), Z: int32(i / 8 * 2)})
	}
	return []corpus{{"terrain", level}, {"worlds", real}}
}

type corpus struct {
	name string
	ground
}

// blocksOf returns the blocks of a real world, footprint by footprint.
func blocksOf(b *testing.B, dir string) (p page) {
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
	for _, d := range w.Dimensions {
		v := d.Volume(voxel.Block)
		at := v.Positions()
		slices.SortStableFunc(at, func(p, q geom.ChunkPos) int {
			return geom.ColumnPos{X: p.X, Z: p.Z}.Compare(geom.ColumnPos{X: q.X, Z: q.Z})
		})
		for i, pos := range at {
			if i == 0 || pos.X != at[i-1].X || pos.Z != at[i-1].Z || len(p[len(p)-1]) == codec.MaxTower {
				p = append(p, nil)
			}
			p[len(p)-1] = append(p[len(p)-1], v.Chunks[pos])
		}
	}
	return p
}

// form is a way to write a page: blobs in, blobs out.
type form struct {
	name   string
	encode func(g ground) [][]byte
	decode func(blobs [][]byte, g ground) error
	// terrain says that it takes no other cells.
	terrain bool
}

func forms(b *testing.B) []form {
	b.Helper()
	fast, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	unzstd, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	var e codec.Encoder
	var d codec.Decoder
	var squeeze lz4.Compressor
	var pack voxel.ChunkBuilder
	columns := form{name: "columns", encode: func(g ground) [][]byte { return e.Encode(g.page) }, decode: func(blobs [][]byte, g ground) error {
		_, err := d.Decode(nil, codec.Columns, blobs, g.heights(), nil)
		return err
	}}
	odds := form{name: "odds", encode: func(g ground) [][]byte {
		e.Encode(g.page)
		streams, ok := e.EncodeOdds(g.tops)
		if !ok {
			b.Fatal("no odds")
		}
		return streams
	}, decode: func(blobs [][]byte, g ground) error {
		_, err := d.Decode(nil, codec.Odds, blobs, g.heights(), g.tops)
		return err
	}}
	relief := form{name: "relief", terrain: true, encode: func(g ground) [][]byte { return encodeRelief(b, &e, g) }, decode: func(blobs [][]byte, g ground) error {
		_, err := d.Decode(nil, codec.Relief, blobs, g.heights(), g.tops)
		return err
	}}
	zstded := func(f form) form {
		return form{name: f.name + "+zstd", terrain: f.terrain, encode: func(g ground) (out [][]byte) {
			for _, s := range f.encode(g) {
				out = append(out, fast.EncodeAll(s, nil))
			}
			return out
		}, decode: func(blobs [][]byte, g ground) error {
			plain := make([][]byte, len(blobs))
			for i, s := range blobs {
				var err error
				if plain[i], err = unzstd.DecodeAll(s, nil); err != nil {
					return err
				}
			}
			return f.decode(plain, g)
		}}
	}
	return []form{
		columns, zstded(columns), odds, relief, zstded(relief),
		perChunk("rle", func(c *voxel.Chunk) []byte { return codec.AppendRLE(nil, c) }, func(blob []byte) error {
			_, _, err := codec.DecodeRLE(blob)
			return err
		}),
		perChunk("flat+zstd", func(c *voxel.Chunk) []byte { return fast.EncodeAll(flatBytes(c), nil) }, func(blob []byte) error {
			plain, err := unzstd.DecodeAll(blob, nil)
			repack(&pack, plain)
			return err
		}),
		perChunk("flat+lz4", func(c *voxel.Chunk) []byte {
			out := make([]byte, lz4.CompressBlockBound(2*voxel.ChunkCells))
			n, err := squeeze.CompressBlock(flatBytes(c), out)
			if err != nil {
				b.Fatal(err)
			}
			return out[:n]
		}, func(blob []byte) error {
			plain := make([]byte, 2*voxel.ChunkCells)
			_, err := lz4.UncompressBlock(blob, plain)
			repack(&pack, plain)
			return err
		}),
	}
}

// perChunk makes a form of what writes one chunk.
func perChunk(name string, encode func(*voxel.Chunk) []byte, decode func([]byte) error) form {
	return form{name: name, terrain: name == "rle", encode: func(g ground) (blobs [][]byte) {
		for _, c := range slices.Concat(g.page...) {
			blobs = append(blobs, encode(c))
		}
		return blobs
	}, decode: func(blobs [][]byte, _ ground) error {
		for _, blob := range blobs {
			if err := decode(blob); err != nil {
				return err
			}
		}
		return nil
	}}
}

func flatBytes(c *voxel.Chunk) []byte {
	out := make([]byte, 0, 2*voxel.ChunkCells)
	for _, cell := range flatOf(c) {
		out = binary.LittleEndian.AppendUint16(out, uint16(cell))
	}
	return out
}

// repack makes a chunk of flat bytes, as every other form does.
func repack(pack *voxel.ChunkBuilder, plain []byte) {
	var f flat
	for i := range f {
		f[i] = voxel.Cell(binary.LittleEndian.Uint16(plain[2*i:]))
	}
	pack.FromFlat((*[voxel.ChunkCells]voxel.Cell)(&f))
}

// eachForm runs a benchmark for every corpus and form; its MB are of flat cells.
func eachForm(b *testing.B, run func(b *testing.B, f form, g ground)) {
	for _, from := range corpora(b) {
		chunks := slices.Concat(from.page...)
		cells := 0
		for _, c := range chunks {
			cells += c.CountNonEmpty()
		}
		for _, f := range forms(b) {
			if cells == 0 || from.name != "terrain" && f.terrain {
				continue
			}
			b.Run(from.name+"/"+f.name, func(b *testing.B) {
				size := len(slices.Concat(f.encode(from.ground)...))
				b.SetBytes(int64(len(chunks)) * 2 * voxel.ChunkCells)
				b.ReportAllocs()
				run(b, f, from.ground)
				b.ReportMetric(float64(size)/float64(cells), "B/cell")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	eachForm(b, func(b *testing.B, f form, g ground) {
		for b.Loop() {
			f.encode(g)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	eachForm(b, func(b *testing.B, f form, g ground) {
		blobs := cloneStreams(f.encode(g))
		for b.Loop() {
			if err := f.decode(blobs, g); err != nil {
				b.Fatal(err)
			}
		}
	})
}
