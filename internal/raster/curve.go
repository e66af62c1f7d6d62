package raster

import (
	"encoding/binary"
	"math"
	"sync"
)

// Curve has the linear value of each number of 8 or 16 bits.
type Curve [1 << 16]float32

var curves [Half + 1][2]struct {
	sync.Once
	*Curve
}

// Curve returns the curve of a channel, or nil if numbers have more than 16 bits.
func (h *Header) Curve(channel int) *Curve {
	bits := 8 * h.Type.Size()
	if bits > 16 {
		return nil
	}
	c, encoded := &curves[h.Type][0], h.encoded(channel)
	if encoded {
		c = &curves[h.Type][1]
	}
	c.Do(func() {
		c.Curve = new(Curve)
		var b [2]byte
		for i := range 1 << bits {
			binary.LittleEndian.PutUint16(b[:], uint16(i))
			h.Type.Floats(c.Curve[i:][:1], b[:])
			if encoded {
				c.Curve[i] = Linear(c.Curve[i])
			}
		}
	})
	return c.Curve
}

// encoded says whether a channel is encoded by the curve of sRGB.
func (h *Header) encoded(channel int) bool { return h.SRGB && h.Channels[channel] != "A" }

// Linear decodes the curve of sRGB.
func Linear(v float32) float32 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return float32(math.Pow((float64(v)+0.055)/1.055, 2.4))
}

// Encoded undoes Linear.
func Encoded(v float32) float32 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return float32(1.055*math.Pow(float64(v), 1/2.4) - 0.055)
}

// Linearize replaces the numbers of whole pixels by linear floats, if they have 32 bits.
func (h *Header) Linearize(b []byte) {
	if h.Type != Uint32 && (h.Type != Float || !h.SRGB) {
		return
	}
	var v [1]float32
	for i := 0; i < len(b); i += 4 {
		h.Type.Floats(v[:], b[i:])
		if h.encoded(i / 4 % len(h.Channels)) {
			v[0] = Linear(v[0])
		}
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(v[0]))
	}
}
