package dragonfly_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/goleveldb/leveldb"
)

// with returns a column of air with entities.
func with(entities ...chunk.Entity) *chunk.Column {
	return &chunk.Column{Chunk: chunk.New(world.DefaultBlockRegistry, world.Overworld.Range()), Entities: entities}
}

// TestMoved moves an entity from column to column. A server that is killed before dragonfly has saved both finds it where it was, and one
// that is killed afterwards where it is.
func TestMoved(t *testing.T) {
	st := memoryStore(t)
	m := newMaker(3)
	cow := m.entity(places[0])
	saved := make(chan history.Commit, 10)
	p := open(t, st, dragonfly.Options{Report: func(err error) { t.Error(err) }, Every: time.Hour, Saved: func(c history.Commit) { saved <- c }})
	count := func() (n [2]int) {
		killed := open(t, st, strict(t)) // takes the world over, as a server that starts again
		for i := range n {
			col, err := killed.LoadColumn(places[i], world.Overworld)
			must(t, err)
			n[i] = len(col.Entities)
		}
		return n
	}
	must(t, p.StoreColumn(places[0], world.Overworld, with(cow)), p.StoreColumn(places[1], world.Overworld, with()))
	p.SaveSettings(p.Settings())
	<-saved
	must(t, p.StoreColumn(places[0], world.Overworld, with()), p.StoreColumn(places[1], world.Overworld, with(cow)))
	p.SaveSettings(p.Settings())
	<-saved
	if n := count(); n != [2]int{0, 1} {
		t.Errorf("entities after the save: %v", n)
	}
}

// TestKilledBetween kills a server between the columns of a save.
func TestKilledBetween(t *testing.T) {
	st := memoryStore(t)
	cow := newMaker(3).entity(places[0])
	o := strict(t)
	o.Every = time.Hour
	p := open(t, st, o)
	must(t, p.StoreColumn(places[0], world.Overworld, with(cow)), p.StoreColumn(places[1], world.Overworld, with()))
	_, err := p.Commit(t.Context(), "both")
	must(t, err, p.StoreColumn(places[0], world.Overworld, with()))
	p = open(t, st, o)
	col, err := p.LoadColumn(places[0], world.Overworld)
	must(t, err)
	if len(col.Entities) != 1 {
		t.Errorf("the entity is in %d columns", len(col.Entities))
	}
	must(t, p.Close())
}

// TestNothing has no columns, and one that has nothing.
func TestNothing(t *testing.T) {
	st := memoryStore(t)
	for round := range 2 {
		p := open(t, st, strict(t))
		for _, dim := range dimensions {
			if _, err := p.LoadColumn(places[0], dim); !errors.Is(err, leveldb.ErrNotFound) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		must(t, p.Close())
	}
	p := open(t, st, strict(t))
	must(t, p.StoreColumn(places[0], world.Overworld, with()), p.Close())
	p = open(t, st, strict(t))
	got, err := p.LoadColumn(places[0], world.Overworld)
	must(t, err, p.Close())
	if d := differs(got, with()); d != "" {
		t.Error(d)
	}
}

// TestUnchanged stores columns again that dragonfly has not changed: that makes no version.
func TestUnchanged(t *testing.T) {
	m, st := newMaker(6), memoryStore(t)
	p := open(t, st, strict(t))
	for _, pos := range places {
		must(t, p.StoreColumn(pos, world.Overworld, m.column(pos, world.Overworld)))
	}
	must(t, p.Close())
	p = open(t, st, strict(t))
	head := p.World().Head()
	for _, pos := range places {
		col, err := p.LoadColumn(pos, world.Overworld)
		must(t, err)
		must(t, p.StoreColumn(pos, world.Overworld, col), p.StoreColumn(pos, world.Overworld, col))
	}
	if p.World().Dirty() {
		t.Error("what did not change is to be saved")
	}
	must(t, p.Close())
	if now, err := st.Head(t.Context(), "hub"); err != nil || now.Commit != head {
		t.Error("another version", err)
	}
}

// TestErr has a store that refuses, and a column that cannot be stored: both are told, until they work again.
func TestErr(t *testing.T) {
	st := memoryStore(t)
	var told atomic.Int32
	o := dragonfly.Options{Report: func(error) { told.Add(1) }, Every: time.Hour}
	p := open(t, st, o)
	odd := with(chunk.Entity{ID: 1, Data: map[string]any{"odd": func() {}}})
	if err := p.StoreColumn(places[0], world.Overworld, odd); err == nil || p.Err() == nil || told.Load() != 1 || !strings.Contains(p.Err().Error(), "odd") {
		t.Errorf("%v, %v, told %d times", err, p.Err(), told.Load())
	}
	must(t, p.StoreColumn(places[0], world.Overworld, with()), p.Err())
	other := open(t, st, strict(t)) // the same holder takes the lease over
	if _, err := p.Commit(t.Context(), "late"); err == nil || p.Err() == nil || told.Load() != 2 {
		t.Errorf("a late save: %v, %v, told %d times", err, p.Err(), told.Load())
	}
	if p.Close() == nil {
		t.Error("closed what could not be saved")
	}
	must(t, other.Close())
}
