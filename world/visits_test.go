//go:build !race

package world_test

// visits is how many worlds are opened to see what they leave behind.
const visits = 10_000
