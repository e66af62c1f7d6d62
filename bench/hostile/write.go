package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// part is a piece of a directory or of a stream in the words of the format.
type part []byte

func (p part) n(numbers ...uint64) part {
	for _, v := range numbers {
		p = binary.AppendUvarint(p, v)
	}
	return p
}

func (p part) s(texts ...string) part {
	for _, s := range texts {
		p = append(p.n(uint64(len(s))), s...)
	}
	return p
}

func (p part) list(parts ...part) part {
	return append(p.n(uint64(len(parts))), slices.Concat(parts...)...)
}

// entry is an entry of a directory. refs are its page reference and what follows it.
type entry struct {
	key, mask uint64
	refs      []uint64
}

// References of entries; page n is page0+n.
const (
	same  = 0
	value = 1
	page0 = 3
)

// entries returns a list of entries, sorted.
func entries(es ...entry) part {
	slices.SortStableFunc(es, func(a, b entry) int { return int(int64(a.key - b.key)) })
	p, key := part{}.n(uint64(len(es))), uint64(0)
	for _, e := range es {
		p = part(binary.LittleEndian.AppendUint64(p.n(e.key-key), e.mask)).n(e.refs...)
		key = e.key
	}
	return p
}

// square is the key of the square of columns number n, counted along a line.
func square(n int) uint64 { return 3<<36 + uint64(n) }

// cubes returns the entries for chunks of level 0 in a page.
func cubes(page int, at []geom.ChunkPos) (es []entry) {
	for _, pos := range at {
		code := uint64(geom.CodeOf(pos, 0))
		i := slices.IndexFunc(es, func(e entry) bool { return e.key == code>>6 })
		if i < 0 {
			i, es = len(es), append(es, entry{code >> 6, 0, []uint64{same}})
		}
		es[i].mask |= 1 << (code & 63)
	}
	slices.SortFunc(es, func(a, b entry) int { return int(int64(a.key - b.key)) })
	es[0].refs[0] = uint64(page0 + page)
	return es
}

// box returns the positions of the chunks of a box from a corner, tower by tower.
func box(x, y, z, wide, high, deep int) (at []geom.ChunkPos) {
	for i := range wide * deep {
		for j := range high {
			at = append(at, geom.ChunkPos{X: int32(x + i%wide), Y: int32(y + j), Z: int32(z + i/wide)})
		}
	}
	return at
}

// volume returns a volume of level 0. Names of cells are those of a palette.
func volume(v voxel.Volume, names int, es ...entry) part {
	p := part{}.s(v.Name).n(uint64(v.Schema), 1, uint64(v.Default), uint64(names))
	for i := range names {
		p = p.n(0).s(fmt.Sprintf("%06d", i))
	}
	return append(p.n(1, 0), entries(es...)...)
}

// content is what a stone holds besides its pages.
type content struct {
	volumes []part
	rules   []part
	columns []entry
	lists   []part // a name and entries each
	files   []part
	after   part // matters and tallies
}

// assemble returns the stone of pages and a directory with one dimension.
func assemble(sheets [][]byte, c content) []byte {
	b, hashes, sizes := []byte("CAIRN\n\x1a\x01"), []byte{}, []part{}
	for _, p := range sheets {
		b = append(b, p...)
		hashes = binary.LittleEndian.AppendUint32(hashes, uint32(xxh3.Hash(p)))
		sizes = append(sizes, part{}.n(uint64(len(p))))
	}
	d := append(part{}.s("d", "").list(c.volumes...).list(c.rules...), entries(c.columns...)...).list(c.lists...)
	plain := append(part{}.list(sizes...).n(0).list(d).list(c.files...), c.after...)
	dir := append(page(0, plain), hashes...)
	foot := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(len(b))), uint32(len(dir)))
	sum := xxh3.Hash(slices.Concat(b[:8], dir, foot))
	return append(append(append(append(b, dir...), foot...), binary.LittleEndian.AppendUint64(nil, sum)...), "nriac"...)
}

var encoder = pages.NewEncoder(true)

func page(form byte, streams ...[]byte) []byte { return encoder.Append(nil, form, streams) }

// written returns the page that a Writer makes of chunks in one form.
func written(form int, v voxel.Volume, names int, at []geom.ChunkPos, chunk func(geom.ChunkPos) *voxel.Chunk) []byte {
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{PageChunks: 512, Only: form})
	w.Dimension("d", "")
	var named []string
	for i := range names {
		named = append(named, fmt.Sprintf("%06d", i))
	}
	w.Volume(v, named)
	at = slices.Clone(at)
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	for _, pos := range at {
		w.Chunk(0, pos, chunk(pos))
	}
	if _, _, err := w.Close(); err != nil {
		panic(err)
	}
	r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	all, err := r.Forms()
	if err != nil || len(all) != 1 || all[0].Form != form {
		panic(fmt.Sprintf("form %d: %+v, %v", form, all, err))
	}
	return b.Bytes()[all[0].Offset:][:all[0].Size]
}

// chunksOf returns chunks by their cells.
func chunksOf(cell func(x, y, z int) voxel.Cell) func(geom.ChunkPos) *voxel.Chunk {
	return func(pos geom.ChunkPos) *voxel.Chunk {
		var flat [voxel.ChunkCells]voxel.Cell
		for i := range flat {
			flat[i] = cell(int(pos.X)*32+i%32, int(pos.Y)*32+i/1024, int(pos.Z)*32+i/32%32)
		}
		return voxel.FromFlat(&flat)
	}
}
