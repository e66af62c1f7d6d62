// Package long says how much the tests do. In "./test" they try a few of their cases, so
// that it stays short; in "./test all", which sets CAIRN_LONG=part, they try more; in
// "./test long", which sets CAIRN_LONG=all, they try all.
package long

import (
	"os"
	"testing"
)

// Set reports whether tests try all cases.
func Set() bool { return Part() && os.Getenv("CAIRN_LONG") != "part" }

// Part reports whether tests try more cases than "./test" does.
func Part() bool { return os.Getenv("CAIRN_LONG") != "" }

// Of returns few, or all where tests try all cases. Where it is a step, all is the smaller.
func Of(few, all int) int {
	if Set() {
		return all
	}
	return few
}

// By returns few in "./test", part in "./test all", and all where tests try all cases.
func By(few, part, all int) int {
	if Part() {
		return Of(part, all)
	}
	return few
}

// Rest skips a test in "./test", which leaves it to "./test all".
func Rest(t testing.TB) {
	t.Helper()
	if !Part() {
		t.Skip("CAIRN_LONG is not set")
	}
}

// Alone skips a test with -short, as the step race of "./test" runs it: where only one
// goroutine works, the race detector finds nothing.
func Alone(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine")
	}
}
