package geom_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"pgregory.net/rapid"
)

const edgeCells = geom.MaxChunk * geom.ChunkEdge // cells from the middle of space to its end

func drawPoint(t *rapid.T, name string) geom.Point {
	g := rapid.IntRange(-edgeCells, edgeCells-1)
	return geom.Point{X: g.Draw(t, name+".X"), Y: g.Draw(t, name+".Y"), Z: g.Draw(t, name+".Z")}
}

func TestPointChunk(t *testing.T) {
	for _, tt := range []struct {
		p     geom.Point
		chunk geom.ChunkPos
		in    geom.Point
	}{
		{geom.Point{}, geom.ChunkPos{}, geom.Point{}},
		{geom.Point{X: 31, Y: 32, Z: 33}, geom.ChunkPos{X: 0, Y: 1, Z: 1}, geom.Point{X: 31, Y: 0, Z: 1}},
		{geom.Point{X: -1, Y: -32, Z: -33}, geom.ChunkPos{X: -1, Y: -1, Z: -2}, geom.Point{X: 31, Y: 0, Z: 31}},
		{
			geom.Point{X: edgeCells - 1, Y: -edgeCells, Z: 0},
			geom.ChunkPos{X: geom.MaxChunk - 1, Y: -geom.MaxChunk, Z: 0}, geom.Point{X: 31},
		},
	} {
		if got := tt.p.Chunk(); got != tt.chunk {
			t.Errorf("%v.Chunk() = %v, want %v", tt.p, got, tt.chunk)
		}
		if got := tt.p.InChunk(); got != tt.in {
			t.Errorf("%v.InChunk() = %v, want %v", tt.p, got, tt.in)
		}
	}
}

func TestPointIsChunkPlusRest(t *testing.T) {
	inner := geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoint(t, "p")
		c, in := p.Chunk(), p.InChunk()
		if got := c.Min().Add(in); got != p {
			t.Fatalf("chunk %v and rest %v make %v, want %v", c, in, got, p)
		}
		if !inner.Contains(in) || !c.Box().Contains(p) || c.Check() != nil || p.Check() != nil {
			t.Fatalf("%v: chunk %v, rest %v", p, c, in)
		}
		if got := c.Box().Min.Sub(c.Min()); got != (geom.Point{}) || c.Box().Cells() != 32768 {
			t.Fatalf("box of chunk %v is %v", c, c.Box())
		}
	})
}

func TestPointAddSub(t *testing.T) {
	p, q := geom.Point{X: 1, Y: -2, Z: 3}, geom.Point{X: 10, Y: 20, Z: -30}
	if got, want := p.Add(q), (geom.Point{X: 11, Y: 18, Z: -27}); got != want {
		t.Errorf("Add: got %v, want %v", got, want)
	}
	if got, want := p.Sub(q), (geom.Point{X: -9, Y: -22, Z: 33}); got != want {
		t.Errorf("Sub: got %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	const m, n, far = edgeCells, geom.MaxChunk, math.MaxInt32
	for _, tt := range []struct {
		name string
		err  error
		ok   bool
	}{
		{"point, least", geom.Point{X: -m, Y: -m, Z: -m}.Check(), true},
		{"point, greatest", geom.Point{X: m - 1, Y: m - 1, Z: m - 1}.Check(), true},
		{"point, x below", geom.Point{X: -m - 1}.Check(), false},
		{"point, x above", geom.Point{X: m}.Check(), false},
		{"point, y below", geom.Point{Y: -m - 1}.Check(), false},
		{"point, y above", geom.Point{Y: m}.Check(), false},
		{"point, z below", geom.Point{Z: -m - 1}.Check(), false},
		{"point, z above", geom.Point{Z: m}.Check(), false},
		{"point, far", geom.Point{X: math.MinInt}.Check(), false},
		{"chunk, least", geom.ChunkPos{X: -n, Y: -n, Z: -n}.Check(), true},
		{"chunk, greatest", geom.ChunkPos{X: n - 1, Y: n - 1, Z: n - 1}.Check(), true},
		{"chunk, x below", geom.ChunkPos{X: -n - 1}.Check(), false},
		{"chunk, x above", geom.ChunkPos{X: n}.Check(), false},
		{"chunk, y below", geom.ChunkPos{Y: -n - 1}.Check(), false},
		{"chunk, y above", geom.ChunkPos{Y: n}.Check(), false},
		{"chunk, z below", geom.ChunkPos{Z: -far - 1}.Check(), false},
		{"chunk, z above", geom.ChunkPos{Z: far}.Check(), false},
		{"column, least", geom.ColumnPos{X: -2 * n, Z: -2 * n}.Check(), true},
		{"column, greatest", geom.ColumnPos{X: 2*n - 1, Z: 2*n - 1}.Check(), true},
		{"column, x below", geom.ColumnPos{X: -2*n - 1}.Check(), false},
		{"column, x above", geom.ColumnPos{X: 2 * n}.Check(), false},
		{"column, z below", geom.ColumnPos{Z: -2*n - 1}.Check(), false},
		{"column, z above", geom.ColumnPos{Z: 2 * n}.Check(), false},
	} {
		if tt.ok && tt.err != nil || !tt.ok && !errors.Is(tt.err, geom.ErrOutOfRange) {
			t.Errorf("%s: got %v, want within range: %v", tt.name, tt.err, tt.ok)
		}
	}
	if err := (geom.Point{X: m, Y: 1, Z: -2}).Check(); !strings.Contains(err.Error(), "(33554432,1,-2)") {
		t.Errorf("got %q, want the position in it", err)
	}
}

func TestColumn(t *testing.T) {
	for _, tt := range []struct {
		c     geom.ColumnPos
		y     int
		chunk geom.ChunkPos
		min   geom.Point
	}{
		{geom.ColumnPos{}, 0, geom.ChunkPos{}, geom.Point{}},
		{geom.ColumnPos{X: 1, Z: 2}, 31, geom.ChunkPos{X: 0, Y: 0, Z: 1}, geom.Point{X: 16, Y: 31, Z: 32}},
		{geom.ColumnPos{X: -1, Z: -2}, -1, geom.ChunkPos{X: -1, Y: -1, Z: -1}, geom.Point{X: -16, Y: -1, Z: -32}},
		{geom.ColumnPos{X: -3, Z: 3}, -64, geom.ChunkPos{X: -2, Y: -2, Z: 1}, geom.Point{X: -48, Y: -64, Z: 48}},
	} {
		if got := tt.c.Chunk(tt.y); got != tt.chunk {
			t.Errorf("%v.Chunk(%d) = %v, want %v", tt.c, tt.y, got, tt.chunk)
		}
		if got := tt.c.Min(tt.y); got != tt.min || got.Chunk() != tt.chunk {
			t.Errorf("%v.Min(%d) = %v in %v, want %v in %v", tt.c, tt.y, got, got.Chunk(), tt.min, tt.chunk)
		}
	}
}

// slowColumnCompare reads the order off its definition, bit by bit from the
// highest: footprints by Morton code, then the octant within the footprint.
func slowColumnCompare(a, b geom.ColumnPos) int {
	ux := func(v int32) int64 { return int64(v) + 1<<31 }
	for bit := 31; bit >= 0; bit-- {
		for _, d := range []int64{ux(a.Z)>>bit&1 - ux(b.Z)>>bit&1, ux(a.X)>>bit&1 - ux(b.X)>>bit&1} {
			if d != 0 {
				return int(d)
			}
		}
	}
	return 0
}

func TestColumnCompareTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Uint64()
		a := g.Draw(t, "a")
		b := a ^ g.Draw(t, "difference")>>rapid.IntRange(0, 63).Draw(t, "shift")
		c := geom.ColumnPos{X: int32(a >> 32), Z: int32(a)}
		d := geom.ColumnPos{X: int32(b >> 32), Z: int32(b)}
		for _, p := range [][2]geom.ColumnPos{{c, d}, {{X: c.Z, Z: c.X}, {X: d.Z, Z: d.X}}} {
			if got, want := p[0].Compare(p[1]), slowColumnCompare(p[0], p[1]); got != want || p[1].Compare(p[0]) != -want {
				t.Fatalf("%v.Compare(%v) = %d, want %d", p[0], p[1], got, want)
			}
		}
	})
}

// TestColumnCompareBits flips every bit of many positions: the twin must agree
// on each, so no bit is lost or misplaced on its way into the key.
func TestColumnCompareBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a := geom.ColumnPos{X: int32(r.Uint32()), Z: int32(r.Uint32())}
		for bit := range 32 {
			mask := int32(r.Uint32()>>(31-bit) | 1<<bit)
			for _, b := range []geom.ColumnPos{{X: a.X ^ mask, Z: a.Z}, {X: a.X, Z: a.Z ^ mask}, {X: a.X ^ 1<<bit, Z: a.Z ^ mask}} {
				if got, want := a.Compare(b), slowColumnCompare(a, b); got != want {
					t.Fatalf("%v.Compare(%v) = %d, want %d", a, b, got, want)
				}
			}
		}
	}
}

func TestColumnsOfAChunkFollowEachOther(t *testing.T) {
	var columns []geom.ColumnPos
	for x := int32(-6); x < 6; x++ {
		for z := int32(-6); z < 6; z++ {
			columns = append(columns, geom.ColumnPos{X: x, Z: z})
		}
	}
	slices.SortFunc(columns, geom.ColumnPos.Compare)
	for i := 0; i < len(columns); i += 4 {
		first := columns[i].Chunk(0)
		for octant, c := range columns[i : i+4] {
			want := geom.ColumnPos{X: first.X*2 + int32(octant&1), Z: first.Z*2 + int32(octant>>1)}
			if c != want {
				t.Fatalf("column %d is %v, want %v", i+octant, c, want)
			}
		}
	}
}

func TestFloor(t *testing.T) {
	for _, tt := range []struct{ a, b, div, mod int }{
		{0, 5, 0, 0}, {7, 5, 1, 2}, {-1, 5, -1, 4}, {-5, 5, -1, 0}, {-6, 5, -2, 4}, {-7, 1, -7, 0},
		{math.MinInt, 1, math.MinInt, 0}, {math.MaxInt, math.MaxInt, 1, 0}, {math.MinInt, math.MaxInt, -2, math.MaxInt - 1},
	} {
		if got := geom.FloorDiv(tt.a, tt.b); got != tt.div {
			t.Errorf("FloorDiv(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.div)
		}
		if got := geom.FloorMod(tt.a, tt.b); got != tt.mod {
			t.Errorf("FloorMod(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.mod)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(-1<<40, 1<<40).Draw(t, "a"), rapid.IntRange(1, 1<<20).Draw(t, "b")
		q, m := geom.FloorDiv(a, b), geom.FloorMod(a, b)
		if q*b+m != a || m < 0 || m >= b {
			t.Fatalf("%d by %d is %d, rest %d", a, b, q, m)
		}
	})
}

func TestString(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{geom.Point{X: 1, Y: -2, Z: 3}.String(), "(1,-2,3)"},
		{geom.ChunkPos{X: -1, Y: 0, Z: 7}.String(), "(-1,0,7)"},
		{geom.ColumnPos{X: -4, Z: 5}.String(), "(-4,5)"},
		{geom.Box{Min: geom.Point{X: -1}, Max: geom.Point{X: 1, Y: 1, Z: 1}}.String(), "[(-1,0,0) (1,1,1))"},
		{geom.CodeOf(geom.ChunkPos{X: -1, Y: 2, Z: 3}, 4).String(), "(-1,2,3)/4"},
		{geom.Root.String(), "(0,0,0)/21"},
		{geom.Code(0).String(), "code 0x0 (invalid)"},
		{geom.Code(0x14).String(), "code 0x14 (invalid)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
