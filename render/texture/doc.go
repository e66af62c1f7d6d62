// Package texture samples images that are larger than memory, as a renderer does. A System
// keeps tiles of images within a budget of bytes. A Sampler, one for each goroutine, filters
// them where a Lookup says.
//
// A filter asks for what OpenImageIO's does, and gives the same numbers: s goes right and t
// down from the top left corner of the image, 0 to 1; the centre of texel i of w is at
// (i+0.5)/w. Results are linear. They depend neither on the budget nor on the goroutines.
//
// A texture may be a set of images, as UDIM names them: the image of u and v, with the number
// 1001+u+10v, covers s from u to u+1 and t from v to v+1. A footprint reads across the border
// of two images of equal size; elsewhere it stays in its image, as if that was clamped.
//
// The package reads no clock and starts no goroutine.
package texture
