package mesh

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// The parts of a GLB file, from the glTF 2.0 specification.
const (
	glbMagic  = "glTF"
	glbHeader = 12 // magic, version, length
	glbChunk  = 8  // length, type
	glbJSON   = "JSON"
	glbBinary = "BIN\x00"
	glbMax    = math.MaxUint32

	glbVertex   = 12 + 12 + 4 // position, normal, colour
	glbTriangle = 3 * 4

	glFloat, glUint, glByte = 5126, 5125, 5121
	glArray, glElements     = 34962, 34963
)

type gltf struct {
	Asset struct {
		Version   string `json:"version"`
		Generator string `json:"generator"`
	} `json:"asset"`
	Scene       int            `json:"scene"`
	Scenes      []gltfScene    `json:"scenes"`
	Nodes       []gltfNode     `json:"nodes,omitempty"`
	Meshes      []gltfMesh     `json:"meshes,omitempty"`
	Materials   []gltfMaterial `json:"materials,omitempty"`
	Accessors   []gltfAccessor `json:"accessors,omitempty"`
	BufferViews []gltfView     `json:"bufferViews,omitempty"`
	Buffers     []gltfBuffer   `json:"buffers,omitempty"`
}

type gltfScene struct {
	Nodes []int `json:"nodes,omitempty"`
}

type gltfNode struct {
	Name        string `json:"name"`
	Mesh        int    `json:"mesh"`
	Translation [3]int `json:"translation"`
}

type gltfMesh struct {
	Name       string          `json:"name"`
	Primitives []gltfPrimitive `json:"primitives"`
}

type gltfPrimitive struct {
	Attributes map[string]int `json:"attributes"`
	Indices    int            `json:"indices"`
	Material   int            `json:"material"`
}

type gltfMaterial struct {
	Name string `json:"name"`
	PBR  struct {
		Colour    [4]float64 `json:"baseColorFactor"`
		Metallic  float64    `json:"metallicFactor"`
		Roughness float64    `json:"roughnessFactor"`
	} `json:"pbrMetallicRoughness"`
	Alpha       string `json:"alphaMode,omitempty"`
	DoubleSided bool   `json:"doubleSided,omitempty"`
}

type gltfAccessor struct {
	View       int       `json:"bufferView"`
	Offset     int64     `json:"byteOffset,omitempty"`
	Component  int       `json:"componentType"`
	Normalized bool      `json:"normalized,omitempty"`
	Count      int64     `json:"count"`
	Type       string    `json:"type"`
	Min        []float32 `json:"min,omitempty"`
	Max        []float32 `json:"max,omitempty"`
}

type gltfView struct {
	Buffer int   `json:"buffer"`
	Offset int64 `json:"byteOffset,omitempty"`
	Length int64 `json:"byteLength"`
	Stride int   `json:"byteStride,omitempty"`
	Target int   `json:"target"`
}

type gltfBuffer struct {
	Length int64 `json:"byteLength"`
}

// WriteGLB writes a model as binary glTF 2.0 to an empty file: nodes whose translation says where in
// the world they are, each with a mesh that has a primitive for each material. Nearly all models have
// one node; one that is wider than 32,768 cells has one for each such part, so that positions of 32 bits
// are exact. Colours are those of the materials; the shade is COLOR_0. The file has at most 4 GiB.
func WriteGLB(ctx context.Context, w io.WriterAt, m *Model, name string) (Stats, error) {
	parts, err := m.parts(ctx)
	if err != nil {
		return Stats{}, err
	}
	var s Stats
	for _, p := range parts.all {
		s.Vertices, s.Triangles = s.Vertices+p.Vertices, s.Triangles+p.Triangles
	}
	head, err := json.Marshal(m.gltf(parts, s, name))
	if err != nil {
		return s, fmt.Errorf("mesh: %w", err)
	}
	head = append(head, bytes.Repeat([]byte{' '}, -len(head)&3)...)
	body := s.Vertices*glbVertex + s.Triangles*glbTriangle
	size := int64(glbHeader + glbChunk + len(head))
	if body > 0 {
		size += glbChunk + body
	}
	if size > glbMax {
		return s, fmt.Errorf("mesh: a GLB file of %d bytes: at most %d; a PLY file may have more", size, int64(glbMax))
	}
	le := binary.LittleEndian
	b := append([]byte(glbMagic), 2, 0, 0, 0)
	b = le.AppendUint32(b, uint32(size))
	b = append(append(le.AppendUint32(b, uint32(len(head))), glbJSON...), head...)
	if body > 0 {
		b = append(le.AppendUint32(b, uint32(body)), glbBinary...)
	}
	if _, err := w.WriteAt(b, 0); err != nil || body == 0 {
		return s, err
	}
	return s, m.writeBinary(ctx, w, parts, size-body, size-body+s.Vertices*glbVertex)
}

// part is what a file has of one material in one node.
type part struct {
	Stats
	node, material int
	low, top       [3]float32 // of positions
}

// parts are all parts in the order in which they are first met.
type parts struct {
	all   []part
	nodes []geom.Point // least corners
	of    map[[2]int]int
	at    map[geom.Point]int // nodes
}

// nodeCells is how wide a node is at most, in cells of the level: with 1/256 of a cell, 23 bits.
const nodeCells = 1 << 15

// find returns the number of the part of a material that a piece is in, and where the piece lies in
// its node.
func (m *Model) find(p *parts, piece *Piece, material int) (n int, in [3]float32) {
	d, wide := piece.Min.Sub(m.Min), nodeCells*m.Width
	corner := m.Min.Add(geom.Point{X: max(d.X, 0) / wide * wide, Y: max(d.Y, 0) / wide * wide, Z: max(d.Z, 0) / wide * wide})
	node, ok := p.at[corner]
	if !ok {
		node = len(p.nodes)
		p.at[corner], p.nodes = node, append(p.nodes, corner)
	}
	n, ok = p.of[[2]int{node, material}]
	if !ok {
		const far = math.MaxFloat32
		n = len(p.all)
		p.of[[2]int{node, material}] = n
		p.all = append(p.all, part{node: node, material: material, low: [3]float32{far, far, far}, top: [3]float32{-far, -far, -far}})
	}
	d = piece.Min.Sub(corner)
	return n, [3]float32{float32(d.X), float32(d.Y), float32(d.Z)}
}

// parts counts the vertices and triangles of each part. A vertex with triangles of several
// materials counts for each.
func (m *Model) parts(ctx context.Context) (*parts, error) {
	out := &parts{of: make(map[[2]int]int), at: make(map[geom.Point]int)}
	var s splitter
	err := m.Pieces(ctx, func(p *Piece) error {
		return s.split(p, func(material int, vertices []uint32, triangles []Triangle) error {
			n, in := m.find(out, p, material)
			t := &out.all[n]
			t.Vertices += int64(len(vertices))
			t.Triangles += int64(len(triangles))
			if t.Vertices > maxVertices {
				return fmt.Errorf("mesh: more than %d vertices", int64(maxVertices))
			}
			for _, v := range vertices {
				for a, c := range p.Vertices[v].Position {
					t.low[a], t.top[a] = min(t.low[a], c+in[a]), max(t.top[a], c+in[a])
				}
			}
			return nil
		})
	})
	return out, err
}

// splitter takes pieces apart by material.
type splitter struct {
	sorted   []Triangle
	number   []uint32 // of each vertex within its material, plus 1
	vertices []uint32
}

// split calls f with the vertices of each material and its triangles, whose vertices count within
// vertices.
func (s *splitter) split(p *Piece, f func(material int, vertices []uint32, triangles []Triangle) error) error {
	s.sorted = append(s.sorted[:0], p.Triangles...)
	slices.SortStableFunc(s.sorted, func(a, b Triangle) int { return cmp.Compare(a.Material, b.Material) })
	s.number = resize(s.number, len(p.Vertices))
	clear(s.number)
	for rest := s.sorted; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(t Triangle) bool { return t.Material != rest[0].Material })
		if n < 0 {
			n = len(rest)
		}
		s.vertices = s.vertices[:0]
		for i := range rest[:n] {
			for k, v := range rest[i].Vertices {
				if s.number[v] == 0 {
					s.vertices = append(s.vertices, v)
					s.number[v] = uint32(len(s.vertices))
				}
				rest[i].Vertices[k] = s.number[v] - 1
			}
		}
		if err := f(rest[0].Material, s.vertices, rest[:n]); err != nil {
			return err
		}
		for _, v := range s.vertices {
			s.number[v] = 0
		}
		rest = rest[n:]
	}
	return nil
}

// areasBytes is about how much is gathered before it is written.
const areasBytes = 1 << 24

// writeBinary writes the vertices of each part from one place on, and the triangles from another.
func (m *Model) writeBinary(ctx context.Context, w io.WriterAt, parts *parts, vertices, triangles int64) error {
	areas := make([][2]*bufio.Writer, len(parts.all))
	first := make([]uint32, len(parts.all))
	gather := min(1<<16, max(512, areasBytes/2/max(1, len(areas))))
	for i, p := range parts.all {
		for k, at := range [2]*int64{&vertices, &triangles} {
			areas[i][k] = bufio.NewWriterSize(io.NewOffsetWriter(w, *at), gather)
		}
		vertices += p.Vertices * glbVertex
		triangles += p.Triangles * glbTriangle
	}
	var s splitter
	var room []byte
	err := m.Pieces(ctx, func(p *Piece) error {
		return s.split(p, func(material int, vertices []uint32, triangles []Triangle) error {
			n, in := m.find(parts, p, material)
			for _, i := range vertices {
				v := &p.Vertices[i]
				light := uint8(linear(v.Shade)*255 + .5)
				room = room[:0]
				for a, c := range v.Position {
					room = appendFloats(room, c+in[a])
				}
				areas[n][0].Write(append(appendFloats(room, v.Normal[:]...), light, light, light, 255))
			}
			for _, t := range triangles {
				room = room[:0]
				for _, v := range t.Vertices {
					room = binary.LittleEndian.AppendUint32(room, first[n]+v)
				}
				areas[n][1].Write(room)
			}
			first[n] += uint32(len(vertices))
			_, err := areas[n][0].Write(nil) // the first error of the writer
			_, more := areas[n][1].Write(nil)
			return errors.Join(err, more)
		})
	})
	for i := 0; i < len(areas) && err == nil; i++ {
		err = errors.Join(areas[i][0].Flush(), areas[i][1].Flush())
	}
	return err
}

// gltf returns the document of a model.
func (m *Model) gltf(parts *parts, s Stats, name string) *gltf {
	g := &gltf{Scenes: []gltfScene{{}}}
	g.Asset.Version, g.Asset.Generator = "2.0", "cairn"
	if s.Triangles == 0 {
		return g
	}
	for i, at := range parts.nodes {
		own := name
		if i > 0 {
			own = fmt.Sprintf("%s-%d", name, i+1)
		}
		g.Scenes[0].Nodes = append(g.Scenes[0].Nodes, i)
		g.Nodes = append(g.Nodes, gltfNode{own, i, [3]int{at.X, at.Y, at.Z}})
		g.Meshes = append(g.Meshes, gltfMesh{Name: own})
	}
	all := s.Vertices * glbVertex
	g.Buffers = []gltfBuffer{{all + s.Triangles*glbTriangle}}
	g.BufferViews = []gltfView{
		{Length: all, Stride: glbVertex, Target: glArray},
		{Offset: all, Length: s.Triangles * glbTriangle, Target: glElements},
	}
	vertices, indices := int64(0), int64(0)
	materials := make(map[int]int) // their numbers in the file
	for _, p := range parts.all {
		if _, ok := materials[p.material]; !ok {
			materials[p.material] = len(g.Materials)
			g.Materials = append(g.Materials, m.Materials[p.material].gltf())
		}
		n, mesh := len(g.Accessors), &g.Meshes[p.node]
		mesh.Primitives = append(mesh.Primitives, gltfPrimitive{
			Attributes: map[string]int{"POSITION": n, "NORMAL": n + 1, "COLOR_0": n + 2},
			Indices:    n + 3, Material: materials[p.material],
		})
		g.Accessors = append(g.Accessors,
			gltfAccessor{Offset: vertices, Component: glFloat, Count: p.Vertices, Type: "VEC3", Min: p.low[:], Max: p.top[:]},
			gltfAccessor{Offset: vertices + 12, Component: glFloat, Count: p.Vertices, Type: "VEC3"},
			gltfAccessor{Offset: vertices + 24, Component: glByte, Normalized: true, Count: p.Vertices, Type: "VEC4"},
			gltfAccessor{View: 1, Offset: indices, Component: glUint, Count: 3 * p.Triangles, Type: "SCALAR"})
		vertices += p.Vertices * glbVertex
		indices += p.Triangles * glbTriangle
	}
	return g
}

func (m *Material) gltf() (g gltfMaterial) {
	g.Name = m.Name
	g.PBR.Roughness = 1
	g.PBR.Colour = [4]float64{linear(m.Colour.R), linear(m.Colour.G), linear(m.Colour.B), 1}
	switch m.Kind {
	case Transparent:
		g.PBR.Colour[3], g.Alpha = float64(m.Colour.A)/255, "BLEND"
	case CutOut:
		g.Alpha, g.DoubleSided = "MASK", true
	}
	return g
}

// linear is a part of light of a value in sRGB.
func linear(v uint8) float64 {
	s := float64(v) / 255
	if s <= .04045 {
		return s / 12.92
	}
	return math.Pow((s+.055)/1.055, 2.4)
}
