package server_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// boxJSON is an answer of GET /v1/cells.
type boxJSON struct {
	Dimension, Volume, Schema, Box string
	Names                          []string
	Cells, Occupancy               []any
}

// flat returns the numbers of a list with runs.
func flat(t testing.TB, list []any) (out []int) {
	t.Helper()
	for _, e := range list {
		switch e := e.(type) {
		case float64:
			out = append(out, int(e))
		case []any:
			out = append(out, slices.Repeat([]int{int(e[0].(float64))}, int(e[1].(float64)))...)
		}
	}
	return out
}

// mustCells reads a box in both forms and returns the names of its cells.
func (s *site) mustCells(world, query string) (out []string) {
	s.t.Helper()
	var a boxJSON
	s.want(200, request{method: "GET", path: "/v1/cells/" + world + "?" + query}, &a)
	got := s.get("/v1/cells/"+world+"?"+query, "Accept", wire.RecordsType)
	r := wire.NewRecordReader(bytes.NewReader(got.body), 1<<24)
	head, err := r.Next(1 << 20)
	if err != nil {
		s.t.Fatal(err)
	}
	var b boxJSON
	if err := json.Unmarshal(head, &b); err != nil || fmt.Sprint(a.Names) != fmt.Sprint(b.Names) || a.Box != b.Box {
		s.t.Errorf("the forms differ: %s: %v", head, err)
	}
	raw, err := r.Next(1 << 24)
	if err = errors.Join(err, r.End()); err != nil {
		s.t.Fatal(err)
	}
	cells, full := flat(s.t, a.Cells), flat(s.t, a.Occupancy)
	if len(raw) != 2*len(cells) {
		s.t.Fatalf("%d bytes of %d cells", len(raw), len(cells))
	}
	for i, n := range cells {
		cell := n
		if full != nil {
			cell = n<<8 | full[i]
		}
		if int(binary.LittleEndian.Uint16(raw[2*i:])) != cell {
			s.t.Fatalf("cell %d: %d in JSON", i, cell)
		}
		if len(a.Names) > 0 {
			out = append(out, a.Names[n])
		} else {
			out = append(out, fmt.Sprint(n))
		}
	}
	return out
}

type doneJSON struct {
	Cells  int
	Same   bool
	Commit *wire.Commit
}

func (s *site) put(status int, body string, header ...string) (d doneJSON) {
	s.t.Helper()
	to := any(&d)
	if status != 200 {
		to = nil
	}
	s.want(status, request{"PUT", "/v1/cells/a", []byte(body), header}, to)
	return d
}

func TestCells(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	const box = "box=-3,100,-2..2,103,5"
	whole := s.get("/v1/cells/a?" + box)
	first := whole.header.Get("ETag")
	if again := s.get("/v1/cells/a?"+box, "If-None-Match", first); again.status != 304 {
		t.Errorf("a known version: %d", again.status)
	}
	d := s.put(200, `{"box":"0,100,0..4,102,0","names":["stone_bricks",null,"never_used"],"cells":[[0,7],1,[0,7]],"message":"wall","author":"ann"}`, "If-Match", first)
	if d.Cells != 14 || d.Same || d.Commit.Number != 2 || d.Commit.Message != "wall" || d.Commit.Author != "ann" {
		t.Errorf("wrote %+v", d)
	}
	names := s.mustCells("a", "box=4,102,0..0,100,0")
	if fmt.Sprint(names[6:9]) != "[minecraft:stone_bricks minecraft:air minecraft:stone_bricks]" && fmt.Sprint(names[6:9]) != "[minecraft:stone_bricks air minecraft:stone_bricks]" {
		t.Errorf("reads %v", names)
	}
	if d = s.put(200, `{"box":"0,100,0..4,102,0","names":["minecraft:stone_bricks",null],"cells":[[0,7],1,[0,7]]}`); !d.Same || d.Cells != 0 || d.Commit.Number != 2 {
		t.Errorf("the same again: %+v", d)
	}
	s.do(request{"PUT", "/v1/cells/a", []byte(`{"box":"0,100,0..0,100,0","names":["stone"],"cells":[0]}`), []string{"If-Match", first}}).wantCode(t, wire.Conflict)
	if d = s.put(200, string(whole.body)); d.Cells != 8 || d.Commit.Message != "write cells" {
		t.Errorf("what was read before: %+v", d)
	}
	records := s.get("/v1/cells/a?"+box, "Accept", wire.RecordsType).body
	s.want(200, request{"PUT", "/v1/cells/a", records, []string{"Content-Type", wire.RecordsType}}, &d)
	if !d.Same {
		t.Errorf("what is there, as records: %+v", d)
	}
	for query, want := range map[string]int{"box=0,0,0..31,31,31": 1 << 15, "level=1&box=0,0,0..15,15,15": 1 << 12, "level=4&box=-1,-1,-1..0,4,0": 24, "volume=biome&box=0,0,0..7,7,7": 512, "volume=sky&box=0,100,0..3,100,3": 16} {
		if got := s.mustCells("a", query); len(got) != want {
			t.Errorf("%s: %d cells", query, len(got))
		}
	}
	// A column under a change says so: its light was computed anew.
	if got := s.mustCells("a", "volume=sky&box=0,120,0..0,120,0"); got[0] != "15" {
		t.Errorf("light above: %v", got)
	}
}

func TestBrush(t *testing.T) {
	long.Alone(t)
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	for _, tt := range []struct {
		body  string
		cells int // -1: some
	}{
		{`{"brush":"box","from":[3,100,3],"to":[-3,103,-3],"name":"glass"}`, 7 * 4 * 7},
		{`{"brush":"box","from":[-3,100,-3],"to":[3,100,3],"subtract":true}`, 7 * 7},
		{`{"brush":"ball","at":[20,100,20],"r":1,"name":"mod:lamp","any_name":true}`, 7},
		{`{"brush":"cylinder","at":[20,110,20],"r":1,"height":3,"name":"stone"}`, 15},
		{`{"brush":"prism","points":[[-10,-10],[-10,-6],[-6,-6],[-6,-10]],"floor":120,"height":5,"name":"oak_log"}`, -1},
		{`{"brush":"smooth","at":[20,110,20],"r":6,"passes":2}`, 15},
		{`{"brush":"paint","at":[0,100,0],"r":7.5,"name":"stone"}`, -1},
		{`{"brush":"erode","at":[0,60,0],"r":9}`, -1},
		{`{"brush":"sea","from":[-20,-60,-20],"to":[-17,-57,-17],"y":-58}`, -1},
	} {
		var d doneJSON
		s.post(200, "/v1/brush/a", tt.body, &d)
		if tt.cells >= 0 && d.Cells != tt.cells || d.Cells == 0 || d.Same {
			t.Errorf("%s: %+v", tt.body, d)
		}
	}
	for body, want := range map[string]string{
		`{"brush":"smooth","at":[0,0,0],"r":40,"passes":64}`:                      "262,144 cells",
		`{"brush":"grow","at":[0,0,0],"r":20,"by":1000}`:                          "16,777 cells",
		`{"brush":"box","from":[-2000000,0,0],"to":[2000000,0,0],"name":"stone"}`: "chunks of 32 cells",
		`{"brush":"hammer"}`: "no brush", `{"brush":"ball","at":[0,0,0],"r":3,"height":2,"name":"stone"}`: "takes no height",
		`{"brush":"ball","at":[0,0,0],"r":3,"name":"ston"}`:                                              "did you mean",
		`{"brush":"ball","at":[0,0,0],"r":3}`:                                                            "needs name or cell",
		`{"brush":"ball","at":[0,0,0],"r":200,"name":"stone"}`:                                           "16,777,216 cells",
		`{"brush":"ball","at":[0,0,0],"r":3,"name":"stone","dimension":"moon"}`:                          "has overworld",
		`{"brush":"ball","at":[0,0,99999999],"r":3,"name":"stone"}`:                                      "out of range",
		`{"brush":"box","from":[0,0,0],"to":[1,1,1],"name":"stone","r":1}`:                               "takes no r",
		`{"brush":"prism","points":[[0,0],[1,1]],"floor":9223372036854775807,"height":3,"name":"stone"}`: "floor",
		`{"brush":"ball","at":[0,0,0],"r":3,"cell":99999}`:                                               "no cell of that number",
		`{"brush":"box","from":[-33000000,0,0],"to":[33000000,0,0],"name":"stone"}`:                      "chunks",
		`{"brush":"cylinder","at":[0,0,0],"r":3,"name":"stone"}`:                                         "needs height",
		`{"brush":"ball","at":[0,0,0],"r":3,"name":"stone","Dash":"x"}`:                                  "unknown field",
	} {
		got := s.do(request{"POST", "/v1/brush/a", []byte(body), nil})
		if strings.Contains(want, "chunks") {
			got.wantCode(t, wire.TooLarge)
		} else {
			got.wantCode(t, wire.BadRequest)
		}
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %s, want %q", body, got.body, want)
		}
	}
}

// TestCellsInMemory: what callers are slow to read or to write counts as memory.
func TestCellsInMemory(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{Limits: server.Limits{BodyMemory: 4 << 20}})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	const records = wire.RecordsType
	s.want(200, request{"GET", "/v1/cells/a?box=0,0,0..63,63,63", nil, []string{"Accept", records}}, nil)
	s.get("/v1/cells/a?box=0,0,0..127,63,127", "Accept", records).wantCode(t, wire.Busy)
	body := func(n int) []byte {
		return fmt.Appendf(nil, `{"box":"0,100,0..%d,100,0","names":["stone"],"new_columns":true,"cells":[%s0]}`, n, strings.Repeat("0,", n))
	}
	s.want(200, request{"PUT", "/v1/cells/a", body(1000), nil}, nil)
	s.do(request{"PUT", "/v1/cells/a", body(400_000), nil}).wantCode(t, wire.Busy)
	s.put(200, `{"box":"0,100,0..1000,100,0","names":["stone"],"new_columns":true,"cells":[[0,1001]]}`)
}

// TestBrushWork: a call goes over many cells, or over some often, but not both.
func TestBrushWork(t *testing.T) {
	long.Alone(t)
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	for body, want := range map[string]string{
		`{"brush":"smooth","from":[0,0,0],"to":[250,250,250],"passes":64}`: "cells",
		`{"brush":"erode","from":[0,0,0],"to":[250,250,250],"by":64}`:      "cells",
		`{"brush":"grow","from":[0,0,0],"to":[9,9,9],"by":1025}`:           "at most 1024",
		`{"brush":"grow","from":[0,60,0],"to":[9,69,9],"by":1024}`:         "",
		`{"brush":"smooth","from":[0,60,0],"to":[9,69,9],"passes":64}`:     "",
	} {
		got := s.do(request{"POST", "/v1/brush/a", []byte(body), nil})
		if want == "" && got.status == 200 {
			continue
		}
		if got.wantCode(t, wire.BadRequest); want == "" || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

// TestCellsLeased: a write goes under the caller's lease, and not against another's.
func TestCellsLeased(t *testing.T) {
	for _, arenas := range []bool{true, false} {
		s := newSite(t, server.Options{})
		if arenas {
			s = newArenaSite(t, memory.New(memory.Options{}), server.Options{})
		}
		s.mustImport("a", mustSlime(t, madeUp(t, 1)))
		const body = `{"box":"0,%d,0..0,%[1]d,0","names":["stone"],"cells":[0]}`
		s.put(200, fmt.Sprintf(body, 100))
		var l wire.Lease
		s.post(201, "/v1/leases/a", `{"holder":"me","seconds":60}`, &l)
		s.do(request{"PUT", "/v1/cells/a", fmt.Appendf(nil, body, 101), nil}).wantCode(t, wire.Leased)
		s.do(request{"POST", "/v1/brush/a", []byte(`{"brush":"ball","at":[0,100,0],"r":1,"name":"stone"}`), nil}).wantCode(t, wire.Leased)
		d := s.put(200, fmt.Sprintf(body, 102), "Cairn-Fence", fmt.Sprint(l.Fence))
		if d.Commit.Number != 3 {
			t.Errorf("under the lease: %+v", d)
		}
		s.do(request{"PUT", "/v1/cells/a", fmt.Appendf(nil, body, 103), []string{"Cairn-Fence", fmt.Sprint(l.Fence + 1)}}).wantCode(t, wire.Fenced)
	}
}

func TestWrongCells(t *testing.T) {
	long.Alone(t)
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	for query, want := range map[string]wire.Code{
		"":                                wire.BadRequest,
		"box=0,0,0":                       wire.BadRequest,
		"box=0,0,0..1,1,1+-+ball:0,0,0,3": wire.BadRequest,
		"box=0,0,0..255,255,64":           wire.TooLarge,
		"box=-33554432,0,-33554432..33554431,0,0":     wire.TooLarge,
		"box=-200000,0,0..200000,0,0":                 wire.TooLarge,
		"box=0,0,0..99999999,0,0":                     wire.BadRequest,
		"box=0,0,0..1,1,1&level=30":                   wire.BadRequest,
		"box=9999999,0,0..9999999,1,1&level=3":        wire.BadRequest,
		"box=0,0,0..1,1,1&dimension=nowhere":          wire.BadRequest,
		"box=0,0,0..1,1,1&volume=none":                wire.BadRequest,
		"box=0,0,0..1,1,1&at=9":                       wire.NoCommit,
		"box=8388600,0,0..8388607,0,0&volume=biome":   "",
		"box=33554431,0,0..33554431,0,0&volume=biome": "",
	} {
		got := s.get("/v1/cells/a?" + query)
		if want == "" && got.status == 200 {
			continue
		}
		got.wantCode(t, want)
	}
	for body, want := range map[string]string{
		`{}`: "box is required",
		`{"box":"0,0,0..1,0,0","names":["stone"],"cells":[0]}`:                                 "cells has 1 cells, the box 2",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[1]}`:                                 "no name of the number 1",
		`{"box":"0,0,0..0,0,0","names":["stnoe"],"cells":[0]}`:                                 "did you mean",
		`{"box":"0,0,0..0,0,0","names":[""],"cells":[0]}`:                                      "empty",
		`{"box":"0,0,0..0,0,0","cells":[0]}`:                                                   "names is required",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[0],"level":1}`:                       "only level 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[0],"schema":"terrain"}`:              "is a palette",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[-1]}`:                                "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[0.5]}`:                               "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[[0,99999999999999999]]}`:             "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[[0,0]]}`:                             "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[[0,1,1]]}`:                           "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":"0"}`:                                 "numbers from 0",
		`{"box":"0,0,0..0,0,0","names":["stone"],"cells":[0],"more":1}`:                        "unknown field",
		`{"box":"0,0,0..9999,9999,9","names":["stone"],"cells":[[0,1]]}`:                       "at most 4194304",
		`{"box":"0,0,0..0,0,0","volume":"sky","cells":[300]}`:                                  "no cell of the number",
		`{"box":"0,0,0..0,0,0","volume":"sky","names":["x"],"cells":[0]}`:                      "have no names",
		`{"box":"33554431,0,0..33554431,0,0","volume":"biome","names":["plains"],"cells":[0]}`: "range",
	} {
		got := s.do(request{"PUT", "/v1/cells/a", []byte(body), nil})
		var refused wire.Refusal
		if err := json.Unmarshal(got.body, &refused); err != nil || got.status >= 500 || !strings.Contains(refused.Error.Message, want) {
			t.Errorf("%s: %d %s, want %q", body, got.status, got.body, want)
		}
	}
	if h := s.get("/v1/log/a"); strings.Count(string(h.body), `"number"`) != 1 {
		t.Errorf("log: %s", h.body)
	}
}

// TestExamples runs each example of docs/CELLS.md whose interpreter is there, looks at what it
// did, and holds the page to the text of the files.
func TestExamples(t *testing.T) {
	long.Alone(t)
	page, err := os.ReadFile("../docs/CELLS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file  string
		need  []string // besides the interpreter
		names []string // of the interpreter
	}{
		{"cells.py", nil, []string{"python3"}},
		{"cells.mjs", nil, []string{"node"}},
		{"cells.lua", []string{"curl"}, []string{"lua", "lua5.4", "lua5.3", "luajit"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			path := filepath.Join("../docs/examples", tt.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(page, append([]byte("\n"), append(text, "```\n"...)...)) {
				t.Errorf("docs/CELLS.md does not show %s as it is", tt.file)
			}
			tryExample(t, path, interpreter(t, tt.names, tt.need))
		})
	}
}

// interpreter finds a program, or skips the test.
func interpreter(t *testing.T, names, need []string) string {
	for _, n := range need {
		if _, err := exec.LookPath(n); err != nil {
			t.Skipf("there is no %s", n)
		}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s", strings.Join(names, ", "))
	return ""
}

func tryExample(t *testing.T, path, with string) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Note: "tools"})
	st := memory.New(memory.Options{})
	local := newArenaSite(t, st, server.Options{})
	local.mustImport("a/hub", mustSlime(t, madeUp(t, 1)))
	s := newArenaSite(t, st, server.Options{Tokens: tokens})
	run := exec.CommandContext(t.Context(), with, path, "a/hub")
	run.Env = append(os.Environ(), "CAIRN_URL="+s.url, "CAIRN_TOKEN="+secrets[0])
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"before: 15 cells", "wall: 14 cells, version 2", "ball: 33 cells, version 3", "refused: bad_request: ", "after: 14 stone bricks"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it prints %q, want %q", out, want)
		}
	}
	names := local.mustCells("a/hub", "box=0,100,0..4,102,0")
	for i, name := range names {
		if (name == "minecraft:stone_bricks") != (i != 7) {
			t.Errorf("cell %d of the wall is %s", i, name)
		}
	}
	if glass := local.mustCells("a/hub", "box=2,110,0..2,110,0"); glass[0] != "minecraft:glass" {
		t.Errorf("the ball is of %s", glass)
	}
}

// TestTiles: tiles are pictures of a version, and a map says where they lie.
func TestTiles(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	var m struct {
		Dimension  string
		Dimensions []string
		From, To   [3]int
		Least      int
		Greatest   int
		Layers     []string
		Edge       int
	}
	s.want(200, request{method: "GET", path: "/v1/map/a"}, &m)
	if m.Dimension != "overworld" || fmt.Sprint(m.Dimensions) != "[overworld]" || m.From[0] != -32 || m.To[0] != 31 || m.Greatest != 0 || m.Edge != 256 || fmt.Sprint(m.Layers) != "[blocks light biome height]" {
		t.Errorf("map: %+v", m)
	}
	for _, layer := range append(m.Layers, "") {
		for zoom := m.Least; zoom < 4; zoom++ {
			path := fmt.Sprintf("/v1/tiles/a?layer=%s&zoom=%d", layer, zoom)
			got := s.want(200, request{method: "GET", path: path}, nil)
			img, err := png.Decode(bytes.NewReader(got.body))
			if err != nil || img.Bounds().Dx() != 256 || img.Bounds().Dy() != 256 {
				t.Fatalf("%s: %v", path, err)
			}
			if _, _, _, a := img.At(2, 2).RGBA(); a == 0 {
				t.Errorf("%s: nothing is there", path)
			}
			if again := s.get(path, "If-None-Match", got.header.Get("ETag")); again.status != 304 || len(again.body) != 0 {
				t.Errorf("%s: a known version: %d", path, again.status)
			}
		}
	}
	before := s.get("/v1/tiles/a")
	s.post(200, "/v1/brush/a", `{"brush":"box","from":[5,120,5],"to":[9,120,9],"name":"red_wool"}`, nil)
	after := s.get("/v1/tiles/a")
	if bytes.Equal(before.body, after.body) || before.header.Get("ETag") == after.header.Get("ETag") {
		t.Error("an edit does not show")
	}
	if old := s.get("/v1/tiles/a?at=1"); !bytes.Equal(old.body, before.body) {
		t.Error("an old version shows an edit")
	}
	if low := s.get("/v1/tiles/a?to=119"); bytes.Equal(low.body, after.body) {
		t.Error("what is above the range shows")
	}
	for query, want := range map[string]wire.Code{"layer=sand": wire.BadRequest, "zoom=21": wire.BadRequest, "x=99999999": wire.BadRequest, "from=9&to=1": wire.BadRequest, "dimension=moon": wire.BadRequest, "at=9": wire.NoCommit} {
		s.get("/v1/tiles/a?"+query).wantCode(t, want)
	}
	if err := s.st.Create(t.Context(), "empty"); err != nil {
		t.Fatal(err)
	}
	s.get("/v1/tiles/empty").wantCode(t, wire.NoCommit)
	s.get("/v1/map/empty").wantCode(t, wire.NoCommit)
}

// TestCellsOfPart: a token that is bound to a box reads the cells in it, and nothing else.
func TestCellsOfPart(t *testing.T) {
	box, err := token.ParseBlockBox("0,90,0..15,105,15")
	if err != nil {
		t.Fatal(err)
	}
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read, Note: "one", Prefixes: []string{"a"}, Dimension: "overworld", Box: box})
	st := memory.New(memory.Options{})
	newArenaSite(t, st, server.Options{}).mustImport("a", mustSlime(t, madeUp(t, 1)))
	s := newSiteOf(t, st, server.Options{Tokens: tokens})
	bearer := []string{"Authorization", "Bearer " + secrets[0]}
	for query, status := range map[string]int{"box=0,90,0..15,105,15": 200, "box=0,90,0..16,105,15": 403, "level=1&box=0,45,0..7,52,7": 200, "level=1&box=0,45,0..8,52,7": 403, "volume=biome&box=0,23,0..3,25,3": 200, "volume=biome&box=0,22,0..3,25,3": 403} {
		if got := s.get("/v1/cells/a?"+query, bearer...); got.status != status {
			t.Errorf("%s: %d %s, want %d", query, got.status, got.body, status)
		}
	}
	s.do(request{"PUT", "/v1/cells/a", []byte(`{"box":"1,95,1..1,95,1","names":["stone"],"cells":[0]}`), bearer}).wantCode(t, wire.Forbidden)
	s.get("/v1/tiles/a", bearer...).wantCode(t, wire.Forbidden)
}

// TestCellsOfGame: a write goes to the world that a game has open, which saves it when it likes.
func TestCellsOfGame(t *testing.T) {
	g := newGame(t, 1)
	const body = `{"box":"3,61,3..4,61,3","names":["glass"],"cells":[[0,2]]}`
	g.do(request{"PUT", "/v1/cells/a", []byte(body), nil}).wantCode(t, wire.Unsupported)
	g.arena.Sink = nil
	if d := g.put(200, body); d.Cells != 2 || d.Same || d.Commit != nil {
		t.Errorf("wrote %+v", d)
	}
	v := g.w.View().Dimension("overworld").Volume(voxel.Block)
	if c, ok := v.Cell(geom.Point{X: 4, Y: 61, Z: 3}); !ok || v.CellName(c) != "minecraft:glass" {
		t.Errorf("the open world has %s", v.CellName(c))
	}
	if log := g.get("/v1/log/a"); strings.Count(string(log.body), `"number"`) != 1 {
		t.Errorf("log: %s", log.body)
	}
}

// TestCellsAtOnce: writes at the same time are versions one after another.
func TestCellsAtOnce(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	const writers = 6
	var work sync.WaitGroup
	for i := range writers {
		work.Go(func() {
			s.put(200, fmt.Sprintf(`{"box":"%d,120,0..%[1]d,120,0","names":["stone"],"cells":[0]}`, i))
		})
	}
	work.Wait()
	for i, name := range s.mustCells("a", fmt.Sprintf("box=0,120,0..%d,120,0", writers-1)) {
		if name != "minecraft:stone" {
			t.Errorf("cell %d is %s", i, name)
		}
	}
	if log := s.get("/v1/log/a"); strings.Count(string(log.body), `"number"`) != 1+writers {
		t.Errorf("log: %s", log.body)
	}
}
