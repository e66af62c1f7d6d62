package cells_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// create makes a world with a palette, a terrain and numbers.
func create(t testing.TB) *world.World {
	t.Helper()
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		tx.AddDimension("earth", []voxel.Volume{
			{Name: "solid", Schema: voxel.Terrain, Scale: 1}, {Name: "paint", Schema: voxel.Palette, Scale: 1}, {Name: "heat", Schema: voxel.Level, Scale: 4, Default: 9},
		}, map[string][]string{"solid": {"air", "rock", "moss", "sand"}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func snapshot(t testing.TB, w *world.World) *world.Snapshot {
	t.Helper()
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestRoundTrip writes random boxes of each schema and reads them, in both forms.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, volume := range []string{"solid", "paint", "heat"} {
		w := create(t)
		for range 20 {
			p := geom.Point{X: r.IntN(80) - 40, Y: r.IntN(80) - 40, Z: r.IntN(80) - 40}
			q := p.Add(geom.Point{X: r.IntN(20), Y: r.IntN(20), Z: r.IntN(20)})
			box, _ := cells.JSONBox{Min: p, Max: q.Add(geom.Point{X: 1, Y: 1, Z: 1})}.MarshalText()
			size := geom.Box{Min: p, Max: q.Add(geom.Point{X: 1, Y: 1, Z: 1})}.Cells()
			want := make([]int, size)
			for i := range want {
				if want[i] = r.IntN(4); i > 0 && r.IntN(3) > 0 {
					want[i] = want[i-1]
				}
			}
			names := map[string]string{"solid": `["sand","moss","rock","air"]`, "paint": `["red","blue","air","green"]`, "heat": "[]"}[volume]
			list, _ := json.Marshal(want)
			write, err := cells.Decode(fmt.Appendf(nil, `{"volume":%q,"box":%q,"names":%s,"cells":%s,"author":"a"}`, volume, box, names, list), false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := write.Apply(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			s := snapshot(t, w)
			h, err := cells.Query(url.Values{"volume": {volume}, "box": {string(box)}})
			if err != nil {
				t.Fatal(err)
			}
			h.Settle(s)
			got, err := cells.Read(t.Context(), s, h, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			text, err := got.JSON()
			if err != nil {
				t.Fatal(err)
			}
			wantBox(t, text, names, want)
			body, err := got.Records()
			if err != nil {
				t.Fatal(err)
			}
			var records bytes.Buffer
			if _, err := body.WriteTo(&records); err != nil {
				t.Fatal(err)
			}
			for i, b := range [][]byte{text, records.Bytes()} {
				again, err := cells.Decode(b, i == 1)
				if err != nil {
					t.Fatal(err)
				}
				if d, err := again.Apply(t.Context(), w); err != nil || !d.Same || d.Volume != volume {
					t.Fatalf("what was read is written: %+v, %v", d, err)
				}
			}
		}
	}
}

// TestDecodeMemory: what waits to be applied takes memory for its body, not for its box.
func TestDecodeMemory(t *testing.T) {
	const body = `{"box":"0,0,0..255,255,63","names":["a"],"cells":[[0,4194304]],"occupancy":[[255,4194304]]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := cells.Decode([]byte(body), false)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || took > 1<<20 {
		t.Errorf("%d bytes became %d: %v", len(body), took, err)
	}
}

// TestBoxText: a text is taken as a whole or not at all.
func TestBoxText(t *testing.T) {
	for _, tail := range []string{strings.Repeat(" ", 88) + "rest", strings.Repeat("0", 88) + "9", strings.Repeat(" ", 1000)} {
		if h, err := cells.Query(url.Values{"box": {"0,0,0..1,1,1" + tail}}); err == nil {
			t.Errorf("1,1,1%.100s is read as %v", tail, h.Box)
		}
	}
}

// wantBox compares an answer with numbers and what they mean.
func wantBox(t *testing.T, text []byte, names string, want []int) {
	t.Helper()
	var a struct {
		Names     []string
		Cells     []any
		Occupancy []any
	}
	var meant []string
	if err := errors.Join(json.Unmarshal(text, &a), json.Unmarshal([]byte(names), &meant)); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, e := range a.Cells {
		n, count := 0, 1
		if pair, ok := e.([]any); ok {
			n, count = int(pair[0].(float64)), int(pair[1].(float64))
		} else {
			n = int(e.(float64))
		}
		for range count {
			if len(meant) == 0 && n != want[at] || len(meant) > 0 && a.Names[n] != meant[want[at]] {
				t.Fatalf("cell %d is %d of %v, want %d of %v", at, n, a.Names, want[at], meant)
			}
			at++
		}
	}
	if at != len(want) {
		t.Fatalf("%d cells, want %d", at, len(want))
	}
}

// TestKeep: null keeps what is there, and an occupancy is kept.
// TestNumbers: blocks of before 1.13 are written by their names and shown by them, and what was
// read can be written.
func TestNumbers(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		tx.AddDimension("earth", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, map[string][]string{voxel.Block: {"air", "legacy:1/0"}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	write, err := cells.Decode([]byte(`{"box":"0,0,0..3,0,0","names":["red_wool","legacy:3/1","5:2","air"],"cells":[0,1,2,3]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := write.Apply(t.Context(), w); err != nil || d.Cells != 3 {
		t.Fatalf("%+v, %v", d, err)
	}
	s := snapshot(t, w)
	h, err := cells.Query(url.Values{"box": {"0,0,0..3,0,0"}})
	if err != nil {
		t.Fatal(err)
	}
	h.Settle(s)
	got, err := cells.Read(t.Context(), s, h, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	text, err := got.JSON()
	const want = `"names":["air","legacy:35/14","legacy:3/1","legacy:5/2"],"shown":["air","minecraft:red_wool (35:14)","minecraft:coarse_dirt (3:1)","minecraft:birch_planks (5:2)"],"cells":[1,2,3,0]}`
	if err != nil || !strings.Contains(string(text), want) {
		t.Fatalf("%s, %v; want %s", text, err, want)
	}
	if write, err = cells.Decode(text, false); err != nil {
		t.Fatal(err)
	}
	if d, err := write.Apply(t.Context(), w); err != nil || !d.Same {
		t.Errorf("%+v, %v", d, err)
	}
	if write, err = cells.Decode([]byte(`{"box":"0,0,0..0,0,0","names":["deepslate"],"cells":[0]}`), false); err == nil {
		_, err = write.Apply(t.Context(), w)
	}
	if err == nil || !strings.Contains(err.Error(), "the game has none before 1.13") {
		t.Errorf("deepslate: %v", err)
	}
}

func TestKeep(t *testing.T) {
	w := create(t)
	for _, tt := range []struct {
		body  string
		cells int
	}{
		{`{"box":"0,0,0..3,0,0","names":["rock"],"cells":[[0,4]],"occupancy":[255,[100,2],0]}`, 4},
		{`{"box":"3,0,0..0,0,0","names":["sand",null],"cells":[1,0,[1,2]]}`, 1},
		{`{"box":"0,0,0..3,0,0","names":["air","rock"],"cells":[0,1,1,0],"occupancy":[[100,4]]}`, 3},
	} {
		write, err := cells.Decode([]byte(tt.body), false)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := write.Apply(t.Context(), w); err != nil || d.Cells != tt.cells {
			t.Errorf("%s: %+v, %v", tt.body, d, err)
		}
	}
	if c, ok := w.View().Dimension("earth").Volume("solid").Cell(geom.Point{X: 1}); !ok || c != voxel.TerrainCell(1, 100) {
		t.Errorf("cell %#x", c)
	}
}

// seeds are bodies that Decode takes.
func seeds(t testing.TB) (json, records []byte) {
	json = []byte(`{"dimension":"earth","volume":"paint","box":"0,0,0..3,1,0","names":["red",null],"cells":[0,[1,5],[0,2]],"message":"m","author":"a"}`)
	var b wire.Body
	b.Add([]byte(`{"box":"0,0,0..1,0,0","names":["red"]}`))
	b.Add([]byte{0, 0, 0, 0})
	var out bytes.Buffer
	if _, err := b.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return json, out.Bytes()
}

func TestTruncated(t *testing.T) {
	text, records := seeds(t)
	for i, b := range [][]byte{text, records} {
		if _, err := cells.Decode(b, i == 1); err != nil {
			t.Fatal(err)
		}
		for n := range b {
			var wrong *cells.CallError
			if _, err := cells.Decode(b[:n], i == 1); !errors.As(err, &wrong) {
				t.Errorf("the first %d bytes of %q: %v", n, b, err)
			}
		}
		if _, err := cells.Decode(append(bytes.Clone(b), '1'), i == 1); err == nil {
			t.Errorf("%q with a byte behind it is taken", b)
		}
	}
}

// FuzzDecode: a body is refused in words or can be applied or refused in words.
func FuzzDecode(f *testing.F) {
	text, records := seeds(f)
	f.Add(text, false)
	f.Add(records, true)
	f.Add([]byte(`{"box":"0,0,0..0,0,0","cells":[[65535,1]],"volume":"heat","schema":"level"}`), false)
	f.Add([]byte(`{"box":"0,0,0..0,0,0","names":["rock"],"cells":[0],"occupancy":[[300,1]],"any_name":true}`), false)
	f.Fuzz(func(t *testing.T, body []byte, records bool) {
		write, err := cells.Decode(body, records)
		var wrong *cells.CallError
		if err == nil {
			if geom.Box(write.Box).Cells() > 1<<15 {
				return // it takes long
			}
			_, err = write.Apply(t.Context(), create(t))
		}
		if err != nil && !errors.As(err, &wrong) {
			t.Errorf("%q: %v", body, err)
		}
	})
}

func TestTile(t *testing.T) {
	for query, want := range map[string]picture.TileOptions{
		"":                              {Layer: "blocks"},
		"layer=height&zoom=-3&x=-4&z=5": {Layer: "height", Zoom: -3, X: -4, Z: 5},
		"from=-64&to=10":                {Layer: "blocks", Heights: picture.Heights{From: -64, To: 11}},
		"to=0":                          {Layer: "blocks", Heights: picture.Heights{From: -1 << 25, To: 1}},
	} {
		q, _ := url.ParseQuery(query)
		if got, err := cells.Tile(q); err != nil || got != want {
			t.Errorf("%s: %+v, %v", query, got, err)
		}
	}
	for _, query := range []string{"layer=x", "zoom=21", "zoom=-4", "x=1000000", "zoom=20&x=1", "z=a", "from=3&to=2", "from=99999999", "to=1.5"} {
		q, _ := url.ParseQuery(query)
		var wrong *cells.CallError
		if _, err := cells.Tile(q); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestCeiling: the nether is shown from below its ceiling unless a query says otherwise.
func TestCeiling(t *testing.T) {
	for query, want := range map[string]picture.Heights{
		"":             {From: -1 << 25, To: 100},
		"from=20":      {From: 20, To: 100},
		"from=110":     {From: 99, To: 100},
		"to=127":       {From: -1 << 25, To: 128},
		"from=0&to=31": {From: 0, To: 32},
	} {
		q, _ := url.ParseQuery(query)
		o, err := cells.Tile(q)
		if cells.Ceiling(&o, "the_nether"); err != nil || o.Heights != want {
			t.Errorf("%s: %+v, %v, want %+v", query, o.Heights, err, want)
		}
		before, err := cells.Tile(q)
		if o = before; err != nil {
			t.Fatal(err)
		}
		if cells.Ceiling(&o, "overworld"); o != before {
			t.Errorf("%s: a world without a ceiling: %+v", query, o.Heights)
		}
	}
}
