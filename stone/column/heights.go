package column

import (
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
)

// MaxTower is the most chunks with cells in a tower for rules to apply.
const MaxTower = 512

// Heights applies rules to columns, one after another. It is used by one goroutine.
type Heights struct {
	rules  []light.Rule
	towers light.Towers
	h      *light.Heights
	maps   [][256]int32
	pos    geom.ColumnPos // the column whose maps are known
	known  bool
	high   bool // the column's tower is higher than MaxTower
}

// NewHeights returns Heights by rules over the blocks of towers.
func NewHeights(rules []light.Rule, towers light.Towers) *Heights {
	return &Heights{rules: rules, towers: towers, h: light.NewHeights(rules), maps: make([][256]int32, len(rules))}
}

// Of returns the map of the column at pos by the rule with that name, or nil if
// there is no rule.
func (h *Heights) Of(pos geom.ColumnPos, name string) *[256]int32 {
	if h == nil {
		return nil
	}
	i := slices.IndexFunc(h.rules, func(r light.Rule) bool { return r.Map == name })
	if i < 0 {
		return nil
	}
	if !h.known || h.pos != pos {
		tower := h.towers(pos.X>>1, pos.Z>>1)
		h.known, h.pos, h.high = true, pos, len(tower) > MaxTower
		if !h.high {
			h.h.Column(pos, tower, h.maps)
		}
	}
	if h.high {
		return nil
	}
	return &h.maps[i]
}
