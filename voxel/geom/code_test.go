package geom_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"pgregory.net/rapid"
)

func slowMorton(x, y, z uint32) uint64 {
	var m uint64
	for i := range 21 {
		m |= uint64(x>>i&1)<<(3*i) | uint64(z>>i&1)<<(3*i+1) | uint64(y>>i&1)<<(3*i+2)
	}
	return m
}

func TestMortonTwin(t *testing.T) {
	const low = 1<<21 - 1
	check := func(t interface{ Fatalf(string, ...any) }, x, y, z uint32) {
		m := geom.Morton(x, y, z)
		if want := slowMorton(x, y, z); m != want {
			t.Fatalf("Morton(%#x, %#x, %#x) = %#x, want %#x", x, y, z, m, want)
		}
		for _, m := range []uint64{m, m | 1<<63} { // bit 63 belongs to nobody
			if gx, gy, gz := geom.Unmorton(m); gx != x&low || gy != y&low || gz != z&low {
				t.Fatalf("Unmorton(%#x) = %#x, %#x, %#x, want %#x, %#x, %#x", m, gx, gy, gz, x&low, y&low, z&low)
			}
		}
	}
	for i := range 32 {
		check(t, 1<<i, 0, 0)
		check(t, 0, 1<<i, 0)
		check(t, 0, 0, 1<<i)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Uint32()
		check(t, g.Draw(t, "x"), g.Draw(t, "y"), g.Draw(t, "z"))
	})
}

// drawCube draws a level and the position of a cube of that level within range.
func drawCube(t *rapid.T) (geom.ChunkPos, int) {
	level := rapid.IntRange(0, geom.MaxDepth).Draw(t, "level")
	if level == geom.MaxDepth {
		return geom.ChunkPos{}, level
	}
	off := int32(geom.MaxChunk >> level)
	g := rapid.Int32Range(-off, off-1)
	return geom.ChunkPos{X: g.Draw(t, "x"), Y: g.Draw(t, "y"), Z: g.Draw(t, "z")}, level
}

func TestCodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, level := drawCube(t)
		c := geom.CodeOf(pos, level)
		if !c.Valid() || c.Pos() != pos || c.Level() != level || c.Depth() != geom.MaxDepth-level {
			t.Fatalf("%v at level %d: code %#x is %v at level %d, depth %d", pos, level, uint64(c), c.Pos(), c.Level(), c.Depth())
		}
		box, edge := c.Box(), geom.ChunkEdge<<level
		if box.Size() != (geom.Point{X: edge, Y: edge, Z: edge}) || box.Min.Check() != nil {
			t.Fatalf("box of %v is %v", c, box)
		}
		if level == 0 && box != pos.Box() {
			t.Fatalf("box of chunk %v is %v", pos, box)
		}
	})
}

func TestCodeFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, level := drawCube(t)
		parent := geom.CodeOf(pos, level)
		if level == 0 {
			parent >>= 3
		}
		box := parent.Box()
		half := box.Size().X / 2
		for o := range 8 {
			child := parent<<3 | geom.Code(o)
			if child.Level() != parent.Level()-1 {
				t.Fatalf("child %d of %v is %v", o, parent, child)
			}
			corner := box.Min.Add(geom.Point{X: half * (o & 1), Y: half * (o >> 2 & 1), Z: half * (o >> 1 & 1)})
			if want := (geom.Box{Min: corner, Max: corner.Add(geom.Point{X: half, Y: half, Z: half})}); child.Box() != want {
				t.Fatalf("child %d of %v fills %v, want %v", o, parent, child.Box(), want)
			}
		}
	})
}

func TestCodeRoot(t *testing.T) {
	if got := geom.CodeOf(geom.ChunkPos{}, geom.MaxDepth); got != geom.Root {
		t.Errorf("code of everything is %v, want %v", got, geom.Root)
	}
	if geom.Root.Depth() != 0 {
		t.Errorf("root has depth %d", geom.Root.Depth())
	}
	want := geom.Box{
		Min: geom.Point{X: -edgeCells, Y: -edgeCells, Z: -edgeCells},
		Max: geom.Point{X: edgeCells, Y: edgeCells, Z: edgeCells},
	}
	if got := geom.Root.Box(); got != want {
		t.Errorf("root fills %v, want %v", got, want)
	}
}

func TestCodeValid(t *testing.T) {
	for _, tt := range []struct {
		c    geom.Code
		want bool
	}{
		{0, false}, {1, true}, {2, false}, {4, false}, {7, false}, {8, true}, {15, true}, {16, false},
		{1 << 60, true}, {1 << 61, false}, {1 << 62, false}, {1 << 63, true}, {^geom.Code(0), true},
	} {
		if got := tt.c.Valid(); got != tt.want {
			t.Errorf("%#x valid: %v, want %v", uint64(tt.c), got, tt.want)
		}
	}
}

// path returns the octants from the root down to c.
func path(c geom.Code) []int {
	var out []int
	for ; c != geom.Root; c >>= 3 {
		out = append(out, int(c&7))
	}
	slices.Reverse(out)
	return out
}

func TestCodeOrderTwin(t *testing.T) {
	sign := func(v int) int { return max(-1, min(v, 1)) }
	rapid.Check(t, func(t *rapid.T) {
		pos, level := drawCube(t)
		a := geom.CodeOf(pos, level)
		b := a
		for range rapid.IntRange(0, 4).Draw(t, "up") { // a near relation: up, then down another way
			if b != geom.Root {
				b >>= 3
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "down") {
			if b.Level() > 0 {
				b = b<<3 | geom.Code(rapid.IntRange(0, 7).Draw(t, "octant"))
			}
		}
		pa, pb := path(a), path(b)
		if got, want := sign(a.Compare(b)), slices.Compare(pa, pb); got != want || sign(b.Compare(a)) != -want {
			t.Fatalf("%v.Compare(%v) = %d, want %d", a, b, got, want)
		}
		want := len(pa) <= len(pb) && slices.Equal(pa, pb[:len(pa)])
		if inside := a.Box().Intersect(b.Box()) == b.Box(); inside != want {
			t.Fatalf("box %v holds box %v: %v, want %v", a.Box(), b.Box(), inside, want)
		}
	})
}

func TestCodePreOrder(t *testing.T) {
	var want []geom.Code
	var walk func(c geom.Code)
	walk = func(c geom.Code) {
		want = append(want, c)
		for o := 0; o < 8 && c.Depth() < 3; o++ {
			walk(c<<3 | geom.Code(o))
		}
	}
	walk(geom.Root)
	got := slices.Clone(want)
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, geom.Code.Compare)
	if !slices.Equal(got, want) {
		t.Error("sorted codes are not in the order of a walk from the root")
	}
}
