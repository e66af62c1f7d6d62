package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Tx is a world being changed: it reads as a View with its own writes in it. It
// belongs to the goroutine of the function that Update calls, and must not be used
// after that function has returned. The first error stays and makes Update fail.
type Tx struct {
	s        *state         // its own, with the dimensions and names made so far
	base     *state         // that s is made from
	dims     []*DimensionTx // by dimension; nil: not looked at
	dirty    *dirty
	was      map[volumeName]map[geom.ChunkPos]*voxel.Chunk // chunks that Replace read and that are not in memory
	kept     int                                           // bytes of was
	props    map[string]string                             // properties that were set; "": removed
	files    map[string][]byte                             // files that were set; nil: removed
	exact    bool                                          // nothing follows from blocks: columns come as they are to be
	relights bool                                          // left is to be filled
	relit    bool                                          // it writes light that was computed beside updates
	left     map[string]*relight.Left                      // blocks that changed without their light, by dimension; nil: none
	absent   []absent                                      // columns, and chunks that height maps follow from
	ctx      context.Context                               // see EndWith
	err      error
}

func (tx *Tx) fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// AddDimension makes a dimension with volumes. In a dimension that exists it makes the
// volumes that are missing; those that exist must be equal to what is given here. names
// has by volume the names of cells, that of the empty cell first. A palette volume
// without names begins with "air". Names for a volume that exists are ignored.
func (tx *Tx) AddDimension(name string, volumes []voxel.Volume, names map[string][]string) *DimensionTx {
	i := tx.s.dimension(name)
	if i < 0 {
		if err := voxel.CheckName(name); err != nil {
			tx.fail(fmt.Errorf("world: dimension: %w", err))
		}
		i = len(tx.s.dimensions)
		tx.s.dimensions = append(tx.s.dimensions, &dimension{name: name, columns: &columns{}})
		tx.dirty.all = true
	}
	d := tx.at(i)
	for _, v := range volumes {
		switch i := d.d.volume(v.Name); {
		case i < 0:
			tx.addVolume(d.d, v, names[v.Name])
		case !d.d.volumes[i].is(v, names[v.Name]):
			tx.fail(fmt.Errorf("world: volume %q of %q is %+v: not %+v", v.Name, name, d.d.volumes[i].Volume, v))
		}
	}
	return d
}

func (tx *Tx) addVolume(d *dimension, v voxel.Volume, list []string) {
	if v.Schema == voxel.Palette && len(list) == 0 {
		list = []string{"air"}
	}
	made := &volume{Volume: v, names: newNames(slices.Clone(list))}
	if err := made.check(list); err != nil {
		tx.fail(fmt.Errorf("world: volume %.40q: %w", v.Name, err))
		// The update fails, and what it does with the volume until then does nothing.
		made = &volume{Volume: voxel.Volume{Name: v.Name, Scale: 1}, names: newNames([]string{"air"})}
	}
	made.cells = grid.New(made.options(nil))
	d.volumes = append(d.volumes, made)
	tx.dirty.all = true
}

// check returns an error if no volume can be made as v, with that list of names.
func (v *volume) check(list []string) error {
	switch {
	case v.Name == Columns:
		return errors.New("Load takes the name for columns")
	case v.Schema == voxel.Palette && len(v.names.index) < len(list):
		return fmt.Errorf("two cells of one name: %q", list)
	case !v.Schema.Valid(v.Default, len(list)):
		return fmt.Errorf("default %d is no cell of its %d", v.Default, len(list))
	}
	return voxel.CheckName(v.Name)
}

// is reports whether the volume is what another would be made as, with that list of
// names: the same default may be another cell here.
func (v *volume) is(other voxel.Volume, list []string) bool {
	if v.Schema == voxel.Palette && int(other.Default) < len(list) {
		c, ok := v.names.cell(list[other.Default])
		if !ok {
			return false
		}
		other.Default = c
	}
	return v.Volume == other
}

// Dimension returns a dimension to be read and changed, or nil.
func (tx *Tx) Dimension(name string) *DimensionTx {
	i := tx.s.dimension(name)
	if i < 0 {
		return nil
	}
	return tx.at(i)
}

func (tx *Tx) at(i int) *DimensionTx {
	if i >= len(tx.dims) {
		tx.dims = append(tx.dims, make([]*DimensionTx, len(tx.s.dimensions)-len(tx.dims))...)
	}
	if tx.dims[i] == nil {
		tx.dims[i] = &DimensionTx{tx: tx, d: tx.s.editDimension(i)}
	}
	return tx.dims[i]
}

// SetProperty sets a property of the world; an empty value removes it.
func (tx *Tx) SetProperty(key, value string) {
	had, ok := tx.props[key]
	if !ok {
		had = (&View{tx.s}).Property(key)
	}
	if had == value {
		return
	}
	if err := voxel.CheckName(key); err != nil {
		tx.fail(fmt.Errorf("world: property: %w", err))
		return
	}
	if tx.props == nil {
		tx.props = make(map[string]string)
	}
	tx.props[key] = value
	tx.dirty.all = true
}

// SetFile keeps a file with the world; nil data removes it. Tx keeps data: do not
// change it, also after the update.
func (tx *Tx) SetFile(path string, data []byte) {
	had, set := tx.files[path]
	_, there := slices.BinarySearchFunc(tx.s.files, path, comparePaths)
	if data == nil && (set && had == nil || !set && !there) {
		return
	}
	if tx.files == nil {
		tx.files = make(map[string][]byte)
	}
	tx.files[path] = data
	tx.dirty.file(path)
}

// settle gives the state the properties and files that were set.
func (tx *Tx) settle() {
	if len(tx.props) > 0 {
		props := slices.DeleteFunc(slices.Clone(tx.s.properties), func(p stone.Property) bool { _, set := tx.props[p.Key]; return set })
		for key, value := range tx.props {
			if value != "" {
				props = append(props, stone.Property{Key: key, Value: value})
			}
		}
		sort.Slice(props, func(i, j int) bool { return props[i].Key < props[j].Key })
		tx.s.properties = props
	}
	if len(tx.files) > 0 {
		files := slices.DeleteFunc(slices.Clone(tx.s.files), func(f fileRef) bool { _, set := tx.files[f.Path]; return set })
		for path, data := range tx.files {
			if data != nil {
				files = append(files, fileRef{File: stone.File{Path: path, Size: int64(len(data))}, data: data})
			}
		}
		sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
		tx.s.files = files
	}
}

// EndWith makes reads and writes of cells fail with ctx.Err() once ctx has ended, so that
// a write of many chunks ends with it.
func (tx *Tx) EndWith(ctx context.Context) { tx.ctx = ctx }

// DimensionTx is a dimension of a Tx. A nil one has no volume and no column; it cannot be written.
type DimensionTx struct {
	tx      *Tx
	d       *dimension                       // the Tx's own
	volumes []*VolumeTx                      // by volume; nil: not looked at
	columns map[geom.ColumnPos]*voxel.Column // written; nil: taken away
	added   map[homeOf][]voxel.Object        // lists that Add made, with room for more
	given   map[geom.Point]bool              // cells that SetBlock gave objects to
	lit     bool
	// anyHeight and oldColumns are what AnyHeight and OldColumns ask for.
	anyHeight, oldColumns bool
}

// homeOf names a list of a column.
type homeOf struct {
	list string
	pos  geom.ColumnPos
}

// Lit says that this update also writes the light that follows from the blocks that it
// changes. Without it that light is marked stale.
func (d *DimensionTx) Lit() { d.lit = true }

// Volume returns a volume to be read and changed, or nil.
func (d *DimensionTx) Volume(name string) *VolumeTx {
	if d == nil {
		return nil
	}
	i := d.d.volume(name)
	if i < 0 {
		return nil
	}
	if i >= len(d.volumes) {
		d.volumes = append(d.volumes, make([]*VolumeTx, len(d.d.volumes)-len(d.volumes))...)
	}
	if d.volumes[i] == nil {
		v := *d.d.volumes[i]
		d.d.volumes[i] = &v
		edit := v.cells.Edit()
		d.volumes[i] = &VolumeTx{Volume: v.Volume, Draft: &edit.Draft, edit: edit, tx: d.tx, v: &v, columns: d.d.columns}
	}
	d.volumes[i].edit.EndWith(d.tx.ctx)
	return d.volumes[i]
}

// VolumeTx is a volume of a Tx: it reads as it was, with the writes so far. What is
// not loaded can be neither read nor written in part, but whole chunks can be
// written. The first error stays and makes Update fail; from then on writes do nothing.
// A nil one has no cells to read; it cannot be written.
type VolumeTx struct {
	voxel.Volume
	*grid.Draft
	edit  *grid.Edit // of Draft
	tx    *Tx
	v     *volume
	names *names // of v, if they are the Tx's own

	columns *columns // of its dimension, before the update
}

// Cell returns the cell at p, and false after an error or if there is no volume.
func (v *VolumeTx) Cell(p geom.Point) (voxel.Cell, bool) {
	if v == nil {
		return voxel.Empty, false
	}
	return v.Draft.Cell(p)
}

// ReadBox is grid.Draft.ReadBox. It returns false if there is no volume.
func (v *VolumeTx) ReadBox(b geom.Box, dst []voxel.Cell) bool {
	return v != nil && v.Draft.ReadBox(b, dst)
}

// Chunk is grid.Draft.Chunk. It returns false if there is no volume.
func (v *VolumeTx) Chunk(pos geom.ChunkPos) (c *voxel.Chunk, ok bool) {
	if v == nil {
		return nil, false
	}
	return v.Draft.Chunk(pos)
}

// Fail makes Update fail with an error.
func (v *VolumeTx) Fail(err error) { v.tx.fail(err) }

// Err returns the first error of the volume, for a long Update that wants to end
// early.
func (v *VolumeTx) Err() error { return notLoaded(v.Draft.Err()) }

// Named returns the cell of a name. A name that is new gets a cell, but for what games call air:
// where the empty cell is "air", it is that.
func (v *VolumeTx) Named(name string) voxel.Cell {
	if v.Schema != voxel.Palette {
		v.tx.fail(fmt.Errorf("world: volume %q: name %q: its cells are no palette", v.Name, name))
		return voxel.Empty
	}
	if c, ok := v.v.names.cell(name); ok || v.tx.err != nil {
		return c
	}
	if v.names != v.v.names {
		v.names = v.v.names.clone()
		v.v.names = v.names
	}
	c, err := v.names.add(name)
	if err != nil {
		v.tx.fail(fmt.Errorf("world: volume %q: %w", v.Name, err))
	}
	return c
}

// Names returns the names of cells, by cell. They must not be changed.
func (v *VolumeTx) Names() []string {
	if v == nil {
		return nil
	}
	return v.v.names.list
}

// Column returns the column at pos as it is so far: nil if there is none. It
// must not be changed.
func (d *DimensionTx) Column(pos geom.ColumnPos) *voxel.Column {
	if d == nil {
		return nil
	}
	if c, ok := d.columns[pos]; ok {
		return c
	}
	c := d.d.columns.at(pos)
	if c == unloaded {
		d.tx.absent = append(d.tx.absent, absent{d.d.name, Columns, squareBox(pos)})
		d.tx.fail(fmt.Errorf("world: column %v of %q: %w", pos, d.d.name, ErrNotLoaded))
		return nil
	}
	return c
}

// SetColumn writes a column with all its lists. The column that was there need not be
// loaded. Tx keeps what c points at: do not change it, also after the update.
func (d *DimensionTx) SetColumn(c voxel.Column) {
	if d.tx.err != nil {
		return
	}
	c.Lists = slices.Clone(c.Lists)
	sort.Slice(c.Lists, func(i, j int) bool { return c.Lists[i].Name < c.Lists[j].Name })
	c.Lists = withObjects(c.Lists)
	p := parts{column: true, lists: make(map[string]bool)}
	for _, l := range c.Lists {
		d.d.lists = addList(d.d.lists, l.Name)
	}
	for _, name := range d.d.lists {
		p.lists[name] = true
	}
	d.put(c.Pos, &c, p)
}

// maxLists is how many lists of objects a dimension of a stone may have.
const maxLists = 256

// RemoveColumn removes a column with its lists. Cells stay as they are.
func (d *DimensionTx) RemoveColumn(pos geom.ColumnPos) {
	if d.columns[pos] != nil || d.d.columns.at(pos) != nil {
		d.put(pos, nil, parts{column: true})
	}
}

func (d *DimensionTx) put(pos geom.ColumnPos, c *voxel.Column, p parts) {
	if d.tx.err != nil {
		return
	}
	if len(d.d.lists) > maxLists {
		d.tx.fail(fmt.Errorf("world: dimension %q: %d lists, at most %d", d.d.name, len(d.d.lists), maxLists))
		return
	}
	if d.columns == nil {
		d.columns = make(map[geom.ColumnPos]*voxel.Column)
	}
	d.columns[pos] = c
	d.tx.dirty.column(d.d.name, pos, p)
}

// Objects returns a list of the column at pos. It must not be changed.
func (d *DimensionTx) Objects(list string, pos geom.ColumnPos) []voxel.Object {
	return d.Column(pos).Objects(list)
}

// SetObjects writes a list of the column at pos, and makes the column if there is none, of the data
// version of others.
// An empty list is removed. Tx keeps objects and their payloads: do not change them, also after the update. The position of an
// object decides which boxes it is found in, and not which column it belongs to.
func (d *DimensionTx) SetObjects(list string, pos geom.ColumnPos, objects []voxel.Object) {
	c := d.Column(pos)
	if d.tx.err != nil {
		return
	}
	if c == nil {
		if len(objects) > 0 {
			made := voxel.Column{Pos: pos, Lists: []voxel.List{{Name: list, Objects: objects}}}
			if model := d.d.columns.model(pos); model != nil {
				if _, _, ok := model.Heights(d.d.name); ok {
					made.Version = model.Version
				}
			}
			d.SetColumn(made)
		}
		return
	}
	edited := *c
	i, ok := slices.BinarySearchFunc(c.Lists, list, compareLists)
	switch {
	case ok && len(objects) == 0:
		edited.Lists = withObjects(slices.Delete(slices.Clone(c.Lists), i, i+1))
	case ok:
		edited.Lists = slices.Clone(c.Lists)
		edited.Lists[i].Objects = objects
	case len(objects) > 0:
		edited.Lists = slices.Insert(slices.Clone(c.Lists), i, voxel.List{Name: list, Objects: objects})
	}
	d.d.lists = addList(d.d.lists, list)
	d.put(pos, &edited, parts{lists: map[string]bool{list: true}})
}

// SetBlock writes a block by its name into the volume voxel.Block, with what it owns: objects of
// voxel.BlockEntities, such as a chest's content, which come to its cell. What the cell had of these goes.
func (d *DimensionTx) SetBlock(p geom.Point, name string, owned ...voxel.Object) {
	v := d.Volume(voxel.Block)
	if v == nil {
		d.tx.fail(fmt.Errorf("world: dimension %q: no volume %q", d.d.name, voxel.Block))
		return
	}
	v.Set(p, v.Named(name))
	pos := p.Column()
	was := d.Objects(voxel.BlockEntities, pos)
	now := slices.DeleteFunc(slices.Clone(was), func(o voxel.Object) bool { return o.Place != voxel.Nowhere && o.At == p })
	if len(owned) > 0 && d.given == nil {
		d.given = make(map[geom.Point]bool)
	}
	for _, o := range owned {
		d.given[p] = true
		if o.Place != voxel.Indexed || o.At != p {
			o.At, o.Place = p, voxel.Moved
		}
		now = append(now, o)
	}
	if len(now) != len(was) || len(owned) > 0 {
		d.SetObjects(voxel.BlockEntities, pos, now)
	}
}

// Add appends an object to a list of the column that it lies in, and keeps its payload: do not change that. An
// object that a block owns takes the place of those at its cell.
func (d *DimensionTx) Add(list string, o voxel.Object) {
	if err := o.At.Check(); err != nil {
		d.tx.fail(fmt.Errorf("world: list %q of %q: %w", list, d.d.name, err))
		return
	}
	at := homeOf{list, o.At.Column()}
	objects := d.Objects(list, at.pos)
	same := func(other voxel.Object) bool { return other.Place != voxel.Nowhere && other.At == o.At }
	if voxel.Owner(list) != "" && o.Place != voxel.Nowhere && slices.ContainsFunc(objects, same) {
		objects = slices.DeleteFunc(slices.Clone(objects), same)
	}
	if own := d.added[at]; len(own) == 0 || len(own) != len(objects) || &own[0] != &objects[0] {
		objects = slices.Grow(slices.Clone(objects), 2*len(objects)+1)
	}
	objects = append(objects, o)
	if d.added == nil {
		d.added = make(map[homeOf][]voxel.Object)
	}
	d.added[at] = objects
	d.SetObjects(list, at.pos, objects)
}
