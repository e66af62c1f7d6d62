// Package world is a world over time: a stack of immutable stones, read and
// edited in memory, saved by setting one more stone on top.
//
// A View is a snapshot of everything; Update changes the world for those who
// look at it next; Commit makes what changed durable in a Store. Log, At, Diff,
// Fork, Restore and Pack work on the stack of stones.
//
// What a world needs kept is in package history: commits, packs, leases and the
// Store, which the packages below store implement.
//
// The package knows no file format of games and no place where bytes are kept.
// It runs no goroutine of its own between calls and has no clock: the Store
// stamps times.
package world
