package anvil

import (
	"bytes"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// DropLight changes the tags of a column so that the game computes its light. It must be called
// if the arrays of light are left out. It replaces the column's parts and never writes to them.
func DropLight(c *format.Column) {
	for i, p := range c.Parts {
		if p.Name != voxel.PartChunk || p.Damaged {
			continue
		}
		if doc := withoutLight(p.Data); doc != nil {
			c.Parts = slices.Clone(c.Parts)
			c.Parts[i].Data = doc
		}
	}
}

// withoutLight returns a copy of a chunk's document in which no tag says that its light is
// complete. It returns nil if no tag says so. Paper's light engine looks only at its own tag.
func withoutLight(doc []byte) []byte {
	r := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := r.Root(); t != nbt.Compound {
		return nil
	}
	var out []byte
	done := 0 // bytes of doc that were copied or left out
	for depth := 1; depth > 0 && r.Err() == nil; {
		start := r.Offset()
		t, name := r.Next()
		at := r.Offset()
		switch {
		case t == nbt.End:
			depth--
		case t == nbt.Compound && depth == 1 && string(name) == "Level":
			depth++
		case t == nbt.Byte && (string(name) == lightOn || string(name) == lightPopulated):
			if r.Byte() != 0 {
				out, done = append(append(out, doc[done:at]...), 0), r.Offset()
			}
		case string(name) == "starlight.light_version":
			r.Skip(t)
			out, done = append(out, doc[done:start]...), r.Offset()
		default:
			r.Skip(t)
		}
	}
	if done == 0 || r.Err() != nil {
		return nil
	}
	return append(out, doc[done:]...)
}

// Tags of a chunk that say whether its light is complete.
const (
	lightPopulated = "LightPopulated"
	lightOn        = "isLightOn"
)

// lightTag returns the tag that the game of a data version reads; 1.13 has none.
func lightTag(version int32) string {
	switch {
	case version < versionPalette:
		return lightPopulated
	case version < versionStatus:
		return ""
	}
	return lightOn
}

// staleLight returns the column's stale arrays of light.
func staleLight(c *format.Column) voxel.Has { return c.Stale & (voxel.HasSky | voxel.HasLight) }

// noLight appends the tag that makes the game light a chunk, unless rest, the compound in the
// part, has it.
func (e *encoder) noLight(version int32, rest []byte) {
	name := lightTag(version)
	if t, _ := lookup(rest, name); name != "" && t == nbt.End {
		e.buf = nbt.AppendByte(e.buf, name, 0)
	}
}

// light decides which arrays of light a column's sections get. Games before 1.14 drop a chunk
// without an array of light. Told to light a chunk, games before 1.13 correct the arrays that
// are there, so stale arrays serve best. Later games do not read stale arrays.
func (e *encoder) light(c *format.Column) {
	e.left, e.must = staleLight(c), false
	if c.Version < versionStatus {
		e.left, e.must = 0, e.bare || e.left != 0
	}
}

// block.LightBytes appends an array of light. If an array is required and missing, it appends one filled
// with value.
func (e *encoder) nibbles(name string, has bool, b []byte, value byte) {
	switch {
	case has:
		e.buf = nbt.AppendByteArray(e.buf, name, b)
		e.drop(name)
	case e.must:
		e.buf = nbt.AppendByteArray(e.buf, name, bytes.Repeat([]byte{value}, block.LightBytes))
		e.drop(name)
	}
}
