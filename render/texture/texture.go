package texture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/paged"
	"github.com/cairnvoxel/cairn/tile"
)

// How texels of one level make a probe.
const (
	Bilinear = iota // of four
	Closest         // one
	Bicubic         // of sixteen, by a B-spline: smooth, and softer than the image
	Smart           // Bicubic where the image is magnified and Levels is Anisotropic, else Bilinear
)

// Which levels a footprint reads, and in how many probes.
const (
	Anisotropic = iota // probes along its long axis in the two levels that fit the short one
	Trilinear          // one probe in each of the two levels that fit the long axis
	OneLevel           // one probe in the coarser of these
	NoMip              // one probe in level 0
)

// How an image goes on beyond its edges. Sets do not need it: see the package.
const (
	FileWrap = iota // as the image says, else Black
	Black
	Clamp
	Periodic
	Mirror
)

// Texture is an image and how it is filtered. Its fields are set before it is used. Any number
// of goroutines may use it. The zero value of each field but Name is its default.
type Texture struct {
	// Name is that of an image, or of a set: see System.
	Name string
	// Purpose is what the image is for: Colour, Bump, Mask or Environment.
	Purpose int
	Filter  int // Bilinear, Closest, Bicubic or Smart
	Levels  int // Anisotropic, Trilinear, OneLevel or NoMip
	// MaxAnisotropy is how many times as long as wide a footprint may be. Default 8, at most
	// 64.
	MaxAnisotropy int
	// Sharp shortens footprints that are too long, which makes noise. By default they also
	// become wider.
	Sharp        bool
	WrapS, WrapT int // FileWrap, Black, Clamp, Periodic or Mirror
	// Width multiplies footprints in s and in t. Default 1.
	Width [2]float64
	// Blur is added to footprints in s and in t.
	Blur [2]float64
	// First is the channel that Result begins with.
	First int
	// Fill is the value of channels that the image does not have.
	Fill float32
	// Missing are the values where there is no image. Without it that is an error, and in a
	// set Fill.
	Missing []float32

	view atomic.Pointer[view]
}

const (
	defaultAnisotropy = 8
	mostAnisotropy    = 64
	mostProbes        = 2 * mostAnisotropy
	mostLevels        = 16 // keys have no more; coarser ones are not used
)

// view is a Texture as Samplers of one System use it. It does not change.
type view struct {
	*Texture
	system *System
	item   *tile.Item[tile.Flat]
	header *raster.Header

	levels         []level
	pixel          int // bytes
	shiftX, shiftY int // of the width and height of blocks, -1 if one is no power of two
	wrap           [2]int
	have           int // channels, from First on
	offset         int // bytes of those before
	curves         []*raster.Curve
	kernels
	width, blur [2]float64
	aspect      float64 // at most

	special     bool // it is more than an image: one of the following is set
	missing     bool
	environment *paged.Environment
	set         *set
	u, v        int // of an image of a set
}

// level is a level of a view.
type level struct {
	number   int
	w, h     int
	fw, fh   float64 // w and h
	least    float64 // of these
	tx0, ty0 int     // where its tiles lie in those of the item
}

// viewOf returns the view of a texture, which it makes if there is none.
func (m *Sampler) viewOf(ctx context.Context, t *Texture) (*view, error) {
	if v := t.view.Load(); v != nil && v.system == m.system {
		return v, nil
	}
	v, err := m.makeView(ctx, t)
	if err != nil {
		return nil, err
	}
	t.view.Store(v)
	return v, nil
}

func (m *Sampler) makeView(ctx context.Context, t *Texture) (*view, error) {
	for _, c := range [][2]int{
		{t.Purpose, min(len(m.system.Tiles.Purposes)-1, Environment)}, {t.Filter, Smart}, {t.Levels, NoMip}, {t.WrapS, Mirror}, {t.WrapT, Mirror},
		{t.MaxAnisotropy, mostAnisotropy}, {t.First, raster.MostChannels},
	} {
		if c[0] < 0 || c[0] > c[1] {
			return nil, fmt.Errorf("a field is %d: 0 to %d", c[0], c[1])
		}
	}
	var files map[int]string
	var item *tile.Item[tile.Flat]
	var of *paged.Outline
	var err error
	if m.system.Members != nil {
		files, err = m.system.Members(t.Name)
	}
	if err == nil && files == nil {
		item, of, err = m.openItem(ctx, t, t.Name)
	}
	v := &view{Texture: t, system: m.system, special: true}
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Missing != nil:
		v.missing, err = true, nil
	case err != nil:
		return nil, err
	case files == nil && !of.Set:
		v = newView(m.system, t, item, of, paged.First)
		if t.Purpose == Environment {
			v.special = true
			v.environment, err = m.system.environmentOf(ctx, v)
		}
	case t.Purpose == Environment:
		return nil, errors.New("a set is no environment")
	default:
		v.set = newSet(files, item, of)
	}
	return v, err
}

// openItem returns the item of an image and its shape.
func (m *Sampler) openItem(ctx context.Context, t *Texture, name string) (*tile.Item[tile.Flat], *paged.Outline, error) {
	name += purposeNames[t.Purpose]
	item := m.worker.Item(m.system.items, name)
	of, err := m.system.shapeOf(ctx, item, name)
	return item, of, err
}

// newView returns the view of an image of an item.
func newView(s *System, t *Texture, item *tile.Item[tile.Flat], of *paged.Outline, number int) *view {
	h, column, row := of.Headers[number], (number-paged.First)%paged.Across, (number-paged.First)/paged.Across
	v := &view{
		Texture: t, system: s, item: item, header: h, pixel: h.Pixel(), shiftX: -1, shiftY: -1,
		wrap: [2]int{wrapOf(t.WrapS, h.Wrap[0]), wrapOf(t.WrapT, h.Wrap[1])},
		have: max(len(h.Channels)-t.First, 0), offset: t.First * h.Type.Size(),
		aspect: float64(cmp.Or(t.MaxAnisotropy, defaultAnisotropy)),
	}
	if w, h := uint(h.Block.Width), uint(h.Block.Height); w&(w-1) == 0 && h&(h-1) == 0 {
		v.shiftX, v.shiftY = bits.TrailingZeros(w), bits.TrailingZeros(h)
	}
	sharper := math.Exp2(-s.Tiles.Purposes[t.Purpose].Sharper)
	for i := range v.width {
		v.width[i], v.blur[i] = cmp.Or(t.Width[i], 1)*sharper, t.Blur[i]*sharper
	}
	for i, size := range h.Levels[:min(len(h.Levels), mostLevels)] {
		fw, fh := float64(size.Width), float64(size.Height)
		v.levels = append(v.levels, level{i, size.Width, size.Height, fw, fh, min(fw, fh), column * of.Strides[i].Width, row * of.Strides[i].Height})
	}
	for c := range v.have {
		v.curves = append(v.curves, h.Curve(t.First+c))
	}
	switch h.Type.Size() {
	case 1:
		v.kernels = kernelsOf[uint8](v.curves)
	case 2:
		v.kernels = kernelsOf[uint16](v.curves)
	default:
		v.kernels = kernelsOf[uint32](v.curves)
	}
	return v
}

// tileOf returns the tile that a texel lies in.
func (v *view) tileOf(x, y int) (tx, ty int) {
	if v.shiftX >= 0 {
		return x >> v.shiftX, y >> v.shiftY
	}
	return x / v.header.Block.Width, y / v.header.Block.Height
}

var wraps = []string{Black: "black", Clamp: "clamp", Periodic: "periodic", Mirror: "mirror"}

// wrapOf returns the wrap of a texture whose image has a wrap of that name.
func wrapOf(wrap int, name string) int {
	if wrap != FileWrap {
		return wrap
	}
	return max(slices.Index(wraps, name), Black)
}

// wrapped returns where a texel is that may lie beyond an edge of n texels, and false if it is
// black.
func wrapped(wrap, x, n int) (int, bool) {
	switch wrap {
	case Clamp:
		return min(max(x, 0), n-1), true
	case Periodic:
		return modulo(x, n), true
	case Mirror:
		x = modulo(x, 2*n)
		return min(x, 2*n-1-x), true
	}
	return x, x >= 0 && x < n
}

func modulo(x, n int) int {
	if x %= n; x < 0 {
		x += n
	}
	return x
}
