// Package long says how much the tests do. By default they try a part of their cases,
// so that "./test" stays short. Where the environment variable CAIRN_LONG is set, as in
// "./test long", they try all.
package long

import (
	"os"
	"testing"
)

// Set reports whether tests try all cases.
func Set() bool { return os.Getenv("CAIRN_LONG") != "" }

// Of returns few, or all where tests try all cases. Where it is a step, all is the smaller.
func Of(few, all int) int {
	if Set() {
		return all
	}
	return few
}

// Alone skips a test with -short, as the step race of "./test" runs it: where only one
// goroutine works, the race detector finds nothing.
func Alone(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine")
	}
}
