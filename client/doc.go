// Package client is a history.Store over the network: server/API.md from the side
// of who calls.
//
// A Store loads a world in one call, reads large stones in blocks, and tries again
// what may be tried again: reading, commits, and what a server surely never began.
//
// What server and client both need is here: the table of codes (Code), the
// records of application/vnd.cairn (Body, Records) and the JSON of a Store's
// answers.
//
// The package serves nothing and follows no redirect. It keeps nothing on disk,
// and knows no more of a world than its stones.
package client
