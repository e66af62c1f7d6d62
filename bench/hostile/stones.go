package hostile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// attack is a way to keep a reader busy.
type attack struct {
	form, name string
	stone      func() []byte
	uses       int
}

var (
	blocks  = voxel.Volume{Name: voxel.Block, Scale: 1}
	terrain = voxel.Volume{Name: "earth", Schema: voxel.Terrain, Scale: 1}
	glow    = voxel.Volume{Name: voxel.Light, Schema: voxel.Level, Scale: 1}
	high    = box(0, 0, 0, 4, 64, 2) // the 512 chunks of a page in 8 towers
)

const (
	runCells = 64 * 32 // of the columns of a tower in high
	lower    = 60      // chunks of towers whose light is flooded
)

var attacks = []attack{
	{"columns", "each cell another than below", func() []byte { return ofCells(page(1, changing(8*1024, runCells, 2)...), 0) }, 0},
	{"columns", "each cell another than all around", func() []byte { return ofCells(page(1, changing(8*1024, runCells, 251)...), 0) }, 0},
	{"images", "each column an image of the one before", func() []byte { return ofCells(page(4, imaged()...), 0) }, 0},
	{"relief", "each cell not full and of another material", func() []byte {
		c := chunksOf(func(x, y, z int) voxel.Cell { return voxel.TerrainCell(uint8(1+y&1), uint8(1+(x+3*y+5*z)%200)) })
		at := voxel.Volume{Name: terrain.Name, Schema: terrain.Schema, Scale: 1}
		return assemble([][]byte{written(2, at, 0, high, c)}, content{volumes: []part{volume(at, 0, cubes(0, high)...)}})
	}, 0},
	{"odds", "each cell another than below", func() []byte { return ofCells(oddsPage(2, high), 0) }, 0},
	{"odds", "cells that follow from those below", func() []byte { return ofCells(oddsPage(4000, high), 0) }, 0},
	{"light", "each cell another than below", func() []byte { return lit(lamps, 1, high, changing(8*1024, runCells, 2), columnsPage(2)) }, 0},
	{"light", "floods through leaves of all kinds", func() []byte {
		at := box(-4, 0, -4, 11, 1, 11)
		return lit(leaves, 1, at, changing(11*11*1024, 1, 1), leavesPage())
	}, 0},
	{"light", "around blocks in the form odds", func() []byte {
		return lit(lamps, 4, high[:1], changing(1024, 1, 1), oddsPage(4000, box(0, 0, 0, 4, lower, 2)))
	}, 0},
	{"light", "of chunks far apart", func() []byte {
		at := []geom.ChunkPos{}
		for i := range 512 {
			at = append(at, geom.ChunkPos{X: int32(i % 2 * 3), Z: int32(i / 2 * 20)})
		}
		return lit(lamps, 1, at, changing(512*1024, 1, 1), columnsPage(2))
	}, 0},
	{"height maps", "of blocks that do not count", mapped, 65},
	{"height maps", "of a column of nothing", nowhere, 0},
	{"height maps", "of long names", longNames, 0},
	{"columns of maps", "32 maps each", func() []byte {
		maps := part{}.n(32).n(slices.Repeat([]uint64{0, 0, 2}, 32)...)
		shapes := bytes.Repeat(append(append(part{}.n(0, 0, 0), maps...), 0), 1024)
		return ofColumns(1024, page(1, part{}.s("m"), shapes, nil, nil, make([]byte, 1024*32*256), nil), content{})
	}, 0},
	{"objects of tags", "a million of nothing", func() []byte { return objects(2, tagged(1<<20)) }, 0},
	{"objects", "a million of nothing", func() []byte {
		const n = 1 << 20
		return objects(1, [][]byte{part{}.n(n), make([]byte, n), nil, make([]byte, n), nil})
	}, 0},
	{"objects", "a million with positions", func() []byte {
		const n = 1 << 20
		return objects(1, [][]byte{part{}.n(n), bytes.Repeat([]byte{2}, n), make([]byte, 3*n), make([]byte, n), nil})
	}, 0},
	{"objects of tags", "30 million compounds", func() []byte { return objects(2, compounds(30<<20)) }, 0},
	{"objects of tags", "7 million numbers", func() []byte { return objects(2, numbers(7<<20)) }, 0},
	{"objects", "in 256 lists that no cache holds", thrash, 256},
	{"directory", "a million entries of nothing", func() []byte { return assemble(nil, content{volumes: []part{volume(blocks, 1, line(1_500_000)...)}}) }, 0},
	{"directory", "256 lists behind a million columns", manyLists, 256},
	{"directory", "tallies of 3 million versions", versions, 0},
	{"file", "a page of 1 MiB", func() []byte { return file(1 << 20) }, 0},
	{"file", "a page of 64 MiB", func() []byte { return file(64 << 20) }, 0},
	{"columns", "a page that 100 entries name", func() []byte { return ofCells(page(1, changing(16*1024, 4*32, 2)...), 100) }, 100},
	{"file", "a page that is named 4,096 times", func() []byte {
		f := part{}.s("f").n(4096<<20 + 1).n(slices.Repeat([]uint64{page0}, 4096)...)
		return assemble([][]byte{page(0, make([]byte, 1<<20))}, content{files: []part{f}})
	}, 4096},
}

// kinds begins the streams of a page of chunks that are all of runs.
func kinds(chunks int, more ...[]byte) [][]byte {
	return append([][]byte{bytes.Repeat([]byte{2}, chunks), nil}, more...)
}

// tableOf is a table of the first cells.
func tableOf(cells int) part { return append(part{}.n(uint64(cells)), make([]byte, cells)...) }

// changing returns the streams of Columns of literal columns whose cells change at each height of
// the first ones, and the chunks of which are high.
func changing(columns, high, cells int) [][]byte {
	var runs []byte
	for c := range columns {
		v := c % cells
		runs = append(runs, byte(v))
		for range high - 1 {
			v = (v + 1) % cells
			runs = append(runs, 1, byte(v))
		}
		runs = append(runs, 0)
	}
	ops := bytes.Repeat([]byte{63 << 2}, columns/64)
	return kinds(max(1, columns/1024)*((high+31)/32), tableOf(cells), ops, runs, nil, nil)
}

// imaged returns the streams of Images for high: each tower has a literal column, the rest of its
// first row are images from the west, and all others images from the north.
func imaged() [][]byte {
	const west, north = 4, 5
	tower := append([]byte{0, 15<<4 | west, 14<<4 | west}, bytes.Repeat([]byte{15<<4 | north}, 62)...)
	swap := []uint64{2, 0, 1, 0, 0} // cells 0 and 1
	ways := append(part{2, 0}.n(1, 0).n(swap...), part{0}.n(0, 1).n(swap...)...)
	return kinds(512, tableOf(2), bytes.Repeat(tower, 8), changing(8, runCells, 1)[4], nil, nil, ways)
}

// ofCells returns a stone of one page of chunks: of high, or if it is named more often of one tower each.
func ofCells(p []byte, uses int) []byte {
	es := cubes(0, high)
	if uses > 0 {
		es = nil
		for i := range uses {
			es = append(es, cubes(0, box(4*i, 0, 0, 4, 4, 4))...)
		}
	}
	return assemble([][]byte{p}, content{volumes: []part{volume(blocks, 4096, es...)}})
}

// oddsPage is a page of high in the form Odds.
func oddsPage(cells int, at []geom.ChunkPos) []byte {
	return written(5, blocks, 4096, at, chunksOf(func(x, y, z int) voxel.Cell {
		if cells == 2 {
			return voxel.Cell(y & 1)
		}
		return voxel.Cell((x*7919 + z*104729 + y*1009) % cells)
	}))
}

func columnsPage(cells int) []byte { return page(1, changing(8*1024, lower*32, cells)...) }

// lamps and leaves are matters.
func lamps() light.Matters {
	return append(make(light.Matters, 1), slices.Repeat(light.Matters{15 << 4, 0}, 2047)...)
}

func leaves() light.Matters {
	m := light.Matters{0}
	for i := range 224 {
		m = append(m, light.Matter(2+i%13)|light.Matter(i%16)<<4)
	}
	return m
}

// leavesPage is a page of blocks in high, each cell of another leaf.
func leavesPage() []byte { return page(1, changing(8*1024, lower*32, 225)...) }

// lit returns a stone with light of chunks at at, over uses of a page of blocks.
func lit(m func() light.Matters, uses int, at []geom.ChunkPos, streams [][]byte, p []byte) []byte {
	octants := bytes.Repeat([]byte{255}, len(at))
	streams = slices.Insert(slices.Clone(streams), 2, octants)
	var es []entry
	for i := range uses {
		es = append(es, cubes(0, box(-4*(i&1), 0, -2*(i>>1), 4, lower, 2))...)
	}
	matters := m()
	after := part{}.n(uint64(len(matters)))
	for _, v := range matters {
		after = append(after, byte(v))
	}
	for _, v := range matters {
		after = append(after, byte(v>>8))
	}
	return assemble([][]byte{p, page(6, streams...)}, content{after: after, volumes: []part{volume(blocks, 4096, es...), volume(glow, 0, cubes(1, at)...)}})
}

// ofColumns returns a stone with a page of columns in squares.
func ofColumns(n int, p []byte, c content) []byte {
	sheets := [][]byte{p}
	for i := range (n + 63) / 64 {
		c.columns = append(c.columns, entry{square(i), 1<<min(63, n-64*i) - 1 | 1<<(min(64, n-64*i)-1), []uint64{same}})
	}
	c.columns[0].refs[0] = page0
	return assemble(sheets, c)
}

// rule is a rule of heights by which cells of 4096 count but the first ones.
func rule(name string) part {
	return append(part{}.s(name).n(0, 512), append(make([]byte, 511), 0x80)...)
}

// ruled is a page of columns with one map each that follows from blocks.
func ruled(n int, name string) []byte {
	return page(1, part{}.s(name), bytes.Repeat(part{}.n(0, 0, 0, 1, 0, 0, 4, 0), n), nil, nil, nil, nil)
}

// stripes is a chunk with many runs of cells in each row, each row another than that below.
func stripes() []byte {
	var runs []byte
	for c := range 64 * 1024 {
		runs = append(runs, byte(1+c%2))
		if c%32 == 0 {
			for i := range 8*32 - 1 {
				runs = append(runs, 1, byte(3+i&1))
			}
		}
		runs = append(runs, 0)
	}
	return page(1, kinds(512, tableOf(5), bytes.Repeat([]byte{63 << 2}, 1024), runs, nil, nil)...)
}

// mapped returns a stone with columns over 64 towers of 64 uses of a page.
func mapped() []byte {
	var es []entry
	for i := range 64 {
		es = append(es, cubes(0, box(0, 8*i, 0, 8, 8, 8))...)
	}
	var columns []entry
	for i := range 4 {
		k, _ := columnKey(i&1*8, i>>1*8)
		columns = append(columns, entry{k, 0x1111111111111111, []uint64{same}})
	}
	columns[0].refs[0] = page0 + 1
	return assemble([][]byte{stripes(), ruled(64, "m")}, content{volumes: []part{volume(blocks, 4096, es...)}, rules: []part{rule("m")}, columns: columns})
}

// columnKey returns the key of a column's square, and its bit.
func columnKey(x, z int) (key uint64, bit int) {
	const off = 2 * geom.MaxChunk
	ux, uz := uint64(x+off), uint64(z+off)
	code := uint64(0)
	for i := range 24 {
		code |= ux>>i&1<<(2*i) | uz>>i&1<<(2*i+1)
	}
	return code >> 6, int(code & 63)
}

// nowhere has columns over more than a million chunks of nothing.
func nowhere() []byte {
	var es []entry
	for y := range 1 << 17 {
		code := uint64(geom.CodeOf(geom.ChunkPos{Y: int32(4*y - 1<<19)}, 0))
		for bit := range 8 {
			es = append(es, entry{code >> 6, 1 << (bit * 8) * 0xff, []uint64{value, 0}})
		}
	}
	k, _ := columnKey(0, 0)
	columns := []entry{{k, 1<<64 - 1, []uint64{page0}}}
	return assemble([][]byte{ruled(64, "m")}, content{volumes: []part{volume(blocks, 4096, es...)}, rules: []part{rule("m")}, columns: columns})
}

// longNames has rules whose names differ in their last bytes.
func longNames() []byte {
	var rules []part
	last := ""
	for i := range 15 {
		last = strings.Repeat("x", 1_000_000) + fmt.Sprint(10+i)
		rules = append(rules, rule(last))
	}
	maps := part{}.n(32).n(slices.Repeat([]uint64{0, 0, 0}, 32)...)
	shapes := bytes.Repeat(append(append(part{}.n(0, 0, 0), maps...), 0), 1024)
	p := page(1, part{}.s(last), shapes, nil, nil, make([]byte, 1024*32), nil)
	return ofColumns(1024, p, content{rules: rules, volumes: []part{volume(blocks, 1)}})
}

// objects returns a stone with one column and a list in it.
func objects(form byte, streams [][]byte) []byte {
	bare := page(1, nil, []byte{0, 0, 0, 0, 0}, nil, nil, nil, nil)
	l := append(part{}.s("l"), entries(entry{square(0), 1, []uint64{page0 + 1}})...)
	return assemble([][]byte{bare, page(form, streams...)}, content{columns: []entry{{square(0), 1, []uint64{page0}}}, lists: []part{l}})
}

// split returns the stream of split tags.
func split(documents int, sizes, heads, shapes, picks, numbers []byte) []byte {
	p := part{}.n(1, uint64(documents), uint64(len(sizes)), uint64(len(heads)), uint64(len(shapes)), uint64(len(picks)))
	return slices.Concat(p, sizes, heads, shapes, picks, numbers)
}

// tagged is n objects without anything.
func tagged(n int) [][]byte {
	// the root has one shape, without members
	shapes := append([]byte{0}, bytes.Repeat([]byte{1}, n-1)...)
	return [][]byte{part{}.n(uint64(n)), make([]byte, n), nil, split(n, part{}.n(uint64(n)), []byte{1}, shapes, nil, nil), nil, nil}
}

// compounds is an object with a list of n compounds.
func compounds(n int) [][]byte {
	// the root has a list, a new place with the name of word 0
	shapes := append([]byte{0}, part{10}.n(uint64(n))...)
	list := len(shapes) - 1
	shapes = append(append(shapes, 0), bytes.Repeat([]byte{1}, n-1)...)
	sizes := part{}.n(1, uint64(list), uint64(n))
	return [][]byte{part{}.n(1), {0}, nil, split(n+11, sizes, []byte{2, 0, 9, 0, 1}, shapes, nil, nil), nil, nil}
}

// numbers is an object with a list of n numbers of four bytes.
func numbers(n int) [][]byte {
	shapes := append([]byte{0}, part{3}.n(uint64(n))...)
	sizes := part{}.n(1, uint64(len(shapes)-1), uint64(n)<<1|1)
	return [][]byte{part{}.n(1), {0}, nil, split(4*n+11, sizes, []byte{2, 0, 9, 0}, shapes, nil, make([]byte, 4*n)), nil, nil}
}

// thrash has 1,024 columns with 256 lists, each in a page of half a megabyte.
func thrash() []byte {
	var es []entry
	for i := range 16 {
		es = append(es, entry{square(i), 1<<64 - 1, []uint64{same}})
	}
	var lists []part
	bare := page(1, nil, make([]byte, 5*1024), nil, nil, nil, nil)
	sheets := [][]byte{bare}
	const n = 4000
	for i := range 256 {
		counts := append(make([]byte, 1023), part{}.n(n)...)
		sizes := append(make([]byte, n-1), part{}.n(uint64(400_000+i))...)
		sheets = append(sheets, page(1, counts, make([]byte, n), nil, sizes, make([]byte, 400_000+i)))
		es[0].refs = []uint64{uint64(page0 + 1 + i)}
		lists = append(lists, append(part{}.s(fmt.Sprintf("%03d", i)), entries(slices.Clone(es)...)...))
	}
	es[0].refs = []uint64{page0}
	return assemble(sheets, content{columns: es, lists: lists})
}

// line is entries of nothing in one row.
func line(n int) (es []entry) {
	for i := range n {
		es = append(es, entry{1<<57 + uint64(i), 1<<64 - 1, []uint64{value, 0}})
	}
	return es
}

// manyLists has 256 lists of a column behind many squares.
func manyLists() []byte {
	var es []entry
	for i := range 1_400_000 {
		es = append(es, entry{square(i), 1, []uint64{value, 0}})
	}
	var lists []part
	for i := range 256 {
		lists = append(lists, append(part{}.s(fmt.Sprintf("%03d", i)), entries(entry{square(2_000_000), 1, []uint64{page0}})...))
	}
	return assemble([][]byte{page(1, []byte{0}, nil, nil, nil, nil)}, content{columns: es, lists: lists})
}

// versions tells of columns of very many data versions.
func versions() []byte {
	const n = 3_000_000
	p := part{}.n(0, 0, n)
	for i := range n {
		p = p.n(uint64(i)<<1, 1)
	}
	return assemble(nil, content{after: p})
}

// file is a file of 1 MiB with a page that has other bytes.
func file(bytes int) []byte {
	f := part{}.s("f").n(1<<20+1, page0)
	return assemble([][]byte{page(0, make([]byte, bytes))}, content{files: []part{f}})
}
