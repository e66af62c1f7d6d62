package terrain_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

type maker func(terrain.Options) format.Source

// makers are small versions of the block worlds: name, how to make one, edge in columns.
var makers = []struct {
	name string
	make maker
	size int
}{
	{"survival", terrain.Survival, 5},
	{"island", terrain.Island, 6},
	{"arena", terrain.Arena, 5},
	{"plots", terrain.Plots, 6},
}

// audit is a Sink that checks what it takes and hashes all of it.
type audit struct {
	t        *testing.T
	dim      *format.Dimension
	sum      hash.Hash
	columns  map[geom.ColumnPos]bool
	last     geom.ChunkPos
	open     map[geom.ChunkPos]bool // footprints seen
	solid    int
	blocks   map[string]int
	lists    map[string]int
	files    map[string][]byte
	minSky   byte
	maxLight byte
}

func newAudit(t *testing.T) *audit {
	return &audit{t: t, sum: sha256.New(), columns: map[geom.ColumnPos]bool{}, open: map[geom.ChunkPos]bool{},
		blocks: map[string]int{}, lists: map[string]int{}, files: map[string][]byte{}, minSky: 15}
}

func (a *audit) Dimension(d *format.Dimension) error { a.dim = d; return nil }

func (a *audit) Chunk(string, geom.ChunkPos, *voxel.Chunk) error {
	return fmt.Errorf("a chunk in a world of columns")
}

func (a *audit) File(f format.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if int64(len(b)) != f.Size {
		a.t.Errorf("%s: %d bytes, said %d", f.Path, len(b), f.Size)
	}
	a.files[f.Path] = b
	a.sum.Write(b)
	return err
}

func (a *audit) Column(c *format.Column) error {
	a.footprint(c.Pos)
	if len(c.Sections) != len(c.Cells) {
		a.t.Errorf("column %v: %d sections, cells of %d", c.Pos, len(c.Sections), len(c.Cells))
	}
	for i, s := range c.Sections {
		a.section(c, s, c.Cells[i])
	}
	for _, m := range c.Maps {
		fmt.Fprint(a.sum, m.Name, m.Form, m.Values)
	}
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			a.object(c.Pos, l.Name, o)
		}
	}
	return nil
}

// footprint fails when a column comes after its neighbours' footprint was left.
func (a *audit) footprint(p geom.ColumnPos) {
	fp := p.Chunk(0)
	if a.columns[p] || fp != a.last && a.open[fp] {
		a.t.Errorf("column %v comes twice or late", p)
	}
	a.columns[p], a.open[fp], a.last = true, true, fp
}

func (a *audit) section(c *format.Column, s voxel.Section, cells format.Cells) {
	a.cells(voxel.Block, cells.Block, 4096, s.Has&voxel.HasBlock != 0)
	a.cells(voxel.Biome, cells.Biome, 64, s.Has&voxel.HasBiome != 0)
	for i, light := range [][]byte{cells.Sky, cells.Light} {
		if want := s.Has&(voxel.HasSky<<i) != 0; want != (light != nil) || want && len(light) != 2048 {
			a.t.Errorf("column %v section %d: light %d has %d bytes", c.Pos, s.Y, i, len(light))
		}
		a.sum.Write(light)
	}
	for _, v := range cells.Light {
		a.maxLight = max(a.maxLight, v&15, v>>4)
	}
	for _, v := range cells.Sky {
		a.minSky = min(a.minSky, v&15)
	}
	for _, v := range cells.Block {
		if v != 0 {
			a.solid += 4096 / len(cells.Block)
			a.blocks[a.dim.Volume(voxel.Block).Names.Name(v)]++
		}
	}
}

func (a *audit) cells(volume string, cells []voxel.Cell, n int, has bool) {
	if !has && cells != nil || has && len(cells) != 1 && len(cells) != n {
		a.t.Errorf("%s: %d cells, has %v", volume, len(cells), has)
	}
	v := a.dim.Volume(volume)
	for _, c := range cells {
		if !v.Schema.Valid(c, v.Names.Len()) {
			a.t.Fatalf("%s: cell %d of %d names", volume, c, v.Names.Len())
		}
	}
	binary.Write(a.sum, binary.BigEndian, cells)
}

func (a *audit) object(pos geom.ColumnPos, list string, o voxel.Object) {
	if o.At.X>>4 != int(pos.X) || o.At.Z>>4 != int(pos.Z) {
		a.t.Errorf("column %v: %s at %v", pos, list, o.At)
	}
	r := nbt.NewPayload(o.Payload, nbt.Limits{})
	if r.Skip(nbt.Compound); r.Err() != nil || r.Rest() != 0 {
		a.t.Errorf("%s at %v: %v, %d bytes left", list, o.At, r.Err(), r.Rest())
	}
	a.lists[list]++
	a.sum.Write(o.Payload)
}

func mustRead(t *testing.T, src format.Source) *audit {
	t.Helper()
	a := newAudit(t)
	if err := src.Read(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWorlds(t *testing.T) {
	for _, m := range makers {
		for _, version := range []int32{0, terrain.Modern} {
			t.Run(fmt.Sprintf("%s/%d", m.name, version), func(t *testing.T) {
				a := mustRead(t, m.make(terrain.Options{Seed: 7, Size: m.size, Version: version}))
				if got, want := len(a.columns), m.size*m.size; got != want {
					t.Errorf("%d columns, want %d", got, want)
				}
				if a.solid < len(a.columns)*800 || len(a.blocks) < 15 {
					t.Errorf("%d blocks of %d kinds", a.solid, len(a.blocks))
				}
				for name := range a.blocks {
					if got := strings.HasPrefix(name, "legacy:"); got != (version == 0) {
						t.Errorf("name %s in version %d", name, version)
					}
				}
				if a.minSky > 6 || a.maxLight < 14 && m.name != "survival" {
					t.Errorf("sky light from %d, block light to %d", a.minSky, a.maxLight)
				}
				if len(a.files["level.dat"]) == 0 {
					t.Error("no level.dat")
				}
				if a.lists[voxel.BlockEntities] == 0 {
					t.Error("no block entities")
				}
			})
		}
	}
}

func TestSeeds(t *testing.T) {
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			read := func(seed uint64) string {
				return string(mustRead(t, m.make(terrain.Options{Seed: seed, Size: 3, Version: terrain.Modern})).sum.Sum(nil))
			}
			first := read(1)
			if read(1) != first {
				t.Error("the same seed makes two worlds")
			}
			if read(2) == first {
				t.Error("two seeds make the same world")
			}
		})
	}
}

func TestVersion(t *testing.T) {
	err := terrain.Island(terrain.Options{Version: 1976}).Read(context.Background(), newAudit(t))
	if err == nil {
		t.Error("version 1976 is accepted")
	}
}

func TestDefaultSizes(t *testing.T) {
	for _, m := range []struct {
		make maker
		want int
	}{{terrain.Island, 100}, {terrain.Arena, 64}} {
		if got := len(mustRead(t, m.make(terrain.Options{})).columns); got != m.want {
			t.Errorf("%d columns, want %d", got, m.want)
		}
	}
}

// owners finds block entities in cells of air.
type owners struct {
	*audit
	lost int
}

func (o *owners) Column(c *format.Column) error {
	for _, l := range c.Lists {
		for _, e := range l.Objects {
			for i, s := range c.Sections {
				if block := c.Cells[i].Block; l.Name == voxel.BlockEntities && int(s.Y) == e.At.Y>>4 && (len(block) == 1 && block[0] == 0 || len(block) > 1 && block[(e.At.Y&15*16+e.At.Z&15)*16+e.At.X&15] == 0) {
					o.lost++
				}
			}
		}
	}
	return nil
}

// Where one building comes over another, the contents of its blocks are gone too.
func TestOwners(t *testing.T) {
	for _, seed := range []uint64{4} {
		o := &owners{audit: newAudit(t)}
		if err := terrain.Island(terrain.Options{Seed: seed, Version: terrain.Modern}).Read(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if o.lost > 0 {
			t.Errorf("seed %d: %d block entities in air", seed, o.lost)
		}
	}
}
