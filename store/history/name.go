package history

import (
	"fmt"
	"strings"
)

// Bounds of a name: up to MaxParts parts joined by "/", each with 1 to MaxPart
// bytes.
const (
	MaxParts = 8
	MaxPart  = 64
)

// CheckName returns an error that wraps ErrName unless name is valid: parts of
// [a-z0-9._-] joined by "/", and no part is "." or "..".
func CheckName(name string) error {
	parts := strings.Split(name, "/")
	if len(parts) > MaxParts {
		return fmt.Errorf("history: %q: %w: more than %d parts", name, ErrName, MaxParts)
	}
	for _, part := range parts {
		if part == "" || len(part) > MaxPart || part == "." || part == ".." || strings.ContainsFunc(part, foreign) {
			return fmt.Errorf("history: %q: %w: want parts of 1 to %d of a-z 0-9 . _ - joined by /", name, ErrName, MaxPart)
		}
	}
	return nil
}

func foreign(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._-", r) }
