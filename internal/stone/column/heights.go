package column

import (
	"context"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// MaxTower is the most chunks with cells in a tower for rules to apply.
const MaxTower = 512

// Ruled returns what blocks say of the map of that name of a column, or nil.
type Ruled func(pos geom.ColumnPos, name string) *[256]int32

// Heights applies rules to columns, one after another. It is used by one goroutine.
type Heights struct {
	rules  []light.Rule
	towers light.Towers
	h      *light.HeightMapper
	maps   [][256]int32
	pos    geom.ColumnPos // the column whose maps are known
	known  bool
	high   bool // the column's tower is higher than MaxTower
}

// NewHeights returns Heights by rules over the blocks of towers.
func NewHeights(rules []light.Rule, towers light.Towers) *Heights {
	return &Heights{rules: rules, towers: towers, h: light.NewHeightMapper(rules), maps: make([][256]int32, len(rules))}
}

// Until bounds later calls of Of: they return nil soon after ctx ends, and once they have
// looked at more than most runs of cells.
func (h *Heights) Until(ctx context.Context, most int) { h.h.Until(ctx, most) }

// Of returns the map of the column at pos by the rule with that name. It returns nil if
// there is no rule, if the blocks are too high, and after the end of Until.
func (h *Heights) Of(pos geom.ColumnPos, name string) *[256]int32 {
	i := slices.IndexFunc(h.rules, func(r light.Rule) bool { return r.Map == name })
	if i < 0 {
		return nil
	}
	if !h.known || h.pos != pos {
		tower := h.towers(pos.X>>1, pos.Z>>1)
		h.known, h.pos, h.high = true, pos, len(tower) > MaxTower
		if !h.high {
			h.known = h.h.Column(pos, tower, h.maps)
		}
	}
	if h.high || !h.known {
		return nil
	}
	return &h.maps[i]
}
