package resourcepack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/render/picture"
)

// Pad is how many pixels around a tile repeat it, so that the mean of pixels at its rim, as in a
// smaller copy of the image, is of the tile.
const Pad = 8

const (
	pitch    = Edge + 2*Pad
	maxTiles = 1 << 14
)

// Faces are the numbers of the tiles of a block's sides, in the order of mesh.Face.
type Faces [sides]int32

// AtlasInfo says what the image of an Atlas holds. Tile k begins at the pixels Pad+(Tile+2*Pad)*(k mod
// Columns) and Pad+(Tile+2*Pad)*(k/Columns).
type AtlasInfo struct {
	Tiles   int    `json:"tiles"` // 0 without a pack
	Tile    int    `json:"tile"`  // edge in pixels
	Pad     int    `json:"pad"`
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
	Version string `json:"version"` // another image has another one
}

// Atlas holds the textures of blocks. It does not change, so goroutines may share it. A nil Atlas
// has none.
type Atlas struct {
	info   AtlasInfo
	png    []byte
	blocks map[string][]state
	tiles  []*tile
}

// Load reads resource packs, folders or zips; a later one replaces textures of those before.
func Load(names ...string) (a *Atlas, err error) {
	var all []fs.FS
	for _, name := range names {
		fsys, closer, err := openPack(name)
		if of := (*fs.PathError)(nil); errors.As(err, &of) {
			err = of.Err // it names the pack again
		}
		if err != nil {
			return nil, fmt.Errorf("resourcepack: pack %s: %w", name, err)
		}
		defer closer.Close()
		all = append(all, fsys)
	}
	if a, err = LoadFS(all...); err != nil {
		err = fmt.Errorf("resourcepack: packs %s: %w", strings.Join(names, ", "), err)
	}
	return a, err
}

// LoadFS is Load for packs that are open.
func LoadFS(all ...fs.FS) (*Atlas, error) {
	a := &Atlas{blocks: map[string][]state{}}
	l := &loader{packs: packs{all: all, left: maxRead}, textures: map[string]*tile{}, models: map[modelOf]*cube{}, listed: map[string]bool{}, atlas: a, numbers: map[tile]int32{}}
	spaces := l.list("assets", "")
	slices.Sort(spaces)
	for _, space := range spaces {
		blocks := l.list("assets/"+space+"/blockstates", ".json")
		slices.Sort(blocks)
		for _, block := range blocks {
			l.stated(space, block)
		}
		for _, dir := range []string{"block", "blocks"} {
			l.plain(space, dir)
		}
	}
	switch {
	case l.left < 0 || l.painted > maxPainted:
		return nil, errBounds
	case len(a.tiles) == 0:
		return nil, errors.New("no textures of blocks below assets/minecraft/textures/block")
	}
	return a, a.draw()
}

// facesOf returns the numbers of the tiles of a cube. It reports false if a side has none.
func (l *loader) facesOf(c *cube) (f Faces, ok bool) {
	for side, t := range c {
		if t == nil {
			return f, false
		}
		n, have := l.numbers[*t]
		if !have {
			if len(l.atlas.tiles) == maxTiles {
				return f, false
			}
			n = int32(len(l.atlas.tiles))
			l.numbers[*t] = n
			l.atlas.tiles = append(l.atlas.tiles, t)
		}
		f[side] = n
	}
	return f, true
}

// opaque gives the pixels that are seen through the mean colour of the others, so that a smaller copy
// of the image does not mix their colour in, which is mostly black.
func (t *tile) opaque() (out tile) {
	var sum [3]int
	n := 0
	for _, c := range t {
		if c.A > 0 {
			sum[0], sum[1], sum[2], n = sum[0]+int(c.R)*int(c.A), sum[1]+int(c.G)*int(c.A), sum[2]+int(c.B)*int(c.A), n+int(c.A)
		}
	}
	out = *t
	for i, c := range t {
		if c.A == 0 && n > 0 {
			out[i] = color.NRGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 0}
		}
	}
	return out
}

// draw makes the image.
func (a *Atlas) draw() error {
	n := len(a.tiles)
	columns := 1
	for columns*columns < n {
		columns++
	}
	rows := (n + columns - 1) / columns
	img := image.NewNRGBA(image.Rect(0, 0, columns*pitch, rows*pitch))
	for k, t := range a.tiles {
		x0, y0, t := k%columns*pitch, k/columns*pitch, t.opaque()
		for y := range pitch {
			for x := range pitch {
				img.SetNRGBA(x0+x, y0+y, t[(y+Pad)%Edge*Edge+(x+Pad)%Edge])
			}
		}
	}
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	sum := sha256.Sum256(out.Bytes())
	a.png = out.Bytes()
	a.info = AtlasInfo{Tiles: n, Tile: Edge, Pad: Pad, Columns: columns, Rows: rows, Version: hex.EncodeToString(sum[:8])}
	return err
}

// Info returns what the image holds.
func (a *Atlas) Info() AtlasInfo {
	if a == nil {
		return AtlasInfo{Tile: Edge, Pad: Pad}
	}
	return a.info
}

// PNG returns the image, or nil without a pack. Nobody may change it.
func (a *Atlas) PNG() []byte {
	if a == nil {
		return nil
	}
	return a.png
}

// shapes are suffixes of blocks that have the textures of another one.
var shapes = []string{"_stairs", "_slab", "_wall", "_fence_gate", "_fence", "_wood", "_hyphae", "_pane", "_carpet"}

// Faces returns the tiles of a block by its name in a volume, and whether it has any.
func (a *Atlas) Faces(name string) (f Faces, ok bool) {
	if a == nil {
		return f, false
	}
	name, properties, _ := strings.Cut(strings.TrimSuffix(picture.Block(name), "]"), "[")
	all := a.blocks[name]
	for _, s := range shapes {
		base, cut := strings.CutSuffix(name, s)
		for _, full := range []string{"", "s", "_planks", "_block", "_log", "_stem", "_wool"} {
			if cut && len(all) == 0 {
				all = a.blocks[base+full]
			}
		}
	}
	if len(all) == 0 {
		return f, false
	}
	have := conditions(properties)
	i := slices.IndexFunc(all, func(s state) bool { return s.fits(have) })
	return all[max(i, 0)].faces, true
}
