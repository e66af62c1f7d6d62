package cell

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// form is a way to write cells: prepare is not timed, encode returns how many
// bytes the batch takes, decode reads them back.
type form struct {
	name string
	only voxel.Schema // that it can write; 0 for all
	coder
}

type coder interface {
	prepare(b batch)
	encode() (int64, error)
	decode() error
}

func newForms() []form {
	return []form{
		{name: "columns", coder: &columnsForm{}},
		{name: "odds", coder: &oddsForm{}},
		{name: "stone", coder: &stoneForm{}},
		{name: "stone, good", coder: &stoneForm{o: stone.Options{Effort: stone.Good}}},
		{name: "stone, quick", coder: &stoneForm{o: stone.Options{Effort: stone.Quick}}},
		{name: "rle", only: voxel.Terrain, coder: &compressedForm{from: runBytes, back: readRuns, compressor: lab.Plain{}}},
		{name: "rle+lz4", only: voxel.Terrain, coder: &compressedForm{from: runBytes, back: readRuns, compressor: &lab.LZ4{}}},
		{name: "rle+zstd", only: voxel.Terrain, coder: &compressedForm{from: runBytes, back: readRuns, compressor: lab.NewZstd()}},
		{name: "flat+lz4", coder: &compressedForm{from: flatBytes, compressor: &lab.LZ4{}}},
		{name: "flat+zstd", coder: &compressedForm{from: flatBytes, compressor: lab.NewZstd()}},
	}
}

// columnsForm is the form of stones before zstd.
type columnsForm struct {
	enc     codec.Encoder
	dec     codec.Decoder
	towers  []codec.Tower
	heights []int
	streams [][]byte
}

func (f *columnsForm) prepare(b batch) {
	f.towers, f.heights = nil, nil
	for i, pos := range b.at {
		if i == 0 || pos.X != b.at[i-1].X || pos.Z != b.at[i-1].Z {
			f.towers, f.heights = append(f.towers, nil), append(f.heights, 0)
		}
		last := len(f.towers) - 1
		f.towers[last] = append(f.towers[last], b.volume.Chunks[pos])
		f.heights[last]++
	}
}

func (f *columnsForm) encode() (n int64, err error) {
	f.streams = f.enc.Encode(f.towers)
	for _, s := range f.streams {
		n += int64(len(s))
	}
	return n, nil
}

func (f *columnsForm) decode() error {
	_, err := f.dec.Decode(nil, codec.Columns, f.streams, f.heights, nil)
	return err
}

// oddsForm is the form Odds, which zstd makes no smaller.
type oddsForm struct {
	columnsForm
	tops []geom.ChunkPos
}

func (f *oddsForm) prepare(b batch) {
	f.columnsForm.prepare(b)
	f.tops = f.tops[:0]
	n := 0
	for _, h := range f.heights {
		n += h
		f.tops = append(f.tops, b.at[n-1])
	}
}

func (f *oddsForm) encode() (n int64, err error) {
	f.enc.Encode(f.towers)
	streams, ok := f.enc.EncodeOdds(f.tops)
	if f.streams = streams; !ok { // too many runs for their bytes: a stone has another form
		f.streams = nil
	}
	for _, s := range streams {
		n += int64(len(s))
	}
	return n, nil
}

func (f *oddsForm) decode() error {
	if f.streams == nil {
		return nil
	}
	_, err := f.dec.Decode(nil, codec.Odds, f.streams, f.heights, f.tops)
	return err
}

// stoneForm is a stone with nothing else.
type stoneForm struct {
	o   stone.Options
	w   *convert.Loaded
	out bytes.Buffer
}

func (f *stoneForm) prepare(b batch) {
	f.w = &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "all", Volumes: []*convert.LoadedVolume{b.volume}}}}
	f.out.Reset()
}

func (f *stoneForm) encode() (int64, error) {
	_, n, err := convert.WriteStone(context.Background(), f.w, &f.out, f.o)
	return n, err
}

func (f *stoneForm) decode() error {
	r, err := stone.Open(bytes.NewReader(f.out.Bytes()), int64(f.out.Len()))
	if err != nil {
		return err
	}
	for _, err := range r.Chunks(context.Background(), "all", f.w.Dimensions[0].Volumes[0].Volume.Name, 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// compressedForm makes bytes of chunks and packs them. What from needs of flat
// cells is prepared, as if chunks were flat; runs are part of what is timed.
type compressedForm struct {
	from       func(dst []byte, b batch) []byte
	back       func(src []byte) error // nil where the bytes are what is wanted
	compressor lab.Compressor
	b          batch
	plain      []byte
	compressed []byte
}

func (f *compressedForm) prepare(b batch) {
	f.b = b
	if f.back == nil {
		f.plain = f.from(f.plain[:0], b)
	}
}

func (f *compressedForm) encode() (n int64, err error) {
	if f.back != nil {
		f.plain = f.from(f.plain[:0], f.b)
	}
	f.compressed, err = f.compressor.Compress(f.compressed[:0], f.plain)
	return int64(len(f.compressed)), err
}

func (f *compressedForm) decode() error {
	plain, err := f.compressor.Decompress(f.compressed, len(f.plain))
	if err == nil && !bytes.Equal(plain, f.plain) {
		err = errors.New("what was read is not what was written")
	}
	if err != nil || f.back == nil {
		return err
	}
	return f.back(plain)
}

func flatBytes(dst []byte, b batch) []byte {
	var cells [voxel.ChunkCells]voxel.Cell
	for _, pos := range b.at {
		b.volume.Chunks[pos].Flat(&cells)
		for _, c := range cells {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(c))
		}
	}
	return dst
}

func runBytes(dst []byte, b batch) []byte {
	for _, pos := range b.at {
		dst = codec.AppendRLE(dst, b.volume.Chunks[pos])
	}
	return dst
}

func readRuns(src []byte) error {
	for len(src) > 0 {
		_, n, err := codec.DecodeRLE(src)
		if err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}
