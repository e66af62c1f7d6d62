// Package edit does large operations on open worlds a little at a time, within the tick of a
// game: it takes snapshots of arenas, restores them between two rounds, fills, replaces
// and pastes.
//
// A game makes one Queue and calls Queue.Step once in each tick with the time that may be
// spent. Any goroutine may Add a Task on an Arena, which is a dimension of an open
// world; it is an Operation from then on. What an operation needs from the store is read beside the game, shortly before it is
// needed, and held in memory until the operation is done with it; Step itself never
// waits for the disk.
//
// An operation goes through its region tower by tower, and in each tower section by section.
// It finds the cells that differ from what they are to be, hands them to the arena's Sink,
// section by section, and publishes them in the world. What does not differ
// costs nothing, and a chunk that is as the snapshot has it is not even looked at.
// A Step ends between two sections. The world is usable in between, and what players write
// meanwhile stays where the operation has already passed.
//
// A chunk that fails is reported, and the rest goes on. An operation that was
// interrupted may simply be added again: what is done already costs nothing. Operation.Undo
// is the Task that takes back what was done.
package edit
