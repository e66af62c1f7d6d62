package raster_test

import (
	"math"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// TestCurve: colours are decoded, alpha is not, and both ways of decoding give the same.
func TestCurve(t *testing.T) {
	h := raster.Header{Channels: []string{"R", "A"}, SRGB: true}
	for _, kind := range []raster.Type{raster.Uint8, raster.Uint16, raster.Half, raster.Uint32, raster.Float} {
		h.Type = kind
		values := []float32{0, 0.04, 0.5, 1}
		for i, want := range []float64{0, 0.04 / 12.92, 0.21404114, 1} {
			b := make([]byte, 2*kind.Size())
			kind.Put(b, []float32{values[i], values[i]})
			var got [2]float32
			if c := h.Curve(0); c != nil {
				var n [2]int
				for j := range n {
					for k := kind.Size() - 1; k >= 0; k-- {
						n[j] = n[j]<<8 | int(b[j*kind.Size()+k])
					}
				}
				got = [2]float32{c[n[0]], h.Curve(1)[n[1]]}
			} else {
				h.Linearize(b)
				raster.Float.Floats(got[:], b)
			}
			if math.Abs(float64(got[0])-want) > 0.002 || math.Abs(float64(got[1]-values[i])) > 0.002 {
				t.Errorf("%v %g: %v, want %g", kind, values[i], got, want)
			}
		}
	}
	h.SRGB = false
	if h.Curve(0) != nil || (&raster.Header{Type: raster.Uint8, Channels: []string{"R"}}).Curve(0)[51] != 0.2 {
		t.Error("linear numbers are decoded")
	}
}
