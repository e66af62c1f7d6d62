package slime_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestRealRoundTrips writes every real file in the version that keeps its
// columns and reads it again.
func TestRealRoundTrips(t *testing.T) {
	long.Rest(t)
	for _, path := range worldFiles(t) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			world, w := mustRead(t, file)
			o := slime.ContainerOptions{Version: w.Head().Version}
			again, lost := mustWrite(t, world, o)
			back, _ := mustRead(t, again)
			sameColumns(t, back, world)
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			reversed := *world
			reversed.order = slices.Clone(world.order)
			slices.Reverse(reversed.order)
			if other, _ := mustWrite(t, &reversed, o); !slices.Equal(other, again) {
				t.Error("columns in another order give other bytes")
			}
		})
	}
}

// TestAnvilTwins holds the files that were made from an Anvil world of the set
// to what Hold leaves of that world.
func TestAnvilTwins(t *testing.T) {
	long.Rest(t)
	for _, path := range worldFiles(t) {
		name, tool, ok := strings.Cut(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "converted--"), "-by-")
		if !ok {
			continue
		}
		t.Run(name+" by "+tool, func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, w := mustRead(t, file)
			o := slime.ContainerOptions{Version: w.Head().Version}
			source, err := anvil.Open(filepath.Join(os.Getenv("CAIRN_WORLDS"), "anvil", name), anvil.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer source.Close()
			want := &held{o: o, lost: slime.Losses{}}
			want.columns, want.files = map[geom.ColumnPos]*format.Column{}, map[string][]byte{}
			if err := source.Read(context.Background(), want); err != nil {
				t.Fatal(err)
			}
			sameBy(t, got, &want.collected, outline)
		})
	}
}

// held collects what Hold leaves of a world's first dimension.
type held struct {
	collected
	o    slime.ContainerOptions
	lost slime.Losses
	hold func(*format.Column) bool
}

func (h *held) Dimension(d *format.Dimension) error {
	if h.dim == nil {
		h.dim, h.hold = d, slime.Hold(h.o, d, h.lost)
	} else {
		h.hold = func(*format.Column) bool { return false }
	}
	return nil
}

func (h *held) Column(c *format.Column) error {
	if !h.hold(c) {
		return nil
	}
	return h.collected.Column(c)
}

func (h *held) File(format.File) error { return nil }

// outline describes a column as importers keep it: without ticks and points of
// interest; some order maps anew, some change the type of empty lists within
// objects.
func outline(d *format.Dimension, c *format.Column) []string {
	c = cloneColumn(c)
	slices.SortFunc(c.Maps, func(a, b voxel.Map) int { return strings.Compare(a.Name, b.Name) })
	c.Lists = slices.DeleteFunc(c.Lists, func(l voxel.List) bool {
		return l.Name == voxel.BlockTicks || l.Name == voxel.FluidTicks
	})
	c.Parts = slices.DeleteFunc(c.Parts, func(p voxel.Part) bool { return p.Name == voxel.PartPOI })
	for _, l := range c.Lists {
		for i := range l.Objects {
			l.Objects[i].Payload = nil
		}
		slices.SortFunc(l.Objects, func(a, b voxel.Object) int {
			return cmp.Or(a.At.X-b.At.X, a.At.Y-b.At.Y, a.At.Z-b.At.Z)
		})
	}
	return describe(d, c)
}
