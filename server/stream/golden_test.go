package stream_test

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "write testdata/golden.json")

// goldenFile is testdata/golden.json, which clients in other languages read too.
type goldenFile struct {
	About   string        `json:"about"`
	Volumes []any         `json:"volumes"`
	Frames  []goldenFrame `json:"frames"`
	Bad     []goldenBad   `json:"bad"`
}

type goldenFrame struct {
	Name  string         `json:"name"`
	From  string         `json:"from"`
	Hex   string         `json:"hex"`
	Frame map[string]any `json:"frame"`
}

type goldenBad struct {
	Name string `json:"name"`
	From string `json:"from"`
	Hex  string `json:"hex"`
}

const goldenAbout = "Frames of FORMAT.md. Frames with cells are of a session with these volumes. Versions are hex; cells are runs of [count, cell] in order of index. " +
	"What is bad must be refused."

// goldenVolumes are the volumes of the session that the frames with cells belong to.
var goldenVolumes = []stream.ShownVolume{
	{Name: "block", Schema: voxel.Palette, Scale: 1},
	{Name: "biome", Schema: voxel.Palette, Scale: 4},
	{Name: "solid", Schema: voxel.Terrain, Scale: 1},
	{Name: "sky", Schema: voxel.Level, Scale: 2, Default: 15},
}

// cellsOf returns the cells of a box of e cells an edge.
func cellsOf(e int, f func(x, y, z int) voxel.Cell) []voxel.Cell {
	out := make([]voxel.Cell, 0, e*e*e)
	for i := range e * e * e {
		out = append(out, f(i%e, i/(e*e), i/e%e))
	}
	return out
}

// hills returns the cells of a made-up cube by volume.
func hills() [][]voxel.Cell {
	height := func(x, z int) int { return 5 + (x*3+z*5)%7 }
	return [][]voxel.Cell{
		cellsOf(16, func(x, y, z int) voxel.Cell {
			switch h := height(x, z); {
			case y < h-2:
				return 1
			case y < h:
				return 2
			case y == h && (x*7+z)%5 == 0:
				return voxel.Cell(300 + x)
			}
			return 0
		}),
		cellsOf(4, func(x, _, z int) voxel.Cell { return voxel.Cell((x + z) / 3) }),
		cellsOf(16, func(x, y, z int) voxel.Cell {
			switch h := height(x, z); {
			case y < h:
				return voxel.TerrainCell(7, 255)
			case y == h:
				return voxel.TerrainCell(uint8(8+x%2), uint8(x*13+z))
			}
			return 0
		}),
		cellsOf(8, func(_, y, _ int) voxel.Cell { return voxel.Cell(min(15, y*2)) }),
	}
}

// same returns cubes of one cell in each volume.
func same(c ...voxel.Cell) (out [][]voxel.Cell) {
	for i, e := range []int{16, 4, 16, 8} {
		out = append(out, cellsOf(e, func(_, _, _ int) voxel.Cell { return c[i] }))
	}
	return out
}

func part(volume, part uint8, f func(x, y, z int) voxel.Cell) stream.CubePart {
	p := stream.CubePart{Volume: volume, Part: part}
	copy(p.Cells[:], cellsOf(4, f))
	return p
}

// noise returns cells of which hardly two are equal.
func noise(e int) []voxel.Cell {
	seed := uint32(1)
	return cellsOf(e, func(_, _, _ int) voxel.Cell {
		seed = seed*1664525 + 1013904223
		return voxel.Cell(seed >> 17)
	})
}

// goldenList has each frame, and what is at its limits.
func goldenList() []struct {
	name  string
	frame stream.Frame
} {
	type list = []struct {
		name  string
		frame stream.Frame
	}
	moment := stream.Moment{Live: true, Number: 12, Time: 1761000000123,
		Bounds: geom.Box{Min: geom.Point{X: -512, Y: -64, Z: -1024}, Max: geom.Point{X: 512, Y: 320, Z: 33}}, Top: 7}
	stored := moment
	stored.Live, stored.ID = false, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	noisy := [][]voxel.Cell{noise(16), cellsOf(4, func(x, y, z int) voxel.Cell { return voxel.Cell(x + 4*y + 16*z) }),
		same(0, 0, 0, 0)[2], same(0, 0, 0, 15)[3]}
	return list{
		{"hello", &stream.Hello{Protocol: 1, Token: "secret", World: "players/ann", Dimension: "overworld", Volumes: []string{"block", "biome"}}},
		{"hello of a version with defaults", &stream.Hello{Protocol: 1, World: "w", At: "2024-05-06T07:08:09Z"}},
		{"view", &stream.Viewpoint{Position: [3]float64{100.5, 70, -3000.25}, Direction: [3]float32{0, -0.5, 1}, Velocity: [3]float32{4, 0, 0.25},
			Pixels: 900, Error: 2.5, Radius: 4096, Rate: 2500000, Memory: 200 << 20}},
		{"view with nothing", &stream.Viewpoint{}},
		{"have", &stream.Have{Claims: []stream.Claim{{Key: stream.Key{X: -1, Y: 0, Z: 7, Level: 6}, Version: 0xFEDCBA9876543210}, {Key: stream.Key{Level: 0}, Version: 0}}}},
		{"have nothing", &stream.Have{}},
		{"dropped", &stream.Dropped{Sequence: 300, Keys: []stream.Key{{X: 64, Y: -65, Z: 8191, Level: 2}}}},
		{"ack", &stream.Ack{Sequence: 1 << 40}},
		{"at", &stream.At{Version: "41"}},
		{"welcome live", &stream.Welcome{Protocol: 1, World: "players/ann", Dimension: "overworld", Window: 262144, Moment: moment, Volumes: goldenVolumes}},
		{"welcome stored", &stream.Welcome{Protocol: 1, World: "a \"quoted\" <name>", Dimension: "ü", Window: 65536, Moment: stored, Volumes: goldenVolumes[2:3]}},
		{"names", &stream.NumberNames{Volume: 0, Names: []stream.Name{
			{Number: 0, Name: "minecraft:air"},
			{Number: 1, Name: "minecraft:stone", Look: stream.Look{R: 125, G: 125, B: 125, A: 255, Kind: stream.Opaque}},
			{Number: 300, Name: "minecraft:water[level=0]", Look: stream.Look{R: 63, G: 118, B: 228, A: 128, Kind: stream.Transparent}},
			{Number: 32767, Name: "", Look: stream.Look{A: 255, Kind: stream.CutOut}}}}},
		{"names of materials", &stream.NumberNames{Volume: 2, Names: []stream.Name{{Number: 63, Name: "granite", Look: stream.Look{R: 1, G: 2, B: 3, A: 4, Kind: 1}}}}},
		{"cubes", &stream.Cubes{Sequence: 1, Cubes: []stream.Cube{
			{Key: stream.Key{X: -1, Y: 0, Z: 2, Level: 3}, Version: 0x0123456789ABCDEF, Cells: hills()},
			{Key: stream.Key{X: -1, Y: 1, Z: 2, Level: 3}},
			{Key: stream.Key{X: 5, Y: -1, Z: 2}, Version: 77, Cells: same(1, 2, voxel.TerrainCell(7, 255), 0)}}}},
		{"cubes of noise", &stream.Cubes{Sequence: 128, Cubes: []stream.Cube{{Key: stream.Key{X: -2097152, Y: 2097151, Z: 0}, Version: 1 << 63, Cells: noisy}}}},
		{"no cubes", &stream.Cubes{Sequence: 2}},
		{"edits", &stream.Edits{Sequence: 4, Edits: []stream.Edit{
			{Key: stream.Key{X: -1, Y: 0, Z: 2, Level: 3}, Version: 99, Parts: []stream.CubePart{
				part(0, 63, func(x, y, z int) voxel.Cell {
					if x == 1 && y == 2 && z == 3 {
						return 301
					}
					return 0
				}),
				part(1, 0, func(_, _, _ int) voxel.Cell { return 1 }),
				part(2, 5, func(x, y, _ int) voxel.Cell { return voxel.TerrainCell(7, uint8(255-x*y)) }),
				part(3, 7, func(_, _, z int) voxel.Cell { return voxel.Cell(z) })}},
			{Key: stream.Key{X: 5, Y: -1, Z: 2}}}}},
		{"forget", &stream.Forget{Sequence: 5, Keys: []stream.Key{{X: 1, Y: 2, Z: 3, Level: 4}, {X: -1, Y: -2, Z: -3, Level: 0}}}},
		{"now", &stream.Now{Moment: stored}},
		{"now of nothing", &stream.Now{}},
		{"synced", &stream.Synced{Stage: 2}},
		{"failure", &stream.Failure{Code: "no_world", Words: "there is no world of that name"}},
	}
}

// goldenBads are frames that must be refused, without their lengths.
var goldenBads = []struct{ name, from, body string }{
	{"unknown type", "client", "00"},
	{"a server's frame", "client", "1601"},
	{"a client's frame", "server", "0501"},
	{"protocol 2", "client", "01020000000000"},
	{"nine volumes", "client", "01010000000009" + "000101010201030104010501060107010801"},
	{"a volume twice", "client", "01010000000002" + "01610161"},
	{"bytes left", "client", "050100"},
	{"a number that is too long", "client", "058000"},
	{"a number of more than 64 bits", "client", "05ffffffffffffffffff02"},
	{"level 21", "client", "040115000000"},
	{"a position out of range", "client", "04010080808004" + "0000"},
	{"position NaN", "client", "02000000000000f87f" + "00000000000000000000000000000000" + "000000000000000000000000000000000000000000000000" + "000000000000000000000000" + "0000"},
	{"half a claim", "client", "030000000001020304"},
	{"stage 3", "server", "1603"},
	{"no parts", "server", "13010000000001000000000000" + "0000"},
	{"volume 4 of 4", "server", "1104"},
	{"names in a level volume", "server", "1103000000000000" + "00"},
	{"material 64", "server", "110240000000000000"},
	{"kind 4", "server", "110001000000000004"},
}

func describe(f stream.Frame) map[string]any {
	kind := reflect.TypeOf(f).Elem().Name()
	if named, ok := map[string]string{"Viewpoint": "View", "NumberNames": "Names"}[kind]; ok { // as FORMAT.md names it
		kind = named
	}
	out := map[string]any{"type": kind}
	key := func(k stream.Key) []int { return []int{int(k.Level), int(k.X), int(k.Y), int(k.Z)} }
	keys := func(in []stream.Key) any {
		all := [][]int{}
		for _, k := range in {
			all = append(all, key(k))
		}
		return all
	}
	runs := func(cells []voxel.Cell) any {
		all := [][2]int{}
		for i, c := range cells {
			if i == 0 || c != cells[i-1] {
				all = append(all, [2]int{0, int(c)})
			}
			all[len(all)-1][0]++
		}
		return all
	}
	version := func(v uint64) string { return fmt.Sprintf("%016x", v) }
	point := func(p geom.Point) []int { return []int{p.X, p.Y, p.Z} }
	moment := func(m stream.Moment) any {
		return map[string]any{"live": m.Live, "id": m.ID, "number": m.Number, "time": m.Time, "min": point(m.Bounds.Min), "max": point(m.Bounds.Max), "top": m.Top}
	}
	switch f := f.(type) {
	case *stream.Hello:
		out["protocol"], out["token"], out["world"], out["at"], out["dimension"] = f.Protocol, f.Token, f.World, f.At, f.Dimension
		out["volumes"] = append([]string{}, f.Volumes...)
	case *stream.Viewpoint:
		out["position"], out["direction"], out["velocity"] = f.Position, f.Direction, f.Velocity
		out["pixels"], out["error"], out["radius"], out["rate"], out["memory"] = f.Pixels, f.Error, f.Radius, f.Rate, f.Memory
	case *stream.Have:
		all := []any{}
		for _, c := range f.Claims {
			all = append(all, map[string]any{"cube": key(c.Key), "version": version(c.Version)})
		}
		out["claims"] = all
	case *stream.Dropped:
		out["sequence"], out["cubes"] = f.Sequence, keys(f.Keys)
	case *stream.Ack:
		out["sequence"] = f.Sequence
	case *stream.At:
		out["version"] = f.Version
	case *stream.Welcome:
		out["protocol"], out["world"], out["dimension"], out["window"] = f.Protocol, f.World, f.Dimension, f.Window
		out["moment"], out["volumes"] = moment(f.Moment), describeVolumes(f.Volumes)
	case *stream.NumberNames:
		all := []any{}
		for _, n := range f.Names {
			all = append(all, map[string]any{"number": n.Number, "name": n.Name, "look": []uint8{n.Look.R, n.Look.G, n.Look.B, n.Look.A, n.Look.Kind}})
		}
		for _, n := range all { // []uint8 would be written in base64
			l := n.(map[string]any)["look"].([]uint8)
			n.(map[string]any)["look"] = []int{int(l[0]), int(l[1]), int(l[2]), int(l[3]), int(l[4])}
		}
		out["volume"], out["names"] = f.Volume, all
	case *stream.Cubes:
		all := []any{}
		for _, c := range f.Cubes {
			cells := []any{}
			for _, v := range c.Cells {
				cells = append(cells, runs(v))
			}
			all = append(all, map[string]any{"cube": key(c.Key), "version": version(c.Version), "cells": cells})
		}
		out["sequence"], out["cubes"] = f.Sequence, all
	case *stream.Edits:
		all := []any{}
		for _, e := range f.Edits {
			parts := []any{}
			for _, p := range e.Parts {
				parts = append(parts, map[string]any{"volume": p.Volume, "part": p.Part, "cells": runs(p.Cells[:])})
			}
			all = append(all, map[string]any{"cube": key(e.Key), "version": version(e.Version), "parts": parts})
		}
		out["sequence"], out["edits"] = f.Sequence, all
	case *stream.Forget:
		out["sequence"], out["cubes"] = f.Sequence, keys(f.Keys)
	case *stream.Now:
		out["moment"] = moment(f.Moment)
	case *stream.Synced:
		out["stage"] = f.Stage
	case *stream.Failure:
		out["code"], out["words"] = f.Code, f.Words
	}
	return out
}

func describeVolumes(volumes []stream.ShownVolume) []any {
	out := []any{}
	for _, v := range volumes {
		out = append(out, map[string]any{"name": v.Name, "schema": v.Schema, "scale": v.Scale, "default": v.Default})
	}
	return out
}

func goldenNow(t *testing.T) goldenFile {
	g := goldenFile{About: goldenAbout, Volumes: describeVolumes(goldenVolumes)}
	for _, x := range goldenList() {
		b := stream.Append(nil, x.frame, goldenVolumes)
		from := "client"
		if isServer(x.frame) {
			from = "server"
		}
		g.Frames = append(g.Frames, goldenFrame{x.name, from, hex.EncodeToString(b), describe(x.frame)})
	}
	for _, x := range goldenBads {
		body, err := hex.DecodeString(x.body)
		if err != nil {
			t.Fatal(x.name, err)
		}
		g.Bad = append(g.Bad, goldenBad{x.name, x.from, hex.EncodeToString(append([]byte{byte(len(body))}, body...))})
	}
	return g
}

func isServer(f stream.Frame) bool {
	switch f.(type) {
	case *stream.Hello, *stream.Viewpoint, *stream.Have, *stream.Dropped, *stream.Ack, *stream.At:
		return false
	}
	return true
}

// TestGolden pins the bytes of each frame.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "golden.json")
	var now []byte
	{
		var err error
		if now, err = json.MarshalIndent(goldenNow(t), "", "\t"); err != nil {
			t.Fatal(err)
		}
		now = append(compactLists(now), '\n')
	}
	if *update {
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(was) != string(now) {
		t.Errorf("%s is not what is written now; -update rewrites it", path)
	}
}

// compactLists puts lists of numbers on one line.
func compactLists(b []byte) []byte {
	var out []byte
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '[' && plain(b[i+1:]):
			depth++
			out = append(out, c)
		case c == ']' && depth > 0:
			depth--
			out = append(out, c)
		case depth > 0 && (c == '\n' || c == '\t'):
		default:
			out = append(out, c)
		}
	}
	return out
}

// plain reports whether a list, of lists or not, has only numbers.
func plain(b []byte) bool {
	depth := 1
	for _, c := range b {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return true
			}
		case '"', '{':
			return false
		}
	}
	return false
}

func decode(from string, b []byte) (stream.Frame, int, error) {
	if from == "client" {
		return stream.DecodeClient(b)
	}
	return stream.DecodeServer(b, goldenVolumes)
}

// TestFrames decodes each frame, and each beginning of it.
func TestFrames(t *testing.T) {
	long.Alone(t)
	for i, g := range goldenNow(t).Frames {
		b, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		f, n, err := decode(g.From, append(b, 0xAA))
		if err != nil || n != len(b) {
			t.Fatalf("%s: %d of %d bytes, %v", g.Name, n, len(b), err)
		}
		if want := goldenList()[i].frame; !reflect.DeepEqual(f, want) {
			t.Errorf("%s: got %+v, want %+v", g.Name, f, want)
		}
		for n := range b {
			if f, _, err := decode(g.From, b[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes give %+v", g.Name, n, len(b), f)
			}
		}
		// Frames that are whole but have a payload that ends early.
		body := b[len(b)-bodyLen(b):]
		for n := 1; n < len(body); n++ {
			short := append(lengthOf(n), body[:n]...)
			f, _, err := decode(g.From, short)
			if err == nil && !isList(f) {
				t.Errorf("%s: a payload of %d of %d bytes gives %+v", g.Name, n, len(body), f)
			}
		}
	}
}

// isList reports whether a frame ends with a list, which may end early.
func isList(f stream.Frame) bool {
	switch f.(type) {
	case *stream.Have, *stream.Dropped, *stream.NumberNames, *stream.Cubes, *stream.Edits, *stream.Forget:
		return true
	}
	return false
}

func bodyLen(b []byte) int {
	n, shift := 0, 0
	for _, c := range b {
		n |= int(c&0x7F) << shift
		if shift += 7; c < 0x80 {
			break
		}
	}
	return n
}

func lengthOf(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// TestBadFrames says what must be refused.
func TestBadFrames(t *testing.T) {
	for _, g := range goldenNow(t).Bad {
		b, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if f, _, err := decode(g.From, b); err == nil {
			t.Errorf("%s: gives %+v", g.Name, f)
		} else {
			t.Logf("%s: %v", g.Name, err)
		}
	}
}

func FuzzClientFrame(f *testing.F) { fuzzFrames(f, "client") }
func FuzzServerFrame(f *testing.F) { fuzzFrames(f, "server") }

// fuzzFrames decodes frames. What can be decoded is written as the same bytes again, but for cells, which may have
// been written longer than they had to be.
func fuzzFrames(f *testing.F, from string) {
	for _, x := range goldenList() {
		if isServer(x.frame) == (from == "server") {
			f.Add(stream.Append(nil, x.frame, goldenVolumes))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, n, err := decode(from, b)
		if err != nil {
			return
		}
		again := stream.Append(nil, frame, goldenVolumes)
		got, _, err := decode(from, again)
		if err != nil {
			t.Fatalf("%x gives %+v, and that gives %x: %v", b[:n], frame, again, err)
		}
		if twice := stream.Append(nil, got, goldenVolumes); string(twice) != string(again) {
			t.Fatalf("%x gives %x, and that gives %x", b[:n], again, twice)
		}
	})
}
