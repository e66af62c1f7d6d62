package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Flood is a Relighter: it computes the light of a tower anew, from the blocks of the tower and of
// those around it. What blocks are to light it takes from the world's stones as far as these
// say, and from names. It is for worlds without world.Options.Relight, which compute light
// when they are saved. Light of blocks that are changed again and again while it works stays stale. The
// zero Flood is ready.
type Flood struct {
	mu    sync.Mutex
	flood light.Flood
	of    *world.World
	names int // how many names the rule in use knows
}

// floodTries is how often a Flood begins again when blocks changed while it worked.
const floodTries = 4

// Relight implements Relighter.
func (l *Flood) Relight(ctx context.Context, a *Arena, chunks []geom.ChunkPos) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flood.Until(ctx, 0)
	for range floodTries {
		if done, err := l.relight(ctx, a, chunks[0]); done || err != nil {
			return err
		}
	}
	return nil
}

// relight computes and writes the light of a tower. It reports false and writes nothing if the
// blocks changed since it read them.
func (l *Flood) relight(ctx context.Context, a *Arena, at geom.ChunkPos) (done bool, err error) {
	d, err := a.dimension()
	if err != nil {
		return false, err
	}
	blocks, err := a.volume(voxel.Block)
	if err != nil {
		return false, err
	}
	if names := blocks.Names(); l.of != a.World || l.names != len(names) {
		m, err := a.matters(d.Name())
		if err != nil {
			return false, err
		}
		l.flood.Use(m.With(names))
		l.of, l.names = a.World, len(names)
	}
	towers, low, high, err := towersAround(d, blocks, at)
	if err != nil {
		return false, err
	}
	from := geom.ChunkPos{X: at.X, Y: low, Z: at.Z}
	to := geom.ChunkPos{X: from.X + 1, Y: high + 1, Z: from.Z + 1}
	lit := [...]string{light.Sky: voxel.Sky, light.Block: voxel.Light}
	has := [...]voxel.Has{light.Sky: voxel.HasSky, light.Block: voxel.HasLight}
	levels := make(map[string][]*voxel.Chunk)
	var kinds voxel.Has
	for kind, name := range lit {
		if v := d.Volume(name); v == nil || v.Schema != voxel.Level || v.Scale != 1 {
			continue
		}
		if !l.flood.Fill(light.Channel(kind), from, to, towers) {
			return false, cmp.Or(ctx.Err(), fmt.Errorf("edit: light of tower %d,%d: %d chunks are too high", from.X, from.Z, to.Y-from.Y))
		}
		for y := from.Y; y < to.Y; y++ {
			levels[name] = append(levels[name], l.chunk(geom.ChunkPos{X: from.X, Y: y, Z: from.Z}))
		}
		kinds |= has[kind]
	}
	_, err = a.World.Update(func(tx *world.Tx) error {
		now, err := a.volume(voxel.Block)
		if done = err == nil && same(blocks, now, aroundTower(at)); !done {
			return err
		}
		in := tx.Dimension(d.Name())
		for name, chunks := range levels {
			v, err := volumeIn(tx, d.Name(), name)
			if err != nil {
				return err
			}
			for i, c := range chunks {
				pos := geom.ChunkPos{X: from.X, Y: from.Y + int32(i), Z: from.Z}
				if now, ok := v.Chunk(pos); ok && now.Or(v.Default).Equal(c) {
					continue
				}
				v.SetChunk(pos, c)
			}
		}
		for i := range int32(4) {
			pos := geom.ColumnPos{X: from.X*2 + i&1, Z: from.Z*2 + i>>1}
			if c := in.Column(pos); c != nil && c.Stale&kinds != 0 {
				fresh := *c
				fresh.Stale &^= kinds
				fresh.Sections = keeping(c, from.Y, levels[voxel.Light])
				in.SetColumn(fresh)
			}
		}
		return nil
	})
	return done, err
}

// same reports whether two moments of a volume have the same cells in a box.
func same(was, now *world.Volume, b geom.Box) bool {
	next, stop := iter.Pull2(was.ChunksIn(b))
	defer stop()
	for pos, c := range now.ChunksIn(b) {
		if at, old, ok := next(); !ok || at != pos || c != old && (c == nil || old == nil || !c.Equal(old)) {
			return false
		}
	}
	_, _, more := next()
	return !more
}

// keeping returns the sections of a column with block light listed where there is some: games leave
// it out where there is none. chunks are the light of its tower, from height low on.
func keeping(c *voxel.Column, low int32, chunks []*voxel.Chunk) []voxel.Section {
	out := slices.Clone(c.Sections)
	for i := range out {
		s := &out[i]
		at := int(int32(s.Y)>>1 - low)
		if s.Has&voxel.HasLight != 0 || s.Has&voxel.HasBlock == 0 || at < 0 || at >= len(chunks) {
			continue
		}
		var cells [16 * 16 * 16]voxel.Cell
		least := geom.Point{X: int(c.Pos.X&1) * 16, Y: int(s.Y&1) * 16, Z: int(c.Pos.Z&1) * 16}
		chunks[at].ReadBox(geom.Box{Min: least, Max: least.Add(geom.Point{X: 16, Y: 16, Z: 16})}, cells[:])
		if slices.Max(cells[:]) > 0 {
			s.Has |= voxel.HasLight
		}
	}
	return out
}

// matters returns what the stones of a world say that blocks are to light.
func (a *Arena) matters(dimension string) (light.Matters, error) {
	s, err := a.World.Snapshot()
	if err != nil {
		return nil, err
	}
	return s.Matters(dimension), s.Close()
}

// chunk returns the light of a chunk of the last fill.
func (l *Flood) chunk(pos geom.ChunkPos) *voxel.Chunk {
	var flat [voxel.ChunkCells]voxel.Cell
	var row [geom.ChunkEdge]uint8
	for y := range geom.ChunkEdge {
		for z := range geom.ChunkEdge {
			l.flood.Row(pos, y, z, &row)
			for x, v := range row {
				flat[(y*geom.ChunkEdge+z)*geom.ChunkEdge+x] = voxel.Cell(v)
			}
		}
	}
	return voxel.FromFlat(&flat)
}

// aroundTower returns the cells of a chunk's tower and of those around it.
func aroundTower(at geom.ChunkPos) geom.Box {
	b := at.Box()
	b.Min = b.Min.Sub(geom.Point{X: geom.ChunkEdge, Z: geom.ChunkEdge})
	b.Max = b.Max.Add(geom.Point{X: geom.ChunkEdge, Z: geom.ChunkEdge})
	b.Min.Y, b.Max.Y = world.Everywhere.Min.Y, world.Everywhere.Max.Y
	return b
}

// towersAround returns the blocks of a tower and of those around it, and the heights of the
// tower's own lowest and highest chunk. No light comes from where a world of columns ends.
func towersAround(d *world.Dimension, blocks *world.Volume, at geom.ChunkPos) (towers light.Towers, low, high int32, err error) {
	found := make(map[[2]int32]light.Tower)
	b := aroundTower(at)
	low, high = at.Y, at.Y
	ends := generated(d, at.X, at.Z)
	for pos, c := range blocks.ChunksIn(b) {
		if c == nil {
			return nil, 0, 0, fmt.Errorf("edit: light: chunk %v: %w", pos, world.ErrNotLoaded)
		}
		k := [2]int32{pos.X, pos.Z}
		found[k] = append(found[k], light.Floor{Y: pos.Y, Chunk: c})
		if pos.X == at.X && pos.Z == at.Z {
			low, high = min(low, pos.Y), max(high, pos.Y)
		}
	}
	for _, t := range found {
		t.Sort()
	}
	var wall light.Tower
	for y := high; y >= low && ends; y-- {
		wall = append(wall, light.Floor{Y: y, Chunk: opaque})
	}
	return func(x, z int32) light.Tower {
		t := found[[2]int32{x, z}]
		if t == nil && !generated(d, x, z) {
			return wall
		}
		return t
	}, low, high, nil
}

// generated reports whether a dimension has a column over a tower.
func generated(d *world.Dimension, x, z int32) bool {
	for i := range int32(4) {
		if c, ok := d.Column(geom.ColumnPos{X: x*2 + i&1, Z: z*2 + i>>1}); c != nil || !ok {
			return true
		}
	}
	return false
}

// opaque is blocks that no names know, which let no light through.
var opaque = voxel.Uniform(voxel.MaxCell)

// WorldLight is a Relighter for worlds with world.Options.Relight: it has World.Relight compute
// the light of all that is pending, in one go, however long that takes, and may read the store.
// It is for programs without ticks.
type WorldLight struct{}

// Relight implements Relighter.
func (WorldLight) Relight(ctx context.Context, a *Arena, _ []geom.ChunkPos) error {
	return a.World.Relight(ctx)
}

// Relight has the light of the towers of a region computed anew, by the Light of the Arena.
type Relight struct {
	Region region.Region // in cells of the dimension
}

func (o *Relight) prepare(_ context.Context, a *Arena) (*plan, error) {
	if a.Light == nil || o.Region == nil {
		return nil, errors.New("edit: relight: the arena has no Light, or there is no region")
	}
	blocks, err := a.volume(voxel.Block)
	if err != nil {
		return nil, err
	}
	var parts []part
	for pos := range blocks.ChunksIn(o.Region.Bounds()) {
		if region.CoverOf(o.Region, pos.Box()) != 0 {
			parts = append(parts, part{pos: pos})
		}
	}
	return &plan{towers: lightTowers(blocks.Volume, parts)}, nil
}
