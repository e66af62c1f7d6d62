// Package cairn stores voxel worlds: islands, arenas, terrains of a billion
// voxels. It keeps them small in memory and on disk and remembers every version.
//
// A world is a stack of immutable stones: a commit sets one more on top, a fork
// begins a second stack on the same stones, going back costs nothing. The names
// here are those that a first program needs; see the examples. What they do is
// done below: world for versions, volumes and what is kept in memory, store for
// where it lies, grid for cells, brush and undo for tools. CONTRIBUTING.md has the
// map of all packages.
//
// Worlds made here have one dimension of blocks with names and are in memory as
// a whole. The package does not open larger ones piece by piece, nor those of
// other kinds: package world does.
package cairn
