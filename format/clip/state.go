package clip

import (
	"slices"
	"strconv"
	"strings"
)

// clockwise are the directions that turn.
var clockwise = []string{"north", "east", "south", "west"}

// direction turns a direction. up, down and other words stay.
func (t Turn) direction(d string) string {
	i := slices.Index(clockwise, d)
	if i < 0 {
		return d
	}
	if t.MirrorX && i&1 != 0 || t.MirrorZ && i&1 == 0 {
		i += 2
	}
	return clockwise[(i+t.quarters())&3]
}

// State turns the name of a block: the values that are directions, the sides that are
// properties, and left and right if the turn makes a mirror image. Names without properties
// stay, and so do numeric ids.
func (t Turn) State(name string) string {
	base, list, ok := strings.Cut(name, "[")
	list, closed := strings.CutSuffix(list, "]")
	if !ok || !closed || t.isNone() {
		return name
	}
	properties := strings.Split(list, ",")
	for i, p := range properties {
		key, value, _ := strings.Cut(p, "=")
		properties[i] = t.direction(key) + "=" + t.value(key, value)
	}
	slices.Sort(properties)
	return base + "[" + strings.Join(properties, ",") + "]"
}

// value turns the value of a property.
func (t Turn) value(key, value string) string {
	switch key {
	case "facing": // of levers up to 1.12 up_x and the like
		if way, axis, ok := strings.Cut(value, "_"); ok {
			return way + "_" + t.axis(axis)
		}
		return t.direction(value)
	case "axis":
		return t.axis(value)
	case "variant": // up to 1.12, of pillars and mushrooms
		if axis, ok := strings.CutPrefix(value, "lines_"); ok {
			return "lines_" + t.axis(axis)
		}
		return t.corner(value)
	case "rotation": // of signs, banners and heads: 0 is south, 4 west
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 16 {
			return strconv.Itoa(t.sixteenth(n))
		}
	case "shape":
		return t.shape(value)
	case "orientation": // of jigsaws and crafters: the front and the top
		front, top, ok := strings.Cut(value, "_")
		if ok {
			return t.direction(front) + "_" + t.direction(top)
		}
	case "hinge", "type", "side_chain":
		return t.side(value)
	}
	return value
}

// axis turns an axis.
func (t Turn) axis(value string) string {
	if t.quarters()&1 != 0 {
		switch value {
		case "x":
			return "z"
		case "z":
			return "x"
		}
	}
	return value
}

// corner turns one direction, or two of which north or south comes first.
func (t Turn) corner(value string) string {
	a, b, ok := strings.Cut(value, "_")
	if a = t.direction(a); !ok || !slices.Contains(clockwise, a) || !slices.Contains(clockwise, b) {
		if ok {
			return value
		}
		return a
	}
	b = t.direction(b)
	if b == "north" || b == "south" {
		a, b = b, a
	}
	return a + "_" + b
}

func (t Turn) sixteenth(n int) int {
	if t.MirrorX {
		n = -n
	}
	if t.MirrorZ {
		n = 8 - n
	}
	return (n + 4*t.quarters()) & 15
}

// side turns left and right.
func (t Turn) side(value string) string {
	if t.flips() {
		switch value {
		case "left":
			return "right"
		case "right":
			return "left"
		}
	}
	return value
}

// rails are the shapes of rails in the order in which the game names their ends.
var rails = []string{"north_south", "east_west", "south_east", "south_west", "north_west", "north_east"}

// shape turns the shape of stairs or rails.
func (t Turn) shape(value string) string {
	a, b, ok := strings.Cut(value, "_")
	switch {
	case !ok:
		return value
	case a == "ascending":
		return a + "_" + t.direction(b)
	case a == "inner" || a == "outer":
		return a + "_" + t.side(b)
	}
	a, b = t.direction(a), t.direction(b)
	if slices.Contains(rails, b+"_"+a) {
		a, b = b, a
	}
	return a + "_" + b
}
