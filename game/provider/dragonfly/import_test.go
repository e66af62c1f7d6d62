package dragonfly_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/bedrock"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/dragonfly/server/world/mcdb"
	"github.com/google/uuid"
)

// imported imports a folder of a Bedrock world as the world "imported".
func imported(t *testing.T, st history.Store, dir string) {
	t.Helper()
	src, err := bedrock.Kind().OpenFolder(dir, format.ReadOptions{})
	must(t, err)
	defer src.Close()
	w, err := convert.Load(t.Context(), src)
	must(t, err)
	var out bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &out, stone.Options{})
	must(t, err)
	_, err = cairn.Import(t.Context(), st, "imported", history.Stone{ID: id, Data: out.Bytes()}, cairn.Options{}, "import")
	must(t, err)
}

// states returns a column with each state of the game, which a world's names and an import must agree about.
func states() *chunk.Column {
	c := chunk.New(world.DefaultBlockRegistry, world.Overworld.Range())
	for id := range world.DefaultBlockRegistry.BlockCount() {
		c.SetBlock(uint8(id>>4&15), int16(id>>8)-64, uint8(id&15), 0, uint32(id))
	}
	c.Compact()
	return &chunk.Column{Chunk: c}
}

// TestImport stores the same in dragonfly's LevelDB provider, which is imported, and in this one: the worlds are the same but for updates
// that wait, whose tags have no order there. The imported one opens here, and gives what dragonfly's own does.
func TestImport(t *testing.T) {
	m, st, dir := newMaker(2), memoryStore(t), t.TempDir()
	db, err := mcdb.Open(dir)
	must(t, err)
	p := open(t, st, strict(t))
	stored := map[at]*chunk.Column{{world.ChunkPos{9, 9}, world.Overworld}: states()}
	for i, dim := range dimensions {
		stored[at{places[i], dim}] = m.column(places[i], dim)
		stored[at{places[i+3], dim}] = m.column(places[i+3], dim)
	}
	for a, col := range stored {
		col.ScheduledBlocks = nil
		slices.SortFunc(col.BlockEntities, func(a, b chunk.BlockEntity) int { // dragonfly gives them in any order
			return slices.Compare([]int{a.Pos[1], a.Pos[2], a.Pos[0]}, []int{b.Pos[1], b.Pos[2], b.Pos[0]})
		})
		must(t, db.StoreColumn(a.pos, a.dim, col), p.StoreColumn(a.pos, a.dim, col))
	}
	id := uuid.New()
	for _, w := range []world.Provider{db, p} {
		must(t, w.SavePlayerSpawnPosition(id, cube.Pos{1, -2, 3}))
		s := w.Settings()
		s.Name, s.Spawn, s.Time = "Insel", cube.Pos{7, 8, 9}, 1234
		w.SaveSettings(s)
	}
	must(t, p.Close(), db.Close())
	imported(t, st, dir)
	a, b := snapshot(t, st, "hub"), snapshot(t, st, "imported")
	d, err := diff.Worlds(t.Context(), a, b, diff.Options{})
	must(t, err)
	if d.Cells+d.Objects+d.Columns+d.Properties != 0 || d.Files > 2 { // level.dat, which has a time there, and facts of a player, without order
		t.Errorf("%+v", d)
	}
	p, err = dragonfly.Open(t.Context(), st, "imported", strict(t))
	must(t, err)
	db, err = mcdb.Open(dir)
	must(t, err)
	defer db.Close()
	for a, col := range stored {
		got, err := p.LoadColumn(a.pos, a.dim)
		must(t, err)
		col.ScheduledBlocks = nil
		for _, b := range col.BlockEntities {
			b.Data["x"], b.Data["y"], b.Data["z"] = int32(b.Pos[0]), int32(b.Pos[1]), int32(b.Pos[2])
		}
		if d := differs(got, normal(col)); d != "" {
			t.Errorf("column %v of %v: %s", a.pos, a.dim, d)
		}
	}
	pos, ok, err := p.LoadPlayerSpawnPosition(id)
	if s := p.Settings(); !ok || err != nil || pos != (cube.Pos{1, -2, 3}) || s.Name != "Insel" || s.Spawn != (cube.Pos{7, 8, 9}) || s.Time != 1234 {
		t.Errorf("spawn %v %v %v, settings %q %v %d", pos, ok, err, s.Name, s.Spawn, s.Time)
	}
	must(t, p.SavePlayerSpawnPosition(id, cube.Pos{4, 4, 4}))
	if pos, _, err = p.LoadPlayerSpawnPosition(id); pos != (cube.Pos{4, 4, 4}) || err != nil {
		t.Error(pos, err)
	}
	if _, ok, err = p.LoadPlayerSpawnPosition(uuid.New()); ok || err != nil {
		t.Error(ok, err)
	}
	must(t, p.Close())
}

func snapshot(t *testing.T, st history.Store, name string) *cairn.Snapshot {
	t.Helper()
	head, err := st.Head(t.Context(), name)
	must(t, err)
	s, err := cairn.OpenSnapshot(t.Context(), st, name, head.Commit, cairn.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}
