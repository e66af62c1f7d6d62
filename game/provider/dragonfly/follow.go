package dragonfly

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/df-mc/goleveldb/leveldb"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/google/uuid"
)

// Fork makes a world whose first version is the newest of another: an arena of a template. It copies nothing.
func Fork(ctx context.Context, st history.Store, template, name string) error {
	head, err := st.Head(ctx, template)
	if err == nil {
		err = st.Fork(ctx, template, head.Commit, name)
	}
	if err != nil {
		return fmt.Errorf("dragonfly: fork: %w", err)
	}
	return nil
}

// Restore makes the world what a version left, and returns the version that this is. Worlds that are followed show it within some
// ticks; what players change meanwhile in the same sections may stay. What was there before is a version too, unless nothing had
// changed: to undo a Restore, restore that. It must not be called within a transaction of dragonfly, whose end it waits for.
func (p *Provider) Restore(ctx context.Context, id history.ID, message string) (history.Commit, error) {
	p.mu.Lock()
	all := slices.Clone(p.followers)
	p.mu.Unlock()
	for _, f := range all {
		f.world.Save()
	}
	if _, err := p.Commit(ctx, "before: "+message); err != nil {
		return history.Commit{}, err
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	c, err := p.world.Restore(ctx, id, message)
	if err != nil {
		return c, fmt.Errorf("dragonfly: restore: %w", err)
	}
	p.saved(c, nil)
	return c, nil
}

// Follow brings into a running world of dragonfly what others change in the world that it is kept in: restores, and operations of
// package edit, brushes and what else updates World. It takes at most a tenth of each tick. Without it dragonfly finds such a change when it
// loads a column, and keeps it where it has itself changed nothing in the section.
func (p *Provider) Follow(w *world.World) (stop func()) {
	at, _ := placeOf(world.ChunkPos{}, w.Dimension())
	f := &follower{Provider: p, world: w, dim: at.dim, left: map[world.ChunkPos]bool{}}
	p.mu.Lock()
	p.followers = append(p.followers, f)
	p.mu.Unlock()
	return func() {
		p.mu.Lock()
		p.followers = slices.DeleteFunc(p.followers, func(other *follower) bool { return other == f })
		p.mu.Unlock()
	}
}

// followed is the time that a follower takes of a tick.
const followed = 5 * time.Millisecond

// follower brings changes into a running world.
type follower struct {
	*Provider
	world *world.World
	dim   string

	mu      sync.Mutex
	left    map[world.ChunkPos]bool // columns to be compared; true: with their entities
	waiting bool                    // a task of the world will look at them
}

// watch notes what others change.
func (p *Provider) watch(c *cairn.Change) {
	now := p.world.View()
	p.mu.Lock()
	before := p.seen
	p.seen = now
	mine, all := p.storing, p.followers
	p.storing = false
	p.mu.Unlock()
	if c == nil {
		p.level.stale.Store(true)
	}
	if mine && c != nil || len(all) == 0 {
		return
	}
	for _, f := range all {
		left := map[world.ChunkPos]bool{}
		if c == nil {
			apart(left, before.Dimension(f.dim), now.Dimension(f.dim))
		} else {
			changed(left, f.dim, c)
		}
		f.add(left)
	}
}

// changed adds the columns of a dimension that a change has.
func changed(left map[world.ChunkPos]bool, dim string, c *cairn.Change) {
	for _, v := range c.Volumes {
		if v.Dimension != dim || voxel.IsLight(v.Volume) {
			continue
		}
		for _, r := range v.Chunks {
			scale := int32(1)
			if v.Volume == voxel.Biome {
				scale = 4
			}
			cover(left, r.Pos.X, r.Pos.Z, scale)
		}
	}
	for _, col := range c.Columns {
		if col.Dimension == dim {
			old, now := col.Old.Objects(voxel.Entities), col.New.Objects(voxel.Entities)
			same := slices.EqualFunc(old, now, func(a, b voxel.Object) bool { return bytes.Equal(a.Payload, b.Payload) })
			pos := world.ChunkPos{col.Pos.X, col.Pos.Z}
			left[pos] = left[pos] || !same
		}
	}
}

// cover adds the columns that a chunk lies over.
func cover(left map[world.ChunkPos]bool, x, z, scale int32) {
	n := 2 * scale
	for dx := range n {
		for dz := range n {
			pos := world.ChunkPos{x*n + dx, z*n + dz}
			left[pos] = left[pos]
		}
	}
}

// apart adds the columns in which a dimension is another than before.
func apart(left map[world.ChunkPos]bool, before, now *cairn.Dimension) {
	if now == nil {
		return
	}
	for _, v := range now.Volumes() {
		var old *cairn.Volume
		if before != nil {
			old = before.Volume(v.Name)
		}
		if old == nil || voxel.IsLight(v.Name) {
			continue
		}
		for pos := range v.View.Apart(old.View) {
			cover(left, pos.X, pos.Z, int32(v.Scale))
		}
	}
	for _, pos := range now.Apart(before) {
		left[world.ChunkPos{pos.X, pos.Z}] = true
	}
}

// add has the world look at columns.
func (f *follower) add(left map[world.ChunkPos]bool) {
	f.mu.Lock()
	for pos, entities := range left {
		f.left[pos] = f.left[pos] || entities
	}
	begin := len(f.left) > 0 && !f.waiting
	f.waiting = f.waiting || begin
	f.mu.Unlock()
	if begin {
		f.world.Do(f.work)
	}
}

// work shows columns for a part of a tick.
func (f *follower) work(tx *world.Tx) {
	for end := time.Now().Add(followed); time.Now().Before(end); {
		f.mu.Lock()
		var pos world.ChunkPos
		entities, found := false, false
		for pos, entities = range f.left {
			found = true
			break
		}
		delete(f.left, pos)
		f.waiting = found
		f.mu.Unlock()
		if !found {
			return
		}
		if err := f.show(tx, pos, entities); err != nil {
			f.noted("show", place{f.dim, pos}, err)
		}
	}
	f.world.DoAfter(time.Second/20, f.work)
}

// show makes a column of the running world what the open world has. A column that is not loaded is read when it is needed.
func (f *follower) show(tx *world.Tx, pos world.ChunkPos, entities bool) error {
	corner := cube.Pos{int(pos[0]) << 4, tx.Range()[0], int(pos[1]) << 4}
	if _, loaded := tx.BlockLoaded(corner); !loaded {
		return nil
	}
	stored, now, err := f.fromWorld(place{f.dim, pos}, f.world.Dimension())
	if errors.Is(err, leveldb.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	l := world.NewLoader(1, f.world, world.NopViewer{})
	defer l.Close(tx)
	l.Move(tx, corner.Vec3Centre())
	l.Load(tx, 1)
	running, ok := l.Chunk(pos)
	if !ok {
		return errors.New("dragonfly does not give it")
	}
	s := showing{tx: tx, corner: corner, stored: stored, running: running.Chunk, blocks: f.states.blocks, low: tx.Range()[1], high: tx.Range()[0]}
	s.compare()
	s.build()
	s.biomes()
	if entities {
		s.entities(running.Entities)
	}
	f.remember(place{f.dim, pos}, now)
	return nil
}

// showing is a column that is being shown.
type showing struct {
	tx        *world.Tx
	corner    cube.Pos
	stored    *chunk.Column
	running   *chunk.Chunk
	blocks    world.BlockRegistry
	owners    map[cube.Pos]map[string]any // the block entities of stored
	low, high int                         // heights of cells that differ
	cells     []cube.Pos                  // that differ, in the column; the first of them
	deep      bool                        // the second layer differs
}

// few is up to how many cells a column's viewers are told of one by one, and not of the whole.
const few = 64

// compare finds the cells that differ.
func (s *showing) compare() {
	s.owners = map[cube.Pos]map[string]any{}
	for _, b := range s.stored.BlockEntities {
		s.owners[b.Pos] = b.Data
		s.differ(cube.Pos{b.Pos[0] & 15, b.Pos[1], b.Pos[2] & 15})
	}
	for i := range s.running.Sub() {
		if bytes.Equal(chunk.EncodeSubChunk(s.running, chunk.NetworkEncoding, i), chunk.EncodeSubChunk(s.stored.Chunk, chunk.NetworkEncoding, i)) {
			continue
		}
		y0 := s.running.SubY(int16(i))
		for at := range sectionCells {
			x, y, z := uint8(at>>8), y0+int16(at&15), uint8(at>>4&15)
			upper := s.running.Block(x, y, z, 1) != s.stored.Chunk.Block(x, y, z, 1)
			if s.deep = s.deep || upper; upper || s.running.Block(x, y, z, 0) != s.stored.Chunk.Block(x, y, z, 0) {
				s.differ(cube.Pos{int(x), int(y), int(z)})
			}
		}
	}
}

func (s *showing) differ(p cube.Pos) {
	s.low, s.high = min(s.low, p[1]), max(s.high, p[1])
	if len(s.cells) <= few {
		s.cells = append(s.cells, p)
	}
}

// build puts the stored blocks. It goes cell by cell where few differ, so that players get these alone.
func (s *showing) build() {
	if len(s.cells) == 0 {
		return
	}
	if s.deep || len(s.cells) > few {
		s.tx.BuildStructure(cube.Pos{s.corner[0], s.low, s.corner[2]}, s)
		return
	}
	for _, p := range s.cells {
		s.tx.SetBlock(s.world(p), s.block(p), &world.SetOpts{DisableBlockUpdates: true, DisableLiquidDisplacement: true, DisableRedstoneUpdates: true})
	}
}

func (s *showing) world(p cube.Pos) cube.Pos { return p.Add(cube.Pos{s.corner[0], 0, s.corner[2]}) }

// block returns the stored block at a place of the column, with what it owns.
func (s *showing) block(p cube.Pos) world.Block {
	b := s.blocks.BlockByRuntimeIDOrAir(s.stored.Chunk.Block(uint8(p[0]), int16(p[1]), uint8(p[2]), 0))
	if data, ok := s.owners[s.world(p)]; ok {
		if owner, ok := b.(world.NBTer); ok {
			b, _ = owner.DecodeNBT(data).(world.Block)
		}
	}
	return b
}

// Dimensions implements world.Structure.
func (s *showing) Dimensions() [3]int { return [3]int{edge, s.high - s.low + 1, edge} }

// At implements world.Structure.
func (s *showing) At(x, y, z int, _ func(x, y, z int) world.Block) (world.Block, world.Liquid) {
	p := cube.Pos{x, s.low + y, z}
	upper, _ := s.blocks.BlockByRuntimeIDOrAir(s.stored.Chunk.Block(uint8(x), int16(p[1]), uint8(z), 1)).(world.Liquid)
	return s.block(p), upper
}

func (s *showing) biomes() {
	if bytes.Equal(chunk.EncodeBiomes(s.running, chunk.NetworkEncoding), chunk.EncodeBiomes(s.stored.Chunk, chunk.NetworkEncoding)) {
		return
	}
	for i := range s.running.Sub() {
		y0 := s.running.SubY(int16(i))
		for at := range sectionCells {
			x, y, z := uint8(at>>8), y0+int16(at&15), uint8(at>>4&15)
			if id := s.stored.Chunk.Biome(x, y, z); id != s.running.Biome(x, y, z) {
				if b, ok := world.BiomeByID(int(id)); ok {
					s.tx.SetBiome(s.world(cube.Pos{int(x), int(y), int(z)}), b)
				}
			}
		}
	}
}

// playerType is what players are, who stay where they are.
const playerType = "minecraft:player"

// entities puts the stored entities in the place of those that are there, and of those that have gone elsewhere.
func (s *showing) entities(there []*world.EntityHandle) {
	stored := map[int64]bool{}
	for _, e := range s.stored.Entities {
		stored[e.ID] = true
	}
	gone := map[*world.EntityHandle]bool{}
	for _, h := range there {
		gone[h] = true
	}
	for e := range s.tx.Entities() {
		id := e.H().UUID()
		if stored[int64(binary.LittleEndian.Uint64(id[8:]))] {
			gone[e.H()] = true
		}
	}
	for h := range maps.Clone(gone) {
		if e, ok := h.Entity(s.tx); ok && h.Type().EncodeEntity() != playerType {
			s.tx.RemoveEntity(e)
			h.Close()
		}
	}
	for _, e := range s.stored.Entities {
		name, _ := e.Data["identifier"].(string)
		t, ok := s.tx.World().EntityRegistry().Lookup(name)
		if !ok {
			continue // dragonfly has no such entity
		}
		var id uuid.UUID
		binary.LittleEndian.PutUint64(id[8:], uint64(e.ID))
		s.tx.AddEntity(world.EntitySpawnOpts{ID: id}.New(t, entity{t, e}))
	}
}

// entity is a stored entity as one that spawns.
type entity struct {
	world.EntityType
	chunk.Entity
}

// Apply implements world.EntityConfig: it reads what dragonfly reads of each entity.
func (e entity) Apply(data *world.EntityData) {
	data.Pos, data.Vel = vector(e.Data["Pos"]), vector(e.Data["Motion"])
	yaw, _ := e.Data["Yaw"].(float32)
	pitch, _ := e.Data["Pitch"].(float32)
	data.Rot = cube.Rotation{float64(yaw), float64(pitch)}
	age, _ := e.Data["Age"].(int16)
	fire, _ := e.Data["Fire"].(int16)
	data.Age, data.FireDuration = time.Duration(age)*time.Second/20, time.Duration(fire)*time.Second/20
	data.Name, _ = e.Data["NameTag"].(string)
	e.DecodeNBT(e.Data, data)
}

func vector(v any) (out mgl64.Vec3) {
	list, _ := v.([]any)
	for i := range min(len(list), 3) {
		f, _ := list[i].(float32)
		out[i] = float64(f)
	}
	return out
}
