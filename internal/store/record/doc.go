// Package record is the catalogue of a store as records: their keys, their values,
// and the rules about them.
//
// A record is small. A name leads to a world, which is a number. A world has a
// head, a lease and a log. A log leads to commits and packs, and these lead to
// stones, each with an Info. internal/store/disk/FORMAT.md describes the bytes. Reads reads
// records, from the database of store/disk or, through store/pair, from any
// history.Catalogue. It has the rules that both share: what a world reaches,
// whether a pack fits, and what is garbage.
//
// The package writes nothing.
package record
