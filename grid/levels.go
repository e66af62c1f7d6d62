package grid

import "github.com/cairnvoxel/cairn/geom"

type far struct{}

func (v *View) readFar(b geom.Box, level int, t *target) bool { return false }
