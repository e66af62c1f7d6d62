package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// Tx is a world being changed: it reads as a View with its own writes in it.
// It belongs to the goroutine of its function and dies with that. The first
// error stays and makes Update fail with it.
type Tx struct {
	s     *state // its own, with the dimensions and names made so far
	base  *state // that s is made from
	dims  map[int]*DimensionTx
	dirty *dirty
	files bool // s has files of its own
	exact bool // nothing follows from blocks: columns come as they are to be
	// relights says that unlit is to be filled: what was changed and has no light of
	// its own, by dimension.
	relights bool
	unlit    map[string]*unlit
	err      error
}

func (tx *Tx) fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// AddDimension makes a dimension with volumes; of one that exists, the volumes
// that it lacks: those that it has must be as they are here. names are those of
// cells, by volume, the empty cell's first; a volume of a palette without any
// begins with "air". Names of volumes that are there are passed over.
func (tx *Tx) AddDimension(name string, volumes []voxel.Volume, names map[string][]string) *DimensionTx {
	i := tx.s.dimension(name)
	if i < 0 {
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
	switch {
	case v.Name == Columns:
		tx.fail(fmt.Errorf("world: volume %q: Load takes the name for columns", v.Name))
	case v.Schema == voxel.Palette && !made.names.unique():
		tx.fail(fmt.Errorf("world: volume %q: two cells of one name: %q", v.Name, list))
	case !v.Schema.Valid(v.Default, len(list)):
		tx.fail(fmt.Errorf("world: volume %q: default %d is no cell of its %d", v.Name, v.Default, len(list)))
	default:
		made.cells = grid.New(made.options(nil))
		d.volumes = append(d.volumes, made)
		tx.dirty.all = true
	}
}

// is reports whether the volume is what another would be made as, with that list of
// names: the same default may be another cell here.
func (v *volume) is(other voxel.Volume, list []string) bool {
	if v.Schema == voxel.Palette && int(other.Default) < len(list) {
		c, ok := v.names.index[list[other.Default]]
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
	if tx.dims[i] == nil {
		tx.dims[i] = &DimensionTx{tx: tx, d: tx.s.editDimension(i), volumes: make(map[int]*VolumeTx), columns: make(map[geom.ColumnPos]*voxel.Column)}
	}
	return tx.dims[i]
}

// SetProperty notes a fact about the world; an empty value takes it away.
func (tx *Tx) SetProperty(key, value string) {
	props := slices.Clone(tx.s.properties)
	i, ok := slices.BinarySearchFunc(props, key, func(p stone.Property, key string) int { return strings.Compare(p.Key, key) })
	switch {
	case value == "" && ok:
		props = slices.Delete(props, i, i+1)
	case value == "" || ok && props[i].Value == value:
		return
	case ok:
		props[i].Value = value
	default:
		props = slices.Insert(props, i, stone.Property{Key: key, Value: value})
	}
	tx.s.properties = props
	tx.dirty.all = true
}

// SetFile keeps a file with the world; nil data takes it away. Tx keeps data.
func (tx *Tx) SetFile(path string, data []byte) {
	if _, there := slices.BinarySearchFunc(tx.s.files, path, comparePaths); !there && data == nil {
		return
	}
	if !tx.files {
		tx.s.files, tx.files = slices.Clone(tx.s.files), true
	}
	if data == nil {
		tx.s.setFile(path, fileRef{}, false)
	} else {
		tx.s.setFile(path, fileRef{File: stone.File{Path: path, Size: int64(len(data))}, data: data}, true)
	}
	tx.dirty.file(path)
}

// DimensionTx is a dimension of a Tx.
type DimensionTx struct {
	tx      *Tx
	d       *dimension // the Tx's own
	volumes map[int]*VolumeTx
	columns map[geom.ColumnPos]*voxel.Column // written; nil: taken away
	lit     bool
}

// Lit says that the update writes the light of the blocks that it changes too: it
// is not stale.
func (d *DimensionTx) Lit() { d.lit = true }

// Volume returns a volume to be read and changed, or nil.
func (d *DimensionTx) Volume(name string) *VolumeTx {
	i := d.d.volume(name)
	if i < 0 {
		return nil
	}
	if d.volumes[i] == nil {
		v := *d.d.volumes[i]
		d.d.volumes[i] = &v
		d.volumes[i] = &VolumeTx{Volume: v.Volume, Draft: v.cells.Edit(), tx: d.tx, v: &v}
	}
	return d.volumes[i]
}

// VolumeTx is a volume of a Tx: its cells are read and written as those of a
// grid's Draft are. Its Publish must not be called.
type VolumeTx struct {
	voxel.Volume
	*grid.Draft
	tx *Tx
	v  *volume
}

// Named returns the cell of a name, which the volume has from now on.
func (v *VolumeTx) Named(name string) voxel.Cell {
	if v.Schema != voxel.Palette {
		v.tx.fail(fmt.Errorf("world: volume %q: name %q: its cells are no palette", v.Name, name))
		return voxel.Empty
	}
	more, c, err := v.v.names.add(name)
	if err != nil {
		v.tx.fail(fmt.Errorf("volume %q: %w", v.Name, err))
		return voxel.Empty
	}
	if more != v.v.names {
		v.v.names = more
	}
	return c
}

// Names returns what the cells of the volume index. They must not be changed.
func (v *VolumeTx) Names() []string { return v.v.names.list }

// Column returns the column at pos as it is so far: nil if there is none. It
// must not be changed.
func (d *DimensionTx) Column(pos geom.ColumnPos) *voxel.Column {
	if c, ok := d.columns[pos]; ok {
		return c
	}
	c := d.d.columns.at(pos)
	if c == unloaded {
		d.tx.fail(fmt.Errorf("world: column %v of %q: %w", pos, d.d.name, ErrNotLoaded))
		return nil
	}
	return c
}

// SetColumn writes a column with all its lists, which need not be loaded. Tx
// keeps what c points at.
func (d *DimensionTx) SetColumn(c voxel.Column) {
	c.Lists = slices.Clone(c.Lists)
	slices.SortFunc(c.Lists, func(a, b voxel.List) int { return strings.Compare(a.Name, b.Name) })
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

// RemoveColumn takes a column with its lists away; its cells stay.
func (d *DimensionTx) RemoveColumn(pos geom.ColumnPos) {
	if d.columns[pos] != nil || d.d.columns.at(pos) != nil {
		d.put(pos, nil, parts{column: true})
	}
}

func (d *DimensionTx) put(pos geom.ColumnPos, c *voxel.Column, p parts) {
	if c != nil {
		if err := stone.CheckColumn(c); err != nil {
			d.tx.fail(fmt.Errorf("world: column %v of %q: %w", pos, d.d.name, err))
			return
		}
	}
	if len(d.d.lists) > maxLists {
		d.tx.fail(fmt.Errorf("world: dimension %q: %d lists, at most %d", d.d.name, len(d.d.lists), maxLists))
		return
	}
	d.columns[pos] = c
	d.tx.dirty.column(d.d.name, pos, p)
}

// Objects returns a list of the column at pos. It must not be changed.
func (d *DimensionTx) Objects(list string, pos geom.ColumnPos) []voxel.Object {
	return objectsOf(d.Column(pos), list)
}

// SetObjects writes a list of the column at pos, which is made if there is
// none; an empty one takes the list away. Tx keeps objects. An object's place
// decides in which box it is found, not in which column it lives.
func (d *DimensionTx) SetObjects(list string, pos geom.ColumnPos, objects []voxel.Object) {
	c := d.Column(pos)
	if d.tx.err != nil {
		return
	}
	if c == nil {
		if len(objects) > 0 {
			d.SetColumn(voxel.Column{Pos: pos, Lists: []voxel.List{{Name: list, Objects: objects}}})
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

// Add puts an object at the end of a list of the column that it lies in.
func (d *DimensionTx) Add(list string, o voxel.Object) {
	if err := o.At.Check(); err != nil {
		d.tx.fail(fmt.Errorf("world: list %q of %q: %w", list, d.d.name, err))
		return
	}
	pos := columnOf(o.At)
	d.SetObjects(list, pos, append(slices.Clip(d.Objects(list, pos)), o))
}
