package resourcepack

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/render/trace"
)

// Paints paint a picture: blocks with the textures of an Atlas, and the sky with an image of all directions. The
// tiles of both are paged. Any number of goroutines may use them.
type Paints struct {
	system texture.System
	blocks [][sides]*texture.Texture // by number of a cell; nil: a plain colour
	sky    *texture.Texture
}

// tileName begins the name of an image that is a tile.
const tileName = "block/"

// Paints returns the paints of cells with names. sky is the path of an image, or empty. At most memory bytes are kept, and
// now is the clock of Stats.
func (a *Atlas) Paints(names []string, sky string, memory int64, now func() time.Time) *Paints {
	p := &Paints{blocks: make([][sides]*texture.Texture, len(names))}
	p.system.Tiles.Budget, p.system.Files.Now = memory, now
	p.system.Open = func(name string) (raster.Image, io.Closer, error) {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, tileName)); err == nil {
			return a.Tile(n), nil, nil
		}
		return imagefile.Open(sky)
	}
	tiles := make(map[int32]*texture.Texture)
	for i, name := range names {
		faces, ok := a.Faces(name)
		if !ok {
			continue
		}
		for side, n := range faces {
			if tiles[n] == nil {
				// From near one sees the pixels.
				tiles[n] = &texture.Texture{Name: fmt.Sprint(tileName, n), Filter: texture.Closest, Levels: texture.Trilinear}
			}
			p.blocks[i][side] = tiles[n]
		}
	}
	if sky != "" {
		p.sky = &texture.Texture{Name: sky, Purpose: texture.Environment}
	}
	return p
}

// Paint calls draw with a Painter, as trace.Options want it.
func (p *Paints) Paint(ctx context.Context, draw func(trace.Painter)) error {
	return p.system.With(func(m *texture.Sampler) error {
		b := &brush{Sampler: m, ctx: ctx, blocks: p.blocks}
		with := trace.Painter{Side: b.side}
		if p.sky != nil {
			b.far.Texture, b.far.Result = p.sky, b.rgba[:3]
			with.Sky, with.Draw = b.sky, b.draw
			b.sky([3]float64{0, 1, 0}) // so that nothing is drawn if it cannot be read
		}
		if b.err == nil {
			draw(with)
		}
		return b.err
	})
}

// Stats returns what was sampled and read so far.
func (p *Paints) Stats() texture.Stats { return p.system.Stats() }

// Close drops all tiles.
func (p *Paints) Close() error { return p.system.Close() }

// brush paints for one goroutine.
type brush struct {
	*texture.Sampler
	ctx       context.Context
	blocks    [][sides]*texture.Texture
	near, far texture.Lookup // of sides, and of the sky
	rgba      [4]float32
	err       error // the first
}

// side is Side of a trace.Painter.
func (b *brush) side(n, face int, s, t, width float64) (colour [3]float64, cover float64, ok bool) {
	if n >= len(b.blocks) || b.blocks[n][face] == nil {
		return colour, 0, false
	}
	b.near.Texture, b.near.S, b.near.T, b.near.Width, b.near.Result = b.blocks[n][face], s, t, width, b.rgba[:]
	b.note(b.Sample(b.ctx, &b.near))
	return b.light(), float64(b.rgba[3]), true
}

// sky and draw are Sky and Draw of a trace.Painter.
func (b *brush) sky(dir [3]float64) [3]float64 {
	b.far.Direction = dir
	b.note(b.Sample(b.ctx, &b.far))
	return b.light()
}

func (b *brush) draw(u, v float64) (dir, light [3]float64, chance float64) {
	b.note(b.Draw(b.ctx, &b.far, u, v))
	return b.far.Direction, b.light(), b.far.Pdf
}

// note notes the first error.
func (b *brush) note(err error) { b.err = cmp.Or(b.err, err) }

// mostLight bounds that of a texel, which may be infinite or no number.
const mostLight = 1e5

// light returns what was sampled last.
func (b *brush) light() (light [3]float64) {
	for i := range light {
		if v := float64(b.rgba[i]); v > 0 {
			light[i] = min(v, mostLight)
		}
	}
	return light
}
