// Package object finds the objects of a world, such as chests and entities, by box, ball, ray and
// distance, and keeps those that move.
//
// An Index has the objects of a dimension in an octree. New makes it from a view of an open world,
// and Index.Update brings it to a newer view at the cost of the columns that changed. Read makes
// it from a world.Snapshot. First and AppendBefore find what a ray meets among cells and objects.
//
// Movers are the objects that move all the time. They are taken out of the columns into a
// tree and moved there; the columns get to know at a commit. So the world copies no column when an
// entity moves.
//
// The example Game of package autosave is a game with Movers, an autosave.Fleet that saves them with
// their worlds, and a stream.Server that shows these.
//
// The package knows one thing of games: where an entity of Minecraft says its position
// (Position, SetPosition). It has no physics and no clock.
package object
