// Package client is a history.Store over the network. server/API.md describes the
// API.
//
// A Store loads a world in one call, reads large stones in blocks, and repeats what
// is safe to repeat: reads, commits, and calls that the server surely never began.
//
// The package serves nothing, follows no redirect and stores nothing on disk. Of a
// world it knows only the stones.
package client
