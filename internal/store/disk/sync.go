//go:build !nosync

package disk

import "github.com/cockroachdb/pebble/v2"

// durable makes a batch wait until it is on stable storage. The build tag nosync
// removes the wait, to show that the crash tests find that.
func durable() *pebble.WriteOptions { return pebble.Sync }
