package voxel_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "overworld": true, "mod:thing/below": true, "ä 山": true, strings.Repeat("x", 1024): true, " ": true,
		"": false, "\x00": false, "a\x00block": false, "\xff": false, strings.Repeat("x", 1025): false, strings.Repeat("山", 342): false,
	} {
		if err := voxel.CheckName(name); (err == nil) != ok {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}
