// Package cairn stores voxel worlds: islands, arenas, terrains of a billion
// voxels. It keeps them small in memory and on disk, and remembers every version.
//
// A world is a stack of immutable stones. A commit puts one more stone on top, with
// what changed and nothing else. A fork starts a second stack on the same stones. Restoring
// an old version writes no stone at all.
//
// # First steps
//
// Open opens a store: a directory, the memory, or a server. Create makes a world in
// it, and OpenWorld opens one that is there, whether it was made here or imported with
// the command "cairn import". World.Edit changes blocks by name, World.Commit saves,
// and World.Log lists the saved versions. The examples show each.
//
// Blocks have names like "stone" or "minecraft:oak_stairs[facing=east]". Any name is
// allowed, but a world that is exported for a game needs that game's names. Air is
// "air" in worlds made here.
//
// # Games
//
// A game with many open worlds keeps them in a Fleet of package autosave. The Fleet
// takes their leases, saves them and closes them. FromFleet returns the World for a world
// of a Fleet. World.Edit returns the chunks that changed; send those to the players.
//
// # Beyond blocks
//
// World.World gives the world with everything in it. Package world has other
// dimensions and volumes, terrain of fractions, objects like chests and entities,
// differences of versions, and worlds that are in memory in part. Package region
// has shapes to fill, brush has tools for builders, undo takes back what each author
// did, grid has rays and collisions, and port reads and writes the formats of games.
package cairn
