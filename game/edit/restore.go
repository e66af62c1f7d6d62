package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Restore makes cells what they were in a snapshot. It costs what differs: nothing for a
// chunk that the arena and the snapshot share.
type Restore struct {
	// One of the two is set. A Capture is a moment of the arena's own world; a Snapshot is a
	// stored version of it or of another world. They must stay open until Future.Done is
	// closed.
	Capture  *world.Capture
	Snapshot *world.Snapshot
	// Region is what to restore, in cells of the dimension; nil: everything. Cells of a volume
	// that are larger than a block are restored if they lie in it completely.
	Region region.Region
	// Mask says which cells of Volumes may change, by their names, and with those of voxel.Block whose
	// objects. It says nothing of biomes and columns.
	// It may name what the World has not: an arena is restored often, and not always has all.
	Mask region.Mask
	// Volumes to restore. Default: all that hold no biomes and no light.
	Volumes []string
	Biomes  bool // restore biomes as well
	// Objects restores the objects that lie in Region. An entity that left it since and is elsewhere in
	// the dimension stays there, by its UUID: it does not come a second time.
	Objects bool
	// Light restores light as well, after all else, where nothing outside of Region reaches: in a
	// box without its outermost 15 cells, or everywhere. Together with Columns and without
	// a Region it brings height maps back as they were, too. A Mask rules it out. A world with
	// world.Options.Relight needs an Arena with the Relighter WorldLight for it.
	Light bool
	// Columns restores what columns have besides cells, objects, height maps and what is known of
	// their light, of those columns that lie in Region completely at the heights that it has.
	// Columns that the snapshot does not have are removed.
	Columns bool
}

// frozen is the dimension that a Restore goes back to.
type frozen struct {
	view    *world.Dimension // what was in memory; nil: nothing
	snap    *world.Snapshot
	name    string
	w       *world.World   // of the arena
	capture *world.Capture // of view
	found   *world.Apart   // see apart
	columns map[geom.ColumnPos]*restoredColumn
	// before is, with a mask, what chunks of blocks were that the operation changed: it says whose
	// objects may change.
	before map[geom.ChunkPos]*voxel.Chunk

	mu   sync.Mutex
	left map[string]int // how many objects of an identity went out of the region; see here
}

func (o *Restore) prepare(ctx context.Context, a *Arena) (_ *plan, err error) {
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	from, err := o.from(a, d)
	if err != nil {
		return nil, err
	}
	p := &plan{back: true}
	if o.Capture != nil {
		p.close = func() { from.snap.Close() }
		defer func() {
			if err != nil {
				p.close()
			}
		}()
	}
	in := o.Region
	if in == nil {
		in = world.Everywhere
	}
	tables := make(map[string][]voxel.Cell)
	for _, name := range o.volumes(d) {
		towers, table, err := o.volume(a, d, from, name, in)
		if err != nil {
			return nil, err
		}
		tables[name] = table
		p.towers = append(p.towers, towers...)
	}
	p.last = func() ([]*tower, error) {
		from.found = nil // light was changed since
		return o.afterLight(a, from, in)
	}
	p.fetch = func(ctx context.Context, t *tower) error {
		if t.volume == world.Columns {
			return from.columns[t.columns[0].pos].read(ctx)
		}
		return from.fetch(ctx, t, tables[t.volume])
	}
	return p, nil
}

// volume returns the towers of a volume that may differ, and what translates the cells of the snapshot.
func (o *Restore) volume(a *Arena, d *world.Dimension, from *frozen, name string, in region.Region) ([]*tower, []voxel.Cell, error) {
	v := d.Volume(name)
	if v == nil {
		return nil, nil, fmt.Errorf("edit: %s: no volume %q in %q", a.World.Name(), name, d.Name())
	}
	there, err := from.volume(name)
	if err != nil {
		return nil, nil, err
	}
	if !sameVolume(v, there) {
		return nil, nil, fmt.Errorf("edit: %s: volume %q is %+v, not %+v as in the snapshot", a.World.Name(), name, v.Volume, there.Volume)
	}
	table, err := a.translation(name, there.Names)
	if err != nil {
		return nil, nil, err
	}
	parts, err := from.parts(v, masks.Scaled(in, v.Scale))
	if err != nil {
		return nil, nil, err
	}
	if name != voxel.Biome {
		mask, err := maskOf(o.Mask) // it remembers the names of the volume
		if err != nil {
			return nil, nil, fmt.Errorf("edit: %s: %w", a.World.Name(), err)
		}
		for i := range parts {
			parts[i].mask = mask
			if mask != nil && name == voxel.Block {
				parts[i].objects = from.see
			}
		}
	}
	return towersOf(v.Volume, parts), table, nil
}

// afterLight returns what is restored when the light of the blocks was computed: light itself, and columns.
func (o *Restore) afterLight(a *Arena, from *frozen, in region.Region) (out []*tower, err error) {
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	if o.Light && o.Mask.Cells(nil) == nil {
		if out, err = o.light(d, from, in); err != nil {
			return nil, err
		}
	}
	if o.Objects || o.Columns {
		columns, err := o.columnsApart(from, in)
		if err != nil {
			return nil, err
		}
		out = append(out, columnTowers(columns)...)
	}
	return out, nil
}

// see remembers what a chunk of blocks was before it was changed.
func (z *frozen) see(p *part, _ *objectsTx, was, _ *voxel.Chunk, _ []bool) {
	if z.before[p.pos] == nil {
		z.before[p.pos] = was
	}
}

// from returns what to go back to.
func (o *Restore) from(a *Arena, d *world.Dimension) (*frozen, error) {
	out := &frozen{w: a.World, capture: o.Capture, snap: o.Snapshot, name: d.Name(), columns: make(map[geom.ColumnPos]*restoredColumn), before: make(map[geom.ChunkPos]*voxel.Chunk)}
	switch {
	case (o.Capture == nil) == (o.Snapshot == nil):
		return nil, errors.New("edit: restore: one of Capture and Snapshot is needed")
	case o.Capture == nil:
		return out, nil
	case o.Capture.World() != a.World:
		return nil, fmt.Errorf("edit: restore: the capture is not one of the world %s", a.World.Name())
	}
	if out.view = o.Capture.View().Dimension(d.Name()); out.view == nil {
		return nil, fmt.Errorf("edit: restore: the snapshot has no dimension %q", d.Name())
	}
	out.snap = o.Capture.Base()
	return out, nil
}

// apart says where the arena as it is now may differ.
func (z *frozen) apart() (_ *world.Apart, err error) {
	switch {
	case z.found != nil:
	case z.capture != nil:
		z.found, err = z.capture.Apart()
	default:
		z.found, err = z.w.Apart(z.snap)
	}
	return z.found, err
}

// light returns the towers of light that nothing outside of a region reaches.
func (o *Restore) light(d *world.Dimension, from *frozen, in region.Region) (out []*tower, err error) {
	b, ok := in.(geom.Box)
	if !ok {
		return nil, nil
	}
	if o.Region != nil {
		reach := geom.Point{X: light.MaxLight, Y: light.MaxLight, Z: light.MaxLight}
		b.Min, b.Max = b.Min.Add(reach), b.Max.Sub(reach)
	}
	for _, name := range []string{voxel.Sky, voxel.Light} {
		v := d.Volume(name)
		if v == nil || b.Empty() {
			continue
		}
		if there, err := from.volume(name); err != nil || there.Volume != v.Volume {
			continue // the snapshot had none of its kind
		}
		parts, err := from.parts(v, masks.Scaled(b, v.Scale))
		if err != nil {
			return nil, err
		}
		out = append(out, towersOf(v.Volume, parts)...)
	}
	return out, nil
}

// sameVolume reports whether a volume of a snapshot is what the arena's is. A default may be another
// cell of the same name.
func sameVolume(v *world.Volume, there *stone.VolumeInfo) bool {
	is := there.Volume
	if is.Schema == voxel.Palette && int(is.Default) < len(there.Names) {
		if c, ok := v.Named(there.Names[is.Default]); ok {
			is.Default = c
		}
	}
	return is == v.Volume
}

// volumes returns which volumes to restore.
func (o *Restore) volumes(d *world.Dimension) (out []string) {
	if out = slices.Clone(o.Volumes); out == nil {
		for _, v := range d.Volumes() {
			if !slices.Contains([]string{voxel.Biome, voxel.Sky, voxel.Light}, v.Name) {
				out = append(out, v.Name)
			}
		}
	}
	if o.Biomes && d.Volume(voxel.Biome) != nil && !slices.Contains(out, voxel.Biome) {
		out = append(out, voxel.Biome)
	}
	return out
}

// volume describes a volume of the snapshot.
func (z *frozen) volume(name string) (*stone.VolumeInfo, error) {
	if z.view != nil {
		if v := z.view.Volume(name); v != nil {
			return &stone.VolumeInfo{Volume: v.Volume, Names: v.Names()}, nil
		}
	} else {
		about := z.snap.About()
		for _, d := range about.Dimensions {
			for i := range d.Volumes {
				if d.Name == z.name && d.Volumes[i].Volume.Name == name {
					return &d.Volumes[i], nil
				}
			}
		}
	}
	return nil, fmt.Errorf("edit: restore: the snapshot has no volume %q in %q", name, z.name)
}

// parts returns the chunks in a region that may differ.
func (z *frozen) parts(v *world.Volume, in region.Region) (out []part, err error) {
	add := func(pos geom.ChunkPos) {
		if c := region.CoverOf(in, pos.Box()); c != 0 {
			out = append(out, part{pos: pos}.within(in, c))
		}
	}
	// What is in memory says itself whether it differs. Of the rest the stones know.
	var had *world.Volume
	if z.view != nil {
		had = z.view.Volume(v.Name)
		for pos, c := range v.Apart(had.View) {
			if c[0] != grid.NotLoaded && c[1] != grid.NotLoaded {
				add(pos)
			}
		}
		if v.Whole() && had.Whole() {
			return out, nil
		}
	}
	apart, err := z.apart()
	if err != nil {
		return nil, err
	}
	for _, pos := range apart.Chunks(z.name, v.Name) {
		if had != nil {
			_, now := v.Chunk(pos)
			_, then := had.Chunk(pos)
			if now && then {
				continue
			}
		}
		add(pos)
	}
	return out, nil
}

// fetch reads what the chunks of a tower are to be. table translates their cells.
func (z *frozen) fetch(ctx context.Context, t *tower, table []voxel.Cell) error {
	var view *world.Volume
	if z.view != nil {
		view = z.view.Volume(t.volume)
	}
	var read []geom.ChunkPos
	at := make(map[geom.ChunkPos]int)
	for i := range t.parts {
		p := &t.parts[i]
		if view != nil {
			if c, ok := view.Chunk(p.pos); ok {
				if p.want = c; c != nil {
					p.want = translated(c, table)
				}
				continue
			}
		}
		read = append(read, p.pos)
		at[p.pos] = i
	}
	if len(read) == 0 {
		return nil
	}
	slices.SortFunc(read, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	return z.snap.ReadChunks(ctx, z.name, t.volume, 0, read, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			c = translated(c, table)
		}
		t.parts[at[pos]].want = c
		return nil
	})
}

// translation returns for each cell of a list of names the cell of the arena's volume, nil
// if they are the same. It gives the volume the names that it lacks.
func (a *Arena) translation(volume string, names []string) ([]voxel.Cell, error) {
	v, err := a.volume(volume)
	if err != nil {
		return nil, err
	}
	if have := v.Names(); len(names) <= len(have) && slices.Equal(names, have[:len(names)]) {
		return nil, nil
	}
	return a.named(volume, names...)
}

func translated(c *voxel.Chunk, table []voxel.Cell) *voxel.Chunk {
	if table == nil {
		return c
	}
	return c.Translate(table)
}
