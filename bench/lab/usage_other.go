//go:build !unix

package lab

import (
	"os"
	"time"
)

// ProcessorTime returns the time of day: that of processors is not known here.
func ProcessorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }

// peakOf returns 0: the system does not say.
func peakOf(*os.ProcessState) int64 { return 0 }
