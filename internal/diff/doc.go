// Package diff compares two worlds, layer upon layer: where they may differ, which the stones of two versions know
// (Of); which chunks and columns do (Pair.Chunks, Pair.Columns), with the cells of both under one list of names; and
// what that comes to (Worlds).
package diff
