package scene_test

import (
	"bytes"
	"image"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// land is the stone of a terrain with far levels.
func land(t testing.TB, edge int) stone.Content {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Level{Seed: 1}.Source(geom.Box{Max: geom.Point{X: edge, Y: 256, Z: edge}}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := whole.Write(t.Context(), &out, w.Content(), whole.Options{Options: stone.Options{Effort: stone.Quick}, Far: true}); err != nil {
		t.Fatal(err)
	}
	s, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draw draws a picture that is so many pixels wide.
func draw(t testing.TB, s stone.Content, pixels int) *image.RGBA {
	t.Helper()
	land, err := scene.Of(t.Context(), s, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := picture.Top(t.Context(), land, picture.Options{MaxEdge: pixels, Zoom: 1, Plain: true, Box: land.Bounds()})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestFarPicture: a picture from far levels looks like the mean of one that shows each block.
func TestFarPicture(t *testing.T) {
	const edge, shrink = 384, 8
	s := land(t, edge)
	fine, far := draw(t, s, edge), draw(t, s, edge/shrink)
	if fine.Rect.Dx() != edge || far.Rect.Dx() != edge/shrink {
		t.Fatalf("%v and %v", fine.Rect, far.Rect)
	}
	off := 0
	for i := range far.Pix {
		x, y, sum := i/4%(edge/shrink), i/4/(edge/shrink), 0
		for j := range shrink * shrink {
			sum += int(fine.Pix[fine.PixOffset(x*shrink+j%shrink, y*shrink+j/shrink)+i%4])
		}
		d := int(far.Pix[i]) - sum/(shrink*shrink)
		off += max(d, -d)
	}
	if mean := float64(off) / float64(len(far.Pix)); mean > 8 {
		t.Errorf("a colour is off by %.1f of 255", mean)
	} else {
		t.Logf("a colour is off by %.1f of 255", mean)
	}
}

// BenchmarkPicture draws a terrain of 1,024 blocks square: each block, and from its far levels.
func BenchmarkPicture(b *testing.B) {
	const edge = 1024
	s := land(b, edge)
	for name, size := range map[string]int{"each block": edge, "far": edge / 8} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				draw(b, s, size)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edge/edge, "ns/column")
		})
	}
}
