package dragonfly_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
)

var dimensions = []world.Dimension{world.Overworld, world.Nether, world.End}

func init() { world.DefaultBlockRegistry.Finalize() }

// maker makes columns of any content.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 1))} }

// id returns the runtime id of any block but four blocks of mushrooms, which dragonfly's provider gives back as others.
func (m maker) id() uint32 {
	for {
		id := uint32(m.IntN(world.DefaultBlockRegistry.BlockCount()))
		name, states, _ := world.DefaultBlockRegistry.RuntimeIDToState(id)
		if bits, _ := states["huge_mushroom_bits"].(int32); bits != 10 && bits != 15 || name == "minecraft:mushroom_stem" {
			return id
		}
	}
}

// column returns a column: sections that are empty, of one block, of few and of many, water in the second layer, biomes by block
// and in large.
func (m maker) column(pos world.ChunkPos, dim world.Dimension) *chunk.Column {
	c := chunk.New(world.DefaultBlockRegistry, dim.Range())
	col := &chunk.Column{Chunk: c, Tick: int64(m.IntN(1e6))}
	for i := range c.Sub() {
		m.section(c, int(c.SubY(int16(i))))
	}
	c.Compact()
	for range m.IntN(4) {
		col.Entities = append(col.Entities, m.entity(pos))
	}
	for range m.IntN(4) {
		at := cube.Pos{int(pos[0])*16 + m.IntN(16), dim.Range()[0] + m.IntN(dim.Range().Height()), int(pos[1])*16 + m.IntN(16)}
		if slices.ContainsFunc(col.BlockEntities, func(b chunk.BlockEntity) bool { return b.Pos == at }) {
			continue
		}
		col.BlockEntities = append(col.BlockEntities, chunk.BlockEntity{Pos: at, Data: m.tags(2)})
		col.ScheduledBlocks = append(col.ScheduledBlocks, chunk.ScheduledBlockUpdate{Pos: at, Block: m.id(), Tick: int64(m.IntN(1e6))})
	}
	return col
}

func (m maker) section(c *chunk.Chunk, y0 int) {
	palette := make([]uint32, []int{1, 2, 7, 40, 300}[m.IntN(5)])
	for i := range palette {
		palette[i] = m.id()
	}
	if m.IntN(3) == 0 {
		palette[0] = world.DefaultBlockRegistry.AirRuntimeID()
	}
	wet, fine := m.IntN(4) == 0, m.IntN(4) == 0
	biomes := []uint32{0, 1, 21, uint32(m.IntN(190))}
	for i := range 4096 {
		x, y, z := uint8(i>>8), int16(y0+i&15), uint8(i>>4&15)
		c.SetBlock(x, y, z, 0, palette[m.IntN(len(palette))])
		if wet && m.IntN(5) == 0 {
			c.SetBlock(x, y, z, 1, palette[0])
		}
		switch {
		case fine:
			c.SetBiome(x, y, z, biomes[m.IntN(4)])
		case y0&16 == 0:
			c.SetBiome(x, y, z, biomes[(int(x)>>2+int(z)>>2)&3])
		}
	}
}

func (m maker) entity(pos world.ChunkPos) chunk.Entity {
	data := m.tags(3)
	data["identifier"] = "minecraft:item"
	data["Pos"] = []any{float32(pos[0]*16) + 16*m.Float32(), 100 * m.Float32(), float32(pos[1]*16) + 16*m.Float32()}
	return chunk.Entity{ID: m.Int64(), Data: data}
}

// tags returns a map with every type of tag.
func (m maker) tags(depth int) map[string]any {
	out := map[string]any{"byte": uint8(m.IntN(256)), "short": int16(m.IntN(1 << 15)), "int": int32(m.IntN(1 << 30)), "long": m.Int64(),
		"float": m.Float32(), "double": m.Float64(), "text": "Kiste \U0001F600 \x00 é", "bytes": [3]byte{1, 2, 3}, "ints": [2]int32{-1, m.Int32()},
		"longs": [1]int64{m.Int64()}, "list of bytes": []byte{1, 2}, "list of ints": []int32{5}, "none": []byte{}}
	if depth > 0 {
		out["inner"] = m.tags(depth - 1)
		out["list"] = []any{m.tags(0), m.tags(0)}
		out["lists"] = []any{[]any{"a", "b"}, []any{"c"}}
	}
	return out
}

// differs returns how two columns differ, "" if they do not.
func differs(a, b *chunk.Column) string {
	if a.Chunk.Range() != b.Chunk.Range() {
		return fmt.Sprint("heights ", a.Chunk.Range(), b.Chunk.Range())
	}
	for i := range a.Chunk.Sub() {
		for at := range 4096 {
			x, y, z := uint8(at>>8), a.Chunk.SubY(int16(i))+int16(at&15), uint8(at>>4&15)
			for layer := range uint8(4) {
				if p, q := a.Chunk.Block(x, y, z, layer), b.Chunk.Block(x, y, z, layer); p != q {
					return fmt.Sprintf("block %d,%d,%d of layer %d is %d and %d", x, y, z, layer, p, q)
				}
			}
			if p, q := a.Chunk.Biome(x, y, z), b.Chunk.Biome(x, y, z); p != q {
				return fmt.Sprintf("biome %d,%d,%d is %d and %d", x, y, z, p, q)
			}
		}
	}
	for _, c := range []*chunk.Column{a, b} {
		slices.SortFunc(c.BlockEntities, func(a, b chunk.BlockEntity) int { return slices.Compare(a.Pos[:], b.Pos[:]) })
		slices.SortFunc(c.ScheduledBlocks, func(a, b chunk.ScheduledBlockUpdate) int {
			return cmp.Or(slices.Compare(a.Pos[:], b.Pos[:]), cmp.Compare(a.Tick, b.Tick))
		})
	}
	if p, q := a.Entities, b.Entities; len(p)+len(q) > 0 && !reflect.DeepEqual(p, q) {
		return fmt.Sprintf("entities %.400s\n%.400s", fmt.Sprint(p), fmt.Sprint(q))
	}
	if p, q := a.BlockEntities, b.BlockEntities; len(p)+len(q) > 0 && !reflect.DeepEqual(p, q) {
		return fmt.Sprintf("block entities %.400s\n%.400s", fmt.Sprint(p), fmt.Sprint(q))
	}
	if p, q := a.ScheduledBlocks, b.ScheduledBlocks; len(p)+len(q) > 0 && (!reflect.DeepEqual(p, q) || a.Tick != b.Tick) {
		return fmt.Sprintf("updates that wait: %d %v\n%d %v", a.Tick, p, b.Tick, q)
	}
	return ""
}

// normal returns a column as it is loaded: entities have their numbers among their tags.
func normal(col *chunk.Column) *chunk.Column {
	for _, e := range col.Entities {
		e.Data["UniqueID"] = e.ID
	}
	for _, list := range []any{col.Entities, col.BlockEntities} {
		empty(reflect.ValueOf(list))
	}
	return col
}

// empty makes empty lists of bytes what gophertunnel reads.
func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		empty(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			empty(v.Index(i))
		}
	case reflect.Struct:
		empty(v.FieldByName("Data"))
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if b, ok := v.MapIndex(k).Interface().([]byte); ok && len(b) == 0 {
				v.SetMapIndex(k, reflect.ValueOf([]any{}))
			} else {
				empty(v.MapIndex(k))
			}
		}
	}
}

// strict reports each error to a test.
func strict(t testing.TB) dragonfly.Options {
	return dragonfly.Options{Report: func(err error) { t.Error(err) }}
}

func open(t testing.TB, st history.Store, o dragonfly.Options) *dragonfly.Provider {
	t.Helper()
	p, err := dragonfly.Open(context.Background(), st, "hub", o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func memoryStore(t testing.TB) history.Store {
	st := memory.New(memory.Options{})
	t.Cleanup(func() { st.Close() })
	return st
}

func localStore(t testing.TB, dir string) history.Store {
	st, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
