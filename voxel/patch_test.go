package voxel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// patch publishes d as those do who write often.
func patch(d *voxel.Draft) *voxel.Chunk {
	if c, ok := d.Patch(); ok {
		return c
	}
	return d.Publish(new(voxel.ChunkBuilder))
}

// A patched chunk must answer as the compact one of the same cells does, and be
// compacted to the same form.
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
			mustBeAsCompact(t, got, voxel.FromFlat(want))
			mustDiffer(t, got, c, want, &before)
			if patch(got.Edit()) != got || patch(d) != got {
				t.Fatal("publishing nothing made another chunk")
			}
			if r.IntN(4) > 0 {
				c = got
			} else {
				c = got.Compact(new(voxel.ChunkBuilder))
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
	for n, p := range [][2]*voxel.Chunk{{c, d}, {d, c}, {c, d.Compact(new(voxel.ChunkBuilder))}, {c.Compact(new(voxel.ChunkBuilder)), d}, {c.Compact(new(voxel.ChunkBuilder)), d.Compact(new(voxel.ChunkBuilder))}} {
		var got [32]uint32
		var a, b [64]voxel.Cell
		for y, rows := range p[0].Differing(p[1]) {
			got[y] = rows
			for z := 0; n == 0 && z < 32; z++ {
				twin := uint32(0)
				for x := range 32 {
					if p[0].Cell(x, y, z) != p[1].Cell(x, y, z) {
						twin |= 1 << x
					}
				}
				if m := voxel.DifferingCells(p[0].Row(y, z, &a), p[1].Row(y, z, &b)); m != twin {
					t.Fatalf("row %d,%d: differing cells %032b, want %032b", y, z, m, twin)
				}
			}
		}
		if got != want {
			t.Fatalf("differing rows %032b, want %032b", got, want)
		}
		if got := p[0].Equal(p[1]); got != (want == [32]uint32{}) {
			t.Fatalf("Equal is %v", got)
		}
	}
}

func mustBeAsCompact(t *testing.T, c, compact *voxel.Chunk) {
	t.Helper()
	if !c.Equal(compact) || !compact.Equal(c) {
		t.Fatal("not equal to the compact chunk")
	}
	most := 66 << 10               // of plain slices, or of rows that no header refers to any more
	if compact.Bytes() >= 31<<10 { // its data may be flat
		most = 65 << 10
	}
	if over := c.Bytes() - compact.Bytes(); over > most {
		t.Fatalf("%d bytes more than compact", over)
	}
	mustReadAlike(t, c)
	var buf, twin [64]voxel.Cell
	for y := range 32 {
		if got, want := c.Changed(y), compact.Changed(y); got != want {
			t.Fatalf("slice %d: %032b changed, want %032b", y, got, want)
		}
		v, ok := c.SliceUniform(y)
		if u, also := compact.SliceUniform(y); ok != also || ok && u != v {
			t.Fatalf("slice %d: uniform %d %v, want %d %v", y, v, ok, u, also)
		}
		for z := range 32 {
			starts, cells := c.Runs(y, z, &buf)
			if want, other := compact.Runs(y, z, &twin); starts != want || !slices.Equal(cells, other) {
				t.Fatalf("row %d,%d: %d, runs %032b, want %d, %032b", y, z, cells, starts, other, want)
			}
		}
	}
	v, ok := c.Uniform()
	if u, also := compact.Uniform(); ok != also || ok && u != v {
		t.Fatalf("uniform %d %v, want %d %v", v, ok, u, also)
	}
	if c.Highest() != compact.Highest() || c.CountNonEmpty() != compact.CountNonEmpty() {
		t.Fatal("other counts")
	}
	table := make([]voxel.Cell, 1<<15)
	for v := range table {
		table[v] = voxel.Cell(v ^ 1)
	}
	if !c.Translate(table).SameForm(compact.Translate(table)) || !c.Compact(new(voxel.ChunkBuilder)).SameForm(compact) {
		t.Fatal("not the compact form")
	}
	if compact.Compact(new(voxel.ChunkBuilder)) != compact {
		t.Fatal("a compact chunk was made again")
	}
}

// Mips of a patched chunk must be those of its cells, and stay when it is compact.
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
				if p := c.Compact(new(voxel.ChunkBuilder)); p != c && p.MipBytes() != c.MipBytes() {
					t.Error("compacting dropped the mips")
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
		c := voxel.FromFlat(want)
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
				mustBeAsCompact(t, c, voxel.FromFlat(want))
			}
			d := c.Edit()
			d.Fill(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, base)
			c = patch(d)
			clear(want[:])
			for i := range want {
				want[i] = base
			}
			mustBeAsCompact(t, c, voxel.Uniform(base))
		}
	}
}

// Rows of runs bring the data of the compact part to any size up to that of a flat chunk.
func TestPatchedNearItsLimits(t *testing.T) {
	for _, kinds := range []int{40, 300, 1 << 15} {
		for _, runs := range []int{13, 20, 28, 32} {
			t.Run(fmt.Sprintf("%d runs of %d cells", runs, kinds), func(t *testing.T) {
				for seed := range uint64(long.Of(1, 100)) {
					patchNearLimits(t, rand.New(rand.NewPCG(seed, uint64(runs*kinds))), runs, kinds)
				}
			})
		}
	}
}

func patchNearLimits(t *testing.T, r *rand.Rand, runs, kinds int) {
	most := kinds
	row := func(cells []voxel.Cell, n int) {
		v := voxel.Cell(r.IntN(most))
		for x := range cells {
			if r.IntN(len(cells)-x) < n {
				v, n = voxel.Cell(r.IntN(most)), n-1
			}
			cells[x] = v
		}
	}
	want := new(flat)
	for i := 0; i < len(want); i += 32 {
		row(want[i:][:32], max(runs-r.IntN(2), 1))
	}
	c := voxel.FromFlat(want)
	for range 16 {
		before, was := *want, c
		d := c.Edit()
		rows := min(1<<r.IntN(10), 900)
		first := r.IntN(1024 - rows)
		most = []int{kinds, 2, 1}[r.IntN(3)]
		for i := first; i < first+rows; i++ {
			row(want[i*32:][:32], 1+r.IntN(32))
		}
		most = kinds
		d.WriteBox(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, want[:])
		c = patch(d)
		mustEqual(t, c, want)
		mustEqual(t, was, &before)
		if compact := voxel.FromFlat(want); !c.Equal(compact) || !c.Compact(new(voxel.ChunkBuilder)).SameForm(compact) {
			t.Fatal("not as the compact chunk")
		}
		mustDiffer(t, c, was, want, &before)
	}
}

// Eight slices may become plain one after another, or as many as take no more than the data. A write of more
// may make sixteen plain; all if it is of few rows, or the data is flat.
func TestPatchedAtItsLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	type write struct {
		low, high, rows int
		patched         bool
	}
	for _, k := range []struct {
		name   string
		cells  *flat
		writes []write
	}{
		{"one by one", hills(r), []write{{0, 4, 1, true}, {4, 8, 1, true}, {0, 8, 1, true}, {8, 9, 1, false}, {8, 9, 1, true}}},
		{"at once", hills(r), []write{{0, 16, 5, true}, {0, 16, 5, true}, {4, 5, 1, true}, {0, 20, 5, false}}},
		{"too many at once", hills(r), []write{{0, 17, 5, false}}},
		{"a wall", hills(r), []write{{0, 32, 2, true}, {0, 32, 2, true}, {3, 4, 1, true}, {0, 32, 3, false}}},
		{"a block beside a wall", hills(r), []write{{0, 31, 2, true}, {3, 31, 1, true}, {31, 32, 1, false}}},
		{"much data", noise(r, 40), []write{{0, 8, 5, true}, {8, 16, 1, true}, {16, 18, 1, true}, {18, 23, 1, false}}},
		{"flat", noise(r, 1<<15), []write{{0, 8, 5, true}, {8, 32, 5, true}, {0, 32, 2, true}}},
	} {
		t.Run(k.name, func(t *testing.T) {
			want := *k.cells
			c := voxel.FromFlat(&want)
			for i, w := range k.writes {
				d := c.Edit()
				for y := w.low; y < w.high; y++ {
					for z := range w.rows {
						want[at(3, y, z)] ^= 1
						d.Set(3, y, z, want[at(3, y, z)])
					}
				}
				p, ok := d.Patch()
				if ok != w.patched {
					t.Errorf("write %d: patched %v", i, ok)
				}
				if !ok {
					p = d.Publish(new(voxel.ChunkBuilder))
				}
				mustEqual(t, p, &want)
				mustBeAsCompact(t, p, voxel.FromFlat(&want))
				c = p
			}
		})
	}
}

// A flat chunk may lose its slices one by one.
func TestPatchedFlatSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	want := noise(r, 1<<15)
	c := voxel.FromFlat(want)
	for _, y := range r.Perm(32) {
		before, was := *want, c
		d := c.Edit()
		d.Fill(geom.Box{Min: geom.Point{Y: y}, Max: geom.Point{X: 32, Y: y + 1, Z: 32}}, voxel.Cell(y))
		for i := range 1024 {
			want[y*1024+i] = voxel.Cell(y)
		}
		c = patch(d)
		mustEqual(t, c, want)
		mustDiffer(t, c, was, want, &before)
		mustBeAsCompact(t, c, voxel.FromFlat(want))
	}
}

// A chunk that is written again and again must not grow.
func TestPatchedStaysSmall(t *testing.T) {
	long.Alone(t)
	r := rand.New(rand.NewPCG(13, 14))
	want := hills(r)
	c := voxel.FromFlat(want)
	for n := range 20_000 {
		i := r.IntN(len(want))
		want[i] ^= voxel.Cell(1 + r.IntN(3))
		d := c.Edit()
		d.Set(i&31, i>>10, i>>5&31, want[i])
		c = patch(d)
		if n%50 != 0 {
			continue
		}
		compact := c.Compact(new(voxel.ChunkBuilder)).Bytes()
		if over := c.Bytes() - compact; over > max(16<<10, compact)+512 {
			t.Fatalf("%d bytes more than the %d of compact after %d writes", over, compact, n)
		}
	}
	mustEqual(t, c, want)
}

// The same block set again and again takes the room of one.
func TestPatchedInPlace(t *testing.T) {
	c := voxel.FromFlat(hills(rand.New(rand.NewPCG(1, 1))))
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
	c := voxel.FromFlat(hills(rand.New(rand.NewPCG(1, 1))))
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
		c := voxel.FromFlat(want)
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
		mustBeAsCompact(t, c, voxel.FromFlat(want))
	})
}
