package model_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// edit writes cells of some volumes as an author, in every way that a volume has.
func (m *machine) edit() {
	who := m.author()
	m.update(who, "edit", func(tx *world.Tx) {
		for range 1 + m.r.IntN(3) {
			at := m.anyVolume()
			m.write(at, tx.Dimension(at.dim).Volume(at.volume), m.have.spaces[at])
		}
	})
	m.say("by %s", who)
}

func (m *machine) write(at spaceAt, v *world.VolumeTx, s *space) {
	c, k := m.content(v, s, 8)
	b := m.box(12, v.Scale)
	switch way := m.r.IntN(6); way {
	case 0:
		for range 1 + m.r.IntN(20) {
			p := b.Min.Add(geom.Point{X: m.r.IntN(8), Y: m.r.IntN(8), Z: m.r.IntN(8)})
			c, k = m.content(v, s, 8)
			v.Set(p, c)
			s.set(p, k)
			if m.plant && m.made > 3 && m.r.IntN(8) == 0 {
				s.set(p, k+1)
			}
		}
		m.say("%v: set near %v", at, b.Min)
	case 1, 2:
		if way == 2 { // whole chunks
			b = geom.Box{Min: b.Min.Chunk().Min(), Max: b.Max.Chunk().Box().Max}
			b.Max.Y = b.Min.Y + 32
		}
		v.Fill(b, c)
		inBox(b, func(p geom.Point) { s.set(p, k) })
		m.say("%v: fill %v with %s", at, b, m.names.say(&world.Volume{Volume: v.Volume}, k))
	case 3:
		ball := region.Ball{Center: b.Min, Radius: float64(m.r.IntN(20)) / 2}
		v.Fill(ball, c)
		inBox(ball.Bounds(), func(p geom.Point) {
			if ball.Contains(p) {
				s.set(p, k)
			}
		})
		m.say("%v: fill %v", at, ball)
	case 4:
		from, was := m.content(v, s, 4)
		v.Replace(b, from, c)
		inBox(b, func(p geom.Point) {
			if s.at(p) == was {
				s.set(p, k)
			}
		})
		m.say("%v: replace in %v", at, b)
	case 5:
		cells, n := make([]voxel.Cell, b.Cells()), 0
		kinds := 1 + m.r.IntN(9)
		inBox(b, func(p geom.Point) {
			c, k := m.content(v, s, kinds)
			cells[n] = c
			s.set(p, k)
			n++
		})
		v.WriteBox(b, cells)
		m.say("%v: write %v", at, b)
	}
	if err := v.Err(); err != nil {
		m.fail("%v: %v", at, err)
	}
}

// noise writes a chunk with rows of many runs: a chunk stores them, or all cells if that takes
// less, and what it stores is near the limit.
func (m *machine) noise() {
	at, pos := m.anyVolume(), m.place(4).Chunk()
	m.dense = chunkAt{at, pos}
	runs, kinds := 24+m.r.IntN(9), 40+m.r.IntN(300)
	rows := 1024
	if m.r.IntN(4) == 0 {
		runs, rows = 1+m.r.IntN(32), 1+m.r.IntN(1024)
	}
	who := m.author()
	m.update(who, "noise", func(tx *world.Tx) {
		v, s := tx.Dimension(at.dim).Volume(at.volume), m.have.spaces[at]
		all := make([]struct {
			c voxel.Cell
			k mark
		}, kinds)
		for i := range all {
			all[i].c, all[i].k = m.content(v, s, kinds)
		}
		var cells [voxel.ChunkCells]voxel.Cell
		own, one, left := s.own(pos), all[0], 0
		for i := range cells {
			if i&31 == 0 { // a row begins
				left = max(1, runs-m.r.IntN(2))
			}
			if i>>5 < rows && m.r.IntN(32-i&31) < left {
				one, left = pick(m, all), left-1
			}
			cells[i], own.cells[i] = one.c, one.k
		}
		if m.r.IntN(2) == 0 {
			v.SetChunk(pos, voxel.FromFlat(&cells))
		} else {
			v.WriteBox(pos.Box(), cells[:]) // the order of a chunk is that of a box
		}
	})
	m.say("%v: %d rows of %d runs of %d kinds at chunk %v by %s", at, rows, runs, kinds, pos, who)
}

// pepper sets cells of a chunk in updates of their own, so that patches of it grow.
func (m *machine) pepper() {
	at, pos := m.anyVolume(), m.place(4).Chunk()
	if _, there := m.have.spaces[m.dense.spaceAt]; there && m.r.IntN(2) == 0 {
		at, pos = m.dense.spaceAt, m.dense.pos
	}
	n, who := 1+m.r.IntN(60), pick(m, []string{"", "", "ann", "bob"})
	kinds := 2 + m.r.IntN(40)
	for range n {
		p := pos.Min().Add(geom.Point{X: m.r.IntN(32), Y: m.r.IntN(32), Z: m.r.IntN(32)})
		m.update(who, "pepper", func(tx *world.Tx) {
			v, s := tx.Dimension(at.dim).Volume(at.volume), m.have.spaces[at]
			c, k := m.content(v, s, kinds)
			v.Set(p, c)
			s.set(p, k)
		})
		m.show()
	}
	m.say("%v: %d cells of chunk %v one by one by %q", at, n, pos, who)
}

// takeBack undoes or redoes a step of any author.
func (m *machine) takeBack() {
	who, redo := pick(m, []string{"ann", "bob", "cat"}), m.r.IntN(3) == 0
	m.say("take back: %s, redo %v", who, redo)
	a := m.past[who]
	from, to := &a.undo, &a.redo
	if redo {
		from, to = to, from
	}
	var err error
	switch {
	case who == "cat" && redo:
		_, err = m.blocks.Redo(m.ctx)
	case who == "cat":
		_, err = m.blocks.Undo(m.ctx)
	case redo:
		_, err = m.steps.Redo(m.ctx, who)
	default:
		_, err = m.steps.Undo(m.ctx, who)
	}
	if none := len(*from) == 0; none || err != nil {
		if !none || !errors.Is(err, undo.ErrNothing) {
			m.fail("take back: %v, there are %d steps", err, len(*from))
		}
		return
	}
	last := len(*from) - 1
	before := m.have.clone()
	m.have.takeBack((*from)[last])
	*from, *to = (*from)[:last], append(*to, m.have.since(before))
}

// edits edits blocks by package cairn.
func (m *machine) edits() {
	m.bring()
	at := spaceAt{cairn.Main, voxel.Block}
	s, before := m.have.spaces[at], m.have.clone()
	_, err := m.blocks.Edit(m.ctx, func(b cairn.Blocks) error {
		for range 1 + m.r.IntN(4) {
			box := m.box(9, 1)
			name := fmt.Sprint("kind ", 1+m.r.IntN(9))
			k := m.mark(name)
			if m.r.IntN(2) == 0 {
				b.Fill(box, name)
				inBox(box, func(p geom.Point) { s.set(p, k) })
			} else {
				b.Set(box.Min, name)
				s.set(box.Min, k)
			}
			if got := b.Get(box.Min); got != name {
				m.fail("an edit reads %q at %v, want %q", got, box.Min, name)
			}
		}
		return nil
	})
	m.must("edit", err)
	m.remember("cat", before)
	p := m.place(1)
	if got := m.blocks.Block(p); m.mark(got) != s.at(p) {
		m.fail("block %v is %q, want %q", p, got, m.names[s.at(p)])
	}
	m.say("edit by cat")
}

// objects changes columns and their lists.
func (m *machine) objects() {
	dim, p := m.anyVolume().dim, m.place(1)
	at := columnAt{dim, geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)}}
	list, what := fmt.Sprint("list ", m.r.IntN(3)), fmt.Sprint("object ", m.r.IntN(1000))
	object := voxel.Object{Place: voxel.Indexed, At: p, Payload: []byte(what)}
	kind := m.r.IntN(6)
	m.say("objects of column %v: %d %s %s", at, kind, list, what)
	m.update("", "objects", func(tx *world.Tx) {
		d := tx.Dimension(dim)
		switch kind {
		case 0:
			d.RemoveColumn(at.pos)
			delete(m.have.columns, at)
		case 1:
			c := voxel.Column{Pos: at.pos, Version: m.r.Int32(), Lists: []voxel.List{{Name: list, Objects: []voxel.Object{object}}}}
			d.SetColumn(c)
			m.have.columns[at] = column{version: c.Version}
			m.have.setList(at, list, []string{what})
		case 2:
			d.SetObjects(list, at.pos, nil)
			if _, ok := m.have.columns[at]; ok {
				m.have.setList(at, list, nil)
			}
		default:
			d.Add(list, object)
			if _, ok := m.have.columns[at]; !ok { // it is of the version of others
				m.have.columns[at] = column{version: d.Column(at.pos).Version}
			}
			m.have.setList(at, list, append(slices.Clip(m.have.columns[at].lists[list]), what))
		}
	})
}

// volumes are what dimensions are made of.
var volumes = append(voxel.BlockVolumes(),
	voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1},
	voxel.Volume{Name: "heat", Schema: voxel.Palette, Scale: 2, Default: 1},
	voxel.Volume{Name: "depth", Schema: voxel.Level, Scale: 4, Default: 3})

func (m *machine) addDimension() {
	dim := pick(m, []string{"land", "moon", cairn.Main})
	var some []voxel.Volume
	for _, v := range volumes {
		if m.r.IntN(2) == 0 {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		some = volumes[:1]
	}
	m.say("dimension %s with %v", dim, some)
	m.update("", "dimension", func(tx *world.Tx) {
		tx.AddDimension(dim, some, map[string][]string{"heat": {"nowhere", "mild"}})
	})
	for _, v := range some {
		if at := (spaceAt{dim, v.Name}); m.have.spaces[at] == nil {
			m.have.spaces[at] = &space{v.Schema, m.fillerOf(dim, v.Name), map[geom.ChunkPos]*flat{}}
		}
	}
}

// stoneOf returns the last commit as a stone.
func (m *machine) stoneOf(w *world.World) history.Stone {
	var out bytes.Buffer
	o := stone.Options{PageChunks: pick(m, []int{0, 1, 3, 64, 512}), Effort: pick(m, []stone.Effort{stone.Quick, stone.Best}), Tally: m.r.IntN(2) == 0}
	id, err := w.WriteStone(m.ctx, &out, o)
	m.must("write a stone", err)
	r, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	m.must("open a stone", err)
	m.must("check a stone", r.Check(m.ctx))
	if m.r.IntN(2) == 0 {
		return history.Stone{ID: id, Data: out.Bytes()}
	}
	c, err := convert.FromContent(m.ctx, r, 0)
	m.must("read a stone", err)
	var again bytes.Buffer
	id, _, err = convert.WriteStone(m.ctx, c, &again, o)
	m.must("write a stone again", err)
	return history.Stone{ID: id, Data: again.Bytes()}
}

// export makes a stone of the last commit, and another world of that.
func (m *machine) export() {
	name := m.newName("import")
	m.say("export and import as %s", name)
	_, err := world.Import(m.ctx, m.st, name, m.stoneOf(m.w), world.Options{}, "import")
	m.must("import", err)
	head, err := m.st.Head(m.ctx, name)
	m.must("head", err)
	m.saved[name] = map[history.ID]*twin{head.Commit: m.saved[m.name][m.w.Head()]}
	m.lookAt(name, head.Commit)
}

// replace makes the world what an older version is.
func (m *machine) replace() {
	id := m.version()
	m.say("replace by %v", id)
	old, err := m.w.At(m.ctx, id)
	m.must("an old version", err)
	s := m.stoneOf(old)
	m.must("close", old.Close())
	r, err := stone.Open(bytes.NewReader(s.Data), int64(len(s.Data)))
	m.must("open a stone", err)
	_, err = m.w.Replace(m.ctx, r)
	m.must("replace", err)
	had := m.have.spaces
	m.have = m.saved[m.name][id].clone()
	for at, s := range had {
		if m.have.spaces[at] == nil { // it stays, empty
			m.have.spaces[at] = &space{s.schema, s.filler, map[geom.ChunkPos]*flat{}}
		}
	}
}

// look compares an older version.
func (m *machine) look() {
	id := m.version()
	m.say("look at %v", id)
	m.lookAt(m.name, id)
}

func (m *machine) lookAt(name string, id history.ID) {
	old, err := world.OpenAt(m.ctx, m.st, name, id, world.Options{Whole: true})
	m.must("an old version", err)
	m.compare("an old version", old, m.saved[name][id])
	m.must("close", old.Close())
}

// snapshot reads chunks of an older version from its stones.
func (m *machine) snapshot() {
	id := m.version()
	m.say("a snapshot of %v", id)
	s, err := m.w.SnapshotAt(m.ctx, id)
	m.must("a snapshot", err)
	twin := m.saved[m.name][id]
	for at, in := range twin.spaces {
		if in.schema == voxel.Palette || derived(at.volume) {
			continue
		}
		want := slices.SortedFunc(maps.Keys(in.chunks), func(a, b geom.ChunkPos) int { return cmp.Compare(geom.CodeOf(a, 0), geom.CodeOf(b, 0)) })
		got := map[geom.ChunkPos]*voxel.Chunk{}
		err := s.ReadChunks(m.ctx, at.dim, at.volume, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error { got[pos] = c; return nil })
		m.must("read a snapshot", err)
		for _, pos := range want {
			for i, k := range in.chunks[pos].cells {
				is := in.filler
				if c := got[pos]; c != nil {
					is = mark(c.Cell(i&31, i>>10, i>>5&31))
				}
				if is != k {
					m.fail("a snapshot: chunk %v of %v: cell %d is %#x, want %#x", pos, at, i, is, k)
				}
			}
		}
	}
	m.must("close", s.Close())
}

// capture saves the world as it is now, with what is not committed, as another world.
func (m *machine) capture() {
	m.bring()
	name := m.newName("capture")
	m.say("capture to %s", name)
	c, err := m.w.Capture()
	m.must("capture", err)
	want := m.have.clone()
	saved, err := c.Save(m.ctx, name, "captured")
	m.must("save a capture", err)
	m.must("close", errors.Join(c.Close(), c.Close()))
	m.saved[name] = map[history.ID]*twin{m.w.Head(): m.saved[m.name][m.w.Head()]} // it begins as a fork
	m.saved[name][saved.ID()] = want
	m.lookAt(name, saved.ID())
}
