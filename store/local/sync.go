//go:build !nosync

package local

import "github.com/cockroachdb/pebble/v2"

// durable makes a batch wait until it is on stable storage. The tag nosync takes
// that away, to show that the crash tests notice.
func durable() *pebble.WriteOptions { return pebble.Sync }
