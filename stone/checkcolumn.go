package stone

import "github.com/cairnvoxel/cairn/voxel"

// CheckColumn returns an error if no Writer takes the column with its lists,
// because no Reader could read it back.
func CheckColumn(c *voxel.Column) error { return checkColumn(c) }
