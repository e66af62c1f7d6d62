package diff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// island returns a made world, each column with a part.
func island(t testing.TB) *convert.Loaded {
	t.Helper()
	w := mustLoad(t, terrain.Island(terrain.Options{Size: 6, Version: terrain.Modern}))
	for i := range w.Dimensions[0].Columns {
		w.Dimensions[0].Columns[i].Parts = []voxel.Part{{Name: voxel.PartChunk, Stamp: 7, Data: []byte("data")}}
	}
	return w
}

// set changes one cell of a volume.
func set(d *convert.LoadedDimension, volume string, p geom.Point, c voxel.Cell) {
	v := d.Volume(volume)
	old := v.Chunks[p.Chunk()]
	if old == nil {
		old = voxel.Uniform(v.Default)
	}
	draft, in := old.Edit(), p.InChunk()
	draft.Set(in.X, in.Y, in.Z, c)
	v.Chunks[p.Chunk()] = draft.Publish(new(voxel.ChunkBuilder))
}

func mustLoad(t testing.TB, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustDiff(t testing.TB, a, b *convert.Loaded) *diff.Difference {
	t.Helper()
	d, err := diff.Worlds(context.Background(), a.Content(), b.Content(), diff.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fileOf(path, content string) format.File {
	return format.File{Path: path, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// withList returns the first column with a list of that name and its index.
func withList(t testing.TB, d *convert.LoadedDimension, name string) (c *voxel.Column, list int) {
	t.Helper()
	for i := range d.Columns {
		for j, l := range d.Columns[i].Lists {
			if l.Name == name {
				return &d.Columns[i], j
			}
		}
	}
	t.Fatalf("no column has a list %q", name)
	return nil, 0
}

// TestDiffPlanted plants one change at a time into a world.
func TestDiffPlanted(t *testing.T) {
	a, far := island(t), geom.Point{X: 5000, Y: -3000, Z: -5000}
	aMap := fmt.Sprintf(": map %q", a.Dimensions[0].Columns[2].Maps[0].Name)
	for _, tt := range []struct {
		name  string
		plant func(t *testing.T, w *convert.Loaded, d *convert.LoadedDimension)
		want  diff.Difference // without First
		first string          // part of First[0]
	}{
		{"nothing", func(*testing.T, *convert.Loaded, *convert.LoadedDimension) {}, diff.Difference{}, ""},
		{"a cell far away", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { set(d, voxel.Block, far, 1) },
			diff.Difference{Cells: 1, Volumes: map[string]int{"block": 1}}, "overworld: block (5000,-3000,-5000): air, minecraft:"},
		{"two cells", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			set(d, voxel.Block, far, 1)
			set(d, voxel.Block, far.Add(geom.Point{Y: 1}), 1)
		}, diff.Difference{Cells: 2, Volumes: map[string]int{"block": 2}}, "block"},
		{"a biome", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { set(d, voxel.Biome, far, 1) },
			diff.Difference{Cells: 1, Volumes: map[string]int{"biome": 1}}, "biome"},
		{"sky light", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { set(d, voxel.Sky, far, 14) },
			diff.Difference{Cells: 1, Volumes: map[string]int{"sky": 1}}, "sky (5000,-3000,-5000): 15, 14"},
		{"block light", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { set(d, voxel.Light, far, 1) },
			diff.Difference{Cells: 1, Volumes: map[string]int{"light": 1}}, "light"},
		{"a chunk of nothing", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Volume(voxel.Sky).Chunks[far.Chunk()] = voxel.Uniform(15)
		}, diff.Difference{}, ""},
		{"a name", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			v := d.Volume(voxel.Block)
			v.Names = append(slices.Clone(v.Names), "new")
			set(d, voxel.Block, far, voxel.Cell(len(v.Names)-1))
		}, diff.Difference{Cells: 1, Volumes: map[string]int{"block": 1}}, "air, new"},
		{"an object's tags", func(t *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			c, i := withList(t, d, voxel.BlockEntities)
			c.Lists[i].Objects[0].Payload[0] ^= 1
		}, diff.Difference{Objects: 1}, "block_entities 0"},
		{"an object's place", func(t *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			c, i := withList(t, d, voxel.BlockEntities)
			c.Lists[i].Objects[0].At.Y++
		}, diff.Difference{Objects: 1}, "block_entities 0"},
		{"an object more", func(t *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			c, i := withList(t, d, voxel.BlockEntities)
			c.Lists[i].Objects = append(c.Lists[i].Objects, voxel.Object{})
		}, diff.Difference{Objects: 1}, "block_entities"},
		{"another list", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[5].Lists = append(d.Columns[5].Lists, voxel.List{Name: "zz", Objects: make([]voxel.Object, 3)})
		}, diff.Difference{Objects: 3}, "zz 0"},
		{"an empty list", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[5].Lists = append(d.Columns[5].Lists, voxel.List{Name: "zz"})
		}, diff.Difference{}, ""},
		{"the first column", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns = d.Columns[1:] },
			diff.Difference{Columns: 1}, "only in the first"},
		{"the last column", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns = d.Columns[:len(d.Columns)-1]
		},
			diff.Difference{Columns: 1}, "only in the first"},
		{"a column more", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns = append(d.Columns, voxel.Column{Pos: geom.ColumnPos{X: 1 << 20, Z: 1 << 20}})
		}, diff.Difference{Columns: 1}, "(1048576,1048576) only in the second"},
		{"a version", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Version++ }, diff.Difference{Columns: 1}, "version"},
		{"how palette entries are spelled", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Layout ^= voxel.LayoutProperties
		}, diff.Difference{}, ""},
		{"a layout", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Layout++ }, diff.Difference{Columns: 1}, "layout"},
		{"biomes in one piece", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Whole ^= voxel.HasBiome
		},
			diff.Difference{Columns: 1}, "layout"},
		{"a map's number", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Maps[0].Values[255]++ },
			diff.Difference{Columns: 1}, aMap},
		{"a map's form", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Maps[0].Form ^= 1 }, diff.Difference{Columns: 1}, aMap},
		{"a map less", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Maps = d.Columns[2].Maps[1:]
		},
			diff.Difference{Columns: 1}, aMap},
		{"a map twice", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Maps = append(d.Columns[2].Maps, d.Columns[2].Maps[0])
		}, diff.Difference{Columns: 1}, aMap},
		{"a section's arrays", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Sections[1].Has ^= voxel.HasSky
		},
			diff.Difference{Columns: 1}, "sections"},
		{"a section's height", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Sections[1].Y = 100 },
			diff.Difference{Columns: 1}, "sections"},
		{"the order of sections", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			slices.Reverse(d.Columns[2].Sections)
		},
			diff.Difference{Columns: 1}, "sections"},
		{"a section's tags", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Sections[1].Tags = []byte{0}
		},
			diff.Difference{Columns: 1}, "sections"},
		{"a section's empty tags", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Sections[1].Tags = []byte{}
		},
			diff.Difference{Columns: 1}, "sections"},
		{"a part's data", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Parts[0].Data[0] ^= 1 },
			diff.Difference{Columns: 1}, `part "chunk"`},
		{"a stamp", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Columns[2].Parts[0].Stamp++ }, diff.Difference{Columns: 1}, "part"},
		{"damage", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Parts[0].Damaged = true
		},
			diff.Difference{Columns: 1}, "part"},
		{"a part more", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Parts = append(d.Columns[2].Parts, voxel.Part{Name: voxel.PartPOI})
		}, diff.Difference{Columns: 1}, `part "poi"`},
		{"much of one column", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Columns[2].Version, d.Columns[2].Parts, d.Columns[2].Sections = 1, nil, nil
		}, diff.Difference{Columns: 1}, "version"},
		{"a property", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) { w.Head.Properties["name"] += "!" },
			diff.Difference{Properties: 1}, `property "name"`},
		{"a property more", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) { w.Head.Properties["new"] = "x" },
			diff.Difference{Properties: 1}, `property "new": "", "x"`},
		{"no properties", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Head.Properties = map[string]string{}
		}, diff.Difference{Properties: 2}, "property"},
		{"the format", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Head.Format, w.Head.Version = "slime", 9
		},
			diff.Difference{}, ""},
		{"a dimension more", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Dimensions = append(w.Dimensions, &convert.LoadedDimension{Name: "moon"})
		}, diff.Difference{Properties: 1}, "moon: only in the second"},
		{"no dimension", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Dimensions[0].Volumes, w.Dimensions[0].Columns = nil, nil
			w.Dimensions[0].Name = "moon"
		}, diff.Difference{Properties: 2, Columns: 36}, ""},
		{"a volume's scale", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) { d.Volume(voxel.Biome).Scale = 2 },
			diff.Difference{Properties: 1}, "scale 4, palette of scale 2"},
		{"a volume's schema", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Volume(voxel.Block).Schema = voxel.Terrain
		},
			diff.Difference{Properties: 1}, "palette of scale 1, terrain"},
		{"a volume of nothing", func(_ *testing.T, _ *convert.Loaded, d *convert.LoadedDimension) {
			d.Volumes = append(d.Volumes, &convert.LoadedVolume{Volume: voxel.Volume{Name: "fog", Schema: voxel.Level, Scale: 1, Default: 3}})
		}, diff.Difference{}, ""},
		{"a file", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Files[0] = fileOf(w.Files[0].Path, "changed")
		}, diff.Difference{Files: 1}, "differs"},
		{"a file more", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) {
			w.Files = append(w.Files, fileOf("zz", ""))
		},
			diff.Difference{Files: 1}, `file "zz" only in the second`},
		{"a file less", func(_ *testing.T, w *convert.Loaded, _ *convert.LoadedDimension) { w.Files = w.Files[1:] },
			diff.Difference{Files: 1}, "only in the first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := mustLoad(t, a.Source())
			b.Head.Properties = maps.Clone(b.Head.Properties)
			tt.plant(t, b, b.Dimensions[0])
			got := mustDiff(t, a, b)
			first, blocks := got.First, 0
			for _, c := range got.Blocks {
				blocks += c.Added + c.Removed
			}
			if got.Blocks = nil; blocks != 2*got.Volumes[voxel.Block] {
				t.Errorf("got %d blocks, want each cell that differs twice", blocks)
			}
			checkFirst(t, got, tt.first)
			if got.First = nil; tt.want.Volumes == nil {
				tt.want.Volumes = map[string]int{}
			}
			if tt.name == "no dimension" { // its cells are gone as well
				got.Cells, got.Volumes = 0, map[string]int{}
			}
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got %+v %q, want %+v", *got, first, tt.want)
			}
			back := mustDiff(t, b, a)
			if back.Objects != got.Objects || back.Columns != got.Columns || back.Properties != got.Properties || back.Files != got.Files {
				t.Errorf("the other way round %+v, want %+v", *back, *got)
			}
		})
	}
}

func checkFirst(t *testing.T, d *diff.Difference, want string) {
	t.Helper()
	if d.Same() != (len(d.First) == 0) || want != "" && (len(d.First) == 0 || !strings.Contains(d.First[0], want)) {
		t.Errorf("first %q, want %q in it; same: %v", d.First, want, d.Same())
	}
}

// TestDiffNames compares worlds whose names are in another order.
func TestDiffNames(t *testing.T) {
	a := island(t)
	b := island(t)
	v := b.Dimensions[0].Volume(voxel.Block)
	back, names := make([]voxel.Cell, len(v.Names)), slices.Clone(v.Names)
	slices.Sort(names[1:])
	for i, name := range v.Names {
		back[i] = voxel.Cell(slices.Index(names, name))
	}
	for pos, c := range v.Chunks {
		v.Chunks[pos] = c.Translate(back)
	}
	v.Names = names
	if slices.Equal(a.Dimensions[0].Volume(voxel.Block).Names, b.Dimensions[0].Volume(voxel.Block).Names) {
		t.Fatal("names are in the same order")
	}
	if d := mustDiff(t, a, b); !d.Same() {
		t.Errorf("%+v", d)
	}
	if d := mustDiff(t, b, a); !d.Same() {
		t.Errorf("the other way round: %+v", d)
	}
}

func TestDiffFirstFew(t *testing.T) {
	a, b := island(t), island(t)
	for i := range 100 {
		set(b.Dimensions[0], voxel.Light, geom.Point{X: i, Y: 4000}, 3)
	}
	if d := mustDiff(t, a, b); d.Cells != 100 || len(d.First) != 10 {
		t.Errorf("%d cells, the first %d", d.Cells, len(d.First))
	}
}

// TestDiffFirstShares has much of one kind, and a little of all others after it.
func TestDiffFirstShares(t *testing.T) {
	for _, tt := range []struct {
		name           string
		biomes, blocks int
		want           string
	}{
		{"one of each", 1, 1, "property, biome, block, light, light, light, light, object, column, file"},
		{"two of some", 2, 2, "property, biome, biome, block, block, light, light, object, column, file"},
		{"many of all", 90, 90, "property, biome, biome, block, block, light, light, object, column, file"},
		{"none of one", 0, 9, "property, block, block, block, light, light, light, object, column, file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := island(t), island(t)
			d := b.Dimensions[0]
			for volume, n := range map[string]int{voxel.Biome: tt.biomes, voxel.Block: tt.blocks, voxel.Light: 100} {
				for i := range n {
					set(d, volume, geom.Point{X: i, Y: 4000}, 1)
				}
			}
			b.Head.Properties["new"] = "x"
			c, i := withList(t, d, voxel.BlockEntities)
			c.Lists[i].Objects[0].At.Y++
			d.Columns[len(d.Columns)-1].Version++
			b.Files = append(b.Files, fileOf("zz", ""))
			var kinds []string
			for _, line := range mustDiff(t, a, b).First {
				kinds = append(kinds, kindOf(line))
			}
			if got := strings.Join(kinds, ", "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// kindOf says what a line of Difference.First is about.
func kindOf(line string) string {
	for _, k := range [][2]string{{"property ", "property"}, {": biome ", "biome"}, {": block ", "block"}, {": light ", "light"},
		{"block_entities", "object"}, {"column", "column"}, {"file", "file"}} {
		if strings.Contains(line, k[0]) {
			return k[1]
		}
	}
	return line
}

func TestDiffJSON(t *testing.T) {
	got, err := json.Marshal(mustDiff(t, island(t), island(t)))
	if want := `{"cells":0,"volumes":{},"objects":0,"columns":0,"properties":0,"files":0,"first":[],"blocks":[]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestDiffTags has tags in another order in all that is compared by its tags.
func TestDiffTags(t *testing.T) {
	a, b := island(t), island(t)
	one, two := nbt.Entry{Name: "a", Value: int32(1)}, nbt.Entry{Name: "b", Value: "x"}
	for i, tags := range []nbt.Entries{{one, two}, {two, one}} {
		document := nbt.Append(nil, "", tags)
		payload := document[3:] // without the head of a compound
		c, l := withList(t, []*convert.Loaded{a, b}[i].Dimensions[0], voxel.BlockEntities)
		c.Lists[l].Objects[0].Payload, c.Sections[0].Tags, c.Parts[0].Data = payload, payload, document
	}
	for exact, same := range map[bool]bool{false: true, true: false} {
		d, err := diff.Worlds(t.Context(), a.Content(), b.Content(), diff.Options{Exact: exact})
		if err != nil || d.Same() != same || !same && (d.Objects != 1 || d.Columns != 1) {
			t.Errorf("exact %v: %+v, %v", exact, d, err)
		}
	}
}

func TestDiffFileError(t *testing.T) {
	wrong := errors.New("wrong")
	bad := format.File{Path: "a", Open: func() (io.ReadCloser, error) { return nil, wrong }}
	late := format.File{Path: "a", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("a"), failing{wrong})), nil
	}}
	good := fileOf("a", "a")
	for _, pair := range [][2]format.File{{bad, good}, {good, bad}, {late, good}, {good, late}} {
		_, err := diff.Worlds(t.Context(), (&convert.Loaded{Files: pair[:1]}).Content(), (&convert.Loaded{Files: pair[1:]}).Content(), diff.Options{Exact: true})
		if !errors.Is(err, wrong) {
			t.Errorf("got %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestDiffManyNames has more names in two volumes than one can hold.
func TestDiffManyNames(t *testing.T) {
	many := func(prefix string) *convert.Loaded {
		v := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
		for i := range 1 << 15 {
			v.Names = append(v.Names, fmt.Sprint(prefix, i))
		}
		return &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Volumes: []*convert.LoadedVolume{v}}}}
	}
	if _, err := diff.Worlds(t.Context(), many("a").Content(), many("b").Content(), diff.Options{Exact: true}); err == nil {
		t.Error("no error")
	}
	if d := mustDiff(t, many("a"), many("a")); !d.Same() {
		t.Errorf("%+v", d)
	}
}
