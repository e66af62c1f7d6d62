package mesh

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
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
	Name string `json:"name"`
	Mesh int    `json:"mesh"`
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

// WriteGLB writes a model as binary glTF 2.0 to an empty file: one mesh with a primitive for each
// material. Colours are those of the materials; the shade is COLOR_0. The file has at most 4 GiB.
func WriteGLB(ctx context.Context, w io.WriterAt, m *Model, name string) (Stats, error) {
	t, err := m.count(ctx)
	if err != nil {
		return Stats{}, err
	}
	head, err := json.Marshal(m.gltf(t, name))
	if err != nil {
		return t.Stats, err
	}
	head = append(head, bytes.Repeat([]byte{' '}, -len(head)&3)...)
	body := t.Vertices*glbVertex + t.Triangles*glbTriangle
	start := int64(glbHeader + glbChunk + len(head))
	size := start
	if body > 0 {
		start += glbChunk
		size = start + body
	}
	if size > glbMax {
		return t.Stats, fmt.Errorf("mesh: a GLB file of %d bytes: at most %d; a PLY file may have more", size, int64(glbMax))
	}
	le := binary.LittleEndian
	b := append([]byte(glbMagic), 2, 0, 0, 0)
	b = le.AppendUint32(b, uint32(size))
	b = append(append(le.AppendUint32(b, uint32(len(head))), glbJSON...), head...)
	if body > 0 {
		b = append(le.AppendUint32(b, uint32(body)), glbBinary...)
	}
	return t.Stats, m.writeBinary(ctx, w, b, t, start)
}

// area is a part of a file that is written from its beginning to its end.
type area struct {
	w    io.WriterAt
	at   int64
	room []byte
}

// areaBytes is how much an area gathers before it writes.
const areaBytes = 1 << 16

func (a *area) flush() error {
	_, err := a.w.WriteAt(a.room, a.at)
	a.at += int64(len(a.room))
	a.room = a.room[:0]
	return err
}

// writeBinary writes the head, and all vertices and the triangles of each material from start on.
func (m *Model) writeBinary(ctx context.Context, w io.WriterAt, head []byte, t *totals, start int64) error {
	if _, err := w.WriteAt(head, 0); err != nil || t.Triangles == 0 {
		return err
	}
	vertices := &area{w: w, at: start}
	triangles := make([]area, len(t.of))
	at := start + t.Vertices*glbVertex
	for i, n := range t.of {
		triangles[i] = area{w: w, at: at}
		at += n * glbTriangle
	}
	le := binary.LittleEndian
	first := uint32(0)
	err := m.Pieces(ctx, func(p *Piece) error {
		for i := range p.Vertices {
			v := &p.Vertices[i]
			s := uint8(linear(v.Shade)*255 + .5)
			vertices.room = appendFloats(appendFloats(vertices.room, v.Position[:]...), v.Normal[:]...)
			vertices.room = append(vertices.room, s, s, s, 255)
			if len(vertices.room) >= areaBytes {
				if err := vertices.flush(); err != nil {
					return err
				}
			}
		}
		for i := range p.Triangles {
			a := &triangles[p.Triangles[i].Material]
			for _, v := range p.Triangles[i].Vertices {
				a.room = le.AppendUint32(a.room, first+v)
			}
			if len(a.room) >= areaBytes {
				if err := a.flush(); err != nil {
					return err
				}
			}
		}
		first += uint32(len(p.Vertices))
		return nil
	})
	for i := 0; i < len(triangles) && err == nil; i++ {
		err = triangles[i].flush()
	}
	if err != nil {
		return err
	}
	return vertices.flush()
}

// gltf returns the document of a model.
func (m *Model) gltf(t *totals, name string) *gltf {
	g := &gltf{Scenes: []gltfScene{{}}}
	g.Asset.Version, g.Asset.Generator = "2.0", "cairn"
	if t.Triangles == 0 {
		return g
	}
	g.Scenes[0].Nodes = []int{0}
	g.Nodes = []gltfNode{{Name: name}}
	vertices := t.Vertices * glbVertex
	g.Buffers = []gltfBuffer{{vertices + t.Triangles*glbTriangle}}
	g.BufferViews = []gltfView{
		{Length: vertices, Stride: glbVertex, Target: glArray},
		{Offset: vertices, Length: t.Triangles * glbTriangle, Target: glElements},
	}
	g.Accessors = []gltfAccessor{
		{Component: glFloat, Count: t.Vertices, Type: "VEC3", Min: t.low[:], Max: t.top[:]},
		{Offset: 12, Component: glFloat, Count: t.Vertices, Type: "VEC3"},
		{Offset: 24, Component: glByte, Normalized: true, Count: t.Vertices, Type: "VEC4"},
	}
	mesh := gltfMesh{Name: name}
	offset := int64(0)
	for i, n := range t.of {
		if n == 0 {
			continue
		}
		mesh.Primitives = append(mesh.Primitives, gltfPrimitive{
			Attributes: map[string]int{"POSITION": 0, "NORMAL": 1, "COLOR_0": 2},
			Indices:    len(g.Accessors), Material: len(g.Materials),
		})
		g.Accessors = append(g.Accessors, gltfAccessor{View: 1, Offset: offset, Component: glUint, Count: 3 * n, Type: "SCALAR"})
		g.Materials = append(g.Materials, m.Materials[i].gltf())
		offset += n * glbTriangle
	}
	g.Meshes = []gltfMesh{mesh}
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
