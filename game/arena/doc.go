// Package arena saves, lists, compares, restores and deletes named snapshots of stored worlds and of
// parts of them, for the command and the server.
//
// A snapshot of a world is a world itself: a fork of one of its versions, under a name that
// SnapshotName makes. It costs one commit without stones, and keeps its version
// for as long as it is there: a collection always keeps the head of a world. The message of its newest
// commit has the Area to restore.
//
// A server restores snapshots in the worlds that an Opener opens: those of a game, or those that nobody
// holds, see Leased.
package arena
