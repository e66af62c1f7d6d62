package codec_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// corpora are what the benchmarks encode: terrain, and the blocks of a few real
// worlds where CAIRN_WORLDS says where they are.
func corpora(b *testing.B) []corpus {
	b.Helper()
	var level page
	for z := range int32(6) {
		for x := range int32(6) {
			var s codec.Stack
			for y := range int32(4) {
				s = append(s, terrain.Level{Seed: 2}.Chunk(geom.ChunkPos{X: x, Y: y, Z: z}))
			}
			level = append(level, s)
		}
	}
	var real page
	dirs, err := filepath.Glob(filepath.Join(os.Getenv("CAIRN_WORLDS"), "anvil", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(dirs) && len(real) < 64; i += 10 {
		real = append(real, blocksOf(b, dirs[i])...)
	}
	return []corpus{{"terrain", level}, {"worlds", real}}
}

type corpus struct {
	name string
	page page
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
			if i == 0 || pos.X != at[i-1].X || pos.Z != at[i-1].Z || len(p[len(p)-1]) == codec.MaxStack {
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
	encode func(p page) [][]byte
	decode func(blobs [][]byte, p page) error
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
	var pack voxel.Builder
	return []form{
		{"columns", func(p page) [][]byte { return e.Encode(p) }, func(blobs [][]byte, p page) error {
			_, err := d.Decode(nil, blobs, p.heights())
			return err
		}},
		{"columns+zstd", func(p page) (out [][]byte) {
			for _, s := range e.Encode(p) {
				out = append(out, fast.EncodeAll(s, nil))
			}
			return out
		}, func(blobs [][]byte, p page) error {
			plain := make([][]byte, len(blobs))
			for i, s := range blobs {
				var err error
				if plain[i], err = unzstd.DecodeAll(s, nil); err != nil {
					return err
				}
			}
			_, err := d.Decode(nil, plain, p.heights())
			return err
		}},
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
	return form{name, func(p page) (blobs [][]byte) {
		for _, c := range slices.Concat(p...) {
			blobs = append(blobs, encode(c))
		}
		return blobs
	}, func(blobs [][]byte, _ page) error {
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
func repack(pack *voxel.Builder, plain []byte) {
	var f flat
	for i := range f {
		f[i] = voxel.Cell(binary.LittleEndian.Uint16(plain[2*i:]))
	}
	pack.Pack((*[voxel.ChunkCells]voxel.Cell)(&f))
}

// eachForm runs a benchmark for every corpus and form; its MB are of flat cells.
func eachForm(b *testing.B, run func(b *testing.B, f form, p page)) {
	for _, from := range corpora(b) {
		chunks := slices.Concat(from.page...)
		cells := 0
		for _, c := range chunks {
			cells += c.CountNonEmpty()
		}
		for _, f := range forms(b) {
			if cells == 0 || from.name != "terrain" && f.name == "rle" {
				continue
			}
			b.Run(from.name+"/"+f.name, func(b *testing.B) {
				size := len(slices.Concat(f.encode(from.page)...))
				b.SetBytes(int64(len(chunks)) * 2 * voxel.ChunkCells)
				b.ReportAllocs()
				run(b, f, from.page)
				b.ReportMetric(float64(size)/float64(cells), "B/cell")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	eachForm(b, func(b *testing.B, f form, p page) {
		for b.Loop() {
			f.encode(p)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	eachForm(b, func(b *testing.B, f form, p page) {
		blobs := cloneStreams(f.encode(p))
		for b.Loop() {
			if err := f.decode(blobs, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
