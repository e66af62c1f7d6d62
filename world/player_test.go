package world_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// player does random work on a world and on a model of it. It loads what it
// needs and lets go of it at random.
type player struct {
	t        testing.TB
	r        *rand.Rand
	st       *flaky
	name     string
	forks    int
	w        *world.World
	held     []*ticket
	have     *content
	versions map[history.ID]*content
	made     int  // names that were made up
	whole    bool // the world keeps everything
}

// ticket is a Held and what it must keep.
type ticket struct {
	*world.Held
	dim     string
	box     geom.Box
	volumes []string
}

func (k *ticket) has(volume string) bool {
	return len(k.volumes) == 0 || slices.Contains(k.volumes, volume)
}

var spaces = []string{"earth", "moon", "mars"}

var playVolumes = append(voxel.BlockVolumes(),
	voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1},
	voxel.Volume{Name: "heat", Schema: voxel.Palette, Scale: 2, Default: 1})

func newPlayer(t testing.TB, seed uint64) *player {
	now := time.UnixMilli(0)
	m := memory.New(memory.Options{Now: func() time.Time { now = now.Add(time.Minute); return now }})
	p := &player{t: t, r: rand.New(rand.NewPCG(seed, 11)), st: &flaky{Store: m}, name: "w", have: newContent(), versions: map[history.ID]*content{}}
	p.check(p.st.Create(ctx, "w"))
	p.open()
	p.addVolumes()
	p.commit()
	return p
}

func (p *player) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) open() {
	p.whole = p.r.IntN(6) == 0
	p.w = open(p.t, p.st, p.name, world.Options{Manual: p.r.IntN(3) == 0, Whole: p.whole, Parallel: p.r.IntN(3)})
	p.held = nil
}

func (p *player) update(f func(tx *world.Tx)) {
	p.t.Helper()
	update(p.t, p.w, f)
}

func (p *player) point() geom.Point {
	return geom.Point{X: p.r.IntN(6)*17 - 40, Y: p.r.IntN(4)*23 - 30, Z: p.r.IntN(6)*19 - 50}
}

func (p *player) dim() string {
	var out []string
	for at := range p.have.volumes {
		out = append(out, at[0])
	}
	slices.Sort(out)
	return out[p.r.IntN(len(out))]
}

// load holds a box; what it held before is let go at random.
func (p *player) load(dim string, box geom.Box, volumes ...string) {
	p.t.Helper()
	h, err := p.w.Load(ctx, dim, box, volumes...)
	p.check(err)
	p.held = append(p.held, &ticket{h, dim, box, volumes})
	for len(p.held) > 1+p.r.IntN(5) {
		i := p.r.IntN(len(p.held) - 1)
		p.held[i].Release()
		p.held = slices.Delete(p.held, i, i+1)
	}
}

func around(at geom.Point, by int) geom.Box {
	more := geom.Point{X: by, Y: by, Z: by}
	return geom.Box{Min: at.Sub(more), Max: at.Add(more)}
}

func (p *player) addVolumes() {
	dim := spaces[p.r.IntN(len(spaces))]
	var some []voxel.Volume
	for _, v := range playVolumes {
		if p.r.IntN(2) == 0 {
			some = append(some, v)
			p.have.volumes[[2]string{dim, v.Name}] = true
		}
	}
	if len(some) == 0 {
		some = playVolumes[:1]
		p.have.volumes[[2]string{dim, voxel.Block}] = true
	}
	p.update(func(tx *world.Tx) {
		tx.AddDimension(dim, some, map[string][]string{"heat": {"nowhere", "mild"}})
	})
}

// cell returns a cell of a volume and what it means.
func (p *player) cell(v *world.VolumeTx) (voxel.Cell, string) {
	switch v.Schema {
	case voxel.Terrain:
		c := voxel.TerrainCell(uint8(p.r.IntN(64)), uint8(p.r.IntN(256)))
		return c, fmt.Sprint(c)
	case voxel.Level:
		c := voxel.Cell(p.r.IntN(16))
		return c, fmt.Sprint(c)
	}
	name := fmt.Sprint("name ", p.r.IntN(9))
	if p.r.IntN(4) == 0 {
		name = v.Names()[0]
	}
	if p.r.IntN(20) == 0 {
		p.made++
		name = fmt.Sprint("a ", p.made)
	}
	return v.Named(name), name
}

// edit writes some cells of a volume.
func (p *player) edit() {
	dim, at := p.dim(), p.point()
	box := around(at, 2+p.r.IntN(30))
	p.load(dim, box)
	p.update(func(tx *world.Tx) {
		d := tx.Dimension(dim)
		for _, known := range playVolumes {
			v := d.Volume(known.Name)
			if v == nil || p.r.IntN(2) == 0 {
				continue
			}
			for range 1 + p.r.IntN(3) {
				q := at.Add(geom.Point{X: p.r.IntN(2), Y: p.r.IntN(2), Z: p.r.IntN(2)})
				q = geom.Point{X: geom.FloorDiv(q.X, v.Scale), Y: geom.FloorDiv(q.Y, v.Scale), Z: geom.FloorDiv(q.Z, v.Scale)}
				if old, ok := v.Cell(q); !ok || old != v.Volume.Default && p.r.IntN(2) == 0 {
					continue // keep most
				}
				c, text := p.cell(v)
				v.Set(q, c)
				p.have.set(cellAt{dim, known.Name, q}, text, c == v.Volume.Default)
			}
		}
	})
}

func (c *content) set(at cellAt, text string, isDefault bool) {
	old, ok := c.cells[at]
	if isDefault {
		delete(c.cells, at)
	} else {
		c.cells[at] = text
	}
	pos := geom.ColumnPos{X: int32(at.p.X >> 4), Z: int32(at.p.Z >> 4)}
	if is, there := c.columns[columnAt{at.dim, pos}]; there && at.volume == voxel.Block && ok == isDefault || there && at.volume == voxel.Block && old != text && !isDefault {
		is.stale = voxel.HasSky | voxel.HasLight
		c.columns[columnAt{at.dim, pos}] = is
	}
}

// clear empties a chunk that need not be loaded.
func (p *player) clear() {
	at, pos := p.anyVolume(), p.point().Chunk()
	if at[1] == voxel.Block { // columns follow from it
		p.load(at[0], pos.Box(), world.Columns)
		if _, loaded := p.w.View().Dimension(at[0]).Volume(at[1]).Chunk(pos); !loaded {
			for i := range int32(4) { // what is not known may have changed
				col := columnAt{at[0], geom.ColumnPos{X: pos.X*2 + i&1, Z: pos.Z*2 + i>>1}}
				if is, ok := p.have.columns[col]; ok {
					is.stale = voxel.HasSky | voxel.HasLight
					p.have.columns[col] = is
				}
			}
		}
	}
	p.update(func(tx *world.Tx) { tx.Dimension(at[0]).Volume(at[1]).SetChunk(pos, nil) })
	for c := range p.have.cells {
		if c.dim == at[0] && c.volume == at[1] && c.p.Chunk() == pos {
			p.have.set(c, "", true)
		}
	}
}

func (p *player) anyVolume() [2]string {
	all := slices.SortedFunc(maps.Keys(p.have.volumes), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return all[p.r.IntN(len(all))]
}

// column changes a column or its lists.
func (p *player) column() {
	dim, at := p.dim(), p.point()
	col := columnAt{dim, geom.ColumnPos{X: int32(at.X >> 4), Z: int32(at.Z >> 4)}}
	list := fmt.Sprint("list ", p.r.IntN(4))
	what := fmt.Sprint("object ", p.r.IntN(1000))
	k := p.r.IntN(6)
	if k > 1 {
		p.load(dim, around(at, 1), world.Columns)
	}
	p.update(func(tx *world.Tx) {
		d := tx.Dimension(dim)
		switch k {
		case 0:
			p.have.removeColumn(col)
			d.RemoveColumn(col.pos)
		case 1:
			p.have.removeColumn(col)
			is := columnIs{version: p.r.Int32()}
			p.have.columns[col] = is
			made := voxel.Column{Pos: col.pos, Version: is.version}
			if p.r.IntN(2) == 0 {
				made.Lists = []voxel.List{{Name: list, Objects: []voxel.Object{chest(at.X, at.Y, at.Z, what)}}}
				p.have.lists[listAt{col, list}] = []string{what}
			}
			d.SetColumn(made)
		case 2:
			d.SetObjects(list, col.pos, nil)
			delete(p.have.lists, listAt{col, list})
		default:
			d.Add(list, chest(at.X, at.Y, at.Z, what))
			p.have.lists[listAt{col, list}] = append(slices.Clip(p.have.lists[listAt{col, list}]), what)
			is := p.have.columns[col]
			p.have.columns[col] = is
		}
	})
}

func (c *content) removeColumn(at columnAt) {
	delete(c.columns, at)
	for l := range c.lists {
		if l.columnAt == at {
			delete(c.lists, l)
		}
	}
}

func (p *player) fileOrFact() {
	name, value := fmt.Sprint("f", p.r.IntN(5)), fmt.Sprint(p.r.IntN(100))
	p.update(func(tx *world.Tx) {
		switch p.r.IntN(5) {
		case 0:
			tx.SetFile(name, nil)
			delete(p.have.files, name)
		case 1:
			tx.SetFile(name, []byte{})
			p.have.files[name] = ""
		case 2:
			tx.SetFile(name, []byte(value))
			p.have.files[name] = value
		case 3:
			tx.SetProperty(name, "")
			delete(p.have.facts, name)
		case 4:
			tx.SetProperty(name, value)
			p.have.facts[name] = value
		}
	})
}
