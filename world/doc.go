// Package world has open worlds: it reads and edits a world in memory, saves what
// changed, and goes through its saved versions.
//
// # What is in a world
//
// A world has dimensions. A dimension has volumes: sparse grids of cells of 15 bits,
// in chunks of 32x32x32. A block world has the volumes "block", "biome", "sky" and
// "light"; a terrain has "solid" and "liquid"; a game adds its own as data. In a
// volume of schema voxel.Palette a cell is an index into the volume's list of names.
// A dimension also has columns of 16x16 cells with what belongs to them and is no
// cell: height maps, and lists of objects such as chests and entities. A world
// has properties and files besides.
//
// # Reading and changing
//
// World.View returns a snapshot, which costs a pointer and never changes: read it
// without locks for as long as you like. World.Update calls a function with a Tx, which
// reads and writes; when the function returns, everybody who asks for a View sees all
// of its writes, or none if it failed. Update returns what it replaced, and World.Watch tells others of it.
// DimensionTx.SetBlock writes a block with what it owns.
//
// The name of a call says whether it waits for a disk or a network: what begins with Read, Load, Open or Commit does
// and takes a context, and a Snapshot is read so; a View, a Tx and all else only look at what is in memory. World.Load brings a box into memory, LoadRegion a region, and holds
// it until it is released; Options.Whole holds everything. A View answers false for what is
// not loaded, and an Update that needs it fails with ErrNotLoaded.
//
// Of a world larger than memory a program loads boxes and releases them. Pages that were decoded
// stay as long as Options.Memory has room, so loading a box again is cheap. UpdateContext brings in
// what an update needs.
//
// # Saving and versions
//
// World.Commit writes what changed as one stone and makes that the new head in a
// history.Store. After it returns, a crash loses nothing. World.Log lists commits, At
// opens an old one for reading, Diff compares two, Restore goes back to one, Fork starts
// a new world from the head, Pack merges the stones of a stack that has grown high.
// Snapshot reads a commit without opening a world; CommitAt and CommitNumber find one by time and number.
//
// What changes too often for updates, such as where entities are, is kept beside the world and
// written before each commit: see Unwritten and package object. World.Moment makes one moment for commits of
// several such changes and updates.
//
// Several programs share a Store by leases, see history.Leases: whoever opens a world
// with the fence of a lost lease cannot save over what the next one saved. Package
// autosave does this for games.
//
// The package knows no file format of games and no place where bytes are kept. It has no
// clock: the Store stamps times. It runs no goroutine between calls.
package world
