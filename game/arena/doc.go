// Package arena has what operators do with parts of stored worlds: named snapshots, which are
// saved, listed, compared, restored and deleted. The command and the server share it.
//
// A snapshot of a world is a world itself: a fork of one of its versions, under a name that
// SnapshotName makes. It costs one commit without stones, and keeps its version
// for as long as it is there: a collection always keeps the head of a world. The message of its newest
// commit says what to restore from it, see Area.
//
// A server restores snapshots in the worlds that an Opener opens: those of a game, or those that nobody
// holds, see Leased.
package arena
