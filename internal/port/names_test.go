package port_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "write docs/FORMATS.md")

func mustNames(t *testing.T, text string) *port.NameTable {
	t.Helper()
	n, err := port.ParseNames(text, false)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNames(t *testing.T) {
	n := mustNames(t, `names = [
		["minecraft:oak_log[axis=x]", "Trunk[rotation=1]"],
		["minecraft:oak_log", "Trunk"],
		["minecraft:*_*_stairs", "Stairs_*_*[*]"],
		["minecraft:oak_*", "Oak_*"],
		["minecraft:stone[a=1,b=2]", "Both"],
		["minecraft:gone", "minecraft:air"],
		["Rock.Stone", "literal"],
	]`)
	for _, tt := range []struct{ from, to string }{
		{format.Air, format.Air},
		{"minecraft:oak_log[axis=x]", "Trunk[rotation=1]"},
		{"minecraft:oak_log[axis=y]", "Trunk"},
		{"minecraft:oak_log[axis=x,waterlogged=true]", "Trunk[rotation=1]"},
		{"minecraft:oak_fence", "Oak_fence"},
		{"minecraft:smooth_stone_stairs[facing=east]", "Stairs_smooth_stone[facing=east]"},
		{"minecraft:stone[a=1,b=2,c=3]", "Both"},
		{"minecraft:stone[a=1]", ""},
		{"minecraft:stone", ""},
		{"minecraft:gone", format.Air},
		{"Rock.Stone", "literal"},
		{"RockxStone", ""},
		{"legacy:17/4", "Trunk[rotation=1]"}, // oak_log[axis=x]
		{"legacy:4000/1", ""},
		{"[", ""},
		{"", ""},
	} {
		if got, ok := n.Of(tt.from); got != tt.to || ok != (tt.to != "") {
			t.Errorf("%s: %q, %t, want %q", tt.from, got, ok, tt.to)
		}
	}
	for text, want := range map[string]string{
		`names = []`:                                    "no row",
		`names = [["a"]]`:                               "row 1: 1 names",
		`names = [["a", "b"], ["", "c"]]`:               "row 2",
		`names = [["a[", "b"]]`:                         `"a[" is no name`,
		`names = [["a", "b*"]]`:                         "more *",
		`names = [["a", ""]]`:                           "no name for",
		`name = [["a", "b"]]`:                           "name: there are only",
		`names = [["a", "b"]`:                           "toml",
		"names = [[\"a\", \"b\"]]\nreverse = \"maybe\"": "toml",
	} {
		if _, err := port.ParseNames(text, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestNamesReverse reads a table from right to left, as it says or as it is asked for.
func TestNamesReverse(t *testing.T) {
	const text = `names = [["a", "b"], ["c", "b"]]`
	for _, tt := range []struct {
		text string
		back bool
		from string
	}{{text, false, "c"}, {text, true, "b"}, {"reverse = true\n" + text, false, "b"}, {"reverse = true\n" + text, true, "c"}} {
		n, err := port.ParseNames(tt.text, tt.back)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := n.Of(tt.from)
		if want := map[string]string{"c": "b", "b": "a"}[tt.from]; got != want || !ok {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestShippedNames reads the tables that come with the program: each number there and back, and blocks that the game has.
func TestShippedNames(t *testing.T) {
	there, err := port.ReadNames("numbers-names")
	if err != nil {
		t.Fatal(err)
	}
	back, err := port.ReadNames("reverse:numbers-names")
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for id := range 256 {
		for data := range 16 {
			number := block.LegacyName(id, uint8(data))
			name, ok := there.Of(number)
			if want := block.Flat(number); ok != (want != number || number == format.Air) || ok && name != want && want != "minecraft:air" {
				t.Errorf("%s: %q, want %q", number, name, want)
			}
			if again, _ := back.Of(name); ok && again == number {
				same++
			} else if twice, _ := there.Of(again); ok && twice != name && name != format.Air {
				t.Errorf("%s: %s is %s, which is %s", number, name, again, twice)
			}
		}
	}
	if same < 1500 {
		t.Errorf("%d numbers come back", same)
	}
	if got, _ := back.Of("minecraft:water[level=0]"); got != "legacy:9/0" {
		t.Errorf("still water: %s", got)
	}
	text, err := port.NamesText("java-hytale")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^  \["([^"]*)", "([^"]*)"\],$`).FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(row[1], "[")
		blocks[name] = true
		if err := block.Blocks().Check(name, 0, nil); err != nil {
			t.Error(err)
		}
	}
	if len(blocks) < 300 {
		t.Errorf("%d blocks", len(blocks))
	}
	mustNames(t, text)
	if _, err := port.ReadNames("nothing"); err == nil || !strings.Contains(err.Error(), "bedrock-java, java-hytale, numbers-names") {
		t.Error(err)
	}
}

// TestBedrockNames has a name of Java for each block of a world that another library wrote, and reads the table.
func TestBedrockNames(t *testing.T) {
	n, err := port.ReadNames("bedrock-java")
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		"minecraft:bedrock[infiniburn_bit=false]":             "minecraft:bedrock",
		"minecraft:deepslate[pillar_axis=y]":                  "minecraft:deepslate[axis=y]",
		"minecraft:lava[liquid_depth=5]":                      "minecraft:lava[level=5]",
		"minecraft:pumpkin_stem[facing_direction=1,growth=7]": "minecraft:pumpkin_stem",
		"minecraft:nothing":                                   "",
	} {
		if got, _ := n.Of(from); got != want {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
	o, err := port.Open("../format/bedrock/testdata/dragonfly.mcworld", port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	w, err := o.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[string]int{}
	if w, err = port.Pick(t.Context(), w, "overworld", true, lost); err == nil {
		_, err = port.Rename(t.Context(), w, n, port.Anvil, 0, lost)
	}
	if err != nil {
		t.Fatal(err)
	}
	none := map[string]bool{}
	for what := range lost {
		if name, ok := strings.CutPrefix(what, "block minecraft:"); ok {
			name, _, _ = strings.Cut(name, "[")
			none[name] = true
		}
	}
	lost = map[string]int{}
	if _, err := port.Rename(t.Context(), w, mustNames(t, `names = [["minecraft:stone", "minecraft:nonsense"], ["minecraft:deepslate", "minecraft:stone"]]`), port.Anvil, 3955, lost); err != nil {
		t.Fatal(err)
	}
	if lost["block minecraft:stone"] == 0 || lost["block minecraft:deepslate[pillar_axis=y]"] != 0 {
		t.Error("a name that the game does not know is not lost")
	}
	if got := slices.Sorted(maps.Keys(none)); !slices.Equal(got, strings.Fields("border_block deprecated_anvil element_115 frame glow_frame hard_black_stained_glass hard_brown_stained_glass info_update poplar_button poplar_hanging_sign poplar_shelf")) { // Java Edition has none, or the package is older
		t.Errorf("no name for %v", got)
	}
}

// TestRename writes a world of Minecraft as one of Hytale, and reads it again.
func TestRename(t *testing.T) {
	w := made(t, func(b cairn.Blocks) {
		b.Set(cairn.Point{X: -1, Y: 40, Z: 33}, "minecraft:stone")
		b.Set(cairn.Point{X: 5, Y: 41}, "minecraft:water[level=0]")
		b.Set(cairn.Point{X: 6, Y: 41}, "minecraft:water[level=3]")
		b.Set(cairn.Point{X: 7, Y: 41}, "minecraft:granite")
		b.Set(cairn.Point{X: 8, Y: 41}, "minecraft:diorite")
		b.Set(cairn.Point{X: 9, Y: 41}, "minecraft:diorite")
	})
	w.Head = format.Head{Format: port.Anvil}
	w.Files = []format.File{format.FileOf("level.dat", []byte("x"))}
	lost := map[string]int{}
	names := mustNames(t, `names = [["minecraft:stone", "Rock_Stone"], ["minecraft:granite", "Rock_Stone"],
		["minecraft:water[level=0]", "fluid:Water_Source/1"], ["minecraft:water", "fluid:Water/5"]]`)
	if err := port.CheckGame(w.Content(), port.Hytale); err == nil || !strings.Contains(err.Error(), "blocks of Minecraft") {
		t.Error(err)
	}
	c, err := port.Rename(t.Context(), w.Content(), names, port.Hytale, 0, lost)
	if err != nil {
		t.Fatal(err)
	}
	if err := port.CheckGame(c, port.Hytale); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := port.WriteFolder(t.Context(), c, dir, port.Target{Format: port.Hytale}, nil, lost); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"block minecraft:diorite": 2, "file level.dat": 1}; fmt.Sprint(lost) != fmt.Sprint(want) {
		t.Errorf("lost %v, want %v", lost, want)
	}
	if _, err := os.Stat(dir + "/universe/worlds/default/chunks"); err != nil {
		t.Error(err)
	}
	o, err := port.Open(dir, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	parts, err := o.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := convert.FromContent(t.Context(), parts, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		volume string
		at     geom.Point
		want   string
	}{
		{voxel.Block, geom.Point{X: -1, Y: 40, Z: 33}, "Rock_Stone"},
		{voxel.Block, geom.Point{X: 7, Y: 41}, "Rock_Stone"},
		{voxel.Block, geom.Point{X: 8, Y: 41}, format.Air},
		{voxel.Block, geom.Point{X: 5, Y: 41}, format.Air},
		{"fluid", geom.Point{X: 5, Y: 41}, "Water_Source"},
		{"fluid", geom.Point{X: 6, Y: 41}, "Water"},
		{"fluid", geom.Point{X: 7, Y: 41}, format.Air},
		{"fluid_level", geom.Point{X: 6, Y: 41}, "5"},
		{"fluid_level", geom.Point{X: 5, Y: 41}, "1"},
	} {
		v := got.Dimensions[0].Volume(tt.volume)
		cell := v.Default
		if chunk := v.Chunks[tt.at.Chunk()]; chunk != nil {
			cell = chunk.Cell(tt.at.X&31, tt.at.Y&31, tt.at.Z&31)
		}
		name := fmt.Sprint(cell)
		if v.Schema == voxel.Palette {
			name = v.Names[cell]
		}
		if name != tt.want {
			t.Errorf("%s at %v: %s, want %s", tt.volume, tt.at, name, tt.want)
		}
	}
	if _, err := port.Rename(t.Context(), w.Content(), mustNames(t, `names = [["minecraft:stone", "fluid:Water"]]`), port.Hytale, 0, lost); err == nil || !strings.Contains(err.Error(), "fluid:NAME/LEVEL") {
		t.Error(err)
	}
}

// TestFormatsDoc keeps docs/FORMATS.md equal to the table of formats.
func TestFormatsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Formats\n\nThe table that `cairn formats` prints. `go test ./internal/port -run TestFormatsDoc -update` makes this page.\n\n" +
		"cairn reads a world of each, and gives it back with nothing lost. **Never met**: tried with files that a library made, and with none of a real world. " +
		"*Cannot hold*: what is left out, by name and count, of a world that came from elsewhere.\n\n" +
		"| name | | files | reads | writes | never met | cannot hold |\n|---|---|---|---|---|---|---|\n")
	seen := []string{}
	for _, r := range port.Table() {
		if r.Title == "" || r.Reads == "" || slices.Contains(seen, r.Name) {
			t.Errorf("%s: no title, or no word of what is read, or twice", r.Name)
		}
		seen = append(seen, r.Name)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", r.Name, r.Title, r.Ext, r.Reads, r.Written(), r.Unmet, r.Lacks)
	}
	b.WriteString("\n## Names between games\n\n`cairn export --format X` refuses a world of another game unless `--names` says what its blocks are there. " +
		"A table of names is a TOML file:\n\n```toml\nnames = [\n  [\"minecraft:oak_log[axis=y]\", \"Wood_Oak_Trunk\"],\n  [\"minecraft:*_wool\", \"Cloth_Block_Wool_White\"],\n" +
		"  [\"minecraft:water\", \"fluid:Water/8\"],\n]\n```\n\nThe first row that fits counts. A `*` on the left is any letters; the same `*` on the right repeats them. Properties on the left must be among " +
		"those of the block. `[*]` at the end on the right repeats the properties of the block. `fluid:NAME/LEVEL` is a fluid of Hytale. " +
		"What no row fits becomes air and is counted. `--names reverse:TABLE`, or `reverse = true` in the file, reads it from right to left. " +
		"Blocks go to the other game and nothing else: biomes, light, objects and files are counted as lost.\n\ncairn has these, which `cairn formats NAME` prints:\n\n")
	for _, name := range port.Shipped() {
		fmt.Fprintf(&b, "- `%s`: %s.\n", name, port.AboutNames(name))
	}
	const page = "../../docs/FORMATS.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the table says: -update; %v", page, err)
	}
}
