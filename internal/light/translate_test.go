package light_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// TestTranslate gives rules and matters other cells; cells that become empty or are not
// in the table count no more.
func TestTranslate(t *testing.T) {
	table := []voxel.Cell{0, 3, 0, 1}
	rules := []light.Rule{{Map: "top", Base: 4, Cells: []voxel.Cell{1, 2, 3, 9}}}
	want := []light.Rule{{Map: "top", Base: 4, Cells: []voxel.Cell{1, 3}}}
	if got := light.TranslateRules(rules, table); !reflect.DeepEqual(got, want) || len(rules[0].Cells) != 4 {
		t.Errorf("rules: got %+v, want %+v", got, want)
	}
	if got := light.TranslateRules(rules, nil); !reflect.DeepEqual(got, rules) {
		t.Errorf("rules without a table: %+v", got)
	}
	m := light.Matters{0, 7, 5, 1, 2}
	if got := m.Translate(table); !slices.Equal(got, light.Matters{0, 1, light.Opaque, 7}) {
		t.Errorf("matters: got %v", got)
	}
	if got := m.Translate(nil); !slices.Equal(got, m) {
		t.Errorf("matters without a table: %v", got)
	}
	if got := light.Matters(nil).Translate(table); got != nil {
		t.Errorf("no matters: got %v", got)
	}
}
