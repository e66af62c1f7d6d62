// Package history is the durable model of worlds: the values that a store keeps,
// and the rules that all stores share.
//
// A Commit is one version of a world. A stack of Layers lists the stones that make
// up a commit, and a Pack is one stone that replaces several. A Head is the newest
// commit of a world; a Lease is the right to change the world. FORMAT.md describes
// the bytes of a commit.
//
// To keep worlds somewhere, implement Store, or its two halves, Catalogue and
// Stones. The packages below store do; store/storetest is the contract as a test.
//
// The package does no I/O, starts no goroutine and reads no clock. It does not look
// into stones.
package history
