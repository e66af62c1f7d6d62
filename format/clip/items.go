package clip

import (
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// Data versions at which the game began to store items in another way. It reads those of another
// way as other items. Source: the table of DataVersions of the Minecraft Wiki.
const (
	versionItemNames      = 1451 // 17w47a: no data beside the name
	versionItemComponents = 3837 // 1.20.5: components in the place of tag
)

// itemForm returns which of the ways a data version has.
func itemForm(version int32) int {
	switch {
	case version < versionItemNames:
		return 0
	case version < versionItemComponents:
		return 1
	}
	return 2
}

// Items returns how many items the objects of the clip hold that the game of a data version would
// read as others. 0 is the version of worlds whose blocks have numbers, and of no known version else.
func (c *Clip) Items(version int32) (n int) {
	numbers := slices.ContainsFunc(c.Block.Names, func(name string) bool { return strings.HasPrefix(name, "legacy:") })
	from := itemForm(c.Version)
	if c.Version == 0 && !numbers || from == itemForm(version) {
		return 0
	}
	var count func(fields []document.Field) []document.Field
	count = func(fields []document.Field) []document.Field {
		named := document.Find(fields, "id", nbt.String) != nil || document.Find(fields, "id", nbt.Short) != nil
		if named && (from < 2 && document.Find(fields, "Count", nbt.Byte) != nil || from == 2 && document.Find(fields, "count", nbt.Int) != nil) {
			n++
			return fields // what is in the item comes with it
		}
		for i, f := range fields {
			switch f.Type {
			case nbt.Compound:
				inner(&fields[i], func(in []document.Field) { count(in) })
			case nbt.List:
				compounds(f.Payload, count)
			}
		}
		return fields
	}
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			if fields, err := document.Fields(o.Payload); err == nil {
				count(fields)
			}
		}
	}
	return n
}
