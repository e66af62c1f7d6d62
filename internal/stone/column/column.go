// Package column turns columns and lists of objects into the streams of a stone's
// pages and back. FORMAT.md of package stone is the format: sections 6 and 7.
//
// The streams of a page hold columns or lists in the order of the positions that the
// caller gives. Height maps may be written as differences from a rule that computes
// them from blocks (Heights); Page.Column completes such maps.
package column

import (
	"cmp"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Forms of a page, of columns as of objects.
const (
	Plain = 1
	Tags  = 2 // tags, parts and payloads split by package tags, names by its words
)

// Limits of a page (FORMAT.md section 9). A page that claims more is refused before
// anything is allocated.
const (
	MaxColumns = 1024
	MaxObjects = 1 << 20
	MaxLists   = 1 << 8 // of a column

	maxSections      = 1024 // of a column
	maxMaps          = 32
	maxParts         = 64
	maxNames         = 1 << 15
	maxColumnObjects = 1 << 19
)

// Streams of a page of columns of form 1.
const (
	columnNames  = iota // names of maps and parts, in order of first use
	columnShapes        // versions, layouts, sections, maps, parts
	columnStamps
	columnSizes // of tags and parts
	columnMaps  // residuals of the maps
	columnData  // tags and parts
	numColumnStreams
)

// splitColumn is the streams of form 2 before those of package tags.
var splitColumn = []int{columnNames, columnShapes, columnStamps, columnMaps}

var columnParts = []string{"columns names", "columns shapes", "columns stamps", "columns sizes", "columns maps", "columns data"}

// How a map is written. Other numbers are reserved.
const (
	mapGradient = 2 // residuals of the prediction from W, N and NW
	mapRule     = 4 // equal to the rule's map
	mapBeside   = 5 // residuals of the rule's map
)

// Check returns an error if the column with its lists could not be read back.
func Check(c *voxel.Column) error {
	if err := c.Pos.Check(); err != nil {
		return err
	}
	if len(c.Sections) > maxSections || len(c.Maps) > maxMaps || len(c.Parts) > maxParts || len(c.Lists) > MaxLists {
		return fmt.Errorf("%d sections, %d maps, %d parts, %d lists: too many", len(c.Sections), len(c.Maps), len(c.Parts), len(c.Lists))
	}
	objects := 0
	for i, l := range c.Lists {
		if Find(c, l.Name) != &c.Lists[i] {
			return fmt.Errorf("list %q a second time", l.Name)
		}
		if err := voxel.CheckName(l.Name); err != nil {
			return fmt.Errorf("list: %w", err)
		}
		for n, o := range l.Objects {
			if o.Place > voxel.Moved || o.Place == voxel.Nowhere && o.At != (geom.Point{}) {
				return fmt.Errorf("list %q: object %d at %v by place %d", l.Name, n, o.At, o.Place)
			}
		}
		objects += len(l.Objects)
	}
	if size := Size(c); objects > maxColumnObjects || size > pages.MaxPage {
		return fmt.Errorf("%d objects, at most %d; %d bytes, at most %d", objects, maxColumnObjects, size, pages.MaxPage)
	}
	return nil
}

// Fits returns an error unless each page that has nothing but the column, or one of its lists, is
// one that can be written. Check goes by Size, which is less exact.
func Fits(c *voxel.Column) error {
	if err := Check(c); err != nil {
		return err
	}
	all := c.Whole | c.Stale
	for _, s := range c.Sections {
		all |= s.Has
	}
	if all > voxel.HasAll {
		return fmt.Errorf("arrays %b: there are %b", all, voxel.HasAll)
	}
	// Numbers take at most 10 bytes each: 5 to an object, less than 5 to all else, and one to each
	// value of a map.
	const object, other, heights = 50, 50, 256 * 10
	most := Size(c) + other*(1+len(c.Sections)+len(c.Maps)+len(c.Parts)+len(c.Lists)) + heights*len(c.Maps)
	for _, m := range c.Maps {
		most += len(m.Name)
	}
	for _, p := range c.Parts {
		most += len(p.Name)
	}
	for _, l := range c.Lists {
		most += object * len(l.Objects)
	}
	if most <= pages.MaxPage {
		return nil
	}
	fit := func(what string, candidates []pages.Page) error {
		if n := pages.Size(candidates[len(candidates)-1].Streams); n > pages.MaxPage {
			return fmt.Errorf("%s of %d bytes, at most %d", what, n, pages.MaxPage)
		}
		return nil
	}
	err := fit("a column", Encode([]*voxel.Column{c}, nil))
	for _, l := range c.Lists {
		err = cmp.Or(err, fit(fmt.Sprintf("list %q", l.Name), EncodeObjects([]geom.ColumnPos{c.Pos}, []voxel.List{l})))
	}
	return err
}

// Size is about how many bytes the column takes in pages before compression. Of names, which columns share as
// a rule, it counts what is long.
func Size(c *voxel.Column) (n int) {
	const shared = 64
	for _, s := range c.Sections {
		n += 4 + len(s.Tags)
	}
	for _, p := range c.Parts {
		n += 8 + len(p.Data) + max(0, len(p.Name)-shared)
	}
	for _, m := range c.Maps {
		n += max(0, len(m.Name)-shared)
	}
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			n += objectBytes + len(o.Payload)
		}
	}
	return n + 256*len(c.Maps)
}

// Find returns the column's list of that name, nil if it has none.
func Find(c *voxel.Column, name string) *voxel.List {
	for i := range c.Lists {
		if c.Lists[i].Name == name {
			return &c.Lists[i]
		}
	}
	return nil
}

func corruptf(part, format string, args ...any) error {
	return &codec.CorruptError{Part: part, Err: fmt.Errorf(format, args...)}
}
