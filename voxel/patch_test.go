package voxel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// patch publishes d as those do who write often.
func patch(d *voxel.Draft) *voxel.Chunk {
	if c, ok := d.Patch(); ok {
		return c
	}
	return d.Publish()
}

// A patched chunk must answer as the packed one of the same cells does, and be
// packed as that is.
func TestPatched(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		for round := range 12 {
			before := *want
			d := c.Edit()
			for range 1 << r.IntN(7) {
				i, v := r.IntN(len(want)), voxel.Cell(r.IntN(1<<15))
				switch r.IntN(3) {
				case 0: // a cell that is there
					v = want[r.IntN(len(want))]
				case 1: // beside one of its kind
					v = want[i^1]
				}
				want[i] = v
				d.Set(i&31, i>>10, i>>5&31, v)
			}
			if round%4 == 3 {
				randomWrite(t, r, d, want, 1)
			}
			got := patch(d)
			mustEqual(t, got, want)
			mustEqual(t, c, &before)
			mustBeAsPacked(t, got, voxel.Pack(want))
			mustDiffer(t, got, c, want, &before)
			if patch(got.Edit()) != got || patch(d) != got {
				t.Fatal("publishing nothing made another chunk")
			}
			if r.IntN(4) > 0 {
				c = got
			} else {
				c = got.Packed()
			}
		}
	})
}

// mustDiffer checks what two chunks say of the rows in which they differ.
func mustDiffer(t *testing.T, c, d *voxel.Chunk, cells, others *flat) {
	t.Helper()
	var want [32]uint32
	for i := 0; i < len(cells); i += 32 {
		if [32]voxel.Cell(cells[i:]) != [32]voxel.Cell(others[i:]) {
			want[i>>10] |= 1 << (i >> 5 & 31)
		}
	}
	for _, p := range [][2]*voxel.Chunk{{c, d}, {d, c}, {c, d.Packed()}, {c.Packed(), d}, {c.Packed(), d.Packed()}} {
		if got := p[0].Differing(p[1]); got != want {
			t.Fatalf("differing rows %032b, want %032b", got, want)
		}
		if got := p[0].Equal(p[1]); got != (want == [32]uint32{}) {
			t.Fatalf("Equal is %v", got)
		}
	}
}

func mustBeAsPacked(t *testing.T, c, packed *voxel.Chunk) {
	t.Helper()
	if !c.Equal(packed) || !packed.Equal(c) {
		t.Fatal("not equal to the packed chunk")
	}
	if over := c.Bytes() - packed.Bytes(); over > 34<<10 {
		t.Fatalf("%d bytes more than packed", over)
	}
	mustReadAlike(t, c)
	var buf, twin [64]voxel.Cell
	for y := range 32 {
		if got, want := c.Changed(y), packed.Changed(y); got != want {
			t.Fatalf("slice %d: %032b changed, want %032b", y, got, want)
		}
		v, ok := c.SliceUniform(y)
		if u, also := packed.SliceUniform(y); ok != also || ok && u != v {
			t.Fatalf("slice %d: uniform %d %v, want %d %v", y, v, ok, u, also)
		}
		for z := range 32 {
			starts, cells := c.Runs(y, z, &buf)
			if want, other := packed.Runs(y, z, &twin); starts != want || !slices.Equal(cells, other) {
				t.Fatalf("row %d,%d: %d, runs %032b, want %d, %032b", y, z, cells, starts, other, want)
			}
		}
	}
	v, ok := c.Uniform()
	if u, also := packed.Uniform(); ok != also || ok && u != v {
		t.Fatalf("uniform %d %v, want %d %v", v, ok, u, also)
	}
	if c.Highest() != packed.Highest() || c.CountNonEmpty() != packed.CountNonEmpty() {
		t.Fatal("other counts")
	}
	table := make([]voxel.Cell, 1<<15)
	for v := range table {
		table[v] = voxel.Cell(v ^ 1)
	}
	if !c.Translate(table).SameForm(packed.Translate(table)) || !c.Packed().SameForm(packed) {
		t.Fatal("not the form that packing gives")
	}
	if packed.Packed() != packed {
		t.Fatal("a packed chunk was packed again")
	}
}

// Mips of a patched chunk must be those of its cells, and stay when it is packed.
func TestPatchedMips(t *testing.T) {
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
				c.Mip(rule, 1)
				for range 2 {
					d := c.Edit()
					for range 20 {
						i := r.IntN(len(want))
						want[i] = voxel.Cell(r.IntN(5))
						d.Set(i&31, i>>10, i>>5&31, want[i])
					}
					c = patch(d)
					mustHaveMips(t, c, rule, want[:])
				}
				if p := c.Packed(); p != c && p.MipBytes() != c.MipBytes() {
					t.Error("packing dropped the mips")
				}
			})
		})
	}
}

// A slice may become of one cell and of more again in one update.
func TestPatchedSliceComesAndGoes(t *testing.T) {
	for _, base := range []voxel.Cell{0, 5} {
		want := fillBy(func(x, y, z int) voxel.Cell { return base })
		want[at(3, 4, 5)] = 7
		c := voxel.Pack(want)
		for range 3 {
			for z := range 32 {
				d := c.Edit()
				d.Set(3, 4, z, base)
				d.Set(9, 4, (z+1)&31, 7)
				d.Set(11, 6, z, 8)
				d.Set(11, 6, z, base)
				want[at(3, 4, z)], want[at(9, 4, (z+1)&31)] = base, 7
				c = patch(d)
				mustEqual(t, c, want)
				mustBeAsPacked(t, c, voxel.Pack(want))
			}
			d := c.Edit()
			d.Fill(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, base)
			c = patch(d)
			clear(want[:])
			for i := range want {
				want[i] = base
			}
			mustBeAsPacked(t, c, voxel.Uniform(base))
		}
	}
}

// A chunk that is written again and again must not grow.
func TestPatchedStaysSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	want := hills(r)
	c := voxel.Pack(want)
	for n := range 20_000 {
		i := r.IntN(len(want)) & 0x1FFF
		want[i] ^= voxel.Cell(1 + r.IntN(3))
		d := c.Edit()
		d.Set(i&31, i>>10, i>>5&31, want[i])
		c = patch(d)
		if over := c.Bytes() - c.Packed().Bytes(); n%50 == 0 && over > 5<<10 {
			t.Fatalf("%d bytes more than packed after %d writes", over, n)
		}
	}
	mustEqual(t, c, want)
}

// The same block set again and again takes the room of one.
func TestPatchedInPlace(t *testing.T) {
	c := voxel.Pack(hills(rand.New(rand.NewPCG(1, 1))))
	sizes := map[int]bool{}
	for n := range 100 {
		d := c.Edit()
		d.Set(3, 4, 5, voxel.Cell(1000+n))
		c = patch(d)
		sizes[c.Bytes()] = true
	}
	if len(sizes) != 1 {
		t.Errorf("sizes %v", sizes)
	}
}

func TestPatchingAllocatesLittle(t *testing.T) {
	c := voxel.Pack(hills(rand.New(rand.NewPCG(1, 1))))
	n := testing.AllocsPerRun(100, func() {
		d := c.Edit()
		d.Set(3, 4, 5, 1000)
		patch(d)
	})
	if n > 4 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPatched(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint16(0))
	f.Add([]byte("........................................"), uint16(7))
	f.Fuzz(func(t *testing.T, writes []byte, fill uint16) {
		want := fillBy(func(x, y, z int) voxel.Cell { return voxel.Cell(int(fill)*y) & voxel.MaxCell })
		c := voxel.Pack(want)
		for len(writes) > 3 {
			d := c.Edit()
			for range 1 + writes[0]&7 {
				if len(writes) < 4 {
					break
				}
				i := int(writes[1])<<7 | int(writes[2])&0x7F
				want[i] = voxel.Cell(writes[3])
				d.Set(i&31, i>>10, i>>5&31, want[i])
				writes = writes[3:]
			}
			c = patch(d)
		}
		mustEqual(t, c, want)
		mustBeAsPacked(t, c, voxel.Pack(want))
	})
}
