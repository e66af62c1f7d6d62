package codec_test

import (
	"errors"
	"math/bits"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Streams of the form Relief.
const (
	reliefOps = iota
	reliefLayers
	reliefHigh
	reliefFloors
	reliefDents
	reliefDepths
	reliefFill
	reliefLow
	reliefStreams = reliefLow + 4
)

// spot is the x and z of a column of cells, or of a tower in chunks.
type spot struct{ x, z int }

// slowSite is a column: everything in heights above nought.
type slowSite struct {
	list   int      // of layers
	layers string   // materials, top down
	ends   []int    // cells above the layers, top down
	ground int      // in 1/256
	partly [][2]int // heights of cells that may not be full, and how full they are
	dents  int
}

// full says how full a cell is, of 256.
func (s *slowSite) full(y int) int {
	if s == nil || s.layers == "" || y >= s.ends[0] {
		return 0
	}
	for _, p := range s.partly {
		if p[0] == y {
			return p[1]
		}
	}
	i := 0
	for i+1 < len(s.ends) && y < s.ends[i+1] {
		i++
	}
	if s.layers[i] == 0 {
		return 0
	}
	return 256
}

func (s *slowSite) has(list int) bool { return s.number() == list }

func (s *slowSite) number() int {
	if s == nil {
		return 0
	}
	return s.list
}

// reaches says whether the column has an end i.
func (s *slowSite) reaches(i int) bool { return s != nil && i < len(s.ends) }

// slowLand reads the form Relief the obvious way, cell by cell, from maps.
type slowLand struct {
	streams [][]byte
	lists   []string
	towers  map[spot]*slowStack
	here    *slowStack
	west    *slowStack
	north   *slowStack
	nw      *slowStack
	base    int
	misses  [33][34][4]int // by z+1 and x+1
}

type slowStack [32][32]*slowSite // by z and x

func (s *slowStack) site(x, z int) *slowSite {
	if s == nil {
		return nil
	}
	return s[z][x]
}

func (s *slowLand) byte(stream int) int {
	if len(s.streams[stream]) == 0 {
		panic(errSlow)
	}
	b := s.streams[stream][0]
	s.streams[stream] = s.streams[stream][1:]
	return int(b)
}

func (s *slowLand) small(stream int) int {
	v := s.byte(stream)
	if v < 255 {
		return v
	}
	v = s.byte(stream)
	if v += s.byte(stream) << 8; v < 255 {
		panic(errSlow)
	}
	return v
}

func (s *slowLand) signed(stream int) int {
	v := s.small(stream)
	if v%2 == 1 {
		return -(v + 1) / 2
	}
	return v / 2
}

// site is the column at a place in the tower or in one beside it, nil if there
// is none.
func (s *slowLand) site(x, z int) *slowSite {
	switch {
	case x < 0 && z < 0:
		return s.nw.site(x+32, z+32)
	case x < 0:
		return s.west.site(x+32, z)
	case z < 0:
		return s.north.site(x, z+32)
	}
	return s.here.site(x, z)
}

// height is the ground there, or what stands for it.
func (s *slowLand) height(x, z int) int {
	if c := s.site(x, z); c != nil {
		return c.ground
	}
	switch {
	case x < 0 && z < 0:
		return s.height(0, z)
	case x < 0:
		return s.height(0, z-1)
	}
	return s.base * 256
}

func (s *slowLand) guesses(x, z int) [4]int {
	h := func(dx, dz int) int { return s.height(x-dx, z-dz) }
	x2 := 2*h(1, 0) - h(2, 0) + h(0, 1) - 2*h(1, 1) + h(2, 1)
	z2 := 2*h(0, 1) - h(0, 2) + h(1, 0) - 2*h(1, 1) + h(1, 2)
	both := 2*h(1, 0) - h(2, 0) + 2*h(0, 1) - h(0, 2) - 4*h(1, 1) + 2*h(2, 1) + 2*h(1, 2) - h(2, 2)
	return [4]int{h(1, 0) + h(0, 1) - h(1, 1), (x2 + z2) >> 1, both, h(1, 0)}
}

// guess returns the guess of the ground, kept within the tower, and its grade.
func (s *slowLand) guess(x, z, top int) (guess, grade int) {
	least := 1 << 60
	for i, g := range s.guesses(x, z) {
		miss := s.misses[z+1][x][i] + s.misses[z][x+1][i] + s.misses[z][x+2][i]
		if miss < least {
			least, guess = miss, g
		}
	}
	return max(s.base*256+1, min(guess, (s.base+top)*256)), []int{0, 0, 0, 1, 1, 2, 3}[min(bits.Len(uint(least)), 6)]
}

func (s *slowLand) list(w, n, nw *slowSite) int {
	likely, other := w.number(), n.number()
	if nw.has(likely) {
		likely, other = other, likely
	}
	switch op := s.small(reliefOps); {
	case op == 0:
		return likely
	case op == 1:
		return other
	case op >= 3 && op-3 < len(s.lists):
		return op - 3
	case op > 2:
		panic(errSlow)
	}
	var list []byte
	for n := s.small(reliefLayers); n > 0; n-- {
		m := s.byte(reliefLayers)
		if m > 63 || len(list) == 0 && m == 0 || len(list) > 0 && m == int(list[len(list)-1]) {
			panic(errSlow)
		}
		list = append(list, byte(m))
	}
	if len(list) == 0 || len(list) > 2048 {
		panic(errSlow)
	}
	s.lists = append(s.lists, string(list))
	return len(s.lists) - 1
}

// end reads where layer i ends.
func (s *slowLand) end(w, n, nw *slowSite, c *slowSite, i int) int {
	above := c.ends[i-1]
	guess := above - 1
	if w.has(c.list) && n.has(c.list) && nw.has(c.list) {
		thick := func(s *slowSite) int { return s.ends[i-1] - s.ends[i] }
		at := func(s *slowSite) int { return s.ends[i] }
		uneven := func(f func(*slowSite) int) int { return distance(f(w), f(nw)) + distance(f(n), f(nw)) }
		between := func(f func(*slowSite) int) int {
			v := f(w) + f(n) - f(nw)
			return max(min(f(w), f(n)), min(v, max(f(w), f(n))))
		}
		guess = between(at)
		if uneven(thick) <= uneven(at) {
			guess = above - between(thick)
		}
	} else {
		from := w
		if !w.has(c.list) && n.has(c.list) || !w.reaches(i) {
			from = n
		}
		switch {
		case !from.reaches(i):
		case i == 1:
			guess = above - (from.ends[0] - from.ends[1])
		default:
			guess = from.ends[i]
		}
	}
	at := max(s.base+1, min(guess, above-1)) + s.signed(reliefFloors)
	if at <= s.base || at >= above {
		panic(errSlow)
	}
	return at
}

func distance(a, b int) int { return max(a-b, b-a) }

func (s *slowLand) column(x, z, top int) *slowSite {
	w, n, nw := s.site(x-1, z), s.site(x, z-1), s.site(x-1, z-1)
	c := &slowSite{list: s.list(w, n, nw), ground: s.base * 256}
	c.layers = s.lists[c.list]
	guesses := s.guesses(x, z)
	if c.layers != "" {
		guess, grade := s.guess(x, z, top)
		low := s.byte(reliefLow + grade)
		c.ground = guess + int(int8(low)) + 256*s.signed(reliefHigh)
		if c.ground <= s.base*256 || c.ground > (s.base+top)*256 {
			panic(errSlow)
		}
		c.ends = append(c.ends, (c.ground-1)>>8+1)
		c.partly = [][2]int{{c.ends[0] - 1, (c.ground-1)&255 + 1}}
		for i := 1; i < len(c.layers); i++ {
			c.ends = append(c.ends, s.end(w, n, nw, c, i))
		}
		s.dents(w, n, nw, c)
	}
	for i, g := range guesses {
		s.misses[z+1][x+1][i] = min(distance(g, c.ground), 4096)
	}
	return c
}

func (s *slowLand) dents(w, n, nw, c *slowSite) {
	c.dents = s.small(reliefDents)
	y := c.ends[0] - 1
	for range c.dents {
		y -= s.small(reliefDepths) + 1
		if y < s.base || c.full(y) == 0 {
			panic(errSlow)
		}
		guess := c.full(y+1) + w.full(y) + n.full(y) - w.full(y+1) - n.full(y+1) - nw.full(y) + nw.full(y+1)
		fill := (s.byte(reliefFill) + guess - 1) & 255
		if fill == 255 {
			panic(errSlow)
		}
		c.partly = append(c.partly, [2]int{y, fill + 1})
	}
}

// slowDecodeRelief returns every tower as columns of cells, from the bottom up.
func slowDecodeRelief(streams [][]byte, heights []int, tops []geom.ChunkPos) (towers [][][]voxel.Cell, err error) {
	defer func() {
		if r := recover(); r == errSlow {
			err = errSlow
		} else if r != nil {
			panic(r)
		}
	}()
	if len(streams) != reliefStreams {
		return nil, errSlow
	}
	s := &slowLand{streams: cloneStreams(streams), lists: []string{""}, towers: map[spot]*slowStack{}}
	for i, h := range heights {
		if h < 1 || h > codec.MaxTower {
			panic(errSlow)
		}
		at := spot{int(tops[i].X), int(tops[i].Z)}
		s.west, s.north, s.nw = s.towers[spot{at.x - 1, at.z}], s.towers[spot{at.x, at.z - 1}], s.towers[spot{at.x - 1, at.z - 1}]
		s.here, s.misses, s.base = new(slowStack), [33][34][4]int{}, (int(tops[i].Y)+1-h)*32
		s.towers[at] = s.here
		var tower [][]voxel.Cell
		for z := range 32 {
			for x := range 32 {
				c := s.column(x, z, h*32)
				s.here[z][x] = c
				tower = append(tower, c.cells(s.base, h*32))
			}
		}
		towers = append(towers, tower)
	}
	for _, rest := range s.streams {
		if len(rest) > 0 {
			panic(errSlow)
		}
	}
	return towers, nil
}

func (s *slowSite) cells(base, top int) []voxel.Cell {
	out := make([]voxel.Cell, top)
	for y := range out {
		full := s.full(base + y)
		if full == 0 {
			continue
		}
		layer := 0
		for layer+1 < len(s.ends) && base+y < s.ends[layer+1] {
			layer++
		}
		out[y] = voxel.TerrainCell(s.layers[layer], uint8(full-1))
	}
	return out
}

// checkDecodeRelief compares DecodeRelief with the twin and returns the chunks.
func checkDecodeRelief(t *testing.T, streams [][]byte, heights []int, tops []geom.ChunkPos) []*voxel.Chunk {
	t.Helper()
	got, err := new(codec.Decoder).Decode(nil, codec.Relief, streams, heights, tops)
	want, slowErr := slowDecodeRelief(streams, heights, tops)
	if (err == nil) != (slowErr == nil) {
		t.Fatalf("got %v, the twin %v", err, slowErr)
	}
	if err != nil {
		if corrupt := (*codec.CorruptError)(nil); !errors.As(err, &corrupt) {
			t.Fatalf("%v is no CorruptError", err)
		}
		return nil
	}
	i := 0
	for s, h := range heights {
		for y := range h {
			for at, c := range flatOf(got[i]) {
				if c != want[s][at%towerColumns][y*32+at/towerColumns] || !voxel.Terrain.Valid(c, 0) {
					t.Fatalf("tower %d chunk %d cell %d: got %d, want %d", s, y, at, c, want[s][at%towerColumns][y*32+at/towerColumns])
				}
			}
			i++
		}
	}
	if i != len(got) {
		t.Fatalf("%d chunks, want %d", len(got), i)
	}
	return got
}
