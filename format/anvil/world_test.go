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

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/anviltest"
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
			s := mustReadAll(t, folder(map[string][]byte{name: oneRegion()}))
			if len(s.dims) != 1 || s.dims[0].Name != tt.name || s.dims[0].Folder != tt.folder {
				t.Fatalf("got %v, want %s in %q", s.dims[0], tt.name, tt.folder)
			}
			dir := mustWrite(t, s, anvil.WriteOptions{})
			wantSame(t, docsOf(t, dir, name)[0], chunk(2586))
		})
	}
}

// TestDimensionsTogether: the three of the game come first, two folders of one
// name stay apart.
func TestDimensionsTogether(t *testing.T) {
	s := mustReadAll(t, folder(map[string][]byte{
		"DIM-1/region/r.0.0.mca": oneRegion(), "DIM1/region/r.0.0.mca": oneRegion(), "DIM5/poi/r.0.0.mca": oneRegion(),
		"world_nether/DIM-1/region/r.0.0.mca": oneRegion(), "dimensions/minecraft/overworld/entities/r.0.0.mca": oneRegion(),
	}))
	var got []string
	for _, d := range s.dims {
		got = append(got, d.Name)
	}
	want := []string{"overworld", "the_nether", "folder:world_nether/DIM-1", "the_end", "folder:DIM5"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBase finds a world beside other files: its dimensions have their own names and come first.
func TestBase(t *testing.T) {
	level := gzipped(document(compound("Data", compound("LevelName", "it", "DataVersion", int32(2586)))))
	for _, tt := range []struct {
		name  string
		files []string // other than level.dat
		want  []string
		level string
	}{
		{"a readme", []string{"README.txt", "World/region/r.0.0.mca", "World/DIM1/region/r.0.0.mca"}, []string{"overworld=World", "the_end=World/DIM1"}, "World/level.dat"},
		{"the layout of 26.1", []string{"README.txt", "World/dimensions/minecraft/the_nether/region/r.0.0.mca", "World/dimensions/minecraft/overworld/region/r.0.0.mca"},
			[]string{"overworld=World/dimensions/minecraft/overworld", "the_nether=World/dimensions/minecraft/the_nether"}, "World/level.dat"},
		{"a server", []string{"server.properties", "a_nether/DIM-1/region/r.0.0.mca", "a_nether/level.dat", "a_the_end/DIM1/region/r.0.0.mca", "world/region/r.0.0.mca"},
			[]string{"the_nether=a_nether/DIM-1", "the_end=a_the_end/DIM1", "folder:world=world"}, "a/level.dat"},
		{"a server's world", []string{"world_nether/DIM-1/region/r.0.0.mca", "world_nether/level.dat", "world/region/r.0.0.mca"}, []string{"overworld=world", "the_nether=world_nether/DIM-1"}, "world/level.dat"},
		{"two folders down", []string{"README.txt", "saves/World/region/r.0.0.mca", "saves/World_nether/DIM-1/region/r.0.0.mca"}, []string{"overworld=saves/World", "the_nether=saves/World_nether/DIM-1"}, "saves/World/level.dat"},
		{"a backup in the world", []string{"region/r.0.0.mca", "backup/region/r.0.0.mca", "backup/level.dat"}, []string{"overworld=", "folder:backup=backup"}, "level.dat"},
		{"a copy of level.dat alone", []string{"README.txt", "World/region/r.0.0.mca"}, []string{"overworld=World"}, "World/level.dat_old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{tt.level: level}
			for _, name := range tt.files {
				files[name] = oneRegion()
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
			if !slices.Equal(got, tt.want) || w.Head().Properties["name"] != "it" || w.Partial() {
				t.Errorf("got %q, %v, part %v, want %q", got, w.Head(), w.Partial(), tt.want)
			}
		})
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
		{"Alpha", "0/1c/c.0.-1c.dat", "chunks in the format of Alpha, which cairn does not read: 1 file"},
		{"Linear", "region/r.0.-1.linear", "chunks in Linear's format, which cairn does not read: 1 file"},
		{"Cubic Chunks", "region3d/0.-1.0.3dr", "chunks in Cubic Chunks' format, which cairn does not read: 1 file"},
		{"Pocket Edition", "chunks.dat", "chunks in the format of Pocket Edition, which cairn does not read: 1 file"},
		{"none", "data/chunks.dat", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{"level.dat": {1}, tt.file: {1}}
			w, err := anvil.OpenFS(folder(files), anvil.Options{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("alone: %v, %v, want %q", w, err, tt.want)
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
		{"saves", false, anvil.ErrNoWorld},
		{"server", false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if got := anvil.Detect(path); got != tt.detect {
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
