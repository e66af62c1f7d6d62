// Package record is the catalogue of a store as records: their keys and values, and
// what they mean together.
//
// A record is small. A name leads to a world, which is a number; a world has a head,
// a lease and a log; a log leads to commits and packs, and these to stones, of which
// there is an Info. store/local/FORMAT.md has the bytes. Reads reads them, from the
// database of store/local or from any history.Catalogue by way of store/pair, and
// holds the rules that both share: what a world reaches, where a pack fits, and what
// is garbage.
//
// The package writes nothing.
package record
