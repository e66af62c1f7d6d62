package mesh

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// padded is the greatest edge of a box with a border of one cell: the bits of a mask.
const padded = MaxEdge + 2

// Mesher makes quads. It keeps its memory, so that in the long run it allocates nothing.
// Goroutines must not share it.
type Mesher struct {
	table   *Opacities
	options Options
	reader  reader

	size    [3]int // of the box with its border
	borders [Faces]Border
	cells   []voxel.Cell // of the box with its border, x fastest, then z, then y
	// Masks of the cells for each kind but Nothing: rows by x at y*size[2]+z, across by x at
	// z*size[1]+y, turned by z at x*size[1]+y.
	rows, across, turned [kinds][]uint64
	mixed                bool // there are cells that are neither Nothing nor Opaque

	lists [kinds][]Quad
	apart [padded]uint64    // rows of each layer that are not as those of the next
	seen  [padded]uint64    // faces of a layer by row
	keys  [2][padded]uint32 // of the faces of two rows
	high  [padded]uint8     // how many rows above have the same face, by u
}

// NewMesher returns a Mesher for cells of a table.
func NewMesher(t *Opacities, o Options) *Mesher {
	return &Mesher{table: t, options: o}
}

// Load reads the cells of b, which counts cells of the level, and those around it. borders say what
// lies beyond each side. It panics if an edge of b is longer than MaxEdge.
func (m *Mesher) Load(src BoxReader, b geom.Box, level int, borders [Faces]Border) {
	checkBox(b)
	s := b.Size()
	m.size, m.borders = [3]int{s.X + 2, s.Y + 2, s.Z + 2}, borders
	m.cells = resize(m.cells, m.size[0]*m.size[1]*m.size[2])
	all := grown(b, 1)
	m.reader.src = src
	m.reader.read(all, level, m.cells, all.Min, all.Size())
	for f, border := range borders {
		if border == Coarser {
			m.loadCoarse(all, level, Face(f))
		}
	}
	m.reader.src = nil
	m.mask()
}

// loadCoarse replaces the cells beyond a side by those of the next level.
func (m *Mesher) loadCoarse(all geom.Box, level int, f Face) {
	layer := side(all, f)
	coarse := geom.Box{
		Min: geom.Point{X: layer.Min.X >> 1, Y: layer.Min.Y >> 1, Z: layer.Min.Z >> 1},
		Max: geom.Point{X: (layer.Max.X + 1) >> 1, Y: (layer.Max.Y + 1) >> 1, Z: (layer.Max.Z + 1) >> 1},
	}
	s := coarse.Size()
	cells := make([]voxel.Cell, coarse.Cells())
	m.reader.read(coarse, level+1, cells, coarse.Min, s)
	for y := layer.Min.Y; y < layer.Max.Y; y++ {
		for z := layer.Min.Z; z < layer.Max.Z; z++ {
			for x := layer.Min.X; x < layer.Max.X; x++ {
				at := geom.Point{X: x, Y: y, Z: z}.Sub(all.Min)
				from := geom.Point{X: x >> 1, Y: y >> 1, Z: z >> 1}.Sub(coarse.Min)
				m.cells[(at.Y*m.size[2]+at.Z)*m.size[0]+at.X] = cells[(from.Y*s.Z+from.Z)*s.X+from.X]
			}
		}
	}
}

// side returns the outermost layer of b at a face.
func side(b geom.Box, f Face) geom.Box {
	lo, hi := [3]*int{&b.Min.X, &b.Min.Y, &b.Min.Z}, [3]*int{&b.Max.X, &b.Max.Y, &b.Max.Z}
	if a := f.axis(); f&1 == 0 {
		*hi[a] = *lo[a] + 1
	} else {
		*lo[a] = *hi[a] - 1
	}
	return b
}

// mask makes the masks of the cells.
func (m *Mesher) mask() {
	nx, ny, nz := m.size[0], m.size[1], m.size[2]
	for k := Opaque; k < kinds; k++ {
		m.rows[k] = resize(m.rows[k], ny*nz)
		m.across[k] = resize(m.across[k], ny*nz)
		m.turned[k] = resize(m.turned[k], nx*ny)
	}
	table := &m.table.kinds
	beyond := m.options.Missing
	rest := uint64(0)
	for i := range ny * nz {
		row := m.cells[i*nx : i*nx+nx]
		var masks [kinds]uint64
		for runs := changes(row); runs != 0; {
			from := bits.TrailingZeros64(runs)
			runs &= runs - 1
			masks[kindOf(table, row[from], beyond)%kinds] |= uint64(1)<<min(bits.TrailingZeros64(runs), nx) - 1<<from
		}
		for k := Opaque; k < kinds; k++ {
			m.rows[k][i] = masks[k]
		}
		rest |= masks[CutOut] | masks[Transparent]
	}
	m.mixed = rest != 0
	for k := Opaque; k < kinds && (k == Opaque || m.mixed); k++ {
		turn(m.rows[k], m.turned[k], nx, ny, nz)
		for y := range ny {
			for z, row := range m.rows[k][y*nz : y*nz+nz] {
				m.across[k][z*ny+y] = row
			}
		}
	}
}

// changes returns a bit for each cell that differs from the one before it, and bit 0.
func changes(row []voxel.Cell) uint64 {
	const block = 16
	m := uint64(1)
	for x := 1; x < len(row); x += block {
		if len(row) <= block {
			for ; x < len(row); x++ {
				if row[x] != row[x-1] {
					m |= 1 << (x & 63)
				}
			}
			break
		}
		x = min(x, len(row)-block) // the last block may overlap the one before
		a, b := (*[block]voxel.Cell)(row[x-1:]), (*[block]voxel.Cell)(row[x:])
		if *a == *b {
			continue
		}
		for i := range a {
			if a[i] != b[i] {
				m |= 1 << ((x + i) & 63)
			}
		}
	}
	return m
}

func kindOf(table *[missing + 1]Opacity, c voxel.Cell, beyond Opacity) Opacity {
	if c >= missing {
		return beyond
	}
	return table[c]
}

// turn writes masks by x at y*nz+z as masks by z at x*ny+y.
func turn(rows, turned []uint64, nx, ny, nz int) {
	var b [64]uint64
	for y := range ny {
		plane := rows[y*nz : y*nz+nz]
		and, or := ^uint64(0), uint64(0)
		for _, row := range plane {
			and &= row
			or |= row
		}
		if full := uint64(1)<<nx - 1; or == 0 || and == full {
			v := or & 1 * (1<<nz - 1)
			for x := range nx {
				turned[x*ny+y] = v
			}
			continue
		}
		n := copy(b[:], plane)
		clear(b[n:])
		transpose(&b)
		for x := range nx {
			turned[x*ny+y] = b[x]
		}
	}
}

// transpose swaps bit i of b[j] with bit j of b[i].
func transpose(b *[64]uint64) {
	mask := uint64(1)<<32 - 1
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (b[k&63]>>j ^ b[(k+j)&63]) & mask
			b[k&63] ^= t << j
			b[(k+j)&63] ^= t
		}
		mask ^= mask << (j >> 1)
	}
}

// Quads makes the quads of what was loaded. The lists are valid until the next call.
func (m *Mesher) Quads() (opaque, cutOut, transparent []Quad) {
	for k := range m.lists {
		m.lists[k] = m.lists[k][:0]
	}
	for f := range Face(Faces) {
		m.face(f)
	}
	return m.lists[Opaque], m.lists[CutOut], m.lists[Transparent]
}

// sweep is a direction of faces: layers along the face's axis, rows along v and bits along u.
type sweep struct {
	face         Face
	masks        *[kinds][]uint64
	layer        int // distance of the masks of two layers
	step         int // from a layer to the one before its faces
	nv           int // rows, with the border
	inner        uint64
	across       int // distance in cells from a cell to the one before its face
	cu, cv, cl   int // distances in cells along u, v and the layers
	qu, qv, ql   int // places of u, v and the layer in a quad
	below, above int // the masks of a layer and of the one before its faces
}

func (m *Mesher) face(f Face) {
	nx, ny, nz := m.size[0], m.size[1], m.size[2]
	s := sweep{face: f, masks: &m.rows}
	var nl, nu int
	switch f.axis() {
	case 0:
		s.masks, s.layer = &m.turned, ny
		nl, nu, s.nv = nx, nz, ny
		s.cl, s.cu, s.cv = 1, nx, nx*nz
		s.ql, s.qu, s.qv = 0, quadZ, quadY
	case 1:
		s.layer = nz
		nl, nu, s.nv = ny, nx, nz
		s.cl, s.cu, s.cv = nx*nz, 1, nx
		s.ql, s.qu, s.qv = quadY, 0, quadZ
	default:
		s.masks, s.layer = &m.across, ny
		nl, nu, s.nv = nz, nx, ny
		s.cl, s.cu, s.cv = nx, 1, nx*nz
		s.ql, s.qu, s.qv = quadZ, 0, quadY
	}
	s.inner = 1<<(nu-2) - 1
	if f&1 == 0 && !m.mixed {
		m.differ(&s, nl)
	}
	lo, hi, step := 1, nl-2, 1
	if f&1 == 0 {
		step = -1
	}
	s.step = step
	s.across = step * s.cl
	if near, far := m.borders[f&^1], m.borders[f|1]; step == 1 {
		if far == Finer {
			hi--
		}
		if near == Coarser {
			lo--
		}
	} else {
		if near == Finer {
			lo++
		}
		if far == Coarser {
			hi++
		}
	}
	for l := lo; l <= hi; l++ {
		s.below, s.above = l*s.layer, (l+step)*s.layer
		m.plane(&s, l)
	}
}

// differ notes for an axis in which rows each layer of opaque cells is not as the next one. Most
// layers of most lands are.
func (m *Mesher) differ(s *sweep, layers int) {
	const block = 16
	opaque := s.masks[Opaque]
	for l := range layers - 1 {
		a, b := opaque[l*s.layer:][:s.nv], opaque[(l+1)*s.layer:][:s.nv]
		rows := uint64(0)
		for v := 0; v < len(a); {
			if v+block <= len(a) && *(*[block]uint64)(a[v:]) == *(*[block]uint64)(b[v:]) {
				v += block
				continue
			}
			for end := min(v+block, len(a)); v < end; v++ {
				if a[v] != b[v] {
					rows |= 1 << (v & 63)
				}
			}
		}
		m.apart[l&63] = rows
	}
}

// visible writes the faces of a layer that are seen, by row and by u from 0, and returns which rows
// have any.
func (m *Mesher) visible(s *sweep, l int) (rows uint64) {
	opaque := s.masks[Opaque]
	if !m.mixed {
		below, above := opaque[s.below:][:s.nv], opaque[s.above:][:s.nv]
		for left := m.apart[min(l, l+s.step)&63] & (1<<(s.nv-1) - 2); left != 0; left &= left - 1 {
			v := bits.TrailingZeros64(left) & (padded - 1)
			seen := (below[v] &^ above[v]) >> 1 & s.inner
			m.seen[v] = seen
			rows |= -seen >> 63 << v // the bit if there are any
		}
		return rows
	}
	for v := 1; v < s.nv-1; v++ {
		glass := s.masks[Transparent][s.below+v]
		seen := opaque[s.below+v] | s.masks[CutOut][s.below+v] | glass
		for both := glass & s.masks[Transparent][s.above+v]; both != 0; both &= both - 1 {
			at := l*s.cl + v*s.cv + bits.TrailingZeros64(both)*s.cu
			if m.key(at) == m.key(at+s.across) {
				seen &^= both & -both
			}
		}
		seen = (seen &^ opaque[s.above+v]) >> 1 & s.inner
		m.seen[v&63] = seen
		if seen != 0 {
			rows |= 1 << v
		}
	}
	return rows
}

// key returns the key of a cell, and that of Empty for one that is not known.
func (m *Mesher) key(i int) voxel.Cell { return m.table.keys[m.cells[i]&voxel.MaxCell] }

// plane makes the quads of one layer. First faces are joined along v, then such columns of equal
// height along u.
func (m *Mesher) plane(s *sweep, l int) {
	rows := m.visible(s, l)
	cur, next, have := &m.keys[0], &m.keys[1], 0
	for ; rows != 0; rows &= rows - 1 {
		v := bits.TrailingZeros64(rows)
		seen, after := m.seen[v&63], m.seen[(v+1)&63]&-(rows>>(v+1)&1)
		if have != v {
			m.facesOf(s, l, v, seen, cur)
		}
		if seen&after != 0 {
			m.facesOf(s, l, v+1, after, next)
			have = v + 1
		}
		m.row(s, l, v, seen, after, cur, next)
		cur, next = next, cur
	}
}

// row ends the quads whose last row is v.
func (m *Mesher) row(s *sweep, l, v int, seen, after uint64, cur, next *[padded]uint32) {
	for both := seen & after; both != 0; both &= both - 1 {
		if u := bits.TrailingZeros64(both) & (padded - 1); cur[u] == next[u] {
			m.high[u]++
			seen &^= 1 << u
		}
	}
	for seen != 0 {
		u := bits.TrailingZeros64(seen) & (padded - 1)
		key, high := cur[u], m.high[u]
		m.high[u] = 0
		end := u + 1
		for seen>>(end&63)&1 != 0 && cur[end&63] == key && m.high[end&63] == high {
			m.high[end&63] = 0
			end++
		}
		seen &^= 1<<end - 1
		m.emit(Quad(u+1)<<s.qu | Quad(v-int(high))<<s.qv | Quad(l)<<s.ql |
			Quad(end-u-1)<<quadWidth | Quad(high)<<quadHeight | Quad(s.face)<<quadFace | Quad(key)<<quadAO)
	}
}

func (m *Mesher) emit(q Quad) {
	k := Opaque
	if q>>quadCell == 0 { // cells that are not known hide faces and have none
		return
	}
	if m.mixed {
		k = m.table.kinds[m.kindKey(q)]
	}
	m.lists[k] = append(m.lists[k], q)
}

// kindKey returns a cell of the key of q.
func (m *Mesher) kindKey(q Quad) voxel.Cell {
	a := q.At()
	return m.cells[((a.Y+1)*m.size[2]+a.Z+1)*m.size[0]+a.X+1]
}

// facesOf writes what faces must share to become one quad: ambient occlusion and the key of the
// cell, in the places that they have in a quad above quadAO.
func (m *Mesher) facesOf(s *sweep, l, v int, seen uint64, out *[padded]uint32) {
	cells, keys := m.cells[l*s.cl+v*s.cv+s.cu:], &m.table.keys
	if m.options.Flat {
		for ; seen != 0; seen &= seen - 1 {
			u := bits.TrailingZeros64(seen) & (padded - 1)
			out[u] = uint32(keys[cells[u*s.cu]&voxel.MaxCell])<<8 | open
		}
		return
	}
	o := s.masks[Opaque][s.above+v-1:][:3]
	a, b, c := o[0], o[1], o[2]
	for ; seen != 0; seen &= seen - 1 {
		u := bits.TrailingZeros64(seen) & (padded - 1)
		near := a>>u&7 | b>>u&7<<3 | c>>u&7<<6
		out[u] = uint32(keys[cells[u*s.cu]&voxel.MaxCell])<<8 | uint32(occlusion[near&511])
	}
}

// occlusion is the ambient occlusion of a face for each set of opaque cells around the cell before
// it: bit 3*(v+1)+u+1 is the one at (u,v).
var occlusion = occlusions()

func occlusions() (t [512]uint8) {
	for near := range t {
		at := func(u, v int) int { return near >> (3*(v+1) + u + 1) & 1 }
		for corner := range 4 {
			u, v := corner&1*2-1, corner>>1*2-1
			level := 0
			if at(u, 0)+at(0, v) < 2 {
				level = 3 - at(u, 0) - at(0, v) - at(u, v)
			}
			t[near] |= uint8(level) << (2 * corner)
		}
	}
	return t
}
