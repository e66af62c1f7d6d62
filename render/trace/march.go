package trace

import "math"

type vec [3]float64

func (a vec) add(b vec) vec              { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec              { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) scale(f float64) vec        { return vec{a[0] * f, a[1] * f, a[2] * f} }
func (a vec) dot(b vec) float64          { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) along(d vec, t float64) vec { return vec{a[0] + d[0]*t, a[1] + d[1]*t, a[2] + d[2]*t} }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func (a vec) unit() vec { return a.scale(1 / math.Sqrt(a.dot(a))) }

// ray is a ray with its width: at distance t it is width + t*spread blocks wide. dir has length 1.
type ray struct {
	from, dir     vec
	width, spread float64
	clear         float64 // nothing is nearer
	rough         bool    // light that was scattered goes along it: sides show the mean of their textures
}

// place is a cell that a ray met.
type place struct {
	level   int     // of the cell
	t       float64 // where the ray enters the cell, in blocks
	axis    int     // of the side that it enters by; -1: it begins in the cell
	node    *node
	tree    *tree
	x, y, z uint32 // the cell of the tree's level that it enters, from the tree's origin
}

// walk is a ray on its way through a tree. It is mirrored so that no part of its direction is negative:
// every step goes up.
type walk struct {
	tree       *tree
	from, dir  vec // in cells of the tree's level, from its origin
	inverse    vec
	t          float64 // in cells
	x, y, z    uint32  // the cell it is in
	axis       int     // that it went along last; -1: none
	flip       uint32  // of the numbers of cubes
	mx, my, mz uint32  // real = mirrored ^ these
	node       *node   // of the chunk it is in; nil: not known
	chunkX     uint32
	chunkY     uint32
	chunkZ     uint32
}

// begin puts a ray into a tree at distance t, where it went along an axis last. It reports false if it misses the
// tree before distance end.
func (w *walk) begin(tr *tree, r *ray, t, end float64, axis int) bool {
	scale := 1 / float64(int(1)<<tr.base)
	size := float64(uint64(1) << tr.bits)
	w.tree, w.flip, w.node = tr, 0, nil
	w.mx, w.my, w.mz = 0, 0, 0
	origin := [3]int{tr.origin.X, tr.origin.Y, tr.origin.Z}
	enter, leave := t*scale, end*scale
	for i := range 3 {
		w.from[i], w.dir[i] = r.from[i]*scale-float64(origin[i]), r.dir[i]
		if w.dir[i] < 0 || w.dir[i] == 0 && math.Signbit(w.dir[i]) {
			w.from[i], w.dir[i] = size-w.from[i], -w.dir[i]
			w.flip |= 9 << i
			mask := uint32(size) - 1
			switch i {
			case 0:
				w.mx = mask
			case 1:
				w.my = mask
			case 2:
				w.mz = mask
			}
		}
		if w.dir[i] == 0 {
			if w.from[i] < 0 || w.from[i] >= size {
				return false
			}
			w.inverse[i] = math.Inf(1)
			continue
		}
		w.inverse[i] = 1 / w.dir[i]
		if in := -w.from[i] * w.inverse[i]; in > enter {
			enter, axis = in, i
		}
		leave = min(leave, (size-w.from[i])*w.inverse[i])
	}
	if enter >= leave {
		return false
	}
	w.t, w.axis = enter, axis
	most := size - 1
	w.x = uint32(min(max(w.from[0]+w.dir[0]*enter, 0), most))
	w.y = uint32(min(max(w.from[1]+w.dir[1]*enter, 0), most))
	w.z = uint32(min(max(w.from[2]+w.dir[2]*enter, 0), most))
	return true
}

// leave goes to the first cell beyond the cube of 1<<shift cells an edge around the cell.
func (w *walk) leave(shift uint) {
	x, y, z := (w.x>>shift+1)<<shift, (w.y>>shift+1)<<shift, (w.z>>shift+1)<<shift
	tx := (float64(x) - w.from[0]) * w.inverse[0]
	ty := (float64(y) - w.from[1]) * w.inverse[1]
	tz := (float64(z) - w.from[2]) * w.inverse[2]
	switch {
	case tx <= ty && tx <= tz:
		w.t, w.axis, w.x = tx, 0, x
		if shift > 0 {
			w.y, w.z = slide(w.from[1]+w.dir[1]*tx, w.y, y), slide(w.from[2]+w.dir[2]*tx, w.z, z)
		}
	case ty <= tz:
		w.t, w.axis, w.y = ty, 1, y
		if shift > 0 {
			w.x, w.z = slide(w.from[0]+w.dir[0]*ty, w.x, x), slide(w.from[2]+w.dir[2]*ty, w.z, z)
		}
	default:
		w.t, w.axis, w.z = tz, 2, z
		if shift > 0 {
			w.x, w.y = slide(w.from[0]+w.dir[0]*tz, w.x, x), slide(w.from[1]+w.dir[1]*tz, w.y, y)
		}
	}
}

// slide returns the cell at a place, which lies between the cell before and the end of its cube.
func slide(at float64, before, end uint32) uint32 {
	return min(max(uint32(int64(at)), before), end-1)
}

// next finds the next cell of a level with matter, from the cell that the walk is in. It reports false at
// distance end, in cells, and where the tree ends.
func (w *walk) next(c *cells, level uint, end float64) bool {
	most := uint32(1) << w.tree.bits
	for w.t < end {
		if w.x|w.y|w.z >= most {
			return false
		}
		if w.node == nil || w.x>>chunkBits != w.chunkX || w.y>>chunkBits != w.chunkY || w.z>>chunkBits != w.chunkZ {
			n, clear, ok := w.tree.find(w.x, w.y, w.z, w.flip)
			if !ok {
				w.leave(clear)
				continue
			}
			if w.node = c.node(w.tree, n); w.node == nil { // it cannot be read, or has nothing to show
				w.leave(chunkBits)
				continue
			}
			w.chunkX, w.chunkY, w.chunkZ = w.x>>chunkBits, w.y>>chunkBits, w.z>>chunkBits
		}
		size, ok := w.node.clear(w.x, w.y, w.z, w.flip, level)
		if ok {
			return true
		}
		w.leave(size)
	}
	return false
}

// place returns where the walk is.
func (w *walk) place(level int) place {
	return place{
		level: level, t: w.t * float64(int(1)<<w.tree.base), axis: w.axis, node: w.node, tree: w.tree,
		x: w.x ^ w.mx, y: w.y ^ w.my, z: w.z ^ w.mz,
	}
}
