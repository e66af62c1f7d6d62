package stone_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// plain is a directory, or a part of one, written by hand after FORMAT.md.
type plain []byte

func (p plain) n(numbers ...uint64) plain {
	for _, v := range numbers {
		p = binary.AppendUvarint(p, v)
	}
	return p
}

func (p plain) s(texts ...string) plain {
	for _, s := range texts {
		p = append(p.n(uint64(len(s))), s...)
	}
	return p
}

func (p plain) mask(m uint64) plain { return binary.LittleEndian.AppendUint64(p, m) }

func (p plain) list(parts ...plain) plain {
	p = p.n(uint64(len(parts)))
	for _, q := range parts {
		p = append(p, q...)
	}
	return p
}

// References to pages.
const (
	same  = 0
	value = 1
	next  = 2
	page0 = 3
)

// cube0 is the key of the cube at the origin at level 0; square0 of the square.
const (
	cube0   = 1<<57 | 7<<54
	square0 = 3 << 36
)

func en(step, mask, ref uint64, more ...uint64) plain {
	return plain{}.n(step).mask(mask).n(ref).n(more...)
}

func vol(levels ...plain) plain {
	return plain{}.s("block").n(0, 1, 0).list(plain{}.n(0).s("air"), plain{}.n(0).s("rock")).list(levels...)
}

func lev(level uint64, entries ...plain) plain { return plain{}.n(level).list(entries...) }

// dimension is one with volumes, no rules, columns and lists.
func dimension(volumes, columns, lists []plain) plain {
	return plain{}.s("d", "").list(volumes...).n(0).list(columns...).list(lists...)
}

func volumes(v ...plain) plain { return dimension(v, nil, nil) }

// hostile puts pages and a directory of dimensions and files together.
func hostile(pages [][]byte, dims, files []plain) []byte {
	var sizes []plain
	for _, p := range pages {
		sizes = append(sizes, plain{}.n(uint64(len(p))))
	}
	return stone.Assemble(pages, plain{}.list(sizes...).n(0).list(dims...).list(files...))
}

// mustRefuse opens and checks a stone that is wrong, and says how much memory it took.
func mustRefuse(t *testing.T, b []byte, want string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	if err == nil {
		err = r.Check(context.Background())
	}
	runtime.ReadMemStats(&after)
	var c *stone.CorruptError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a CorruptError with %q", err, want)
	}
	return after.TotalAlloc - before.TotalAlloc
}

var (
	nothing = stone.AppendPage(1, []byte{0, 0}, nil)                              // cells: two chunks without
	bare    = stone.AppendPage(1, nil, []byte{0, 0, 0, 0, 0}, nil, nil, nil, nil) // columns: one of nothing
	empty   = stone.AppendPage(1, []byte{0}, nil, nil, nil, nil)                  // objects: a list of none
)

// TestHandWritten shows that what the next test breaks is sound before.
func TestHandWritten(t *testing.T) {
	d := dimension(
		[]plain{vol(lev(0, en(cube0, 3, next), en(1, 1, value, 2), en(0, 6, value, 0)))},
		[]plain{en(square0, 1, next), en(0, 2, value, 0), en(0, 4, page0+1)},
		[]plain{plain{}.s("l").list(en(square0, 1, next), en(0, 8, page0+2))},
	)
	b := hostile([][]byte{nothing, bare, empty}, []plain{d}, []plain{plain{}.s("f").n(1), plain{}.s("g").n(0)})
	got := mustReadSpec(t, mustOpen(t, b))
	want := stonetest.Spec{
		Dimensions: []stonetest.DimensionSpec{{
			Name: "d",
			Volumes: []stonetest.VolumeSpec{{Volume: blocks, Names: []string{"air", "rock"}, Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{
				{Pos: at(0, 0, 0)}, {Pos: at(1, 0, 0)}, {Pos: at(4, 0, 0), Chunk: voxel.Uniform(1)},
				{Pos: at(5, 0, 0)}, {Pos: at(4, 0, 1)},
			}}}}},
			Columns: []voxel.Column{{Lists: []voxel.List{{Name: "l"}}}, {Pos: geom.ColumnPos{Z: 1}}},
			Gone:    []geom.ColumnPos{{X: 1}},
			Lists:   []stonetest.ListsSpec{{Pos: geom.ColumnPos{X: 1, Z: 1}, Lists: []voxel.List{{Name: "l"}}}},
		}},
		Files: []stonetest.FileSpec{{Path: "f", Data: []byte{}}, {Path: "g", Gone: true}},
	}
	mustEqual(t, got, want)
}

func TestHostileDirectory(t *testing.T) {
	one := func(levels ...plain) []plain { return []plain{volumes(vol(levels...))} }
	cols := func(entries ...plain) []plain { return []plain{dimension(nil, entries, nil)} }
	rules := func(r ...plain) []plain { return []plain{append(plain{}.s("d", "").n(0).list(r...), 0, 0)} }
	tooLong := strings.Repeat("x", 3000)
	grow := []plain{plain{}.n(0).s(tooLong)}
	for i := range 32000 {
		grow = append(grow, plain{}.n(uint64(len(tooLong)+i)).s("y"))
	}
	for _, tt := range []struct {
		name  string
		pages [][]byte
		dims  []plain
		files []plain
		want  string
	}{
		{"masks meet", [][]byte{nothing, nothing}, one(lev(0, en(cube0, 3, next), en(0, 6, next))), nil, "entries out of order"},
		{"masks descend", [][]byte{nothing, nothing}, one(lev(0, en(cube0, 12, next), en(0, 3, next))), nil, "entries out of order"},
		{"no mask", nil, one(lev(0, en(cube0, 0, value, 1))), nil, "entries out of order"},
		{"key of another level", nil, one(lev(1, en(cube0, 1, value, 1))), nil, "an impossible position"},
		{"key too high", nil, one(lev(0, en(1<<58, 1, value, 1))), nil, "an impossible position"},
		{"key wraps", nil, one(lev(0, en(cube0, 1, value, 1), en(math.MaxUint64, 1, value, 1))), nil, "an impossible position"},
		{"square too far", [][]byte{bare}, cols(en(1<<38, 1, next)), nil, "an impossible position"},
		{"level too high", nil, one(lev(20, en(1, 1, value, 1))), nil, "levels out of order"},
		{"level twice", nil, one(lev(0), lev(0)), nil, "levels out of order"},
		{"page beyond", nil, one(lev(0, en(cube0, 1, next))), nil, "a page that does not exist"},
		{"page far beyond", [][]byte{nothing}, one(lev(0, en(cube0, 3, math.MaxUint64))), nil, "a page that does not exist"},
		{"page unnamed", [][]byte{nothing}, nil, nil, "page 0 is not used"},
		{"goes on in nothing", nil, one(lev(0, en(cube0, 1, same))), nil, "continues no page"},
		{"cell without a name", nil, one(lev(0, en(cube0, 1, value, 3))), nil, "cell 2"},
		{"cell beyond cells", nil, one(lev(0, en(cube0, 1, value, 1<<40))), nil, "cell 32768"},
		{"columns of cells", nil, cols(en(square0, 1, value, 1)), nil, "columns of cells"},
		{"list of columns that are gone", [][]byte{empty}, []plain{dimension(nil, []plain{en(square0, 6, value, 0)}, []plain{plain{}.s("l").list(en(square0, 5, next))})}, nil, "columns that are gone"},
		{"list without a page", nil, []plain{dimension(nil, nil, []plain{plain{}.s("l").list(en(square0, 1, value, 0))})}, nil, "without a page"},
		{"list of a cell", nil, []plain{dimension(nil, nil, []plain{plain{}.s("l").list(en(square0, 1, value, 1))})}, nil, "without a page"},
		{"lists out of order", nil, []plain{dimension(nil, nil, []plain{plain{}.s("l").n(0), plain{}.s("l").n(0)})}, nil, `list "l" after "l"`},
		{"dimension without a name", nil, []plain{plain{}.s("", "").n(0, 0, 0, 0)}, nil, `"" is no name`},
		{"dimension with NUL", nil, []plain{plain{}.s("a\x00block", "").n(0, 0, 0, 0)}, nil, `"a\x00block" is no name`},
		{"dimension of 1,025 bytes", nil, []plain{plain{}.s(strings.Repeat("d", 1025), "").n(0, 0, 0, 0)}, nil, "is no name"},
		{"volume that is not UTF-8", nil, []plain{volumes(plain{}.s("v\xff").n(2, 1, 0, 0, 0))}, nil, "is no name"},
		{"list with NUL", nil, []plain{dimension(nil, nil, []plain{plain{}.s("\x00").n(0)})}, nil, "is no name"},
		{"volume twice", nil, []plain{volumes(vol(), vol())}, nil, `volume "block" a second time`},
		{"dimension twice", nil, []plain{volumes(), volumes()}, nil, `dimension "d" a second time`},
		{"no scale", nil, []plain{volumes(plain{}.s("v").n(2, 0, 0, 0, 0))}, nil, "scale 0"},
		{"no schema", nil, []plain{volumes(plain{}.s("v").n(3, 1, 0, 0, 0))}, nil, "schema 3"},
		{"default beyond cells", nil, []plain{volumes(plain{}.s("v").n(2, 1, 1<<16, 0, 0))}, nil, "default 32768"},
		{"names shared too much", nil, []plain{volumes(plain{}.s("v").n(0, 1, 0).list(plain{}.n(1).s("a")).n(0))}, nil, "shares more"},
		{"names out of order", nil, []plain{volumes(plain{}.s("v").n(0, 1, 0).list(plain{}.n(0).s(""), plain{}.n(0).s("b"), plain{}.n(0).s("a")).n(0))}, nil, "ascending"},
		{"names of a level", nil, []plain{volumes(plain{}.s("v").n(2, 1, 0).list(plain{}.n(0).s("")).n(0))}, nil, "1 names, at most 0"},
		{"names that grow", nil, []plain{volumes(plain{}.s("v").n(0, 1, 0).list(grow...).n(0))}, nil, "names of more than"},
		{"rule with air", nil, rules(plain{}.s("r").n(0).n(1, 1)), nil, "cell 0 cannot count"},
		{"rule twice", nil, rules(plain{}.s("r").n(0).n(1, 2), plain{}.s("r").n(0).n(1, 2)), nil, "a second one"},
		{"rule shorter", nil, rules(plain{}.s("r").n(0).n(2, 2, 2), plain{}.s("s").n(0).n(1, 2)), nil, "a rule shorter"},
		{"rule of another size", nil, rules(plain{}.s("r").n(1<<33).n(1, 2)), nil, "is not within"},
		{"17 rules", nil, rules(slices.Repeat([]plain{plain{}.s("r").n(0, 0)}, 17)...), nil, "17 things"},
		{"files out of order", nil, nil, []plain{plain{}.s("f").n(1), plain{}.s("f").n(1)}, `file "f" after "f"`},
		{"file gone twice", nil, nil, []plain{plain{}.s("f").n(0), plain{}.s("f").n(0)}, `file "f" after "f"`},
		{"file of exabytes", nil, nil, []plain{plain{}.s("f").n(math.MaxUint64)}, "larger than its pages"},
		{"file of other bytes", [][]byte{stone.AppendPage(0, []byte("abc"))}, nil, []plain{plain{}.s("f").n(5, next)}, "not 4 bytes"},
		{"file of cells", [][]byte{nothing}, nil, []plain{plain{}.s("f").n(3, next)}, "not 2 bytes"},
		{"more chunks than cells", [][]byte{nothing}, one(lev(0, en(cube0, 7, next))), nil, "2 chunks, the directory has 3"},
		{"columns as cells", [][]byte{bare}, one(lev(0, en(cube0, 1, next))), nil, "page 0"},
		{"more columns than there are", [][]byte{bare}, cols(en(square0, 3, next)), nil, "ends too early"},
		{"fewer columns than there are", [][]byte{stone.AppendPage(1, nil, make([]byte, 10), nil, nil, nil, nil)}, cols(en(square0, 1, next)), nil, "left over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := hostile(tt.pages, tt.dims, tt.files)
			if got := mustRefuse(t, b, tt.want); got > 8<<20 && tt.name != "names that grow" {
				t.Errorf("took %d bytes of memory for %d", got, len(b))
			}
		})
	}
}

// TestClaims gives stones that claim much and hold little: refused with little
// memory taken.
func TestClaims(t *testing.T) {
	entries := bytes.Repeat(en(1, math.MaxUint64, same), 100)
	entries = append(en(cube0, math.MaxUint64, next), entries...)
	crowd := append(plain{}.n(101), entries...)
	many := func(n int) plain { return plain(bytes.Repeat([]byte{0}, n)) }
	raw := func(head ...uint64) []byte { return append([]byte{1}, plain{}.n(head...)...) }
	tail := plain{}.n(1).s("d", "")
	one := func(page []byte) []byte {
		return hostile([][]byte{page}, []plain{volumes(vol(lev(0, en(cube0, 1, next))))}, nil)
	}
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"pages", stone.Assemble(nil, plain{}.n(1<<40)), "1099511627776 things"},
		{"pages there are no checksums for", stone.Assemble(nil, append(plain{}.n(stone.MaxDirectory-100), many(stone.MaxDirectory-100)...)), "things"},
		{"properties", stone.Assemble(nil, plain{}.n(0, 1<<30)), "1073741824 things"},
		{"dimensions", stone.Assemble(nil, append(plain{}.n(0, 0, 1<<20), many(6<<20)...)), "1048576 things"},
		{"volumes", stone.Assemble(nil, append(append(plain{}.n(0, 0), tail...), append(plain{}.n(1<<20), many(6<<20)...)...)), "1048576 things"},
		{"files", stone.Assemble(nil, append(plain{}.n(0, 0, 0, 1<<22), many(8<<20)...)), "4194304 things"},
		{"a directory beyond the limit", stone.Assemble(nil, many(stone.MaxDirectory+1)), "at most 16777216 in all"},
		{"chunks in a page", stone.Assemble([][]byte{nothing}, append(append(plain{}.n(1, uint64(len(nothing)), 0, 1).s("d", "").n(1).s("block").n(0, 1, 0).list(plain{}.n(0).s("air")).n(1, 0), crowd...), 0, 0, 0, 0)), "more than 4096 things"},
		{"streams", one(raw(1 << 30)), "1073741824 things"},
		{"a stream", one(raw(1, 1<<40|1, 9)), "a stream of"},
		{"streams together", one(raw(3, 40<<21|1, 5, 40<<21|1, 5, 0)), "a stream of"},
		{"a frame", one(append(raw(1, 40<<21|1, 5), 0, 0, 0, 0, 0)), "bytes in a zstd frame of 5"},
		{"a plain stream", one(raw(1, 40<<21)), "ends too early"},
		{"names of maps", hostile([][]byte{stone.AppendPage(1, make([]byte, 8<<20), nil, nil, nil, nil, nil)}, []plain{dimension(nil, []plain{en(square0, 1, next)}, nil)}, nil), "too many names"},
		{"sections", hostile([][]byte{stone.AppendPage(1, nil, plain{}.n(0, 0, 1<<50), nil, nil, nil, nil)}, []plain{dimension(nil, []plain{en(square0, 1, next)}, nil)}, nil), "things"},
		{"objects", hostile([][]byte{bare, stone.AppendPage(1, plain{}.n(1<<50), []byte{0}, nil, nil, nil)}, []plain{dimension(nil, []plain{en(square0, 1, next)}, []plain{plain{}.s("l").list(en(square0, 1, next))})}, nil), "things"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// what the directory's own plain bytes may take, once or twice
			if got := mustRefuse(t, tt.b, tt.want); got > 2*stone.MaxDirectory+(2<<20) {
				t.Errorf("took %d bytes of memory for %d", got, len(tt.b))
			}
		})
	}
}

// TestCrowdedColumn gives 200 lists that share one page, which is large.
func TestCrowdedColumn(t *testing.T) {
	unitAlone(t)
	const n = 1 << 19
	for _, tt := range []struct {
		name string
		page []byte
		want string
	}{
		{"objects", stone.AppendPage(1, plain{}.n(n), make([]byte, n), nil, make([]byte, n), nil), "1572864 objects"},
		{"bytes", stone.AppendPage(1, plain{}.n(1), []byte{0}, nil, plain{}.n(48<<20), make([]byte, 48<<20)), "meet in a column"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lists []plain
			for i := range 200 {
				lists = append(lists, plain{}.s(fmt.Sprintf("%03d", i)).list(en(square0, 1, page0+1)))
			}
			d := dimension(nil, []plain{en(square0, 1, next)}, lists)
			if got := mustRefuse(t, hostile([][]byte{bare, tt.page}, []plain{d}, nil), tt.want); got > 512<<20 {
				t.Errorf("took %d bytes of memory", got)
			}
		})
	}
}

// hole is a file of size bytes that are 0 but for its head and tail.
type hole struct {
	head, tail []byte
	size       int64
}

func (h hole) ReadAt(b []byte, off int64) (int, error) {
	clear(b)
	if off < int64(len(h.head)) {
		copy(b, h.head[off:])
	}
	if from := h.size - int64(len(h.tail)); off >= from {
		copy(b, h.tail[off-from:])
	}
	return len(b), nil
}

func TestTerabyte(t *testing.T) {
	const size = 1 << 40
	b := mustWrite(t, tiny(), stone.Options{})
	foot := func(off uint64, n uint32) []byte {
		f := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, off), n)
		return append(append(f, make([]byte, 8)...), "nriac"...)
	}
	for _, tt := range []struct {
		name string
		tail []byte
	}{
		{"nothing", nil},
		{"the footer of a small one", b[len(b)-stone.FooterSize:]},
		{"a directory that is all of it", foot(8, 1<<32-1)},
		{"a directory of 4 GB", foot(size-uint64(stone.FooterSize)-(1<<32-1), 1<<32-1)},
		{"a page of a terabyte", stone.SealAt(size, append(stone.AppendPage(0, plain{}.n(1, size-1000, 0, 0, 0)), 0, 0, 0, 0))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := stone.Open(hole{b[:stone.HeaderSize], tt.tail, size}, size)
			runtime.ReadMemStats(&after)
			var c *stone.CorruptError
			if !errors.As(err, &c) {
				t.Errorf("got %v", err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
				t.Errorf("took %d bytes of memory", got)
			}
		})
	}
	if _, err := stone.Open(hole{nil, nil, size}, size); err == nil {
		t.Error("zeros are a stone")
	}
}

// TestEmptyPage opens a stone with a page of no bytes, which has not even a form.
func TestEmptyPage(t *testing.T) {
	pages, dir := stone.Parts(mustWrite(t, tiny(), stone.Options{}))
	b := withPage(pages, dir, 0, nil)
	var corrupt *stone.CorruptError
	if _, err := stone.Open(bytes.NewReader(b), int64(len(b))); !errors.As(err, &corrupt) {
		t.Errorf("got %v", err)
	}
}

func TestVersions(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	b[stone.HeaderSize-1] = 2
	if _, err := stone.Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, stone.ErrNewer) {
		t.Errorf("version 2: %v", err)
	}
	b[stone.HeaderSize-1] = 0
	mustRefuse(t, b, "format version 0")
	if _, err := stone.Open(bytes.NewReader(nil), 0); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("nothing: %v", err)
	}
}
