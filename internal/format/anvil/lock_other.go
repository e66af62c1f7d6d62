//go:build !unix

package anvil

import "os"

// checkLock does nothing: elsewhere a lock keeps the file itself from being read.
func checkLock(*os.Root) error { return nil }
