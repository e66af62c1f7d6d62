//go:build !unix

package peer

import "time"

// processorTime returns the time of day: that of processors is not known here.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
