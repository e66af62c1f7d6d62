package slime_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestEmptyProperties: columns whose palette entries all have Properties come back
// with them, and are no other blocks.
func TestEmptyProperties(t *testing.T) {
	for _, k := range []kindOf{{9, 5, 1976}, {9, 8, 2975}, {13, 8, 3955}} {
		t.Run(k.String(), func(t *testing.T) {
			world := madeUp(k, "overworld")
			for _, c := range world.columns {
				c.Layout = voxel.LayoutProperties
			}
			file, lost := mustWrite(t, world, writtenKinds()[k])
			if len(lost) > 0 || !bytes.Equal(file, twinFile(world, k)) {
				t.Errorf("lost %v, or the writer and its twin differ", lost)
			}
			back, w := mustRead(t, file)
			sameColumns(t, back, world)
			if len(w.Stats().Dropped) > 0 {
				t.Errorf("dropped %v", w.Stats().Dropped)
			}
		})
	}
}

// TestMixedProperties: where only some entries have an empty Properties, the tag goes
// and is counted; the blocks are the same.
func TestMixedProperties(t *testing.T) {
	k := kindOf{13, 8, 3955}
	world := tiny(k)
	c := world.columns[world.order[0]]
	c.Layout = voxel.LayoutProperties
	head, raw, tail := splitChunks(twinFile(world, k), k)
	entry := nbt.AppendString(nil, "Name", "minecraft:air")
	tag := nbt.AppendEnd(nbt.AppendCompound(nil, "Properties"))
	at := bytes.Index(raw, append(slices.Clone(entry), tag...)) + len(entry)
	// The tag goes out of the first palette, whose length is in front.
	length := bytes.Index(raw, []byte("palette")) - 4 - 3 - 3
	binary.BigEndian.PutUint32(raw[length:], binary.BigEndian.Uint32(raw[length:])-uint32(len(tag)))
	got, w := mustRead(t, joinChunks(head, slices.Delete(raw, at, at+len(tag)), tail))
	c.Layout = 0
	sameColumns(t, got, world)
	if w.Stats().Dropped["empty Properties of palette entries"] == 0 {
		t.Errorf("dropped %v", w.Stats().Dropped)
	}
}

// TestProperties: what the options say goes among the properties of the extra tags.
func TestProperties(t *testing.T) {
	extra := func(e ...nbt.Entry) []byte { return nbt.Append(nil, "", nbt.Entries(e)) }
	props := func(e ...nbt.Entry) nbt.Entry { return nbt.Entry{Name: "properties", Value: nbt.Entries(e)} }
	normal, difficulty := nbt.Entry{Name: "environment", Value: "normal"}, nbt.Entry{Name: "difficulty", Value: "hard"}
	other := nbt.Entry{Name: "BukkitValues", Value: nbt.Entries{{Name: "a", Value: int8(1)}}}
	old := nbt.Entry{Name: "difficulty", Value: "easy"}
	none, hard := format.Level{}, format.Level{Difficulty: "hard"}
	keep := nbt.Entry{Name: "savePOI", Value: int8(1)}
	for _, c := range []struct {
		name  string
		dim   string
		poi   bool
		extra []byte
		level format.Level
		want  []byte
	}{
		{"nothing", "overworld", false, nil, none, nil},
		{"nothing to add", "overworld", false, extra(other), none, extra(other)},
		{"an environment", "the_nether", false, extra(other), none, extra(other, props(nbt.Entry{Name: "environment", Value: "nether"}))},
		{"a property", "overworld", false, nil, hard, extra(props(difficulty, normal))},
		{"beside others", "overworld", false, extra(props(normal), other), hard, extra(props(normal, difficulty), other)},
		{"in place of another", "overworld", false, extra(props(old, normal)), hard, extra(props(difficulty, normal))},
		{"points of interest", "overworld", true, nil, none, extra(props(keep, normal))},
		{"points of interest that were not kept", "overworld", true, extra(props(nbt.Entry{Name: "savePOI", Value: int8(0)}, normal)), none, extra(props(keep, normal))},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kindOf{13, 8, 3955}
			world := madeUp(k, c.dim)
			for _, column := range world.columns {
				column.Lists = nil
				column.Parts = slices.DeleteFunc(column.Parts, func(p voxel.Part) bool { return !c.poi || p.Name != voxel.PartPOI })
			}
			world.files = map[string][]byte{}
			if c.extra != nil {
				world.files[slime.ExtraPath] = c.extra
			}
			file, _ := mustWrite(t, world, slime.ContainerOptions{Facts: c.level})
			back, _ := mustRead(t, file)
			if got := back.files[slime.ExtraPath]; !bytes.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
			if flags := file[7]; flags != map[bool]byte{true: 1}[c.poi] {
				t.Errorf("flags %d", flags)
			}
		})
	}
}

// TestEmptyForms: a column without what another has may have a block without bytes,
// as AdvancedSlimePaper writes it, or an empty document, as the Writer does.
func TestEmptyForms(t *testing.T) {
	k := kindOf{13, 8, 3955}
	world := tiny(k)
	c := world.columns[world.order[0]]
	c.Lists, c.Parts = nil, nil
	file := twinFile(world, k)
	back, _ := mustRead(t, file)
	sameColumns(t, back, world)
	head, raw, tail := splitChunks(file, k)
	for _, doc := range [][]byte{{10, 0, 0, 0}, emptyList("block_ticks"), emptyList("fluid_ticks"), emptyList("tileEntities"), emptyList("entities")} {
		block := append(binary.BigEndian.AppendUint32(nil, uint32(len(doc))), doc...)
		at := bytes.LastIndex(raw, block)
		if at < 0 {
			t.Fatalf("no %q in the file", doc)
		}
		raw = slices.Concat(raw[:at], []byte{0, 0, 0, 0}, raw[at+len(block):])
		back, _ := mustRead(t, joinChunks(head, raw, tail))
		sameColumns(t, back, world)
	}
}

func emptyList(tag string) []byte {
	return nbt.Append(nil, "", nbt.Entries{{Name: tag, Value: nbt.Items{}}})
}

// TestNoColumns: a file without columns keeps its version and can be written again.
func TestNoColumns(t *testing.T) {
	for _, dimension := range []string{"overworld", "the_nether"} {
		for k, o := range writtenKinds() {
			t.Run(dimension+" "+k.String(), func(t *testing.T) {
				world := madeUp(k, dimension)
				world.order, world.columns = nil, map[geom.ColumnPos]*format.Column{}
				o.DataVersion = k.data
				file, lost := mustWrite(t, world, o)
				back, w := mustRead(t, file)
				if k.version == 1 && dimension == "the_nether" { // nothing in the file says so
					if lost["property environment"] != 1 || len(lost) > 1 || back.dim.Name != "overworld" {
						t.Errorf("lost %v, dimension %s", lost, back.dim.Name)
					}
				} else if len(lost) > 0 || len(back.columns) > 0 || back.dim.Name != dimension {
					t.Errorf("lost %v, %d columns, dimension %s", lost, len(back.columns), back.dim.Name)
				}
				want := mustHead(t, twinFile(madeUp(k, dimension), k))
				for _, name := range []string{"dataVersion", "worldVersion"} {
					if got := w.Head().Properties[name]; got != want[name] {
						t.Errorf("%s %q, want %q", name, got, want[name])
					}
				}
				again, _ := mustWrite(t, back, o)
				if !bytes.Equal(file, again) {
					t.Error("written again it is another file")
				}
			})
		}
	}
}

func mustHead(t *testing.T, file []byte) map[string]string {
	t.Helper()
	_, w := mustRead(t, file)
	return w.Head().Properties
}
