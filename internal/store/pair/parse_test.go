package pair_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
)

// FuzzParse parses the records and keys that only this package has. What is accepted
// is written the same way.
func FuzzParse(f *testing.F) {
	f.Add([]byte("0123456789abcdefann"))
	f.Add(make([]byte, 16))
	f.Add(make([]byte, 15))
	f.Add(make([]byte, 500))
	f.Add([]byte(strings.Repeat("0a", 32) + ".0000000000000001"))
	f.Add([]byte(strings.Repeat("0A", 32) + ".0000000000000001"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if again, err := pair.ParseClaim(b); err == nil && !bytes.Equal(again, b) {
			t.Errorf("claim %x is written as %x", b, again)
		} else if c := new(stone.CorruptError); err != nil && !errors.As(err, &c) {
			t.Errorf("claim %x: %v", b, err)
		}
		if again, ok := pair.ParseBytesKey(string(b)); ok && again != string(b) {
			t.Errorf("key %q is written as %q", b, again)
		}
	})
}
