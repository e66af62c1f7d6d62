package maptemplate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// chunkBytes is what a chunk counts for in memory. It bounds the time too.
const chunkBytes = 16 << 10

// maxCells bounds the box of a file that has few chunks.
const maxCells = 1 << 27

// reader reads a map template.
type reader struct {
	doc      *document.Document
	names    *format.Names
	palette  *block.Palette
	draft    *grid.Edit
	c        *clip.Clip
	found    bool
	chunks   int
	bounds   geom.Box
	bounded  bool
	filled   geom.Box            // all blocks that are not air
	places   map[geom.Point]bool // least corners of chunks, and whether one is all air and has no entities
	rest     []document.Field
	tiles    [][]byte
	entities []voxel.Object
}

// Read reads a map template. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(src io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	r := &reader{doc: document.NewDocument(src, size, document.Most(o.MaxBytes, size)), names: format.NewNames(), places: map[geom.Point]bool{}, c: clip.Air(geom.Point{})}
	r.palette, r.draft = block.NewPalette(r.names), grid.New(grid.Options{Schema: voxel.Palette}).Edit()
	if err := r.doc.Walk(r.entry); err != nil {
		return nil, err
	}
	box, err := r.box()
	if err != nil {
		return nil, err
	}
	c, low := r.c, box.Min
	c.Format, c.FormatVersion, c.Size, c.Offset, c.Notes = formatName, max(c.FormatVersion, beside), box.Size(), low, r.doc.Notes()
	if r.bounded && box != r.bounds {
		c.Inner = r.bounds.Add(geom.Point{}.Sub(low))
		c.Notes = append(c.Notes, fmt.Sprintf("blocks outside of the bounds %v to %v", r.bounds.Min, r.bounds.Max))
	}
	c.Block.View, _ = r.draft.Publish()
	if err := r.draft.Err(); err != nil {
		return nil, err
	}
	c.Block.Names, c.Block.At = r.names.List(), low
	if err := c.AddObjects(voxel.BlockEntities, r.tiles, func(fields []document.Field) (voxel.Object, error) {
		p := document.Point(fields, document.Axes)
		if p != nil {
			*p = p.Sub(low)
		}
		return clip.BlockEntity(nil, p, fields)
	}); err != nil {
		return nil, err
	}
	for i, o := range r.entities {
		r.entities[i] = clip.Move(o, geom.Point{}.Sub(low))
	}
	if len(r.entities) > 0 {
		c.Lists = append(c.Lists, voxel.List{Name: voxel.Entities, Objects: r.entities})
	}
	if b := r.empty(); len(b) > 4 {
		r.rest = append(r.rest, document.Field{Type: nbt.IntArray, Name: tagEmpty, Payload: b})
	}
	c.Tags = document.Tags(r.rest)
	return c, nil
}

// empty returns the payload of the note tagEmpty.
func (r *reader) empty() []byte {
	var all []geom.Point
	for p, empty := range r.places {
		if empty {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, compare)
	var places []int32
	for _, p := range all {
		places = append(places, int32(p.X/edge), int32(p.Y/edge), int32(p.Z/edge))
	}
	return nbt.AppendIntArray(nil, "", places)[3:]
}

func compare(a, b geom.Point) int {
	return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z))
}

// box returns the box of the clip: the bounds, and all blocks.
func (r *reader) box() (geom.Box, error) {
	if !r.found {
		return geom.Box{}, document.Corrupt(tagChunks, errors.New("missing: not a map template"))
	}
	box := r.bounds
	if box.Empty() || !r.filled.Empty() {
		box = box.Union(r.filled)
	}
	s := box.Size()
	if max(s.X, s.Y, s.Z) > clip.MaxEdge || s.X*s.Y*s.Z > maxCells && s.X*s.Y*s.Z/64 > r.chunks*sectionCells {
		return box, document.Corrupt(tagBounds, fmt.Errorf("a box of %d x %d x %d for %d chunks", s.X, s.Y, s.Z, r.chunks))
	}
	return box, nil
}

// entry reads an entry of the root.
func (r *reader) entry(s *nbt.Stream, t nbt.Type, name string) (err error) {
	switch {
	case name == tagVersion && t == nbt.Int:
		r.c.Version = document.Int(s)
		return s.Err()
	case name == tagTiles && t == nbt.List:
		return r.doc.KeepList(s, name, &r.tiles)
	case (name == tagChunks || name == tagTiles) && (t != nbt.List || r.found), name == tagBounds && (t != nbt.Compound || r.bounded):
		return document.Corrupt(name, fmt.Errorf("a second one, or one of type %v", t))
	case name == tagBounds:
		return r.readBounds(s.Raw(t))
	case name != tagChunks:
		return r.doc.KeepField(s, t, name, &r.rest)
	}
	elem, n := s.List()
	if r.found, r.chunks = true, n; n > 0 && elem != nbt.Compound {
		return document.Corrupt(name, fmt.Errorf("a list of type %v", elem))
	}
	for i := 0; i < n && s.Err() == nil; i++ {
		raw := s.Raw(elem)
		if s.Err() != nil {
			break
		}
		if err := r.chunk(raw); err != nil {
			return document.Corrupt(fmt.Sprintf("%s[%d]", name, i), err)
		}
	}
	return s.Err()
}

// readBounds reads the corners of the map, which both belong to it.
func (r *reader) readBounds(raw []byte) error {
	fields, err := document.Fields(raw)
	var v [2]geom.Point
	for i, name := range [...]string{tagMin, tagMax} {
		k := slices.IndexFunc(fields, func(f document.Field) bool { return f.Name == name })
		if k < 0 || err != nil {
			return document.Corrupt(tagBounds, errors.Join(err, fmt.Errorf("no %s", name)))
		}
		var ok bool
		if v[i], ok = document.Ints(fields[k].Type, fields[k].Payload); !ok {
			return document.Corrupt(tagBounds, fmt.Errorf("%s is not three ints", name))
		}
	}
	for _, f := range document.Without(fields, tagMin, tagMax) {
		r.c.Lost["tag "+f.Name+" of bounds"]++
	}
	r.bounded, r.bounds = true, geom.Box{Min: v[0], Max: v[1].Add(geom.Point{X: 1, Y: 1, Z: 1})}
	if d := r.bounds.Max.Sub(r.bounds.Min); min(d.X, d.Y, d.Z) < 0 {
		return document.Corrupt(tagBounds, fmt.Errorf("from %v to %v", v[0], v[1]))
	}
	return nil
}

// chunk reads a chunk: 16x16x16 blocks and their entities.
func (r *reader) chunk(raw []byte) error {
	fields, err := document.Fields(raw)
	if err != nil {
		return err
	}
	var pos geom.Point
	placed := false
	palette, longs := []byte(nil), []byte(nil)
	for _, f := range fields {
		switch {
		case f.Name == tagPos && !placed:
			pos, placed = document.Ints(f.Type, f.Payload)
		case f.Name == tagPalette && f.Type == nbt.List:
			palette = f.Payload
		case f.Name == tagStates && f.Type == nbt.LongArray:
			longs = f.Payload
		case f.Name == tagStates && f.Type == nbt.Compound:
			inner, err := document.Fields(f.Payload)
			if err != nil {
				return err
			}
			r.c.FormatVersion = with
			palette, longs = document.Find(inner, tagPalette, nbt.List), document.Find(inner, tagData, nbt.LongArray)
		case f.Name == tagEntities && f.Type == nbt.List:
		default:
			r.c.Lost["tag "+f.Name+" of chunks"]++
		}
	}
	low := geom.Point{X: pos.X * edge, Y: pos.Y * edge, Z: pos.Z * edge}
	if err := low.Check(); err != nil || !placed {
		return errors.Join(err, fmt.Errorf("no place, or %v", pos))
	}
	if err := r.cells(low, palette, longs); err != nil {
		return err
	}
	list := nbt.NewPayload(document.Find(fields, tagEntities, nbt.List), nbt.Limits{Bytes: len(raw) + 1})
	if document.Find(fields, tagEntities, nbt.List) == nil {
		return nil
	}
	elem, n := list.List()
	r.places[low] = r.places[low] && n <= 0
	for ; n > 0; n-- {
		raw := list.Raw(elem)
		fields, err := document.Fields(raw)
		if err != nil || elem != nbt.Compound {
			return errors.Join(err, fmt.Errorf("an entity of type %v", elem))
		}
		o, err := clip.Entity(nil, document.Doubles(document.Find(fields, "Pos", nbt.List)), fields)
		if err != nil {
			return err
		}
		r.entities = append(r.entities, clip.Move(o, low))
		if err := r.doc.Limit().Take(int64(len(raw)) + 128); err != nil {
			return err
		}
	}
	return nil
}

// cells reads the blocks of a chunk.
func (r *reader) cells(low geom.Point, palette, longs []byte) error {
	if palette == nil {
		return errors.New("no palette")
	}
	list := nbt.NewPayload(palette, nbt.Limits{Bytes: len(palette) + 1})
	elem, n := list.List()
	var table []voxel.Cell
	for range n {
		if elem != nbt.Compound || n > sectionCells {
			return fmt.Errorf("a palette of %d of type %v", n, elem)
		}
		cell, has, err := r.palette.Cell(list.Raw(elem))
		if err != nil {
			return err
		}
		if has == block.EmptyProperties {
			r.c.Lost["empty tags Properties"]++
		}
		table = append(table, cell)
	}
	var cells [sectionCells]voxel.Cell
	switch {
	case longs == nil && len(table) == 1:
		for i := range cells {
			cells[i] = table[0]
		}
	case longs == nil:
		return fmt.Errorf("no cells for %d states", len(table))
	default:
		if err := block.UnpackLongs(longs[4:], block.Bits(max(len(table), 1), 4), false, table, cells[:]); err != nil {
			return err
		}
	}
	all := geom.Box{Min: low, Max: low.Add(geom.Point{X: edge, Y: edge, Z: edge})}
	least, most := geom.Point{X: edge, Y: edge, Z: edge}, geom.Point{X: -1, Y: -1, Z: -1}
	for i, cell := range cells {
		if cell != 0 {
			x, y, z := i%edge, i/(edge*edge), i/edge%edge
			least = geom.Point{X: min(least.X, x), Y: min(least.Y, y), Z: min(least.Z, z)}
			most = geom.Point{X: max(most.X, x), Y: max(most.Y, y), Z: max(most.Z, z)}
		}
	}
	if most.X >= 0 {
		r.filled = r.filled.Union(geom.Box{Min: low.Add(least), Max: low.Add(most).Add(geom.Point{X: 1, Y: 1, Z: 1})})
	}
	if _, twice := r.places[low]; twice {
		r.c.Lost["chunks that come twice"]++
	}
	r.places[low] = most.X < 0
	if least == (geom.Point{}) && !slices.ContainsFunc(cells[:], func(v voxel.Cell) bool { return v != cells[0] }) {
		r.draft.Fill(all, cells[0])
	} else if most.X >= 0 {
		r.draft.WriteBox(all, cells[:])
	}
	return errors.Join(r.draft.Err(), r.doc.Limit().Take(chunkBytes))
}
