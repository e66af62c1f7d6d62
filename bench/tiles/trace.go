package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Trace is a sequence of reads of tiles. The same seed and length make the same trace.
type Trace struct {
	Name  string
	Keys  []uint64 // of tiles, in the order of their first read
	Sizes []int32  // bytes of those tiles
	Reads []int32  // indexes into Keys
}

// traceMaker writes a trace.
type traceMaker struct {
	Trace
	random *rand.Rand
	index  map[uint64]int32
	bytes  func(key uint64) int32
	want   int // reads
}

// read adds a read of a tile, unless the trace is done.
func (m *traceMaker) read(key uint64) {
	if m.done() {
		return
	}
	i, ok := m.index[key]
	if !ok {
		i = int32(len(m.Keys))
		m.index[key] = i
		m.Keys = append(m.Keys, key)
		m.Sizes = append(m.Sizes, m.bytes(key))
	}
	m.Reads = append(m.Reads, i)
}

func (m *traceMaker) done() bool { return len(m.Reads) >= m.want }

// traceKinds are the traces by name.
var traceKinds = []struct {
	name string
	make func(*traceMaker)
}{
	{"zipf", zipf},
	{"viewers", func(m *traceMaker) { viewers(m, 0) }},
	{"scan", func(m *traceMaker) { viewers(m, scanPart) }},
	{"loop", loop},
	{"scene", scene},
	{"tools", tools},
	{"drift", drift},
}

// TraceNames returns the names of the traces.
func TraceNames() (names []string) {
	for _, k := range traceKinds {
		names = append(names, k.name)
	}
	return names
}

func errTrace(name string) error {
	return fmt.Errorf("no trace %q; there are %s", name, strings.Join(TraceNames(), ", "))
}

// NewTrace makes a trace of that many reads. If bytes is not 0, each tile has that size.
func NewTrace(name string, seed uint64, reads int, bytes int32) (*Trace, error) {
	i := slices.Index(TraceNames(), name)
	if i < 0 {
		return nil, fmt.Errorf("tiles: %w", errTrace(name))
	}
	m := &traceMaker{
		Trace:  Trace{Name: name},
		random: rand.New(rand.NewPCG(seed, uint64(i))),
		index:  make(map[uint64]int32),
		bytes:  mixedBytes,
		want:   reads,
	}
	traceKinds[i].make(m)
	if bytes != 0 {
		for j := range m.Sizes {
			m.Sizes[j] = bytes
		}
	}
	return &m.Trace, nil
}

// mix is the finalizer of MurmurHash3 with 64 bits.
func mix(key uint64) uint64 {
	key = (key ^ key>>33) * 0xff51afd7ed558ccd
	key = (key ^ key>>33) * 0xc4ceb9fe1a85ec53
	return key ^ key>>33
}

// mixedBytes is the size of a tile of mixed sizes: 2 KiB to 64 KiB, powers of two.
func mixedBytes(key uint64) int32 { return 2 << 10 << (mix(key) % 6) }

const (
	// mapEdge is the edge in tiles of the plane of zipf and of viewers.
	mapEdge = 256
	mapKeys = mapEdge * mapEdge
	// loopTiles is how many tiles the loop has.
	loopTiles = 8000
	// scanPart is how many of the reads are of the scan: one in so many.
	scanPart = 9
)

// zipf draws from mapKeys tiles by a Zipf distribution with exponent 1.05.
func zipf(m *traceMaker) {
	z := newZipf(m.random, 1.05, mapKeys)
	for !m.done() {
		m.read(mix(uint64(z.draw())))
	}
}

// driftReads is after how many reads each tile of drift moves up by a rank.
const driftReads = 20

// drift is zipf whose tiles become wanted more and more, until they are wanted no more: each moves
// up by a rank after some reads, and a new one comes last.
func drift(m *traceMaker) {
	z := newZipf(m.random, 1.05, mapKeys)
	for !m.done() {
		m.read(mix(uint64(z.draw() + len(m.Reads)/driftReads)))
	}
}

// zipfian draws ranks by their sums of weights.
type zipfian struct {
	random *rand.Rand
	sums   []float64
}

func newZipf(r *rand.Rand, exponent float64, n int) *zipfian {
	z := &zipfian{random: r, sums: make([]float64, n)}
	sum := 0.0
	for i := range z.sums {
		sum += math.Pow(float64(i+1), -exponent)
		z.sums[i] = sum
	}
	return z
}

func (z *zipfian) draw() int {
	at := z.random.Float64() * z.sums[len(z.sums)-1]
	i, _ := slices.BinarySearch(z.sums, at)
	return min(i, len(z.sums)-1)
}

// loop reads the same tiles again and again in one order.
func loop(m *traceMaker) {
	for i := uint64(0); !m.done(); i++ {
		m.read(i % loopTiles)
	}
}

// mapKey is the key of a tile of the plane.
func mapKey(x, y int) uint64 { return uint64(y)<<32 | uint64(x) }

// MapPlace returns the place of a tile of the traces "viewers" and "scan".
func MapPlace(key uint64) (x, y int) { return int(uint32(key)), int(key >> 32) }

const (
	walkers = 24
	hubs    = 4
	sight   = 10 // tiles that a walker sees in each direction
)

// walker is a viewer who moves in the plane.
type walker struct {
	x, y   float64 // tiles
	tx, ty float64 // where it goes
	hub    bool    // it stays near where it started
}

// viewers moves walkers: half of them stay around hubs, half travel. Each turn one walker
// moves by at most a tile and reads the tiles around it. If scan is not 0, one of so many
// reads is of a sweep over the whole plane.
func viewers(m *traceMaker, scan int) {
	all := newWalkers(m.random)
	swept := 0
	for !m.done() {
		w := &all[m.random.IntN(len(all))]
		w.move(m.random)
		w.look(func(x, y int) {
			m.read(mapKey(x, y))
			if scan != 0 && len(m.Reads)%scan == scan-1 {
				m.read(mapKey(swept%mapEdge, swept/mapEdge%mapEdge))
				swept++
			}
		})
	}
}

func newWalkers(r *rand.Rand) (all [walkers]walker) {
	place := func() float64 { return sight + r.Float64()*(mapEdge-2*sight) }
	var at [hubs][2]float64
	for i := range at {
		at[i] = [2]float64{place(), place()}
	}
	for i := range all {
		all[i] = walker{x: place(), y: place(), tx: place(), ty: place()}
		if i%2 == 0 {
			h := at[i/2%hubs]
			all[i] = walker{x: h[0], y: h[1], tx: h[0], ty: h[1], hub: true}
		}
	}
	return all
}

// move takes a step. A walker at a hub moves at random and is drawn back; another goes to
// its aim at one tile a step and then takes a new one.
func (w *walker) move(r *rand.Rand) {
	dx, dy := w.tx-w.x, w.ty-w.y
	switch far := math.Hypot(dx, dy); {
	case w.hub:
		w.x += dx/16 + r.Float64()*2 - 1
		w.y += dy/16 + r.Float64()*2 - 1
	case far < 1:
		w.tx, w.ty = sight+r.Float64()*(mapEdge-2*sight), sight+r.Float64()*(mapEdge-2*sight)
	default:
		w.x += dx / far
		w.y += dy / far
	}
}

// look calls f with the tiles of the plane that the walker sees.
func (w *walker) look(f func(x, y int)) {
	for dy := -sight; dy <= sight; dy++ {
		for dx := -sight; dx <= sight; dx++ {
			x, y := int(w.x)+dx, int(w.y)+dy
			if dx*dx+dy*dy <= sight*sight && min(x, y) >= 0 && max(x, y) < mapEdge {
				f(x, y)
			}
		}
	}
}
