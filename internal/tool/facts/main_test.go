package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/cairnvoxel/cairn/internal/tool/facts"
)

// pack writes files of a package to a folder.
func pack(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWrite has two versions of a small package, and older ones that do not count.
func TestWrite(t *testing.T) {
	const data = "minecraft-data/data/"
	dir := pack(t, map[string]string{
		"package.json":             `{"version": "1.2.3"}`,
		data + "dataPaths.json":    `{"pc": {"1.12": {"blocks": "old"}, "21w07a": {}, "26.1": {"blocks": "new", "blockCollisionShapes": "new"}, "1.13": {"blocks": "first", "blockCollisionShapes": "new"}}}`,
		data + "first/blocks.json": `[{"name": "air"}, {"name": "sign"}, {"name": "stone", "filterLight": 0}]`,
		data + "new/blocks.json": `[{"name": "air"}, {"name": "stone", "filterLight": 15}, {"name": "oak_leaves", "filterLight": 1}, {"name": "water", "filterLight": 1},
			{"name": "torch"}, {"name": "repeater"}, {"name": "snow"}, {"name": "iron_trapdoor"}, {"name": "oak_fence_gate"}, {"name": "fire_coral", "filterLight": 1}, {"name": "stone_slab"}]`,
		data + "new/blockCollisionShapes.json": `{"blocks": {"stone": 1, "oak_leaves": 1, "repeater": 2, "snow": [0, 1, 1], "iron_trapdoor": [3, 3], "oak_fence_gate": [0, 1], "stone_slab": [4, 1]},
			"shapes": {"0": [], "1": [[0, 0, 0, 1, 1, 1]], "2": [[0, 0, 0, 1, 0.125, 1]], "3": [[0, 0, 0, 1, 0.1875, 1]], "4": [[0, 0, 0, 1, 0.5, 1]]}}`,
	})
	var out bytes.Buffer
	if err := main.Write(&out, dir, "heights"); err != nil {
		t.Fatal(err)
	}
	head, facts, _ := strings.Cut(out.String(), "\n\n")
	if !strings.Contains(head, "minecraft-data 1.2.3") || !strings.Contains(head, "1.13 to 26.1") || !strings.Contains(head, "MIT License") {
		t.Errorf("head %q", head)
	}
	const want = `= -
fire_coral repeater snow torch

= a
air

= fd
water

= m
iron_trapdoor oak_fence_gate sign

= md
stone stone_slab

= mld
oak_leaves
`
	if facts != want {
		t.Errorf("got\n%swant\n%s", facts, want)
	}
}

// TestWriteStates has the defaults of two versions, and numbers.
func TestWriteStates(t *testing.T) {
	const data = "minecraft-data/data/"
	dir := pack(t, map[string]string{
		"package.json":                           `{"version": "1.2.3"}`,
		data + "dataPaths.json":                  `{"pc": {"1.12": {"blocks": "old"}, "1.19": {"blocks": "new"}, "1.13": {"blocks": "first"}}}`,
		data + "pc/common/protocolVersions.json": `[{"minecraftVersion": "1.19", "dataVersion": 3105}, {"minecraftVersion": "1.13", "dataVersion": 1519}]`,
		data + "bedrock/1.9.0/blocksB2J.json":    `{"minecraft:log[a_bit=1,lit=0,n=1]": "minecraft:gone", "minecraft:air[]": "minecraft:air[]"}`,
		data + "bedrock/1.10.0/blocksB2J.json":   `{"minecraft:log[n=1,lit=0,a_bit=1]": "minecraft:oak_log[axis=x]", "minecraft:log[n=1,lit=0,a_bit=0]": "minecraft:grass"}`,
		data + "pc/common/legacy.json":           `{"blocks": {"0:0": "minecraft:air", "31:1": "minecraft:grass", "17:0": "minecraft:log[b=1,a=2]", "17:2": "minecraft:log"}}`,
		data + "old/blocks.json":                 `[{"id": 0, "name": "air"}, {"id": 17, "name": "log"}, {"id": 31, "name": "tallgrass"}]`,
		data + "first/blocks.json": `[{"name": "air"}, {"name": "leaves", "minStateId": 10, "defaultState": 13,
			"states": [{"name": "far", "type": "int", "num_values": 2, "values": ["1", "2"]}, {"name": "age", "type": "int", "num_values": 2}]}]`,
		data + "new/blocks.json": `[{"name": "stone"}, {"name": "air"}, {"name": "leaves", "minStateId": 10, "defaultState": 15,
			"states": [{"name": "far", "type": "enum", "num_values": 3, "values": ["x", "y", "z"]}, {"name": "wet", "type": "bool", "num_values": 2}]}]`,
	})
	for table, want := range map[string]string{
		"states": "= 1519\nair stone\n\n= 1519 age=0,1:1 far=1,2:2\nleaves\n\n= 3105 far=x,y,z:z wet=true,false:false\nleaves\n",
		"bedrock": `names = [
  ["minecraft:log[a_bit=true,lit=false,n=1]", "minecraft:oak_log[axis=x]"],
  ["minecraft:log[a_bit=false,lit=false,n=1]", "minecraft:short_grass"],
  ["minecraft:log", "minecraft:short_grass"],
  ["minecraft:air", "minecraft:air"],
]
`,
		"numbers": "0 air air\n17 log log[a=2,b=1] - log\n31 tallgrass - short_grass\n",
	} {
		var out bytes.Buffer
		if err := main.Write(&out, dir, table); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(out.String(), "\n\n"); got != want {
			t.Errorf("%s: got\n%swant\n%s", table, got, want)
		}
	}
	if err := main.Write(new(bytes.Buffer), dir, "colours"); err == nil {
		t.Error("there is no table colours")
	}
}

// TestWriteFails names the file that is missing or broken.
func TestWriteFails(t *testing.T) {
	for name, text := range map[string]string{"package.json": `{`, "other": `{}`} {
		if err := main.Write(new(bytes.Buffer), pack(t, map[string]string{name: text}), "heights"); err == nil || !strings.Contains(err.Error(), "package.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
