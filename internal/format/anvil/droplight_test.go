package anvil_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

func TestUnlit(t *testing.T) {
	doc := func(wrap bool, on int8) []byte { // lit by both engines, or by none
		b := nbt.AppendString(nbt.AppendCompound(nil, ""), "Status", "full")
		if wrap {
			b = nbt.AppendCompound(b, "Level")
		}
		if b = nbt.AppendByte(b, "isLightOn", on); on != 0 {
			b = nbt.AppendInt(b, "starlight.light_version", 9)
		}
		b = nbt.AppendByte(b, "LightPopulated", on)
		b = nbt.AppendEnd(nbt.AppendByte(nbt.AppendCompound(b, "other"), "isLightOn", 1))
		if wrap {
			b = nbt.AppendEnd(b)
		}
		return nbt.AppendEnd(b)
	}
	for _, wrap := range []bool{false, true} {
		was := doc(wrap, 1)
		c := format.Column{Column: voxel.Column{Parts: []voxel.Part{{Name: voxel.PartPOI, Data: was}, {Name: voxel.PartChunk, Data: was}}}}
		anvil.DropLight(&c)
		if string(c.Parts[1].Data) != string(doc(wrap, 0)) || string(c.Parts[0].Data) != string(doc(wrap, 1)) || string(was) != string(doc(wrap, 1)) {
			t.Errorf("wrapped %t: %v", wrap, c.Parts)
		}
	}
	for n := range doc(true, 1) {
		c := format.Column{Column: voxel.Column{Parts: []voxel.Part{{Name: voxel.PartChunk, Data: doc(true, 1)[:n]}}}}
		anvil.DropLight(&c) // a cut document is no reason to panic
	}
}
