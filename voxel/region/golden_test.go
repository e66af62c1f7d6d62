package region_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/region"
)

var update = flag.Bool("update", false, "rewrite the goldens and the pictures")

// shapes are polygons with everything that makes a split hard.
var shapes = map[string][]region.Corner{
	"square":    {{0, 0}, {8, 0}, {8, 8}, {0, 8}},
	"notch":     {{0, 0}, {8, 0}, {8, 8}, {4, 4}, {0, 8}},
	"U":         {{0, 0}, {0, 8}, {8, 8}, {8, 0}, {6, 0}, {6, 6}, {2, 6}, {2, 0}},
	"W in U":    {{0, 0}, {0, 8}, {8, 8}, {8, 0}, {7, 0}, {6, 6}, {4, 3}, {2, 6}, {1, 0}},
	"stairs":    {{0, 0}, {0, 8}, {8, 8}, {8, 6}, {6, 6}, {6, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 0}},
	"two steps": {{0, 0}, {0, 4}, {3, 4}, {3, 8}, {8, 8}, {8, 4}, {5, 4}, {5, 0}},
	"collinear": {{0, 0}, {0, 4}, {0, 8}, {4, 8}, {8, 8}, {8, 4}, {8, 0}, {4, 0}},
	"crown":     {{0, 8}, {8, 8}, {6, 0}, {4, 4}, {2, 0}},
}

// situation is a polygon and a line that cuts it.
type situation struct {
	shape string
	line  region.Line
	what  string
}

func line(ax, az, bx, bz int) region.Line {
	return region.Line{A: region.Corner{X: ax, Z: az}, B: region.Corner{X: bx, Z: bz}}
}

var situations = []situation{
	{"square", line(4, 9, 4, -1), "down the middle"},
	{"square", line(-1, 3, 9, 3), "across"},
	{"square", line(0, 0, 8, 8), "the diagonal"},
	{"square", line(0, 0, 0, 8), "along an edge"},
	{"square", line(-1, 1, 1, -1), "touches one corner"},
	{"square", line(2, 3, 4, 4), "both points inside"},
	{"notch", line(4, 0, 4, 8), "through the notch, down"},
	{"notch", line(0, 4, 8, 4), "through the notch, across"},
	{"notch", line(0, 0, 4, 4), "the diagonal, along an edge"},
	{"notch", line(0, 6, 8, 6), "cuts both legs"},
	{"notch", line(8, 6, 0, 6), "cuts both legs, backwards"},
	{"U", line(0, 3, 8, 3), "cuts both legs"},
	{"U", line(0, 6, 8, 6), "along the floor"},
	{"U", line(8, 6, 0, 6), "along the floor, backwards"},
	{"U", line(0, 0, 8, 0), "along the tops"},
	{"U", line(2, 0, 2, 8), "along the inside of a leg"},
	{"U", line(0, 0, 8, 8), "the diagonal"},
	{"W in U", line(0, 3, 8, 3), "touches the middle of the W"},
	{"W in U", line(0, 4, 8, 4), "cuts all legs"},
	{"W in U", line(0, 6, 8, 6), "touches both feet of the W"},
	{"W in U", line(8, 6, 0, 6), "touches both feet, backwards"},
	{"W in U", line(4, 8, 4, 0), "through the middle of the W"},
	{"stairs", line(0, 4, 8, 4), "along a step"},
	{"stairs", line(4, 8, 4, 0), "along a riser"},
	{"stairs", line(0, 0, 8, 8), "through the inner corners"},
	{"stairs", line(2, 0, 8, 6), "touches the outer corners"},
	{"stairs", line(6, 5, 3, 5), "through a step, ends inside"},
	{"two steps", line(0, 4, 8, 4), "along both steps"},
	{"two steps", line(8, 4, 0, 4), "along both steps, backwards"},
	{"two steps", line(3, 0, 3, 8), "along a riser"},
	{"two steps", line(5, 8, 5, 0), "along the other riser"},
	{"two steps", line(3, 8, 5, 0), "through two far corners"},
	{"collinear", line(0, 8, 0, 0), "along a run"},
	{"collinear", line(4, 0, 4, 8), "through the middles of runs, down"},
	{"collinear", line(8, 4, 0, 4), "through middles of runs, across"},
	{"collinear", line(8, 0, 0, 8), "the diagonal"},
	{"crown", line(0, 4, 8, 4), "touches the dent"},
	{"crown", line(0, 0, 8, 0), "touches both spikes"},
	{"crown", line(8, 2, 0, 2), "cuts both spikes"},
	{"crown", line(6, 8, 6, 0), "through a spike"},
	{"crown", line(2, 0, 4, 4), "along a spike, ends inside"},
}

// TestSplitSituations compares the parts with the golden, which a person has looked at.
func TestSplitSituations(t *testing.T) {
	var out strings.Builder
	for _, s := range situations {
		checkSplitOf(t, shapes[s.shape], s.line)
		fmt.Fprintf(&out, "%s, %s, by (%d,%d) (%d,%d):\n", s.shape, s.what, s.line.A.X, s.line.A.Z, s.line.B.X, s.line.B.Z)
		for _, text := range texts(mustSplit(t, shapes[s.shape], s.line)) {
			fmt.Fprintf(&out, "  %s\n", text)
		}
	}
	const name = "testdata/split.golden"
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != string(want) {
		t.Errorf("the parts differ from %s; look at both, then go test ./region -update. Got\n%s", name, got)
	}
}

// configurations are the nine that a vertex on the line can have: where the edge before it comes from, the
// line itself, and where the edge behind it goes.
var configurations = []struct {
	name, says string
	corners    []region.Corner
	at         region.Corner
}{
	{"LOR", "inside begins on both sides", []region.Corner{{2, 0}, {3, 3}, {2, 6}, {6, 6}, {6, 0}}, region.Corner{X: 3, Z: 3}},
	{"ROL", "inside ends on both sides", []region.Corner{{0, 0}, {0, 6}, {4, 6}, {3, 3}, {4, 0}}, region.Corner{X: 3, Z: 3}},
	{"LOL", "left: one way ends, one begins", []region.Corner{{0, 0}, {0, 6}, {6, 6}, {6, 0}, {4, 0}, {3, 3}, {2, 0}}, region.Corner{X: 3, Z: 3}},
	{"ROR", "right: one way ends, one begins", []region.Corner{{0, 0}, {0, 6}, {2, 6}, {3, 3}, {4, 6}, {6, 6}, {6, 0}}, region.Corner{X: 3, Z: 3}},
	{"LOO", "inside begins on the left", []region.Corner{{1, 0}, {1, 3}, {3, 3}, {3, 6}, {6, 6}, {6, 0}}, region.Corner{X: 1, Z: 3}},
	{"OOR", "inside begins on the right", []region.Corner{{1, 0}, {1, 3}, {3, 3}, {3, 6}, {6, 6}, {6, 0}}, region.Corner{X: 3, Z: 3}},
	{"ROO", "inside ends on the right", []region.Corner{{0, 0}, {0, 6}, {3, 6}, {3, 3}, {5, 3}, {5, 0}}, region.Corner{X: 3, Z: 3}},
	{"OOL", "inside ends on the left", []region.Corner{{0, 0}, {0, 6}, {3, 6}, {3, 3}, {5, 3}, {5, 0}}, region.Corner{X: 5, Z: 3}},
	{"OOO", "nothing begins or ends", []region.Corner{{0, 0}, {0, 6}, {6, 6}, {6, 0}, {5, 0}, {5, 3}, {3, 3}, {1, 3}, {1, 0}}, region.Corner{X: 3, Z: 3}},
}
