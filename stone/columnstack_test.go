package stone_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// thingState is columns with their lists, and files.
type thingState struct {
	columns map[geom.ColumnPos]*voxel.Column
	files   map[string][]byte
}

func (s thingState) clone() thingState {
	return thingState{maps.Clone(s.columns), maps.Clone(s.files)}
}

var thingLists = []string{"entities", "ticks", "tiles"}

// longTag is a document of NBT with one long.
func longTag(name string, v int64) []byte {
	b := append([]byte{4}, binary.BigEndian.AppendUint16(nil, uint16(len(name)))...)
	return binary.BigEndian.AppendUint64(append(b, name...), uint64(v))
}

// someColumn returns a column as a game keeps one.
func someColumn(r *rand.Rand, pos geom.ColumnPos) *voxel.Column {
	c := &voxel.Column{Pos: pos, Version: 2865, Layout: uint16(r.IntN(3)), Sections: []voxel.Section{{Y: -4, Has: voxel.HasBlock}, {Y: 0, Has: 3, Tags: []byte{1, 0, 1, 'a', 7, 0}}}}
	m := voxel.Map{Name: "top", Form: 1}
	for i := range m.Values {
		m.Values[i] = int32(60 + r.IntN(5))
	}
	c.Maps = append(c.Maps, m)
	c.Parts = []voxel.Part{{Name: "LastUpdate", Data: longTag("LastUpdate", 1000)}, {Name: "Status", Data: []byte{8, 0, 6, 'S', 't', 'a', 't', 'u', 's', 0, 2, 'o', 'k'}},
		{Name: "InhabitedTime", Data: longTag("InhabitedTime", int64(r.IntN(100000)))}, {Name: "odd", Data: []byte{99, 1}, Stamp: 7, Damaged: true}, {Name: "none"}}
	return c
}

func someObjects(r *rand.Rand, pos geom.ColumnPos) (l []voxel.Object) {
	for range r.IntN(5) {
		o := voxel.Object{Payload: []byte(fmt.Sprintf("\x08\x00\x02id\x00\x04cow%d%0*d\x00", r.IntN(10), 40, r.IntN(1000)))}
		if o.Place = voxel.Place(r.IntN(3)); o.Place != voxel.Nowhere {
			o.At = pos.Min(r.IntN(90)).Add(geom.Point{X: r.IntN(16), Z: r.IntN(40)})
		}
		l = append(l, o)
	}
	return l
}

// edit changes some columns and files and returns which.
func (s thingState) edit(r *rand.Rand) (at []geom.ColumnPos, paths []string) {
	for x := range int32(5) {
		for z := range int32(3) {
			pos := geom.ColumnPos{X: x * 3, Z: z - 1}
			was := s.columns[pos]
			switch n := r.IntN(9); {
			case n < 4:
				continue
			case was == nil:
				s.columns[pos] = someColumn(r, pos)
			case n == 4 && r.IntN(2) == 0:
				delete(s.columns, pos)
			default:
				c := *was
				if r.IntN(2) == 0 {
					c.Parts = slices.Clone(c.Parts)
					c.Parts[0].Data = longTag("LastUpdate", r.Int64N(1<<20))
				}
				if r.IntN(3) == 0 {
					c.Maps = slices.Clone(c.Maps)
					c.Maps[0].Values[r.IntN(256)]++
				}
				c.Lists = nil
				for _, name := range thingLists {
					l := slices.Clone(was.Objects(name))
					switch k := r.IntN(6); {
					case k == 0:
						l = someObjects(r, pos)
					case k == 1 && len(l) > 0:
						l = slices.Delete(l, 0, 1)
					case k < 4 && len(l) > 0:
						o := &l[r.IntN(len(l))]
						o.Payload = bytes.Clone(o.Payload)
						o.Payload[20+r.IntN(10)]++
					}
					if len(l) > 0 {
						c.Lists = append(c.Lists, voxel.List{Name: name, Objects: l})
					}
				}
				s.columns[pos] = &c
			}
			at = append(at, pos)
		}
	}
	for _, path := range []string{"a", "b/c", "d"} {
		was, there := s.files[path]
		switch n := r.IntN(8); {
		case n < 3:
			continue
		case n == 3:
			if delete(s.files, path); !there {
				continue
			}
		case n == 4 || len(was) < 50:
			b := make([]byte, r.IntN(3000))
			if path == "d" && r.IntN(3) == 0 {
				b = make([]byte, 1<<20+r.IntN(1<<18)) // two pages
			}
			for i := range b {
				b[i] = byte(r.Uint32() >> 28)
			}
			s.files[path] = b
		default:
			b := bytes.Clone(was)
			for range 3 {
				b[r.IntN(len(b))]++
			}
			s.files[path] = append(b[:40], b[40+r.IntN(3):]...)
		}
		paths = append(paths, path)
	}
	return at, paths
}

// thingStone writes a commit's stone from one state to another, as what differs unless whole says otherwise.
func thingStone(t testing.TB, was, is thingState, at []geom.ColumnPos, paths []string, o stone.Options, whole func() bool) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stone.NewWriter(&b, o)
	w.Dimension("d", "")
	at = slices.Clone(at)
	slices.SortFunc(at, geom.ColumnPos.Compare)
	for _, pos := range at {
		base, c := was.columns[pos], is.columns[pos]
		if c == nil {
			w.NoColumn(pos)
			continue
		}
		said := *c
		said.Lists = nil
		for _, name := range thingLists {
			said.Lists = append(said.Lists, voxel.List{Name: name, Objects: c.Objects(name)})
		}
		if base == nil || whole() {
			w.Column(&said)
		} else {
			w.Differ(base, &said, false)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		base, known := was.files[path]
		data, there := is.files[path]
		switch {
		case !there:
			w.NoFile(path)
		case known && !whole():
			w.DifferFile(path, base, data)
		default:
			w.File(path, int64(len(data)), bytes.NewReader(data))
		}
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads a stack.
func readThings(t testing.TB, stones [][]byte) (s thingState, err error) {
	s = thingState{map[geom.ColumnPos]*voxel.Column{}, map[string][]byte{}}
	var layers []*stone.Reader
	for _, b := range stones {
		layers = append(layers, mustOpen(t, b))
	}
	all := map[geom.ColumnPos]bool{}
	paths := map[string]bool{}
	for _, r := range layers {
		for pos := range r.ColumnEntries("d") {
			all[pos] = true
		}
		for path := range r.FileEntries() {
			paths[path] = true
		}
	}
	columns := stone.Columns(t.Context(), layers, "d", thingLists)
	for pos := range all {
		c, err := columns.Column(pos)
		if err != nil {
			return s, err
		}
		if c != nil {
			s.columns[pos] = c
		}
	}
	for path := range paths {
		r, err := stone.OpenStackFile(t.Context(), layers, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return s, err
		}
		if s.files[path], err = io.ReadAll(r); err != nil {
			return s, err
		}
	}
	return s, nil
}

// same compares what a stack says with a state.
func sameThings(t testing.TB, stones [][]byte, want thingState) {
	t.Helper()
	got, err := readThings(t, stones)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.columns) != len(want.columns) || len(got.files) != len(want.files) {
		t.Fatalf("%d columns and %d files, want %d and %d", len(got.columns), len(got.files), len(want.columns), len(want.files))
	}
	for pos, c := range want.columns {
		if g := got.columns[pos]; g == nil || !equalThings(g, c) {
			t.Fatalf("column %v of a stack of %d: %+v, want %+v", pos, len(stones), g, c)
		}
	}
	for path, b := range want.files {
		if !bytes.Equal(got.files[path], b) {
			t.Fatalf("file %q of a stack of %d: %d bytes, want %d", path, len(stones), len(got.files[path]), len(b))
		}
	}
}

// equalThings compares columns; no bytes are no bytes.
func equalThings(a, b *voxel.Column) bool {
	bare := func(c *voxel.Column) voxel.Column {
		out := *c
		out.Parts = slices.Clone(c.Parts)
		for i := range out.Parts {
			if len(out.Parts[i].Data) == 0 {
				out.Parts[i].Data = nil
			}
		}
		return out
	}
	return reflect.DeepEqual(bare(a), bare(b))
}

// things makes a stack of random states.
func things(t testing.TB, r *rand.Rand, n int) (stones [][]byte, states []thingState) {
	was := thingState{map[geom.ColumnPos]*voxel.Column{}, map[string][]byte{}}
	for range n {
		is := was.clone()
		at, paths := is.edit(r)
		stones = append(stones, thingStone(t, was, is, at, paths, stone.Options{Effort: stone.Quick}, func() bool { return r.IntN(5) == 0 }))
		states, was = append(states, is), is
	}
	return stones, states
}

// patches counts the things of a stone's pages with patches.
func patches(t testing.TB, b []byte) (n int) {
	t.Helper()
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if strings.HasPrefix(p.FormName, "delta") {
			n++
		}
	}
	return n
}

// TestColumnStack reads random stacks of columns, lists and files that differ, and what merges make of them.
func TestColumnStack(t *testing.T) {
	differ, merged := 0, 0
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 9))
		stones, states := things(t, r, 9)
		for n, s := range states {
			sameThings(t, stones[:n+1], s)
		}
		for n, b := range stones {
			if differ += patches(t, b); n == 0 && differ > 0 && seed == 0 {
				t.Error("patches on nothing")
			}
			if err := mustOpen(t, b).Check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 6 {
			from := r.IntN(len(stones) - 1)
			to := from + 2 + r.IntN(len(stones)-from-1)
			var run []*stone.Reader
			for _, b := range stones[from:to] {
				run = append(run, mustOpen(t, b))
			}
			var b bytes.Buffer
			if _, _, err := stone.Merge(t.Context(), &b, run, stone.Options{Effort: stone.Quick}); err != nil {
				t.Fatal(err)
			}
			n := patches(t, b.Bytes())
			if merged += n; from == 0 && n > 0 {
				t.Errorf("a merge of all has %d pages with patches", n)
			}
			with := slices.Concat(stones[:from], [][]byte{b.Bytes()}, stones[to:])
			for top := from + 1; top <= len(with); top++ {
				sameThings(t, with[:top], states[len(stones)-len(with)+top-1])
			}
		}
	}
	if differ < 80 || merged < 15 {
		t.Errorf("%d pages with patches, %d in merges", differ, merged)
	}
}

// TestColumnStackRefuses reads stacks of which a stone is missing or another. What a stone above says is as it was, or an error.
func TestColumnStackRefuses(t *testing.T) {
	refused := 0
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		stones, states := things(t, r, 6)
		others, _ := things(t, r, 6)
		for n := range 5 {
			for _, with := range [][][]byte{slices.Delete(slices.Clone(stones), n, n+1), slices.Concat(stones[:n], others[n:n+1], stones[n+1:])} {
				var layers []*stone.Reader
				for _, b := range with {
					layers = append(layers, mustOpen(t, b))
				}
				refuse := func(what any, err error, same bool) {
					if c := (*stone.CorruptError)(nil); errors.As(err, &c) {
						refused++
					} else if err != nil || !same {
						t.Errorf("%v: %v, and not what it was", what, err)
					}
				}
				columns := stone.Columns(t.Context(), layers, "d", nil)
				for _, b := range stones[n+1:] {
					r := mustOpen(t, b)
					for pos := range r.ColumnEntries("d") {
						c, err := columns.Column(pos)
						want := states[5].columns[pos]
						if want != nil {
							bare := *want
							bare.Lists = nil
							want = &bare
						}
						refuse(pos, err, (c == nil) == (want == nil) && (c == nil || equalThings(c, want)))
					}
					for path := range r.FileEntries() {
						f, err := stone.OpenStackFile(t.Context(), layers, path)
						if want, known := states[5].files[path]; known && err == nil {
							got, e := io.ReadAll(f)
							refuse(path, e, bytes.Equal(got, want))
						} else if known || !errors.Is(err, fs.ErrNotExist) {
							refuse(path, err, false)
						}
					}
				}
			}
		}
		if patches(t, stones[5]) == 0 {
			continue
		}
		alone := mustOpen(t, stones[5])
		var err error
		for _, e := range alone.ReadColumns(t.Context(), "d") {
			err = errors.Join(err, e)
		}
		for path := range alone.FileEntries() {
			if f, e := alone.OpenFile(path); e == nil {
				f.Close()
			} else if !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		if !errors.Is(err, stone.ErrNoBase) {
			t.Errorf("a stone that differs, alone: %v", err)
		}
	}
	if refused < 40 {
		t.Errorf("%d refused", refused)
	}
}

// TestTimes holds columns of which only times changed to 16 bytes each in the stone, and files to few.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	was := thingState{map[geom.ColumnPos]*voxel.Column{}, map[string][]byte{}}
	is := was.clone()
	var at []geom.ColumnPos
	for i := range int32(200) {
		pos := geom.ColumnPos{X: i % 20, Z: i / 20}
		c := someColumn(r, pos)
		c.Lists = []voxel.List{{Name: "ticks", Objects: []voxel.Object{{Payload: longTag("t", 5)}, {Payload: longTag("t", 77)}}}}
		now := *c
		now.Parts = slices.Clone(c.Parts)
		now.Parts[0].Data = longTag("LastUpdate", 73000+int64(r.IntN(40)))
		now.Parts[2].Data = longTag("InhabitedTime", 5+int64(r.IntN(1<<17)))
		was.columns[pos], is.columns[pos] = c, &now
		at = append(at, pos)
	}
	b := thingStone(t, was, is, at, nil, stone.Options{Effort: stone.Quick}, func() bool { return false })
	if n := len(b); n > 16*len(at) {
		t.Errorf("%d bytes for %d columns: %.1f each", n, len(at), float64(n)/float64(len(at)))
	}
	t.Logf("%.1f bytes each", float64(len(b))/float64(len(at)))
}

// TestDifferMisuse has no patches in stones with tallies, and none that nobody wants.
func TestDifferMisuse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	pos := geom.ColumnPos{X: 1, Z: 2}
	c := someColumn(r, pos)
	now := *c
	now.Parts = nil
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{Tally: true})
	w.Dimension("d", "")
	if err := w.Differ(c, &now, false); err == nil {
		t.Error("a patch in a stone with tallies")
	}
	state := func(c *voxel.Column) thingState {
		return thingState{map[geom.ColumnPos]*voxel.Column{pos: c}, map[string][]byte{"a": append(longTag("a", 5), make([]byte, 100)...)}}
	}
	is := state(&now)
	is.files["a"] = append(longTag("a", 7), make([]byte, 100)...)
	for _, whole := range []bool{false, true} {
		b := thingStone(t, state(c), is, []geom.ColumnPos{pos}, []string{"a"}, stone.Options{Whole: whole}, func() bool { return false })
		if n := patches(t, b); (n == 0) != whole {
			t.Errorf("whole %v: %d patches", whole, n)
		}
	}
	if b := thingStone(t, is, is, []geom.ColumnPos{pos}, nil, stone.Options{}, func() bool { return false }); len(slices.Collect(maps.Keys(maps.Collect(mustOpen(t, b).ColumnEntries("d"))))) > 0 {
		t.Error("what did not change is written")
	}
}
