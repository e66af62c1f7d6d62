package stone_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/zeebo/xxh3"
)

// deltaState is a chunk at each position as a map from its index to the name of a cell; what is
// missing is air.
type deltaState map[geom.ChunkPos]map[int]string

func (s deltaState) chunk(pos geom.ChunkPos, names []string) *voxel.Chunk {
	var cells [voxel.ChunkCells]voxel.Cell
	for at, name := range s[pos] {
		cells[at] = voxel.Cell(slices.Index(names, name))
	}
	return voxel.FromFlat(&cells)
}

func (s deltaState) clone() deltaState {
	out := deltaState{}
	for pos, cells := range s {
		c := map[int]string{}
		for at, name := range cells {
			c[at] = name
		}
		out[pos] = c
	}
	return out
}

// deltaNames are the names that the states of these tests use.
var deltaNames = []string{"air", "basalt", "clay", "dirt", "ember", "fern"}

// deltaStone writes a commit's stone from one state to another: the given chunks, those of whole without a delta.
// The names of the stone are those it uses.
func deltaStone(t testing.TB, was, is deltaState, at []geom.ChunkPos, whole func(geom.ChunkPos) bool) []byte {
	t.Helper()
	at = slices.Clone(at)
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	deltas := map[geom.ChunkPos]*stone.Delta{}
	counts := make([]int, len(deltaNames))
	for _, pos := range at {
		c := is.chunk(pos, deltaNames)
		if was != nil && !whole(pos) {
			deltas[pos] = stone.NewDelta(voxel.Palette, deltaNames, was.chunk(pos, deltaNames), c)
		}
		if d := deltas[pos]; d != nil {
			d.AddCounts(counts)
		} else {
			c.AddCounts(counts)
		}
	}
	names, table := []string{"air"}, make([]voxel.Cell, len(deltaNames))
	for c, n := range counts {
		if c > 0 && n > 0 {
			table[c] = voxel.Cell(len(names))
			names = append(names, deltaNames[c])
		}
	}
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{Effort: stone.Quick})
	w.Dimension("d", "")
	w.Volume(voxel.Volume{Name: voxel.Block, Scale: 1}, names)
	for _, pos := range at {
		if d := deltas[pos]; d != nil {
			w.Delta(pos, d, table)
		} else {
			w.Chunk(0, pos, is.chunk(pos, names))
		}
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mustReadState reads chunks of a stack and compares them with a state.
func mustReadState(t testing.TB, stones [][]byte, want deltaState) {
	t.Helper()
	got, err := readState(t, stones, want)
	if err != nil {
		t.Fatal(err)
	}
	for pos := range want {
		if c := got[pos].Or(voxel.Empty); !c.Equal(want.chunk(pos, deltaNames)) {
			t.Fatalf("chunk %v of a stack of %d differs", pos, len(stones))
		}
	}
}

func readState(t testing.TB, stones [][]byte, want deltaState) (map[geom.ChunkPos]*voxel.Chunk, error) {
	var layers []stone.Stacked
	for _, b := range stones {
		r := mustOpen(t, b)
		l := stone.Stacked{Reader: r}
		if dims := r.Dimensions(); len(dims) > 0 && len(dims[0].Volumes) > 0 {
			for _, name := range dims[0].Volumes[0].Names {
				l.Table = append(l.Table, voxel.Cell(slices.Index(deltaNames, name)))
			}
		}
		layers = append(layers, l)
	}
	var at []geom.ChunkPos
	for pos := range want {
		at = append(at, pos)
	}
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	got := map[geom.ChunkPos]*voxel.Chunk{}
	err := stone.ReadStack(t.Context(), layers, "d", voxel.Block, at, func(pos geom.ChunkPos, c *voxel.Chunk, _ int) error {
		if _, twice := got[pos]; twice {
			t.Errorf("chunk %v twice", pos)
		}
		got[pos] = c
		return nil
	})
	return got, err
}

// edit changes some cells of some chunks, in runs, boxes and single cells, and returns which chunks.
func (s deltaState) edit(r *rand.Rand) (at []geom.ChunkPos) {
	for pos := range s {
		if r.IntN(3) == 0 {
			continue
		}
		at = append(at, pos)
		for range r.IntN(6) {
			from, n, name := r.IntN(voxel.ChunkCells), 1+r.IntN(70), deltaNames[r.IntN(len(deltaNames))]
			for i := from; i < min(from+n, voxel.ChunkCells); i++ {
				if s[pos][i] = name; name == "air" {
					delete(s[pos], i)
				}
			}
		}
	}
	return at
}

func firstState(r *rand.Rand) deltaState {
	s := deltaState{}
	for _, pos := range []geom.ChunkPos{at(0, 0, 0), at(1, 0, 0), at(3, -1, 2), at(0, 5, 0)} {
		cells := map[int]string{}
		for i := range voxel.ChunkCells / 2 {
			cells[i] = deltaNames[1+i/997%3]
		}
		for range 400 {
			cells[r.IntN(voxel.ChunkCells)] = deltaNames[1+r.IntN(4)]
		}
		s[pos] = cells
	}
	return s
}

// deltaHistory makes the stones of a whole world and of commits on it, and the states after each.
func deltaHistory(t testing.TB, r *rand.Rand, commits int) (stones [][]byte, states []deltaState) {
	s := firstState(r)
	var all []geom.ChunkPos
	for pos := range s {
		all = append(all, pos)
	}
	stones, states = append(stones, deltaStone(t, nil, s, all, nil)), append(states, s.clone())
	for range commits {
		was := s.clone()
		changed := s.edit(r)
		stones = append(stones, deltaStone(t, was, s, changed, func(geom.ChunkPos) bool { return r.IntN(8) == 0 }))
		states = append(states, s.clone())
	}
	return stones, states
}

// TestDeltaStacks reads stacks with deltas, as they are and with random runs of them merged once or
// twice, and compares each version with a map.
func TestDeltaStacks(t *testing.T) {
	for seed := range uint64(few(3)) {
		r := rand.New(rand.NewPCG(seed, 7))
		stones, states := deltaHistory(t, r, 9)
		for n := range stones {
			mustReadState(t, stones[:n+1], states[n])
		}
		for range 12 {
			n := 1 + r.IntN(len(stones))
			stack := slices.Clone(stones[:n])
			for range 1 + r.IntN(3) {
				from := r.IntN(len(stack))
				to := from + 1 + r.IntN(len(stack)-from)
				stack = slices.Concat(stack[:from], [][]byte{mergedOf(t, stack[from:to])}, stack[to:])
			}
			mustReadState(t, stack, states[n-1])
		}
	}
}

func mergedOf(t testing.TB, stones [][]byte) []byte {
	t.Helper()
	var run []*stone.Reader
	for _, b := range stones {
		run = append(run, mustOpen(t, b))
	}
	var b bytes.Buffer
	if _, _, err := stone.Merge(t.Context(), &b, run, stone.Options{Effort: stone.Quick}); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, b.Bytes()).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDeltaWrongBase puts a delta on other stones than its own: an error, unless what it makes is the same.
func TestDeltaWrongBase(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	stones, states := deltaHistory(t, r, 3)
	var corrupt *stone.CorruptError
	for _, stack := range [][][]byte{{stones[0], stones[2]}, {stones[0], stones[1], stones[3]}, {stones[1]}, {mergedOf(t, stones[1:3]), stones[3]}} {
		if _, err := readState(t, stack, states[0]); !errors.As(err, &corrupt) {
			t.Errorf("a stack of %d: %v", len(stack), err)
		}
	}
	one := mustOpen(t, stones[1])
	if err := one.Check(t.Context()); err != nil {
		t.Errorf("a stone with deltas alone: %v", err)
	}
	for _, err := range one.Chunks(t.Context(), "d", voxel.Block, 0) {
		if !errors.Is(err, stone.ErrNoBase) {
			t.Errorf("chunks of a stone with deltas alone: %v", err)
		}
	}
	for pos := range states[0] {
		if _, _, err := one.ReadChunk(t.Context(), "d", voxel.Block, 0, pos); err != nil && !errors.Is(err, stone.ErrNoBase) {
			t.Error(err)
		}
	}
	if _, _, err := stone.Merge(t.Context(), &bytes.Buffer{}, []*stone.Reader{mustOpen(t, stones[0]), mustOpen(t, stones[2])}, stone.Options{}); !errors.As(err, &corrupt) {
		t.Errorf("a merge of deltas on another stone: %v", err)
	}
}

// TestDeltaNames has the same commit on stones whose names have other numbers.
func TestDeltaNames(t *testing.T) {
	pos := at(0, 0, 0)
	s := deltaState{pos: {5: "fern", 700: "clay", 9000: "dirt"}}
	was := s.clone()
	first := deltaStone(t, nil, s, []geom.ChunkPos{pos}, nil)
	s[pos][701] = "basalt"
	second := deltaStone(t, was, s, []geom.ChunkPos{pos}, func(geom.ChunkPos) bool { return false })
	if pages, err := mustOpen(t, second).Pages(); err != nil || len(pages) != 1 || pages[0].FormName != "delta" {
		t.Fatal(pages, err)
	}
	if names := mustOpen(t, second).Dimensions()[0].Volumes[0].Names; !slices.Equal(names, []string{"air", "basalt"}) {
		t.Errorf("names %q", names)
	}
	mustReadState(t, [][]byte{first, second}, s)
	mustReadState(t, [][]byte{mergedOf(t, [][]byte{first, second})}, s)
}

// TestDeltaHiddenLayer merges a delta below a stone of which nothing counts any more, and whose names are others.
func TestDeltaHiddenLayer(t *testing.T) {
	p, q := at(0, 0, 0), at(9, 0, 0)
	s := deltaState{p: {5: "fern", 700: "clay"}, q: {1: "dirt"}}
	stones := [][]byte{deltaStone(t, nil, s, []geom.ChunkPos{p, q}, nil)}
	add := func(pos geom.ChunkPos, at int, name string, whole bool) {
		was := s.clone()
		s[pos][at] = name
		stones = append(stones, deltaStone(t, was, s, []geom.ChunkPos{pos}, func(geom.ChunkPos) bool { return whole }))
	}
	add(p, 701, "basalt", false)
	add(q, 2, "ember", false)
	add(q, 2, "dirt", true)
	mustReadState(t, stones, s)
	for from := range 2 {
		mustReadState(t, slices.Concat(stones[:from], [][]byte{mergedOf(t, stones[from:])}), s)
	}
}

// slowDelta reads the page of deltas of a stone as FORMAT.md section 5.6 says, cell by cell.
func slowDelta(streams [][]byte, below [][]string, names []string) (made [][]string, err error) {
	runs, cells, n := streams[3], streams[4], 0
	next := func(b *[]byte) int {
		v, k := binary.Uvarint(*b)
		*b = (*b)[k:]
		return int(v)
	}
	for i, kind := range streams[0] {
		if kind != 3 {
			continue
		}
		now := slices.Clone(below[i])
		cell := 0
		for range next(&runs) {
			gap, long := next(&runs), 1
			if gap%2 == 1 {
				long = next(&runs) + 2
			}
			cell += gap / 2
			name := names[next(&cells)]
			for range long {
				now[cell] = name
				cell++
			}
		}
		var b []byte
		for c := range now {
			if c == voxel.ChunkCells-1 || now[c+1] != now[c] {
				b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint64(b, xxh3.HashString(now[c])), uint16(c))
			}
		}
		if want := binary.LittleEndian.Uint32(streams[2][4*n:]); want != uint32(xxh3.Hash(b)) {
			return nil, fmt.Errorf("delta %d makes %08x, want %08x", n, uint32(xxh3.Hash(b)), want)
		}
		n++
		made = append(made, now)
	}
	return made, nil
}

// TestDeltaTwin reads deltas with the slow twin.
func TestDeltaTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	stones, states := deltaHistory(t, r, 4)
	for n, b := range stones[1:] {
		all, _ := stone.Parts(b)
		_, streams, err := stone.SplitPage(all[0])
		if err != nil || len(all) != 1 {
			t.Fatal(len(all), err)
		}
		order, below, want := deltaOrder(t, b), [][]string(nil), [][]string(nil)
		for k, pos := range order {
			below = append(below, states[n].flat(pos))
			if streams[0][k] == 3 {
				want = append(want, states[n+1].flat(pos))
			}
		}
		made, err := slowDelta(streams, below, mustOpen(t, b).Dimensions()[0].Volumes[0].Names)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || !slices.EqualFunc(made, want, slices.Equal) {
			t.Errorf("version %d: %d deltas of %d differ", n+1, len(made), len(want))
		}
	}
}

func deltaOrder(t testing.TB, b []byte) (order []geom.ChunkPos) {
	for pos := range mustOpen(t, b).Entries("d", voxel.Block, 0) {
		order = append(order, pos)
	}
	return order
}

// FuzzDelta puts any page in place of one with deltas: what can be read is what the slow twin reads.
func FuzzDelta(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 9))
	stones, states := deltaHistory(f, r, 1)
	all, plain := stone.Parts(stones[1])
	names := mustOpen(f, stones[1]).Dimensions()[0].Volumes[0].Names
	var below [][]string
	order := deltaOrder(f, stones[1])
	for _, pos := range order {
		below = append(below, states[0].flat(pos))
	}
	f.Add(all[0])
	f.Fuzz(func(t *testing.T, page []byte) {
		b := withPage(all, plain, 0, page)
		rd, err := stone.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil || rd.Check(t.Context()) != nil {
			return
		}
		got, err := readState(t, [][]byte{stones[0], b}, states[1])
		form, streams, split := stone.SplitPage(page)
		if split != nil || form != 7 {
			return
		}
		made, slow := slowDelta(streams, below, names)
		if (err == nil) != (slow == nil) {
			t.Fatalf("%v, the slow twin %v", err, slow)
		}
		n := 0
		for k, pos := range order {
			if streams[0][k] != 3 || err != nil {
				continue
			}
			want := deltaState{pos: {}}
			for at, name := range made[n] {
				if name != "air" {
					want[pos][at] = name
				}
			}
			if n++; !got[pos].Equal(want.chunk(pos, deltaNames)) {
				t.Errorf("chunk %v is not that of the slow twin", pos)
			}
		}
	})
}

func (s deltaState) flat(pos geom.ChunkPos) []string {
	out := make([]string, voxel.ChunkCells)
	for i := range out {
		out[i] = "air"
	}
	for at, name := range s[pos] {
		out[at] = name
	}
	return out
}

// TestDeltaDamage cuts and changes each byte of a page with deltas. Nothing may panic, and no wrong chunk may
// come back.
func TestDeltaDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	stones, states := deltaHistory(t, r, 1)
	pages, plain := stone.Parts(stones[1])
	read := func(page []byte) {
		b := withPage(pages, plain, 0, page)
		rd, err := stone.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		rd.Check(t.Context())
		got, err := readState(t, [][]byte{stones[0], b}, states[1])
		if err != nil {
			return
		}
		for pos := range states[1] {
			if !got[pos].Or(0).Equal(states[1].chunk(pos, deltaNames)) && slices.Equal(page, pages[0]) {
				t.Errorf("chunk %v differs", pos)
			}
		}
	}
	for n := range pages[0] {
		read(slices.Clone(pages[0][:n]))
		for _, x := range []byte{1, 0x80, 0xFF} {
			page := slices.Clone(pages[0])
			page[n] ^= x
			read(page)
		}
	}
	read(pages[0])
}

// deltaPage is a page of one delta in form 7, or of what the streams say.
func deltaPage(kinds, values []byte, hashes int, runs, cells plain, more ...[]byte) []byte {
	return stone.AppendPage(7, slices.Concat([][]byte{kinds, values, make([]byte, 4*hashes), runs, cells}, more)...)
}

// TestDeltaHostile has pages of deltas that break a rule each.
func TestDeltaHostile(t *testing.T) {
	one := []plain{volumes(vol(lev(0, en(cube0, 1, next))))}
	sound := deltaPage([]byte{3}, nil, 1, plain{}.n(1, 4<<1), plain{}.n(1))
	if err := mustOpen(t, hostile([][]byte{sound}, one, nil)).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	far := []plain{volumes(vol(lev(3, en(1<<48|7<<45, 1, next))))}
	ruled := []plain{append(plain{}.s("d", "").list(vol(lev(0, en(cube0, 1, next)))).list(plain{}.s("r").n(0).n(1, 2)), 0, 0)}
	masks := make([]plain, 0, 9)
	for i := range 9 {
		step, mask, ref := uint64(1), uint64(1<<64-1), uint64(same)
		if i == 0 {
			step, ref = cube0, next
		}
		masks = append(masks, en(step, mask, ref))
	}
	none := slices.Repeat([]byte{3}, 9*64)
	padded := plain(bytes.Repeat([]byte{1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, 1<<21))
	for _, tt := range []struct {
		name string
		page []byte
		dims []plain
		want string
	}{
		{"of a far level", sound, far, "form 7"},
		{"where height maps follow from blocks", sound, ruled, "form 7"},
		{"in form 1", stone.AppendPage(1, []byte{3}, nil), one, "kind 3"},
		{"without streams", stone.AppendPage(7, []byte{3}, nil, nil), one, "form 7 with 3 streams"},
		{"no hash", deltaPage([]byte{3}, nil, 0, plain{}.n(0), nil), one, "ends too early"},
		{"a hash too many", deltaPage([]byte{3}, nil, 2, plain{}.n(0), nil), one, "left over"},
		{"no runs", deltaPage([]byte{3}, nil, 1, nil, nil), one, "ends too early"},
		{"fewer runs than it says", deltaPage([]byte{3}, nil, 1, plain{}.n(2, 0), plain{}.n(1, 1)), one, "ends too early"},
		{"more runs than it says", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 0, 0), plain{}.n(1)), one, "left over"},
		{"more cells than runs", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 0), plain{}.n(1, 1)), one, "left over"},
		{"endless runs", deltaPage([]byte{3}, nil, 1, append(plain{}.n(1<<63), make([]byte, 40000)...), make([]byte, 40000)), one, "a run of 1 cells"},
		{"a gap beyond the chunk", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 32768<<1), plain{}.n(1)), one, "a run of 1 cells"},
		{"a gap that overflows", deltaPage([]byte{3}, nil, 1, plain{}.n(2, 2<<1, 1<<64-2), plain{}.n(1, 1)), one, "a run of 1 cells"},
		{"a run beyond the chunk", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 1, 32767), plain{}.n(1)), one, "a run of"},
		{"a run that overflows", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 1, 1<<64-1), plain{}.n(1)), one, "a run of"},
		{"a cell without a name", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 0), plain{}.n(2)), one, "cell 2"},
		{"a cell beyond cells", deltaPage([]byte{3}, nil, 1, plain{}.n(1, 0), plain{}.n(1<<40)), one, "cell 1099511627776"},
		{"streams of runs for none", deltaPage([]byte{3}, nil, 1, plain{}.n(0), nil, []byte{1}), one, "1 streams for no chunk"},
		{"more than 512", deltaPage(none, nil, len(none), plain{}.n(make([]uint64, len(none))...), nil), []plain{volumes(vol(lev(0, masks...)))}, "more than 512"},
		{"more bytes than a cache takes", deltaPage([]byte{3}, nil, 1, append(plain{}.n(1), padded...), nil), one, "runs and cells of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if took := mustRefuse(t, hostile([][]byte{tt.page}, tt.dims, nil), tt.want); took > 80<<20 {
				t.Errorf("took %d bytes of memory", took)
			}
		})
	}
}

// TestDeltaPages has a page end before its deltas are more than a reader takes.
func TestDeltaPages(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	names := []string{"air"}
	for i := range 255 {
		names = append(names, fmt.Sprintf("rock%03d", i))
	}
	var was, is [voxel.ChunkCells]voxel.Cell
	for i := range was {
		was[i] = voxel.Cell(r.IntN(len(names)))
		if is[i] = was[i]; r.IntN(5) < 3 {
			is[i] = voxel.Cell(200 + r.IntN(16)) // of few values, so that the delta is smaller than the chunk
		}
	}
	d := stone.NewDelta(voxel.Palette, names, voxel.FromFlat(&was), voxel.FromFlat(&is))
	if d == nil {
		t.Fatal("no delta")
	}
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{Effort: stone.Quick, PageChunks: stone.MaxRuns})
	w.Dimension("d", "")
	w.Volume(voxel.Volume{Name: voxel.Block, Scale: 1}, names)
	var all []geom.ChunkPos
	for i := range int32(512) {
		all = append(all, geom.ChunkPos{X: i & 7, Y: i >> 3 & 7, Z: i >> 6})
	}
	slices.SortFunc(all, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	for _, pos := range all {
		w.Delta(pos, d, nil)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, b.Bytes())
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages, _ := stone.Parts(b.Bytes()) // equal ones are one
	if _, streams, err := stone.SplitPage(pages[0]); err != nil || len(streams[0]) == len(all) || len(streams[3])+len(streams[4]) > stone.MaxDeltas {
		t.Errorf("a page of %d deltas, %d and %d bytes, %v", len(streams[0]), len(streams[3]), len(streams[4]), err)
	}
}

// TestDeltaLong reads a chunk through more deltas than any writer lets lie on each other, as where packs are lost.
func TestDeltaLong(t *testing.T) {
	pos := at(0, 0, 0)
	s := deltaState{pos: {5: "fern", 700: "clay", 9000: "dirt"}}
	stones := [][]byte{deltaStone(t, nil, s, []geom.ChunkPos{pos}, nil)}
	r := rand.New(rand.NewPCG(6, 6))
	for n := range 1100 {
		was := s.clone()
		s[pos][r.IntN(300)] = deltaNames[1+n%5]
		stones = append(stones, deltaStone(t, was, s, []geom.ChunkPos{pos}, func(geom.ChunkPos) bool { return false }))
	}
	mustReadState(t, stones, s)
	if _, err := readState(t, stones[1:], s); err == nil {
		t.Error("read without what is lowest")
	}
}

// countedReads counts the bytes that are read.
type countedReads struct {
	*bytes.Reader
	n int
}

func (c *countedReads) ReadAt(b []byte, off int64) (int, error) {
	c.n += len(b)
	return c.Reader.ReadAt(b, off)
}

// TestReadStackInParts asks for very many chunks that are deltas: they are not all held at once.
func TestReadStackInParts(t *testing.T) {
	const edge, cubes = 4, 80 // chunks a cube, cubes
	r := rand.New(rand.NewPCG(8, 8))
	was, is := deltaState{}, deltaState{}
	var all []geom.ChunkPos
	for i := range int32(edge * edge * edge * cubes) {
		pos := geom.ChunkPos{X: i % edge, Y: i / edge % edge, Z: i / edge / edge}
		was[pos], is[pos] = map[int]string{5: "fern"}, map[int]string{5: "fern"}
		for range 60 { // so that the stone is read in several pieces
			is[pos][r.IntN(voxel.ChunkCells)] = "dirt"
		}
		all = append(all, pos)
	}
	lower := deltaStone(t, nil, was, all, nil)
	b := deltaStone(t, was, is, all, func(geom.ChunkPos) bool { return false })
	counted := &countedReads{Reader: bytes.NewReader(b)}
	upper, err := stone.Open(counted, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	layers := []stone.Stacked{{Reader: mustOpen(t, lower)}, {Reader: upper}}
	for i := range layers {
		for _, name := range layers[i].Dimensions()[0].Volumes[0].Names {
			layers[i].Table = append(layers[i].Table, voxel.Cell(slices.Index(deltaNames, name)))
		}
	}
	slices.SortFunc(all, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	n, first := 0, 0
	if err := stone.ReadStack(t.Context(), layers, "d", voxel.Block, all, func(pos geom.ChunkPos, c *voxel.Chunk, _ int) error {
		if n++; n == 1 {
			first = counted.n
		}
		if !c.Equal(is.chunk(pos, deltaNames)) {
			t.Fatalf("chunk %v differs", pos)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n != len(all) || first >= counted.n {
		t.Errorf("%d chunks of %d, %d bytes read before the first one, %d in all", n, len(all), first, counted.n)
	}
}
