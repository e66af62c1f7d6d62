//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
)

// pause fails: this system cannot stop a process and let it go on.
func pause(*os.Process) error { return fmt.Errorf("stop a process: %w", errors.ErrUnsupported) }

func resume(*os.Process) error { return nil }
