package light

import "github.com/cairnvoxel/cairn/voxel"

const bothKinds = voxel.HasSky | voxel.HasLight

// Known returns the kinds of light, HasSky and HasLight, that the blocks of a chunk
// have. y counts chunks. A kind is known if every column over the chunk has it in
// all sections with blocks, and it is not stale there. Missing columns are nil and
// do not matter.
func Known(y int32, columns [4]*voxel.Column) voxel.Has {
	if columns == [4]*voxel.Column{} {
		return 0
	}
	has := bothKinds
	for _, c := range columns {
		if c == nil {
			continue
		}
		has &^= c.Stale
		for _, s := range c.Sections {
			if int32(s.Y)>>1 == y && s.Has&voxel.HasBlock != 0 {
				has &= s.Has
			}
		}
	}
	return has & bothKinds
}
