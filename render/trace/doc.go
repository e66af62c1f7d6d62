// Package trace draws pictures of worlds from any place, by following rays of light back from the
// camera. Render begins.
//
// A ray goes through the cells of the world at the level that suits its width: near ones at level 0,
// far ones at the far levels, so a picture reads what it shows. Chunks are read when a ray first meets
// them and kept within a bound of memory. A picture depends neither on that bound nor on the number of
// goroutines.
package trace
