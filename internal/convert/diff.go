package convert

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Difference says how two worlds differ. Cells of a volume with names are compared by name,
// others by number.
type Difference struct {
	Cells      int            `json:"cells"`
	Volumes    map[string]int `json:"volumes"` // cells by volume
	Objects    int            `json:"objects"` // each object that differs counts
	Columns    int            `json:"columns"`
	Properties int            `json:"properties"` // of the world, its dimensions and its volumes; the folder of a dimension does not count
	Files      int            `json:"files"`
	First      []string       `json:"first"` // the first few differences as text, some of each kind and volume
	// Blocks counts the cells that differ of the volumes "block" and "solid" by name, those that differ most first, at most
	// 1,000 names. A cell of a Terrain volume counts if its material differs.
	Blocks []BlockCount `json:"blocks"`
}

// BlockCount says how many cells of a name the second world has where the first has another
// (Added), and the other way round (Removed). Air counts too.
type BlockCount struct {
	Name    string `json:"name"`
	Shown   string `json:"shown,omitempty"` // the name as people are shown it, if that is another
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Same reports whether nothing differs.
func (d *Difference) Same() bool {
	return d.Cells+d.Objects+d.Columns+d.Properties+d.Files == 0
}

// Diff is DiffContent of two worlds in memory.
func Diff(a, b *Loaded, equal func(kind string, a, b []byte) bool) (*Difference, error) {
	return DiffContent(context.Background(), a.Content(), b.Content(), equal)
}

// DiffContent compares two worlds. It reads both in parts, side by side. It fails if something
// cannot be read, or if both worlds together have more names than a volume can hold. equal
// compares two payloads whose kind the caller knows: "part" for documents of parts, "tags" for
// payloads of sections and objects, "file" for files of at most MaxTags bytes. If equal is nil, bytes are compared.
func DiffContent(ctx context.Context, a, b stone.Content, equal func(kind string, a, b []byte) bool) (*Difference, error) {
	if equal == nil {
		equal = func(_ string, a, b []byte) bool { return bytes.Equal(a, b) }
	}
	d := newDiffer(ctx, a, b)
	d.equal = equal
	first, second := a.About(), b.About()
	d.properties(HeadOf(first.Properties), HeadOf(second.Properties))
	for _, pair := range pairs(pointers(first.Dimensions), pointers(second.Dimensions), func(d *stone.DimensionInfo) string { return d.Name }) {
		if err := d.dimension(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs(filesOf(a, first), filesOf(b, second), func(f format.File) string { return f.Path }) {
		if err := cmp.Or(d.file(pair[0], pair[1]), ctx.Err()); err != nil {
			return nil, err
		}
	}
	d.First = d.notes.first()
	d.Blocks = d.blocks.list()
	return &d.Difference, nil
}

// blockCounts counts by name.
type blockCounts map[string]*BlockCount

func (b blockCounts) of(name string) *BlockCount {
	if b[name] == nil {
		b[name] = &BlockCount{Name: name}
	}
	return b[name]
}

// list returns the counts, those that differ most first.
func (b blockCounts) list() []BlockCount {
	const most = 1000
	out := []BlockCount{}
	for _, c := range b {
		if c.Shown = block.Shown(c.Name); c.Shown == c.Name {
			c.Shown = ""
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(c, d BlockCount) int {
		return cmp.Or(cmp.Compare(d.Added+d.Removed, c.Added+c.Removed), cmp.Compare(c.Name, d.Name))
	})
	return out[:min(len(out), most)]
}

type differ struct {
	Difference
	notes  notes
	blocks blockCounts
	equal  func(kind string, a, b []byte) bool
	ctx    context.Context
	a, b   stone.Content
}

func newDiffer(ctx context.Context, a, b stone.Content) *differ {
	return &differ{Difference: Difference{Volumes: map[string]int{}}, blocks: blockCounts{}, ctx: ctx, a: a, b: b}
}

// pointers returns the addresses of the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// pairs joins two lists by key: the nth value of a key with the nth value of that key in the
// other list. The zero value stands for a missing one.
func pairs[T any, K cmp.Ordered](a, b []T, key func(T) K) [][2]T {
	type place struct {
		key K
		nth int
	}
	at := map[place]*[2]T{}
	for side, list := range [][]T{a, b} {
		nth := map[K]int{}
		for _, v := range list {
			p := place{key(v), nth[key(v)]}
			nth[p.key]++
			if at[p] == nil {
				at[p] = new([2]T)
			}
			at[p][side] = v
		}
	}
	order := func(p, q place) int { return cmp.Or(cmp.Compare(p.key, q.key), p.nth-q.nth) }
	joined := make([][2]T, 0, len(at))
	for _, p := range slices.SortedFunc(maps.Keys(at), order) {
		joined = append(joined, *at[p])
	}
	return joined
}

// properties compares the properties of the worlds. The format that a world came from does not
// count.
func (d *differ) properties(a, b format.Head) {
	keys := maps.Clone(a.Properties)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, b.Properties)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		va, ina := a.Properties[k]
		if vb, inb := b.Properties[k]; va != vb || ina != inb {
			d.property("property %q: %q, %q", k, va, vb)
		}
	}
}

func (d *differ) dimension(a, b *stone.DimensionInfo) error {
	if a == nil {
		a = &stone.DimensionInfo{Name: b.Name}
		d.property("%s: only in the second", b.Name)
	}
	if b == nil {
		b = &stone.DimensionInfo{Name: a.Name}
		d.property("%s: only in the first", a.Name)
	}
	var volumes []*volumePair
	d.notes.expect("property")
	for _, pair := range pairs(pointers(a.Volumes), pointers(b.Volumes), func(v *stone.VolumeInfo) string { return v.Volume.Name }) {
		v, err := d.volume(a.Name, pair[0], pair[1])
		if err != nil {
			return err
		}
		if v != nil {
			volumes = append(volumes, v)
			d.notes.expect(kindOf(v.a))
		}
	}
	d.notes.expect("object", "column")
	if err := d.squares(a.Name, volumes); err != nil {
		return err
	}
	for _, v := range volumes {
		v.countInto(d.blocks)
	}
	return nil
}

// chunkSquare returns the least column of the square that a chunk of a volume lies over.
func chunkSquare(pos geom.ChunkPos, scale int) geom.ColumnPos {
	return columnSquare(geom.ColumnPos{X: 2 * int32(scale) * pos.X, Z: 2 * int32(scale) * pos.Z})
}

// columnSquare returns the least column of a column's square.
func columnSquare(pos geom.ColumnPos) geom.ColumnPos {
	const mask = ^int32(1<<squareShift - 1)
	return geom.ColumnPos{X: pos.X & mask, Z: pos.Z & mask}
}

// squares compares the cells and the columns of a dimension square by square, in the order
// of columns. Light and height maps follow from the blocks around, which are in the page cache
// then.
func (d *differ) squares(dim string, volumes []*volumePair) error {
	columns := d.columns(dim)
	defer columns.stop()
	for {
		var square *geom.ColumnPos
		for _, v := range volumes {
			if len(v.left) == 0 {
				continue
			}
			if at := chunkSquare(v.left[0], v.a.Scale); square == nil || at.Compare(*square) < 0 {
				square = &at
			}
		}
		for _, v := range volumes {
			for square != nil && len(v.left) > 0 && chunkSquare(v.left[0], v.a.Scale) == *square {
				n := 1
				for n < min(len(v.left), chunksAtOnce) && chunkSquare(v.left[n], v.a.Scale) == *square {
					n++
				}
				err := d.chunks(dim, v, v.left[:n], func(pos geom.ChunkPos, a, b *voxel.Chunk) error {
					d.cells(dim, v, pos, a, b)
					return nil
				})
				if err != nil {
					return err
				}
				v.left = v.left[n:]
			}
		}
		if err := columns.compareUpto(square); err != nil || square == nil {
			return err
		}
	}
}

// columnPairs are the columns of a dimension that are not compared yet.
type columnPairs struct {
	d            *differ
	dim          string
	nextA, nextB func() (*voxel.Column, error, bool)
	stops        [2]func()
	a, b         *voxel.Column // the next of each; nil: none is left
	err          error
}

func (d *differ) columns(dim string) *columnPairs {
	p := &columnPairs{d: d, dim: dim}
	p.nextA, p.stops[0] = iter.Pull2(d.a.Columns(d.ctx, dim))
	p.nextB, p.stops[1] = iter.Pull2(d.b.Columns(d.ctx, dim))
	p.step(true, true)
	return p
}

func (p *columnPairs) stop() {
	p.stops[0]()
	p.stops[1]()
}

// step goes on to the next column of one side, or of both.
func (p *columnPairs) step(a, b bool) {
	var errA, errB error
	if a {
		p.a, errA, _ = p.nextA()
	}
	if b {
		p.b, errB, _ = p.nextB()
	}
	p.err = cmp.Or(p.err, errA, errB, p.d.ctx.Err())
}

// compareUpto compares the columns up to the end of a square; nil is the end of the
// dimension.
func (p *columnPairs) compareUpto(square *geom.ColumnPos) error {
	later := func(c *voxel.Column) bool {
		return c == nil || square != nil && columnSquare(c.Pos).Compare(*square) > 0
	}
	d, dim := p.d, p.dim
	for p.err == nil && !(later(p.a) && later(p.b)) {
		a, b := p.a, p.b
		order := 0
		switch {
		case a == nil:
			order = 1
		case b == nil:
			order = -1
		default:
			order = a.Pos.Compare(b.Pos)
		}
		switch {
		case order < 0:
			d.lone(dim, a.Pos, "first")
		case order > 0:
			d.lone(dim, b.Pos, "second")
		default:
			d.column(dim, a, b)
		}
		p.step(order <= 0, order >= 0)
	}
	return p.err
}

func (d *differ) property(format string, args ...any) {
	d.Properties++
	d.notes.add("property", format, args...)
}

func (d *differ) lone(dim string, pos geom.ColumnPos, side string) {
	d.Columns++
	d.notes.add("column", "%s: column %v only in the %s", dim, pos, side)
}

// volumePair is a volume of both worlds whose cells are to be compared.
type volumePair struct {
	a, b   *stone.VolumeInfo
	ta, tb []voxel.Cell // to cells of union
	union  []string
	left   []geom.ChunkPos // not compared yet: by square, then by code

	// How many cells that differ are of a number in each world, without the lower bits of
	// the number; nil if they are not counted.
	removed, added []int
	shift          uint8
}

// counted makes v count cells, of a terrain those of a material.
func (v *volumePair) counted() {
	if v.a.Schema == voxel.Terrain {
		v.shift = 8
	}
	v.removed, v.added = make([]int, int(voxel.MaxCell)>>v.shift+1), make([]int, int(voxel.MaxCell)>>v.shift+1)
}

// volume compares what describes a volume. If one side does not have it, its cells are the
// default there. It returns nil if the cells of both cannot be compared.
func (d *differ) volume(dim string, a, b *stone.VolumeInfo) (*volumePair, error) {
	if a == nil {
		a = &stone.VolumeInfo{Volume: b.Volume, Names: named(b)}
	}
	if b == nil {
		b = &stone.VolumeInfo{Volume: a.Volume, Names: named(a)}
	}
	ta, tb, union, err := unite(a, b)
	if err != nil {
		return nil, err
	}
	if a.Schema != b.Schema || a.Scale != b.Scale {
		d.property("%s: %s: %v of scale %d, %v of scale %d", dim, a.Volume.Name, a.Schema, a.Scale, b.Schema, b.Scale)
		return nil, nil
	}
	if !translated(nil, a, ta).Equal(translated(nil, b, tb)) {
		d.property("%s: %s: defaults differ", dim, a.Volume.Name)
	}
	if a.Schema != voxel.Palette && !slices.Equal(a.Names, b.Names) {
		d.property("%s: %s: names differ", dim, a.Volume.Name)
	}
	n := 0
	for range d.positions(dim, a.Volume.Name) {
		n++
	}
	v := &volumePair{a: a, b: b, ta: ta, tb: tb, union: union, left: slices.AppendSeq(make([]geom.ChunkPos, 0, n), d.positions(dim, a.Volume.Name))}
	if name := a.Volume.Name; name == "block" || name == "solid" {
		v.counted()
	}
	slices.SortStableFunc(v.left, func(p, q geom.ChunkPos) int { return chunkSquare(p, a.Scale).Compare(chunkSquare(q, a.Scale)) })
	return v, d.ctx.Err()
}

// chunks calls f with the chunks of a volume that differ.
func (d *differ) chunks(dim string, v *volumePair, at []geom.ChunkPos, f func(pos geom.ChunkPos, a, b *voxel.Chunk) error) error {
	have := [2]map[geom.ChunkPos]*voxel.Chunk{}
	for side, c := range []stone.Content{d.a, d.b} {
		have[side] = make(map[geom.ChunkPos]*voxel.Chunk, len(at))
		err := c.ReadChunks(d.ctx, dim, v.a.Volume.Name, 0, at, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			have[side][pos] = c
			return d.ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	for _, pos := range at {
		if ca, cb := translated(have[0][pos], v.a, v.ta), translated(have[1][pos], v.b, v.tb); !ca.Equal(cb) {
			if err := f(pos, ca, cb); err != nil {
				return err
			}
		}
	}
	return nil
}

// DifferingChunks calls f with those chunks of a volume that differ in two worlds, in the cells
// of the first world where it has their names; names are those of a palette's cells. A world that lacks the volume has its default
// everywhere. Cells of a volume that is not the same kind of volume in both are not compared.
func DifferingChunks(ctx context.Context, a, b stone.Content, dim, vol string, f func(pos geom.ChunkPos, a, b *voxel.Chunk, names []string) error) error {
	d := newDiffer(ctx, a, b)
	first, second := volumeIn(a, dim, vol), volumeIn(b, dim, vol)
	if first == nil && second == nil {
		return nil
	}
	v, err := d.volume(dim, first, second)
	if err != nil || v == nil {
		return err
	}
	for at := range slices.Chunk(v.left, chunksAtOnce) {
		err := d.chunks(dim, v, at, func(pos geom.ChunkPos, a, b *voxel.Chunk) error { return f(pos, a, b, v.union) })
		if err != nil {
			return err
		}
	}
	return nil
}

func volumeIn(c stone.Content, dim, vol string) *stone.VolumeInfo {
	for _, d := range c.About().Dimensions {
		for i := range d.Volumes {
			if d.Name == dim && d.Volumes[i].Volume.Name == vol {
				return &d.Volumes[i]
			}
		}
	}
	return nil
}

// chunksAtOnce is how many chunks of each world are compared at once.
const chunksAtOnce = 1024

// positions yields where a world has a chunk of a volume, in ascending order of code.
func (d *differ) positions(dim, vol string) iter.Seq[geom.ChunkPos] {
	return func(yield func(geom.ChunkPos) bool) {
		nextA, stopA := iter.Pull2(d.a.Entries(dim, vol, 0))
		defer stopA()
		nextB, stopB := iter.Pull2(d.b.Entries(dim, vol, 0))
		defer stopB()
		a, holdsA, moreA := nextA()
		b, holdsB, moreB := nextB()
		for moreA || moreB {
			order := 0
			switch {
			case !moreA:
				order = 1
			case !moreB:
				order = -1
			default:
				order = geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0))
			}
			pos, holds := a, order <= 0 && holdsA || order >= 0 && holdsB
			if order > 0 {
				pos = b
			}
			if order <= 0 {
				a, holdsA, moreA = nextA()
			}
			if order >= 0 {
				b, holdsB, moreB = nextB()
			}
			if holds && !yield(pos) {
				return
			}
		}
	}
}

// named returns the names of an empty volume to compare v with.
func named(v *stone.VolumeInfo) []string {
	if v.Schema == voxel.Palette {
		return v.Names[:min(1, len(v.Names))]
	}
	return v.Names
}

// translated returns a chunk of a volume in the cells of both worlds. nil is the default.
func translated(c *voxel.Chunk, v *stone.VolumeInfo, table []voxel.Cell) *voxel.Chunk {
	c = c.Or(v.Default)
	if table != nil {
		c = c.Translate(table)
	}
	return c
}

// unite returns one list of the names of both volumes, and tables that translate the cells of
// each to it; a table is nil if its cells stay the same.
func unite(a, b *stone.VolumeInfo) (ta, tb []voxel.Cell, union []string, err error) {
	if a.Schema != voxel.Palette || b.Schema != voxel.Palette {
		return nil, nil, nil, nil
	}
	cell := map[string]voxel.Cell{}
	number := func(names []string) (table []voxel.Cell) {
		same := true
		for i, n := range names {
			c, ok := cell[n]
			if !ok && len(union) <= int(voxel.MaxCell) {
				c = voxel.Cell(len(union))
				cell[n], union = c, append(union, n)
			} else if !ok {
				err = fmt.Errorf("convert: volume %q: more than %d names in both worlds", a.Volume.Name, len(union))
			}
			same = same && int(c) == i
			table = append(table, c)
		}
		if same {
			return nil
		}
		return table
	}
	ta, tb = number(a.Names), number(b.Names)
	return ta, tb, union, err
}

// kindOf returns the kind of notes of a volume.
func kindOf(v *stone.VolumeInfo) string { return "volume " + v.Volume.Name }

func (d *differ) cells(dim string, v *volumePair, pos geom.ChunkPos, a, b *voxel.Chunk) {
	var ba, bb [64]voxel.Cell
	kind, n := kindOf(v.a), 0
	full := d.notes.full(kind)
	for y := range voxel.ChunkEdge {
		for z := range voxel.ChunkEdge {
			ra, rb := a.Row(y, z, &ba), b.Row(y, z, &bb)
			for x := range voxel.ChunkEdge {
				if ra[x] == rb[x] {
					continue
				}
				n++
				if p, q := ra[x]>>v.shift, rb[x]>>v.shift; v.added != nil && p != q {
					v.removed[p]++
					v.added[q]++
				}
				if full {
					continue
				}
				full = d.notes.add(kind, "%s: %s %v: %s, %s", dim, v.a.Volume.Name, pos.Min().Add(geom.Point{X: x, Y: y, Z: z}),
					cellName(v.union, ra[x]), cellName(v.union, rb[x]))
			}
		}
	}
	d.Cells += n
	d.Volumes[v.a.Volume.Name] += n
}

// countInto adds what was counted to counts by name.
func (v *volumePair) countInto(all blockCounts) {
	for c, n := range v.removed {
		if n > 0 {
			all.of(v.nameOf(v.a, voxel.Cell(c))).Removed += n
		}
	}
	for c, n := range v.added {
		if n > 0 {
			all.of(v.nameOf(v.b, voxel.Cell(c))).Added += n
		}
	}
}

// nameOf returns the name of a cell of both worlds, or of a material of one.
func (v *volumePair) nameOf(side *stone.VolumeInfo, c voxel.Cell) string {
	if v.union != nil {
		return v.union[c]
	}
	return cmp.Or(side.Name(c), fmt.Sprint("material ", c))
}

func cellName(names []string, c voxel.Cell) string {
	if names == nil {
		return fmt.Sprint(c)
	}
	return block.Shown(names[c])
}

func (d *differ) file(a, b format.File) error {
	if a.Open == nil || b.Open == nil {
		d.Files++
		d.notes.add("file", "file %q only in the %s", a.Path+b.Path, map[bool]string{true: "first", false: "second"}[b.Open == nil])
		return nil
	}
	same, err := d.sameFile(a, b)
	if err == nil && !same {
		d.Files++
		d.notes.add("file", "file %q differs", a.Path)
	}
	return err
}

// MaxTags bounds the files that are compared as tags, in bytes.
const MaxTags = 16 << 20

// sameFile compares the bytes of two files, and asks equal about those that differ.
func (d *differ) sameFile(a, b format.File) (bool, error) {
	var sums [2][sha256.Size]byte
	var first [2][]byte
	for i, f := range []format.File{a, b} {
		r, err := f.Open()
		if err == nil {
			sum := sha256.New()
			if first[i], err = io.ReadAll(io.TeeReader(io.LimitReader(r, MaxTags+1), sum)); err == nil {
				_, err = io.Copy(sum, r)
			}
			sum.Sum(sums[i][:0])
			r.Close()
		}
		if err != nil {
			return false, fmt.Errorf("convert: file %q: %w", f.Path, err)
		}
	}
	return sums[0] == sums[1] || max(len(first[0]), len(first[1])) <= MaxTags && d.equal("file", first[0], first[1]), nil
}

// column compares everything in a column except its cells.
func (d *differ) column(dim string, a, b *voxel.Column) {
	if what := d.columnDiffers(a, b); what != "" {
		d.Columns++
		d.notes.add("column", "%s: column %v: %s", dim, a.Pos, what)
	}
	for _, pair := range pairs(a.Lists, b.Lists, func(l voxel.List) string { return l.Name }) {
		d.list(dim, a, pair[0], pair[1])
	}
}

// columnDiffers returns the first thing that differs, or "".
func (d *differ) columnDiffers(a, b *voxel.Column) string {
	switch {
	case a.Version != b.Version:
		return fmt.Sprintf("version %d, %d", a.Version, b.Version)
	case a.Layout&^voxel.LayoutProperties != b.Layout&^voxel.LayoutProperties || a.Whole != b.Whole:
		return fmt.Sprintf("layout %d.%d, %d.%d", a.Layout, a.Whole, b.Layout, b.Whole)
	case !slices.EqualFunc(a.Sections, b.Sections, d.sameSection):
		return "sections"
	}
	for _, p := range pairs(a.Maps, b.Maps, func(m voxel.Map) string { return m.Name }) {
		if p[0] != p[1] {
			return fmt.Sprintf("map %q", max(p[0].Name, p[1].Name))
		}
	}
	for _, p := range pairs(a.Parts, b.Parts, func(p voxel.Part) string { return p.Name }) {
		if x, y := p[0], p[1]; x.Name != y.Name || x.Stamp != y.Stamp || x.Damaged != y.Damaged || !d.equal("part", x.Data, y.Data) {
			return fmt.Sprintf("part %q", max(x.Name, y.Name))
		}
	}
	return ""
}

func (d *differ) sameSection(a, b voxel.Section) bool {
	return a.Y == b.Y && a.Has == b.Has && (a.Tags == nil) == (b.Tags == nil) && d.equal("tags", a.Tags, b.Tags)
}

func (d *differ) list(dim string, c *voxel.Column, a, b voxel.List) {
	for i := range max(len(a.Objects), len(b.Objects)) {
		if i < len(a.Objects) && i < len(b.Objects) && d.sameObject(a.Objects[i], b.Objects[i]) {
			continue
		}
		d.Objects++
		d.notes.add("object", "%s: column %v: %s %d", dim, c.Pos, max(a.Name, b.Name), i)
	}
}

func (d *differ) sameObject(a, b voxel.Object) bool {
	return a.Place == b.Place && a.At == b.At && d.equal("tags", a.Payload, b.Payload)
}
