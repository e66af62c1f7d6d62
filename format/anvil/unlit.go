package anvil

import (
	"bytes"
	"slices"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// Unlit makes the tags of a column say that its light is to be computed anew,
// as they must where its arrays of light are left out. It replaces the column's
// parts and never writes to them.
func Unlit(c *format.Column) {
	for i, p := range c.Parts {
		if p.Name != voxel.PartChunk || p.Damaged {
			continue
		}
		if doc := unlit(p.Data); doc != nil {
			c.Parts = slices.Clone(c.Parts)
			c.Parts[i].Data = doc
		}
	}
}

// unlit returns a copy of a chunk's document with the tags set that tell the
// game to light it, or nil if they are.
func unlit(doc []byte) (out []byte) {
	r := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := r.Root(); t != nbt.Compound {
		return nil
	}
	for depth := 1; depth > 0 && r.Err() == nil; {
		t, name := r.Next()
		at := r.Offset()
		switch {
		case t == nbt.End:
			depth--
		case t == nbt.Compound && depth == 1 && string(name) == "Level":
			depth++
		case t == nbt.Byte && (string(name) == "isLightOn" || string(name) == "LightPopulated"):
			if r.Byte() != 0 {
				if out == nil {
					out = bytes.Clone(doc)
				}
				out[at] = 0
			}
		default:
			r.Skip(t)
		}
	}
	return out
}
