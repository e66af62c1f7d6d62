package port_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
)

// folder writes a world as a folder and returns its files.
func folder(t testing.TB, w *convert.Loaded) fstest.MapFS {
	t.Helper()
	dir := t.TempDir()
	if err := port.WriteFolder(t.Context(), w.Content(), dir, port.Target{Format: port.Anvil, Name: "made up"}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// some returns the files whose names keep takes, below a folder.
func some(files fstest.MapFS, below string, keep func(name string) bool) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range files {
		if keep(name) {
			out[path.Join(below, name)] = f
		}
	}
	return out
}

func every(string) bool { return true }

func isMCA(name string) bool { return path.Ext(name) == ".mca" }

func zipOf(t testing.TB, files fstest.MapFS) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name].Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t testing.TB, files fstest.MapFS) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := w.WriteHeader(&tar.Header{Name: "./" + name, Mode: 0o600, Size: int64(len(files[name].Data)), Format: tarFormat(name)})
		if err == nil {
			_, err = w.Write(files[name].Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarFormat returns the format of a name's header: not all names fit the oldest.
func tarFormat(name string) tar.Format {
	if strings.ContainsFunc(name, func(r rune) bool { return r > 0x7F }) {
		return tar.FormatPAX
	}
	return tar.FormatUSTAR
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func slimeOf(t testing.TB, w *convert.Loaded) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := port.WriteFile(t.Context(), w.Content(), &b, port.Target{Format: port.Slime}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func one(name string, data []byte) fstest.MapFS { return fstest.MapFS{name: {Data: data}} }

// open opens bytes and reads them.
func open(t testing.TB, b []byte, o port.Options) (*port.Opened, *convert.Loaded, error) {
	t.Helper()
	s, err := port.OpenReader(bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { s.Close() })
	w, err := loaded(t.Context(), s, o.MaxBytes)
	return s, w, err
}

func TestOpenReader(t *testing.T) {
	made := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	files := folder(t, made)
	slime, stone := slimeOf(t, made), worldtest.Stone(t, made).Data
	for _, tt := range []struct {
		name   string
		body   []byte
		format string
		part   bool
	}{
		{"a stone", stone, "cairn", false},
		{"slime", slime, "slime v13", false},
		{"a zip of a folder", zipOf(t, files), "anvil", false},
		{"a zip of a folder in folders", zipOf(t, some(files, "saves/island", every)), "anvil", false},
		{"a tar", tarOf(t, files), "anvil", false},
		{"a tar in gzip", gzipOf(t, tarOf(t, files)), "anvil", false},
		{"a zip of region files", zipOf(t, some(files, "", isMCA)), "anvil", true},
		{"a zip of region files without their folder", zipOf(t, bare(files)), "anvil", true},
		{"a tar of the same in a folder", tarOf(t, some(bare(files), "backup", every)), "anvil", true},
		{"a zip of a slime", zipOf(t, one("a.slime", slime)), "slime v13", false},
		{"a tar of a stone", tarOf(t, one("a.cairn", stone)), "cairn", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, w, err := open(t, tt.body, port.Options{MaxBytes: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if s.Format() != tt.format || len(s.Regions()) > 0 != tt.part || s.Size() != int64(len(tt.body)) {
				t.Errorf("%s, %d region files of a part, %d bytes", s.Format(), len(s.Regions()), s.Size())
			}
			if d, err := diff.Worlds(t.Context(), made.Content(), w.Content(), diff.Options{}); err != nil || d.Cells > 0 {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

// TestDoors: a folder, a zip, a tar and one in gzip find the same world, whatever lies beside it.
func TestDoors(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	_, plain, err := open(t, zipOf(t, files), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	beside := func(below string, others ...string) fstest.MapFS {
		out := some(files, below, every)
		for _, name := range others {
			out[name] = &fstest.MapFile{Data: []byte("x")}
		}
		return out
	}
	server := beside("world", "server.properties", "plugins/a.jar", "arena/level.dat")
	maps.Copy(server, some(files, "world_nether/DIM-1", isMCA))
	two := beside("maps/Isle")
	maps.Copy(two, some(files, "maps/W\u00f6rld", every))
	deeper := maps.Clone(two)
	maps.Copy(deeper, some(files, "maps/old/Isle", every))
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  string // dimensions
		note  string
		err   string
	}{
		{"at the root", files, "overworld", "", ""},
		{"in folders", beside("a/b/World"), "overworld", "", ""},
		{"beside a readme", beside("World", "README.txt"), "overworld", "is in World;", ""},
		{"macOS", beside("My World", "__MACOSX/My World/._level.dat", "__MACOSX/._My World", ".DS_Store"), "overworld", "3 files: .DS_Store, __MACOSX", ""},
		{"a server", server, "overworld the_nether", "give the folder: arena", ""},
		{"two worlds", two, "", "", "several worlds: maps/Isle, maps/W\u00f6rld: give the folder of one"},
		{"worlds at several depths", deeper, "", "", "several worlds: maps/Isle, maps/W\u00f6rld, maps/old/Isle: give the folder of one"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, tt.files); err != nil {
			t.Fatal(err)
		}
		zipped, tarred := zipOf(t, tt.files), tarOf(t, tt.files)
		for door, open := range map[string]func() (*port.Opened, error){
			"folder": func() (*port.Opened, error) { return port.Open(dir, port.Options{}) },
			"zip": func() (*port.Opened, error) {
				return port.OpenReader(bytes.NewReader(zipped), int64(len(zipped)), port.Options{})
			},
			"tar": func() (*port.Opened, error) {
				return port.OpenReader(bytes.NewReader(tarred), int64(len(tarred)), port.Options{})
			},
			"tar.gz": func() (*port.Opened, error) {
				b := gzipOf(t, tarred)
				return port.OpenReader(bytes.NewReader(b), int64(len(b)), port.Options{})
			},
		} {
			t.Run(tt.name+" "+door, func(t *testing.T) {
				s, err := open()
				if tt.err != "" {
					if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "unpacking") != (door != "folder") {
						t.Errorf("%v, want %q", err, tt.err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				w, err := loaded(t.Context(), s, 0)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, d := range w.Dimensions {
					names = append(names, d.Name)
				}
				if notes := strings.Join(s.Remarks().Notes, "; "); strings.Join(names, " ") != tt.want || !strings.Contains(notes, tt.note) || (notes == "") != (tt.note == "") {
					t.Errorf("%q, notes %q, want %s and %q", names, notes, tt.want, tt.note)
				}
				w.Dimensions = w.Dimensions[:1]
				if d, err := diff.Worlds(t.Context(), plain.Content(), w.Content(), diff.Options{}); err != nil || !d.Same() {
					t.Errorf("%+v, %v", d, err)
				}
			})
		}
	}
}

// bare returns the region files of blocks without their folder.
func bare(files fstest.MapFS) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range files {
		if path.Dir(name) == "region" {
			out[path.Base(name)] = f
		}
	}
	return out
}

func TestOpenPath(t *testing.T) {
	dir := t.TempDir()
	slime := filepath.Join(dir, "a.slime")
	if err := os.WriteFile(slime, slimeOf(t, worldtest.Load(t, worldtest.Island(1, 0))), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := port.Open(slime, port.Options{})
	if err != nil || s.Format() != "slime v3" {
		t.Fatal(s, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := port.Open(filepath.Join(dir, "none"), port.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := port.Open(dir, port.Options{}); err == nil || !strings.Contains(err.Error(), "give a file of it: a.slime") {
		t.Errorf("a folder without a world: %v", err)
	}
}

// rawZip returns a zip whose names are the given bytes, without the flag for UTF-8.
func rawZip(t testing.TB, files fstest.MapFS, name func(string) string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name(n), NonUTF8: true, Method: zip.Deflate})
		if err == nil {
			_, err = w.Write(files[n].Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNamesOfOtherSystems reads the same world from zips of programs that name files in other ways.
func TestNamesOfOtherSystems(t *testing.T) {
	made := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	files := folder(t, made)
	files["datapacks/W\u00f6rld.txt"] = &fstest.MapFile{Data: []byte("x")}
	back := strings.NewReplacer("/", `\`)
	for _, tt := range []struct {
		name string
		body []byte
		file string // kept from datapacks
	}{
		{"backslashes", rawZip(t, files, back.Replace), "W\u00f6rld.txt"},
		{"backslashes below a folder", rawZip(t, files, func(n string) string { return back.Replace("World/" + n) }), "W\u00f6rld.txt"},
		{"backslashes behind a slash", rawZip(t, files, func(n string) string { return "World/" + back.Replace(n) }), "W\u00f6rld.txt"},
		{"code page 437", rawZip(t, files, func(n string) string { return "W\x94rld/" + strings.ReplaceAll(n, "\u00f6", "\x94") }), "W\u00f6rld.txt"},
		{"GBK", rawZip(t, files, func(n string) string { return "\xca\xc0\xbd\xe7/" + strings.ReplaceAll(n, "\u00f6", "\xca\xc0") }), "W\u2569\u2514rld.txt"},
		{"a tar with backslashes", tarOf(t, renamed(files, back.Replace)), "W\u00f6rld.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, w, err := open(t, tt.body, port.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(w.Files, func(f format.File) bool { return f.Path == "datapacks/"+tt.file }) || len(s.Remarks().Lost) > 0 {
				t.Errorf("files %v, lost %v", w.Files, s.Remarks().Lost)
			}
			if d, err := diff.Worlds(t.Context(), made.Content(), w.Content(), diff.Options{}); err != nil || d.Cells > 0 || d.Objects > 0 {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

func renamed(files fstest.MapFS, name func(string) string) fstest.MapFS {
	out := fstest.MapFS{}
	for n, f := range files {
		out[name(n)] = f
	}
	return out
}

// TestNothingFound refuses to read a world that has none.
func TestNothingFound(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	level := func(name string) bool { return name == "level.dat" }
	noChunks := some(files, "", level)
	noChunks["region/r.0.0.mca"] = &fstest.MapFile{Data: make([]byte, 8192)}
	for name, files := range map[string]fstest.MapFS{"a level.dat alone": some(files, "", level), "region files without chunks": noChunks} {
		if _, _, err := open(t, zipOf(t, files), port.Options{}); !errors.Is(err, format.ErrNothing) {
			t.Errorf("%s: %v, want %v", name, err, format.ErrNothing)
		}
	}
}

// TestEncryptedZip says why an encrypted zip cannot be read.
func TestEncryptedZip(t *testing.T) {
	body := zipOf(t, folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern))))
	for at := 0; ; at++ { // flags in the directory
		i := bytes.Index(body[at:], []byte("PK\x01\x02"))
		if i < 0 {
			break
		}
		at += i
		body[at+8] |= 1
	}
	if _, _, err := open(t, body, port.Options{}); err == nil || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("%v, want that it is encrypted", err)
	}
}

// TestAdvice says what to give instead of what is no world.
func TestAdvice(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	many := fstest.MapFS{}
	for i := range 12 {
		many[fmt.Sprintf("w%02d.slime", i)] = &fstest.MapFile{}
	}
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"a region file", files["region/r.0.0.mca"].Data, "a single region file: give the folder"},
		{"a level.dat", files["level.dat"].Data, "such as a level.dat"},
		{"a region file of Linear", []byte("\xc3\xff\x13\x18\x3c\xca\x9d\x9a\x03"), "a single region file: give the folder"},
		{"a cut file of Polar", []byte("Polr\x00\x07"), "polar: header at byte 6: ends too early"},
		{"Bedrock", []byte("\x0a\x00\x00\x03\x0e\x00format_version\x01\x00\x00\x00"), "a structure of Bedrock Edition"},
		{"Indev", gzipOf(t, []byte("\x0a\x00\x0eMinecraftLevel\x0a\x00\x03Map")), "a world of Indev, which cairn does not read"},
		{"ClassiCube", gzipOf(t, []byte("\x0a\x00\x0cClassicWorld")), "a world of ClassiCube"},
		{"Classic", gzipOf(t, []byte("\x27\x1b\xb7\x88\x02")), "a world of Classic"},
		{"7-Zip", []byte("7z\xbc\xaf\x27\x1c"), "an archive of 7-Zip"},
		{"an empty zip", zipOf(t, nil), "a zip with nothing in it"},
		{"a zip in a zip", zipOf(t, one("maps/a.zip", zipOf(t, files))), "it has other archives in it, such as maps/a.zip"},
		{"two files of worlds", zipOf(t, fstest.MapFS{"a/x.slime": {}, "b.slime": {}, "__MACOSX/._b.slime": {}}), "2 worlds: a/x.slime, b.slime: "},
		{"many files of worlds", zipOf(t, many), "12 worlds: w00.slime, w01.slime, w02.slime, w03.slime, w04.slime, w05.slime, w06.slime, w07.slime, w08.slime, w09.slime and 2 more: "},
	} {
		if _, _, err := open(t, tt.body, port.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestForeignFolders: folders with chunks that cairn does not read are no worlds of nothing, but named.
func TestForeignFolders(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"Alpha", "1/2/c.1.-2.dat", "the format of Alpha"},
		{"Alpha beyond 36 folders", "1r/10/c.-1.2.dat", "the format of Alpha"},
		{"Cubic Chunks, columns", "region2d/0.-1.2dr", "Cubic Chunks' format"},
		{"Cubic Chunks, cubes", "region3d/0.-1.2.3dr", "Cubic Chunks' format"},
		{"Pocket Edition", "chunks.dat", "the format of Pocket Edition"},
		{"Bedrock without its files", "db/CURRENT", "the database of a world of Bedrock Edition"},
	} {
		for _, level := range []bool{false, true} {
			dir := t.TempDir()
			files := fstest.MapFS{tt.file: &fstest.MapFile{Data: []byte("MANIFEST-000001")}}
			if level {
				files["level.dat"] = &fstest.MapFile{Data: gzipOf(t, []byte("\x0a\x00\x00\x00"))}
			} else if tt.file == "chunks.dat" {
				continue // a file of that name alone says nothing
			}
			if err := os.CopyFS(dir, files); err != nil {
				t.Fatal(err)
			}
			if err := port.Detect(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, with level.dat %v: %v, want %s", tt.name, level, err, tt.want)
			}
		}
	}
}

// TestBedrock opens a .mcworld, which is a zip, and says that no folder of Java comes of it.
func TestBedrock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.mcworld")
	body, err := os.ReadFile("../format/bedrock/testdata/leveldb.mcworld")
	if err == nil {
		err = os.WriteFile(path, body, 0o666)
	}
	if err = cmp.Or(err, port.Detect(path)); err != nil {
		t.Fatal(err)
	}
	s, err := port.Open(path, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, err := s.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.About(); len(got.Dimensions) != 3 || port.TrimExt("hub.mcworld") != "hub" {
		t.Errorf("%d dimensions", len(got.Dimensions))
	}
	if remark, _ := port.LevelRemark(w); remark != "" {
		t.Errorf("remark %s", remark)
	}
	if game := (*port.GameError)(nil); !errors.As(port.CheckGame(w, port.Anvil), &game) || game.Has != "Minecraft Bedrock" {
		t.Errorf("written as Anvil: %v", game)
	}
	if _, ok := port.Format(port.Bedrock); ok || slices.Contains(port.Formats(), port.Bedrock) {
		t.Error("it can be written")
	}
}

func TestWrongArchives(t *testing.T) {
	deep := strings.Repeat("a/", 40) + "region/r.0.0.mca"
	for _, tt := range []struct {
		name string
		body []byte
		want error // nil: any
	}{
		{"nothing in it", zipOf(t, fstest.MapFS{}), nil},
		{"two worlds", zipOf(t, fstest.MapFS{"a.slime": {}, "b.slime": {}}), nil},
		{"a slime that is none", zipOf(t, one("a.slime", []byte("text"))), port.ErrUnknown},
		{"a name above the root", zipOf(t, one("../level.dat", []byte{1})), nil},
		{"a name from the root", zipOf(t, one("/level.dat", []byte{1})), nil},
		{"a name of another system", zipOf(t, one(`..\level.dat`, []byte{1})), nil},
		{"a deep name", zipOf(t, one(deep, []byte{1})), nil},
		{"too large a file", zipOf(t, one("level.dat", make([]byte, 2<<20))), port.ErrTooLarge},
		{"too large a file in a tar", gzipOf(t, tarOf(t, one("level.dat", make([]byte, 2<<20)))), port.ErrTooLarge},
		{"too many files", zipOf(t, many(4000)), port.ErrTooLarge},
		{"gzip of text", gzipOf(t, []byte("text")), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := open(t, tt.body, port.Options{MaxBytes: 1 << 20})
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// many returns n files of nothing.
func many(n int) fstest.MapFS {
	out := fstest.MapFS{}
	for i := range n {
		out[path.Join("data", strings.Repeat("x", i%50), string(rune('a'+i%26)), strings.Repeat("y", i/50))] = &fstest.MapFile{}
	}
	return out
}

// TestNamesLost counts the files that a zip has outside of itself.
func TestNamesLost(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	files["../../evil"] = &fstest.MapFile{Data: []byte("x")}
	s, w, err := open(t, zipOf(t, files), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lost := s.Remarks().Lost; lost["files of the archive whose names are no paths within it"] != 1 {
		t.Errorf("lost: %v", lost)
	}
	for _, f := range w.Files {
		if strings.Contains(f.Path, "evil") {
			t.Errorf("%s is kept", f.Path)
		}
	}
}

// TestTwice takes the last of the files of a name, as programs that unpack do.
func TestTwice(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	var zipped, tarred bytes.Buffer
	z, tw := zip.NewWriter(&zipped), tar.NewWriter(&tarred)
	for _, f := range []struct {
		name string
		data []byte
	}{{"W/level.dat", []byte("x")}, {`W\region\r.0.0.mca`, []byte("x")}, {"W/region/r.0.0.mca", files["region/r.0.0.mca"].Data}, {"W/level.dat", files["level.dat"].Data}} {
		w, err := z.Create(f.name)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err == nil {
			err = tw.WriteHeader(&tar.Header{Name: f.name, Mode: 0o600, Size: int64(len(f.data))})
		}
		if err == nil {
			_, err = tw.Write(f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), tw.Close()); err != nil {
		t.Fatal(err)
	}
	for kind, b := range map[string][]byte{"zip": zipped.Bytes(), "tar": tarred.Bytes()} {
		s, w, err := open(t, b, port.Options{})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if remark, _ := port.LevelRemark(w.Content()); remark != "" || len(w.Dimensions[0].Columns) == 0 || s.Remarks().Lost["files of the archive whose name a later one has"] != 2 {
			t.Errorf("%s: %q, %d columns, lost %v", kind, remark, len(w.Dimensions[0].Columns), s.Remarks().Lost)
		}
	}
}

// TestLinks counts the links of a tar, which are not followed.
func TestLinks(t *testing.T) {
	var b bytes.Buffer
	b.Write(tarOf(t, folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))))
	b.Truncate(b.Len() - 1024) // the end
	w := tar.NewWriter(&b)
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeDir, tar.TypeFifo} {
		if err := w.WriteHeader(&tar.Header{Name: "data/x", Linkname: "/etc/passwd", Typeflag: kind}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, _, err := open(t, b.Bytes(), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lost := s.Remarks().Lost; lost["links and devices of the archive"] != 3 || len(lost) != 1 {
		t.Errorf("lost: %v", lost)
	}
}

func TestMaxBytes(t *testing.T) {
	made := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	for name, body := range map[string][]byte{"slime": slimeOf(t, made), "zip": zipOf(t, folder(t, made))} {
		if _, _, err := open(t, body, port.Options{MaxBytes: 16 << 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := open(t, body, port.Options{MaxBytes: 40 << 10}); err == nil {
			t.Errorf("%s: is read into 40 kB", name)
		}
	}
	// a stone is read in parts, and bounded where it becomes a clip
	path := filepath.Join(t.TempDir(), "a.cairn")
	if err := os.WriteFile(path, worldtest.Stone(t, made).Data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := port.ReadClip(t.Context(), path, port.Options{MaxBytes: 16 << 20}); err != nil {
		t.Error(err)
	}
	if _, err := port.ReadClip(t.Context(), path, port.Options{MaxBytes: 40 << 10}); !errors.Is(err, convert.ErrTooLarge) || !strings.HasPrefix(err.Error(), path) {
		t.Error(err)
	}
}

func TestCut(t *testing.T) {
	made := worldtest.Load(t, terrain.Island(terrain.Options{Seed: 1, Size: 1, Version: terrain.Modern}))
	files := folder(t, made)
	for name, body := range map[string][]byte{
		"stone": worldtest.Stone(t, made).Data, "slime": slimeOf(t, made), "zip": zipOf(t, files), "tar.gz": gzipOf(t, tarOf(t, files)),
	} {
		step := max(1, len(body)/200)
		for n := 0; n < len(body); n += step {
			if _, _, err := open(t, body[:n], port.Options{}); err == nil {
				t.Errorf("%s: %d bytes of %d are read", name, n, len(body))
			}
		}
	}
}

func FuzzOpenReader(f *testing.F) {
	made, err := convert.Load(f.Context(), terrain.Island(terrain.Options{Seed: 1, Size: 1}))
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := port.WriteFile(f.Context(), made.Content(), &b, port.Target{Format: port.Slime}, nil, map[string]int{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(zipOf(f, one("region/r.0.0.mca", make([]byte, 8192))))
	f.Add(zipOf(f, one("a.slime", b.Bytes())))
	f.Add(tarOf(f, one("r.0.0.mca", make([]byte, 8192))))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, w, err := open(t, data, port.Options{MaxBytes: 1 << 20, Salvage: true})
		if err == nil && (w == nil || s.Format() == "") {
			t.Error("opened as nothing")
		}
	})
}
