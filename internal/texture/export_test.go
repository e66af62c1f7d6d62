package texture

import "github.com/cairnvoxel/cairn/internal/raster"

// Encode returns a tile as files have it.
func Encode(src []byte, size raster.Size, channels int, of raster.Type) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.encode(nil, src, shape{size, channels, of})
}

// Decode undoes Encode.
func Decode(dst, b []byte, size raster.Size, channels int, of raster.Type) error {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	return d.decode(dst, b, shape{size, channels, of})
}
