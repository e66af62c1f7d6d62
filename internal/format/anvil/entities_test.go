package anvil_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel"
)

// TestStamps: deleted chunks keep the time of their last write, in each file.
func TestStamps(t *testing.T) {
	entities := document(compound("Position", []int32{0, 0}, "DataVersion", int32(2730), "Entities", list(10)))
	s := mustReadAll(t, folder(map[string][]byte{
		"region/r.0.0.mca":   region(map[int][]byte{0: stored(3, chunk(2730))}, map[int]uint32{0: 5, 33: 6}),
		"entities/r.0.0.mca": region(map[int][]byte{0: stored(3, entities)}, map[int]uint32{0: 7, 33: 8}),
		"poi/r.0.0.mca":      region(nil, map[int]uint32{32: 9}),
	}))
	want := []string{"(0,0) chunk:5 entities:7", "(0,1) poi:9", "(1,1) chunk:6 entities:8"}
	var got []string
	for _, c := range s.columns {
		line := c.Pos.String()
		for _, p := range c.Parts {
			line += fmt.Sprintf(" %s:%d", p.Name, p.Stamp)
		}
		got = append(got, line)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
	dir := mustWrite(t, s, anvil.FolderOptions{})
	for name, slots := range map[string]map[int]uint32{"region": {0: 5, 33: 6}, "entities": {0: 7, 33: 8}, "poi": {32: 9}} {
		got := anviltest.Slots(t, dir+"/"+name+"/r.0.0.mca")
		if len(got) != len(slots) {
			t.Errorf("%s: %d slots, want %d", name, len(got), len(slots))
		}
		for i, stamp := range slots {
			if got[i].Stamp != stamp {
				t.Errorf("%s slot %d: stamp %d, want %d", name, i, got[i].Stamp, stamp)
			}
		}
	}
}

// TestEntities: the files beside the chunks, with and without these.
func TestEntities(t *testing.T) {
	pig := compound("id", "pig", "Pos", list(6, 1.5, 2.5, 3.5))
	place, version := entry{Name: "Position", Value: []int32{0, 0}}, entry{Name: "DataVersion", Value: int32(2730)}
	many, none := entry{Name: "Entities", Value: list(10, pig, pig)}, entry{Name: "Entities", Value: list(1)}
	poi := document(compound("DataVersion", int32(1), "Sections", compound("0", compound("Valid", int8(1)))))
	for _, tt := range []struct {
		name     string
		chunk    []byte
		entities []byte
		objects  int
		layout   uint16
	}{
		{"with a chunk", chunk(2730), document(entries{place, version, many}), 2, 0},
		{"alone", nil, document(entries{place, version, many}), 2, 0},
		{"none", chunk(2730), document(entries{place, version, none}), 0, 0},
		{"of another version", chunk(3953), document(entries{place, version, many}), 2, 0},
		{"beside an old chunk", chunk(1976), document(entries{place, version, many}), 0, 1 << 3},
		{"beside a chunk without a version", chunk(0), document(entries{place, version, many}), 0, 1 << 3},
		{"too old", nil, document(entries{place, {Name: "DataVersion", Value: int32(1976)}, many}), 0, 1 << 3},
		{"without a position", chunk(2730), document(entries{version, many}), 0, 1 << 3},
		{"at another position", chunk(2730), document(entries{{Name: "Position", Value: []int32{1, 0}}, version, many}), 2, 0},
		{"with other tags", nil, document(entries{place, version, many, {Name: "more", Value: "x"}}), 2, 0},
		{"empty", chunk(2730), document(entries{}), 0, 1 << 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{
				"entities/r.0.0.mca": region(map[int][]byte{0: stored(3, tt.entities)}, nil),
				"poi/r.0.0.mca":      region(map[int][]byte{0: stored(2, deflated(poi))}, nil),
			}
			if tt.chunk != nil {
				files["region/r.0.0.mca"] = region(map[int][]byte{0: stored(3, tt.chunk)}, nil)
			}
			s := mustReadAll(t, folder(files))
			if len(s.columns) != 1 {
				t.Fatalf("%d columns", len(s.columns))
			}
			objects := 0
			for _, l := range s.columns[0].Lists {
				if l.Name == voxel.Entities {
					objects += len(l.Objects)
				}
			}
			if objects != tt.objects || s.columns[0].Layout&^2 != tt.layout {
				t.Errorf("%d entities, layout %#x, want %d, %#x", objects, s.columns[0].Layout, tt.objects, tt.layout)
			}
			dir := mustWrite(t, s, anvil.FolderOptions{})
			wantSame(t, docsOf(t, dir, "entities/r.0.0.mca")[0], tt.entities)
			wantSame(t, docsOf(t, dir, "poi/r.0.0.mca")[0], poi)
			if files := anviltest.Files(t, dir); files["region/r.0.0.mca"] != (tt.chunk != nil) {
				t.Errorf("files %v", files)
			}
		})
	}
}
