package diff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options of Worlds. The zero value is the default.
type Options struct {
	// MaxBytes bounds what is read of one world, as it is in memory; above it the error is convert.ErrTooLarge.
	// Default: no bound.
	MaxBytes int64
	// Limit, if it is not nil, reduces the parts of both worlds that may differ to what counts.
	Limit func(a, b stone.Content) (stone.Content, stone.Content)
	// Exact compares tags and files byte by byte. Default: the order of tags in a compound does not count, nor does how
	// a file is compressed.
	Exact bool
}

// Worlds compares two worlds. It reads both in parts, side by side, and of two versions that stand on one stone only
// what differs. It fails if something cannot be read, or if both worlds together have more names than a volume can hold.
func Worlds(ctx context.Context, a, b stone.Content, o Options) (*Difference, error) {
	p := Of(a, b)
	if o.Limit != nil {
		p.a, p.b = o.Limit(p.a, p.b)
	}
	d := &differ{Difference: Difference{Volumes: map[string]int{}}, pair: p.Within(o.MaxBytes), blocks: blockCounts{}, ctx: ctx, exact: o.Exact}
	first, second := d.pair.a.About(), d.pair.b.About()
	d.properties(convert.HeadOf(first.Properties), convert.HeadOf(second.Properties))
	for _, both := range d.pair.dimensions() {
		if err := d.dimension(both); err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs(convert.Files(d.pair.a, first), convert.Files(d.pair.b, second), func(f format.File) string { return f.Path }) {
		if err := cmp.Or(d.file(pair[0], pair[1]), ctx.Err()); err != nil {
			return nil, err
		}
	}
	d.First = d.notes.first()
	d.Blocks = d.blocks.list()
	return &d.Difference, nil
}

type differ struct {
	Difference
	pair   Pair
	notes  notes
	blocks blockCounts
	ctx    context.Context
	exact  bool
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
	maps.Copy(keys, b.Properties)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		va, ina := a.Properties[k]
		if vb, inb := b.Properties[k]; va != vb || ina != inb {
			d.property("property %q: %q, %q", k, va, vb)
		}
	}
}

func (d *differ) property(format string, args ...any) {
	d.Properties++
	d.notes.add("property", format, args...)
}

func (d *differ) dimension(both [2]*stone.DimensionInfo) error {
	dim := cmp.Or(both[0], both[1]).Name
	if both[0] == nil {
		d.property("%s: only in the second", dim)
	}
	if both[1] == nil {
		d.property("%s: only in the first", dim)
	}
	var compared []*differing
	d.notes.expect("property")
	for _, pair := range volumes(both) {
		v, err := d.volume(dim, pair[0], pair[1])
		if err != nil {
			return err
		}
		if v != nil {
			compared = append(compared, v)
			d.notes.expect(v.kind)
		}
	}
	d.notes.expect("object", "column")
	if err := d.squares(dim, compared); err != nil {
		return err
	}
	for _, v := range compared {
		v.countInto(d.blocks)
	}
	return nil
}

// differing is a volume whose cells are compared.
type differing struct {
	*volume
	kind string          // of notes
	left []geom.ChunkPos // not compared yet: by square, then by code

	// How many cells that differ are of a number in each world, without the lower bits of
	// the number; nil if they are not counted.
	removed, added []int
	shift          uint8
}

// volume compares what describes a volume. It returns nil if its cells cannot be compared.
func (d *differ) volume(dim string, a, b *stone.VolumeInfo) (*differing, error) {
	m, err := matched(a, b)
	if err != nil {
		return nil, err
	}
	a, b = m.a, m.b
	name := a.Volume.Name
	if !m.sameKind() {
		d.property("%s: %s: %v of scale %d, %v of scale %d", dim, name, a.Schema, a.Scale, b.Schema, b.Scale)
		return nil, nil
	}
	if !translated(nil, a, m.tableA).Equal(translated(nil, b, m.tableB)) {
		d.property("%s: %s: defaults differ", dim, name)
	}
	if a.Schema != voxel.Palette && !slices.Equal(a.Names, b.Names) {
		d.property("%s: %s: names differ", dim, name)
	}
	v := &differing{volume: m, kind: "volume " + name, left: d.pair.list(dim, name)}
	if name == "block" || name == "solid" {
		if a.Schema == voxel.Terrain {
			v.shift = 8 // materials
		}
		v.removed, v.added = make([]int, int(voxel.MaxCell)>>v.shift+1), make([]int, int(voxel.MaxCell)>>v.shift+1)
	}
	slices.SortStableFunc(v.left, func(p, q geom.ChunkPos) int { return chunkSquare(p, a.Scale).Compare(chunkSquare(q, a.Scale)) })
	return v, d.ctx.Err()
}

// chunkSquare returns the least column of the square that a chunk of a volume lies over.
func chunkSquare(pos geom.ChunkPos, scale int) geom.ColumnPos {
	return columnSquare(geom.ColumnPos{X: 2 * int32(scale) * pos.X, Z: 2 * int32(scale) * pos.Z})
}

// columnSquare returns the least column of a column's square. A chunk of biomes is as wide as a square.
func columnSquare(pos geom.ColumnPos) geom.ColumnPos {
	const mask = ^int32(7)
	return geom.ColumnPos{X: pos.X & mask, Z: pos.Z & mask}
}

// squares compares the cells and the columns of a dimension square by square, in the order
// of columns. Light and height maps follow from the blocks around, which are in the page cache
// then.
func (d *differ) squares(dim string, volumes []*differing) error {
	var failed error
	next, stop := iter.Pull(d.pair.columns(d.ctx, dim, &failed))
	defer stop()
	column, more := next()
	for {
		var square *geom.ColumnPos
		for _, v := range volumes {
			if len(v.left) > 0 {
				if at := chunkSquare(v.left[0], v.a.Scale); square == nil || at.Compare(*square) < 0 {
					square = &at
				}
			}
		}
		for _, v := range volumes {
			n := 0
			for square != nil && n < len(v.left) && chunkSquare(v.left[n], v.a.Scale) == *square {
				n++
			}
			for at := range slices.Chunk(v.left[:n], chunksAtOnce) {
				if err := d.pair.chunks(d.ctx, dim, v.volume, at, func(c Chunk) error { d.cells(dim, v, c); return nil }); err != nil {
					return err
				}
			}
			v.left = v.left[n:]
		}
		for more && failed == nil && (square == nil || columnSquare(column.key).Compare(*square) <= 0) {
			d.column(dim, column.key, column.a, column.b)
			column, more = next()
		}
		if failed != nil || square == nil {
			return failed
		}
	}
}

// cells compares the cells of a chunk.
func (d *differ) cells(dim string, v *differing, c Chunk) {
	var ba, bb [64]voxel.Cell
	n, full := 0, d.notes.full(v.kind)
	for y := range voxel.ChunkEdge {
		for z := range voxel.ChunkEdge {
			ra, rb := c.A.Row(y, z, &ba), c.B.Row(y, z, &bb)
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
				full = d.notes.add(v.kind, "%s: %s %v: %s, %s", dim, v.a.Volume.Name, c.Pos.Min().Add(geom.Point{X: x, Y: y, Z: z}),
					cellName(v.names, ra[x]), cellName(v.names, rb[x]))
			}
		}
	}
	d.Cells += n
	d.Volumes[v.a.Volume.Name] += n
}

func cellName(names []string, c voxel.Cell) string {
	if names == nil {
		return fmt.Sprint(c)
	}
	return block.Shown(names[c])
}

// countInto adds what was counted to counts by name.
func (v *differing) countInto(all blockCounts) {
	for c := range v.removed {
		if n := v.removed[c]; n > 0 {
			all.of(v.nameOf(v.a, voxel.Cell(c))).Removed += n
		}
		if n := v.added[c]; n > 0 {
			all.of(v.nameOf(v.b, voxel.Cell(c))).Added += n
		}
	}
}

// nameOf returns the name of a cell of both worlds, or of a material of one.
func (v *differing) nameOf(side *stone.VolumeInfo, c voxel.Cell) string {
	if v.names != nil {
		return v.names[c]
	}
	return cmp.Or(side.Name(c), fmt.Sprint("material ", c))
}

// column compares everything in a column except its cells.
func (d *differ) column(dim string, pos geom.ColumnPos, a, b *voxel.Column) {
	what := ""
	switch {
	case a == nil:
		what = " only in the second"
	case b == nil:
		what = " only in the first"
	default:
		what = d.columnDiffers(a, b)
	}
	if what != "" {
		d.Columns++
		d.notes.add("column", "%s: column %v%s", dim, pos, what)
	}
	if a == nil || b == nil {
		return
	}
	for _, pair := range pairs(a.Lists, b.Lists, func(l voxel.List) string { return l.Name }) {
		d.list(dim, pos, pair[0], pair[1])
	}
}

// columnDiffers returns the first thing that differs as the end of a note, or "".
func (d *differ) columnDiffers(a, b *voxel.Column) string {
	switch {
	case a.Version != b.Version:
		return fmt.Sprintf(": version %d, %d", a.Version, b.Version)
	case a.Layout&^voxel.LayoutProperties != b.Layout&^voxel.LayoutProperties || a.Whole != b.Whole:
		return fmt.Sprintf(": layout %d.%d, %d.%d", a.Layout, a.Whole, b.Layout, b.Whole)
	case !slices.EqualFunc(a.Sections, b.Sections, d.sameSection):
		return ": sections"
	}
	for _, p := range pairs(a.Maps, b.Maps, func(m voxel.Map) string { return m.Name }) {
		if p[0] != p[1] {
			return fmt.Sprintf(": map %q", max(p[0].Name, p[1].Name))
		}
	}
	for _, p := range pairs(a.Parts, b.Parts, func(p voxel.Part) string { return p.Name }) {
		if x, y := p[0], p[1]; x.Name != y.Name || x.Stamp != y.Stamp || x.Damaged != y.Damaged || !d.same(inDocument, x.Data, y.Data) {
			return fmt.Sprintf(": part %q", max(x.Name, y.Name))
		}
	}
	return ""
}

func (d *differ) sameSection(a, b voxel.Section) bool {
	return a.Y == b.Y && a.Has == b.Has && (a.Tags == nil) == (b.Tags == nil) && d.same(inPayload, a.Tags, b.Tags)
}

func (d *differ) list(dim string, pos geom.ColumnPos, a, b voxel.List) {
	for i := range max(len(a.Objects), len(b.Objects)) {
		if i < len(a.Objects) && i < len(b.Objects) && d.sameObject(a.Objects[i], b.Objects[i]) {
			continue
		}
		d.Objects++
		d.notes.add("object", "%s: column %v: %s %d", dim, pos, max(a.Name, b.Name), i)
	}
}

func (d *differ) sameObject(a, b voxel.Object) bool {
	return a.Place == b.Place && a.At == b.At && d.same(inPayload, a.Payload, b.Payload)
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

// sameFile compares the bytes of two files, and the tags of those that are not too long.
func (d *differ) sameFile(a, b format.File) (bool, error) {
	var sums [2][sha256.Size]byte
	var first [2][]byte
	for i, f := range []format.File{a, b} {
		r, err := f.Open()
		if err == nil {
			sum := sha256.New()
			if first[i], err = io.ReadAll(io.TeeReader(io.LimitReader(r, maxTags+1), sum)); err == nil {
				_, err = io.Copy(sum, r)
			}
			sum.Sum(sums[i][:0])
			r.Close()
		}
		if err != nil {
			return false, fmt.Errorf("diff: file %q: %w", f.Path, err)
		}
	}
	return sums[0] == sums[1] || max(len(first[0]), len(first[1])) <= maxTags && d.same(inFile, first[0], first[1]), nil
}
