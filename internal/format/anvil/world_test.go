package anvil_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// put writes files below dir.
func put(t *testing.T, dir string, files map[string][]byte) string {
	t.Helper()
	for name, b := range files {
		mustMkdir(t, filepath.Dir(filepath.Join(dir, name)))
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func oneRegion() []byte {
	return region(map[int][]byte{0: stored(3, chunk(2586))}, nil)
}

func TestDimensions(t *testing.T) {
	for _, tt := range []struct{ folder, name string }{
		{"", "overworld"},
		{"DIM-1", "the_nether"},
		{"DIM1", "the_end"},
		{"DIM7", "folder:DIM7"},
		{"world_nether/DIM-1", "the_nether"},
		{"world_the_end/DIM1", "the_end"},
		{"dimensions/minecraft/overworld", "overworld"},
		{"dimensions/minecraft/the_nether", "the_nether"},
		{"dimensions/minecraft/the_end", "the_end"},
		{"dimensions/minecraft/more", "minecraft:more"},
		{"dimensions/my/far/away", "my:far/away"},
		{"dimensions/alone", "folder:dimensions/alone"},
		{".hidden", "folder:.hidden"},
		{"backup/2020/DIM1", "folder:backup/2020/DIM1"},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			name := strings.TrimPrefix(tt.folder+"/region/r.0.0.mca", "/")
			s := mustReadAll(t, folder(map[string][]byte{name: oneRegion(), "level.dat": {1}}))
			if len(s.dims) != 1 || s.dims[0].Name != tt.name || s.dims[0].Folder != tt.folder {
				t.Fatalf("got %v, want %s in %q", s.dims[0], tt.name, tt.folder)
			}
			dir := mustWrite(t, s, anvil.FolderOptions{})
			wantSame(t, docsOf(t, dir, name)[0], chunk(2586))
		})
	}
}

// TestDimensionsOfLongPaths: folders whose paths are longer than a name stay apart.
func TestDimensionsOfLongPaths(t *testing.T) {
	deep := strings.Repeat("far/", 400)
	s := mustReadAll(t, folder(map[string][]byte{deep + "a/region/r.0.0.mca": oneRegion(), deep + "b/region/r.0.0.mca": oneRegion()}))
	if len(s.dims) != 2 || s.dims[0].Name == s.dims[1].Name || s.dims[1].Folder != deep+"b" {
		t.Fatalf("%d dimensions", len(s.dims))
	}
	for _, d := range s.dims {
		if err := voxel.CheckName(d.Name); err != nil {
			t.Error(err)
		}
	}
}

// TestDimensionsTogether: the three of the game come first, two folders of one name stay apart.
func TestDimensionsTogether(t *testing.T) {
	s := mustReadAll(t, folder(map[string][]byte{
		"DIM-1/region/r.0.0.mca": oneRegion(), "DIM1/region/r.0.0.mca": oneRegion(), "DIM5/poi/r.0.0.mca": oneRegion(),
		"world_nether/DIM-1/region/r.0.0.mca": oneRegion(), "dimensions/minecraft/overworld/entities/r.0.0.mca": oneRegion(),
	}))
	var got []string
	for _, d := range s.dims {
		got = append(got, d.Name)
	}
	want := []string{"overworld", "the_nether", "the_end", "folder:world_nether/DIM-1", "folder:DIM5"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFind finds a world beside other files: its dimensions have their own names and come first, and
// paths count from its folder. Notes name what is left out.
func TestFind(t *testing.T) {
	level := gzipped(document(compound("Data", compound("LevelName", "it", "DataVersion", int32(2586)))))
	modern := gzipped(document(compound("Data", compound("LevelName", "it", "DataVersion", int32(4786)))))
	old := gzipped(document(compound("Data", compound("LevelName", "old"))))
	for _, tt := range []struct {
		name  string
		files string // those that end in level.dat or level.dat_old have one; =TEXT is what is in others
		want  string // dimensions
		notes string // parts of them, between bars
		rest  string // files
	}{
		{"a readme", "README.txt World/level.dat World/region/r.0.0.mca World/DIM1/region/r.0.0.mca", "overworld= the_end=DIM1", "in World; not read is what lies beside it, 1 file: README.txt", "level.dat"},
		{"macOS", "__MACOSX/World/._level.dat __MACOSX/._World .DS_Store World/level.dat World/.DS_Store World/region/r.0.0.mca", "overworld=", "3 files: .DS_Store, __MACOSX", ".DS_Store level.dat"},
		{"alone in folders", "a/b/World/level.dat a/b/World/region/r.0.0.mca a/b/World/poi/r.0.0.mca", "overworld=", "", "level.dat"},
		{"two folders down", "README.txt saves/World/level.dat saves/World/region/r.0.0.mca saves/World_nether/DIM-1/region/r.0.0.mca saves/icon.png", "overworld= the_nether=DIM-1", "in saves/World; not read is what lies beside it, 2 files: README.txt, icon.png", "level.dat"},
		{"the layout of 26.1", "README.txt World/level.dat World/dimensions/minecraft/the_nether/region/r.0.0.mca World/dimensions/minecraft/overworld/region/r.0.0.mca",
			"overworld=dimensions/minecraft/overworld the_nether=dimensions/minecraft/the_nether", "README.txt", "level.dat"},
		{"a backup in the world", "level.dat region/r.0.0.mca backup/region/r.0.0.mca backup/level.dat", "overworld= folder:backup=backup", "", "backup/level.dat level.dat"},
		{"a backup beside the world", "World/level.dat World/region/r.0.0.mca old/2020/level.dat old/2020/region/r.0.0.mca", "overworld=", "2 files: old; other worlds, of which give the folder: old/2020", "level.dat"},
		{"a copy of level.dat alone", "README.txt World/level.dat_old World/region/r.0.0.mca", "overworld=", "README.txt", "level.dat_old"},
		{"a server", "server.properties=level-name=lobby bukkit.yml lobby/level.dat lobby/region/r.0.0.mca lobby_nether/level.dat lobby_nether/DIM-1/region/r.0.0.mca lobby_nether/DIM-1/data/raids.dat arena/level.dat arena/region/r.0.0.mca lobby_the_end/DIM1/region/r.0.0.mca",
			"overworld= the_nether=DIM-1 the_end=DIM1", "4 files: arena, bukkit.yml, server.properties; other worlds, of which give the folder: arena", "DIM-1/data/raids.dat level.dat lobby_nether/level.dat"},
		{"a server that says nothing", "server.properties arena/level.dat world/level.dat world/region/r.0.0.mca", "overworld=", "2 files: arena, server.properties|give the folder: arena", "level.dat"},
		{"a server's world without a level.dat", "world/region/r.0.0.mca world_nether/level.dat world_nether/DIM-1/region/r.0.0.mca", "overworld= the_nether=DIM-1", "", "world_nether/level.dat"},
		{"the nether alone", "world_nether/level.dat world_nether/DIM-1/region/r.0.0.mca", "the_nether=DIM-1", "", "level.dat"},
		{"two nethers", "world/level.dat world/DIM-1/region/r.0.0.mca world_nether/DIM-1/region/r.0.0.mca", "the_nether=world_nether/DIM-1 folder:DIM-1=DIM-1", `the_nether is in two folders: the one that the game takes is "world_nether`, "level.dat"},
		{"both layouts", "level.dat region/r.0.0.mca dimensions/minecraft/overworld/region/r.0.0.mca", "overworld= folder:dimensions/minecraft/overworld=dimensions/minecraft/overworld", `overworld is in two folders: the one that the game takes is "."`, "level.dat"},
		{"both layouts of 26.1", "level.dat=26.1 region/r.0.0.mca DIM1/region/r.0.0.mca dimensions/minecraft/overworld/region/r.0.0.mca", "overworld=dimensions/minecraft/overworld the_end=DIM1 folder:.=", `takes is "dimensions/minecraft/overworld"; "." is`, "level.dat"},
		{"both layouts of 26.1 beside a readme", "README W/level.dat=26.1 W/region/r.0.0.mca W/DIM-1/region/r.0.0.mca W/dimensions/minecraft/overworld/region/r.0.0.mca W/dimensions/minecraft/the_nether/region/r.0.0.mca",
			"overworld=dimensions/minecraft/overworld the_nether=dimensions/minecraft/the_nether folder:.= folder:DIM-1=DIM-1", "README|overworld is in two|the_nether is in two", "level.dat"},
		{"region files alone", "README.txt backup/World/region/r.0.0.mca backup/World/DIM7/region/r.0.0.mca", "overworld= folder:DIM7=DIM7", "README.txt", ""},
		{"region files without a folder", "r.0.0.mca", "overworld=", "", ""},
		{"region files in another folder", "README.txt stuff/r.0.0.mca stuff/c.40.0.mcc", "overworld=", "README.txt", "region/c.40.0.mcc"},
		{"a world in a world of its name", "a/level.dat a/region/r.0.0.mca a/a/level.dat=old a/a/region/r.0.0.mca", "overworld= folder:a=a", "", "a/level.dat level.dat"},
		{"dimensions alone", "one/region/r.0.0.mca two/region/r.0.0.mca", "folder:one=one folder:two=two", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{}
			for _, name := range strings.Fields(tt.files) {
				name, text, _ := strings.Cut(name, "=")
				switch base := filepath.Base(name); {
				case text == "26.1":
					files[name] = modern
				case text == "old":
					files[name] = old
				case base == anvil.LevelPath || base == anvil.OldLevelPath:
					files[name] = level
				case filepath.Ext(name) == ".mca":
					files[name] = oneRegion()
				default:
					files[name] = []byte(text)
				}
			}
			w, err := anvil.OpenFS(folder(files), anvil.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := &taker{}
			if err := w.Read(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range s.dims {
				got = append(got, d.Name+"="+d.Folder)
			}
			if strings.Join(got, " ") != tt.want || strings.Contains(tt.rest, "level.dat") && !w.Partial() && w.Head().Properties["name"] != "it" {
				t.Errorf("got %q, %v, want %q", got, w.Head(), tt.want)
			}
			if rest := strings.Join(slices.Sorted(maps.Keys(s.files)), " "); rest != tt.rest {
				t.Errorf("files %q, want %q", rest, tt.rest)
			}
			notes := strings.Join(w.Notes(), "; ")
			for _, want := range strings.Split(tt.notes, "|") {
				if !strings.Contains(notes, want) || (want == "") != (notes == "") {
					t.Errorf("notes %q, want %q", notes, want)
				}
			}
		})
	}
}

// TestFindTwice: of two files that belong at one place of the world, its own is read, and the other named.
func TestFindTwice(t *testing.T) {
	s, stats, err := read(t, folder(map[string][]byte{"w/level.dat": gzipped(document(compound("Data", entries{}))), "w/w_nether/x": []byte("own"), "w_nether/x": []byte("beside"),
		"w/region/r.0.0.mca": oneRegion(), "w_nether/DIM-1/region/r.0.0.mca": oneRegion()}), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []anvil.Skipped{{Path: "w_nether/x", Why: "belongs where another file is"}}
	if string(s.files["w_nether/x"]) != "own" || !slices.Equal(stats.Skipped, want) {
		t.Errorf("%q, skipped %v", s.files["w_nether/x"], stats.Skipped)
	}
}

// pipes is a folder in which nobody may open what is no file: that may take for ever.
type pipes struct {
	fstest.MapFS
	t *testing.T
}

func (p pipes) Open(name string) (fs.File, error) {
	if f := p.MapFS[name]; f != nil && !f.Mode.IsRegular() {
		p.t.Errorf("%s is opened", name)
	}
	return p.MapFS.Open(name)
}

// TestPipes opens no pipe, whatever its name.
func TestPipes(t *testing.T) {
	for _, dir := range []string{"", "world/"} {
		files := pipes{folder(map[string][]byte{dir + "region/r.0.0.mca": oneRegion(), dir + "level.dat": {1}}), t}
		for _, name := range []string{"server.properties", dir + "level.dat_old", dir + "session.lock", dir + "data/x"} {
			files.MapFS[name] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
		}
		anvil.DetectFS(files)
		if _, _, err := read(t, files, anvil.Options{}); err != nil {
			t.Error(err)
		}
	}
	several := pipes{folder(map[string][]byte{"world/level.dat": {1}, "other/level.dat": {1}}), t}
	several.MapFS["server.properties"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	if _, err := anvil.OpenFS(several, anvil.Options{}); !errors.Is(err, anvil.ErrSeveral) {
		t.Error(err)
	}
}

// TestPart opens folders of a world: the path says which dimension they are, and a note where the
// world is.
func TestPart(t *testing.T) {
	dir := put(t, t.TempDir(), map[string][]byte{"level.dat": {1}, "region/r.0.0.mca": oneRegion(), "entities/r.0.0.mca": oneRegion(), "DIM-1/region/r.0.0.mca": oneRegion(),
		"dimensions/my/far/region/r.0.0.mca": oneRegion(), "world_the_end/DIM1/region/r.0.0.mca": oneRegion()})
	for _, tt := range []struct{ folder, name, path string }{
		{"region", "overworld", "region/r.0.0.mca"},
		{"entities", "overworld", "entities/r.0.0.mca"},
		{"DIM-1", "the_nether", "DIM-1/region/r.0.0.mca"},
		{"DIM-1/region", "the_nether", "DIM-1/region/r.0.0.mca"},
		{"dimensions/my/far/region", "my:far", "dimensions/my/far/region/r.0.0.mca"},
		{"world_the_end", "the_end", "DIM1/region/r.0.0.mca"},
	} {
		w, err := anvil.Open(filepath.Join(dir, tt.folder), anvil.Options{Salvage: true})
		if err != nil {
			t.Errorf("%s: %v", tt.folder, err)
			continue
		}
		if r := w.Regions(); len(r) != 1 || r[0].Dimension != tt.name || r[0].Path != tt.path {
			t.Errorf("%s: %v, want %s", tt.folder, r, tt.name)
		}
		if notes := w.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "a part of the world in "+dir) {
			t.Errorf("%s: notes %q", tt.folder, notes)
		}
		if err := w.Read(t.Context(), &taker{}); err != nil {
			t.Errorf("%s: %v", tt.folder, err)
		}
		w.Close()
	}
}

// TestLevelCopy: the game falls back to level.dat_old, and so does Head.
func TestLevelCopy(t *testing.T) {
	old := gzipped(document(compound("Data", compound("LevelName", "old"))))
	for name, now := range map[string][]byte{"empty": {}, "zeros": make([]byte, 2000), "missing": nil} {
		files := map[string][]byte{"level.dat_old": old, "region/r.0.0.mca": oneRegion()}
		if now != nil {
			files["level.dat"] = now
		}
		w, err := anvil.OpenFS(folder(files), anvil.Options{})
		if err != nil || w.Head().Properties["name"] != "old" || w.Partial() {
			t.Errorf("%s: %v, %v", name, w.Head(), err)
		}
	}
}

// TestForeignChunks names chunks of other formats. They are an error if there are no others.
func TestForeignChunks(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"Alpha", "0/1c/c.0.-1c.dat", "chunks in the format of Alpha, which cairn does not read: 1 file in overworld"},
		{"Cubic Chunks", "DIM1/region3d/0.-1.0.3dr", "chunks in Cubic Chunks' format, which cairn does not read: 1 file in the_end"},
		{"Pocket Edition", "chunks.dat", "chunks in the format of Pocket Edition, which cairn does not read: 1 file"},
		{"none", "data/chunks.dat", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{"level.dat": {1}, tt.file: {1}}
			w, err := anvil.OpenFS(folder(files), anvil.Options{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("alone: %v, %v, want %q", w, err, tt.want)
			}
			files["region/r.9.9.mca"], files["entities/r.0.0.mca"] = make([]byte, 8192), oneRegion()
			if _, err = anvil.OpenFS(folder(files), anvil.Options{}); (tt.want == "") != (err == nil) {
				t.Errorf("beside entities: %v, want %q", err, tt.want)
			}
			files["DIM-1/region/r.0.0.mca"] = oneRegion()
			if w, err = anvil.OpenFS(folder(files), anvil.Options{}); err != nil {
				t.Fatal(err)
			}
			if notes := w.Notes(); tt.want == "" && len(notes) > 0 || tt.want != "" && (len(notes) != 1 || !strings.HasPrefix(notes[0], tt.want)) {
				t.Errorf("beside others: %q, want %q", notes, tt.want)
			}
		})
	}
}

// TestOrder: the four columns of a footprint follow each other, regions by z and x.
func TestOrder(t *testing.T) {
	chunks := map[int][]byte{}
	for i := range 1024 {
		chunks[i] = stored(3, document(entries{}))
	}
	s := mustReadAll(t, folder(map[string][]byte{
		"region/r.0.0.mca": region(chunks, nil), "region/r.-1.0.mca": region(chunks, nil), "region/r.1.-1.mca": region(chunks, nil),
	}))
	if len(s.columns) != 3*1024 {
		t.Fatalf("%d columns", len(s.columns))
	}
	seen, last := map[geom.ColumnPos]bool{}, geom.ColumnPos{X: 32, Z: -32}
	for i, c := range s.columns {
		p := c.Pos
		foot := geom.ColumnPos{X: p.X >> 1, Z: p.Z >> 1}
		if i%4 == 0 {
			if seen[foot] {
				t.Fatalf("footprint %v twice", foot)
			}
			seen[foot], last = true, foot
		}
		if foot != last {
			t.Fatalf("column %d is %v, out of its footprint %v", i, p, last)
		}
	}
	if got := []geom.ColumnPos{s.columns[0].Pos, s.columns[1024].Pos, s.columns[2048].Pos}; !slices.Equal(got, []geom.ColumnPos{{X: 32, Z: -32}, {X: -32}, {}}) {
		t.Errorf("regions begin at %v", got)
	}
}

// TestFiles: what is no region file comes back byte by byte.
func TestFiles(t *testing.T) {
	files := map[string][]byte{
		"level.dat": []byte("not gzip"), "icon.png": {1, 2, 3}, "data/map_0.dat": {}, "datapacks/a/pack.mcmeta": []byte("{}"),
		"region/r.0.0.mca": oneRegion(), "region/r.5.5.mca": {}, "region/r.6.5.mca": make([]byte, 8192), "region/r.7.5.mca": make([]byte, 12288),
		"region/r.01.0.mca": []byte("odd name"), "region/r.0.0.mca.bak": []byte("x"), "region/r.0.0.mcr": []byte("older"),
		"other/r.0.0.mca": oneRegion(), "r.0.0.mca": oneRegion(), "region/r.99999999.0.mca": []byte("far"), "region/notes/r.0.0.mca": {7},
	}
	dir := put(t, t.TempDir(), files)
	put(t, dir, map[string][]byte{"session.lock": {1}, "DIM-1/session.lock": {1}})
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(dir, "huge.bin")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, format.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	st := mustCopy(t, dir, out, anvil.Options{})
	if st.Files != len(files)-1 || len(st.Skipped) != 3 {
		t.Errorf("%d files, skipped %v, want %d, 3", st.Files, st.Skipped, len(files)-1)
	}
	got := anviltest.Files(t, out)
	for name, want := range files {
		if b := anviltest.Bytes(t, out, name); name != "region/r.0.0.mca" && !bytes.Equal(b, want) {
			t.Errorf("%s: got %q, want %q", name, b, want)
		}
	}
	if len(got) != len(files) {
		t.Errorf("got %v, want %v", got, slices.Sorted(maps.Keys(files)))
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string][]byte{
		"bedrock/level.dat": {1}, "bedrock/levelname.txt": []byte("x"), "bedrock/db/CURRENT": []byte("M"),
		"empty/readme.txt": {}, "file": {1}, "fresh/level.dat": {1}, "plain/region/r.0.0.mca": oneRegion(), "old/region/r.0.0.mcr": {},
		"saves/hub/level.dat": {1}, "saves/hub/region/r.0.0.mca": oneRegion(), "saves/arena/level.dat": {1},
		"server/world/level.dat": {1}, "server/world/region/r.0.0.mca": oneRegion(),
		"server/world_nether/level.dat": {1}, "server/world_nether/DIM-1/region/r.0.0.mca": oneRegion(),
	})
	for _, tt := range []struct {
		name   string
		detect bool
		want   error
	}{
		{"bedrock", true, anvil.ErrBedrock},
		{"empty", false, anvil.ErrNoWorld},
		{"file", false, errors.ErrUnsupported},
		{"missing", false, fs.ErrNotExist},
		{"fresh", true, nil},
		{"plain", true, nil},
		{"old", true, nil},
		{"saves", false, anvil.ErrSeveral},
		{"server", false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if got := anvil.DetectFS(os.DirFS(path)); got != tt.detect {
				t.Errorf("Detect: got %v, want %v", got, tt.detect)
			}
			w, err := anvil.Open(path, anvil.Options{})
			if tt.want == nil && err != nil || tt.want != nil && err == nil || tt.name != "file" && !errors.Is(err, tt.want) {
				t.Fatalf("Open: got %v, want %v", err, tt.want)
			}
			if err == nil {
				w.Close()
			}
		})
	}
}

func TestHead(t *testing.T) {
	level := gzipped(document(compound("Data", compound("LevelName", "Ün\x00t", "DataVersion", int32(99), "version", int32(19133)))))
	w, err := anvil.OpenFS(folder(map[string][]byte{"level.dat": level}), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if h := w.Head(); h.Format != "anvil" || h.Properties["name"] != "Ün\x00t" || h.Properties["data_version"] != "99" {
		t.Errorf("got %v", h)
	}
}

// TestZip reads a world out of an archive, whose files have no ReadAt.
func TestZip(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range map[string][]byte{"region/r.0.0.mca": oneRegion(), "level.dat": {1}} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(data)
	}
	z.Close()
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	s := mustReadAll(t, r)
	if len(s.columns) != 1 || s.files["level.dat"] != "\x01" {
		t.Errorf("%d columns, files %v", len(s.columns), s.files)
	}
}

// TestReadTwice: a second Read hands on the same, and starts its counts anew.
func TestReadTwice(t *testing.T) {
	w, err := anvil.OpenFS(oneChunk(chunk(2586)), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := &taker{keep: true}
		if err := w.Read(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if st := w.Stats(); st.Chunks != 1 || st.Columns != 1 || len(s.columns) != 1 || st.RawBytes != int64(len(chunk(2586))) {
			t.Errorf("stats %+v", st)
		}
	}
}

func TestCancel(t *testing.T) {
	w, err := anvil.OpenFS(oneChunk(chunk(2586)), anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Read(ctx, &taker{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// stubborn fails on what its name says.
type stubborn struct {
	taker
	on string
}

var errStubborn = errors.New("stubborn")

func (s *stubborn) Dimension(d *format.Dimension) error { return s.fail("dimension") }
func (s *stubborn) Column(c *format.Column) error       { return s.fail("column") }
func (s *stubborn) File(f format.File) error            { return s.fail("file") }
func (s *stubborn) fail(on string) error {
	if s.on == on {
		return errStubborn
	}
	return nil
}

func TestSinkErrors(t *testing.T) {
	for _, on := range []string{"dimension", "column", "file"} {
		w, err := anvil.OpenFS(folder(map[string][]byte{"region/r.0.0.mca": oneRegion(), "a.txt": {1}}), anvil.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Read(t.Context(), &stubborn{on: on}); !errors.Is(err, errStubborn) {
			t.Errorf("%s: got %v", on, err)
		}
	}
}

// open returns the Open of a file of these bytes.
func open(b []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
}
