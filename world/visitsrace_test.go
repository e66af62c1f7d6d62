//go:build race

package world_test

// visits is fewer where each takes ten times as long.
const visits = 500
