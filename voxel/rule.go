package voxel

import "slices"

// Rule says how eight cells become one that is twice as wide. It must not change
// after a mip was made by it.
type Rule struct {
	Schema Schema
	// Empties lists the cells besides 0 that count as empty, such as cave_air in a
	// Palette volume.
	Empties []Cell
}

// Empty reports whether v counts as empty.
func (r *Rule) Empty(v Cell) bool {
	return v == Empty || len(r.Empties) > 0 && slices.Contains(r.Empties, v)
}

func (r *Rule) same(s *Rule) bool {
	return r == s || r.Schema == s.Schema && slices.Equal(r.Empties, s.Empties)
}

// Downsample returns the cell that stands for eight. It is 0 if and only if all of
// them count as empty, so no mip hides matter. Terrain: the most common material,
// and the mean fullness of all eight, rounded down but at least 1/256. Palette: the
// most common cell that is not empty. Level: the greatest. Among equally common
// cells the lowest wins.
func Downsample(rule *Rule, cells [8]Cell) Cell {
	if v := cells[0]; cells == [8]Cell{v, v, v, v, v, v, v, v} && !rule.Empty(v) {
		return v
	}
	switch rule.Schema {
	case Terrain:
		return meanTerrain(rule, &cells)
	case Level:
		return maxLevel(rule, &cells)
	}
	return mostCommon(rule, &cells)
}

func maxLevel(rule *Rule, cells *[8]Cell) Cell {
	top := Empty
	for _, v := range cells {
		if !rule.Empty(v) {
			top = max(top, v)
		}
	}
	return top
}

func meanTerrain(rule *Rule, cells *[8]Cell) Cell {
	var materials [8]Cell
	sum := 0
	for i, v := range cells {
		if !rule.Empty(v) {
			materials[i] = v >> 8
			sum += int(v&0xFF) + 1
		}
	}
	if sum == 0 {
		return Empty
	}
	return modal(&materials)<<8 | Cell(max(sum/8, 1)-1)
}

func mostCommon(rule *Rule, cells *[8]Cell) Cell {
	kept := *cells
	for i, v := range kept {
		if rule.Empty(v) {
			kept[i] = 0
		}
	}
	return modal(&kept)
}

// modal returns the most common value that is not 0, the lowest of equally common
// ones, or 0 if all are 0.
func modal(vals *[8]Cell) Cell {
	best, most := Cell(0), 0
	for i, v := range vals {
		n := 1
		for _, w := range vals[i+1:] {
			if v == w {
				n++
			}
		}
		if v != 0 && (n > most || n == most && v < best) {
			best, most = v, n
		}
	}
	return best
}
