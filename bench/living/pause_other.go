//go:build !unix

package living

import (
	"errors"
	"os"
)

func pause(*os.Process) error { return errors.ErrUnsupported }
func goOn(*os.Process) error  { return errors.ErrUnsupported }
