// Package cairn stores voxel worlds: islands, arenas, terrains of a billion
// voxels. It keeps them small in memory and on disk and remembers every version.
//
// The work is done on the floors below: geom and voxel say what a world is
// made of, stone how it lies in a file, format where it comes from. CONTRIBUTING.md
// has the map. This package holds no code of its own yet.
package cairn
