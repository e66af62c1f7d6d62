// Package model has random operations on the public API of packages world and cairn, and on
// a twin of maps, and compares: dimensions, volumes of every kind, objects, dense chunks,
// commits, forks, restores, undo of several authors, packs, collections, captures, reopening,
// export and import. All of it is a test. Each run follows from its seed. Of a run that differs
// it looks for the fewest operations that still do, and prints them.
//
// With -minutes it does not end before, and other goroutines read what a writer changes, so
// that the race detector has something to find.
package model
