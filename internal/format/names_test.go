package format_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

func TestNames(t *testing.T) {
	n := format.NewNames()
	for _, tt := range []struct {
		name string
		want voxel.Cell
	}{
		{format.Air, 0}, {"minecraft:stone", 1}, {"minecraft:dirt", 2}, {"minecraft:stone", 1}, {format.Air, 0}, {"legacy:35/14", 3},
	} {
		got, err := n.Cell(tt.name)
		if err != nil || got != tt.want {
			t.Errorf("Cell(%q) = %d, %v, want %d", tt.name, got, err, tt.want)
		}
		if got := n.Name(tt.want); got != tt.name {
			t.Errorf("Name(%d) = %q, want %q", tt.want, got, tt.name)
		}
	}
	want := []string{"air", "minecraft:stone", "minecraft:dirt", "legacy:35/14"}
	if !slices.Equal(n.List(), want) || n.Len() != len(want) {
		t.Errorf("got %d names %q, want %q", n.Len(), n.List(), want)
	}
	if got := n.Name(4); got != "" {
		t.Errorf("Name beyond the last = %q, want none", got)
	}
}

func TestNamesFull(t *testing.T) {
	n := format.NewNames()
	for i := 1; i <= int(voxel.MaxCell); i++ {
		if c, err := n.Cell(fmt.Sprint(i)); err != nil || int(c) != i {
			t.Fatalf("name %d: cell %d, %v", i, c, err)
		}
	}
	if c, err := n.Cell("one too many"); err == nil {
		t.Errorf("name 32768 became cell %d, want an error", c)
	}
	if c, err := n.Cell("32767"); err != nil || c != voxel.MaxCell {
		t.Errorf("a known name of full names: cell %d, %v, want %d", c, err, voxel.MaxCell)
	}
	if n.Len() != 1<<15 {
		t.Errorf("got %d names, want %d", n.Len(), 1<<15)
	}
}
