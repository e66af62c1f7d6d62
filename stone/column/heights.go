package column

import (
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
)

// MaxTower is how high a tower of chunks with cells may be for rules to apply.
// Chunks of no cells do not count.
const MaxTower = 512

// Heights says what rules say of height maps, of one column after the other. It
// is used by one goroutine.
type Heights struct {
	rules  []light.Rule
	towers light.Towers
	h      *light.Heights
	maps   [][256]int32
	pos    geom.ColumnPos // that maps are of, if known
	known  bool
	high   bool // the column's tower is higher than MaxTower
}

// NewHeights returns what the rules say of blocks, whose towers are towers.
func NewHeights(rules []light.Rule, towers light.Towers) *Heights {
	return &Heights{rules: rules, towers: towers, h: light.NewHeights(rules), maps: make([][256]int32, len(rules))}
}

// Of returns what the rule says of a map of the column at pos, nil if there is
// no rule for it.
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
