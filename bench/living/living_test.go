package living

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

func TestMain(m *testing.M) { os.Exit(labtest.Main(m)) }

// made makes a world of four by four columns of 1.18 that can be played on.
func made(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := &regionFile{path: filepath.Join(dir, "region", "r.0.0.mca"), data: make([]byte, 2*sectorBytes), used: []bool{true, true}}
	for i := range 16 {
		x, z := i&3, i>>2
		grass := make([]int, 4096)
		for n := range grass { // the palette is in the order of first use, as the game writes it
			if grass[n] = 7; n < 1024 {
				grass[n] = n % 7
			}
		}
		var palette []*value
		for _, name := range []string{"stone", "dirt", "grass_block", "gravel", "sand", "andesite", "granite", "air"} {
			palette = append(palette, block(name))
		}
		section := compound(named{"Y", number(tByte, 4)}, named{"block_states", compound(named{"palette", list(tCompound, palette...)}, named{"data", longs(pack(grass, 4))})},
			named{"biomes", compound(named{"palette", list(tString, text("minecraft:plains"))})}, named{"SkyLight", &value{kind: tBytes, bytes: make([]byte, 2048)}})
		big := &value{kind: tBytes, bytes: make([]byte, 3000)}
		c := compound(named{"DataVersion", number(tInt, 2865)}, named{"xPos", number(tInt, int64(x))}, named{"zPos", number(tInt, int64(z))}, named{"Status", text("full")},
			named{"LastUpdate", number(tLong, 1)}, named{"InhabitedTime", number(tLong, 1)}, named{"sections", list(tCompound, section)}, named{"block_entities", list(tCompound)}, named{"other", big})
		r.put(z<<5|x, document("", c), begin-1000)
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBench(t *testing.T) {
	r, err := Bench(context.Background(), []string{made(t)}, lab.Options{Worlds: 2, Seed: 1, Cairn: labtest.Cairn(t)})
	if err != nil {
		t.Fatal(err)
	}
	row := r.Rows[0]
	if row.Tool != "cairn" || row.Restored != 3 || len(row.Different) > 0 || row.Stones == 0 || row.Disk == 0 {
		t.Errorf("got %+v", row)
	}
	var out bytes.Buffer
	if r.Table(&out); !bytes.Contains(out.Bytes(), []byte("3 of 3")) {
		t.Errorf("got %s", &out)
	}
}

func TestPlayIsTheSameAgain(t *testing.T) {
	var dirs []string
	for range 2 {
		dir := made(t)
		s, err := newServer(dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if err := s.hour(n + 1); err != nil {
				t.Fatal(err)
			}
		}
		dirs = append(dirs, dir)
	}
	if diff, err := differing(dirs[0], dirs[1]); diff != "" || err != nil {
		t.Errorf("two plays with one seed differ: %s %v", diff, err)
	}
	if diff, err := differing(dirs[0], made(t)); diff == "" || err != nil {
		t.Errorf("a folder before and after a play: no difference, %v", err)
	}
	r, err := openRegion(filepath.Join(dirs[0], "region", "r.0.0.mca"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := r.get(33)
	if err != nil {
		t.Fatal(err)
	}
	_, c, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	c.get("InhabitedTime").bits++
	r.put(33, document("", c), r.stamp(33))
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if diff, err := differing(dirs[0], dirs[1]); diff != "region/r.0.0.mca: the chunk of slot 33" || err != nil {
		t.Errorf("one tag differs: %q %v", diff, err)
	}
}
