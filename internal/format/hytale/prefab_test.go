package hytale_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// madePrefab is a prefab as the game indents it, with all that one can have.
const madePrefab = `{
  "version": 8,
  "blockIdVersion": 11,
  "anchorX": 1,
  "anchorY": 0,
  "anchorZ": -2,
  "Author": {
    "Name": "A <b> \"c\"",
    "Big": 12345678901,
    "Half": 0.5,
    "Far": 1.5E10,
    "Near": -2.0E-5,
    "Whole": 3.0,
    "Yes": true,
    "Nothing": null,
    "Mixed": [
      1,
      "two",
      {}
    ],
    "None": [],
    "Bytes": [
      {
        "$binary": {
          "base64": "AA==",
          "subType": "00"
        },
        "more": 1
      },
      {
        "$binary": {
          "subType": "00"
        }
      }
    ]
  },
  "blocks": [
    {
      "x": -1,
      "y": 0,
      "z": 0,
      "name": "Rock_Stone"
    },
    {
      "x": -1,
      "y": 1,
      "z": 0,
      "name": "Furniture_Bed",
      "rotation": 1
    },
    {
      "x": -1,
      "y": 1,
      "z": 1,
      "name": "Furniture_Bed",
      "support": 15,
      "filler": 32,
      "rotation": 1,
      "components": {
        "Components": {
          "Chest": {
            "Items": []
          }
        }
      }
    },
    {
      "x": 2,
      "y": 0,
      "z": 0,
      "name": "Empty"
    }
  ],
  "fluids": [
    {
      "x": -1,
      "y": 0,
      "z": 0,
      "name": "Empty",
      "level": 0
    },
    {
      "x": -1,
      "y": 1,
      "z": 0,
      "name": "Empty",
      "level": 0
    },
    {
      "x": -1,
      "y": 1,
      "z": 1,
      "name": "Empty",
      "level": 0
    },
    {
      "x": 2,
      "y": 0,
      "z": 0,
      "name": "Water",
      "level": 3
    }
  ],
  "entities": [
    {
      "Components": {
        "UUID": {
          "UUID": {
            "$binary": {
              "base64": "AAECAwQFBgcICQoLDA0ODw==",
              "subType": "04"
            }
          }
        },
        "Transform": {
          "Position": {
            "X": -0.5,
            "Y": 1.0,
            "Z": 0.5
          },
          "Rotation": {
            "Pitch": 0.0,
            "Yaw": 1.5,
            "Roll": 0.0
          }
        }
      }
    },
    {
      "Components": {
        "Transform": {
          "Position": {
            "X": 0.5,
            "Y": 0.5,
            "Z": -4.5
          }
        }
      }
    },
    {
      "Components": {}
    }
  ]
}`

func readPrefab(t testing.TB, text string) *clip.Clip {
	t.Helper()
	c, err := hytale.ReadPrefab(strings.NewReader(text), int64(len(text)), clip.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func writePrefab(t testing.TB, c *clip.Clip) (text string, lost map[string]int) {
	t.Helper()
	var b bytes.Buffer
	lost, err := hytale.WritePrefab(&b, c, clip.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), lost
}

func TestPrefab(t *testing.T) {
	c := readPrefab(t, madePrefab)
	if c.Size != (geom.Point{X: 4, Y: 2, Z: 7}) || c.Offset != (geom.Point{X: -2, Y: 0, Z: -3}) || c.Inner != (geom.Box{Min: geom.Point{Z: 5}, Max: geom.Point{X: 4, Y: 2, Z: 7}}) {
		t.Fatalf("size %v, offset %v, inner %v", c.Size, c.Offset, c.Inner)
	}
	if n := len(c.List(voxel.Entities)) + 10*len(c.List(voxel.BlockEntities)); n != 13 || len(c.Lost) != 0 {
		t.Errorf("%d objects, lost %v", n, c.Lost)
	}
	text, lost := writePrefab(t, c)
	if text != madePrefab || len(lost) > 0 {
		t.Errorf("lost %v, written again:\n%s", lost, text)
	}
	// Through the sink and the source, as a file becomes a world and a world a file.
	src, err := hytale.Prefab().Open(strings.NewReader(madePrefab), int64(len(madePrefab)), format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := hytale.Prefab().Create(&b, format.WriteOptions{Head: src.Head()})
	if err == nil {
		err = src.Read(t.Context(), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || b.String() != madePrefab || len(w.Lost()) > 0 {
		t.Errorf("as a world: %v, lost %v\n%s", err, w.Lost(), b.String())
	}
}

func TestPrefabTurn(t *testing.T) {
	c := readPrefab(t, madePrefab)
	// A bed whose foot lies south of its head has it west after a quarter clockwise.
	turned, _ := c.Turn(clip.Turn{Quarters: 1})
	text, _ := writePrefab(t, turned)
	// The anchor, 1, 0, -2, stays: a block 2 west and 2 south of it goes 2 west and 2 north of it.
	for _, want := range []string{
		`"x": -1, "y": 1, "z": -4, "name": "Furniture_Bed" }`, `"x": -2, "y": 1, "z": -4, "name": "Furniture_Bed", "support": 15, "filler": 31, "components"`,
		`"x": -1, "y": 0, "z": -4, "name": "Rock_Stone", "rotation": 3`, `"x": -1, "y": 0, "z": -1, "name": "Empty" }`,
		`"x": -1, "y": 0, "z": -1, "name": "Water", "level": 3`, `"X": -0.5, "Y": 1.0, "Z": -3.5`, `"Yaw": -0.07079632679489656`,
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	for _, turns := range [][]clip.Turn{{{Quarters: 1}, {Quarters: 3}}, {{MirrorX: true}, {MirrorX: true}}, {{MirrorZ: true, Quarters: 1}, {MirrorZ: true, Quarters: 1}}, {{Quarters: 2}, {MirrorX: true, MirrorZ: true}}} {
		back := c
		for _, turn := range turns {
			back, _ = back.Turn(turn)
		}
		if d := clip.Difference(c, back); d != "" {
			t.Errorf("%v: %s", turns, d)
		}
	}
}

// TestPrefabState turns names against fillers that the game wrote: of one bed, at rotations 0 and 1, the least and the greatest
// place of its parts.
func TestPrefabState(t *testing.T) {
	for _, c := range []struct {
		turn     clip.Turn
		from, to string
	}{
		{clip.Turn{Quarters: 3}, "Furniture_Lumberjack_Bed[filler=65]", "Furniture_Lumberjack_Bed[filler=994,rotation=1]"}, // 1, 0, 2 becomes 2, 0, -1
		{clip.Turn{Quarters: 3}, "Furniture_Lumberjack_Bed[filler=1089,rotation=3]", "Furniture_Lumberjack_Bed[filler=2018]"},
		{clip.Turn{MirrorX: true}, "A[filler=1,rotation=1]", "A[filler=31,rotation=3]"},
		{clip.Turn{MirrorZ: true}, "A[filler=32]", "A[filler=992,rotation=2]"},
		{clip.Turn{MirrorX: true}, "A[rotation=24]", "A[rotation=56]"},
		{clip.Turn{Quarters: 1}, "A[rotation=9]", "A[rotation=8]"},
		{clip.Turn{Quarters: 1}, "minecraft:oak_sign[rotation=9]", "minecraft:oak_sign[rotation=13]"},
	} {
		in := clip.Air(geom.Point{X: 1, Y: 1, Z: 1})
		in.Block.Names = append(in.Block.Names, c.from)
		if out, _ := in.Turn(c.turn); out.Block.Names[1] != c.to {
			t.Errorf("%+v of %s is %s, want %s", c.turn, c.from, out.Block.Names[1], c.to)
		}
	}
}

func TestPrefabDamage(t *testing.T) {
	for i := range len(madePrefab) {
		_, err := hytale.ReadPrefab(strings.NewReader(madePrefab[:i]), int64(i), clip.ReadOptions{})
		var corrupt *format.CorruptError
		if !errors.As(err, &corrupt) {
			t.Fatalf("%d of %d bytes: %v", i, len(madePrefab), err)
		}
	}
	for _, c := range [][3]string{
		{`"version": 8`, `"version": 7`, "known is 8"},
		{`"x": 2,`, `"x": 2000000000,`, "a place"},
		{`"x": 2,`, `"x": 2000000,`, "a box of"},
		{`"y": 0,`, ``, "a place"},
		{`"support": 15`, `"support": 16`, "0 to 15"},
		{`"filler": 32`, `"filler": 32768`, "filler"},
		{`"rotation": 1`, `"rotation": 256`, "rotation"},
		{`"rotation": 1`, `"rotation": "1"`, "rotation"},
		{`"name": "Rock_Stone"`, `"name": ""`, "no name"},
		{`"Half"`, `"$bson"`, "a name"},
		{`"Half": 0.5`, `"Half": 1e999`, "range"},
		{`"Half": 0.5`, `"Half": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100), "in each other"},
		{"  ]\n}", "  ]\n}{", "more behind"},
	} {
		text := strings.Replace(madePrefab, c[0], c[1], 1)
		if _, err := hytale.ReadPrefab(strings.NewReader(text), int64(len(text)), clip.ReadOptions{}); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	if _, err := hytale.ReadPrefab(strings.NewReader(madePrefab), int64(len(madePrefab)), clip.ReadOptions{MaxBytes: 1000}); !errors.Is(err, clip.ErrTooLarge) {
		t.Errorf("1,000 bytes of memory: %v", err)
	}
}

func TestPrefabLosses(t *testing.T) {
	text := strings.Replace(madePrefab, `"name": "Rock_Stone"`, `"name": "Rock_Stone", "odd": 1`, 1)
	text = strings.Replace(text, `"x": 2,`, `"x": -1,`, 1)
	text = strings.Replace(text, `"y": 1,
      "z": 1,
      "name": "Empty"`, `"y": 9, "z": 1, "name": "Empty"`, 1)
	c := readPrefab(t, text)
	if want := map[string]int{"empty fluids where no block is": 1, "fact odd of blocks": 1, "second block of a place": 1}; !reflect.DeepEqual(c.Lost, want) {
		t.Errorf("lost %v, want %v", c.Lost, want)
	}
}

// TestPrefabsOfTheGame reads files that the game wrote: each is written again with the same bytes.
func TestPrefabsOfTheGame(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(realWorld(t)), "prefabs", "*.prefab.json"))
	if len(files) < 18 {
		t.Fatalf("%d files", len(files))
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if text, lost := writePrefab(t, readPrefab(t, string(b))); text != string(b) || len(lost) > 0 {
			t.Errorf("%s: lost %v, written again:\n%.3000s", name, lost, text)
		}
	}
}

func FuzzPrefab(f *testing.F) {
	f.Add([]byte(madePrefab))
	f.Add([]byte(`{"version":8,"blocks":[{"x":0,"y":0,"z":0,"name":"A","components":{"$bson":1}}],"x":{"$binary":{"base64":"","subType":"0"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := hytale.ReadPrefab(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{MaxBytes: 64 << 20})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := hytale.WritePrefab(&out, c, clip.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(out.Bytes()) {
			t.Fatalf("not JSON: %s", out.Bytes())
		}
		again, err := hytale.ReadPrefab(bytes.NewReader(out.Bytes()), int64(out.Len()), clip.ReadOptions{})
		if err != nil {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		if d := clip.Difference(c, again); d != "" && len(c.Lost) == 0 && c.Area() > 0 {
			t.Fatalf("%s: %s", d, out.Bytes())
		}
	})
}
