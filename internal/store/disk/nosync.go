//go:build nosync

package disk

import "github.com/cockroachdb/pebble/v2"

func durable() *pebble.WriteOptions { return pebble.NoSync }
