package server_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// madeUp returns a small made-up world of today's version.
func madeUp(t testing.TB, seed uint64) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Island(terrain.Options{Seed: seed, Size: 4, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// mustSlime returns a world as a Slime file.
func mustSlime(t testing.TB, w *convert.Loaded) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := port.WriteFile(t.Context(), w.Content(), &b, port.Target{Format: port.Slime}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mustFolder writes a world as a folder.
func mustFolder(t testing.TB, w *convert.Loaded) fs.FS {
	t.Helper()
	dir := t.TempDir()
	if err := port.WriteFolder(t.Context(), w.Content(), dir, port.Target{Format: port.Anvil, Name: "made up"}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

// mustZip returns the files of a folder that keep takes, as a zip.
func mustZip(t testing.TB, folder fs.FS, keep func(name string) bool) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !keep(name) {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func all(string) bool { return true }

// mustCairn returns a world as one stone.
func mustCairn(t testing.TB, w *convert.Loaded) []byte {
	t.Helper()
	got := newSite(t, server.Options{})
	got.mustImport("w", mustSlime(t, w))
	return got.get("/v1/export/w").body
}

type imported struct {
	Commit  wire.Commit    `json:"commit"`
	Same    bool           `json:"same"`
	Lost    map[string]int `json:"lost"`
	Damaged []string       `json:"damaged"`
	Remarks []string       `json:"remarks"`
}

func (s *site) mustImport(name string, body []byte, header ...string) (a imported) {
	s.t.Helper()
	s.want(200, request{"POST", "/v1/import/" + name, body, header}, &a)
	return a
}

// mustOpen reads what the server gave as a world.
func mustOpen(t testing.TB, b []byte) *convert.Loaded {
	t.Helper()
	src, err := port.OpenReader(bytes.NewReader(b), int64(len(b)), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := convert.FromContent(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// wantSame checks that two worlds have the same cells, columns and objects.
func wantSame(t testing.TB, got, want *convert.Loaded) {
	t.Helper()
	d, err := diff.Worlds(t.Context(), want.Content(), got.Content(), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Cells+d.Columns+d.Objects > 0 {
		t.Errorf("%d cells, %d columns and %d objects differ: %v", d.Cells, d.Columns, d.Objects, d.First)
	}
}

// changeOne makes another block of one cell.
func changeOne(w *convert.Loaded) {
	v := w.Dimensions[0].Volume(voxel.Block)
	pos := v.Positions()[0]
	var cells [voxel.ChunkCells]voxel.Cell
	v.Chunks[pos].Flat(&cells)
	for i := range cells {
		if cells[i] > 1 {
			cells[i] = 1
			break
		}
	}
	v.Chunks[pos] = voxel.FromFlat(&cells)
}

// TestImportRemarks: an upload is found as a file is, and the answer says what is odd.
func TestImportRemarks(t *testing.T) {
	files := mustFolder(t, madeUp(t, 1))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range map[string]string{"README.txt": "x", "World/level.dat": ""} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := fs.ReadFile(files, "region/r.0.0.mca")
	if err != nil {
		t.Fatal(err)
	}
	w, err := z.Create("World/region/r.0.0.mca")
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	got := newSite(t, server.Options{}).mustImport("w", b.Bytes())
	if r := strings.Join(got.Remarks, "\n"); len(got.Remarks) != 2 || !strings.Contains(r, "the world is in World; not read is what lies beside it, 1 file: README.txt") || !strings.Contains(r, "level.dat cannot be read") {
		t.Errorf("remarks %q", got.Remarks)
	}
}

func TestImportExport(t *testing.T) {
	long.Alone(t)
	w := madeUp(t, 1)
	folder := mustFolder(t, w)
	for _, tt := range []struct {
		name string
		body []byte
	}{
		{"slime", mustSlime(t, madeUp(t, 1))},
		{"anvil", mustZip(t, folder, all)},
		{"cairn", mustCairn(t, madeUp(t, 1))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, server.Options{})
			first := s.mustImport("a/b", tt.body)
			if first.Same || first.Commit.Number != 1 || len(first.Damaged) > 0 {
				t.Errorf("import: %+v", first)
			}
			again := s.mustImport("a/b", tt.body, "If-Match", tag(history.ID(first.Commit.ID)))
			if !again.Same || again.Commit.ID != first.Commit.ID {
				t.Errorf("again: %+v", again)
			}
			s.do(request{"POST", "/v1/import/a/b", tt.body, []string{"If-Match", tag(history.ID{})}}).wantCode(t, wire.Conflict)
			want := mustOpen(t, tt.body)
			for _, format := range []string{"cairn", "slime", "anvil"} {
				got := s.want(200, request{"GET", "/v1/export/a/b?format=" + format, nil, nil}, nil)
				var lost map[string]int
				if err := json.Unmarshal([]byte(got.header.Get(wire.LostHeader)), &lost); err != nil {
					t.Errorf("%s: lost: %v", format, err)
				}
				if ext := map[string]string{"anvil": "zip"}[format]; !strings.HasSuffix(got.header.Get("Content-Disposition"), `"b.`+max(ext, format)+`"`) && ext == "" {
					t.Errorf("%s: %s", format, got.header.Get("Content-Disposition"))
				}
				if format == "cairn" || format == tt.name {
					wantSame(t, mustOpen(t, got.body), want)
				} else {
					mustOpen(t, got.body)
				}
			}
		})
	}
}

// stored is how many bytes of stones a world's versions have added.
func (s *site) stored(name string) (n int64) {
	s.t.Helper()
	for c, err := range world.Commits(s.t.Context(), s.st, name) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ref := range c.Stones {
			n += ref.Size
		}
	}
	return n
}

func TestImportKeepsWhatDiffers(t *testing.T) {
	long.Alone(t)
	region := func(name string) bool { return strings.HasSuffix(name, ".mca") }
	for _, tt := range []struct {
		name string
		make func(*convert.Loaded) []byte
	}{
		{"slime", func(w *convert.Loaded) []byte { return mustSlime(t, w) }},
		{"anvil", func(w *convert.Loaded) []byte { return mustZip(t, mustFolder(t, w), all) }},
		{"regions", func(w *convert.Loaded) []byte { return mustZip(t, mustFolder(t, w), region) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, server.Options{})
			first := madeUp(t, 1)
			s.mustImport("a", tt.make(first))
			before := s.stored("a")
			second := madeUp(t, 1)
			changeOne(second)
			got := s.mustImport("a", tt.make(second))
			added := s.stored("a") - before
			t.Logf("%d bytes, and %d for one block", before, added)
			if got.Same || added*4 > before {
				t.Errorf("%d bytes for one block, of a world of %d", added, before)
			}
			var d diff.Difference
			s.want(200, request{"GET", "/v1/diff/a?a=1&b=2", nil, nil}, &d)
			if d.Cells != 1 || d.Objects+d.Files > 0 {
				t.Errorf("diff: %+v", d)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	long.Alone(t)
	s := newSite(t, server.Options{})
	s.want(201, request{"PUT", "/v1/worlds/empty", nil, nil}, nil)
	empty := s.want(200, request{"GET", "/v1/worlds/empty", nil, nil}, nil)
	if want := `{"name":"empty","commit":null,"fence":0,"lease":null,"folder":false,"stones":0,"bytes":0,"spawn":null,"properties":[],"dimensions":[]}` + "\n"; string(empty.body) != want {
		t.Errorf("got %s want %s", empty.body, want)
	}
	s.get("/v1/picture/empty").wantCode(t, wire.NoCommit)
	s.get("/v1/export/empty").wantCode(t, wire.NoCommit)
	s.get("/v1/chunks/empty?dimension=overworld&volume=block").wantCode(t, wire.NoCommit)
	s.get("/v1/worlds/none").wantCode(t, wire.NoWorld)

	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	var f struct {
		Commit     wire.Commit
		Stones     int
		Bytes      int64
		Dimensions []struct {
			Name    string
			Volumes []struct{ Name, Schema string }
		}
	}
	s.want(200, request{"GET", "/v1/worlds/a", nil, nil}, &f)
	if f.Commit.Number != 1 || f.Stones != 1 || f.Bytes != f.Commit.Stones[0].Size || len(f.Dimensions) != 1 || f.Dimensions[0].Volumes[0].Schema != "palette" {
		t.Errorf("%+v", f)
	}
	for _, path := range []string{"/v1/worlds/a", "/v1/properties/a", "/v1/picture/a", "/v1/chunks/a?dimension=overworld&volume=block&y=2"} {
		full := s.want(200, request{"GET", path, nil, nil}, nil)
		if commit, _, _ := strings.Cut(full.header.Get("ETag"), "-"); commit+`"` != tag(history.ID(f.Commit.ID)) {
			t.Errorf("%s: ETag %s of %v", path, full.header.Get("ETag"), f.Commit.ID)
		}
		same := s.get(path, "If-None-Match", full.header.Get("ETag"))
		if same.status != 304 || len(same.body) > 0 {
			t.Errorf("%s: %d %s", path, same.status, same.body)
		}
	}
}

func TestProperties(t *testing.T) {
	long.Alone(t)
	s := newSite(t, server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	patch := func(body string, header ...string) request {
		return request{"PATCH", "/v1/properties/a", []byte(body), header}
	}
	var c wire.Commit
	s.want(200, patch(`{"set":{"owner":"ann","level":"3"},"message":"moved in","author":"ann"}`), &c)
	if c.Number != 2 || c.Message != "moved in" || c.Author != "ann" {
		t.Errorf("%+v", c)
	}
	s.want(200, patch(`{"remove":["level"]}`, "If-Match", tag(history.ID(c.ID))), &c)
	if got := string(s.get("/v1/properties/a").body); !strings.Contains(got, `{"key":"owner","value":"ann"}`) || strings.Contains(got, "level") {
		t.Error(got)
	}
	if got := string(s.get("/v1/properties/a?at=1").body); strings.Contains(got, "ann") {
		t.Error(got)
	}
	for body, want := range map[string]wire.Code{
		`{}`:                               wire.BadRequest,
		`{"set":{"a":""}}`:                 wire.BadRequest,
		`{"set":{"a":"b"},"remove":["a"]}`: wire.BadRequest,
		`{"sets":{}}`:                      wire.BadRequest,
	} {
		s.do(patch(body)).wantCode(t, want)
	}
	s.do(patch(`{"set":{"a":"b"}}`, "If-Match", tag(history.ID{}))).wantCode(t, wire.Conflict)
	s.do(patch(`{"set":{"a":"b"}}`, wire.FenceHeader, "7")).wantCode(t, wire.Fenced)
	s.want(201, request{"PUT", "/v1/worlds/new", nil, nil}, nil)
	s.do(request{"PATCH", "/v1/properties/new", []byte(`{"remove":["a"]}`), nil}).wantCode(t, wire.NoCommit)
	s.want(200, request{"PATCH", "/v1/properties/new", []byte(`{"set":{"a":"b"}}`), nil}, &c)
	if c.Number != 1 {
		t.Errorf("%+v", c)
	}
}

// TestOtherWorldsVersion asks for a version of another world by its id, after that
// was read.
func TestOtherWorldsVersion(t *testing.T) {
	long.Alone(t)
	s := newSite(t, server.Options{})
	id := s.mustImport("secret", mustSlime(t, madeUp(t, 1))).Commit.ID
	s.mustImport("a", mustSlime(t, madeUp(t, 2)))
	at := fmt.Sprintf("at=%x", id)
	s.want(200, request{"GET", "/v1/chunks/secret?dimension=overworld&volume=block&y=2&" + at, nil, nil}, nil)
	for _, path := range []string{"worlds/a?", "properties/a?", "export/a?", "picture/a?", "chunks/a?dimension=overworld&volume=block&y=2&"} {
		s.get("/v1/"+path+at).wantCode(t, wire.NoCommit)
	}
	s.get(fmt.Sprintf("/v1/diff/a?a=%x", id)).wantCode(t, wire.NoCommit)
	var d diff.Difference
	if s.want(200, request{"GET", "/v1/diff/a?with=secret", nil, nil}, &d); d.Cells == 0 {
		t.Errorf("two worlds do not differ: %+v", d)
	}
}

func TestPicture(t *testing.T) {
	long.Alone(t)
	s := newSite(t, server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	got := s.want(200, request{"GET", "/v1/picture/a?size=200", nil, nil}, nil)
	img, err := png.Decode(bytes.NewReader(got.body))
	if err != nil || got.header.Get("Content-Type") != "image/png" {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); max(size.X, size.Y) > 200 || size.X < 16 {
		t.Errorf("%v", size)
	}
	plain := s.want(200, request{"GET", "/v1/picture/a?size=200&plain=1", nil, nil}, nil)
	bare, err := png.Decode(bytes.NewReader(plain.body))
	if err != nil || bare.Bounds().Dy() >= img.Bounds().Dy() || plain.header.Get("Cairn-Scale") != got.header.Get("Cairn-Scale") || plain.header.Get("Cairn-Scale") == "" {
		t.Errorf("without a scale: %v, %v, %q", err, bare.Bounds(), plain.header.Get("Cairn-Scale"))
	}
	s.get("/v1/picture/a?size=5").wantCode(t, wire.BadRequest)
	s.get("/v1/picture/a?dimension=nowhere").wantCode(t, wire.BadRequest)
}

// TestImportBeyondMemory imports a world, and regions over it, that take several times the
// memory that the server allows: the stones are those of a server with room for all.
func TestImportBeyondMemory(t *testing.T) {
	w, err := convert.Load(t.Context(), terrain.Survival(terrain.Options{Seed: 5, Size: 16, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	small := newSite(t, server.Options{Temp: temp, Limits: server.Limits{WorldMemory: 2 << 20}})
	large := newSite(t, server.Options{})
	folder := mustFolder(t, w)
	regions := mustZip(t, mustFolder(t, madeUp(t, 7)), func(name string) bool { return strings.HasPrefix(name, "region/r.0.0.") })
	for i, body := range [][]byte{mustZip(t, folder, all), regions} {
		got, want := small.mustImport("a", body), large.mustImport("a", body)
		if got.Commit.Number != uint64(i+1) || len(got.Commit.Stones) != 1 || !slices.Equal(got.Commit.Stones, want.Commit.Stones) {
			t.Errorf("import %d: got %+v, want %+v", i+1, got, want)
		}
	}
	if _, err := convert.FromContent(t.Context(), w.Content(), 2<<20); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("the world fits into memory: %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
