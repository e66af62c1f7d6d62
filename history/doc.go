// Package history is the durable model of worlds: what a store keeps, and the
// rules that every store shares.
//
// A Commit is one version of a world; its stack of Layers says which stones make
// it up, and a Pack is one stone in place of several. A Head is what the name of
// a world points at, a Lease the right to change it. FORMAT.md says what the
// bytes of a commit are.
//
// Store is what has to be implemented to keep worlds; the packages below store
// do, and store/storetest is the contract as a test. The rules that stores
// share are methods of the values (Commit.Admit, Lease.Take, Policy.GraceOver)
// and functions (StackOf, DataOf, CheckName).
//
// The package does no I/O, runs no goroutine and has no clock. It knows nothing
// of what is in a stone.
package history
