package codec

import "github.com/cairnvoxel/cairn/voxel/geom"

// Streams of the form Relief.
const (
	reliefOps     = iota // which layers each column has
	reliefLayers         // new lists of layers, top down
	reliefHigh           // ground: difference from the guess, upper bits
	reliefFloors         // ends of layers: difference from the guess
	reliefDents          // number of cells that are not full
	reliefDepths         // their depths
	reliefFill           // their fullness: difference from the guess
	reliefLow            // ground: low bytes, by the grade of guesses so far
	grades        = 4
	reliefStreams = reliefLow + grades
)

// Ops of a column of the form Relief. Greater ones are opListed + the number of a
// list of layers.
const (
	opLikely = iota // layers of the likelier neighbour
	opOther         // layers of the other neighbour
	opNew           // a new list
	opListed
)

const (
	full     = 255 // occupancy of a full cell
	unit     = 256 // a cell in units of ground
	maxLayer = 63  // greatest material
)

// reliefPage has the columns of a page that encoder and decoder know so far. Heights
// count from the volume's height 0.
type reliefPage struct {
	// The first 1024 sites belong to no tower: they are beyond the page. The sites
	// of each tower follow.
	sites  []site
	floors []int32 // of sites, top down
	dents  []dent  // of sites, top down
	lists  []byte  // materials, top down
	bounds []int32 // of lists; one more than there are lists

	towers          map[footprint]int32 // first site, by place
	base            int32               // height of the lowest cells of the tower under way
	first           int32               // site of the tower under way
	west, north, nw int32               // first sites of the towers beside
	ground          guesser
}

// site is the known data of a column.
type site struct {
	ground int64  // in 1/256 of a cell; that of the tower's base if all is air
	list   int32  // of layers
	floors int32  // index in reliefPage.floors of its first one; one for each layer
	dents  int32  // index in reliefPage.dents of its first one
	dented uint16 // number of its dents
}

// footprint is the x and z of a tower, in chunks.
type footprint struct{ x, z int32 }

func (l *reliefPage) reset() {
	if l.towers == nil {
		l.towers = map[footprint]int32{}
	}
	clear(l.towers)
	l.sites = append(l.sites[:0], make([]site, columns)...)
	l.floors, l.dents, l.lists = l.floors[:0], l.dents[:0], l.lists[:0]
	l.bounds = append(l.bounds[:0], 0, 0)
}

// begin moves on to a tower of that many chunks. Its topmost chunk is at top.
func (l *reliefPage) begin(top geom.ChunkPos, height int) {
	l.first = int32(len(l.sites))
	l.base = (top.Y + 1 - int32(height)) * edge
	l.west = l.towers[footprint{top.X - 1, top.Z}]
	l.north = l.towers[footprint{top.X, top.Z - 1}]
	l.nw = l.towers[footprint{top.X - 1, top.Z - 1}]
	l.towers[footprint{top.X, top.Z}] = l.first
	l.ground.begin(l)
}

// add adds a site. Its floors and dents are the next ones to be added.
func (l *reliefPage) add(list int32, ground int64) *site {
	l.sites = append(l.sites, site{ground: ground, list: list, floors: int32(len(l.floors)), dents: int32(len(l.dents))})
	return &l.sites[len(l.sites)-1]
}

// beside returns the sites to the west, north and north-west.
func (l *reliefPage) beside(x, z int) (w, n, nw *site) {
	here := l.first + int32(z*edge+x)
	if x > 0 && z > 0 {
		return &l.sites[here-1], &l.sites[here-edge], &l.sites[here-edge-1]
	}
	return l.site(x-1, z), l.site(x, z-1), l.site(x-1, z-1)
}

// site returns the site at x and z, both from -1 on. It may belong to a tower
// beside.
func (l *reliefPage) site(x, z int) *site {
	first := l.first
	switch {
	case x < 0 && z < 0:
		first = l.nw
	case x < 0:
		first = l.west
	case z < 0:
		first = l.north
	}
	return &l.sites[first+int32(z&(edge-1)*edge+x&(edge-1))]
}

// likely returns the two lists of layers that a column most likely has.
func likely(w, n, nw *site) (likely, other int32) {
	if w.list == nw.list {
		return n.list, w.list
	}
	return w.list, n.list
}

func (l *reliefPage) layers(list int32) []byte { return l.lists[l.bounds[list]:l.bounds[list+1]] }

// floorsOf returns the heights at which a site's layers end.
func (l *reliefPage) floorsOf(s *site) []int32 {
	return l.floors[s.floors:][:l.bounds[s.list+1]-l.bounds[s.list]]
}

// topOf returns the height above the topmost cell of the ground.
func topOf(ground int64) int32 { return int32((ground + unit - 1) >> 8) }

// guessFloor guesses floor i (from 1) of a column with these layers. above is the
// floor before it.
func (l *reliefPage) guessFloor(w, n, nw *site, list int32, i, above int32) (guess int32) {
	if w.list == list && n.list == list && nw.list == list {
		ws, ns, nws := l.floors[w.floors+i-1:][:2], l.floors[n.floors+i-1:][:2], l.floors[nw.floors+i-1:][:2]
		wt, nt, nwt := ws[0]-ws[1], ns[0]-ns[1], nws[0]-nws[1]
		if abs(wt-nwt)+abs(nt-nwt) <= abs(ws[1]-nws[1])+abs(ns[1]-nws[1]) {
			guess = above - between(wt, nt, nwt)
		} else {
			guess = between(ws[1], ns[1], nws[1])
		}
	} else {
		guess = l.guessEdge(w, n, list, i, above)
	}
	return max(l.base+1, min(guess, above-1))
}

// guessEdge guesses a floor from one of the columns beside.
func (l *reliefPage) guessEdge(w, n *site, list, i, above int32) int32 {
	from := l.floorsOf(w)
	if w.list != list && n.list == list || int(i) >= len(from) {
		from = l.floorsOf(n)
	}
	switch {
	case int(i) >= len(from):
		return above - 1
	case i == 1:
		return above - (from[0] - from[1])
	}
	return from[i]
}

func abs(v int32) int32 { return max(v, -v) }

// between returns w+n-nw, limited to the range of w and n.
func between(w, n, nw int32) int32 { return max(min(w, n), min(max(w, n), w+n-nw)) }

// within limits a guess of the ground to a tower that ends at top.
func (l *reliefPage) within(guess int64, top int32) int64 {
	return max(int64(l.base)*unit+1, min(guess, int64(top)*unit))
}
