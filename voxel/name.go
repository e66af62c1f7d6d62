package voxel

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxName is the most bytes of a name.
const MaxName = 1024

// CheckName returns an error unless name can be that of a dimension, a volume, a list of objects or a property: 1 to MaxName
// bytes of UTF-8 without NUL. Names of cells are not bound by it.
func CheckName(name string) error {
	if len(name) == 0 || len(name) > MaxName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return fmt.Errorf("%.40q is no name: want 1 to %d bytes of UTF-8 without NUL", name, MaxName)
	}
	return nil
}
