package mesh_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// tri is a triangle of a file.
type tri struct {
	at       [3][3]float64
	normal   [3][3]float32
	material string
}

func (a tri) compare(b tri) int {
	if c := cmp.Compare(a.material, b.material); c != 0 {
		return c
	}
	for i := range 9 {
		if c := cmp.Compare(a.at[i/3][i%3], b.at[i/3][i%3]); c != 0 {
			return c
		}
	}
	return 0
}

// palette has a material for each kind of cell, and shapes.
func palette(terrainCells bool) *mesh.Palette {
	var all []mesh.Material
	names := terrain.Materials()
	for i := range 12 {
		m := mesh.Material{Name: names[i], Colour: color.RGBA{uint8(20 * i), 200, 99, 255}, Kind: mesh.Opaque}
		if !terrainCells {
			m.Kind = kindOf(voxel.Cell(i))
		} else if i == 0 {
			m.Kind = mesh.Nothing
		}
		all = append(all, m)
	}
	p := mesh.NewPalette(all, terrainCells)
	p.Shapes = append(p.Shapes, shapes...)
	for range 8 {
		p.Shapes = append(p.Shapes, mesh.Faceted)
	}
	return p
}

// readers read what the writers write.
var readers = map[string]func(t *testing.T, dir string, m *mesh.Model) []tri{
	"ply": readPLY, "obj": readOBJ, "glb": readGLB,
}

func readPLY(t *testing.T, _ string, m *mesh.Model) (out []tri) {
	t.Helper()
	var b bytes.Buffer
	stats, err := mesh.WritePLY(context.Background(), &b, m)
	if err != nil {
		t.Fatal(err)
	}
	head, data, _ := bytes.Cut(b.Bytes(), []byte("end_header\n"))
	names, vertices, faces, wide := map[uint16]string{}, 0, 0, 4
	if bytes.Contains(head, []byte("property double x\nproperty double y\nproperty double z\n")) {
		wide = 8
	} else if !bytes.Contains(head, []byte("property float x\nproperty float y\nproperty float z\n")) {
		t.Fatalf("head %s", head)
	}
	for line := range strings.Lines(string(head)) {
		var n uint16
		var name string
		if _, err := fmt.Sscanf(line, "comment material %d %s\n", &n, &name); err == nil {
			names[n] = name
		}
		fmt.Sscanf(line, "element vertex %d", &vertices)
		fmt.Sscanf(line, "element face %d", &faces)
	}
	const faceBytes = 15
	vertexBytes := 15 + 3*wide
	if len(data) != vertices*vertexBytes+faces*faceBytes || int64(vertices) != stats.Vertices || int64(faces) != stats.Triangles {
		t.Fatalf("%d bytes for %d vertices and %d faces, stats %v", len(data), vertices, faces, stats)
	}
	le := binary.LittleEndian
	vector := func(b []byte) (v [3]float32) {
		for i := range v {
			v[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
		return v
	}
	for f := data[vertices*vertexBytes:]; len(f) > 0; f = f[faceBytes:] {
		x := tri{material: names[le.Uint16(f[13:])]}
		for k := range 3 {
			v := data[int(le.Uint32(f[1+4*k:]))*vertexBytes:]
			x.at[k], x.normal[k] = wider(vector(v)), vector(v[3*wide:])
			for a := range 3 {
				if wide == 8 {
					x.at[k][a] = math.Float64frombits(le.Uint64(v[8*a:]))
				}
			}
		}
		out = append(out, x)
	}
	return out
}

// wider returns a position in 64 bits.
func wider(v [3]float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }

func readOBJ(t *testing.T, _ string, m *mesh.Model) (out []tri) {
	t.Helper()
	var b, library bytes.Buffer
	stats, err := mesh.WriteOBJ(context.Background(), &b, m, "x.mtl")
	if err != nil {
		t.Fatal(err)
	}
	if err := mesh.WriteMTL(&library, m, stats); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	lists := map[string][][3]float64{}
	material := ""
	for s := bufio.NewScanner(&b); s.Scan(); {
		f := strings.Fields(s.Text())
		switch f[0] {
		case "v", "vn":
			var v [3]float64
			for i := range v {
				var err error
				if v[i], err = strconv.ParseFloat(f[1+i], 64); err != nil || f[0] == "v" && strings.Contains(f[1+i], "e") {
					t.Fatal(f, err)
				}
			}
			lists[f[0]] = append(lists[f[0]], v)
		case "usemtl":
			if material = f[1]; !strings.Contains(library.String(), "newmtl "+material+"\n") {
				t.Fatalf("the library has no %s", material)
			}
			used[material] = true
		case "f":
			x := tri{material: material}
			for k := range 3 {
				var v, n int
				if _, err := fmt.Sscanf(f[1+k], "%d//%d", &v, &n); err != nil {
					t.Fatal(err)
				}
				x.at[k] = lists["v"][v-1]
				for a, c := range lists["vn"][n-1] {
					x.normal[k][a] = float32(c)
				}
			}
			out = append(out, x)
		}
	}
	if n := strings.Count(library.String(), "newmtl "); n != len(used) {
		t.Fatalf("the library has %d materials, and faces have %d", n, len(used))
	}
	return out
}

func readGLB(t *testing.T, dir string, m *mesh.Model) (out []tri) {
	t.Helper()
	path := filepath.Join(dir, "x.glb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := mesh.WriteGLB(context.Background(), f, m, "x"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	if string(b[:4]) != "glTF" || int(le.Uint32(b[8:])) != len(b) {
		t.Fatalf("header %q", b[:12])
	}
	n := le.Uint32(b[12:])
	var g struct {
		Scenes []struct{ Nodes []int }
		Nodes  []struct {
			Mesh        int
			Translation [3]float64
		}
		Meshes []struct {
			Primitives []struct {
				Attributes        map[string]int
				Indices, Material int
			}
		}
		Materials   []struct{ Name string }
		Accessors   []struct{ BufferView, ByteOffset, Count int }
		BufferViews []struct{ ByteOffset, ByteLength, ByteStride int }
	}
	if err := json.Unmarshal(b[20:20+n], &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Meshes) == 0 {
		return nil
	}
	body := b[28+n:]
	if len(g.Scenes[0].Nodes) != len(g.Nodes) || len(g.Nodes) != len(g.Meshes) {
		t.Fatalf("%d nodes in the scene of %d, %d meshes", len(g.Scenes[0].Nodes), len(g.Nodes), len(g.Meshes))
	}
	for _, node := range g.Nodes {
		for _, p := range g.Meshes[node.Mesh].Primitives {
			at := func(accessor, i, stride int) []byte {
				a := g.Accessors[accessor]
				if i >= a.Count {
					t.Fatalf("element %d of %d", i, a.Count)
				}
				return body[g.BufferViews[a.BufferView].ByteOffset+a.ByteOffset+i*stride:]
			}
			vector := func(name string, i int) (v [3]float32) {
				for k := range v {
					v[k] = math.Float32frombits(le.Uint32(at(p.Attributes[name], i, g.BufferViews[0].ByteStride)[4*k:]))
				}
				return v
			}
			for i := 0; i < g.Accessors[p.Indices].Count; i += 3 {
				x := tri{material: g.Materials[p.Material].Name}
				for k := range 3 {
					v := int(le.Uint32(at(p.Indices, i+k, 4)))
					x.at[k], x.normal[k] = wider(vector("POSITION", v)), vector("NORMAL", v)
					for a, c := range node.Translation {
						x.at[k][a] += c
					}
				}
				out = append(out, x)
			}
		}
	}
	return out
}

// volume returns what triangles enclose, and checks each.
func volume(t *testing.T, all []tri) (sum float64) {
	t.Helper()
	for _, x := range all {
		var p [3][3]float64
		for k := range 9 {
			p[k/3][k%3] = x.at[k/3][k%3] - all[0].at[0][k%3]
		}
		a, b, c := p[0], p[1], p[2]
		sum += a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0])
		u, v := [3]float64{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, [3]float64{c[0] - a[0], c[1] - a[1], c[2] - a[2]}
		if area := math.Hypot(math.Hypot(u[1]*v[2]-u[2]*v[1], u[2]*v[0]-u[0]*v[2]), u[0]*v[1]-u[1]*v[0]); area == 0 {
			t.Fatalf("triangle %v has no area", x.at)
		}
		for _, n := range x.normal {
			if l := math.Hypot(math.Hypot(float64(n[0]), float64(n[1])), float64(n[2])); math.Abs(l-1) > 1e-4 {
				t.Fatalf("a normal of length %v", l)
			}
		}
	}
	return sum / 6
}

// sparse is a view that says where its chunks are.
type sparse struct{ *grid.View }

func (s sparse) Chunks(level int) (out []geom.ChunkPos) {
	for pos := range s.View.Chunks() {
		out = append(out, geom.ChunkPos{X: pos.X >> level, Y: pos.Y >> level, Z: pos.Z >> level})
	}
	return out
}

func TestWriters(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	land := level(t, 2)
	blocks := randomVolume(r, voxel.Palette, false)
	b := geom.Box{Min: geom.Point{X: 5, Y: 3, Z: 9}, Max: geom.Point{X: 37, Y: 100, Z: 30}}
	c := geom.Box{Min: geom.Point{X: -8, Y: -8, Z: -8}, Max: geom.Point{X: 40, Y: 40, Z: 40}}
	wide := geom.Box{Min: geom.Point{X: -1000, Y: -1000, Z: -1000}, Max: geom.Point{X: 1 << 24, Y: 1 << 24, Z: 1 << 24}}
	solid, _ := land.CountNonEmpty(b)
	for _, tt := range []struct {
		name  string
		model *mesh.Model
		cells int // that it encloses exactly, or 0
	}{
		{"blocky terrain", mesh.Blocky(land, b, 0, palette(true), mesh.Options{}), solid},
		{"blocky level 2", mesh.Blocky(land, geom.Box{Max: geom.Point{X: 16, Y: 40, Z: 16}}, 2, palette(true), mesh.Options{Flat: true}), 0},
		{"blocks of all kinds", mesh.Blocky(blocks, c, 0, palette(false), mesh.Options{}), 0},
		{"smooth", mesh.Smooth(land, b, 0, palette(true), mesh.Options{}), 0},
		{"smooth wild", mesh.Smooth(wild(r, 32, 1), geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, 0, palette(true), mesh.Options{}), 0},
		{"smooth level 1", mesh.Smooth(land, geom.Box{Max: geom.Point{X: 32, Y: 70, Z: 32}}, 1, palette(true), mesh.Options{}), 0},
		{"sparse blocks", mesh.Blocky(sparse{blocks}, wide, 0, palette(false), mesh.Options{}), 0},
		{"smooth sparse", mesh.Smooth(sparse{land}, wide, 0, palette(true), mesh.Options{}), 0},
		{"nothing", mesh.Smooth(land, b.Add(geom.Point{Y: 1000}), 0, palette(true), mesh.Options{}), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first []tri
			for _, format := range []string{"ply", "obj", "glb"} {
				got := readers[format](t, t.TempDir(), tt.model)
				if (len(got) == 0) != (tt.name == "nothing") {
					t.Fatalf("%s: %d triangles", format, len(got))
				}
				if v := volume(t, got); tt.cells > 0 && v != float64(tt.cells) {
					t.Errorf("%s: encloses %v cells, want %d", format, v, tt.cells)
				}
				slices.SortFunc(got, tri.compare)
				if format == "ply" {
					first = got
				} else if !slices.EqualFunc(got, first, func(a, b tri) bool { return a.compare(b) == 0 }) {
					t.Errorf("%s: other triangles than in a PLY file, %d and %d", format, len(got), len(first))
				}
			}
			if strings.HasPrefix(tt.name, "smooth") {
				wantClosed(t, first)
			}
		})
	}
}

// wantClosed checks that each edge has as many triangles on one side as on the other.
func wantClosed(t *testing.T, all []tri) {
	t.Helper()
	e := make(map[[2][3]float64]int)
	for _, x := range all {
		for k := range 3 {
			a, b := x.at[k], x.at[(k+1)%3]
			e[[2][3]float64{a, b}]++
			e[[2][3]float64{b, a}]--
		}
	}
	for k, n := range e {
		if n != 0 {
			t.Fatalf("open edge %v", k)
		}
	}
}

// moved is a source whose cells lie by so much elsewhere.
type moved struct {
	mesh.BoxReader
	by     geom.Point
	chunks []geom.ChunkPos
}

func (m moved) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	return m.BoxReader.ReadBox(b.Add(geom.Point{X: -m.by.X >> level, Y: -m.by.Y >> level, Z: -m.by.Z >> level}), level, dst)
}

func (m moved) Chunks(int) []geom.ChunkPos { return m.chunks }

// TestFar: wherever cells lie, and however far apart, vertices are where they are, in each format.
func TestFar(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	land, blocks := level(t, 2), randomVolume(r, voxel.Palette, false)
	box := geom.Box{Max: geom.Point{X: 32, Y: 64, Z: 32}}
	type make func(src mesh.BoxReader, b geom.Box) *mesh.Model
	surfaces := map[string]struct {
		src  mesh.BoxReader
		make make
	}{
		"blocky": {blocks, func(src mesh.BoxReader, b geom.Box) *mesh.Model {
			return mesh.Blocky(src, b, 0, palette(false), mesh.Options{})
		}},
		"smooth": {land, func(src mesh.BoxReader, b geom.Box) *mesh.Model {
			return mesh.Smooth(src, b, 0, palette(true), mesh.Options{})
		}},
	}
	for name, s := range surfaces {
		for format, read := range readers {
			t.Run(name+" "+format, func(t *testing.T) {
				near := read(t, t.TempDir(), s.make(s.src, box))
				slices.SortFunc(near, tri.compare)
				for _, by := range []geom.Point{{X: -96, Y: 32, Z: 64}, {X: 33554368, Y: -32, Z: -33554400}} {
					var chunks []geom.ChunkPos
					for y := range 2 {
						chunks = append(chunks, by.Add(geom.Point{Y: y * 32}).Chunk())
					}
					src := moved{s.src, by, chunks}
					for _, b := range []geom.Box{box.Add(by), {Min: geom.Point{X: -1 << 25, Y: -1 << 20, Z: -1 << 25}, Max: geom.Point{X: 1 << 25, Y: 1 << 20, Z: 1 << 25}}} {
						var within mesh.BoxReader = only{src, box.Add(by)}
						got := read(t, t.TempDir(), s.make(within, b))
						for i := range got {
							for k := range got[i].at {
								for a, d := range []int{by.X, by.Y, by.Z} {
									got[i].at[k][a] -= float64(d)
								}
							}
						}
						slices.SortFunc(got, tri.compare)
						if !slices.EqualFunc(got, near, func(a, b tri) bool { return a.compare(b) == 0 }) {
							t.Fatalf("by %v in %v: other triangles, %d and %d", by, b, len(got), len(near))
						}
					}
				}
			})
		}
	}
}

// TestFarApart: a model of two places has what each has.
func TestFarApart(t *testing.T) {
	blocks := randomVolume(rand.New(rand.NewPCG(21, 22)), voxel.Palette, false)
	box, by := geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, geom.Point{X: 33554368, Z: -33554400}
	here := only{moved{blocks, geom.Point{}, []geom.ChunkPos{{}}}, box}
	there := only{moved{blocks, by, []geom.ChunkPos{by.Chunk()}}, box.Add(by)}
	both := either{here, there}
	for format, read := range readers {
		var want []tri
		for _, s := range []only{here, there} {
			want = append(want, read(t, t.TempDir(), mesh.Blocky(s, s.box, 0, palette(false), mesh.Options{}))...)
		}
		wide := geom.Box{Min: geom.Point{X: -1 << 25, Y: -64, Z: -1 << 25}, Max: geom.Point{X: 1 << 25, Y: 64, Z: 1 << 25}}
		got := read(t, t.TempDir(), mesh.Blocky(both, wide, 0, palette(false), mesh.Options{}))
		slices.SortFunc(want, tri.compare)
		slices.SortFunc(got, tri.compare)
		if !slices.EqualFunc(got, want, func(a, b tri) bool { return a.compare(b) == 0 }) {
			t.Errorf("%s: other triangles, %d and %d", format, len(got), len(want))
		}
	}
}

// either is two sources with cells in different places.
type either struct{ here, there only }

func (e either) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	if b.Intersect(e.there.box).Empty() {
		return e.here.ReadBox(b, level, dst)
	}
	return e.there.ReadBox(b, level, dst)
}

func (e either) Chunks(level int) []geom.ChunkPos {
	return append(e.here.Chunks(level), e.there.Chunks(level)...)
}

// only is a source without the cells outside of a box.
type only struct {
	moved
	box geom.Box
}

func (o only) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	if b.Intersect(o.box) == b {
		return o.moved.ReadBox(b, level, dst)
	}
	clear(dst[:b.Cells()])
	one := make([]voxel.Cell, 1)
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				if o.box.Contains(p) && o.moved.ReadBox(geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}, level, one) {
					dst[i] = one[0]
				}
				i++
			}
		}
	}
	return true
}

func TestWritersStop(t *testing.T) {
	m := mesh.Blocky(level(t, 2), geom.Box{Max: geom.Point{X: 64, Y: 64, Z: 64}}, 0, palette(true), mesh.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := mesh.WritePLY(ctx, &bytes.Buffer{}, m); !errors.Is(err, context.Canceled) {
		t.Errorf("PLY ends with %v", err)
	}
	if _, err := mesh.WriteOBJ(context.Background(), full{}, m, "x"); !errors.Is(err, errFull) {
		t.Errorf("OBJ on a full disk ends with %v", err)
	}
	if _, err := mesh.WritePLY(context.Background(), full{}, m); !errors.Is(err, errFull) {
		t.Errorf("PLY on a full disk ends with %v", err)
	}
	if _, err := mesh.WriteGLB(context.Background(), full{}, m, "x"); !errors.Is(err, errFull) {
		t.Errorf("GLB on a full disk ends with %v", err)
	}
}

var errFull = errors.New("no room")

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error)          { return 0, errFull }
func (full) WriteAt([]byte, int64) (int, error) { return 0, errFull }

const validate = `const v = require('gltf-validator'), fs = require('fs');
v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then(r => console.log(r.issues.numErrors, r.issues.numWarnings, JSON.stringify(r.issues.messages)));`

// TestValidator asks the validator of the glTF project, if node finds it (see CONTRIBUTING.md).
func TestValidator(t *testing.T) {
	if err := exec.Command("node", "-e", "require('gltf-validator')").Run(); err != nil {
		t.Skip("node does not find gltf-validator")
	}
	r := rand.New(rand.NewPCG(13, 14))
	for i, m := range []*mesh.Model{
		mesh.Blocky(randomVolume(r, voxel.Palette, false), geom.Box{Max: geom.Point{X: 64, Y: 64, Z: 64}}, 0, palette(false), mesh.Options{}),
		mesh.Smooth(level(t, 2), geom.Box{Max: geom.Point{X: 64, Y: 99, Z: 64}}, 0, palette(true), mesh.Options{}),
		mesh.Smooth(level(t, 1), geom.Box{}, 0, palette(true), mesh.Options{}),
	} {
		dir := t.TempDir()
		readGLB(t, dir, m)
		out, err := exec.Command("node", "-e", validate, filepath.Join(dir, "x.glb")).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "0 0 ") {
			t.Errorf("model %d: %v: %s", i, err, out)
		}
	}
}
