package grid

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	maxOpen    = 1024    // chunks that a Draft keeps open for writing
	maxTouched = 1 << 20 // chunks that a Draft may write
)

// Edit is a Draft that can be published.
type Edit struct{ Draft }

// Draft is a volume that is being changed. Reads see its own writes. It belongs to
// one goroutine. The first error sticks: writes then do nothing and reads fail. See
// Err.
type Draft struct {
	view    *View
	ctx     context.Context            // nil: it does not end
	touched []*touched                 // chunks that may have been written
	index   map[geom.ChunkPos]*touched // of touched; nil while these are few
	last    *touched
	opened  []*touched
	highest voxel.Cell
	builder *voxel.ChunkBuilder
	scratch []voxel.Cell
	err     error
}

// touched is a chunk that was read. If it is kept, it may have been written.
type touched struct {
	pos      geom.ChunkPos
	code     geom.Code
	old, now *voxel.Chunk // nil: all default; may be NotLoaded
	edit     *voxel.Draft // of now, if not nil
	kept     bool         // in Draft.touched
	differs  bool         // now differs from old; if false, it may differ
	given    bool         // now was set as a whole, or made from such a chunk
}

// Edit returns a draft of v. v does not change.
func (v *View) Edit() *Edit { return &Edit{Draft{view: v}} }

// EndWith makes the Draft fail with ctx.Err() at the next chunk that is read or written
// after ctx has ended.
func (d *Edit) EndWith(ctx context.Context) { d.ctx = ctx }

// Err returns the first error. It is a *NotLoadedError, wraps geom.ErrOutOfRange, is that
// of the context of EndWith, or names the invalid cell or the 1,048,576 chunks that one
// Draft may write.
func (d *Draft) Err() error { return d.err }

// Highest returns the greatest cell written so far. It ignores chunks that were set
// as a whole.
func (d *Edit) Highest() voxel.Cell { return d.highest }

// Rule returns the rule of the volume's mips. The caller must not change it.
func (d *Draft) Rule() *voxel.Rule { return d.view.Rule() }

func (d *Draft) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// at returns the current chunk at pos, or nil after an error.
func (d *Draft) at(pos geom.ChunkPos) *touched {
	if t := d.last; t != nil && t.pos == pos && d.err == nil {
		return t
	}
	if d.err != nil {
		return nil
	}
	if d.ctx != nil && d.ctx.Err() != nil {
		d.fail(d.ctx.Err())
		return nil
	}
	t := d.find(pos)
	if t == nil {
		c, ok := d.view.lookup(pos)
		if !ok {
			d.fail(fmt.Errorf("grid: draft: %w", pos.Check()))
			return nil
		}
		t = &touched{pos: pos, code: geom.CodeOf(pos, 0), old: c, now: c}
	}
	d.last = t
	return t
}

// fewTouched is up to how many chunks are found without a map.
const fewTouched = 8

// find returns the chunk at pos if it is kept, else nil.
func (d *Draft) find(pos geom.ChunkPos) *touched {
	if d.index != nil {
		return d.index[pos]
	}
	for _, t := range d.touched {
		if t.pos == pos {
			return t
		}
	}
	return nil
}

// loaded is at for a chunk whose cells are needed.
func (d *Draft) loaded(pos geom.ChunkPos) *touched {
	t := d.at(pos)
	if t != nil && t.now == NotLoaded {
		d.fail(&NotLoadedError{pos})
		return nil
	}
	return t
}

// write returns the chunk at pos for writing, or nil after an error.
func (d *Draft) write(pos geom.ChunkPos) *voxel.Draft {
	t := d.loaded(pos)
	if t == nil {
		return nil
	}
	if t.edit == nil {
		d.open(t)
	}
	return t.edit
}

// open makes the chunk writable.
func (d *Draft) open(t *touched) {
	d.keep(t)
	if len(d.opened) == maxOpen {
		d.publishAll()
	}
	d.opened = append(d.opened, t)
	t.edit = d.chunk(t).Edit()
}

// checked records a cell to be written. It fails if the volume does not allow the
// cell.
func (d *Draft) checked(v voxel.Cell) bool {
	if err := d.view.vol.check(v); err != nil {
		d.fail(err)
	}
	d.highest = max(d.highest, v)
	return d.err == nil
}

func (d *Draft) keep(t *touched) {
	if t.kept {
		return
	}
	if len(d.touched) == maxTouched {
		d.fail(fmt.Errorf("grid: draft: it writes more than %d chunks", maxTouched))
	}
	d.touched = append(d.touched, t)
	t.kept = true
	if d.index == nil && len(d.touched) > fewTouched {
		d.index = make(map[geom.ChunkPos]*touched)
		for _, t := range d.touched {
			d.index[t.pos] = t
		}
	} else if d.index != nil {
		d.index[t.pos] = t
	}
}

// chunk returns the chunk without its open edit. For the default it makes a chunk.
func (d *Draft) chunk(t *touched) *voxel.Chunk {
	if t.now == nil {
		return d.view.vol.filler
	}
	return t.now
}

// publishAll publishes all open chunks.
func (d *Draft) publishAll() {
	for _, t := range d.opened {
		d.publish(t)
	}
	d.opened = d.opened[:0]
}

// publish ends the open edit of a chunk, if any. It makes a patched chunk if little
// was written.
func (d *Draft) publish(t *touched) {
	if t.edit == nil {
		return
	}
	before := t.now
	c, ok := t.edit.Patch()
	if !ok {
		c = t.edit.Publish(d.build())
	}
	t.now = d.view.vol.normal(c)
	t.differs = before == t.old && t.now != before
	t.edit = nil
}

func (d *Draft) build() *voxel.ChunkBuilder {
	if d.builder == nil {
		d.builder = new(voxel.ChunkBuilder)
	}
	return d.builder
}

// Cell returns the cell at p, and false after an error.
func (d *Draft) Cell(p geom.Point) (voxel.Cell, bool) {
	if !inRange(p) {
		d.fail(fmt.Errorf("grid: draft: %w", p.Check()))
	}
	t := d.loaded(p.Chunk())
	if t == nil {
		return voxel.Empty, false
	}
	q := p.InChunk()
	switch {
	case t.edit != nil:
		return t.edit.Cell(q.X, q.Y, q.Z), true
	case t.now == nil:
		return d.view.vol.def, true
	}
	return t.now.Cell(q.X, q.Y, q.Z), true
}

// Set writes one cell.
func (d *Draft) Set(p geom.Point, v voxel.Cell) {
	d.checked(v)
	if !inRange(p) {
		d.fail(fmt.Errorf("grid: draft: %w", p.Check()))
	}
	t := d.loaded(p.Chunk())
	if t == nil {
		return
	}
	q := p.InChunk()
	if t.edit == nil {
		if d.chunk(t).Cell(q.X, q.Y, q.Z) == v {
			return
		}
		d.open(t)
	}
	t.edit.Set(q.X, q.Y, q.Z, v)
}

// Chunk returns the chunk at pos with the writes so far. It returns nil and true if
// all cells are the default, and nil and false after an error.
func (d *Draft) Chunk(pos geom.ChunkPos) (c *voxel.Chunk, ok bool) {
	t := d.loaded(pos)
	if t == nil {
		return nil, false
	}
	d.publish(t)
	return t.now, true
}

// SetChunk replaces all cells of a chunk, which need not be loaded. nil means the
// default. The cells must be valid for the schema.
func (d *Draft) SetChunk(pos geom.ChunkPos, c *voxel.Chunk) {
	if c == NotLoaded {
		panic("grid: Draft.SetChunk: NotLoaded has no cells")
	}
	if t := d.at(pos); t != nil {
		d.keep(t)
		t.edit, t.now, t.differs, t.given = nil, d.view.vol.normal(c), false, true
	}
}

// Replaced is a chunk with changed cells.
type Replaced struct {
	Pos      geom.ChunkPos
	Old, New *voxel.Chunk // nil: all default
	// Unknown says that Old was not loaded. Old is nil then.
	Unknown bool
	// Given says that New was passed to the draft as a whole. Its cells were not
	// checked.
	Given bool
}

// Publish returns the View with the draft's writes and the chunks it replaced, in
// ascending order of codes. Replaced chunks are those with a changed cell and those
// that were not loaded. After an error Publish returns the original View. The draft
// continues from the returned View.
func (d *Edit) Publish() (*View, []Replaced) {
	if d.err != nil {
		return d.view, nil
	}
	d.publishAll()
	slices.SortFunc(d.touched, func(a, b *touched) int { return cmp.Compare(a.code, b.code) })
	changes := make([]change, 0, len(d.touched))
	replaced := make([]Replaced, 0, len(d.touched))
	for _, t := range d.touched {
		if !t.differs && same(t.old, t.now) {
			continue
		}
		r := Replaced{Pos: t.pos, Old: t.old, New: t.now, Unknown: t.old == NotLoaded, Given: t.given}
		if r.Unknown {
			r.Old = nil
		}
		changes, replaced = append(changes, change{t.code, t.now}), append(replaced, r)
	}
	d.view = d.view.next(changes)
	d.touched, d.index, d.last = nil, nil, nil
	return d.view, replaced
}

// same reports whether two chunks of the map have the same cells.
func same(a, b *voxel.Chunk) bool {
	return a == b || a != nil && b != nil && a != NotLoaded && a.Equal(b)
}

// room returns memory for n cells until the next call.
func (d *Draft) room(n int) []voxel.Cell {
	if cap(d.scratch) < n {
		d.scratch = make([]voxel.Cell, voxel.ChunkCells)
	}
	return d.scratch[:n]
}
