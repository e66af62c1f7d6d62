package inspect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// ErrNoMatter says that a world has no blocks to draw.
var ErrNoMatter = errors.New("the world has no blocks to draw")

// IsMatter reports whether a volume holds the solid content of a world: its name is "block" or
// "solid".
func IsMatter(volume string) bool { return slices.Contains([]string{"block", "solid"}, volume) }

// DimensionError says that a world does not have the requested dimension, or that a dimension
// must be chosen.
type DimensionError struct {
	Want string   // "" if none was asked for
	Have []string // in the world's order
}

func (e *DimensionError) Error() string {
	if e.Want == "" {
		return "inspect: a file of this format holds one dimension; the world has " + strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("inspect: no dimension %q: the world has %s", e.Want, strings.Join(e.Have, ", "))
}

// VolumeError says that a dimension does not have the requested volume.
type VolumeError struct {
	Dimension, Want string
	Have            []string // in the dimension's order
}

func (e *VolumeError) Error() string {
	return fmt.Sprintf("inspect: no volume %q: %s has %s", e.Want, e.Dimension, strings.Join(e.Have, ", "))
}

// volumeOf returns a volume of a world. The error is a *DimensionError or a *VolumeError.
func volumeOf(c stone.Content, dimension, volume string) (stone.VolumeInfo, error) {
	missing := &DimensionError{Want: dimension}
	for _, d := range c.About().Dimensions {
		if d.Name != dimension {
			missing.Have = append(missing.Have, d.Name)
			continue
		}
		e := &VolumeError{Dimension: dimension, Want: volume}
		for _, v := range d.Volumes {
			if v.Volume.Name == volume {
				return v, nil
			}
			e.Have = append(e.Have, v.Volume.Name)
		}
		return stone.VolumeInfo{}, e
	}
	return stone.VolumeInfo{}, missing
}

// MatterOf finds the solid content of a dimension in one of some worlds. Without a name it is the
// first dimension with chunks. Errors are ErrNoMatter and a *DimensionError.
func MatterOf(dimension string, in ...stone.Content) (d stone.DimensionInfo, v stone.VolumeInfo, err error) {
	missing, there := &DimensionError{Want: dimension}, dimension == ""
	for _, c := range in {
		for _, d := range c.About().Dimensions {
			missing.Have = append(missing.Have, d.Name)
			if d.Name != dimension && (dimension != "" || !HasMatter(c, d)) {
				continue
			}
			if i := slices.IndexFunc(d.Volumes, func(v stone.VolumeInfo) bool { return IsMatter(v.Volume.Name) }); i >= 0 {
				return d, d.Volumes[i], nil
			}
			there = true // and has none
		}
	}
	if there {
		return d, v, ErrNoMatter
	}
	return d, v, missing
}

// HasMatter reports whether a volume of matter in the dimension has chunks.
func HasMatter(c stone.Content, d stone.DimensionInfo) bool {
	for _, v := range d.Volumes {
		if IsMatter(v.Volume.Name) && HasChunks(c, d.Name, v.Volume.Name) {
			return true
		}
	}
	return false
}

// HasChunks reports whether a volume has chunks.
func HasChunks(c stone.Content, dim, vol string) bool {
	for _, holds := range c.Entries(dim, vol, 0) {
		if holds {
			return true
		}
	}
	return false
}

// airs are the names of the blocks of air.
var airs = []string{format.Air, block.Space + "cave_air", block.Space + "void_air"}

// IsAir reports whether a block is air by its name.
func IsAir(name string) bool { return slices.Contains(airs, name) }

// Airs returns the names of blocks of air besides that of cell 0.
func Airs() []string { return slices.Clone(airs[1:]) }

// AirOf returns a function that reports whether a cell is air. names are those of the cells.
func AirOf(names []string) func(voxel.Cell) bool {
	return func(c voxel.Cell) bool { return c == voxel.Empty || int(c) < len(names) && IsAir(names[c]) }
}
