package textures

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/level"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/texture"
	renderer "github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Picture is a picture of a level from inside, drawn with everything in memory and within bounds.
type Picture struct {
	Cells   int64   `json:"cells"` // of the level, that are not empty
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Samples int     `json:"samples"` // of a pixel
	Free    Drawing `json:"in_memory"`
	Bounded Drawing `json:"bounded"`
}

// Drawing is how a picture was drawn, each once with nothing in memory before it.
type Drawing struct {
	ForCells    int64   `json:"cell_bytes"`    // that may be in memory
	ForTextures int64   `json:"texture_bytes"` // likewise
	Seconds     float64 `json:"seconds"`
	Processor   float64 `json:"processor_seconds"`
	Calls       int64   `json:"texture_calls"`
	Read        int64   `json:"texture_bytes_read"`

	sum [sha256.Size]byte // of its pixels
	to  *recorder         // where its calls go, or nil
}

// levelImages returns the images that the materials of the level show.
func levelImages(form string, quick bool) (all []source) {
	noises := 6
	if quick {
		noises = 1
	}
	for i := range terrain.Materials() {
		all = append(all, image{edge: 2048, seed: uint64(1 + i%noises), form: form})
	}
	return all
}

// drawPicture draws both ways, then two smaller pictures to record their calls. The sides of the level's
// blocks show images of noise.
func drawPicture(ctx context.Context, dir, recording string, quick bool) (p *Picture, err error) {
	p = &Picture{Width: 1280, Height: 720, Samples: 16}
	voxels := int64(1e9)
	if quick {
		p.Width, p.Height, p.Samples, voxels = 80, 45, 1, 1e6
	}
	f, err := os.CreateTemp("", "cairn-level-*")
	if err != nil {
		return nil, fmt.Errorf("textures: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	cells, size, half, err := level.WriteStone(ctx, f, lab.Options{Seed: 1, Voxels: voxels})
	if err != nil {
		return nil, err
	}
	p.Cells = cells
	var images []*texture.Texture
	for _, of := range levelImages(ours, quick) {
		name, err := of.make(ctx, dir)
		if err != nil {
			return nil, err
		}
		images = append(images, &texture.Texture{Name: name, Levels: texture.Trilinear, WrapS: texture.Periodic, WrapT: texture.Periodic})
	}
	s, err := stone.Open(f, size)
	if err != nil {
		return nil, err
	}
	const all = 1 << 40
	p.Free, p.Bounded = Drawing{ForCells: all, ForTextures: all}, Drawing{ForCells: 64e6, ForTextures: 32e6}
	for _, d := range []*Drawing{&p.Free, &p.Bounded} {
		if err := d.draw(ctx, s, float64(half*32), p, images); err != nil {
			return nil, err
		}
	}
	if p.Free.sum != p.Bounded.sum {
		return nil, errors.New("textures: a picture within bounds is another")
	}
	return p, record(ctx, s, float64(half*32), *p, images, recording)
}

// record writes a recording of two threads. Each draws a picture of its own, which looks elsewhere, so
// that the calls are the same each time.
func record(ctx context.Context, s *stone.Reader, half float64, p Picture, images []*texture.Texture, name string) error {
	p.Samples = min(p.Samples, 2)
	errs := make([]error, 2)
	var wait sync.WaitGroup
	for thread := range errs {
		wait.Go(func() {
			w, err := newRecorder(name, thread)
			if err != nil {
				errs[thread] = err
				return
			}
			d := Drawing{ForCells: 64e6, ForTextures: 32e6, to: w}
			errs[thread] = errors.Join(d.draw(ctx, s, half, &p, images), w.close())
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// draw draws a level that has half an edge of so many blocks.
func (d *Drawing) draw(ctx context.Context, s *stone.Reader, half float64, p *Picture, images []*texture.Texture) error {
	v, err := scene.Of(ctx, s, "", 0)
	if err != nil {
		return err
	}
	v.NameMaterials(terrain.Materials())
	sys := &texture.System{Tiles: tile.Options{Budget: d.ForTextures}}
	ground := geom.Point{X: int(-0.8 * half), Y: v.Bounds().Max.Y, Z: int(-0.8 * half)}
	cells := v.Boxes(0)
	for cell := [1]voxel.Cell{}; cell[0] == voxel.Empty; ground.Y-- {
		if !cells.ReadBox(geom.Box{Min: ground, Max: ground.Add(geom.Point{X: 1, Y: 1, Z: 1})}, 0, cell[:]) {
			return cells.Err()
		}
	}
	eye := [3]float64{float64(ground.X), float64(ground.Y + 12), float64(ground.Z)}
	o := renderer.Options{
		Width: p.Width, Height: p.Height, Samples: p.Samples, Memory: d.ForCells,
		From: eye, Look: [3]float64{eye[0] + 100, eye[1] - 20, eye[2] + 100},
		Paint: func(draw func(renderer.Painter)) error {
			return sys.With(func(m *texture.Sampler) (err error) {
				var result [3]float32
				l := texture.Lookup{Result: result[:]}
				draw(renderer.Painter{Side: func(n, _ int, s, t, width float64) (colour [3]float64, cover float64, ok bool) {
					l.Texture, l.S, l.T, l.DSDX, l.DTDY = images[n%len(images)], s, t, width, width
					if d.to != nil {
						d.to.add(call{file: n % len(images), s: s, t: t, dsdx: width, dtdy: width})
					}
					err = errors.Join(err, m.Sample(ctx, &l))
					for i, v := range result {
						colour[i] = float64(v)
					}
					return colour, 1, true
				}})
				return err
			})
		},
	}
	if d.to != nil {
		o.Threads = 1
		o.Look[2] -= 60 * float64(d.to.thread)
	}
	from, used := time.Now(), lab.ProcessorTime()
	drawn, err := renderer.Render(ctx, v, o)
	if err != nil {
		return err
	}
	d.Seconds, d.Processor = time.Since(from).Seconds(), (lab.ProcessorTime() - used).Seconds()
	stats := sys.Stats()
	d.Calls = stats.Calls
	for _, f := range stats.Files {
		d.Read += f.Bytes
	}
	b := make([]byte, 0, 4*len(drawn.Pix))
	for _, v := range drawn.Pix {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	d.sum = sha256.Sum256(b)
	return sys.Close()
}
