// Package readers has tests in which programs that others wrote read what cairn exports, and find
// what cairn found in the world. ./test readers runs them; it fetches the programs once.
//
// A driver in testdata asks one of these programs for the cells of a file. It prints a line
// "X Y Z N NAME" for N cells from X on, "count X Y Z N NAME" for N cells of a chunk, "object LIST N" for
// the objects of a list, or "cannot REASON". Cells that it does not print are air.
package readers
